//! A client that does everything that a server does not expect, from addresses of its own.

use nacre_runtime::random::Random;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::wire::{short_key, Control, Ending, Label, Preamble};
use nacre_runtime::{ConnectionId, Options, Stack, Words};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// What it sends, each as often as the others.
pub const KINDS: [&str; 7] =
    ["junk", "forged first frames", "repeated frames", "control frames", "pings", "messages behind a gap", "half-open"];

/// Addresses with a connection that is confirmed; and others, from which connections are only begun.
const CONFIRMED: u8 = 8;
const HALF_OPEN: u8 = 100;
/// First frames that are kept, of as many connections.
const FIRST: u64 = 500;
/// Frames of its own connections that are kept to be sent again.
const KEPT: usize = 1000;

/// A connection that exchanges messages as others do, until it does not.
struct Own {
    socket: UdpSocket,
    core: SansIo,
    id: ConnectionId,
    label: Option<Label>,
}

/// The client, and how many frames of each kind it has sent.
pub struct Hostile {
    to: SocketAddr,
    stack: Stack,
    random: Random,
    own: Vec<Own>,
    half_open: Vec<UdpSocket>,
    first: Vec<Vec<u8>>,
    kept: Vec<Vec<u8>>,
    pub sent: [u64; KINDS.len()],
}

/// The processor time that this thread has taken.
pub fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place of the result is valid.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("less than a second"))
}

fn socket(third: u8, last: u8) -> UdpSocket {
    let socket = UdpSocket::bind(SocketAddr::from(([127, 0, third, last], 0))).expect("any address of the loopback");
    socket.set_nonblocking(true).expect("it does not wait");
    socket
}

fn core(to: SocketAddr, stack: &Stack, seed: u64) -> (SansIo, ConnectionId) {
    let mut core = SansIo::new(Options { seed: Some(seed), ..Options::default() }, 1);
    let id = core.connect(to, stack).expect("a connection");
    (core, id)
}

impl Hostile {
    /// Has sent nothing yet.
    pub fn new(to: SocketAddr, stack: &Stack) -> Hostile {
        let first = (0..FIRST).flat_map(|seed| {
            let (mut core, id) = core(to, stack, 1_000_000 + seed);
            core.send(id, b"never confirmed").expect("accepted");
            core.take_datagrams().into_iter().map(|(_, frame)| frame)
        });
        let own = (0..CONFIRMED).map(|n| {
            let (core, id) = core(to, stack, 2_000_000 + u64::from(n));
            Own { socket: socket(2, n + 1), core, id, label: None }
        });
        Hostile {
            to,
            stack: stack.clone(),
            random: Random::new(1),
            first: first.collect(),
            own: own.collect(),
            half_open: (0..HALF_OPEN).map(|n| socket(3, n + 1)).collect(),
            kept: vec![],
            sent: [0; KINDS.len()],
        }
    }

