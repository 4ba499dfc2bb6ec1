//! What a listener has promised, checked from outside.

use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

/// Bytes that came from an address and were sent there.
#[derive(Default)]
struct Account {
    came: usize,
    sent: usize,
    is_proven: bool,
}

/// The connections that peers have begun, and what went where.
#[derive(Default)]
pub struct Book {
    accounts: BTreeMap<SocketAddr, Account>,
    arrived: BTreeMap<ConnectionId, SocketAddr>,
    closed: BTreeSet<ConnectionId>,
}

/// Of IPv6, one /64.
fn network(ip: IpAddr) -> Vec<u8> {
    match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets()[..8].to_vec(),
    }
}

impl Book {
    /// A datagram came.
    pub fn came(&mut self, from: SocketAddr, len: usize) {
        self.accounts.entry(from).or_default().came += len;
    }

    /// A datagram was sent.
    pub fn sent(&mut self, to: SocketAddr, len: usize) {
        self.accounts.entry(to).or_default().sent += len;
    }

    /// A peer has begun a connection.
    pub fn arrived(&mut self, id: ConnectionId, from: SocketAddr) {
        assert!(self.arrived.insert(id, from).is_none(), "{id:?} arrived twice");
    }

    /// A peer has shown that it receives frames.
    pub fn opened(&mut self, id: ConnectionId, peer: SocketAddr) {
        assert_eq!(self.arrived.get(&id), Some(&peer), "a connection that did not arrive");
        self.prove(peer);
    }

    /// A connection has ended.
    pub fn closed(&mut self, id: ConnectionId) {
        assert!(self.arrived.contains_key(&id) && self.closed.insert(id), "{id:?} ended twice, or never began");
    }

    /// Says something of a connection that has not ended.
    pub fn assert_lives(&self, id: ConnectionId) {
        assert!(self.arrived.contains_key(&id) && !self.closed.contains(&id), "{id:?} has ended");
    }

    /// Whether a peer has shown that it receives frames there.
    pub fn is_proven(&self, peer: SocketAddr) -> bool {
        self.accounts.get(&peer).is_some_and(|account| account.is_proven)
    }

    fn prove(&mut self, peer: SocketAddr) {
        self.accounts.entry(peer).or_default().is_proven = true;
    }

    /// The limits of the server hold.
    pub fn check(&mut self, server: &SansIo, options: &Options) {
        let all: BTreeSet<ConnectionId> = server.connections().into_iter().collect();
        assert!(all.len() <= options.connections, "{} connections", all.len());
        let (mut unconfirmed, mut begun) = (BTreeMap::<_, usize>::new(), BTreeMap::<_, usize>::new());
        let open: Vec<_> =
            self.arrived.iter().filter(|(id, _)| !self.closed.contains(id)).map(|(id, a)| (*id, *a)).collect();
        for (id, address) in open {
            assert!(all.contains(&id), "{id:?} is gone and nobody was told");
            *begun.entry(network(address.ip())).or_default() += 1;
            match server.is_confirmed(id) {
                Some(true) => self.prove(address),
                _ => *unconfirmed.entry(network(address.ip())).or_default() += 1,
            }
        }
        assert!(unconfirmed.values().sum::<usize>() <= options.unconfirmed, "{unconfirmed:?}");
        assert!(unconfirmed.values().all(|count| *count <= options.unconfirmed_per_address), "{unconfirmed:?}");
        assert!(begun.values().all(|count| *count <= options.connections_per_address), "{begun:?}");
        for (address, Account { came, sent, .. }) in self.accounts.iter().filter(|(_, account)| !account.is_proven) {
            assert!(*sent <= 3 * came, "{sent} bytes were sent to {address}, from where {came} came");
        }
    }
}
