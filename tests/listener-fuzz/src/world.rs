//! A server, its clients, and everybody else.

use crate::book::Book;
use crate::counts::reached;
use crate::input::Input;
use crate::pools;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Event, Options, Stack};
use std::net::SocketAddr;
use std::time::Duration;

const SERVER: ([u8; 4], u16) = ([10, 0, 0, 100], 7000);
/// Operations of one program.
const STEPS: usize = 100;
/// Frames that are kept for later, in each direction.
const KEPT: usize = 40;
/// Of the preamble of a control frame.
const CONTROL: u8 = 0xfe;
/// Kinds of control frames.
const PING: u8 = 2;
const ENDED: u8 = 5;
/// What a frame *ended* says that leaves with the frames of a stack, and is counted with them.
const FAREWELL: u8 = 2;

/// What answers are called, by their kind.
const ANSWERS: [&str; 6] =
    ["answer.refused", "answer.unknown", "answer.ping", "answer.pong", "answer.retry", "answer.ended"];

/// A client; none: it has not connected, or was killed.
type Client = Option<(SansIo, ConnectionId)>;

/// Everything of one program.
pub struct World {
    stack: &'static Stack,
    options: Options,
    server: SansIo,
    clients: [Client; 3],
    book: Book,
    /// A greeting of nobody.
    greeting: Vec<u8>,
    to_server: Vec<(SocketAddr, Vec<u8>)>,
    to_clients: Vec<(SocketAddr, Vec<u8>)>,
    /// Cookies and keys that were seen in frames.
    labels: Vec<[u8; 7]>,
    now: u64,
    seed: u64,
    steps: usize,
}

/// Two ports of one address, two addresses of one network, two others. Clients have the first three.
fn address(n: usize) -> SocketAddr {
    let v6 = |last: u16| SocketAddr::from(([0x2001, 0xdb8, 0, 1, 0, 0, 0, last], 7000));
    match n % 6 {
        0 => SocketAddr::from(([10, 0, 0, 1], 7000)),
        1 => SocketAddr::from(([10, 0, 0, 1], 7001)),
        2 => v6(1),
        3 => v6(2),
        4 => SocketAddr::from(([10, 0, 0, 2], 7000)),
        _ => SocketAddr::from(([10, 0, 0, 3], 7000)),
    }
}

fn seeded(seed: u64) -> Options {
    Options { seed: Some(seed), ..Options::default() }
}

/// Whether a frame is a control frame that leaves only because another came.
fn is_answer(frame: &[u8]) -> bool {
    frame[0] == CONTROL && frame[5] != PING && (frame[5] != ENDED || frame[16] < FAREWELL)
}

impl World {
    /// A server with small tables.
    pub fn new([stack, observed]: &'static [Stack; 2], input: &mut Input) -> World {
        pools::forget();
        let retry_above = [100, 2, 0, 20][input.below(4)];
        let pool_blocks = [None, Some(40), Some(60), Some(200)][input.below(4)];
        // Two clients have one address: where it has no more, they can be all that it has.
        let connections_per_address = if retry_above == 20 { 2 } else { 4 };
        let limits = Options { connections: 6, connections_per_address, unconfirmed: 4, ..seeded(1) };
        let options = Options { unconfirmed_per_address: 3, retry_above, pool_blocks, ..limits };
        let now = 1_000_000_000;
        let mut nobody = SansIo::new(seeded(2), now);
        nobody.connect(SERVER.into(), stack).expect("a connection");
        while nobody.next_event().is_some() {}
        let greeting = nobody.take_datagrams().remove(0).1;
        let mut server = SansIo::new(options.clone(), now);
        server.serve(observed).expect("it serves");
        World {
            stack,
            options,
            server,
            clients: [None, None, None],
            book: Book::default(),
            greeting,
            to_server: Vec::new(),
            to_clients: Vec::new(),
            labels: vec![[0; 7]],
            now,
            seed: 10,
            steps: 0,
        }
    }

    /// Whether the program may do more.
    pub fn may_go_on(&self) -> bool {
        self.steps < STEPS
    }

