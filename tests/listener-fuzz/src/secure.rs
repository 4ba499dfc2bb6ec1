//! A server with a secure stack, its clients, and somebody on the way who reads, changes, repeats and adds frames.
//!
//! Whatever it does: messages are those that the peer has sent, each once and in order; a connection that was open
//! ends only for a reason that an end has given; the limits hold, and nothing is left at the end.

use crate::input::Input;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Event, Expect, Keys, Options, Psk, Reason, Secret, Stack};
use std::collections::BTreeMap;
use std::net::SocketAddr;

const STEPS: usize = 60;
const KEPT: usize = 30;
const CLIENTS: usize = 2;
const SERVER: usize = CLIENTS;
const CONTROL: u8 = 0xfe;

/// From, to, and what.
type Flying = Vec<(SocketAddr, SocketAddr, Vec<u8>)>;

/// One end.
struct End {
    core: SansIo,
    /// Its connections that are open, and how many messages each was given.
    open: BTreeMap<ConnectionId, u32>,
    connecting: Option<ConnectionId>,
}

/// Everything of one program.
pub struct SecureWorld {
    stack: Stack,
    ends: Vec<End>,
    flying: Flying,
    labels: Vec<[u8; 7]>,
    /// Bytes that came to the server from an address, and were sent there before it was proven.
    accounts: BTreeMap<SocketAddr, (usize, usize, bool)>,
    /// An end has closed, refused, forgotten or begun again: connections may end.
    may_end: bool,
    /// Where the clients and the server are.
    places: Vec<SocketAddr>,
    /// The last message that an end has heard of a connection of another.
    heard: BTreeMap<(usize, u64), u32>,
    now: u64,
    seed: u64,
    steps: usize,
    /// What was reached.
    pub reached: BTreeMap<&'static str, u64>,
}

fn address(n: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, (n % 6) as u8 + 1], 7000))
}

impl SecureWorld {
    /// A server with small tables, as two bytes say.
    pub fn new(stack: &Stack, input: &mut Input) -> SecureWorld {
        let retry_above = [100, 2, 0][input.below(3)];
        let moves = input.below(4) != 0;
        let mut world = SecureWorld {
            stack: stack.clone(),
            ends: Vec::new(),
            flying: Vec::new(),
            labels: vec![[0; 7]],
            accounts: BTreeMap::new(),
            may_end: false,
            places: (0..=CLIENTS).map(address).collect(),
            heard: BTreeMap::new(),
            now: 1_000_000_000,
            seed: 10,
            steps: 0,
            reached: BTreeMap::new(),
        };
        for n in 0..=CLIENTS {
            let end = world.fresh(n, retry_above, moves);
            world.ends.push(end);
        }
        world
    }

    fn fresh(&mut self, n: usize, retry_above: usize, secure_moves: bool) -> End {
        self.seed += 1;
        let keys = Some(Keys::from_bytes(&[n as u8 + 1; 32]));
        let psk = Some(Psk::from_bytes(&[9; 32]));
        let secret = Some(Secret([n as u8; 16]));
        let limits = Options { connections: 8, connections_per_address: 6, unconfirmed: 6, ..Options::default() };
        let options = Options {
            unconfirmed_per_address: 4,
            retry_above,
            secure_moves,
            keys,
            psk,
            secret,
            hybrid: false,
            seed: Some(self.seed),
            ..limits
        };
        let mut core = SansIo::new(options, self.now);
        if n == SERVER {
            core.serve(&self.stack).expect("it serves");
        }
        End { core, open: BTreeMap::new(), connecting: None }
    }

    fn count(&mut self, what: &'static str) {
        *self.reached.entry(what).or_default() += 1;
    }

    /// Whether the program may do more.
    pub fn may_go_on(&self) -> bool {
        self.steps < STEPS
    }

