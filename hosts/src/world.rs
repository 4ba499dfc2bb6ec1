//! The hosts and the network between them: what can happen next, and doing it.

use std::net::SocketAddr;

use nacre_runtime::wire::{Identification, Preamble, PREAMBLE};
use nacre_runtime::{ConnectionId, Stack};

use crate::bounds::Bounds;
use crate::choice::Choice;
use crate::half::Half;
use crate::host::{address, stranger, Host};
use crate::looked::Looked;
use crate::message::{message, Tag};
use crate::names::{CLIENT, NAMES, SERVER};
use crate::subject::Subject;
use crate::trace::Trace;

/// Nanoseconds in a second.
pub const SECOND: u64 = 1_000_000_000;
/// A datagram lives no longer than this: the router remembers ended connections for 120 s (docs/wire.md).
const LIFETIME: u64 = 100 * SECOND;
/// How many of the latest datagrams a stranger may copy.
const SEEN: usize = 2;
/// The hosts, in the order in which their events and datagrams are taken.
pub const HOSTS: [usize; 2] = [CLIENT, SERVER];

/// A datagram that was sent.
pub struct Datagram {
    pub from: SocketAddr,
    pub to: SocketAddr,
    pub bytes: Vec<u8>,
    pub sent: u64,
    pub arrived: u8,
    /// Its entry of the trace.
    pub entry: Option<usize>,
}

/// What is known of a connection for the whole run, whatever its host forgets.
pub struct Origin {
    /// Its host, and the cookie that it has there.
    pub host: usize,
    pub cookie: Option<u32>,
    /// The connection of the peer whose frame began it.
    pub begun_by: Option<u16>,
    /// Whether its host had the other stack.
    pub has_other: bool,
    /// The connection whose messages it delivers.
    pub peer: Option<u16>,
    /// Messages of it that were delivered somewhere.
    pub delivered: u8,
    /// Its application has closed it.
    pub closed: bool,
}

/// How often something may still happen.
struct Left {
    crashes: u8,
    others: u8,
    moves: u8,
    lags: u8,
    strangers: u8,
}

/// A run: two hosts, and the network between them.
pub struct World<'a> {
    pub subject: &'a Subject,
    pub bounds: &'a Bounds,
    pub hosts: [Host; 2],
    /// Those that may still arrive, oldest first.
    pub datagrams: Vec<Datagram>,
    /// The datagrams that were sent.
    pub sent: u64,
    /// The identity, and the cookie of the sender, in the datagram that arrives.
    pub arriving: (u64, u32),
    pub now: u64,
    /// By the number of the connection, less one.
    pub origins: Vec<Origin>,
    /// How often a host has moved.
    pub moves: u16,
    /// When everybody has heard of everything that lives, in a network that works.
    pub settles_at: Option<u64>,
    left: Left,
    seed: u64,
    pub looked: Looked,
    pub trace: Trace,
}

