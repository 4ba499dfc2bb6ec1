//! Connections that are begun again when they are lost, after a pause that grows, and what is known of the messages of
//! a lost one. Nothing is sent twice: the application decides what becomes of messages whose fate is unknown.
//!
//! ```no_run
//! # use nacre_runtime::{Error, Listener, Stack};
//! # fn example(listener: &mut Listener, stack: &Stack) -> Result<(), Error> {
//! use nacre_runtime::reconnect::{Backoff, Happened, Reconnector, Target};
//!
//! let mut reconnector = Reconnector::new();
//! let to = Target::Name("localhost".into(), 7000);
//! let mut connection = reconnector.connect(listener, to, stack, Backoff::default())?;
//! loop {
//!     match reconnector.wait(listener, None)? {
//!         Some(Happened::Reconnecting { lost, .. }) => println!("{} messages may be lost", lost.unknown()),
//!         Some(Happened::Reconnected { connection: new, .. }) => connection = new,
//!         Some(Happened::Ended { reason, .. }) => return Err(Error::Closed(reason)),
//!         Some(Happened::Event(_)) => reconnector.send(listener, connection, b"hello")?,
//!         None => {}
//!     }
//! }
//! # }
//! ```

mod account;
mod backoff;
mod how;
mod kept;
mod target;

pub use account::{Account, Lost};
pub use backoff::{Backoff, Pause, Retries};
pub use how::{How, PrepareAgain};
pub use target::Target;

use crate::clock::nanoseconds;
use crate::error::{Error, Reason, Words};
use crate::event::{ConnectionId, Event, Head};
use crate::listener::Listener;
use crate::random::Random;
use crate::router::Found;
use crate::secure::keys::PublicKey;
use crate::stack::Stack;
use kept::{Kept, Phase, Verdict};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

/// What `Reconnector::poll` returns.
pub enum Happened<'a> {
    /// An event of the listener, as `Listener::poll` returns it.
    Event(Event<'a>),
    /// A connection was lost, or could not be opened again; it is begun again after this time. `connection` is the one
    /// that the application knows. `attempt` is 1 for the first one.
    Reconnecting { connection: ConnectionId, reason: Reason, lost: Lost, attempt: u32, after: Duration },
    /// The peer has answered on a new connection, which takes the place of the lost one.
    Reconnected { was: ConnectionId, connection: ConnectionId, peer: SocketAddr, peer_key: Option<PublicKey> },
    /// The connection has ended, and is not begun again: it was closed, the end is final, or there were tries enough.
    Ended { connection: ConnectionId, reason: Reason, words: Option<Words>, lost: Lost },
}

/// Begins the connections of a listener again that were lost. It takes the place of `Listener::poll` and `wait`.
pub struct Reconnector {
    kept: Vec<Kept>,
    reports: VecDeque<Happened<'static>>,
    random: Random,
}

impl Default for Reconnector {
    fn default() -> Reconnector {
        Reconnector::new()
    }
}

/// What becomes of an event of the listener.
enum Decision {
    Pass,
    Drop,
    Report(Happened<'static>),
}

impl Reconnector {
    /// Has no connections. Pauses are drawn from the system's random numbers.
    pub fn new() -> Reconnector {
        Reconnector::with_random(Random::from_system())
    }

    /// The same with pauses that follow from a generator, for tests.
    pub fn with_random(random: Random) -> Reconnector {
        Reconnector { kept: Vec::new(), reports: VecDeque::new(), random }
    }

    /// Begins a connection, and again each time it is lost. A host name is resolved before this returns, and again, in
    /// a thread, before each further attempt.
    ///
    /// Errors: as `Listener::connect`; `Io` if there is no such name.
    pub fn connect(
        &mut self,
        listener: &mut Listener,
        to: Target,
        stack: &Stack,
        backoff: Backoff,
    ) -> Result<ConnectionId, Error> {
        self.connect_with(listener, to, stack, backoff, How::default())
    }

    /// The same, for stacks with keys or given values.
    ///
    /// Errors: as `connect`, and as `Listener::connect_secure`.
    pub fn connect_with(
        &mut self,
        listener: &mut Listener,
        to: Target,
        stack: &Stack,
        backoff: Backoff,
        how: How,
    ) -> Result<ConnectionId, Error> {
        let kept = Kept::begin(listener, to, stack.clone(), backoff, how)?;
        let id = kept.known;
        self.kept.push(kept);
        Ok(id)
    }

    /// Sends a message, and counts it if it is accepted.
    ///
    /// Errors: as `Listener::send`; `Closed` with the reason of the loss while the connection is begun again: nothing
    /// is kept for it.
    pub fn send(&mut self, listener: &mut Listener, id: ConnectionId, message: &[u8]) -> Result<(), Error> {
        if let Some(reason) = self.is_lost(id) {
            return Err(Error::Closed(reason));
        }
        listener.send(id, message)?;
        self.note_sent(id);
        Ok(())
    }

