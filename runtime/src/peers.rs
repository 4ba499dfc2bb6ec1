//! Finds the indices of connections by their peer: for first frames, for `unknown`, and for errors of the network.

use crate::wire::Label;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::SocketAddr;

/// The other end of a connection. Two connections of one listener to the same peer differ in one of these, or one is
/// about to replace the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Peer {
    pub address: SocketAddr,
    /// 0: the address.
    pub identity: u64,
    pub fingerprint: u64,
}

/// Indices of connections by peer, by address, and by the label that frames to the peer carry.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    by_peer: HashMap<Peer, Vec<u32>>,
    by_address: HashMap<SocketAddr, Vec<u32>>,
    by_label: HashMap<(SocketAddr, Label), u32>,
}

impl Peers {
    pub(crate) fn insert(&mut self, peer: Peer, index: u32) {
        self.by_peer.entry(peer).or_default().push(index);
        self.by_address.entry(peer.address).or_default().push(index);
    }

    pub(crate) fn remove(&mut self, peer: Peer, index: u32, label: Label) {
        take(&mut self.by_peer, &peer, index);
        take(&mut self.by_address, &peer.address, index);
        if self.by_label.get(&(peer.address, label)) == Some(&index) {
            self.by_label.remove(&(peer.address, label));
        }
    }

    /// Frames to the peer now carry `label`; before it was `old`. What names no cookie finds no connection.
    pub(crate) fn label(&mut self, address: SocketAddr, old: Label, label: Label, index: u32) {
        if self.by_label.get(&(address, old)) == Some(&index) {
            self.by_label.remove(&(address, old));
        }
        if label.cookie != 0 {
            self.by_label.insert((address, label), index);
        }
    }

    pub(crate) fn of_peer(&self, peer: &Peer) -> &[u32] {
        self.by_peer.get(peer).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn at(&self, address: SocketAddr) -> &[u32] {
        self.by_address.get(&address).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn labelled(&self, address: SocketAddr, label: Label) -> Option<u32> {
        self.by_label.get(&(address, label)).copied()
    }
}

fn take<K: Hash + Eq>(map: &mut HashMap<K, Vec<u32>>, key: &K, index: u32) {
    let Some(indices) = map.get_mut(key) else {
        return;
    };
    if let Some(at) = indices.iter().position(|one| *one == index) {
        indices.swap_remove(at);
    }
    if indices.is_empty() {
        map.remove(key);
    }
}
