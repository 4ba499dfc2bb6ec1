//! Receives files from any number of senders at once.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nacre_runtime::{ConnectionId, Error, Event, Listener, Options, Reason, Stack};

use super::framing::{answer, Head, Sum, Summing};
use super::line::{introduce, Line};
use super::report::Moved;
use crate::args::Receive;
use crate::console::{say, Exit};
use crate::interrupt::{Interrupt, TURN};
use crate::output::require_replaceable;
use crate::progress::Progress;

/// Receives files; with `--once`, the default for a file as target, until one is complete. The error is a message for
/// the user.
pub fn receive(args: &Receive, stack: &Stack) -> Result<Exit, String> {
    let target = Target::of(&args.out)?;
    let once = args.once || (!args.serve && !target.folder);
    let mut line = Line::open(args.listen, &args.net, Options::default())?;
    line.listener.serve(stack).map_err(|error| error.to_string())?;
    say(&format!("listening on {} with {}", line.listener.local(), introduce(stack)));
    let mut receiver = Receiver { args, line, target, incoming: HashMap::new(), numbers: HashMap::new() };
    let interrupt = Interrupt::watch()?;
    loop {
        if interrupt.came() {
            receiver.leave();
            return Ok(interrupt.exit());
        }
        match receiver.next()? {
            Some(intact) if once => {
                receiver.farewell();
                return Ok(if intact { Exit::Yes } else { Exit::No });
            }
            _ => {}
        }
    }
}

/// Where files go.
struct Target {
    path: PathBuf,
    folder: bool,
}

impl Target {
    fn of(path: &Path) -> Result<Target, String> {
        let says_folder = path.as_os_str().to_string_lossy().ends_with('/');
        if says_folder {
            fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        // Reported now rather than when a sender connects.
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir()) {
            return Err(format!("{}: no such folder", parent.display()));
        }
        require_replaceable(path)?;
        Ok(Target { path: path.to_path_buf(), folder: says_folder || path.is_dir() })
    }

    /// Returns the path for a file: the given path, or one in the folder; with a number if the name is taken.
    fn place(&self, head: &Head, numbers: &mut HashMap<PathBuf, u32>) -> PathBuf {
        let base = if self.folder { self.path.join(head.safe_name()) } else { self.path.clone() };
        let number = numbers.entry(base.clone()).or_insert(0);
        let place = if *number == 0 { base.clone() } else { with_suffix(&base, &format!("-{number}")) };
        *number += 1;
        place
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// A file that is being received.
struct Incoming {
    head: Head,
    place: PathBuf,
    /// A temporary file, renamed when it is complete.
    part: PathBuf,
    file: BufWriter<File>,
    summing: Summing,
    left: u64,
    begun: Instant,
    progress: Progress,
}

struct Receiver<'r> {
    args: &'r Receive,
    line: Line,
    target: Target,
    incoming: HashMap<ConnectionId, Incoming>,
    /// The number of files that were named.
    numbers: HashMap<PathBuf, u32>,
}

/// The reaction to an event, once its message is no longer borrowed.
enum Turn {
    Nothing,
    Message(ConnectionId, Vec<u8>),
    Ended(ConnectionId, Reason),
    Tell(String),
}

impl Receiver<'_> {
    /// Handles one event; returns whether the file is intact, if the event completes one.
    fn next(&mut self) -> Result<Option<bool>, String> {
        let event = self.line.listener.wait(Some(TURN)).map_err(|error| error.to_string())?;
        let turn = match event {
            Some(Event::Delivered { connection, message, .. }) => Turn::Message(connection, message.to_vec()),
            Some(Event::Closed { connection, reason }) => Turn::Ended(connection, reason),
            Some(Event::OtherStack(what)) => Turn::Tell(what.description()),
            _ => Turn::Nothing,
        };
        match turn {
            Turn::Nothing => Ok(None),
            Turn::Tell(words) => {
                say(&words);
                Ok(None)
            }
            Turn::Ended(connection, reason) => {
                let begun = self.incoming.contains_key(&connection);
                match reason {
                    Reason::Closed | Reason::Incomplete if begun => self.give_up(connection, "the sender has left"),
                    Reason::Closed => {}
                    other => self.give_up(connection, &other.to_string()),
                }
                self.failed(begun)
            }
            Turn::Message(connection, message) => match self.message(connection, &message) {
                Ok(done) => Ok(done),
                Err(why) => {
                    // An error of one sender, or a full disk, does not affect the others.
                    self.give_up(connection, &why);
                    self.line.listener.discard(connection);
                    self.failed(true)
                }
            },
        }
    }

