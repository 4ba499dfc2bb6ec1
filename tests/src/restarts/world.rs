//! The hosts, the network between them, and what is checked.

use std::collections::HashMap;
use std::net::SocketAddr;

use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Event, Options, Stack};

use super::choices::Choices;
use super::half::Half;

const SECOND: u64 = 1_000_000_000;
/// The application of the client.
const CLIENT: usize = 0;
/// The peer that it connects to.
const SERVER: usize = 1;
/// A host that takes no part: it sends copies of what it saw.
const STRANGER: usize = 2;
/// Messages that one connection sends at each end.
const SENDS: [u8; 2] = [3, 1];
/// Within these seconds of a network that works, each end knows whether the other has lost the connection.
const NOTICED: u64 = 15;
/// Within these more, a connection that nobody confirmed has ended.
const FORGOTTEN: u64 = 45;
/// How often one datagram arrives before the network works again.
const COPIES: u8 = 2;
/// The latest datagrams, which may arrive next.
const RECENT: usize = 5;

fn address(host: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, host as u8 + 1], 7000))
}

/// What can happen next.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Deliver(usize),
    Send(usize, ConnectionId),
    Time,
    Connect,
    Close(usize, ConnectionId),
    Crash(usize),
    /// A copy of a datagram arrives from another address.
    Copy(usize),
}

struct Host {
    core: SansIo,
    halves: HashMap<ConnectionId, Half>,
}

/// A datagram that was sent.
struct Datagram {
    to: usize,
    from: usize,
    bytes: Vec<u8>,
    arrived: u8,
}

/// Two hosts and the network between them.
pub struct World<'a> {
    stack: &'a Stack,
    hosts: [Host; 2],
    datagrams: Vec<Datagram>,
    now: u64,
    crashes: u8,
    copies: u8,
    numbers: u8,
    seed: u64,
    /// What happened, for a counterexample.
    pub log: Vec<String>,
}

/// The result of a run: what it violated.
pub type Result = std::result::Result<(), String>;

