//! What is measured: who, under which conditions, doing what.

use std::time::Duration;

use crate::job::Workload;
use crate::relay::Link;

/// Bytes per second of the link of the relay (200 Mbit/s), and bytes that wait for it (40 ms).
const RATE: f64 = 25e6;
const QUEUE: f64 = 1e6;
/// Bytes of a message of the bulk transfer.
pub const BULK: usize = 8192;
/// Of a datagram of bare sockets: it fits a frame.
pub const RAW_BULK: usize = 1400;
/// Connections of ZeroMQ at most.
pub const ZEROMQ_CROWD: usize = 9_900;
/// Bytes of other messages.
pub const SIZES: [usize; 3] = [8, 64, 1024];

/// Where a peer takes part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Over loopback and over the relay.
    All,
    /// Streams over loopback.
    LoopbackStreams,
    /// Loopback alone; connections are counted only if the flag is set.
    Loopback { crowd: bool },
    /// The relay alone.
    Relay,
}

/// A transport.
pub struct Peer {
    pub key: &'static str,
    pub name: &'static str,
    /// What encrypts, or why not.
    pub encrypts: &'static str,
    /// How it is used.
    pub how: &'static str,
    pub part: Part,
    /// Whether it can poll.
    pub polls: bool,
    /// One of this project.
    pub ours: bool,
}

const fn peer(key: &'static str, name: &'static str, encrypts: &'static str, how: &'static str, part: Part) -> Peer {
    Peer { key, name, encrypts, how, part, polls: true, ours: false }
}

const fn ours(key: &'static str, name: &'static str, encrypts: &'static str, how: &'static str, part: Part) -> Peer {
    Peer { key, name, encrypts, how, part, polls: true, ours: true }
}

const AEAD: &str = "yes: ChaCha20-Poly1305, keys by X25519 and ML-KEM-768";

/// All, in the order of tables.
pub const PEERS: &[Peer] = &[
    ours("nacre-reliable", "Nacre", "no", "`frag<1400> / pt2pt<64> / crc32c / floor`", Part::All),
    ours("nacre-encrypted", "Nacre, encrypted", AEAD, "`frag<1388> / pt2pt<64> / encrypt / floor`", Part::All),
    ours("nacre-batched", "Nacre, batched", "no", "`frag<1400> / batch<1400> / pt2pt<64> / crc32c / floor`", Part::All),
    ours(
        "nacre-batched_encrypted",
        "Nacre, batched, encrypted",
        AEAD,
        "`frag<1388> / batch<1388> / pt2pt<64> / encrypt / floor`",
        Part::Loopback { crowd: false },
    ),
    ours("nacre-wide", "Nacre, wide, encrypted", AEAD, "`frag<1388> / pt2pt<1024> / encrypt / floor`", Part::All),
    ours(
        "nacre-controlled",
        "Nacre, CUBIC, encrypted",
        AEAD,
        "`frag<1376> / pt2pt<1024> / cubic / flight / encrypt / floor`",
        Part::All,
    ),
    peer(
        "quinn",
        "quinn (QUIC)",
        "yes: TLS 1.3, AES-GCM",
        "one stream, messages behind their length; one thread",
        Part::All,
    ),
    peer("tcp", "TCP", "no", "TCP_NODELAY; a system call for each message", Part::Loopback { crowd: true }),
    peer("tcp-gathered", "TCP, gathered", "no", "TCP_NODELAY, CUBIC; a system call for 32 messages", Part::All),
    peer("tcp-bbr", "TCP, BBR", "no", "the same with BBR", Part::Relay),
    peer("enet", "ENet", "no (and no checksum)", "libenet; reliable packets, one channel", Part::All),
    peer(
        "zeromq",
        "ZeroMQ",
        "no",
        "libzmq; DEALER to DEALER over TCP, with the system's congestion control",
        Part::All,
    ),
    peer("kcp", "KCP", "no", "crate `kcp`; nodelay, 10 ms, resend 2, window 1,024, no congestion control", Part::All),
    peer("aeron", "Aeron", "no", "Java, driver in the application's thread; terms of 4 MiB, window 1 MiB", Part::All),
    peer("raw", "UDP", "no", "`sendto` and `recvmsg`; nothing is reliable", Part::Loopback { crowd: false }),
    peer("raw-offload", "UDP, offload", "no", "UDP_SEGMENT and UDP_GRO; nothing is reliable", Part::LoopbackStreams),
];

