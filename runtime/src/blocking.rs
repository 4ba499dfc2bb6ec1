//! Calls that wait. Events that they do not wait for are kept for `poll`, in order.

use crate::clock::nanoseconds;
use crate::error::{Error, Reason};
use crate::event::{ConnectionId, Event, Head, Pending};
use crate::listener::Listener;
use crate::router::Found;
use crate::waker::Woken;
use std::io;
use std::time::Duration;

impl Listener {
    /// `poll`, but waits until there is an event, the time has passed (None: without end), or a [`Waker`] was used.
    ///
    /// Errors: `Interrupted` by a signal; `Io` if the system cannot wait for the socket. So of all calls that wait.
    ///
    /// [`Waker`]: crate::Waker
    pub fn wait(&mut self, time: Option<Duration>) -> Result<Option<Event<'_>>, Error> {
        let until = self.until(time);
        let found = self.wait_found(until)?;
        Ok(self.router.lend(found))
    }

    /// The same until a time, before the event is lent.
    pub(crate) fn wait_found(&mut self, until: u64) -> Result<Option<Found>, Error> {
        self.is_emptied = false;
        loop {
            let found = self.find();
            self.was_woken = found.is_none() && self.take_woken();
            if found.is_some() || self.was_woken || self.now() >= until {
                return Ok(found);
            }
            if self.router.events().is_empty() {
                self.sleep(until)?;
            }
        }
    }

    /// Sends a message, driving the listener until the stack accepts it.
    ///
    /// Events that arrive meanwhile are kept, including the end of the connection.
    ///
    /// Errors: `TimedOut` (it was not sent), and those of `send` but `Refused`; `OtherStack` if the peer refused.
    pub fn send_blocking(&mut self, id: ConnectionId, message: &[u8], time: Option<Duration>) -> Result<(), Error> {
        let mut until = None;
        loop {
            match self.send(id, message) {
                Err(Error::Refused) => {}
                Err(error) => return Err(self.says_why_ended(id).unwrap_or(error)),
                Ok(()) => {
                    self.forget_writable(id);
                    return Ok(());
                }
            }
            let until = *until.get_or_insert_with(|| self.until(time));
            self.turn(until)?;
        }
    }

    /// The next message of a connection, as a copy. The event of its end is taken: not for connections of a
    /// `Reconnector`.
    ///
    /// Errors: `TimedOut`; `Closed`, `OtherStack` if the connection ended, once all its messages were taken.
    pub fn receive(&mut self, id: ConnectionId, time: Option<Duration>) -> Result<Vec<u8>, Error> {
        let until = self.until(time);
        self.router.take_back();
        loop {
            let ours = |head: &Head| head.delivered_to() == Some(id);
            if let Some(pending) = self.router.events().take(ours) {
                self.router.owe(id);
                return Ok(pending.bytes);
            }
            if let Some(error) = self.why_ended(id) {
                return Err(error);
            }
            self.router.address_of(id)?;
            self.turn(until)?;
        }
    }

    /// The next connection that a peer begins.
    ///
    /// Errors: `TimedOut`.
    pub fn accept(&mut self, time: Option<Duration>) -> Result<ConnectionId, Error> {
        let until = self.until(time);
        loop {
            let arrived = self.router.events().take(|head| matches!(head, Head::Arrived { .. }));
            if let Some(Pending { head: Head::Arrived { connection, .. }, .. }) = arrived {
                return Ok(connection);
            }
            self.turn(until)?;
        }
    }

    /// Closes in order and waits until both sides have everything. Messages that come meanwhile are kept. The event of
    /// the end is taken: not for connections of a `Reconnector`.
    ///
    /// Errors: `TimedOut` (the connection is still there: `discard` it, or wait on); `Closed` if it ended otherwise,
    /// also if another call or an event has said so before; `NoConnection` if it was discarded, or ended long ago.
    pub fn close_blocking(&mut self, id: ConnectionId, time: Option<Duration>) -> Result<(), Error> {
        let until = self.until(time);
        match self.close(id) {
            // The peer may have closed first.
            Ok(()) | Err(Error::NoConnection | Error::Closed(_)) => {}
            Err(error) => return Err(error),
        }
        loop {
            match self.why_ended(id) {
                Some(Error::Closed(Reason::Closed)) => return Ok(()),
                Some(error) => return Err(error),
                None => {}
            }
            if !self.router.get(id).is_ok_and(|connection| connection.usable().is_ok()) {
                return self.router.how_ended(id);
            }
            self.turn(until)?;
        }
    }

    /// Answers the peer of a closed connection, in case it missed the last acknowledgement: until the peer has said
    /// that its stack has ended the connection too, for the time of the option `linger` at most. Then waits until the
    /// frames that the transport delays have left.
    ///
    /// Errors: `Io`.
    pub fn linger(&mut self, id: ConnectionId) -> Result<(), Error> {
        // The connection may have ended in the step whose last event the application still has.
        self.router.take_back();
        self.router.release();
        let until = self.now().saturating_add(nanoseconds(self.router.options().linger));
        loop {
            let lingers = self.router.get(id).is_ok_and(|connection| connection.usable().is_err());
            if !lingers && self.router.outbox().transport().deadline() > until {
                return Ok(());
            }
            match self.turn(until) {
                Err(Error::TimedOut | Error::Full(_)) => return Ok(()),
                turned => turned?,
            }
        }
    }

    /// Handles pending input and keeps the events, without waiting; for programs that drive several listeners.
    pub fn drive(&mut self) {
        self.is_emptied = false;
        for _ in 0..256 {
            self.router.release();
            if !self.work() {
                break;
            }
        }
        self.router.release();
        self.flush();
    }

    /// Does some work; if there is none, waits for it.
    fn turn(&mut self, until: u64) -> Result<(), Error> {
        self.router.release();
        if self.work() {
            self.router.release();
        } else if self.now() >= until {
            return Err(Error::TimedOut);
        } else if !self.router.events().has_room() {
            return Err(Error::Full("messages that wait to be taken"));
        } else {
            self.sleep(until)?;
        }
        Ok(())
    }

    fn sleep(&mut self, until: u64) -> Result<(), Error> {
        self.is_emptied = false;
        let (now, link) = (self.now(), self.router.outbox());
        let next = self.router.next_work().min(link.transport().deadline()).min(until);
        if next == 0 {
            return Ok(());
        }
        debug_assert!(!link.holds_some(), "`work` has sent what was held before it found nothing to do");
        let time = (next != u64::MAX).then(|| Duration::from_nanos(next.saturating_sub(now)));
        let woken = self.woken.as_ref();
        let waited = self.router.outbox_mut().wait(woken.map(Woken::bell), time);
        woken.inspect(|woken| woken.silence());
        waited.map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => Error::Interrupted,
            _ => Error::io("cannot wait for frames")(error),
        })
    }

    /// Whether the waker was used since the last time.
    fn take_woken(&self) -> bool {
        self.woken.as_ref().is_some_and(Woken::take)
    }

    /// Begins a call that waits so long; the system is asked at least once.
    fn until(&mut self, time: Option<Duration>) -> u64 {
        self.is_emptied = false;
        time.map_or(u64::MAX, |time| self.now().saturating_add(nanoseconds(time)))
    }

    /// How a connection ended, from the events that wait, which are taken.
    fn why_ended(&mut self, id: ConnectionId) -> Option<Error> {
        let error = self.says_why_ended(id)?;
        self.router.events().take(|head| head.refuses(id));
        self.router.events().take(|head| head.ends(id));
        Some(error)
    }

    /// The same; the events stay.
    fn says_why_ended(&mut self, id: ConnectionId) -> Option<Error> {
        let events = self.router.events();
        if let Some(Head::OtherStack(what)) = events.find(|head| head.refuses(id)) {
            return Some(what.clone().into_error());
        }
        match events.find(|head| head.ends(id))? {
            Head::Closed { reason: Reason::Refused, words: Some(words), .. } => {
                Some(Error::Rejected((**words).clone()))
            }
            Head::Closed { reason, .. } => Some(Error::Closed(*reason)),
            _ => None,
        }
    }

    /// Drops the events that do not concern messages or ends, for programs that never poll.
    pub(crate) fn forget_news(&mut self) {
        let kept = |head: &Head| match head {
            Head::Delivered { .. } | Head::Closed { .. } => true,
            Head::OtherStack(what) => what.connection.is_some(),
            _ => false,
        };
        self.router.events().retain(kept);
    }

    /// How many events wait.
    pub(crate) fn pending_len(&mut self) -> usize {
        self.router.events().len()
    }

    /// A caller that has sent by waiting needs no `Writable`.
    fn forget_writable(&mut self, id: ConnectionId) {
        if let Ok(connection) = self.router.get_mut(id) {
            connection.refused = None;
        }
        self.router.events().take(|head| matches!(head, Head::Writable { connection } if *connection == id));
    }
}
