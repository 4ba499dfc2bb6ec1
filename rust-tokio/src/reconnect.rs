//! A connection that is begun again when it is lost.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nacre_runtime::random::Random;
use nacre_runtime::reconnect::{Account, Backoff, Lost, Retries};
use nacre_runtime::{Expect, PublicKey, Reason, Stack};
use tokio::time::Instant;

use crate::connection::Connection;
use crate::error::{Ended, Error};
use crate::listener::Listener;
use crate::slot::Incoming;

/// A connection that is begun again each time it is lost, after a pause, with its name looked up again. Nothing is sent
/// twice: the application decides what becomes of messages that were lost.
///
/// All calls take `&self`: behind an `Arc`, one task can send while another one calls [`next`](Reconnecting::next),
/// which drives it: it must be called for the connection to be begun again. Dropping it closes the connection as
/// dropping a [`Connection`] does.
pub struct Reconnecting {
    listener: Listener,
    to: String,
    stack: Stack,
    backoff: Backoff,
    /// Calls of `next` take turns.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    /// Whom to expect; if the application has not said so, the key of the first peer from then on.
    expect: Option<Expect>,
    retries: Retries,
    random: Random,
    /// Attempts ever made: each takes the next address.
    begun: usize,
}

impl State {
    fn note_opened(&mut self, peer_key: Option<PublicKey>, now: u64) {
        self.retries.note_opened(now);
        self.expect = self.expect.or(peer_key.map(Expect::Key));
    }
}

/// A connection, and what is known of its messages.
#[derive(Clone)]
struct Counted {
    connection: Arc<Connection>,
    account: Arc<Mutex<Account>>,
}

#[derive(Clone)]
enum Phase {
    Open(Counted),
    /// Begun, and the peer has not answered.
    Opening(Counted),
    Pausing(Instant),
    Over(Ended),
}

/// What [`Reconnecting::next`] returns.
#[derive(Debug)]
pub enum Change {
    /// What the connection has received.
    Incoming(Incoming),
    /// The connection was lost, or an attempt has failed; the next one is after this time.
    Reconnecting { ended: Ended, lost: Lost, attempt: u32, after: Duration },
    /// The peer has answered on a new connection.
    Reconnected { peer: SocketAddr, peer_key: Option<PublicKey> },
}

impl Reconnecting {
    /// Begins a connection by a listener that has no other use, with the name of a host and a port (`localhost:7000`).
    /// It does not wait for the peer: `next` returns `Incoming::Opened`.
    ///
    /// Errors: as [`Listener::connect`], and `Runtime` with `Io` if there is no such host.
    pub async fn connect(
        listener: Listener,
        to: impl Into<String>,
        stack: &Stack,
        backoff: Backoff,
    ) -> Result<Reconnecting, Error> {
        Reconnecting::connect_expecting(listener, to, stack, backoff, None).await
    }

    /// The same with whom each connection of a stack with keys expects. None: the first any peer, and those that take
    /// its place the key that the first peer has proven to have.
    ///
    /// Errors: as `connect`.
    pub async fn connect_expecting(
        listener: Listener,
        to: impl Into<String>,
        stack: &Stack,
        backoff: Backoff,
        expect: Option<Expect>,
    ) -> Result<Reconnecting, Error> {
        let (to, stack) = (to.into(), stack.clone());
        let addresses = look_up(&to).await?;
        let begun = begin(&listener, &addresses, 0, &stack, expect)?;
        let (retries, random) = (Retries::default(), Random::from_system());
        let state = Mutex::new(State { phase: Phase::Open(begun), expect, retries, random, begun: 1 });
        let turn = tokio::sync::Mutex::default();
        Ok(Reconnecting { listener, to, stack, backoff, turn, state })
    }

    /// Sends a message, as [`Connection::send`]. While the connection is lost nothing is kept.
    ///
    /// Cancel-safe, as `Connection::send`.
    ///
    /// Errors: `Ended` while the connection is lost, and as `Connection::send`.
    pub async fn send(&self, message: &[u8]) -> Result<(), Error> {
        let counted = match self.state().phase.clone() {
            Phase::Open(counted) => counted,
            Phase::Opening(_) | Phase::Pausing(_) => {
                return Err(Ended::Connection { reason: Reason::Unreachable, words: None }.into());
            }
            Phase::Over(ended) => return Err(ended.into()),
        };
        let account = &counted.account;
        // Counted in the step that accepts it: the end of the connection comes later.
        let call = counted.connection.call_when_accepted(|listener, id| {
            listener.send(id, message)?;
            lock(account).note_accepted();
            Ok(())
        });
        call.await
    }