    /// Counts a message that was sent by a call of the listener itself, such as `send_blocking`.
    pub fn note_sent(&mut self, id: ConnectionId) {
        self.of(id).into_iter().for_each(|kept| kept.account.note_accepted());
    }

    /// Counts a message that was sent by `Listener::call`, if the event is the one that sends.
    pub fn note_call(&mut self, id: ConnectionId, event: u16) {
        self.of(id).into_iter().for_each(|kept| kept.account.note_call(event));
    }

    /// What is known of the messages of a connection; None: it is none of these.
    pub fn account(&self, id: ConnectionId) -> Option<Lost> {
        self.kept.iter().find(|kept| kept.known == id).map(|kept| kept.account.lost())
    }

    /// Closes in order, and does not begin again: `Ended` follows, also while the connection is lost.
    ///
    /// Errors: as `Listener::close`.
    pub fn close(&mut self, listener: &mut Listener, id: ConnectionId) -> Result<(), Error> {
        self.close_by(listener, id, |listener| listener.close(id))
    }

    /// The same with a code and a text for the peer's application.
    ///
    /// Errors: as `Listener::close_with`.
    pub fn close_with(
        &mut self,
        listener: &mut Listener,
        id: ConnectionId,
        code: u32,
        text: &str,
    ) -> Result<(), Error> {
        self.close_by(listener, id, |listener| listener.close_with(id, code, text))
    }

    fn close_by(
        &mut self,
        listener: &mut Listener,
        id: ConnectionId,
        close: impl FnOnce(&mut Listener) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.is_lost(id).is_some() {
            self.end_lost(listener, id);
            return Ok(());
        }
        close(listener)?;
        self.of(id).into_iter().for_each(|kept| kept.closing = true);
        Ok(())
    }

    /// Ends a connection at once, and does not begin again; no event follows.
    pub fn discard(&mut self, listener: &mut Listener, id: ConnectionId) {
        if let Some(at) = self.kept.iter().position(|kept| kept.known == id) {
            self.kept.swap_remove(at).discard(listener);
        } else {
            listener.discard(id);
        }
        self.reports.retain(|report| !report.concerns(id));
    }

    /// Lets a connection be as any other of the listener: it is not begun again. One that is lost ends without a word.
    pub fn release(&mut self, listener: &mut Listener, id: ConnectionId) {
        if let Some(at) = self.kept.iter().position(|kept| kept.known == id) {
            let kept = self.kept.swap_remove(at);
            if !matches!(kept.phase, Phase::Begun(current) if current == id) {
                kept.discard(listener);
            }
        }
    }

    /// Why the connection is lost and will be begun again; None: it is not lost.
    pub fn is_lost(&self, id: ConnectionId) -> Option<Reason> {
        let kept = self.kept.iter().find(|kept| kept.known == id)?;
        (!matches!(kept.phase, Phase::Begun(current) if current == id)).then_some(kept.reason)
    }

