//! Receives files from any number of senders at once.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use nacre_runtime::{ConnectionId, Error, Event, Options, Reason, Stack};

use super::doorkeeper::Doorkeeper;
use super::early::Early;
use super::failure::Failure;
use super::framing::{Answer, Message};
use super::incoming::Incoming;
use super::line::{introduce, Line};
use super::names::printable;
use super::protection::Protection;
use super::receiver::Receiver;
use super::report::Whole;
use super::share::in_the_way;
use super::store::Store;
use crate::args::Receive;
use crate::console::{is_unread, say, Exit, Limited};
use crate::interrupt::{EndAtOnce, Interrupt, TURN};

/// Receives files; with `--once`, the default for a file as target, until a sender is done: one that breaks off does
/// not end it.
pub fn receive(
    args: &Receive,
    stack: &Stack,
    protection: &Protection,
    interrupt: &Interrupt,
    early: EndAtOnce,
) -> Result<Exit, Failure> {
    let store = Store::open(&args.out, args.overwrite, args.resume)?;
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
        waiting: HashSet::new(),
        storing: vec![],
        early: Early::default(),
        looked: Instant::now(),
        worked: Instant::now(),
        told: HashSet::new(),
        words: Limited::default(),
    };
    drop(early);
    loop {
        if interrupt.came() {
            receiver.leave("interrupted");
            return Ok(interrupt.exit());
        }
        if !once && is_unread() {
            receiver.leave("nobody reads what the receiver prints");
            return Ok(Exit::Yes);
        }
        match receiver.next() {
            Ok(Some((last, is_whole))) if once => {
                receiver.farewell(last);
                receiver.give_up_all("the receiver ends");
                return Ok(if is_whole { Exit::Yes } else { Exit::No });
            }
            Err(failure) => {
                receiver.give_up_all("the receiver ends");
                return Err(failure);
            }
            Ok(_) => {}
        }
    }
}