    /// Does the next operation of the program, and checks the server.
    pub fn step(&mut self, input: &mut Input) {
        self.steps += 1;
        let byte = input.byte();
        let n = usize::from(byte >> 4);
        match byte & 15 {
            0 => self.connect(n % 3),
            1 => self.client_sends(n % 3, input.below(140)),
            2 => self.server_sends(n, input.below(140)),
            3 => self.to_server(n, |world, from, frame| world.receive(from, &frame)),
            4 => self.again(n),
            5 => self.damaged(n, input),
            6 => self.from_elsewhere(n, input),
            7 => self.to_client(n),
            8 => self.greeting(n, input),
            9 => self.control(n, input, true),
            10 => self.control(n, input, false),
            11 => self.pass(1 << input.below(36)),
            12 => self.until_due(n),
            13 => self.close(n),
            14 => self.exchange(n),
            _ => {
                let len = input.below(80);
                let frame = input.bytes(len);
                self.receive(address(n), &frame);
            }
        }
        self.settle();
    }

    /// Nobody says anything any more: all connections end, and nothing is left of them.
    pub fn end(&mut self) {
        self.settle();
        self.to_server.clear();
        for _ in 0..200 {
            if self.server.connections().is_empty() {
                break;
            }
            self.pass(1_000_000_000);
            self.settle();
        }
        assert!(self.server.connections().is_empty(), "a connection of which nothing is heard does not end");
        self.clients = [None, None, None];
        reached("pools", pools::assert_free());
        let all = self.server.statistics();
        for (what, count) in [
            ("server.arrived", all.arrived),
            ("server.not_accepted", all.not_accepted),
            ("server.malformed", all.malformed),
            ("server.unknown_cookies", all.unknown_cookies),
            ("server.other_stack", all.other_stack),
            ("server.late", all.late),
            ("server.evicted", all.evicted),
            ("server.retried", all.retried),
            ("server.limited", all.limited),
            ("server.restarted", all.restarted),
            ("server.controls_in", all.controls_in),
            ("server.controls_out", all.controls_out),
            ("server.controls_ignored", all.controls_ignored),
            ("server.answers_withheld", all.answers_withheld),
            ("server.dropped", all.traffic.dropped),
            ("server.no_space", all.traffic.no_space),
            ("server.refused", all.traffic.refused),
            ("server.withheld", all.traffic.withheld),
        ] {
            reached(what, count);
        }
    }

    // ---- operations

    fn connect(&mut self, n: usize) {
        self.seed += 1;
        let mut core = SansIo::new(seeded(self.seed), self.now);
        let id = core.connect(SERVER.into(), self.stack).expect("a connection");
        self.clients[n] = Some((core, id));
    }

    fn client_sends(&mut self, n: usize, len: usize) {
        if let Some((core, id)) = &mut self.clients[n] {
            let _ = core.send(*id, &vec![b'c'; len]);
        }
    }

    fn server_sends(&mut self, n: usize, len: usize) {
        if let Some(id) = self.of_server(n) {
            let _ = self.server.send(id, &vec![b's'; len]);
        }
    }

    /// A connection of the server.
    fn of_server(&self, n: usize) -> Option<ConnectionId> {
        let mut all = self.server.connections();
        all.sort();
        (!all.is_empty()).then(|| all[n % all.len()])
    }

    fn to_server(&mut self, n: usize, then: impl FnOnce(&mut World, SocketAddr, Vec<u8>)) {
        if !self.to_server.is_empty() {
            let (from, frame) = self.to_server.remove(n % self.to_server.len());
            then(self, from, frame);
        }
    }

    fn kept(&self, n: usize) -> Option<(SocketAddr, Vec<u8>)> {
        (!self.to_server.is_empty()).then(|| self.to_server[n % self.to_server.len()].clone())
    }

    /// A frame that will arrive once more.
    fn again(&mut self, n: usize) {
        if let Some((from, frame)) = self.kept(n) {
            self.receive(from, &frame);
        }
    }

