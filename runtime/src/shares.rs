//! Who holds how many blocks of a pool: connections, and the networks of their peers. Where a pool has not enough for
//! all its connections, nobody takes the part of others.
//!
//! Frames are kept back only because of what frames have taken (messages behind a gap, pieces of messages). What calls
//! have taken is given back when it is acknowledged, and acknowledgements come in frames.

use crate::address::network;
use std::collections::HashMap;
use std::net::IpAddr;

/// Blocks that a connection holds in a pool before it is confirmed, at the most; a step may exceed it.
const UNCONFIRMED: u32 = 8;
/// The part of a pool that is kept for networks that hold less than their share, and for connections that hold less
/// than theirs of their network's.
const KEPT: u32 = 4;
/// The part that is kept for such networks alone.
const KEPT_FOR_NETWORKS: u32 = 8;
/// The part of a network's share that frames may take, whatever calls have taken.
const FOR_FRAMES: u32 = 8;

/// What may take blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Frame,
    /// A call of the application, or the work of timers.
    Call,
}

/// Blocks that are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Held {
    all: u32,
    /// Those that frames have taken, at the most.
    by_frames: u32,
}

impl Held {
    fn by(self, cause: Cause) -> u32 {
        match cause {
            Cause::Frame => self.by_frames,
            Cause::Call => self.all,
        }
    }
}

/// What one connection holds.
#[derive(Debug, Default)]
pub(crate) struct Share {
    /// The index of its pool.
    pub place: usize,
    network: usize,
    held: Held,
}

#[derive(Debug)]
struct Network {
    ip: IpAddr,
    /// Connections with the pool, and the blocks that they hold together.
    members: u32,
    held: Held,
}

/// What all connections with one pool hold.
#[derive(Debug)]
pub(crate) struct Shares {
    blocks: u32,
    free: u32,
    /// As many blocks one connection holds at the most.
    for_one: u32,
    members: u32,
    /// By the index in `Share`; those without members are used again.
    networks: Vec<Network>,
    unused: Vec<usize>,
    by_address: HashMap<IpAddr, usize>,
}

impl Shares {
    /// All blocks of a pool are free.
    pub(crate) fn new(blocks: u32, for_one: u32) -> Shares {
        let (networks, unused, by_address) = (Vec::new(), Vec::new(), HashMap::new());
        Shares { blocks, free: blocks, for_one, members: 0, networks, unused, by_address }
    }

    /// A connection with a peer at this address takes part. `place`: the index of the pool.
    pub(crate) fn enter(&mut self, place: usize, ip: IpAddr) -> Share {
        let ip = network(ip);
        let Shares { networks, unused, by_address, .. } = self;
        let index = *by_address.entry(ip).or_insert_with(|| {
            let new = Network { ip, members: 0, held: Held::default() };
            match unused.pop() {
                Some(index) => {
                    networks[index] = new;
                    index
                }
                None => {
                    networks.push(new);
                    networks.len() - 1
                }
            }
        });
        networks[index].members += 1;
        self.members += 1;
        Share { place, network: index, held: Held::default() }
    }

    /// A connection that has given back all its blocks takes part no more.
    pub(crate) fn leave(&mut self, share: &Share) {
        debug_assert_eq!(share.held, Held::default(), "an instance gives everything back when it is discarded");
        self.members -= 1;
        let network = &mut self.networks[share.network];
        network.members -= 1;
        if network.members == 0 {
            self.by_address.remove(&network.ip);
            self.unused.push(share.network);
        }
    }

    /// Accounts for a step of a connection, after which `free` blocks are free.
    #[inline]
    pub(crate) fn account(&mut self, share: &mut Share, cause: Cause, free: u32) {
        if free == self.free {
            return;
        }
        let before = share.held;
        share.held.all = before.all + self.free - free;
        if cause == Cause::Frame {
            share.held.by_frames += self.free.saturating_sub(free);
        }
        share.held.by_frames = share.held.by_frames.min(share.held.all);
        let of_network = &mut self.networks[share.network].held;
        of_network.all = of_network.all + share.held.all - before.all;
        of_network.by_frames = of_network.by_frames + share.held.by_frames - before.by_frames;
        self.free = free;
    }

    /// Whether a connection may be given what could take blocks.
    #[inline(never)]
    pub(crate) fn may_take(&self, share: &Share, cause: Cause, is_confirmed: bool) -> bool {
        self.suffices() || (is_confirmed || share.held.by(cause) < UNCONFIRMED) && self.is_fair(share, cause)
    }

    /// Whether each connection can hold all it ever does.
    fn suffices(&self) -> bool {
        u64::from(self.members) * u64::from(self.for_one) <= u64::from(self.blocks)
    }

    /// Networks have equal shares, one that may come included; so have the connections of a network.
    fn is_fair(&self, share: &Share, cause: Cause) -> bool {
        if self.free >= self.blocks / KEPT {
            return true;
        }
        let network = &self.networks[share.network];
        let for_each = self.blocks / (self.by_address.len() as u32 + 1);
        network.held.all <= for_each
            || cause == Cause::Frame && network.held.by_frames <= for_each / FOR_FRAMES
            || self.free >= self.blocks / KEPT_FOR_NETWORKS && share.held.by(cause) <= for_each / network.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u32) -> IpAddr {
        IpAddr::V4(n.into())
    }