    /// Does the next operation of the program.
    pub fn step(&mut self, input: &mut Input) {
        self.steps += 1;
        let byte = input.byte();
        let n = usize::from(byte >> 4);
        match byte & 15 {
            0 | 1 => self.connect(n, input),
            2 => self.send(n % 3, n),
            3 | 4 => self.deliver(n, |_| {}),
            5 => self.again(n),
            6 => self.damaged(n, input),
            7 => self.copied_elsewhere(n, input),
            8 => self.reflected(n),
            9 => self.control(n, input),
            10 => self.pass(1 << input.below(36)),
            11 => self.until_due(n % 3),
            12 => self.end_one(n, input),
            13 => self.exchange(n),
            14 => self.sealed_or_short(n, input),
            _ => {
                let len = input.below(80);
                let frame = input.bytes(len);
                self.receive(n % 3, address(n), &frame);
            }
        }
        self.settle();
    }

    /// Nobody says anything any more: all connections end, and nothing is left of them.
    pub fn end(&mut self) {
        self.settle();
        self.may_end = true;
        for _ in 0..100 {
            self.flying.clear();
            self.pass(1_000_000_000);
            self.settle();
        }
        for end in &self.ends {
            assert!(end.core.statistics().connections == 0 && end.open.is_empty(), "something is left");
        }
        for (what, count) in [
            ("forged", self.ends[SERVER].core.statistics().forged),
            ("retried", self.ends[SERVER].core.statistics().retried),
            ("agreements", self.ends[SERVER].core.statistics().agreements),
            ("evicted", self.ends[SERVER].core.statistics().evicted),
            ("moved", self.ends[SERVER].core.statistics().moved),
            ("forged.client", self.ends[0].core.statistics().forged),
        ] {
            *self.reached.entry(what).or_default() += count;
        }
    }

    // ---- operations

    fn connect(&mut self, n: usize, input: &mut Input) {
        let expect = match input.below(3) {
            0 => Expect::Any,
            1 => Expect::Key(Keys::from_bytes(&[SERVER as u8 + 1; 32]).public()),
            _ => Expect::Psk,
        };
        let client = n % CLIENTS;
        if input.below(4) == 3 {
            // It has begun again: the connection that it had is replaced.
            self.may_end = true;
            self.ends[client] = self.fresh(client, 1_000, true);
        }
        let stack = self.stack.clone();
        let end = &mut self.ends[client];
        if let Ok(id) = end.core.connect_secure(address(SERVER), &stack, expect) {
            end.connecting = Some(id);
            // It replaces one that has the same key, and that lingers.
            self.may_end |= !end.open.is_empty();
        }
    }

    fn send(&mut self, n: usize, which: usize) {
        let end = &mut self.ends[n];
        let all: Vec<ConnectionId> = end.open.keys().copied().collect();
        let Some(id) = all.get(which % all.len().max(1)).copied() else { return };
        if end.core.send(id, &message(n, id, end.open[&id])).is_ok() {
            *end.open.get_mut(&id).expect("it is open") += 1;
        }
    }

    fn deliver(&mut self, n: usize, then: impl FnOnce(&mut Vec<u8>)) {
        if self.flying.is_empty() {
            return;
        }
        let (from, to, mut frame) = self.flying.remove(n % self.flying.len());
        then(&mut frame);
        self.arrive(from, to, &frame);
    }

    fn kept(&self, n: usize) -> Option<(SocketAddr, SocketAddr, Vec<u8>)> {
        (!self.flying.is_empty()).then(|| self.flying[n % self.flying.len()].clone())
    }

    fn again(&mut self, n: usize) {
        if let Some((from, to, frame)) = self.kept(n) {
            self.arrive(from, to, &frame);
        }
    }

    fn damaged(&mut self, n: usize, input: &mut Input) {
        let Some((from, to, mut frame)) = self.kept(n) else { return };
        let len = usize::from(input.byte());
        if len > 100 {
            frame.resize(2 * (len - 100), 0x5a);
        }
        for _ in 0..=input.below(3) {
            let (at, by) = (usize::from(input.byte()) * 7 / 4, input.byte());
            if let Some(byte) = frame.get_mut(at) {
                *byte ^= by;
            }
        }
        self.arrive(from, to, &frame);
    }

    fn copied_elsewhere(&mut self, n: usize, input: &mut Input) {
        if let Some((_, to, frame)) = self.kept(n) {
            self.arrive(address(input.below(6)), to, &frame);
        }
    }

