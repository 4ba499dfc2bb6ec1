//! The connections of a listener, found by cookie, by peer, and by the peer's cookie.

use crate::connection::Connection;
use crate::departed::Departed;
use crate::error::NoConnection;
use crate::event::ConnectionId;
use crate::peers::{Peer, Peers};
use crate::random::Random;
use crate::shard::Shard;
use crate::table::{Place, Table};
use crate::wire::Label;
use std::net::SocketAddr;

/// What a connection that is being opened will be known by: to this endpoint, and to the peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proposed {
    pub id: ConnectionId,
    pub cookie: u32,
}

impl Proposed {
    fn place(self) -> Place {
        Place { index: self.id.index(), cookie: self.cookie }
    }
}

/// All connections, and a memory of those that have ended.
pub(crate) struct Connections {
    table: Table<Connection>,
    peers: Peers,
    departed: Departed,
    serial: u64,
}

impl Connections {
    /// An empty table for at most `limit` connections of a shard.
    pub(crate) fn new(limit: usize, shard: Shard) -> Connections {
        Connections {
            table: Table::new(limit, shard),
            peers: Peers::default(),
            departed: Departed::default(),
            serial: 1,
        }
    }

    /// The connection with this id.
    #[inline]
    pub(crate) fn get(&self, id: ConnectionId) -> Result<&Connection, NoConnection> {
        self.table.get(id.index()).filter(|connection| connection.id == id).ok_or(NoConnection)
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Result<&mut Connection, NoConnection> {
        self.table.get_mut(id.index()).filter(|connection| connection.id == id).ok_or(NoConnection)
    }

    /// All connections, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Connection> {
        self.table.iter()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether one must end before another can begin.
    pub(crate) fn is_full(&self) -> bool {
        self.table.is_full()
    }

    /// An id and a cookie for the next connection; None if the table is full. They are free until `insert`.
    pub(crate) fn propose(&self, random: &mut Random) -> Option<Proposed> {
        let Place { index, cookie } = self.table.propose(random)?;
        Some(Proposed { id: ConnectionId::new(self.serial, index), cookie })
    }

    /// The same with a given cookie; None, too, if another connection has it.
    pub(crate) fn propose_with(&self, cookie: u32) -> Option<Proposed> {
        let Place { index, cookie } = self.table.propose_with(cookie)?;
        Some(Proposed { id: ConnectionId::new(self.serial, index), cookie })
    }

    /// Enters a connection at the id that was proposed last. It is found by its cookie, and by its peer after
    /// `publish`.
    pub(crate) fn insert(&mut self, cookie: u32, connection: Connection) {
        self.serial += 1;
        self.table.insert(Place { index: connection.id.index(), cookie }, connection);
    }

    /// Takes the place of the id that was proposed last, for a connection that is inserted later.
    pub(crate) fn reserve(&mut self, proposed: Proposed) {
        self.serial += 1;
        self.table.reserve(proposed.place());
    }

    /// Gives back a place that was reserved.
    pub(crate) fn release(&mut self, reserved: Proposed) {
        self.table.release(reserved.place());
    }

    /// The index of the place that was reserved with this cookie.
    pub(crate) fn reserved(&self, cookie: u32) -> Option<u32> {
        self.table.reserved(cookie)
    }

    /// Gives each of two reserved places the other's cookie.
    pub(crate) fn exchange(&mut self, one: Proposed, other: Proposed) {
        self.table.exchange(one.place(), other.place());
    }

    /// The cookie that the frames to a connection carry.
    pub(crate) fn cookie(&self, id: ConnectionId) -> Result<u32, NoConnection> {
        self.get(id)?;
        self.table.cookie(id.index()).ok_or(NoConnection)
    }

    /// Lets a connection be found by its peer.
    pub(crate) fn publish(&mut self, id: ConnectionId, peer: Peer) {
        self.peers.insert(peer, id.index());
    }

    /// Takes a connection that was not published.
    pub(crate) fn withdraw(&mut self, id: ConnectionId) -> Option<Box<Connection>> {
        self.table.remove(id.index())
    }

    /// Removes a connection.
    pub(crate) fn remove(&mut self, id: ConnectionId) -> Option<Box<Connection>> {
        self.get(id).ok()?;
        let connection = self.table.remove(id.index())?;
        self.peers.remove(connection.peer, id.index(), connection.label);
        Some(connection)
    }

    /// Remembers a connection that ends, for a while.
    pub(crate) fn remember(&mut self, peer: Peer, incarnation: u64, now: u64) {
        self.departed.remember(peer, incarnation, now);
    }

    /// Whether such a connection has ended a short while ago.
    pub(crate) fn has_departed(&self, peer: Peer, incarnation: u64, now: u64) -> bool {
        self.departed.contains(peer, incarnation, now)
    }

    /// The connection with this cookie and this address.
    #[inline]
    pub(crate) fn with(&self, from: SocketAddr, cookie: u32) -> Option<&Connection> {
        self.table.with(cookie).filter(|connection| connection.peer.address == from)
    }

    /// The same in constant time without a look-up by hash, if the last frame was for that connection, too.
    #[inline(always)]
    pub(crate) fn find(&mut self, from: SocketAddr, cookie: u32) -> Option<&mut Connection> {
        self.table.find(cookie).filter(|connection| connection.peer.address == from)
    }

    /// The same as of `with`, if the key is its, too: who has not seen a frame of this end does not know both.
    pub(crate) fn meant(&self, from: SocketAddr, label: Label) -> Option<&Connection> {
        self.with(from, label.cookie).filter(|connection| connection.key == label.key)
    }

    /// The connection with this cookie, wherever its peer is.
    pub(crate) fn anywhere(&mut self, cookie: u32) -> Option<&mut Connection> {
        let id = self.table.with(cookie)?.id;
        self.table.get_mut(id.index())
    }

    /// The peer of a connection has this address from now on.
    pub(crate) fn move_to(&mut self, id: ConnectionId, address: SocketAddr) {
        let Some(connection) = self.table.get_mut(id.index()).filter(|connection| connection.id == id) else {
            return;
        };
        self.peers.remove(connection.peer, id.index(), connection.label);
        connection.peer.address = address;
        self.peers.insert(connection.peer, id.index());
        self.peers.label(address, Label::default(), connection.label, id.index());
    }

    /// The first connection with this address.
    pub(crate) fn at(&mut self, address: SocketAddr) -> Option<&mut Connection> {
        let index = *self.peers.at(address).first()?;
        self.table.get_mut(index)
    }

    /// All connections with this address.
    pub(crate) fn all_at(&self, address: SocketAddr) -> impl Iterator<Item = &Connection> {
        self.peers.at(address).iter().filter_map(|index| self.table.get(*index))
    }

    /// The connections with this peer.
    pub(crate) fn of_peer(&self, peer: &Peer) -> Vec<ConnectionId> {
        self.each_of_peer(peer).map(|connection| connection.id).collect()
    }

    fn each_of_peer<'a>(&'a self, peer: &Peer) -> impl Iterator<Item = &'a Connection> + 'a {
        self.peers.of_peer(peer).iter().filter_map(|index| self.table.get(*index))
    }