/// The time limit for leaving senders; a second signal ends the program at once.
const FAREWELL: Duration = Duration::from_secs(5);
/// The maximum number of concurrent senders. At the limit a new sender is rejected as busy, unless another network
/// holds more than its share: then the youngest of that network is.
const SENDERS: usize = 256;
/// The interval at which files that are being stored or read are polled.
const SOON: Duration = Duration::from_millis(1);
/// The interval at which senders learn that their files are being stored or read.
const WORKING: Duration = Duration::from_secs(5);

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
    /// Handles one event; returns a sender that is done, and whether all of its files are stored.
    fn next(&mut self) -> Result<Option<(ConnectionId, bool)>, Failure> {
        self.doorkeeper.report(&self.line.listener, &mut self.words);
        if let Some(done) = self.storing.iter().position(|storing| storing.job.is_done()) {
            let storing = self.storing.remove(done);
            self.stored(storing);
        }
        self.go_on();
        if let Some(connection) = self.confirmed_since() {
            return Ok(self.take_early(connection));
        }
        let is_working = !self.storing.is_empty() || !self.waiting.is_empty();
        let event = self.line.listener.wait(Some(if is_working { SOON } else { TURN }))?;
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
            Turn::Tell(words) => self.words.say(&printable(&words)),
            Turn::Arrived(connection) => {
                self.doorkeeper.admits(&mut self.line.listener, connection, &mut self.words);
            }
            Turn::Opened(connection) => return Ok(self.take_early(connection)),
            Turn::Ended(connection, reason) => self.ended(connection, reason),
            // A connection that has ended leaves nothing behind: its `Closed` may have come before.
            Turn::Message(connection, _) if self.line.listener.peer(connection).is_err() => {}
            Turn::Message(connection, message) if !self.is_confirmed(connection) => self.keep(connection, message),
            Turn::Message(connection, message) => {
                let before = self.take_early(connection);
                return Ok(self.received(connection, &message).or(before));
            }
        }
        Ok(None)
    }

    /// Sends the answers that wait, and goes on with the files that have been read.
    fn go_on(&mut self) {
        let is_time = self.worked.elapsed() > WORKING;
        if is_time {
            self.worked = Instant::now();
            for storing in &self.storing {
                let waits = self.incoming.get_mut(&storing.connection).filter(|incoming| incoming.answers.is_empty());
                waits.into_iter().for_each(|incoming| incoming.answer(Answer::Working));
                self.waiting.insert(storing.connection);
            }
        }
        for connection in self.waiting.clone() {
            let Some(incoming) = self.incoming.get_mut(&connection) else {
                self.waiting.remove(&connection);
                continue;
            };
            if is_time && incoming.is_comparing() && incoming.answers.is_empty() {
                incoming.answer(Answer::Working);
            }
            let outcome = if incoming.has_read() { incoming.read() } else { Ok(None) };
            self.settle(connection, outcome);
            self.flush(connection);
        }
    }

    /// Sends answers, as far as the stack accepts them now.
    pub(super) fn flush(&mut self, connection: ConnectionId) {
        let Some(incoming) = self.incoming.get_mut(&connection) else { return };
        while let Some(answer) = incoming.answers.front() {
            match self.line.listener.send(connection, &answer.write()) {
                Ok(()) => {
                    let answer = incoming.answers.pop_front();
                    answer.into_iter().for_each(|answer| incoming.answered(&answer));
                }
                Err(Error::Refused) => break,
                // The sender does not need it any more.
                Err(_) => incoming.answers.clear(),
            }
        }
        match incoming.is_waiting() {
            true => self.waiting.insert(connection),
            false => self.waiting.remove(&connection),
        };
    }

    /// Whether a sender has shown that it is where it claims to be.
    fn is_confirmed(&self, connection: ConnectionId) -> bool {
        self.incoming.contains_key(&connection)
            || self.line.listener.statistics_of(connection).is_ok_and(|statistics| statistics.confirmed)
    }

    /// Keeps a message until its sender is confirmed: its address may be forged.
    fn keep(&mut self, connection: ConnectionId, message: Vec<u8>) {
        for sender in self.early.keep(connection, message) {
            self.line.listener.discard(sender);
            self.words.say("a sender was rejected: too much arrived before it was confirmed");
        }
    }

    /// A sender that is confirmed now, and has messages from before. A ping confirms without an event, so this is
    /// looked at from time to time.
    fn confirmed_since(&mut self) -> Option<ConnectionId> {
        if self.looked.elapsed() < TURN {
            return None;
        }
        self.looked = Instant::now();
        let found = self.early.senders().find(|connection| self.is_confirmed(*connection));
        found
    }

    fn take_early(&mut self, connection: ConnectionId) -> Option<(ConnectionId, bool)> {
        let mut done = None;
        for message in self.early.take(connection) {
            if self.line.listener.peer(connection).is_err() {
                break;
            }
            done = self.received(connection, &message).or(done);
        }
        done
    }

    fn ended(&mut self, connection: ConnectionId, reason: Reason) {
        self.told.remove(&connection);
        let early = self.early.take(connection);
        let begun = match self.incoming.get(&connection) {
            Some(incoming) if incoming.is_complete() => {
                self.incoming.remove(&connection);
                return;
            }
            incoming => incoming.is_some(),
        };
        match reason {
            Reason::Closed | Reason::Incomplete if begun => self.give_up(connection, "the sender has left"),
            Reason::Closed if early.is_empty() => {}
            other => self.give_up(connection, &other.to_string()),
        }
    }

    /// Handles a message of a confirmed sender; returns it if it is done. An error of one sender, or a full disk, does
    /// not affect the others.
    fn received(&mut self, connection: ConnectionId, message: &[u8]) -> Option<(ConnectionId, bool)> {
        if self.told.contains(&connection) {
            return None;
        }
        let outcome = match (Message::read(message), self.incoming.get_mut(&connection)) {
            (Ok(message), Some(incoming)) => incoming.take(message, &self.store),
            (Ok(Message::Hello), None) => self.begin(connection).map(|()| None),
            (Ok(_), None) => Err("it does not begin as `nacre run send` does".into()),
            (Err(why), _) => Err(why),
        };
        self.settle(connection, outcome);
        self.flush(connection);
        let done = self.incoming.get(&connection).filter(|incoming| incoming.is_complete())?;
        let Incoming { files, bytes, resumed, failed, .. } = *done;
        let whole = Whole { verb: "received", files, bytes, resumed, failed };
        let statistics = self.line.listener.statistics_of(connection).unwrap_or_default();
        whole.report(self.args.net.json, done.begun.elapsed(), &statistics, self.line.faults.as_ref());
        // A sender whose only file was not complete does not end the receiver.
        (done.files > 0 || done.failed == 0).then_some((connection, done.failed == 0))
    }

    /// Accepts a sender.
    fn begin(&mut self, connection: ConnectionId) -> Result<(), String> {
        self.make_room(connection)?;
        let key = self.line.listener.peer_key(connection).unwrap_or_default();
        let owner = key.map(|key| key.to_string()).unwrap_or_default();
        self.incoming.insert(connection, Incoming::new(owner, self.store.keeps));
        Ok(())
    }

    /// Ends a transfer, and tells the sender why.
    pub(super) fn reject(&mut self, connection: ConnectionId, why: String) {
        self.give_up(connection, &why);
        self.told.insert(connection);
        let listener = &mut self.line.listener;
        let told = listener.send(connection, &Answer::Failed(why).write());
        if told.is_err() || listener.close(connection).is_err() {
            listener.discard(connection);
            self.told.remove(&connection);
        }
    }

    /// Makes room for a sender, if there are too many: one of the network that has most ends.
    fn make_room(&mut self, newcomer: ConnectionId) -> Result<(), String> {
        if self.incoming.len() < SENDERS {
            return Ok(());
        }
        let busy = || format!("the receiver is busy with {SENDERS} transfers");
        let listener = &self.line.listener;
        let address = |connection: ConnectionId| listener.peer(connection).ok().map(|peer| peer.ip());
        let mut senders: Vec<_> = self.incoming.iter().map(|(id, incoming)| (incoming.begun, *id)).collect();
        senders.sort();
        let senders: Vec<_> = senders.into_iter().filter_map(|(_, id)| Some((id, address(id)?))).collect();
        let other = address(newcomer).and_then(|ip| in_the_way(&senders, ip)).ok_or_else(busy)?;
        self.reject(other, busy());
        Ok(())
    }

    /// Ends before the senders do: removes or keeps partial files and notifies the senders.
    fn leave(&mut self, why: &str) {
        self.give_up_all(why);
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

    /// Waits until a sender has closed, so that it receives the answers. That another one closes means nothing.
    fn farewell(&mut self, last: ConnectionId) {
        let until = Instant::now() + FAREWELL;
        while Instant::now() < until && self.line.listener.peer(last).is_ok() {
            match self.line.listener.wait(Some(Duration::from_millis(100))) {
                Ok(Some(Event::Closed { connection, .. })) if last == connection => {
                    let _ = self.line.listener.linger(connection);
                    return;
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}
