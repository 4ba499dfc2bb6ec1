//! Receives files from any number of senders at once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use nacre_runtime::{ConnectionId, Error, Event, Listener, Options, Reason, Stack};

use super::doorkeeper::Doorkeeper;
use super::failure::Failure;
use super::framing::{Answer, Head, Sum};
use super::line::{introduce, Line};
use super::protection::Protection;
use super::report::Moved;
use super::share::in_the_way;
use super::store::{Partial, Store};
use super::storing::Storing;
use crate::args::Receive;
use crate::console::{say, Exit, Limited};
use crate::interrupt::{Interrupt, TURN};
use crate::progress::Progress;

/// Receives files; with `--once`, the default for a file as target, until one is complete: a sender that breaks off
/// does not end it.
pub fn receive(args: &Receive, stack: &Stack, protection: &Protection) -> Result<Exit, Failure> {
    let store = Store::open(&args.out, args.overwrite)?;
    let once = args.once || (!args.serve && !store.is_folder());
    let mut line = Line::open(args.listen, &args.net, Options::default(), protection)?;
    line.listener.serve(stack)?;
    say(&format!("listening on {} with {}", line.listener.local(), introduce(stack)));
    let doorkeeper = Doorkeeper::new(protection, &args.allowed.allow);
    doorkeeper.introduce();
    let mut receiver = Receiver {
        args,
        line,
        doorkeeper,
        store,
        incoming: HashMap::new(),
        storing: vec![],
        early: BTreeMap::new(),
        early_bytes: 0,
        looked: Instant::now(),
        told: HashSet::new(),
        last: None,
        words: Limited::default(),
    };
    let interrupt = Interrupt::watch()?;
    loop {
        if interrupt.came() {
            receiver.leave();
            return Ok(interrupt.exit());
        }
        match receiver.next()? {
            Some(intact) if once => {
                receiver.farewell();
                receiver.stop_storing();
                return Ok(if intact { Exit::Yes } else { Exit::No });
            }
            _ => {}
        }
    }
}

/// The time limit for leaving senders; a second signal ends the program at once.
const FAREWELL: Duration = Duration::from_secs(5);
/// The maximum number of concurrent transfers. At the limit a new sender is rejected as busy, unless another network
/// holds more than its share: then the youngest transfer of that network is.
const TRANSFERS: usize = 256;
/// The interval at which files that are being stored are polled.
const SOON: Duration = Duration::from_millis(1);
/// Bytes that are kept of senders that are not confirmed, of each and of all: nothing is stored for these.
const EARLY: usize = 256 << 10;
const EARLY_IN_ALL: usize = 8 << 20;

/// A file that is being received.
struct Incoming {
    head: Head,
    partial: Partial,
    left: u64,
    begun: Instant,
    progress: Progress,
}

struct Receiver<'r> {
    args: &'r Receive,
    line: Line,
    doorkeeper: Doorkeeper<'r>,
    store: Store,
    incoming: HashMap<ConnectionId, Incoming>,
    /// Files of which everything has come.
    storing: Vec<Storing>,
    /// The messages of senders that are not confirmed yet.
    early: BTreeMap<ConnectionId, Vec<Vec<u8>>>,
    early_bytes: usize,
    looked: Instant,
    /// Whom was told why its file is not taken; they have not closed yet.
    told: HashSet<ConnectionId>,
    /// Whose file was complete last.
    last: Option<ConnectionId>,
    words: Limited,
}

/// The reaction to an event, once its message is no longer borrowed.
enum Turn {
    Nothing,
    Message(ConnectionId, Vec<u8>),
    Arrived(ConnectionId),
    Opened(ConnectionId),
    Ended(ConnectionId, Reason),
    Tell(String),
}