    fn damaged(&mut self, n: usize, input: &mut Input) {
        if let Some((from, mut frame)) = self.kept(n) {
            let len = usize::from(input.byte());
            if len > 0 {
                frame.resize(len, 0x5a);
            }
            for _ in 0..input.below(4) {
                let (at, by) = (usize::from(input.byte()), input.byte());
                let len = frame.len();
                frame[at % len] ^= by;
            }
            self.receive(from, &frame);
        }
    }

    fn from_elsewhere(&mut self, n: usize, input: &mut Input) {
        if let Some((_, frame)) = self.kept(n) {
            self.receive(address(input.below(6)), &frame);
        }
    }

    fn to_client(&mut self, n: usize) {
        if !self.to_clients.is_empty() {
            let (to, frame) = self.to_clients.remove(n % self.to_clients.len());
            if let Some((core, _)) = (0..3).find(|n| address(*n) == to).and_then(|n| self.clients[n].as_mut()) {
                core.receive(SERVER.into(), &frame);
            }
        }
    }

    /// Anybody says hello, with a label and an incarnation.
    fn greeting(&mut self, n: usize, input: &mut Input) {
        let mut frame = self.greeting.clone();
        let (label, born, flags) = (self.labels[input.below(self.labels.len())], input.byte(), input.byte());
        frame[12] = born | 1;
        frame[32] = born;
        if flags & 1 != 0 {
            frame[1..4].copy_from_slice(&label[..3]);
            frame[40..44].copy_from_slice(&label[3..]);
        }
        if flags & 2 != 0 {
            frame[16] = flags >> 5;
        }
        if flags & 4 != 0 {
            frame[4] ^= 1;
        }
        if flags & 8 != 0 {
            frame[24] = flags >> 5;
        }
        self.receive(address(n), &frame);
    }

    /// A control frame from anybody to the server; or to a client, as if it were from the server.
    fn control(&mut self, n: usize, input: &mut Input, is_for_server: bool) {
        let (kind, label) = (input.below(7) as u8, self.labels[input.below(self.labels.len())]);
        let mut frame = [&[CONTROL][..], &label[..3], &[1, kind, 0, 0]].concat();
        match kind {
            0 => {
                frame.extend(self.stack.fingerprint().to_le_bytes());
                frame.extend(&label[3..]);
                frame.push(0);
            }
            2 => {
                frame.extend([9; 8]);
                frame.extend(&label[3..]);
            }
            3 => frame.extend([9; 8]),
            4 => {
                frame.extend(&label[3..]);
                frame.extend([7, 7, 7, 0, 5, 5, 5, 5]);
            }
            5 => {
                frame.extend(&label[3..]);
                frame.extend([5, 0, 0, 0, input.below(5) as u8, input.below(4) as u8]);
            }
            _ => frame.extend(&label[3..]),
        }
        let (len, extra) = (input.below(64), input.below(4));
        frame.extend(input.bytes(extra));
        frame.resize(if len < 32 { frame.len() } else { len - 24 }, 0);
        if is_for_server {
            self.receive(address(n), &frame);
        } else if let Some((core, _)) = &mut self.clients[n % 3] {
            core.receive(SERVER.into(), &frame);
        }
    }

    fn pass(&mut self, time: u64) {
        self.now += time;
        self.server.set_time(self.now);
        for (core, _) in self.clients.iter_mut().flatten() {
            core.set_time(self.now);
        }
    }

    /// Until somebody has something to do.
    fn until_due(&mut self, n: usize) {
        let at = match n % 4 {
            3 => self.server.next_deadline(),
            n => self.clients[n].as_ref().and_then(|(core, _)| core.next_deadline()),
        };
        self.pass(at.map_or(0, |at| at.saturating_sub(self.now)).min(Duration::from_secs(60).as_nanos() as u64));
    }

    fn close(&mut self, n: usize) {
        match n {
            0..3 => {
                if let Some((core, id)) = &mut self.clients[n] {
                    let _ = core.close(*id);
                }
            }
            3..6 => self.clients[n - 3] = None,
            _ => {
                let Some(id) = self.of_server(n) else { return };
                match n % 3 {
                    0 => drop(self.server.close(id)),
                    1 => drop(self.server.close_with(id, 7, "enough")),
                    // No event tells that it has ended.
                    _ => drop(self.server.refuse(id, 8, "no").map(|()| self.book.closed(id))),
                }
            }
        }
    }