    fn message(&mut self, connection: ConnectionId, message: &[u8]) -> Result<Option<bool>, String> {
        let Some(incoming) = self.incoming.get_mut(&connection) else {
            let head = Head::read(message).ok_or("it does not begin as `nacre run send` does")?;
            let incoming = self.begin(head)?;
            self.incoming.insert(connection, incoming);
            return Ok(None);
        };
        if incoming.left > 0 {
            let length = message.len() as u64;
            incoming.left = incoming.left.checked_sub(length).ok_or("more bytes arrived than announced")?;
            incoming.summing.add(message);
            incoming.progress.add(length);
            incoming.file.write_all(message).map_err(|error| format!("{}: {error}", incoming.part.display()))?;
            return Ok(None);
        }
        let sum: Sum = message.try_into().map_err(|_| "the sum at the end is missing")?;
        self.finish(connection, sum).map(Some)
    }

    fn begin(&mut self, head: Head) -> Result<Incoming, String> {
        let place = self.target.place(&head, &mut self.numbers);
        let part = with_suffix(&place, ".part");
        let file = File::create(&part).map_err(|error| format!("{}: {error}", part.display()))?;
        let progress = Progress::of_bytes(head.size, &head.safe_name());
        let (left, begun) = (head.size, Instant::now());
        Ok(Incoming {
            head,
            place,
            part,
            file: BufWriter::new(file),
            summing: Summing::default(),
            left,
            begun,
            progress,
        })
    }

    fn finish(&mut self, connection: ConnectionId, other_sum: Sum) -> Result<bool, String> {
        let Some(mut incoming) = self.incoming.remove(&connection) else { return Ok(false) };
        let sum = incoming.summing.sum();
        let time = incoming.begun.elapsed();
        incoming.file.flush().map_err(|error| format!("{}: {error}", incoming.part.display()))?;
        if sum == other_sum {
            fs::rename(&incoming.part, &incoming.place)
                .map_err(|error| format!("{}: {error}", incoming.place.display()))?;
        }
        let listener = &mut self.line.listener;
        let peer = listener.peer(connection).map_or_else(|_| "a peer that has gone".into(), |peer| peer.to_string());
        tell(listener, connection, &sum);
        let statistics = listener.statistics_of(connection).unwrap_or_default();
        let name = incoming.place.display().to_string();
        let moved = Moved {
            verb: "received",
            name: &name,
            peer,
            bytes: incoming.head.size,
            time,
            sum,
            other_sum,
            statistics: &statistics,
            faults: self.line.faults.as_ref(),
        };
        moved.report(self.args.net.json);
        Ok(moved.is_intact())
    }

    fn give_up(&mut self, connection: ConnectionId, why: &str) {
        if let Some(incoming) = self.incoming.remove(&connection) {
            let _ = fs::remove_file(&incoming.part);
            say(&format!("{} is not complete ({} bytes are missing): {why}", incoming.head.safe_name(), incoming.left));
        } else {
            say(&format!("a connection has ended: {why}"));
        }
    }

    /// Handles a failed transfer: the program ends if it was to be the only one.
    fn failed(&self, transfer: bool) -> Result<Option<bool>, String> {
        if transfer && (self.args.once || !(self.target.folder || self.args.serve)) {
            return Err("the only transfer has failed".into());
        }
        Ok(None)
    }

    /// Handles an interruption: removes partial files and notifies the senders.
    fn leave(&mut self) {
        let begun: Vec<ConnectionId> = self.incoming.keys().copied().collect();
        begun.into_iter().for_each(|connection| self.give_up(connection, "interrupted"));
        let listener = &mut self.line.listener;
        let peers = listener.connections();
        for peer in &peers {
            let _ = listener.close(*peer);
        }
        let until = Instant::now() + Duration::from_secs(2);
        for peer in peers {
            let _ = listener.close_blocking(peer, Some(until.saturating_duration_since(Instant::now())));
        }
    }

    /// Waits until the sender has closed, so that it receives the answer.
    fn farewell(&mut self) {
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until {
            match self.line.listener.wait(Some(Duration::from_millis(100))) {
                Ok(Some(Event::Closed { connection, .. })) => {
                    let _ = self.line.listener.linger(connection);
                    return;
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}

/// Sends the answer; a sender that has left does not need it.
fn tell(listener: &mut Listener, connection: ConnectionId, sum: &Sum) {
    match listener.send_blocking(connection, &answer(sum), Some(Duration::from_secs(10))) {
        Ok(()) | Err(Error::Closed(_) | Error::NoConnection) => {}
        Err(error) => say(&format!("cannot notify the sender: {error}")),
    }
}
