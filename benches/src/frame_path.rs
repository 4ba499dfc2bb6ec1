//! Counts the instructions of a message through the runtime: two listeners in one process, without sockets.
//!
//! The program runs itself under callgrind (`nacre-benches --drive STACK LEVEL MESSAGES MODE`; a number is a mode: that
//! of connections). So the count is that of the release code that a server runs, including the steps of the stack, over
//! a transport of minimal cost.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nacre_driver::Level;
use nacre_runtime::transport::{Datagrams, Transport};
use nacre_runtime::{ConnectionId, Event, Listener, Options, Stack};

use crate::callgrind::total_and_part;
use crate::udp::{self, symbol, PLAIN};

/// The messages of the shorter run, and the additional ones of the longer run, which are counted.
const FEW: u64 = 1000;
const MORE: u64 = 8000;
/// The simulated time between two readings of the clock, in nanoseconds.
const TICK: u64 = 1000;
/// The same in each turn of many connections, so that as many timers of each are due, no matter how many there are.
const TURN: u64 = 10_000 * TICK;

/// Instructions of both endpoints together: of a message, or of a message and its answer.
pub struct FramePath {
    pub level: &'static str,
    pub stream: Cost,
    pub gathered: Cost,
    pub alternating: Cost,
    /// A message and its answer on each of that many connections in turn.
    pub among: [(usize, Cost); 3],
}

/// Instructions of everything, and those of the transport among them.
pub struct Cost {
    pub all: f64,
    pub transport: f64,
}

/// What the names of the transport's functions contain.
const TRANSPORT: &str = "Lane as nacre_runtime::transport::Transport>::";

/// Counts the instructions of all modes.
pub fn measure(folder: &Path, file: &Path) -> Result<Vec<FramePath>, String> {
    eprintln!("measuring the runtime under callgrind");
    let of = |level: Level| {
        udp::load(folder, file, PLAIN, level)?;
        let object = udp::object(folder, PLAIN, level).display().to_string();
        let among = |connections: usize| {
            let cost = count(folder, (&object, level), &connections.to_string())?;
            Ok::<_, String>((connections, cost))
        };
        Ok::<_, String>(FramePath {
            level: level.name(),
            stream: count(folder, (&object, level), "stream")?,
            gathered: count(folder, (&object, level), "gathered")?,
            alternating: count(folder, (&object, level), "alternating")?,
            among: [among(10)?, among(1000)?, among(10_000)?],
        })
    };
    [Level::Inline, Level::Bypass].into_iter().map(of).collect()
}

fn count(folder: &Path, (object, level): (&str, Level), mode: &str) -> Result<Cost, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let run = |messages: u64| {
        let messages = messages.to_string();
        total_and_part(&program, &["--drive", object, level.name(), &messages, mode], folder, TRANSPORT)
    };
    let (few, many) = (run(FEW)?, run(FEW + MORE)?);
    let each = |few: u64, many: u64| (many - few) as f64 / MORE as f64;
    Ok(Cost { all: each(few.0, many.0), transport: each(few.1, many.1) })
}

/// The counted program.
pub fn drive(object: &str, level: &str, messages: &str, mode: &str) -> Result<(), String> {
    let level = Level::ALL.into_iter().find(|known| known.name() == level).ok_or(format!("no level `{level}`"))?;
    let messages = messages.parse::<u64>().map_err(|e| format!("{messages}: {e}"))?;
    // SAFETY: the object is the one that `measure` compiled from a stack of ours.
    let stack = unsafe { Stack::load(Path::new(object), &symbol(PLAIN, level)) }.map_err(|e| e.to_string())?;
    let gather = mode == "gathered";
    let connections = mode.parse::<u64>().ok();
    let (left, right) = lanes(gather, connections.map_or(TICK, |count| TURN / count));
    let options = |seed| Options {
        seed: Some(seed),
        gather,
        connections_per_address: usize::MAX,
        retry_above: usize::MAX,
        ..Options::default()
    };
    let mut server = Listener::new(right, options(1));
    server.serve(&stack).map_err(|e| e.to_string())?;
    let mut client = Listener::new(left, options(2));
    // Connections of one endpoint with another differ in their identities.
    let connect = |client: &mut Listener, identity: u64| {
        let named = client.connect_with(Lane::address(1), &stack, |it| assert!(it.set("floor.identity", identity)));
        named.map_err(|e| e.to_string())
    };
    let id = connect(&mut client, 1)?;
    let delivered = match mode {
        "stream" | "gathered" => stream(&mut client, id, &mut server, messages),
        "alternating" => alternating(&mut client, id, &mut server, messages),
        _ => {
            let connections = connections.ok_or_else(|| format!("no mode `{mode}`"))?;
            let mut ids = vec![id];
            for identity in 2..=connections {
                // Both ends speak at once: the line holds few frames.
                if alternating(&mut client, ids[ids.len() - 1], &mut server, 2) < 2 {
                    return Err(format!("connection {identity} does not begin"));
                }
                ids.push(connect(&mut client, identity)?);
            }
            rotating(&mut client, &ids, &mut server, messages)
        }
    };
    if delivered == messages {
        Ok(())
    } else {
        Err(format!("{delivered} of {messages} messages were delivered"))
    }
}