    fn reflected(&mut self, n: usize) {
        if let Some((from, to, frame)) = self.kept(n) {
            self.arrive(to, from, &frame);
        }
    }

    /// A control frame of any kind that can be made without keys.
    fn control(&mut self, n: usize, input: &mut Input) {
        let (kind, label) = (input.below(12) as u8, self.labels[input.below(self.labels.len())]);
        let mut frame = [&[CONTROL][..], &label[..3], &[1, kind, 0, 0]].concat();
        match kind {
            0 | 6 => frame.extend(self.stack.fingerprint().to_le_bytes()),
            2 | 3 => frame.extend([9; 8]),
            _ => {}
        }
        let other = self.labels[input.below(self.labels.len())];
        match kind {
            3 => {}
            6 => {
                frame.extend(&other[..3]);
                frame.push(0);
                frame.extend(&other[3..]);
                frame.extend(&label[3..]);
                frame.extend([input.below(4) as u8, input.below(3) as u8, 32, 0]);
            }
            4 | 7 => {
                frame.extend(&label[3..]);
                frame.extend(&other[..3]);
                frame.push(0);
                frame.extend(&other[3..]);
            }
            5 => {
                frame.extend(&label[3..]);
                frame.extend([5, 0, 0, 0, input.below(5) as u8, input.below(4) as u8]);
            }
            _ => frame.extend(&label[3..]),
        }
        let extra = input.below(20);
        frame.extend(input.bytes(extra));
        frame.resize(frame.len().max(input.below(200)), 0);
        self.receive(n % 3, address(input.below(6)), &frame);
    }

    /// A frame of an open connection, with a number and contents of somebody who has no keys.
    fn sealed_or_short(&mut self, n: usize, input: &mut Input) {
        let label = self.labels[input.below(self.labels.len())];
        let mut frame = match input.below(2) {
            0 => [&[input.below(4) as u8 * 2], &label[..3], &label[3..]].concat(),
            _ => [&[CONTROL][..], &label[..3], &[1, 9, 0, 0], &label[3..]].concat(),
        };
        frame.extend([input.byte(), 0, 0, 0, 0, 0, 0, 0]);
        let len = 16 + input.below(40);
        frame.extend(input.bytes(len));
        frame.resize(frame.len().max(44), 0);
        self.receive(n % 3, address(input.below(6)), &frame);
    }

    fn pass(&mut self, time: u64) {
        self.now += time;
        self.ends.iter_mut().for_each(|end| end.core.set_time(self.now));
    }

    fn until_due(&mut self, n: usize) {
        let at = self.ends[n].core.next_deadline();
        self.pass(at.map_or(0, |at| at.saturating_sub(self.now)).min(60_000_000_000));
    }

    fn end_one(&mut self, n: usize, input: &mut Input) {
        let how = input.below(6);
        if how == 5 {
            // A translator on the way has forgotten a client, which gets another port.
            let port = 7_000 + input.below(3) as u16;
            self.places[n % CLIENTS].set_port(port);
            return;
        }
        if how == 4 {
            // The server starts again, with its secret.
            (self.may_end, self.ends[SERVER]) = (true, self.fresh(SERVER, 100, true));
            return;
        }
        let end = &mut self.ends[n % 3];
        let Some(id) = end.open.keys().next().copied() else { return };
        self.may_end = true;
        match how {
            0 => drop(end.core.close(id)),
            1 => drop(end.core.close_with(id, 7, "enough")),
            _ => {
                let _ = end.core.refuse(id, 8, "no");
                end.open.remove(&id);
            }
        }
    }

    /// The network works for a while.
    fn exchange(&mut self, rounds: usize) {
        for _ in 0..=rounds {
            self.settle();
            self.deliver(0, |_| {});
        }
    }

    // ---- the ends

    fn arrive(&mut self, from: SocketAddr, to: SocketAddr, frame: &[u8]) {
        if let Some(end) = (0..=CLIENTS).find(|n| self.places[*n] == to) {
            self.receive(end, from, frame);
        }
    }

    fn receive(&mut self, end: usize, from: SocketAddr, frame: &[u8]) {
        self.settle();
        if end == SERVER {
            self.accounts.entry(from).or_default().0 += frame.len();
        }
        self.ends[end].core.receive(from, frame);
        self.settle();
    }

