//! One connection that is begun again when it is lost.

use super::account::Account;
use super::backoff::{Backoff, Retries};
use super::how::How;
use super::target::{Addresses, Target};
use crate::error::{Error, Reason, Words};
use crate::event::ConnectionId;
use crate::instance::Config;
use crate::listener::Listener;
use crate::random::Random;
use crate::secure::keys::{Expect, PublicKey};
use crate::stack::Stack;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, TryRecvError};

/// How often the result of a thread is looked for, in nanoseconds.
const LOOK_AFTER: u64 = 10_000_000;

/// How far it is.
pub(super) enum Phase {
    /// This connection is there, opened or not.
    Begun(ConnectionId),
    /// It is begun at this time.
    Pausing(u64),
    /// Its addresses are looked for; the time of the next look.
    Seeking(Receiver<Result<Vec<SocketAddr>, Error>>, u64),
}

pub(super) struct Kept {
    /// The connection that the application knows.
    pub known: ConnectionId,
    pub phase: Phase,
    pub account: Account,
    /// Why it was lost last.
    pub reason: Reason,
    /// The application has closed it.
    pub closing: bool,
    to: Target,
    stack: Stack,
    backoff: Backoff,
    how: How,
    retries: Retries,
    /// Attempts ever made: each takes the next address.
    begun: usize,
}

pub(super) enum Verdict {
    /// Begin it again; `after`: the pause before that, in nanoseconds.
    Again {
        attempt: u32,
        after: u64,
    },
    Final,
}

impl Kept {
    pub(super) fn begin(
        listener: &mut Listener,
        mut to: Target,
        stack: Stack,
        backoff: Backoff,
        mut how: How,
    ) -> Result<Kept, Error> {
        let addresses = how.first.map_or_else(|| to.find(), |first| Ok(vec![first]))?;
        let known = connect(listener, &addresses, 0, &stack, &mut how)?;
        let account = Account::new(&stack);
        Ok(Kept {
            known,
            phase: Phase::Begun(known),
            account,
            reason: Reason::Closed,
            closing: false,
            to,
            stack,
            backoff,
            how,
            retries: Retries::default(),
            begun: 1,
        })
    }

    /// Whether the peer's answer shows without a message of the application.
    pub(super) fn hears_of_opening(&self) -> bool {
        let known = self.stack.known();
        known.opened.is_some() && (known.hello.is_some() || self.stack.is_secure())
    }

    /// The peer has answered; returns the connection that the application knew until now. Without an expectation, the
    /// key of the first peer is expected from then on.
    pub(super) fn open(&mut self, id: ConnectionId, now: u64, peer_key: Option<PublicKey>) -> ConnectionId {
        self.retries.note_opened(now);
        self.how.expect = self.how.expect.or(peer_key.map(Expect::Key));
        std::mem::replace(&mut self.known, id)
    }

    /// The connection has ended, or could not be begun.
    pub(super) fn lose(&mut self, reason: Reason, words: Option<&Words>, now: u64, random: &mut Random) -> Verdict {
        self.reason = reason;
        self.account.restart();
        if self.closing || !self.backoff.is_lost(reason, words) {
            return Verdict::Final;
        }
        let Some(pause) = self.retries.next(&self.backoff, now, random) else { return Verdict::Final };
        self.phase = Phase::Pausing(now.saturating_add(pause.length));
        Verdict::Again { attempt: pause.attempt, after: pause.length }
    }

    /// When there is something to do.
    pub(super) fn deadline(&self) -> u64 {
        match self.phase {
            Phase::Begun(_) => u64::MAX,
            Phase::Pausing(until) | Phase::Seeking(_, until) => until,
        }
    }

    /// Looks for the addresses, or begins the connection. None: they are still being looked for.
    pub(super) fn begin_again(&mut self, listener: &mut Listener) -> Option<Result<ConnectionId, Error>> {
        let look = listener.now().saturating_add(LOOK_AFTER);
        let found = match &mut self.phase {
            Phase::Begun(_) => return None,
            Phase::Seeking(receiver, until) => match receiver.try_recv() {
                Ok(found) => found,
                Err(TryRecvError::Empty) => {
                    *until = look;
                    return None;
                }
                Err(TryRecvError::Disconnected) => Err(Error::Invalid("the name was not found".into())),
            },
            Phase::Pausing(_) => match self.to.seek() {
                Addresses::Found(found) => found,
                Addresses::Sought(receiver) => {
                    self.phase = Phase::Seeking(receiver, look);
                    return None;
                }
            },
        };
        let begun = found.and_then(|all| connect(listener, &all, self.begun, &self.stack, &mut self.how));
        self.begun += 1;
        if let Ok(id) = begun {
            self.phase = Phase::Begun(id);
        }
        Some(begun)
    }

    /// Ends it at once.
    pub(super) fn discard(self, listener: &mut Listener) {
        if let Phase::Begun(id) = self.phase {
            listener.discard(id);
        }
    }
}

/// Begins a connection with the first of the addresses, from one of them on, that the listener can send to.
fn connect(
    listener: &mut Listener,
    addresses: &[SocketAddr],
    from: usize,
    stack: &Stack,
    how: &mut How,
) -> Result<ConnectionId, Error> {
    let mut failure = Error::Invalid("the host has no address".into());
    for at in 0..addresses.len() {
        let to = addresses[(from + at) % addresses.len()];
        let How { expect, prepare, .. } = how;
        let prepare = |config: &mut Config| prepare.iter_mut().for_each(|prepare| prepare(config, to));
        let begun = match *expect {
            None => listener.connect_with(to, stack, prepare),
            Some(expect) => listener.connect_secure(to, stack, expect, prepare),
        };
        match begun {
            Err(error @ (Error::Invalid(_) | Error::Io { .. })) => failure = error,
            done => return done,
        }
    }
    Err(failure)
}
