//! A host: the router core, the connections of its application, its address and its clock.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Options};

use crate::half::Half;

/// One of the two hosts.
pub struct Host {
    /// What it runs.
    pub core: SansIo,
    /// Its connections, oldest first.
    pub halves: BTreeMap<ConnectionId, Half>,
    /// Where it is.
    pub address: SocketAddr,
    /// Its clock. That of a host that is late stands still for a while.
    pub now: u64,
    /// Whether it has the other stack.
    pub has_other: bool,
}

impl Host {
    /// A host without connections. `asks`: all peers for a proof of their address.
    pub fn start(seed: u64, now: u64, address: SocketAddr, has_other: bool, asks: bool) -> Host {
        // A pool has room for what one connection can hold, which is more than all send here. Of a table this small, a
        // quarter is soon taken: then peers are asked to prove their addresses.
        let usual = Options { seed: Some(seed), connections: 12, pool_blocks: Some(0), ..Options::default() };
        let options = if asks { Options { retry_above: 0, ..usual } } else { usual };
        Host { core: SansIo::new(options, now), halves: BTreeMap::new(), address, now, has_other }
    }

    /// The connections that have not ended, oldest first.
    pub fn live(&self) -> impl Iterator<Item = (ConnectionId, &Half)> {
        self.halves.iter().filter(|(_, half)| !half.ended).map(|(id, half)| (*id, half))
    }

    /// Sets the clock.
    pub fn set_time(&mut self, now: u64) {
        self.now = now;
        self.core.set_time(now);
    }
}

/// The address of a host after a number of moves; 0: before the first.
pub fn address(host: usize, moved: u16) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, host as u8 + 1], 7000 + moved))
}

/// The address of a host that takes no part: it sends copies of what it saw.
pub fn stranger() -> SocketAddr {
    address(2, 0)
}
