//! A network that loses, repeats, delays and damages frames and has partitions, all drawn from a seed.
//!
//! The fate of a frame depends on the seed, its sender and its number among the frames of the sender, and never on the
//! fate of other frames. So single faults can be removed from a run without changing the others; or a list determines
//! all faults. What does not fit the queue of a slow link is the exception: it depends on the frames before it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::random::{happens, hash};

/// The conditions of the network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// Probabilities, for each frame.
    pub loss: f64,
    pub duplicate: f64,
    /// The frame is held back, so that later ones overtake it.
    pub reorder: f64,
    /// Some bits of the frame are flipped, or its end is cut off.
    pub corrupt: f64,
    /// The delay of every frame, and the greatest additional delay, in nanoseconds.
    pub delay: u64,
    pub jitter: u64,
    pub partition: Option<Partition>,
    /// Longer frames are lost, in bytes.
    pub mtu: Option<u32>,
    /// The rate of the link that the frames of one side share, in kbit/s; 0: no limit.
    pub rate: u64,
    /// The bytes that the link holds until they have left it; what exceeds that is lost.
    pub queue: Option<u64>,
}

/// A link with a rate, and what is on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// When the last frame will have left it.
    idle_at: u64,
}

impl Link {
    /// Whether a frame of this length is too long for what is left of the queue. An idle link takes any frame.
    fn is_full(&self, now: u64, length: usize, conditions: &Conditions) -> bool {
        let held = self.idle_at.saturating_sub(now);
        let bytes = u128::from(held) * u128::from(conditions.rate) / BIT_TIME / 8;
        let most = conditions.queue.map_or(u128::MAX, u128::from);
        conditions.rate > 0 && held > 0 && bytes + length as u128 > most
    }

    /// Puts a frame on the link; returns when it will have left.
    fn send(&mut self, now: u64, length: usize, conditions: &Conditions) -> u64 {
        let time = (length as u128 * 8 * BIT_TIME).checked_div(u128::from(conditions.rate)).unwrap_or(0);
        let begins = if conditions.rate > 0 { now.max(self.idle_at) } else { now };
        let left = begins.saturating_add(time.try_into().unwrap_or(u64::MAX));
        self.idle_at = self.idle_at.max(left);
        left
    }
}

/// The nanoseconds that a bit takes at 1 kbit/s.
const BIT_TIME: u128 = 1_000_000;

/// Intervals in which no frame is delivered: one in each period, at a random position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    pub every: u64,
    pub lasts: u64,
}

/// A fault of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    Lose,
    Repeat,
    Hold,
    Damage,
    Late,
    /// The frame is longer than the network takes.
    Long,
    /// The queue of the link has no room for the frame.
    Full,
}

const FAULTS: [(Fault, &str); 7] = [
    (Fault::Lose, "lose"),
    (Fault::Repeat, "repeat"),
    (Fault::Hold, "hold"),
    (Fault::Damage, "damage"),
    (Fault::Late, "late"),
    (Fault::Long, "long"),
    (Fault::Full, "full"),
];

/// A part of a run that can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// A message of the workload: sender, number.
    Message(u32, u32),
    /// A fault: sender, number of the frame among the sender's.
    Frame(u32, u64, Fault),
    /// The partition of a period.
    Partition(u64),
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |n: u32| char::from(b'a' + (n % 26) as u8);
        match self {
            Item::Message(from, number) => write!(f, "{}.{number}", side(*from)),
            Item::Frame(from, number, fault) => {
                let name = FAULTS.iter().find(|(known, _)| known == fault).map_or("", |(_, name)| name);
                write!(f, "{}:{number}:{name}", side(*from))
            }
            Item::Partition(period) => write!(f, "part:{period}"),
        }
    }
}

impl FromStr for Item {
    type Err = String;

    fn from_str(text: &str) -> Result<Item, String> {
        let wrong =
            || format!("`{text}` is neither a message (`a.3`), nor a fault (`b:17:lose`), nor a partition (`part:2`)");
        let side = |name: &str| match name.as_bytes() {
            [letter @ b'a'..=b'z'] => Ok(u32::from(letter - b'a')),
            _ => Err(wrong()),
        };
        if let Some(period) = text.strip_prefix("part:") {
            return period.parse().map(Item::Partition).map_err(|_| wrong());
        }
        if let Some((from, number)) = text.split_once('.') {
            return Ok(Item::Message(side(from)?, number.parse().map_err(|_| wrong())?));
        }
        let parts: Vec<&str> = text.split(':').collect();
        let [from, number, name] = parts[..] else { return Err(wrong()) };
        let (fault, _) = FAULTS.iter().find(|(_, known)| *known == name).ok_or_else(wrong)?;
        Ok(Item::Frame(side(from)?, number.parse().map_err(|_| wrong())?, *fault))
    }
}