    /// The network works for a while.
    fn exchange(&mut self, rounds: usize) {
        for _ in 0..rounds {
            self.settle();
            self.to_server(0, |world, from, frame| world.receive(from, &frame));
            self.settle();
            self.to_client(0);
        }
    }

    // ---- the server

    /// The server gets a datagram. What it answers is not larger.
    fn receive(&mut self, from: SocketAddr, frame: &[u8]) {
        self.settle();
        self.book.came(from, frame.len());
        self.server.receive(from, frame);
        self.take_events();
        let sent = self.take_datagrams();
        let answers: Vec<&Vec<u8>> = sent.iter().filter(|frame| is_answer(frame)).collect();
        assert!(answers.len() <= 1, "{answers:?} for one frame");
        // Who receives what is sent to it may be told again why it was refused.
        let may_be_longer = |answer: &[u8]| answer[5] == ENDED && self.book.is_proven(from);
        let is_fit = |answer: &&Vec<u8>| answer.len() <= frame.len() || may_be_longer(answer);
        assert!(answers.iter().all(is_fit), "{answers:?} is larger than {frame:?}");
        for answer in answers {
            reached(ANSWERS[usize::from(answer[5])], 1);
        }
        self.book.check(&self.server, &self.options);
    }

    /// Everybody does what is due.
    fn settle(&mut self) {
        self.take_events();
        self.take_datagrams();
        for n in 0..3 {
            let Some((core, _)) = &mut self.clients[n] else {
                continue;
            };
            while let Some(event) = core.next_event() {
                match event {
                    Event::Delivered { .. } => reached("client.delivered", 1),
                    Event::Opened { .. } => reached("client.opened", 1),
                    Event::Closed { .. } => reached("client.closed", 1),
                    _ => {}
                }
            }
            for (_, frame) in core.take_datagrams() {
                self.note_label(&frame);
                self.to_server.push((address(n), frame));
            }
        }
        let lost = self.to_server.len().saturating_sub(KEPT);
        self.to_server.drain(..lost);
        self.book.check(&self.server, &self.options);
    }

    fn take_events(&mut self) {
        while let Some(event) = self.server.next_event() {
            match event {
                Event::Arrived { connection, from, .. } => self.book.arrived(connection, from),
                Event::Opened { connection, peer, .. } => {
                    self.book.opened(connection, peer);
                    reached("server.opened", 1);
                }
                Event::Closed { connection, .. } => {
                    self.book.closed(connection);
                    reached("server.closed", 1);
                }
                Event::Delivered { connection, .. } => {
                    self.book.assert_lives(connection);
                    reached("server.delivered", 1);
                }
                Event::Writable { connection } => self.book.assert_lives(connection),
                _ => {}
            }
        }
    }

    /// What the server has sent, which is also on its way.
    fn take_datagrams(&mut self) -> Vec<Vec<u8>> {
        let all = self.server.take_datagrams();
        for (to, frame) in &all {
            self.book.sent(*to, frame.len());
            self.note_label(frame);
        }
        self.to_clients.extend(all.iter().cloned());
        let lost = self.to_clients.len().saturating_sub(KEPT);
        self.to_clients.drain(..lost);
        all.into_iter().map(|(_, frame)| frame).collect()
    }

    /// Remembers the labels in a frame: that of its receiver, and of its sender if it says so.
    fn note_label(&mut self, frame: &[u8]) {
        let mut note = |cookie: &[u8], key: &[u8]| {
            let mut label = [0; 7];
            label[..3].copy_from_slice(cookie);
            label[3..].copy_from_slice(key);
            if !self.labels.contains(&label) && self.labels.len() < 64 {
                self.labels.push(label);
            }
        };
        if frame[0] & 1 != 0 && frame.len() >= 44 {
            note(&frame[1..4], &frame[40..44]);
            note(&frame[12..15], &frame[32..36]);
        } else if frame[0] != CONTROL && frame.len() >= 8 {
            note(&frame[1..4], &frame[4..8]);
        }
    }
}