    /// What happened next, without waiting. As `Listener::poll`, which must not be called beside it.
    pub fn poll<'a>(&mut self, listener: &'a mut Listener) -> Option<Happened<'a>> {
        match self.find(listener, |listener| Ok(listener.find())) {
            Ok(Some(Decided::Found(found))) => listener.router.lend(Some(found)).map(Happened::Event),
            Ok(Some(Decided::Report(report))) => Some(report),
            _ => None,
        }
    }

    /// The same, waiting for it: as `Listener::wait`.
    ///
    /// Errors: as `Listener::wait`.
    pub fn wait<'a>(
        &mut self,
        listener: &'a mut Listener,
        time: Option<Duration>,
    ) -> Result<Option<Happened<'a>>, Error> {
        let until = time.map_or(u64::MAX, |time| listener.now().saturating_add(nanoseconds(time)));
        loop {
            let wake = until.min(self.next_deadline());
            let found = self.find(listener, |listener| listener.wait_found(wake))?;
            let is_over = listener.was_woken || listener.now() >= until;
            match found {
                Some(Decided::Found(found)) => return Ok(listener.router.lend(Some(found)).map(Happened::Event)),
                Some(Decided::Report(report)) => return Ok(Some(report)),
                None if is_over => return Ok(None),
                None => {}
            }
        }
    }

    /// When `poll` has something to do even if no frame arrives, besides `Listener::next_deadline`.
    pub fn next_deadline(&self) -> u64 {
        let earliest = self.kept.iter().map(Kept::deadline).min().unwrap_or(u64::MAX);
        if self.reports.is_empty() {
            earliest
        } else {
            0
        }
    }

    /// Begins what is due, and decides about the listener's events until one is for the application.
    fn find(
        &mut self,
        listener: &mut Listener,
        mut next: impl FnMut(&mut Listener) -> Result<Option<Found>, Error>,
    ) -> Result<Option<Decided>, Error> {
        loop {
            self.begin_due(listener);
            if let Some(report) = self.reports.pop_front() {
                return Ok(Some(Decided::Report(report)));
            }
            let Some(found) = next(listener)? else { return Ok(None) };
            // Nothing is to be decided about what a quick entry has delivered.
            let Some(head) = listener.router.head_of(found) else { return Ok(Some(Decided::Found(found))) };
            match self.decide(head, listener.now()) {
                Decision::Pass => return Ok(Some(Decided::Found(found))),
                Decision::Report(report) => return Ok(Some(Decided::Report(report))),
                Decision::Drop => {}
            }
        }
    }

    fn decide(&mut self, head: &Head, now: u64) -> Decision {
        let Some(id) = head.connection() else { return Decision::Pass };
        let Some(at) = self.kept.iter().position(|kept| matches!(kept.phase, Phase::Begun(current) if current == id))
        else {
            return Decision::Pass;
        };
        let kept = &mut self.kept[at];
        match head {
            Head::Opened { peer, peer_key, .. } => {
                let was = kept.open(id, now, *peer_key);
                match was == id {
                    true => Decision::Pass,
                    false => Decision::Report(Happened::Reconnected {
                        was,
                        connection: id,
                        peer: *peer,
                        peer_key: *peer_key,
                    }),
                }
            }
            Head::Closed { reason, words, .. } => {
                let words = words.as_deref().cloned();
                Decision::Report(self.lose(at, *reason, words, now))
            }
            Head::Other { event, arguments, .. } => {
                kept.account.note_event(*event, *arguments);
                Decision::Pass
            }
            // What an attempt meets is nothing that the application knows the name of.
            Head::Error { .. } | Head::OtherStack(_) if kept.known != id => Decision::Drop,
            _ => Decision::Pass,
        }
    }

    /// A connection has ended, or could not be begun.
    fn lose(&mut self, at: usize, reason: Reason, words: Option<Words>, now: u64) -> Happened<'static> {
        let kept = &mut self.kept[at];
        let (connection, lost) = (kept.known, kept.account.lost());
        match kept.lose(reason, words.as_ref(), now, &mut self.random) {
            Verdict::Again { attempt, after } => {
                Happened::Reconnecting { connection, reason, lost, attempt, after: Duration::from_nanos(after) }
            }
            Verdict::Final => {
                self.kept.swap_remove(at);
                Happened::Ended { connection, reason, words, lost }
            }
        }
    }

    fn begin_due(&mut self, listener: &mut Listener) {
        let now = listener.now();
        for at in (0..self.kept.len()).rev() {
            if self.kept[at].deadline() > now {
                continue;
            }
            match self.kept[at].begin_again(listener) {
                None => {}
                Some(Ok(connection)) => {
                    // A stack that says nothing by itself learns of its peer only by what the application sends.
                    let peer = listener.peer(connection);
                    if let (false, Ok(peer)) = (self.kept[at].hears_of_opening(), peer) {
                        let was = self.kept[at].open(connection, now, None);
                        self.reports.push_back(Happened::Reconnected { was, connection, peer, peer_key: None });
                    }
                }
                Some(Err(_)) => {
                    let report = self.lose(at, Reason::Unreachable, None, now);
                    self.reports.push_back(report);
                }
            }
        }
    }

    fn end_lost(&mut self, listener: &mut Listener, id: ConnectionId) {
        let Some(at) = self.kept.iter().position(|kept| kept.known == id) else { return };
        let kept = self.kept.swap_remove(at);
        let lost = kept.account.lost();
        self.reports.retain(|report| !report.concerns(id));
        self.reports.push_back(Happened::Ended { connection: id, reason: kept.reason, words: None, lost });
        kept.discard(listener);
    }

    fn of(&mut self, id: ConnectionId) -> Option<&mut Kept> {
        self.kept.iter_mut().find(|kept| kept.known == id)
    }
}

/// What `find` found for the application.
enum Decided {
    Found(Found),
    Report(Happened<'static>),
}

impl Happened<'_> {
    fn concerns(&self, id: ConnectionId) -> bool {
        match self {
            Happened::Event(_) => false,
            Happened::Reconnecting { connection, .. }
            | Happened::Reconnected { connection, .. }
            | Happened::Ended { connection, .. } => *connection == id,
        }
    }
}
