//! Which connections a listener has, where several share one address.

use crate::wire::COOKIE_BITS;

/// The maximum number of listeners on one address.
pub const SHARDS_MAX: usize = 64;

/// One of several listeners on one address. The system distributes frames by the remainder of their cookie, so each
/// listener hands out only cookies with its own remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// The only listener on its address.
    pub(crate) const ALONE: Shard = Shard { index: 0, count: 1 };

    /// All shards of an address with `count` listeners, in order.
    pub(crate) fn each(count: usize) -> impl Iterator<Item = Shard> {
        let count = count.clamp(1, SHARDS_MAX) as u32;
        (0..count).map(move |index| Shard { index, count })
    }

    /// The position among the listeners, from 0.
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// The cookie, not 0, that this listener hands out for a number of 24 random bits: the same number, except where it
    /// would lead elsewhere.
    #[inline]
    pub(crate) fn cookie(self, drawn: u32) -> u32 {
        let number = seen_by_filter(drawn);
        let below = number - number % self.count + self.index;
        // The last remainders may lie beyond 24 bits, and 0 is no cookie.
        let own = match below {
            0 => self.count,
            _ if below >= 1 << COOKIE_BITS => below - self.count,
            _ => below,
        };
        seen_by_filter(own)
    }
}

/// A cookie as the filter of `udp::group` reads it, with its lowest byte first; and back.
#[inline]
fn seen_by_filter(cookie: u32) -> u32 {
    (cookie << (32 - COOKIE_BITS)).swap_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of 24 bits: the least, the greatest, and some between.
    fn numbers() -> impl Iterator<Item = u32> {
        (0..300).chain((0..1 << COOKIE_BITS).step_by(9_973)).chain((1 << COOKIE_BITS) - 300..1 << COOKIE_BITS)
    }

    #[test]
    fn cookies_have_the_remainder_of_their_shard() {
        for count in [1, 2, 3, 7, SHARDS_MAX] {
            for (index, shard) in Shard::each(count).enumerate() {
                assert_eq!(shard.index() as usize, index);
                for cookie in numbers().map(|drawn| shard.cookie(drawn)) {
                    assert!(cookie != 0 && cookie < 1 << COOKIE_BITS, "{cookie:x}");
                    let [first, second, third, _] = cookie.to_le_bytes();
                    let number = u32::from_be_bytes([0, first, second, third]) as usize;
                    assert_eq!(number % count, index, "{cookie:x} of {count}");
                }
            }
        }
    }

    #[test]
    fn only_what_leads_elsewhere_is_changed() {
        assert!(numbers().filter(|drawn| *drawn != 0).all(|drawn| Shard::ALONE.cookie(drawn) == drawn));
        let of_four: Vec<Shard> = Shard::each(4).collect();
        let kept = |drawn: u32| of_four.iter().filter(|shard| shard.cookie(drawn) == drawn).count();
        assert!(numbers().filter(|drawn| *drawn != 0).all(|drawn| kept(drawn) == 1));
    }
}