/// Sends as many messages as the window accepts, then drives the other endpoint.
fn stream(client: &mut Listener, id: ConnectionId, server: &mut Listener, messages: u64) -> u64 {
    let (mut sent, mut delivered) = (0, 0);
    while delivered < messages {
        while sent < messages && client.send(id, &[7; 16]).is_ok() {
            sent += 1;
        }
        while let Some(event) = server.poll() {
            delivered += u64::from(matches!(event, Event::Delivered { .. }));
        }
        while client.poll().is_some() {}
    }
    delivered
}

/// Sends one message in each direction over each connection in turn.
fn rotating(client: &mut Listener, ids: &[ConnectionId], server: &mut Listener, messages: u64) -> u64 {
    let turns = ids.iter().cycle().take(messages as usize);
    turns.map(|&id| alternating(client, id, server, 1)).sum()
}

/// Sends one message in each direction.
fn alternating(client: &mut Listener, id: ConnectionId, server: &mut Listener, messages: u64) -> u64 {
    for done in 0..messages {
        if client.send(id, &[7; 16]).is_err() || !echo(server) || !answered(client) {
            return done;
        }
    }
    messages
}

fn echo(server: &mut Listener) -> bool {
    let (mut from, mut message) = (None, [0; 16]);
    while let Some(event) = server.poll() {
        if let Event::Delivered { connection, message: borrowed, .. } = event {
            let mut rest = &mut message[..];
            for piece in borrowed.segments() {
                let (head, tail) = rest.split_at_mut(piece.len());
                head.copy_from_slice(piece);
                rest = tail;
            }
            from = Some(connection);
        }
    }
    from.is_some_and(|id| server.send(id, &message).is_ok())
}

fn answered(client: &mut Listener) -> bool {
    let mut answers = 0;
    while let Some(event) = client.poll() {
        answers += u32::from(matches!(event, Event::Delivered { .. }));
    }
    answers == 1
}

/// The frames that an endpoint has not received, at most, and the longest, in bytes.
const FRAMES: usize = 256;
const FRAME: usize = 2048;
/// The frames that the transport takes from the line at once, at most.
const TOGETHER: usize = 32;

/// The frames in flight to one endpoint, in order.
struct Queue {
    bytes: Vec<[u8; FRAME]>,
    lengths: [usize; FRAMES],
    /// How many were received and sent.
    received: usize,
    sent: usize,
}

impl Queue {
    fn new() -> Mutex<Queue> {
        Mutex::new(Queue { bytes: vec![[0; FRAME]; FRAMES], lengths: [0; FRAMES], received: 0, sent: 0 })
    }

    /// Adds a frame; the line loses those for which it has no room.
    fn push(&mut self, pieces: &[IoSlice<'_>]) {
        if self.sent - self.received == FRAMES {
            return;
        }
        let (place, mut len) = (self.sent % FRAMES, 0);
        for piece in pieces {
            let Some(room) = self.bytes[place].get_mut(len..len + piece.len()) else { return };
            room.copy_from_slice(piece);
            len += piece.len();
        }
        self.lengths[place] = len;
        self.sent += 1;
    }

    fn pop(&mut self, buffer: &mut [u8]) -> Option<usize> {
        if self.received == self.sent {
            return None;
        }
        let place = self.received % FRAMES;
        let len = self.lengths[place].min(buffer.len());
        buffer[..len].copy_from_slice(&self.bytes[place][..len]);
        self.received += 1;
        Some(len)
    }
}

/// The frames in flight to each endpoint, and the time.
struct Wire {
    queues: [Mutex<Queue>; 2],
    now: AtomicU64,
    /// Between two readings.
    tick: u64,
}

impl Wire {
    fn queue(&self, end: usize) -> MutexGuard<'_, Queue> {
        self.queues[end].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One endpoint of a line that loses nothing as long as few frames are in flight. It allocates nothing.
struct Lane {
    wire: Arc<Wire>,
    end: usize,
    /// Frames that are known to be there, as after a system call that has received several.
    known: usize,
    /// Several are received at once.
    joins: bool,
}

fn lanes(joins: bool, tick: u64) -> (Lane, Lane) {
    let wire = Arc::new(Wire { queues: [Queue::new(), Queue::new()], now: AtomicU64::new(1), tick });
    let lane = |end| Lane { wire: wire.clone(), end, known: 0, joins };
    (lane(0), lane(1))
}

impl Lane {
    fn address(end: usize) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, end as u8 + 1], 7000))
    }
}

impl Transport for Lane {
    fn local(&self) -> SocketAddr {
        Lane::address(self.end)
    }

    fn now(&self) -> u64 {
        self.wire.now.fetch_add(self.wire.tick, Ordering::Relaxed)
    }

    fn send(&mut self, _: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        self.wire.queue(1 - self.end).push(frame);
        Ok(())
    }

    fn send_all(&mut self, frames: Datagrams<'_>) -> (usize, io::Result<()>) {
        let mut queue = self.wire.queue(1 - self.end);
        frames.iter().for_each(|(_, frame)| queue.push(&[IoSlice::new(frame)]));
        (frames.len(), Ok(()))
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let mut queue = self.wire.queue(self.end);
        let len = queue.pop(buffer).ok_or(io::ErrorKind::WouldBlock)?;
        self.known = match self.known {
            0 if self.joins => (queue.sent - queue.received).min(TOGETHER - 1),
            known => known.saturating_sub(1),
        };
        Ok((len, Lane::address(1 - self.end)))
    }

    fn has_received(&self) -> bool {
        self.known > 0
    }

    fn wait(&mut self, _: bool, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }
}
