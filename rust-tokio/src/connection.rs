//! A connection, as a task uses it.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use nacre_runtime::{ConnectionId, ConnectionStatistics, Listener, PublicKey};
use tokio::sync::Notify;
use tokio::task::coop::consume_budget;

use crate::error::{Ended, Error};
use crate::shared::Shared;
use crate::slot::{Incoming, Slot};

/// A connection with a peer. All calls take `&self`: behind an `Arc`, one task can send while another one receives.
///
/// Dropping it closes the connection in order, in the background: what was sent is delivered first, for as long as the
/// tokio runtime lives, and [`Limits::close`](crate::Limits) at the most. A program that ends awaits
/// [`close`](Connection::close) instead.
pub struct Connection {
    slot: Arc<Slot>,
    shared: Arc<Shared>,
}

impl Connection {
    /// The handle of a connection; the core has counted it.
    pub(crate) fn new(slot: Arc<Slot>, shared: Arc<Shared>) -> Connection {
        Connection { slot, shared }
    }

    /// Its name at the listener.
    pub fn id(&self) -> ConnectionId {
        self.slot.id
    }

    /// The address of the peer; of a connection that has ended, the first one.
    pub fn peer(&self) -> SocketAddr {
        let now = self.shared.with(|core| core.listener.peer(self.slot.id).ok());
        now.ok().flatten().unwrap_or(self.slot.peer)
    }

    /// The longest message in bytes that the stack ever accepts.
    pub fn max_message(&self) -> usize {
        self.slot.max_message
    }

    /// Numbers about the connection.
    ///
    /// Errors: `Ended`; `Runtime` if it is just ending.
    pub fn statistics(&self) -> Result<ConnectionStatistics, Error> {
        self.check()?;
        Ok(self.shared.with(|core| core.listener.statistics_of(self.slot.id))??)
    }

    /// Events without messages that were dropped because neither `next` nor `recv` was called.
    pub fn lost_events(&self) -> u64 {
        self.slot.state().lost_events
    }

    /// Waits until the peer has shown that it receives this end's frames; returns the public key that the peer of a
    /// secure connection has proven to have.
    ///
    /// Errors: why the connection ended before.
    pub async fn opened(&self) -> Result<Option<PublicKey>, Ended> {
        wait(&self.slot.incoming, || {
            let state = self.slot.state();
            state.opened.map(Ok).or_else(|| state.ended.clone().map(Err))
        })
        .await
    }

    /// Sends a message, waiting until the stack accepts it. Calls of several tasks are accepted in the order in which
    /// they began.
    ///
    /// Cancel-safe: the message was sent if and only if the call has returned `Ok`.
    ///
    /// Errors: `Ended`; `Runtime` with `TooLong` or `Invalid`.
    pub async fn send(&self, message: &[u8]) -> Result<(), Error> {
        self.call_when_accepted(|listener, id| listener.send(id, message)).await
    }

    /// Sends a message, if the stack accepts it now and no other call waits for that.
    ///
    /// Errors: as `send`; `Runtime` with `Refused` if it does not.
    pub fn try_send(&self, message: &[u8]) -> Result<(), Error> {
        let turn = self.slot.turn.try_lock();
        match turn.is_ok() && self.attempt(&mut |listener, id| listener.send(id, message))? {
            true => Ok(()),
            false => Err(nacre_runtime::Error::Refused.into()),
        }
    }

    /// Calls any input event of the stack by its index (`Stack::input_event`), waiting until the stack accepts it; as
    /// `send` otherwise.
    pub async fn call(&self, event: u16, arguments: &[u64], message: &[u8]) -> Result<(), Error> {
        self.call_when_accepted(|listener, id| listener.call(id, event, arguments, None, message)).await
    }

    /// The next message. Other events that came before it are dropped: `next` returns those, too.
    ///
    /// Cancel-safe: a call that is cancelled has taken nothing.
    ///
    /// Errors: why the connection has ended, once all its messages were taken.
    pub async fn recv(&self) -> Result<Vec<u8>, Ended> {
        consume_budget().await;
        wait(&self.slot.incoming, || loop {
            match self.take()? {
                Ok(Incoming::Message { bytes, .. }) => return Some(Ok(bytes)),
                Ok(_) => {}
                Err(ended) => return Some(Err(ended)),
            }
        })
        .await
    }

    /// What was received next, in order: messages and events.
    ///
    /// Cancel-safe: a call that is cancelled has taken nothing.
    ///
    /// Errors: why the connection has ended, once everything was taken.
    pub async fn next(&self) -> Result<Incoming, Ended> {
        consume_budget().await;
        wait(&self.slot.incoming, || self.take()).await
    }

    /// Closes in order and waits until the peer's stack has everything that was sent here, and the peer needs no answer
    /// any more. Messages that come meanwhile are dropped: who must read to the end closes when it has. A call that is
    /// cancelled has begun to close.
    ///
    /// Errors: why the connection ended otherwise: it is not known that everything has arrived.
    pub async fn close(self) -> Result<(), Ended> {
        self.close_by(|listener, id| listener.close(id)).await
    }