impl Receiver<'_> {
    /// Handles one event; returns whether the file is intact, if the event completes one.
    fn next(&mut self) -> Result<Option<bool>, Failure> {
        self.doorkeeper.report(&self.line.listener, &mut self.words);
        if let Some(done) = self.storing.iter().position(Storing::is_done) {
            let storing = self.storing.remove(done);
            return Ok(self.finish(storing));
        }
        if let Some(connection) = self.confirmed_since() {
            self.take_early(connection);
            return Ok(None);
        }
        let event = self.line.listener.wait(Some(if self.storing.is_empty() { TURN } else { SOON }))?;
        let turn = match event {
            Some(Event::Delivered { connection, message, .. }) => Turn::Message(connection, message.to_vec()),
            Some(Event::Arrived { connection, .. }) => Turn::Arrived(connection),
            Some(Event::Opened { connection, .. }) => Turn::Opened(connection),
            Some(Event::Closed { connection, reason, .. }) => Turn::Ended(connection, reason),
            Some(Event::OtherStack(what)) => Turn::Tell(what.description()),
            _ => Turn::Nothing,
        };
        match turn {
            Turn::Nothing => {}
            Turn::Tell(words) => self.words.say(&words),
            Turn::Arrived(connection) => {
                self.doorkeeper.admits(&mut self.line.listener, connection, &mut self.words);
            }
            Turn::Opened(connection) => self.take_early(connection),
            Turn::Ended(connection, reason) => self.ended(connection, reason),
            // A connection that has ended leaves nothing behind: its `Closed` may have come before.
            Turn::Message(connection, _) if self.line.listener.peer(connection).is_err() => {}
            Turn::Message(connection, message) if !self.is_confirmed(connection) => self.keep(connection, message),
            Turn::Message(connection, message) => {
                self.take_early(connection);
                self.received(connection, &message);
            }
        }
        Ok(None)
    }

    /// Whether a sender has shown that it is where it claims to be.
    fn is_confirmed(&self, connection: ConnectionId) -> bool {
        self.incoming.contains_key(&connection)
            || self.line.listener.statistics_of(connection).is_ok_and(|statistics| statistics.confirmed)
    }

    /// Keeps a message until its sender is confirmed: its address may be forged.
    fn keep(&mut self, connection: ConnectionId, message: Vec<u8>) {
        let kept = self.early.entry(connection).or_default();
        let bytes = message.len() + kept.iter().map(Vec::len).sum::<usize>();
        if bytes > EARLY || self.early_bytes + message.len() > EARLY_IN_ALL {
            self.forget_early(connection);
            self.line.listener.discard(connection);
            self.words.say("a sender was rejected: too much arrived before it was confirmed");
            return;
        }
        self.early_bytes += message.len();
        kept.push(message);
    }

    fn forget_early(&mut self, connection: ConnectionId) -> Vec<Vec<u8>> {
        let messages = self.early.remove(&connection).unwrap_or_default();
        self.early_bytes -= messages.iter().map(Vec::len).sum::<usize>();
        messages
    }

    /// A sender that is confirmed now, and has messages from before. A ping confirms without an event, so this is
    /// looked at from time to time.
    fn confirmed_since(&mut self) -> Option<ConnectionId> {
        if self.early.is_empty() || self.looked.elapsed() < TURN {
            return None;
        }
        self.looked = Instant::now();
        self.early.keys().find(|connection| self.is_confirmed(**connection)).copied()
    }

    fn take_early(&mut self, connection: ConnectionId) {
        for message in self.forget_early(connection) {
            if self.line.listener.peer(connection).is_err() {
                break;
            }
            self.received(connection, &message);
        }
    }

    fn ended(&mut self, connection: ConnectionId, reason: Reason) {
        self.told.remove(&connection);
        let early = self.forget_early(connection);
        let begun = self.incoming.contains_key(&connection);
        if !begun && self.storing.iter().any(|storing| storing.connection == connection) {
            return;
        }
        match reason {
            Reason::Closed | Reason::Incomplete if begun => self.give_up(connection, "the sender has left"),
            Reason::Closed if early.is_empty() => {}
            other => self.give_up(connection, &other.to_string()),
        }
    }

    /// Handles a message of a confirmed sender. An error of one sender, or a full disk, does not affect the others.
    fn received(&mut self, connection: ConnectionId, message: &[u8]) {
        if self.told.contains(&connection) {
            return;
        }
        self.message(connection, message).unwrap_or_else(|why| self.reject(connection, why));
    }

    /// Ends a transfer, and tells the sender why.
    fn reject(&mut self, connection: ConnectionId, why: String) {
        self.give_up(connection, &why);
        self.told.insert(connection);
        let listener = &mut self.line.listener;
        let told = listener.send(connection, &Answer::Failed(why).write());
        if told.is_err() || listener.close(connection).is_err() {
            listener.discard(connection);
            self.told.remove(&connection);
        }
    }

    /// Makes room for a transfer, if there are too many: one of the network that has most ends.
    fn make_room(&mut self, newcomer: ConnectionId) -> Result<(), String> {
        if self.incoming.len() < TRANSFERS {
            return Ok(());
        }
        let busy = || format!("the receiver is busy with {TRANSFERS} transfers");
        let listener = &self.line.listener;
        let address = |connection: ConnectionId| listener.peer(connection).ok().map(|peer| peer.ip());
        let mut transfers: Vec<_> = self.incoming.iter().map(|(id, incoming)| (incoming.begun, *id)).collect();
        transfers.sort();
        let transfers: Vec<_> = transfers.into_iter().filter_map(|(_, id)| Some((id, address(id)?))).collect();
        let other = address(newcomer).and_then(|ip| in_the_way(&transfers, ip)).ok_or_else(busy)?;
        self.reject(other, busy());
        Ok(())
    }

    fn message(&mut self, connection: ConnectionId, message: &[u8]) -> Result<(), String> {
        let Some(incoming) = self.incoming.get_mut(&connection) else {
            let head = Head::read(message).ok_or("it does not begin as `nacre run send` does")?;
            self.make_room(connection)?;
            let incoming = self.begin(head)?;
            self.incoming.insert(connection, incoming);
            return Ok(());
        };
        if incoming.left > 0 {
            let length = message.len() as u64;
            incoming.left = incoming.left.checked_sub(length).ok_or("more bytes arrived than announced")?;
            incoming.progress.add(length);
            return incoming.partial.write(message).map_err(|error| format!("cannot store it: {error}"));
        }
        let sum: Sum = message.try_into().map_err(|_| "the sum at the end is missing")?;
        self.store(connection, sum)
    }

    /// Everything of a file has come.
    fn store(&mut self, connection: ConnectionId, sum: Sum) -> Result<(), String> {
        let Some(Incoming { head, partial, begun, .. }) = self.incoming.remove(&connection) else { return Ok(()) };
        if self.storing.len() == TRANSFERS {
            return Err(format!("the receiver stores {TRANSFERS} files"));
        }
        let storing = Storing::begin(connection, partial, (head, begun), sum);
        self.storing.push(storing.map_err(|error| format!("cannot store it: {error}"))?);
        Ok(())
    }

    fn begin(&mut self, head: Head) -> Result<Incoming, String> {
        let name = head.safe_name();
        let partial = self.store.begin(&name).map_err(|error| format!("cannot store it: {error}"))?;
        let progress = Progress::of_bytes(head.size, &name);
        let (left, begun) = (head.size, Instant::now());
        Ok(Incoming { head, partial, left, begun, progress })
    }

    /// A file is stored, or cannot be; returns whether it is intact.
    fn finish(&mut self, storing: Storing) -> Option<bool> {
        let (connection, head, other_sum) = (storing.connection, storing.head.clone(), storing.other_sum);
        let begun = storing.begun;
        self.last = Some(connection);
        let placed = storing.end().and_then(|(stored, sum)| match sum == other_sum {
            true => Ok((stored.place()?.display().to_string(), sum)),
            false => Ok((head.safe_name(), sum)),
        });
        let (name, sum) = match placed {
            Ok(placed) => placed,
            Err(error) => {
                self.reject(connection, format!("cannot store {}: {error}", head.safe_name()));
                return None;
            }
        };
        let time = begun.elapsed();
        let listener = &mut self.line.listener;
        let peer = listener.peer(connection).map_or_else(|_| "a peer that has gone".into(), |peer| peer.to_string());
        let peer_key = listener.peer_key(connection).unwrap_or_default();
        tell(listener, connection, &sum);
        let statistics = listener.statistics_of(connection).unwrap_or_default();
        let moved = Moved {
            verb: "received",
            name: &name,
            peer,
            protection: self.doorkeeper.protection,
            peer_key,
            bytes: head.size,
            time,
            sum,
            other_sum,
            statistics: &statistics,
            faults: self.line.faults.as_ref(),
        };
        moved.report(self.args.net.json);
        Some(moved.is_intact())
    }

    /// Files that are not stored yet are removed.
    fn stop_storing(&mut self) {
        self.storing.iter().for_each(Storing::stop);
        for storing in std::mem::take(&mut self.storing) {
            self.finish(storing);
        }
    }

    fn give_up(&mut self, connection: ConnectionId, why: &str) {
        if let Some(incoming) = self.incoming.remove(&connection) {
            let (name, left) = (incoming.head.safe_name(), incoming.left);
            say(&format!("{name} is not complete ({left} bytes are missing): {why}"));
        } else {
            self.words.say(&format!("a connection has ended: {why}"));
        }
    }

    /// Handles an interruption: removes partial files and notifies the senders.
    fn leave(&mut self) {
        let begun: Vec<ConnectionId> = self.incoming.keys().copied().collect();
        begun.into_iter().for_each(|connection| self.give_up(connection, "interrupted"));
        self.stop_storing();
        let listener = &mut self.line.listener;
        let peers = listener.connections();
        for peer in &peers {
            let _ = listener.close(*peer);
        }
        let until = Instant::now() + FAREWELL;
        for peer in peers {
            let left = until.saturating_duration_since(Instant::now());
            // What was sent meanwhile is still acknowledged: the sender learns that we left, not that we died.
            if !matches!(listener.close_blocking(peer, Some(left)), Err(Error::TimedOut)) {
                let _ = listener.linger(peer);
            }
        }
    }

    /// Waits until the sender has closed, so that it receives the answer. That another one closes means nothing.
    fn farewell(&mut self) {
        let until = Instant::now() + FAREWELL;
        let is_there = |this: &Self| this.last.is_some_and(|last| this.line.listener.peer(last).is_ok());
        while Instant::now() < until && is_there(self) {
            match self.line.listener.wait(Some(Duration::from_millis(100))) {
                Ok(Some(Event::Closed { connection, .. })) if self.last == Some(connection) => {
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
    match listener.send_blocking(connection, &Answer::Sum(*sum).write(), Some(Duration::from_secs(10))) {
        Ok(()) | Err(Error::Closed(_) | Error::NoConnection) => {}
        Err(error) => say(&format!("cannot notify the sender: {error}")),
    }
}
