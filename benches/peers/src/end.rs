//! One end of a transport, as the workloads use it: the same calls for each peer.

use std::path::PathBuf;
use std::time::Duration;

/// Errors are sentences for the person who runs the program.
pub type Result<T> = std::result::Result<T, String>;

/// How long an end waits at once where the time does not matter, so that it sees the time.
pub const TURN: Duration = Duration::from_millis(10);

/// Names a connection of an end.
pub type Id = u64;

/// Who gets what has arrived.
pub type Take<'a> = dyn FnMut(Id, &[u8]) + 'a;

/// How an end is opened.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Whether many messages are sent before each `flush`: ends that can hold them back until then do.
    pub gathers: bool,
    /// Connections that a server has to have room for.
    pub connections: usize,
    /// Where compiled stacks are.
    pub stacks: PathBuf,
}

/// A client or a server. Every call also does the pending work of the transport (acknowledgements, retransmissions);
/// none blocks longer than its `wait`.
pub trait End {
    /// Of a client: begins one more connection. It need not be established when this returns.
    fn connect(&mut self) -> Result<Id>;

    /// Sends a message, or keeps it until `flush`; false if there is no room for it now.
    fn send(&mut self, to: Id, message: &[u8]) -> Result<bool>;

    /// Sends what was kept.
    fn flush(&mut self) -> Result<()>;

    /// Takes messages that have arrived; waits for some, or for room to send, for at most `wait`. Zero: polls.
    fn receive(&mut self, wait: Duration, take: &mut Take) -> Result<()>;

    /// Of a server: where clients find it.
    fn port(&self) -> u16;

    /// What the transport counts itself, as `name:number;`.
    fn counters(&self) -> String {
        String::new()
    }
}

/// Sends a message as soon as there is room for it, within ten seconds.
pub fn send_surely(end: &mut dyn End, to: Id, message: &[u8], take: &mut Take) -> Result<()> {
    let begin = std::time::Instant::now();
    while !end.send(to, message)? {
        end.receive(Duration::from_millis(10), take)?;
        if begin.elapsed() > Duration::from_secs(10) {
            return Err("there was no room for a message in ten seconds".into());
        }
    }
    end.flush()
}

/// The error of a system call.
pub fn system(what: &str) -> String {
    format!("{what}: {}", std::io::Error::last_os_error())
}