impl<'a> World<'a> {
    /// A server, and a client with one connection.
    ///
    /// # Errors
    /// Why the stack cannot be served, or the client cannot connect.
    pub fn new(subject: &'a Subject, bounds: &'a Bounds, seed: u64, trace: Trace) -> Result<World<'a>, String> {
        let seed = seed.wrapping_mul(64);
        let host = |host: usize| Host::start(seed + host as u64, 1, address(host, 0), false, bounds.proofs == 1);
        let mut world = World {
            subject,
            bounds,
            hosts: HOSTS.map(host),
            datagrams: vec![],
            sent: 0,
            arriving: (0, 0),
            now: 1,
            origins: vec![],
            moves: 0,
            settles_at: None,
            left: Left {
                crashes: bounds.crashes,
                others: bounds.others,
                moves: bounds.moves,
                lags: bounds.lags,
                strangers: bounds.strangers,
            },
            seed: seed + 2,
            looked: Looked { runs: 1, ..Looked::default() },
            trace,
        };
        world.serve().map_err(|why| format!("a host cannot serve it: {why}"))?;
        world.connect().map_err(|why| format!("a host cannot connect with it: {why}"))?;
        Ok(world)
    }

    /// What a host runs.
    fn stack_of(&self, host: usize) -> &'a Stack {
        if self.hosts[host].has_other {
            &self.subject.other
        } else {
            &self.subject.stack
        }
    }

    fn serve(&mut self) -> Result<(), String> {
        let stack = self.stack_of(SERVER);
        self.hosts[SERVER].core.serve(stack).map_err(|error| error.to_string())
    }

    /// Begins a connection of the client, with the first identity that is free.
    pub fn connect(&mut self) -> Result<(), String> {
        let (stack, to) = (self.stack_of(CLIENT), self.hosts[SERVER].address);
        let is_used = |identity: &u64| self.hosts[CLIENT].live().any(|(_, half)| half.identity == *identity);
        let identity = (0..).find(|identity| !is_used(identity)).unwrap_or_default();
        let given = self.subject.identity().filter(|_| identity != 0);
        let connected = self.hosts[CLIENT].core.connect_with(to, stack, |config| {
            if let Some(name) = given {
                config.set(name, identity);
            }
        });
        let id = connected.map_err(|error| error.to_string())?;
        let number = self.number(CLIENT, id, None);
        self.hosts[CLIENT].halves.insert(id, Half::new(number, identity, to));
        self.trace.note(self.now, CLIENT, || format!("▶ connect (connection {number})"));
        Ok(())
    }

    /// The number of a new connection of a host.
    fn number(&mut self, host: usize, id: ConnectionId, begun_by: Option<u16>) -> u16 {
        self.looked.connections += 1;
        let Host { core, has_other, .. } = &self.hosts[host];
        let (cookie, has_other) = (core.cookie(id), *has_other);
        self.origins.push(Origin { host, cookie, begun_by, has_other, peer: None, delivered: 0, closed: false });
        self.origins.len() as u16
    }

    /// A connection that the peer began, with its first frame.
    pub fn arrival(&mut self, host: usize, id: ConnectionId, from: SocketAddr) -> Half {
        let (identity, cookie) = self.arriving;
        let mut all = self.origins.iter().enumerate().rev();
        let sender = all.find(|(_, origin)| origin.host != host && origin.cookie == Some(cookie));
        let number = self.number(host, id, sender.map(|(at, _)| at as u16 + 1));
        let strange = from == stranger();
        Half { begun_by_peer: true, strange, ..Half::new(number, identity, from) }
    }

    /// The connections of a host that have not ended, oldest first.
    fn ids(&self, host: usize) -> Vec<ConnectionId> {
        self.hosts[host].live().map(|(id, _)| id).collect()
    }

    /// Whether two connections are halves of one, as far as their messages and first frames say.
    pub fn are_halves(&self, one: u16, other: u16) -> bool {
        let of = |number: u16| &self.origins[usize::from(number) - 1];
        let knows = |origin: &Origin, number| origin.peer == Some(number) || origin.begun_by == Some(number);
        knows(of(one), other) || knows(of(other), one)
    }

    /// Everything that may happen next.
    pub fn choices(&self) -> Vec<Choice> {
        let (mut all, left) = (vec![Choice::Time], &self.left);
        all.extend((0..self.arrivals().count().min(self.bounds.recent)).map(Choice::Deliver));
        all.extend((self.arrivals().next().is_some()).then_some(Choice::Lose));
        for host in HOSTS {
            for (nth, (_, half)) in self.hosts[host].live().enumerate() {
                if half.is_open() && half.sent < self.bounds.send[host] {
                    all.push(Choice::Send(host, nth));
                }
                if !half.closing {
                    all.push(Choice::Close(host, nth));
                }
            }
            let mut push = |left: u8, choice| all.extend((left > 0).then_some(choice));
            push(left.crashes, Choice::Crash(host));
            push(left.others, Choice::Other(host));
            push(left.moves, Choice::Move(host));
            push(left.lags, Choice::Lag(host));
        }
        let most = if self.subject.identity().is_some() { self.bounds.connections } else { 1 };
        if self.hosts[CLIENT].live().count() < usize::from(most) {
            all.push(Choice::Connect);
        }
        if left.strangers > 0 {
            let seen = self.datagrams.len().min(SEEN);
            all.extend((0..seen).flat_map(|nth| [Choice::Copy(nth), Choice::Guess(nth)]));
        }
        all
    }

    /// Does what was chosen; false: it is not possible.
    pub fn take(&mut self, choice: Choice) -> bool {
        self.looked.choices += 1;
        let now = self.now;
        match choice {
            Choice::Time => self.advance(u64::MAX),
            Choice::Lag(host) => self.lag(host),
            Choice::Deliver(nth) => {
                let at = self.arrivals().nth(nth);
                at.map(|at| self.deliver(at)).is_some()
            }
            Choice::Lose => {
                let lost = !self.datagrams.is_empty();
                self.datagrams.clear();
                self.trace.note(now, CLIENT, || "all that is on its way is lost".into());
                lost
            }
            Choice::Copy(nth) => self.copy(nth, false),
            Choice::Guess(nth) => self.copy(nth, true),
            Choice::Send(host, nth) => self.ids(host).get(nth).is_some_and(|id| self.send(host, *id)),
            Choice::Close(host, nth) => self.ids(host).get(nth).is_some_and(|id| self.close(host, *id)),
            Choice::Connect => self.connect().is_ok(),
            Choice::Crash(host) => {
                self.left.crashes = self.left.crashes.saturating_sub(1);
                self.restart(host, self.hosts[host].has_other)
            }
            Choice::Other(host) => {
                self.left.others = self.left.others.saturating_sub(1);
                self.restart(host, !self.hosts[host].has_other)
            }
            Choice::Move(host) => {
                self.left.moves = self.left.moves.saturating_sub(1);
                self.looked.moves += 1;
                self.moves += 1;
                self.hosts[host].address = address(host, self.moves);
                let to = self.hosts[host].address;
                self.trace.note(now, host, || format!("moves to {to}"));
                true
            }
        }
    }

    /// A host loses its state, and starts again, perhaps with another stack.
    pub fn restart(&mut self, host: usize, has_other: bool) -> bool {
        self.looked.crashes += 1;
        self.seed += 1;
        let changes = has_other != self.hosts[host].has_other;
        self.trace.note(self.now, host, || {
            let with =
                if !changes { "" } else { [", with its own stack again", ", with another stack"][has_other as usize] };
            format!("✖ crashes, and starts again{with}")
        });
        let (address, asks) = (self.hosts[host].address, self.bounds.proofs == 1);
        self.hosts[host] = Host::start(self.seed, self.now, address, has_other, asks);
        let begun = if host == SERVER { self.serve() } else { self.connect() };
        begun.is_ok()
    }

    /// Moves the time of both hosts to the next deadline, but not beyond a limit.
    pub fn advance(&mut self, limit: u64) -> bool {
        let next = self.hosts.iter().filter_map(|host| host.core.next_deadline()).min();
        self.pass(next, limit);
        self.hosts.iter_mut().for_each(|host| host.set_time(self.now));
        true
    }

    /// Time passes at the other host.
    fn lag(&mut self, late: usize) -> bool {
        self.left.lags = self.left.lags.saturating_sub(1);
        let other = &self.hosts[1 - late];
        self.pass(other.core.next_deadline(), u64::MAX);
        self.hosts[1 - late].set_time(self.now);
        self.trace.note(self.now, late, || "the clock is late".into());
        true
    }

    fn pass(&mut self, next: Option<u64>, limit: u64) {
        self.now = next.unwrap_or(self.now + SECOND).max(self.now + 1).min(limit);
        self.datagrams.retain(|datagram| datagram.sent + LIFETIME > self.now);
    }

    /// The next message of a connection; false: it cannot be sent.
    pub fn send(&mut self, host: usize, id: ConnectionId) -> bool {
        let Host { core, halves, .. } = &mut self.hosts[host];
        let Some(half) = halves.get_mut(&id).filter(|half| half.is_open()) else { return false };
        let tag = Tag { host: host as u8, number: half.number, position: half.sent };
        let sizes = &self.bounds.size;
        let wanted = sizes.get(usize::from(half.sent) % sizes.len().max(1)).copied().unwrap_or(0);
        // A length that the stack never accepts is as good as a shorter one.
        let sent = [wanted, 0].into_iter().map(|length| message(tag, length)).find(|m| core.send(id, m).is_ok());
        let accepted = sent.is_some();
        half.sent += u8::from(accepted);
        self.trace.note(self.now, host, || {
            let refused = if accepted { "" } else { " is refused" };
            let length = sent.map_or(wanted, |message| message.len());
            format!("▶ send message {} ({length} bytes) on connection {}{refused}", tag.position, tag.number)
        });
        true
    }

    fn close(&mut self, host: usize, id: ConnectionId) -> bool {
        let Host { core, halves, .. } = &mut self.hosts[host];
        let Some(half) = halves.get_mut(&id) else { return false };
        half.closing = true;
        let number = half.number;
        self.origins[usize::from(number) - 1].closed = true;
        self.trace.note(self.now, host, || format!("▶ close connection {number}"));
        // What is refused now is done as soon as the stack accepts it; a connection that has ended has told so.
        let _ = core.close(id);
        true
    }

    /// The datagrams that may arrive, latest first.
    fn arrivals(&self) -> impl Iterator<Item = usize> + '_ {
        let all = self.datagrams.iter().enumerate().rev();
        all.filter(|(_, datagram)| datagram.arrived < self.bounds.copies && self.at(datagram.to).is_some())
            .map(|(at, _)| at)
    }

    /// The host at an address.
    pub fn at(&self, address: SocketAddr) -> Option<usize> {
        HOSTS.into_iter().find(|host| self.hosts[*host].address == address)
    }

    /// A datagram arrives, if somebody is at its address.
    pub fn deliver(&mut self, at: usize) {
        let Some(host) = self.at(self.datagrams[at].to) else { return };
        let datagram = &mut self.datagrams[at];
        datagram.arrived = datagram.arrived.saturating_add(1);
        self.trace.arrived(self.now, host, datagram.entry);
        let (from, bytes) = (datagram.from, datagram.bytes.clone());
        self.receive(host, from, &bytes);
    }

    /// A copy of a datagram arrives from an address of neither host, perhaps with the cookie of the newest connection.
    fn copy(&mut self, nth: usize, with_cookie: bool) -> bool {
        let Some(datagram) = self.datagrams.iter().rev().nth(nth) else { return false };
        let (mut bytes, to) = (datagram.bytes.clone(), datagram.to);
        let Some(host) = self.at(to) else { return false };
        self.left.strangers = self.left.strangers.saturating_sub(1);
        let newest = self.hosts[host].live().last().map(|(id, _)| id);
        let cookie = newest.and_then(|id| self.hosts[host].core.cookie(id));
        if let (true, Some(cookie), Some(preamble)) = (with_cookie, cookie, bytes.first_chunk_mut::<PREAMBLE>()) {
            preamble[1..].copy_from_slice(&cookie.to_le_bytes()[..3]);
        }
        self.trace.note(self.now, host, || {
            let cookie = Preamble::read(&bytes).map_or(0, |preamble| preamble.cookie);
            let guessed = if with_cookie { format!(", with the cookie {cookie}") } else { String::new() };
            format!("a stranger sends a copy of {} bytes to {}{guessed}", bytes.len(), NAMES[host])
        });
        self.receive(host, stranger(), &bytes);
        true
    }

    fn receive(&mut self, host: usize, from: SocketAddr, bytes: &[u8]) {
        self.looked.datagrams += 1;
        let identified = Preamble::read(bytes).is_some_and(|preamble| preamble.identified);
        let who = Identification::read(bytes).filter(|_| identified);
        self.arriving = who.map_or((0, 0), |who| (who.sender, who.cookie));
        self.hosts[host].core.receive(from, bytes);
    }
}