    /// The same; the peer's connection ends with this code and text, unless they are lost on the way.
    ///
    /// Errors: as `close`; `Runtime` with `Invalid` if the text has more than 255 bytes, and the connection is closed
    /// without it.
    pub async fn close_with(self, code: u32, text: &str) -> Result<(), Error> {
        let mut invalid = None;
        let closed = self.close_by(|listener, id| match listener.close_with(id, code, text) {
            Err(error @ nacre_runtime::Error::Invalid(_)) => {
                invalid = Some(error);
                listener.close(id)
            }
            done => done,
        });
        closed.await?;
        invalid.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Ends the connection at once. The peer's ends with `Refused`, this code and this text; undelivered messages are
    /// lost.
    ///
    /// Errors: `Runtime` with `Invalid` if the text has more than 255 bytes, and the connection is closed without it.
    pub fn refuse(self, code: u32, text: &str) -> Result<(), Error> {
        self.shared.with(|core| match core.listener.refuse(self.slot.id, code, text) {
            Err(error @ nacre_runtime::Error::Invalid(_)) => Err(error.into()),
            // It may have ended before.
            _ => {
                core.forget(&self.slot, Ended::Stopped);
                Ok(())
            }
        })?
    }

    /// Ends the connection at once, without a word to the peer; undelivered messages are lost.
    pub fn discard(self) {
        let _ = self.shared.with(|core| core.discard(&self.slot));
    }

    fn check(&self) -> Result<(), Ended> {
        self.slot.state().ended.clone().map_or(Ok(()), Err)
    }

    /// What was received next, or how it ended; None: nothing yet.
    fn take(&self) -> Option<Result<Incoming, Ended>> {
        let mut state = self.slot.state();
        let Some(incoming) = self.slot.pop(&mut state) else { return state.ended.clone().map(Err) };
        let is_held_back = state.is_paused || state.ungranted > 0;
        drop(state);
        let is_reported = self.slot.has_receipts && matches!(incoming, Incoming::Message { .. });
        // If the driver has stopped, nobody is held back, and nothing is reported.
        if is_held_back {
            let _ = self.shared.with(|core| core.relieve(&self.slot));
        }
        if is_reported {
            let _ = self.shared.with(|core| core.note_taken(&self.slot));
        }
        Some(Ok(incoming))
    }

    pub(crate) async fn call_when_accepted(
        &self,
        mut call: impl FnMut(&mut Listener, ConnectionId) -> Result<(), nacre_runtime::Error>,
    ) -> Result<(), Error> {
        let _turn = self.slot.turn.lock().await;
        if self.attempt(&mut call)? {
            return Ok(());
        }
        let _waiting = Waiting::begin(self)?;
        wait(&self.slot.writable, || match self.attempt(&mut call) {
            Ok(true) => Some(Ok(())),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        })
        .await
    }

    /// Makes a call, unless the connection has ended. Returns whether the stack has accepted it.
    fn attempt(
        &self,
        call: &mut impl FnMut(&mut Listener, ConnectionId) -> Result<(), nacre_runtime::Error>,
    ) -> Result<bool, Error> {
        use nacre_runtime::Error::{Closed, NoConnection, Refused};
        let made = self.shared.with(|core| match call(&mut core.listener, self.slot.id) {
            Ok(()) => {
                self.slot.state().has_sent = true;
                Ok(true)
            }
            // If the connection has ended, the event that says why has come or is on its way.
            Err(Refused | NoConnection | Closed(_)) => self.check().map(|()| false).map_err(Error::Ended),
            Err(error) => Err(Error::Runtime(error)),
        });
        match made {
            Ok(done) => done,
            Err(stopped) => {
                self.check()?;
                Err(stopped.into())
            }
        }
    }

    async fn close_by(
        &self,
        close: impl FnOnce(&mut Listener, ConnectionId) -> Result<(), nacre_runtime::Error>,
    ) -> Result<(), Ended> {
        self.shared.with(|core| {
            core.deafen(&self.slot);
            // The peer may have closed first.
            let _ = close(&mut core.listener, self.slot.id);
        })?;
        let ended = wait(&self.slot.incoming, || self.slot.state().ended.clone()).await;
        if !ended.is_orderly() {
            return Err(ended);
        }
        self.shared.with(|core| core.watch_lingering(&self.slot))?;
        wait(&self.slot.incoming, || self.slot.state().is_over.then_some(())).await;
        Ok(())
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("id", &self.slot.id).field("peer", &self.slot.peer).finish()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.shared.with(|core| core.abandon(&self.slot));
    }
}

/// A call that waits until the stack accepts a message.
struct Waiting<'a>(&'a Connection);

impl Waiting<'_> {
    fn begin(connection: &Connection) -> Result<Waiting<'_>, Ended> {
        let waiting = Waiting(connection);
        connection.shared.with(|core| core.begin_to_wait(&connection.slot))??;
        Ok(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.slot.state().is_sending = false;
    }
}

/// Waits until something can be taken. It is taken in the step in which the call returns, so nothing is lost if it is
/// cancelled; and it is looked for after the call has begun to wait, so that no wake-up is missed.
pub(crate) async fn wait<T>(notify: &Notify, mut take: impl FnMut() -> Option<T>) -> T {
    if let Some(taken) = take() {
        return taken;
    }
    loop {
        let mut notified = pin!(notify.notified());
        notified.as_mut().enable();
        if let Some(taken) = take() {
            return taken;
        }
        notified.await;
    }
}