    /// What happened next. It also begins the connection again, so it is called in a loop.
    ///
    /// Cancel-safe: a call that is cancelled has taken nothing.
    ///
    /// Errors: how the connection ended for good.
    pub async fn next(&self) -> Result<Change, Ended> {
        let _turn = self.turn.lock().await;
        loop {
            let phase = self.state().phase.clone();
            match phase {
                Phase::Over(ended) => return Err(ended),
                Phase::Open(counted) => {
                    return match counted.connection.next().await {
                        Ok(incoming) => Ok(self.take(&counted, incoming)),
                        Err(ended) => self.lose(ended, lock(&counted.account).lost()),
                    };
                }
                Phase::Pausing(until) => {
                    tokio::time::sleep_until(until).await;
                    let found = look_up(&self.to).await;
                    let (at, expect) = {
                        let state = self.state();
                        (state.begun, state.expect)
                    };
                    let begun = found.and_then(|all| begin(&self.listener, &all, at, &self.stack, expect));
                    let mut state = self.state();
                    state.begun += 1;
                    match begun {
                        Ok(counted) => state.phase = Phase::Opening(counted),
                        Err(error) => {
                            drop(state);
                            let lost = Account::new(&self.stack).lost();
                            let unreachable = Ended::Connection { reason: Reason::Unreachable, words: None };
                            let ended = if let Error::Ended(ended) = error { ended } else { unreachable };
                            return self.lose(ended, lost);
                        }
                    }
                }
                Phase::Opening(counted) => {
                    let opened = match hears_of_opening(&self.stack) {
                        true => counted.connection.opened().await,
                        false => Ok(None),
                    };
                    return match opened {
                        Ok(peer_key) => {
                            let peer = counted.connection.peer();
                            let mut state = self.state();
                            state.note_opened(peer_key, now(&self.listener));
                            state.phase = Phase::Open(counted);
                            Ok(Change::Reconnected { peer, peer_key })
                        }
                        Err(ended) => self.lose(ended, lock(&counted.account).lost()),
                    };
                }
            }
        }
    }

    /// What is known of the messages of the present connection; None: it is lost.
    pub fn account(&self) -> Option<Lost> {
        match &self.state().phase {
            Phase::Open(counted) => Some(lock(&counted.account).lost()),
            _ => None,
        }
    }

    /// Closes in order, as [`Connection::close`], and does not begin again.
    ///
    /// Errors: as `Connection::close`; while the connection is lost, `Unreachable`.
    pub async fn close(self) -> Result<(), Ended> {
        let unreachable = Ended::Connection { reason: Reason::Unreachable, words: None };
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.phase {
            Phase::Open(counted) => match Arc::try_unwrap(counted.connection) {
                Ok(connection) => connection.close().await,
                Err(_) => Err(Ended::Stopped),
            },
            Phase::Opening(counted) => {
                if let Ok(connection) = Arc::try_unwrap(counted.connection) {
                    connection.discard();
                }
                Err(unreachable)
            }
            Phase::Pausing(_) => Err(unreachable),
            Phase::Over(ended) => Err(ended),
        }
    }

    fn take(&self, counted: &Counted, incoming: Incoming) -> Change {
        match &incoming {
            Incoming::Other { event, arguments, .. } => lock(&counted.account).note_event(*event, *arguments),
            Incoming::Opened { peer_key, .. } => self.state().note_opened(*peer_key, now(&self.listener)),
            _ => {}
        }
        Change::Incoming(incoming)
    }

    fn lose(&self, ended: Ended, lost: Lost) -> Result<Change, Ended> {
        let now = now(&self.listener);
        let mut state = self.state();
        let is_lost = match &ended {
            Ended::Connection { reason, words } => self.backoff.is_lost(*reason, words.as_ref()),
            _ => false,
        };
        let State { retries, random, .. } = &mut *state;
        let pause = if is_lost { retries.next(&self.backoff, now, random) } else { None };
        let Some(pause) = pause else {
            state.phase = Phase::Over(ended.clone());
            return Err(ended);
        };
        let after = Duration::from_nanos(pause.length);
        state.phase = Phase::Pausing(Instant::now() + after);
        Ok(Change::Reconnecting { ended, lost, attempt: pause.attempt, after })
    }

    /// The state. Nothing is awaited, and no code of others runs, under this lock.
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl std::fmt::Debug for Reconnecting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reconnecting").field("to", &self.to).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The listener's time; 0 if it has stopped.
fn now(listener: &Listener) -> u64 {
    listener.now().unwrap_or(0)
}

/// Whether the peer's answer shows without a message of the application.
fn hears_of_opening(stack: &Stack) -> bool {
    stack.is_secure() || stack.events().iter().any(|event| event.input && event.port == 0 && event.name == "hello")
}

async fn look_up(to: &str) -> Result<Vec<SocketAddr>, Error> {
    match tokio::net::lookup_host(to).await {
        Ok(found) => Ok(found.collect()),
        Err(cause) => Err(nacre_runtime::Error::Io { doing: "cannot find the host's address", cause }.into()),
    }
}

/// Begins a connection with the first of the addresses, from one of them on, that the listener can send to.
fn begin(
    listener: &Listener,
    addresses: &[SocketAddr],
    from: usize,
    stack: &Stack,
    expect: Option<Expect>,
) -> Result<Counted, Error> {
    let mut failure = nacre_runtime::Error::Invalid("the host has no address".into()).into();
    for at in 0..addresses.len() {
        let to = addresses[(from + at) % addresses.len()];
        match listener.begin_expecting(to, stack, expect) {
            Ok(connection) => {
                let account = Arc::new(Mutex::new(Account::new(stack)));
                return Ok(Counted { connection: Arc::new(connection), account });
            }
            Err(error @ Error::Runtime(nacre_runtime::Error::Invalid(_) | nacre_runtime::Error::Io { .. })) => {
                failure = error;
            }
            Err(error) => return Err(error),
        }
    }
    Err(failure)
}
