//! Rations answers, so that forged frames cannot make a listener flood others.

use crate::address::network;
use crate::clock::SECOND;
use crate::listener_c::Bucket;
use std::collections::HashMap;
use std::net::IpAddr;

/// Answers a second, in all.
pub const ANSWERS_PER_SECOND: u64 = 100;
/// Answers a second to one IP address (of IPv6: to one /64), whatever the port.
pub const ANSWERS_PER_SECOND_AND_ADDRESS: u64 = 10;
/// The most addresses that are remembered; while all of them are being answered, others are not.
pub const ADDRESSES: usize = 4096;

/// The ration of a listener.
#[derive(Debug)]
pub(crate) struct Ration {
    all: Bucket,
    each: HashMap<IpAddr, Bucket>,
}

impl Ration {
    pub(crate) fn new(now: u64) -> Ration {
        Ration { all: Bucket::full(ANSWERS_PER_SECOND, now), each: HashMap::new() }
    }

    /// Whether an answer to `address` may be sent now; if so it counts as sent.
    pub(crate) fn take(&mut self, address: IpAddr, now: u64) -> bool {
        let address = network(address);
        self.all.fill(now);
        if self.all.level < SECOND {
            return false;
        }
        if self.each.len() >= ADDRESSES && !self.each.contains_key(&address) {
            self.forget_idle(now);
            if self.each.len() >= ADDRESSES {
                return false;
            }
        }
        let one = self.each.entry(address).or_insert_with(|| Bucket::full(ANSWERS_PER_SECOND_AND_ADDRESS, now));
        one.fill(now);
        if one.level < SECOND {
            return false;
        }
        one.level -= SECOND;
        self.all.level -= SECOND;
        true
    }

    fn forget_idle(&mut self, now: u64) {
        self.each.retain(|_, bucket| {
            bucket.fill(now);
            bucket.level < ANSWERS_PER_SECOND_AND_ADDRESS * SECOND
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u32) -> IpAddr {
        IpAddr::V4(n.into())
    }

    #[test]
    fn one_address_gets_its_share_and_no_more() {
        let mut ration = Ration::new(0);
        let given = (0..1000).filter(|_| ration.take(address(1), 0)).count();
        assert_eq!(given, 10);
        assert!(ration.take(address(1), SECOND / 10), "one more after a tenth of a second");
        assert!(!ration.take(address(1), SECOND / 10));
    }

    #[test]
    fn all_together_get_no_more_than_the_ration() {
        let mut ration = Ration::new(0);
        let given = (0..1000).filter(|n| ration.take(address(*n), 0)).count();
        assert_eq!(given, 100);
        let in_ten_seconds = (0..10_000u32).filter(|n| ration.take(address(*n), u64::from(*n) * SECOND / 1000)).count();
        assert!((990..=1010).contains(&in_ten_seconds), "{in_ten_seconds}");
    }
}