    /// The connection whose peer stated this incarnation; None: the one with this peer that has not heard any, which
    /// this end began. Of several, the oldest.
    pub(crate) fn of_incarnation(&self, peer: &Peer, incarnation: Option<u64>) -> Option<ConnectionId> {
        let same = self.each_of_peer(peer).filter(|connection| connection.peer_incarnation == incarnation);
        same.map(|connection| connection.id).min()
    }

    /// The connection whose frames to the peer at this address carry this.
    pub(crate) fn labelled(&mut self, from: SocketAddr, label: Label) -> Option<&mut Connection> {
        self.table.get_mut(self.peers.labelled(from, label)?)
    }

    /// Frames to the peer carry this from now on; nothing: it is not known.
    pub(crate) fn set_label(&mut self, id: ConnectionId, label: Label) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        let (old, address) = (std::mem::replace(&mut connection.label, label), connection.peer.address);
        if old != label {
            self.peers.label(address, old, label, id.index());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::{Config, Instance};
    use crate::output::Out;
    use crate::pool::Pool;
    use crate::shares::Share;
    use crate::support::window;

    fn peer(port: u16) -> Peer {
        Peer { address: ([10, 0, 0, 1], port).into(), identity: 0, fingerprint: 1 }
    }

    fn add(connections: &mut Connections, random: &mut Random, peer: Peer) -> ConnectionId {
        let stack = window();
        let mut pool = Pool::new(&stack, 1).unwrap();
        let Proposed { id, cookie } = connections.propose(random).unwrap();
        let config = Config::filled(&stack, peer.address.into(), cookie);
        let (instance, _) = Instance::open(&stack, &mut pool, &config, 1, 1, &mut Out::new()).unwrap();
        connections.insert(cookie, Connection::new(id, (0, Share::default()), instance, peer, 1));
        connections.publish(id, peer);
        id
    }

    #[test]
    fn connection_is_found_by_cookie_only_from_its_address() {
        let (mut all, mut random) = (Connections::new(10, Shard::ALONE), Random::new(1));
        let id = add(&mut all, &mut random, peer(1));
        let cookie = all.cookie(id).unwrap();
        assert_eq!(all.with(peer(1).address, cookie).map(|found| found.id), Some(id));
        assert!(all.with(peer(2).address, cookie).is_none());
        let other = ConnectionId::new(99, id.index());
        assert!(all.get(other).is_err(), "an id of another time");
    }

    #[test]
    fn incarnation_finds_its_own_connection() {
        let (mut all, mut random) = (Connections::new(10, Shard::ALONE), Random::new(1));
        let open = add(&mut all, &mut random, peer(1));
        let heard = add(&mut all, &mut random, peer(1));
        all.get_mut(heard).unwrap().peer_incarnation = Some(5);
        assert_eq!(all.of_incarnation(&peer(1), Some(5)), Some(heard));
        assert_eq!(all.of_incarnation(&peer(1), Some(6)), None);
        assert_eq!(all.of_incarnation(&peer(1), None), Some(open));
        all.get_mut(open).unwrap().peer_incarnation = Some(7);
        assert_eq!(all.of_incarnation(&peer(1), None), None);
    }

    #[test]
    fn label_follows_the_state_of_the_peer() {
        let (mut all, mut random) = (Connections::new(10, Shard::ALONE), Random::new(1));
        let id = add(&mut all, &mut random, peer(1));
        let labelled = |all: &mut Connections, cookie: u32| {
            let label = Label { cookie, key: 9 };
            all.labelled(peer(1).address, label).map(|found| found.id)
        };
        all.set_label(id, Label { cookie: 4, key: 9 });
        assert_eq!(labelled(&mut all, 4), Some(id));
        all.set_label(id, Label { cookie: 5, key: 9 });
        assert_eq!((labelled(&mut all, 4), labelled(&mut all, 5)), (None, Some(id)));
        assert!(all.labelled(peer(1).address, Label { cookie: 5, key: 8 }).is_none(), "another key");
        // What is forgotten is not found by the label of nobody.
        all.set_label(id, Label::default());
        assert_eq!(labelled(&mut all, 5), None);
        assert!(all.labelled(peer(1).address, Label::default()).is_none());
        all.set_label(id, Label { cookie: 5, key: 9 });
        all.remove(id);
        assert_eq!(labelled(&mut all, 5), None);
    }

    #[test]
    fn connection_that_ended_is_remembered_and_its_peer_forgotten() {
        let (mut all, mut random) = (Connections::new(1, Shard::ALONE), Random::new(1));
        let id = add(&mut all, &mut random, peer(1));
        assert!(all.is_full() && all.propose(&mut random).is_none());
        all.remember(peer(1), 5, 1);
        assert!(all.remove(id).is_some() && all.remove(id).is_none());
        assert!(all.has_departed(peer(1), 5, 2) && !all.has_departed(peer(1), 6, 2));
        assert!(all.at(peer(1).address).is_none() && all.of_peer(&peer(1)).is_empty());
    }
}
