//! Counts the instructions of a message through the runtime: two listeners in one process, without sockets.
//!
//! The program runs itself under callgrind (`nacre-benches --drive STACK LEVEL MESSAGES MODE`). So the count is that of
//! the release code that a server runs, including the steps of the stack, over a transport of minimal cost.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nacre_driver::Level;
use nacre_runtime::transport::Transport;
use nacre_runtime::{ConnectionId, Event, Listener, Options, Stack};

use crate::callgrind::total;
use crate::udp::{self, symbol, PLAIN};

/// The messages of the shorter run, and the additional ones of the longer run, which are counted.
const FEW: u64 = 1000;
const MORE: u64 = 8000;
/// The simulated time between two readings of the clock.
const TICK_NS: u64 = 1000;

/// Instructions per message, both endpoints together.
pub struct FramePath {
    pub level: &'static str,
    pub stream: f64,
    pub pingpong: f64,
}

/// Counts the instructions of both modes.
pub fn measure(folder: &Path, file: &Path) -> Result<Vec<FramePath>, String> {
    eprintln!("measuring the runtime under callgrind");
    let of = |level: Level| {
        udp::load(folder, file, PLAIN, level)?;
        let object = udp::object(folder, PLAIN, level).display().to_string();
        Ok::<_, String>(FramePath {
            level: level.name(),
            stream: count(folder, (&object, level), "stream")?,
            pingpong: count(folder, (&object, level), "pingpong")?,
        })
    };
    [Level::Inline, Level::Bypass].into_iter().map(of).collect()
}

fn count(folder: &Path, (object, level): (&str, Level), mode: &str) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let run = |messages: u64| total(&program, &["--drive", object, level.name(), &messages.to_string(), mode], folder);
    Ok((run(FEW + MORE)? - run(FEW)?) as f64 / MORE as f64)
}

/// The counted program.
pub fn drive(object: &str, level: &str, messages: &str, mode: &str) -> Result<(), String> {
    let level = Level::ALL.into_iter().find(|known| known.name() == level).ok_or(format!("no level `{level}`"))?;
    let messages = messages.parse::<u64>().map_err(|e| format!("{messages}: {e}"))?;
    // SAFETY: the object is the one that `measure` compiled from a stack of ours.
    let stack = unsafe { Stack::load(Path::new(object), &symbol(PLAIN, level)) }.map_err(|e| e.to_string())?;
    let (left, right) = lanes();
    let mut server = Listener::new(right, Options { seed: Some(1), ..Options::default() });
    server.serve(&stack).map_err(|e| e.to_string())?;
    let mut client = Listener::new(left, Options { seed: Some(2), ..Options::default() });
    let id = client.connect(server.local(), &stack).map_err(|e| e.to_string())?;
    let delivered = match mode {
        "stream" => stream(&mut client, id, &mut server, messages),
        "pingpong" => pingpong(&mut client, id, &mut server, messages),
        _ => return Err(format!("no mode `{mode}`")),
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

/// Sends one message in each direction.
fn pingpong(client: &mut Listener, id: ConnectionId, server: &mut Listener, messages: u64) -> u64 {
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

/// The frames in flight to each endpoint, the used buffers, and the time.
#[derive(Default)]
struct Wire {
    waiting: [VecDeque<Vec<u8>>; 2],
    spent: Vec<Vec<u8>>,
    now: u64,
}

/// One endpoint of a line without loss, which allocates only until it has enough buffers.
struct Lane {
    wire: Arc<Mutex<Wire>>,
    end: usize,
}

fn lanes() -> (Lane, Lane) {
    let wire = Arc::new(Mutex::new(Wire { now: 1, ..Wire::default() }));
    (Lane { wire: wire.clone(), end: 0 }, Lane { wire, end: 1 })
}

impl Lane {
    fn wire(&self) -> std::sync::MutexGuard<'_, Wire> {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn address(end: usize) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, end as u8 + 1], 7000))
    }
}

impl Transport for Lane {
    fn local(&self) -> SocketAddr {
        Lane::address(self.end)
    }

    fn now(&self) -> u64 {
        let mut wire = self.wire();
        wire.now += TICK_NS;
        wire.now
    }

    fn send(&mut self, _: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        let mut wire = self.wire();
        let mut bytes = wire.spent.pop().unwrap_or_default();
        bytes.clear();
        frame.iter().for_each(|piece| bytes.extend_from_slice(piece));
        wire.waiting[1 - self.end].push_back(bytes);
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let mut wire = self.wire();
        let bytes = wire.waiting[self.end].pop_front().ok_or(io::ErrorKind::WouldBlock)?;
        let len = bytes.len().min(buffer.len());
        buffer[..len].copy_from_slice(&bytes[..len]);
        wire.spent.push(bytes);
        Ok((len, Lane::address(1 - self.end)))
    }

    fn wait(&mut self, _: bool, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }
}