impl<'a> World<'a> {
    /// A server, and a client with one connection.
    pub fn new(stack: &'a Stack, seed: u64, crashes: u8) -> World<'a> {
        let host = |host: u64| Host { core: started(seed * 16 + host, 1), halves: HashMap::new() };
        let mut world = World {
            stack,
            hosts: [host(0), host(1)],
            datagrams: vec![],
            now: 1,
            crashes,
            copies: 1,
            numbers: 0,
            seed: seed * 16 + 2,
            log: vec![],
        };
        world.begin(SERVER);
        world.begin(CLIENT);
        world
    }

    /// Makes choices until the number of steps is reached, and lets everything settle.
    pub fn run(&mut self, choices: &mut Choices, steps: usize) -> Result {
        self.after()?;
        for _ in 0..steps {
            let all = self.choices();
            let choice = all[choices.choose(all.len())];
            self.log.push(format!("{choice:?}"));
            self.take(choice);
            self.after()?;
        }
        self.settle()
    }

    /// The application of a host starts.
    fn begin(&mut self, host: usize) {
        match host {
            SERVER => self.hosts[SERVER].core.serve(self.stack).expect("the stack is served"),
            _ => self.connect(),
        }
    }

    fn connect(&mut self) {
        let id = self.hosts[CLIENT].core.connect(address(SERVER), self.stack).expect("a connection");
        self.add(CLIENT, id);
    }

    fn add(&mut self, host: usize, id: ConnectionId) {
        self.numbers += 1;
        self.hosts[host].halves.insert(id, Half { number: self.numbers, ..Half::default() });
    }

    /// The connections of a host that have not ended, oldest first.
    fn live(&self, host: usize) -> Vec<ConnectionId> {
        let live = self.hosts[host].halves.iter().filter(|(_, half)| !half.ended);
        let mut ids: Vec<(u8, ConnectionId)> = live.map(|(id, half)| (half.number, *id)).collect();
        ids.sort();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    fn choices(&self) -> Vec<Choice> {
        let mut all = vec![Choice::Time];
        let may_arrive = self.datagrams.iter().enumerate().filter(|(_, d)| d.arrived < COPIES).map(|(at, _)| at);
        all.extend(may_arrive.rev().take(RECENT).map(Choice::Deliver));
        for host in [CLIENT, SERVER] {
            for id in self.live(host) {
                let half = &self.hosts[host].halves[&id];
                if half.sent < SENDS[host] && !half.closing && !half.strange {
                    all.push(Choice::Send(host, id));
                }
                if !half.closing {
                    all.push(Choice::Close(host, id));
                }
            }
            if self.crashes > 0 {
                all.push(Choice::Crash(host));
            }
        }
        if self.live(CLIENT).is_empty() {
            all.push(Choice::Connect);
        }
        if self.copies > 0 {
            all.extend((0..self.datagrams.len()).rev().take(2).map(Choice::Copy));
        }
        all
    }

    fn take(&mut self, choice: Choice) {
        match choice {
            Choice::Deliver(at) => self.deliver(at, self.datagrams[at].from),
            Choice::Copy(at) => {
                self.copies -= 1;
                self.deliver(at, STRANGER);
            }
            Choice::Send(host, id) => self.send(host, id),
            Choice::Connect => self.connect(),
            Choice::Close(host, id) => {
                if let Some(half) = self.hosts[host].halves.get_mut(&id) {
                    half.closing = true;
                }
                let _ = self.hosts[host].core.close(id);
            }
            Choice::Crash(host) => {
                self.crashes -= 1;
                self.seed += 1;
                self.hosts[host] = Host { core: started(self.seed, self.now), halves: HashMap::new() };
                self.begin(host);
            }
            Choice::Time => self.advance(u64::MAX),
        }
    }

    /// Moves the time to the next deadline, but not beyond a limit.
    fn advance(&mut self, limit: u64) {
        let next = self.hosts.iter().filter_map(|host| host.core.next_deadline()).min();
        self.now = next.unwrap_or(self.now + SECOND).max(self.now + 1).min(limit);
        self.hosts.iter_mut().for_each(|host| host.core.set_time(self.now));
    }

    fn send(&mut self, host: usize, id: ConnectionId) {
        let Host { core, halves } = &mut self.hosts[host];
        let Some(half) = halves.get_mut(&id) else { return };
        if core.send(id, &[host as u8, half.number, half.sent]).is_ok() {
            half.sent += 1;
        }
    }

    fn deliver(&mut self, at: usize, from: usize) {
        let datagram = &mut self.datagrams[at];
        datagram.arrived += 1;
        let bytes = datagram.bytes.clone();
        self.hosts[datagram.to].core.receive(address(from), &bytes);
    }

    /// Takes the events and the datagrams of both hosts.
    fn after(&mut self) -> Result {
        for host in [CLIENT, SERVER] {
            self.events(host)?;
            for (to, bytes) in self.hosts[host].core.take_datagrams() {
                // What is sent to a stranger is lost.
                if let Some(to) = [CLIENT, SERVER].into_iter().find(|to_| address(*to_) == to) {
                    self.datagrams.push(Datagram { to, from: host, bytes, arrived: 0 });
                }
            }
        }
        Ok(())
    }

    fn events(&mut self, host: usize) -> Result {
        let (mut opened, log) = (vec![], &mut self.log);
        let Host { core, halves } = &mut self.hosts[host];
        while let Some(event) = core.next_event() {
            let (id, what) = match event {
                Event::Arrived { connection, from, .. } => {
                    log.push(format!("  {host}: arrived {connection:?}"));
                    self.numbers += 1;
                    let strange = from != address(1 - host);
                    let half = Half { number: self.numbers, begun_by_peer: true, strange, ..Half::default() };
                    let known = halves.insert(connection, half);
                    (connection, if known.is_some() { "arrived twice" } else { "" })
                }
                Event::Delivered { connection, message, .. } => {
                    let message = message.to_vec();
                    log.push(format!("  {host}: {connection:?} delivered {message:?}"));
                    let half = halves.get_mut(&connection);
                    (connection, half.map_or("a message of no connection", |half| half.receives(host, &message)))
                }
                Event::Closed { connection, reason } => {
                    log.push(format!("  {host}: {connection:?} closed {reason:?}"));
                    let half = halves.get_mut(&connection);
                    let ended = half.map(|half| std::mem::replace(&mut half.ended, true));
                    (connection, if ended == Some(false) { "" } else { "an end that was told before" })
                }
                Event::Opened { connection, .. } => {
                    log.push(format!("  {host}: {connection:?} opened"));
                    opened.push(connection);
                    let half = halves.get_mut(&connection);
                    (connection, half.map_or("an event of no connection", Half::opens))
                }
                Event::Writable { connection } => {
                    let ended = halves.get(&connection).is_none_or(|half| half.ended);
                    (connection, if ended { "an event of no connection" } else { "" })
                }
                Event::Other { .. } | Event::OtherStack(_) | Event::Error { .. } => continue,
            };
            if !what.is_empty() {
                return Err(format!("host {host}, {id:?}: {what}"));
            }
        }
        opened.into_iter().try_for_each(|id| self.check_older(host, id))?;
        self.check_pairs(host)
    }

    /// When a connection that the peer began is opened, those from before the peer's restart have ended.
    fn check_older(&self, host: usize, id: ConnectionId) -> Result {
        let halves = &self.hosts[host].halves;
        let Some(new) = halves.get(&id).filter(|half| half.begun_by_peer && !half.strange) else { return Ok(()) };
        let older = |half: &&Half| half.begun_by_peer && !half.strange && !half.ended && half.number < new.number;
        match halves.values().find(older) {
            Some(older) => Err(format!("host {host}: {id:?} is opened, and connection {} remains", older.number)),
            None => Ok(()),
        }
    }

    /// Two connections of one life of a host do not deliver messages of the same connection.
    fn check_pairs(&self, host: usize) -> Result {
        let mut peers: Vec<u8> =
            self.hosts[host].halves.values().filter(|half| !half.strange).filter_map(|half| half.peer).collect();
        peers.sort_unstable();
        match peers.windows(2).find(|both| both[0] == both[1]) {
            Some(both) => Err(format!("host {host}: two connections deliver messages of connection {}", both[0])),
            None => Ok(()),
        }
    }

    /// The network works: each datagram arrives once, in order, unless it has arrived.
    fn settle(&mut self) -> Result {
        self.log.push("the network works".into());
        self.quiet(NOTICED)?;
        [CLIENT, SERVER].into_iter().try_for_each(|host| self.check_halves(host, |half| half.opened))?;
        self.quiet(FORGOTTEN)?;
        [CLIENT, SERVER].into_iter().try_for_each(|host| self.check_halves(host, |_| true))?;
        self.is_reachable()
    }

    /// The connections that have not ended have another half, which everything has reached that was sent.
    fn check_halves(&self, host: usize, which: impl Fn(&Half) -> bool) -> Result {
        for id in self.live(host) {
            let half = &self.hosts[host].halves[&id];
            // Of a half that has neither sent nor received a message nothing shows the other one.
            if !which(half) || !half.strange && half.sent == 0 && half.peer.is_none() {
                continue;
            }
            let mut others = self.hosts[1 - host].halves.values().filter(|half| !half.ended && !half.strange);
            let other = others.find(|other| other.peer == Some(half.number) || half.peer == Some(other.number));
            let Some(other) = other.filter(|_| !half.strange) else {
                return Err(format!("host {host}: {id:?} remains, and it has no other half"));
            };
            if other.delivered < half.sent {
                let lost = half.sent - other.delivered;
                return Err(format!("host {host}: {lost} messages of {id:?} have not arrived"));
            }
        }
        Ok(())
    }

    /// The client sends another message to the server, on its connection or on a new one.
    fn is_reachable(&mut self) -> Result {
        let open = |world: &World| world.live(CLIENT).into_iter().find(|id| !world.hosts[CLIENT].halves[id].closing);
        if open(self).is_none() {
            // What is still closing is left alone.
            self.hosts[CLIENT].halves.values_mut().for_each(|half| half.ended = true);
            self.connect();
        }
        let Some(id) = open(self) else { return Err("the client has no connection".into()) };
        let (number, before) = (self.hosts[CLIENT].halves[&id].number, self.hosts[CLIENT].halves[&id].sent);
        for _ in 0..40 {
            self.quiet(1)?;
            if self.hosts[CLIENT].halves[&id].sent == before {
                self.send(CLIENT, id);
                self.after()?;
            }
            let mut halves = self.hosts[SERVER].halves.values();
            if halves.any(|half| half.peer == Some(number) && half.delivered == before + 1) {
                return Ok(());
            }
            if self.hosts[CLIENT].halves[&id].ended {
                return Err(format!("the client cannot reach the server: {id:?} ended"));
            }
        }
        Err("the client cannot reach the server: its message does not arrive".into())
    }

    /// Seconds of a network that loses nothing.
    fn quiet(&mut self, seconds: u64) -> Result {
        let until = self.now + seconds * SECOND;
        loop {
            self.after()?;
            match self.datagrams.iter().position(|d| d.arrived == 0) {
                Some(at) => self.deliver(at, self.datagrams[at].from),
                None if self.now >= until => return Ok(()),
                None => {
                    self.datagrams.clear();
                    self.advance(until);
                }
            }
        }
    }
}

fn started(seed: u64, now: u64) -> SansIo {
    let options = Options { seed: Some(seed), connections: 8, pool_blocks: Some(2000), ..Options::default() };
    SansIo::new(options, now)
}