/// The fate of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// The arrival time of each copy.
    pub arrivals: Vec<u64>,
    /// The seed of the damage.
    pub damage: Option<u64>,
    /// The faults, for the trace.
    pub items: Vec<Item>,
}

/// A network with its seed. `keep`: the faults, instead of random ones.
#[derive(Clone, Debug)]
pub struct Network {
    pub seed: u64,
    pub conditions: Conditions,
    pub keep: Option<BTreeSet<Item>>,
}

impl Network {
    /// Draws the fate of the frame with this number and length that leaves `from` now, over `link`.
    pub fn fate(&self, now: u64, (from, number): (u32, u64), length: usize, link: &mut Link) -> Fate {
        let mut fate = Fate::default();
        if let Some(period) = self.parted(now) {
            fate.items.push(Item::Partition(period));
            return fate;
        }
        let c = &self.conditions;
        let draw = |fault: Fault, salt: u64| hash(&[self.seed, from.into(), number, fault as u64, salt]);
        let mut does = |fault: Fault, probability: f64| {
            let item = Item::Frame(from, number, fault);
            let does = match &self.keep {
                Some(keep) => keep.contains(&item),
                None => happens(probability, draw(fault, 0)),
            };
            if does {
                fate.items.push(item);
            }
            does
        };
        let long = c.mtu.is_some_and(|most| length > most as usize);
        if does(Fault::Long, f64::from(long)) || does(Fault::Full, f64::from(link.is_full(now, length, c))) {
            return fate;
        }
        let left = link.send(now, length, c);
        if does(Fault::Lose, c.loss) {
            return fate;
        }
        let (repeated, held) = (does(Fault::Repeat, c.duplicate), does(Fault::Hold, c.reorder));
        let damaged = does(Fault::Damage, c.corrupt);
        let late = does(Fault::Late, if c.jitter > 0 { 1.0 } else { 0.0 });
        let more = |salt: u64, most: u64| if most == 0 { 0 } else { draw(Fault::Late, salt) % most };
        let later = |at: u64, by: u64| at.saturating_add(by);
        let trip = later(c.delay, c.jitter);
        let mut at = later(later(left, c.delay), if late { more(1, c.jitter) } else { 0 });
        if held {
            at = later(at, more(2, later(trip.saturating_mul(4), 2_000_000)));
        }
        fate.arrivals.push(at);
        if repeated {
            fate.arrivals.push(later(at, more(3, later(trip, 1_000_000))));
        }
        fate.damage = damaged.then(|| draw(Fault::Damage, 1));
        fate
    }

    /// The period whose partition this time falls into.
    fn parted(&self, now: u64) -> Option<u64> {
        let Partition { every, lasts } = self.conditions.partition?;
        let every = every.max(1);
        let (period, within) = (now / every, now % every);
        let begins = hash(&[self.seed, 0x7061_7274, period]) % every.saturating_sub(lasts).max(1);
        let parted = (begins..begins.saturating_add(lasts)).contains(&within);
        (parted && self.kept(&Item::Partition(period))).then_some(period)
    }

    /// Returns whether a fault remains in the run: all do, unless a list of faults to keep is set.
    pub fn kept(&self, item: &Item) -> bool {
        self.keep.as_ref().is_none_or(|keep| keep.contains(item))
    }
}