/// The network between the ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting {
    Loopback,
    /// Loss in percent, delay in milliseconds, of each direction.
    Relay(f64, u64),
}

impl Setting {
    /// A name for it in the results.
    pub fn key(self) -> String {
        match self {
            Setting::Loopback => "loopback".into(),
            Setting::Relay(loss, delay) => format!("{loss}/{delay}"),
        }
    }

    /// What the relay does; None: there is no relay.
    pub fn link(self) -> Option<Link> {
        match self {
            Setting::Loopback => None,
            Setting::Relay(loss, delay) => {
                Some(Link { loss: loss / 100.0, delay: Duration::from_millis(delay), rate: RATE, queue: QUEUE })
            }
        }
    }

    fn delay(self) -> Duration {
        self.link().map_or(Duration::ZERO, |link| link.delay)
    }
}

/// All networks with a relay, in the order of the columns of tables.
pub fn relays() -> Vec<Setting> {
    let losses = [0.0, 0.1, 1.0];
    let grid = [0, 10, 100].into_iter().flat_map(|delay| losses.map(|loss| Setting::Relay(loss, delay)));
    grid.chain([Setting::Relay(1.0, 50)]).collect()
}

/// A row of measurements: all peers that take part are compared in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    pub setting: Setting,
    pub workload: Workload,
}

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Scale {
    pub rounds: usize,
    /// Of those, the rounds that include the relay.
    pub relayed: usize,
    pub is_quick: bool,
}

impl Scale {
    /// The connections whose memory is measured.
    pub fn crowd(self) -> usize {
        if self.is_quick {
            200
        } else {
            10_000
        }
    }

    /// Warm-up and window of a measurement: with a delay, time for slow start, and for some round trips.
    pub fn times(self, cell: Cell) -> (Duration, Duration) {
        let trip = 2 * cell.setting.delay();
        let ms = Duration::from_millis;
        match cell.workload {
            _ if self.is_quick => (ms(50) + trip, ms(150) + trip),
            Workload::Crowd(_) => (ms(0), ms(0)),
            Workload::Polling | Workload::Blocking => (ms(100), ms(500)),
            Workload::Paced => (ms(200) + trip, ms(1500)),
            Workload::Stream(_) => (ms(200) + 4 * trip, ms(500) + 4 * trip),
        }
    }

    /// The rows of a round, in order.
    pub fn cells(self, round: usize) -> Vec<Cell> {
        let mut cells = vec![];
        let streams = |sizes: &[usize]| sizes.iter().map(|size| Workload::Stream(*size)).collect::<Vec<_>>();
        let settings = if self.is_quick { vec![Setting::Relay(1.0, 10)] } else { relays() };
        for setting in settings.into_iter().filter(|_| round < self.relayed) {
            let relayed = [vec![Workload::Paced], streams(&[8, BULK])].concat();
            cells.extend(relayed.into_iter().map(|workload| Cell { setting, workload }));
        }
        let loopback = [vec![Workload::Polling, Workload::Blocking], streams(&SIZES), streams(&[BULK])].concat();
        cells.extend(loopback.into_iter().map(|workload| Cell { setting: Setting::Loopback, workload }));
        cells
    }
}

/// Whether a peer takes part in a measurement.
pub fn takes_part(peer: &Peer, cell: Cell) -> bool {
    let over_relay = matches!(cell.setting, Setting::Relay(..));
    let by_part = match peer.part {
        Part::All => true,
        Part::Relay => over_relay,
        Part::Loopback { crowd } => !over_relay && (crowd || !matches!(cell.workload, Workload::Crowd(_))),
        Part::LoopbackStreams => !over_relay && matches!(cell.workload, Workload::Stream(_)),
    };
    // Round trips and connections of variants that gather are those of the other variant.
    let is_variant = peer.key == "tcp-gathered" && !over_relay && !matches!(cell.workload, Workload::Stream(_));
    // Each publication of Aeron has log buffers of its own: 10,000 of them are not what it is made for.
    let is_crowd_of_aeron = peer.key == "aeron" && matches!(cell.workload, Workload::Crowd(_));
    by_part && !is_variant && !is_crowd_of_aeron && (peer.polls || cell.workload != Workload::Polling)
}