    fn take(shares: &mut Shares, share: &mut Share, cause: Cause, blocks: u32) {
        let free = shares.free - blocks;
        shares.account(share, cause, free);
    }

    fn give_back(shares: &mut Shares, share: &mut Share, blocks: u32) {
        let free = shares.free + blocks;
        shares.account(share, Cause::Call, free);
    }

    /// Takes blocks, one after the other, as long as it may; how many.
    fn fill(shares: &mut Shares, share: &mut Share, cause: Cause) -> u32 {
        let before = share.held.all;
        while shares.free > 0 && shares.may_take(share, cause, true) {
            take(shares, share, cause, 1);
        }
        share.held.all - before
    }

    fn crowd(shares: &mut Shares, ip: u32, members: u32) -> Vec<Share> {
        (0..members).map(|_| shares.enter(0, address(ip))).collect()
    }

    #[test]
    fn where_there_is_enough_for_all_nobody_is_kept_back() {
        let mut shares = Shares::new(300, 100);
        let mut three = crowd(&mut shares, 1, 3);
        for share in &mut three {
            (0..100).for_each(|_| {
                assert!(shares.may_take(share, Cause::Frame, false));
                take(&mut shares, share, Cause::Frame, 1);
            });
        }
        assert_eq!(shares.free, 0);
    }

    #[test]
    fn one_network_leaves_something_for_others() {
        for cause in [Cause::Frame, Cause::Call] {
            let mut shares = Shares::new(1200, 100);
            let mut hostile = crowd(&mut shares, 1, 100);
            assert_eq!((fill(&mut shares, &mut hostile[0], cause), shares.free), (901, 299));
            // Another connection has an equal part of the network's share, as long as there is an eighth.
            assert_eq!(fill(&mut shares, &mut hostile[1], cause), 600 / 100 + 1);
            for share in &mut hostile {
                fill(&mut shares, share, cause);
            }
            assert_eq!(shares.free, 149);
            // Two others have the rest.
            let mut others = [2, 3].map(|ip| shares.enter(0, address(ip)));
            assert_eq!(fill(&mut shares, &mut others[0], cause), 149);
            give_back(&mut shares, &mut others[0], 20);
            assert_eq!(fill(&mut shares, &mut others[1], cause), 20);
        }
    }

    #[test]
    fn what_calls_have_taken_does_not_keep_acknowledgements_back() {
        let mut shares = Shares::new(1600, 100);
        let mut crowd = crowd(&mut shares, 1, 100);
        for share in &mut crowd {
            fill(&mut shares, share, Cause::Call);
        }
        assert_eq!(shares.free, 199);
        assert!(crowd.iter().all(|share| !shares.may_take(share, Cause::Call, true)));
        assert!(crowd.iter().all(|share| shares.may_take(share, Cause::Frame, true)));
        // Not even one that takes frames as well has what is kept for others.
        for share in &mut crowd {
            fill(&mut shares, share, Cause::Frame);
        }
        assert_eq!(shares.free, 199 - (800 / FOR_FRAMES + 1));
    }

    #[test]
    fn what_frames_have_taken_is_given_back() {
        let mut shares = Shares::new(1600, 100);
        let mut one = shares.enter(0, address(1));
        take(&mut shares, &mut one, Cause::Call, 10);
        take(&mut shares, &mut one, Cause::Frame, 10);
        assert_eq!(one.held, Held { all: 20, by_frames: 10 });
        give_back(&mut shares, &mut one, 15);
        assert_eq!(one.held, Held { all: 5, by_frames: 5 });
        give_back(&mut shares, &mut one, 5);
        assert_eq!((one.held, shares.networks[0].held), (Held::default(), Held::default()));
    }

    #[test]
    fn connection_that_is_not_confirmed_takes_little() {
        let mut shares = Shares::new(200, 100);
        let mut three = crowd(&mut shares, 1, 3);
        take(&mut shares, &mut three[0], Cause::Frame, UNCONFIRMED);
        for cause in [Cause::Frame, Cause::Call] {
            assert!(!shares.may_take(&three[0], cause, false) && shares.may_take(&three[0], cause, true));
            assert!(shares.may_take(&three[1], cause, false));
        }
    }

    #[test]
    fn nothing_is_kept_of_a_network_without_connections() {
        let mut shares = Shares::new(200, 100);
        let [mut one, two] = [0; 2].map(|_| shares.enter(0, address(1)));
        take(&mut shares, &mut one, Cause::Call, 50);
        give_back(&mut shares, &mut one, 50);
        shares.leave(&one);
        assert_eq!(shares.by_address.len(), 1);
        shares.leave(&two);
        assert_eq!((shares.by_address.len(), shares.unused.len(), shares.members), (0, 1, 0));
        let again = shares.enter(0, address(2));
        assert_eq!((again.network, shares.networks.len()), (two.network, 1));
    }
}