/// Flips up to four bits, or cuts off the end.
pub fn damage(frame: &mut Vec<u8>, seed: u64) {
    if frame.is_empty() {
        return;
    }
    if seed % 8 == 0 {
        let keep = hash(&[seed, 1]) % frame.len() as u64;
        frame.truncate(keep as usize);
        return;
    }
    // Distinct bits, so that no flip reverts another.
    let bits = frame.len() as u64 * 8;
    let flips: BTreeSet<u64> = (0..1 + seed % 4).map(|i| hash(&[seed, 2, i]) % bits).collect();
    for bit in flips {
        frame[(bit / 8) as usize] ^= 1 << (bit % 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(conditions: Conditions) -> Network {
        Network { seed: 7, conditions, keep: None }
    }

    fn fate(network: &Network, from: u32, number: u64, length: usize) -> Fate {
        network.fate(0, (from, number), length, &mut Link::default())
    }

    #[test]
    fn a_good_network_only_delays() {
        let fate =
            network(Conditions { delay: 5, ..Conditions::default() }).fate(100, (0, 3), 64, &mut Link::default());
        assert_eq!((fate.arrivals, fate.damage, fate.items.len()), (vec![105], None, 0));
    }

    #[test]
    fn leaving_one_fault_out_changes_no_other_frame() {
        let mut network = network(Conditions { loss: 0.3, jitter: 1000, ..Conditions::default() });
        let before: Vec<Fate> = (0..200).map(|n| fate(&network, 1, n, 64)).collect();
        let lost = before.iter().position(|f| f.arrivals.is_empty()).expect("something is lost");
        let all = before.iter().flat_map(|f| f.items.clone());
        network.keep = Some(all.filter(|i| *i != Item::Frame(1, lost as u64, Fault::Lose)).collect());
        for (n, before) in before.iter().enumerate() {
            assert_eq!(fate(&network, 1, n as u64, 64) == *before, n != lost);
        }
    }

    #[test]
    fn rate_of_loss_is_about_the_requested_one() {
        let network = network(Conditions { loss: 0.1, ..Conditions::default() });
        let lost = (0..10_000).filter(|n| fate(&network, 0, *n, 64).arrivals.is_empty()).count();
        assert!((900..1100).contains(&lost), "{lost}");
    }

    #[test]
    fn frames_longer_than_the_mtu_are_lost() {
        let network = network(Conditions { mtu: Some(64), ..Conditions::default() });
        assert_eq!(fate(&network, 0, 1, 64).arrivals.len(), 1);
        let lost = fate(&network, 0, 2, 65);
        assert_eq!((lost.arrivals, lost.items), (vec![], vec![Item::Frame(0, 2, Fault::Long)]));
    }

    /// 100 bytes take 100 µs at 8 Mbit/s.
    #[test]
    fn frames_leave_a_slow_link_one_after_the_other() {
        let network = network(Conditions { rate: 8000, delay: 7, ..Conditions::default() });
        let mut link = Link::default();
        let mut sent = |now: u64, n: u64| network.fate(now, (0, n), 100, &mut link).arrivals;
        let arrivals = [sent(0, 1), sent(0, 2), sent(30_000, 3), sent(400_000, 4)].concat();
        assert_eq!(arrivals, [100_007, 200_007, 300_007, 500_007]);
    }

    #[test]
    fn what_exceeds_the_queue_is_lost() {
        let network = network(Conditions { rate: 8000, queue: Some(250), ..Conditions::default() });
        let mut link = Link::default();
        let mut sent = |now: u64, n: u64, length: usize| network.fate(now, (0, n), length, &mut link);
        assert_eq!(sent(0, 1, 300).arrivals, [300_000], "an idle link takes any frame");
        let full = Item::Frame(0, 2, Fault::Full);
        assert_eq!(sent(0, 2, 1).items, [full]);
        assert!(sent(100_000, 3, 51).arrivals.is_empty(), "200 bytes have not left");
        assert_eq!(sent(100_000, 4, 50).arrivals, [350_000]);
    }

    #[test]
    fn a_frame_that_is_not_to_be_lost_fits_the_queue() {
        let conditions = Conditions { rate: 8000, queue: Some(100), ..Conditions::default() };
        let network = Network { keep: Some(BTreeSet::new()), ..network(conditions) };
        let mut link = Link::default();
        let arrivals = [1, 2].map(|n| network.fate(0, (0, n), 100, &mut link).arrivals);
        assert_eq!(arrivals.concat(), [100_000, 200_000]);
    }

    #[test]
    fn there_is_one_partition_per_period() {
        let network =
            network(Conditions { partition: Some(Partition { every: 1000, lasts: 100 }), ..Conditions::default() });
        for period in 0..20 {
            let parted = (0..1000).filter(|t| network.parted(period * 1000 + t).is_some()).count();
            assert_eq!(parted, 100);
        }
    }

    #[test]
    fn damage_always_changes_the_frame() {
        for seed in 0..500 {
            let mut frame = vec![0x55; 9];
            damage(&mut frame, seed);
            assert_ne!(frame, vec![0x55; 9], "seed {seed}");
        }
    }

    #[test]
    fn items_are_read_as_they_are_written() {
        for item in [Item::Message(0, 3), Item::Frame(1, 17, Fault::Damage), Item::Partition(2)] {
            assert_eq!(item.to_string().parse(), Ok(item));
        }
        assert!("c".parse::<Item>().is_err() && "a:1:eat".parse::<Item>().is_err());
    }
}