    /// Everybody does what is due.
    fn settle(&mut self) {
        for n in 0..=CLIENTS {
            self.take_events(n);
            for (to, frame) in self.ends[n].core.take_datagrams() {
                if n == SERVER {
                    self.account(to, frame.len());
                }
                self.note_labels(&frame);
                self.flying.push((self.places[n], to, frame));
            }
        }
        let lost = self.flying.len().saturating_sub(KEPT);
        self.flying.drain(..lost);
        let server = &self.ends[SERVER].core;
        assert!(server.statistics().connections <= 8);
    }

    /// At most three times what came from an address is sent there before it has answered.
    fn account(&mut self, to: SocketAddr, len: usize) {
        let (came, sent, is_proven) = self.accounts.entry(to).or_default();
        *sent += len;
        assert!(*is_proven || *sent <= 3 * *came, "{sent} bytes were sent to {to}, from where {came} came");
    }

    fn take_events(&mut self, n: usize) {
        let mut told = Vec::new();
        let end = &mut self.ends[n];
        let mut delivered = Vec::new();
        while let Some(event) = end.core.next_event() {
            match event {
                Event::Opened { connection, peer, .. } => {
                    told.push("opened");
                    end.open.insert(connection, 0);
                    if n == SERVER {
                        self.accounts.entry(peer).or_default().2 = true;
                    }
                }
                Event::Moved { to, .. } if n == SERVER => self.accounts.entry(to).or_default().2 = true,
                Event::Delivered { message, .. } => delivered.push(message.to_vec()),
                Event::Closed { connection, reason, .. } => {
                    let was_open = end.open.remove(&connection).is_some();
                    assert!(
                        !was_open || self.may_end || reason == Reason::Timeout,
                        "{reason:?}, and no end has given a reason"
                    );
                    let is_possible = !matches!(reason, Reason::OtherStack | Reason::Busy | Reason::Unreachable);
                    assert!(!was_open || is_possible, "{reason:?}");
                    told.push(if was_open { "closed" } else { "not opened" });
                }
                _ => {}
            }
        }
        for message in delivered {
            let (sender, id, count) = read_message(&message);
            assert_ne!(sender == SERVER, n == SERVER, "{message:?}");
            let last = self.heard.insert((n, id * 4 + sender as u64), count);
            assert!(last.is_none_or(|last| last < count) || self.may_end, "{count} after {last:?}");
            told.push("delivered");
        }
        told.into_iter().for_each(|what| self.count(what));
    }

    /// Remembers the labels in a frame.
    fn note_labels(&mut self, frame: &[u8]) {
        let mut note = |cookie: &[u8], key: &[u8]| {
            let mut label = [0; 7];
            label[..3].copy_from_slice(cookie);
            label[3..].copy_from_slice(key);
            if !self.labels.contains(&label) && self.labels.len() < 32 {
                self.labels.push(label);
            }
        };
        let is_control = frame[0] == CONTROL;
        match frame.get(5).filter(|_| is_control) {
            Some(6) if frame.len() >= 24 => note(&frame[16..19], &frame[20..24]),
            Some(7) if frame.len() >= 20 => note(&frame[12..15], &frame[16..20]),
            Some(8 | 9) if frame.len() >= 12 => note(&frame[1..4], &frame[8..12]),
            None if frame.len() >= 8 => note(&frame[1..4], &frame[4..8]),
            _ => {}
        }
    }
}

/// The text of a message says who has sent it, and in which order.
fn message(n: usize, id: ConnectionId, count: u32) -> Vec<u8> {
    format!("message of {n}: {} {count}", id.to_number()).into_bytes()
}

/// Who has sent a message, of which connection, and which one it is.
fn read_message(message: &[u8]) -> (usize, u64, u32) {
    let text = std::str::from_utf8(message).expect("a message of an end");
    let rest = text.strip_prefix("message of ").expect("a message of an end");
    let (sender, rest) = rest.split_once(": ").expect("a message of an end");
    let (id, count) = rest.split_once(' ').expect("a message of an end");
    (sender.parse().expect("a number"), id.parse().expect("a number"), count.parse().expect("a number"))
}
