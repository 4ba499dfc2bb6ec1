//! Which connections a listener has, where several share one address.

use crate::wire::COOKIE_BITS;

/// At most so many listeners share an address.
pub const SHARDS_MAX: usize = 64;

/// One of several listeners on one address. Each draws only cookies that lead frames to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// A listener that has its address alone.
    pub(crate) const ALONE: Shard = Shard { index: 0, count: 1 };

    /// Each of so many.
    pub(crate) fn each(count: usize) -> impl Iterator<Item = Shard> {
        let count = count.clamp(1, SHARDS_MAX) as u32;
        (0..count).map(move |index| Shard { index, count })
    }

    /// Its place among them.
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// Whether frames with this cookie are received by this one. The system compares the bytes of a frame as they come,
    /// so the lowest byte of a cookie counts most (`udp::group`).
    #[inline]
    pub(crate) fn owns(self, cookie: u32) -> bool {
        self.count == 1 || (cookie << (32 - COOKIE_BITS)).swap_bytes() % self.count == self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cookie_is_owned_by_one_and_each_owns_as_many() {
        for count in [1, 2, 3, 7, SHARDS_MAX] {
            let mut owned = vec![0; count];
            for cookie in (1..1 << COOKIE_BITS).step_by(9_973) {
                let owners: Vec<usize> =
                    Shard::each(count).enumerate().filter(|(_, shard)| shard.owns(cookie)).map(|(at, _)| at).collect();
                assert_eq!(owners.len(), 1, "{count} {cookie}");
                owned[owners[0]] += 1;
            }
            let (least, most) = (owned.iter().min().unwrap(), owned.iter().max().unwrap());
            assert!(most - least < 60, "{owned:?}");
        }
    }

    #[test]
    fn lowest_byte_of_the_cookie_counts_most() {
        let second_of_two = Shard::each(2).nth(1).unwrap();
        assert!(!second_of_two.owns(0x00_ff_ff) && second_of_two.owns(0x01_00_00));
        assert!(Shard::ALONE.owns(1) && Shard::ALONE.owns(0xff_ff_ff));
    }
}