    /// Sends frames for at most half of the time of one processor, until it is to stop.
    pub fn attack(&mut self, mut goes_on: impl FnMut(&Hostile) -> bool) {
        let (begun, before) = (Instant::now(), processor_time());
        while goes_on(self) {
            for kind in 0..KINDS.len() {
                self.send_one(kind);
            }
            self.own.iter_mut().for_each(|own| own.take(self.to));
            while 2 * (processor_time() - before) > begun.elapsed() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    fn send_one(&mut self, kind: usize) {
        let own = self.random.below(self.own.len() as u64) as usize;
        match KINDS[kind] {
            "junk" => {
                let frame: Vec<u8> = (0..self.random.below(200)).map(|_| self.random.draw() as u8).collect();
                self.emit(kind, own, &frame);
            }
            "forged first frames" => {
                let mut frame = self.one_of_first();
                let at = self.random.below(frame.len() as u64) as usize;
                frame[at] ^= self.random.draw() as u8 | 1;
                self.emit_half_open(kind, &frame);
            }
            "half-open" => {
                let frame = self.one_of_first();
                self.emit_half_open(kind, &frame);
            }
            "repeated frames" => {
                let Some(last) = self.kept.len().checked_sub(1) else { return };
                let at = self.random.below(last as u64 + 1) as usize;
                let (from, frame) = (self.random.below(2) as usize * own, self.kept[at].clone());
                self.emit(kind, from, &frame);
            }
            "control frames" => {
                let frame = self.control(own);
                self.emit(kind, own, &frame);
            }
            "pings" => self.ping(kind, own),
            _ => self.send_behind_a_gap(kind, own),
        }
    }

    fn one_of_first(&mut self) -> Vec<u8> {
        let at = self.random.below(self.first.len() as u64) as usize;
        self.first[at].clone()
    }

    /// A frame is lost if there is no room in the socket.
    fn emit(&mut self, kind: usize, own: usize, frame: &[u8]) {
        let _ = self.own[own].socket.send_to(frame, self.to);
        self.sent[kind] += 1;
    }

    fn emit_half_open(&mut self, kind: usize, frame: &[u8]) {
        let from = self.random.below(self.half_open.len() as u64) as usize;
        let _ = self.half_open[from].send_to(frame, self.to);
        self.sent[kind] += 1;
    }

    /// Of any kind; half of them with the label that the server expects.
    fn control(&mut self, own: usize) -> Vec<u8> {
        let known = self.own[own].label.filter(|_| self.random.chance(0.5));
        let to = known.unwrap_or(Label { cookie: self.random.draw() as u32 >> 8, key: self.random.draw() as u32 });
        let token = self.random.draw();
        let ended = |why| Control::Ended { to, why, words: Words { code: 1, text: "no".into() } };
        let control = match self.random.below(8) {
            0 => Control::Refused { to, fingerprint: token, serves: 1, served: vec![token] },
            1 => Control::Unknown { unknown: to },
            2 => Control::Pong { cookie: to.cookie, token },
            3 => Control::Retry { to, label: Label { cookie: 1, key: 1 } },
            4 => ended(Ending::Busy),
            5 => ended(Ending::Over),
            6 => ended(Ending::Farewell),
            _ => Control::Ping { to, token },
        };
        control.write(1000).expect("it fits")
    }

    fn ping(&mut self, kind: usize, own: usize) {
        if let Some(to) = self.own[own].label {
            let ping = Control::Ping { to, token: self.random.draw() }.write(1000).expect("it fits");
            self.emit(kind, own, &ping);
        }
    }

    /// The first frame is withheld, so that the others wait behind it. Once the window is full, the peer restarts.
    fn send_behind_a_gap(&mut self, kind: usize, at: usize) {
        let message = vec![7; self.random.below(1000) as usize];
        let own = &mut self.own[at];
        if own.core.is_confirmed(own.id) != Some(true) {
            return;
        }
        while own.core.send(own.id, &message).is_ok() {}
        let frames: Vec<Vec<u8>> = own.core.take_datagrams().into_iter().map(|(_, frame)| frame).collect();
        frames.iter().for_each(|frame| own.learn(frame));
        frames.iter().skip(1).for_each(|frame| self.emit(kind, at, frame));
        self.kept.extend(frames);
        let excess = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..excess);
        if self.random.chance(0.1) {
            let (core, id) = core(self.to, &self.stack, self.random.draw());
            let own = &mut self.own[at];
            (own.core, own.id, own.label) = (core, id, None);
        }
    }
}

impl Own {
    /// What the server expects in frames of this connection, from a frame that leaves.
    fn learn(&mut self, frame: &[u8]) {
        let short = Preamble::read(frame).filter(|preamble| !preamble.identified && !preamble.is_control());
        if let Some(preamble) = short {
            self.label = Some(Label { cookie: preamble.cookie, key: short_key(frame) });
        }
    }

    /// Handles what the server has sent, and answers as a peer does.
    fn take(&mut self, to: SocketAddr) {
        let mut buffer = [0; 2048];
        while let Ok((len, _)) = self.socket.recv_from(&mut buffer) {
            self.core.receive(to, &buffer[..len]);
            while self.core.next_event().is_some() {}
        }
        for (_, frame) in self.core.take_datagrams() {
            self.learn(&frame);
            let _ = self.socket.send_to(&frame, to);
        }
    }
}
