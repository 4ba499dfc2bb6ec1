//! The message pools of one stack, made as connections come.
//!
//! A pool's blocks are used in turn, so all of them pass through the processor's caches however few connections there
//! are. Therefore the first connection has a small pool to itself and each further pool is larger; the last is shared
//! by all who come after.

use crate::error::Error;
use crate::options::Options;
use crate::pool::Pool;
use crate::shares::{Cause, Share, Shares};
use crate::stack::Stack;
use std::net::IpAddr;

/// Bytes that all pools of a stack take by default, unless one connection alone needs more.
const POOL_BYTES: u64 = 64 << 20;
/// For how many connections that hold all they can each pool has room by default.
const ROOMS: [u64; 5] = [1, 3, 12, 48, 192];

/// A pool, and who holds what of it.
pub(crate) struct Place {
    pool: Pool,
    shares: Shares,
    members: u64,
    room: u64,
}

impl Place {
    /// The pool itself.
    #[inline]
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The same, to run a step with it.
    #[inline]
    pub(crate) fn pool_mut(&mut self) -> &mut Pool {
        &mut self.pool
    }

    /// Notes what a connection has taken of the pool or given back, and why. Said after each of its steps. Only a pool
    /// that has room for everybody can become scarce.
    #[inline]
    pub(crate) fn account(&mut self, share: &mut Share, cause: Cause) {
        if self.room == u64::MAX {
            self.shares.account(share, cause, self.pool.free());
        }
    }

    /// Whether a connection may be given what could take blocks; otherwise others would have less than their share.
    #[inline(always)]
    pub(crate) fn may_take(&self, share: &Share, cause: Cause, is_confirmed: bool) -> bool {
        self.room < u64::MAX || self.shares.may_take(share, cause, is_confirmed)
    }
}

/// The pools, by index.
pub(crate) struct Pools {
    places: Vec<Place>,
    /// Blocks and room of each pool; the last has room for everybody.
    plan: Vec<(u32, u64)>,
}

impl Pools {
    /// None is made before a connection needs it.
    pub(crate) fn new(stack: &Stack, options: &Options) -> Pools {
        let raw = stack.raw();
        let one = u64::from(raw.blocks_for_one);
        let mut plan = match options.pool_blocks {
            Some(blocks) => vec![(blocks, 0)],
            None => by_default(one, u64::from(raw.pool_per_block), options.connections as u64),
        };
        plan.last_mut().expect("there is a pool").1 = u64::MAX;
        Pools { places: Vec::new(), plan }
    }

    /// What the next connection of the stack has of which pool. `ip`: its peer's.
    ///
    /// Errors: `Invalid` if its size does not fit the machine; `Full` if there is no memory for it.
    pub(crate) fn enter(&mut self, stack: &Stack, ip: IpAddr) -> Result<Share, Error> {
        let free = self.places.iter().position(|place| place.members < place.room);
        let index = match free {
            Some(index) => index,
            None => {
                let (blocks, room) = self.plan[self.places.len()];
                let pool = Pool::new(stack, blocks)?;
                let shares = Shares::new(pool.blocks(), stack.raw().blocks_for_one);
                self.places.push(Place { pool, shares, members: 0, room });
                self.places.len() - 1
            }
        };
        self.places[index].members += 1;
        Ok(self.places[index].shares.enter(index, ip))
    }

    /// A connection has ended. Its messages were given back.
    pub(crate) fn leave(&mut self, mut share: Share) {
        let place = &mut self.places[share.place];
        place.account(&mut share, Cause::Call);
        place.members -= 1;
        place.shares.leave(&share);
    }

    /// The pool of a connection, by the index in its share.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> &Place {
        &self.places[index]
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn at_mut(&mut self, index: usize) -> &mut Place {
        &mut self.places[index]
    }
}

fn by_default(one: u64, block_bytes: u64, connections: u64) -> Vec<(u32, u64)> {
    let fit = POOL_BYTES / (one * block_bytes).max(1);
    let mut left = connections.min(ROOMS.iter().sum()).min(fit).max(1);
    let mut plan = Vec::new();
    for room in ROOMS {
        let room = room.min(left);
        if room == 0 {
            break;
        }
        left -= room;
        plan.push((u32::try_from(one * room).unwrap_or(u32::MAX), room));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooms(one: u64, block_bytes: u64, connections: u64) -> Vec<u64> {
        by_default(one, block_bytes, connections).iter().map(|(_, room)| *room).collect()
    }

    #[test]
    fn pools_grow_with_the_connections_up_to_a_bound() {
        assert_eq!(rooms(200, 1500, 1), [1]);
        assert_eq!(rooms(200, 1500, 5), [1, 3, 1]);
        assert_eq!(rooms(100, 1500, 10_000), [1, 3, 12, 48, 192]);
        assert_eq!(rooms(10_000, 1500, 10_000), [1, 3], "64 MiB");
        assert_eq!(rooms(1_000_000, 1500, 10_000), [1], "one connection alone needs more");
        assert_eq!(rooms(0, 1500, 10_000), [1, 3, 12, 48, 192], "a stack that keeps nothing");
    }
}
