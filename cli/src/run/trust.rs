//! Whether the peer that a connection was begun with is the one that the user means.

use std::time::{Duration, Instant};

use nacre_runtime::{ConnectionId, Error, Event, Expect, Listener, PublicKey, Reason, Stack};

use super::failure::{Cause, Failure};
use super::names::printable;
use super::protection::Protection;
use crate::console::{say, warn};
use crate::interrupt::{Interrupt, TURN};
use crate::keys::folder::Folder;
use crate::keys::known_peers::{Acquaintance, KnownPeers};
use crate::units::Peer;

/// The code of a refusal: the key of the peer is not the expected one.
pub const WRONG_KEY: u32 = 1;
/// After this time without a proof the user learns what may be wrong.
const HINT: Duration = Duration::from_secs(3);
/// A peer that does not prove for this time that it still has the key that is known is asked which one it has.
const CHANGED: Duration = Duration::from_secs(5);

/// The time after which another address of the peer is tried, and that for all of them.
const ATTEMPT: Duration = Duration::from_secs(2);
const ALL_ATTEMPTS: Duration = Duration::from_secs(30);

/// A peer, and what is expected of it.
pub struct Trust<'t> {
    pub peer: &'t Peer,
    pub pin: Option<PublicKey>,
    pub protection: &'t Protection,
    pub stack: &'t Stack,
    /// The first message, sent at once where nothing is encrypted: the answer shows that the peer is there. None: the
    /// peer is not waited for there.
    pub first: Option<&'t [u8]>,
}

/// A connection that was begun.
pub struct Begun {
    pub id: ConnectionId,
    /// A message that has come before the peer was met.
    pub heard: Option<Vec<u8>>,
    /// It is open only if the peer has the key that it had before.
    expects_known: bool,
    /// Whether the first message was sent: a stack may take none yet.
    pub is_greeted: bool,
    /// The index of the peer's address, and since when it is tried.
    at: usize,
    since: Instant,
}

impl Trust<'_> {
    /// Begins a connection with the peer. One that is known has to prove that it still has its key: so nobody on the
    /// way can answer in its place, and end the connection by that.
    pub fn connect(&self, listener: &mut Listener) -> Result<Begun, Failure> {
        let known = match self.protection {
            Protection::Keys(_) if self.pin.is_none() => self.known(&known_peers()?)?,
            _ => None,
        };
        self.begin(listener, 0, known)
    }

    /// Begins a connection with one of the addresses of the peer.
    fn begin(&self, listener: &mut Listener, at: usize, known: Option<PublicKey>) -> Result<Begun, Failure> {
        let to = self.peer.addresses[at];
        let id = match self.protection.expect(self.pin.or(known)) {
            Some(expect) => listener.connect_secure(to, self.stack, expect, |_| {})?,
            None => listener.connect(to, self.stack)?,
        };
        let (expects_known, is_greeted, since) = (known.is_some(), false, Instant::now());
        let mut begun = Begun { id, heard: None, expects_known, is_greeted, at, since };
        self.greet(listener, &mut begun)?;
        Ok(begun)
    }

    /// Sends the first message, if there is one and the stack takes it now.
    fn greet(&self, listener: &mut Listener, begun: &mut Begun) -> Result<(), Error> {
        let first = self.first.filter(|_| !self.protection.is_encrypted() && !begun.is_greeted);
        match first.map(|first| listener.send(begun.id, first)) {
            Some(Ok(())) => begun.is_greeted = true,
            None | Some(Err(Error::Refused)) => {}
            Some(Err(error)) => return Err(error),
        }
        Ok(())
    }

    /// Begins a connection with the next address of the peer instead.
    fn next_address(
        &self,
        listener: &mut Listener,
        begun: &mut Begun,
        known: Option<PublicKey>,
    ) -> Result<(), Failure> {
        listener.discard(begun.id);
        let at = (begun.at + 1) % self.peer.addresses.len();
        *begun = self.begin(listener, at, known.filter(|_| begun.expects_known))?;
        Ok(())
    }

    /// The key that the peer had before.
    fn known(&self, peers: &KnownPeers) -> Result<Option<PublicKey>, Failure> {
        peers.key(&self.peer.name).map_err(|words| Failure::new(Cause::Keys, words))
    }

    /// Waits until the peer has proven who it is, and requires that it is trusted: nothing is sent to it before.
    /// Returns its key. A connection that is not encrypted is waited for only if it has a first message.
    pub fn meet(
        &self,
        listener: &mut Listener,
        begun: &mut Begun,
        interrupt: &Interrupt,
    ) -> Result<Option<PublicKey>, Failure> {
        if !self.protection.is_encrypted() {
            return match self.first {
                Some(_) => self.proven(listener, begun, interrupt),
                None => Ok(None),
            };
        }
        let key = self.proven(listener, begun, interrupt)?;
        if let Err(failure) = self.require_trusted(key) {
            if listener.refuse(begun.id, WRONG_KEY, "this peer expects another key at your address").is_err() {
                listener.discard(begun.id);
            }
            return Err(failure.with(key));
        }
        Ok(key)
    }

    /// The key that the peer has proven to have; none: it has the same secret.
    fn proven(
        &self,
        listener: &mut Listener,
        begun: &mut Begun,
        interrupt: &Interrupt,
    ) -> Result<Option<PublicKey>, Failure> {
        let (since, mut is_hinted, mut is_unreachable) = (Instant::now(), false, false);
        let known = match (self.protection, self.pin) {
            (Protection::Keys(_), None) => self.known(&known_peers()?)?,
            _ => None,
        };
        let (several, mut is_tried) = (self.peer.addresses.len() > 1, false);
        loop {
            if interrupt.came() {
                return Err(Failure::new(Cause::Interrupted, "interrupted"));
            }
            self.greet(listener, begun)?;
            let mut is_refused = false;
            match listener.wait(Some(TURN))? {
                Some(Event::Opened { connection, peer_key, .. }) if connection == begun.id => return Ok(peer_key),
                Some(Event::Delivered { connection, message, .. }) if connection == begun.id => {
                    begun.heard = Some(message.to_vec());
                    return Ok(None);
                }
                Some(Event::OtherStack(what)) if what.connection == Some(begun.id) => {
                    return Err(self.other_stack(&what.description()))
                }
                Some(Event::Closed { connection, reason, words }) if connection == begun.id => {
                    return Err(match (reason, words) {
                        (Reason::Timeout, _) => self.unproven(),
                        (Reason::Refused, Some(words)) => Error::Rejected(words).into(),
                        (reason, _) => Error::Closed(reason).into(),
                    })
                }
                Some(Event::Error { peer, cause, .. }) if several => {
                    is_refused = peer == self.peer.addresses[begun.at];
                    if is_refused && !is_tried {
                        say(&format!("{peer}: {cause}"));
                    }
                }
                Some(Event::Error { peer, cause, .. }) if !is_unreachable => {
                    say(&format!("{peer}: {cause}. Is there a receiver? Still trying"));
                    is_unreachable = true;
                }
                _ => {}
            }
            if begun.expects_known && since.elapsed() > CHANGED {
                // It may have another key now: then both are shown, and nothing is sent.
                listener.discard(begun.id);
                *begun = self.begin(listener, begun.at, None)?;
            }
            // Once all addresses were tried, each gets its time, so that a receiver may start later.
            if several && (is_refused && !is_tried || begun.since.elapsed() > ATTEMPT) {
                self.next_address(listener, begun, known)?;
                is_tried |= begun.at == 0;
                if since.elapsed() > ALL_ATTEMPTS {
                    return Err(self.unproven());
                }
            }
            if !is_hinted && !is_unreachable && since.elapsed() > HINT {
                say(&format!("{} has not answered yet. {} Still trying", self.peer, self.doubts()));
                is_hinted = true;
            }
            // The events of a connection are kept for it.
            listener.peer(begun.id)?;
        }
    }

    fn other_stack(&self, words: &str) -> Failure {
        let hint = "The connection is not begun without encryption instead";
        let words = printable(words);
        Failure::new(
            Cause::OtherStack,
            match self.protection {
                Protection::Plain => words,
                _ => format!("{words} {hint}"),
            },
        )
    }

    fn unproven(&self) -> Failure {
        let proof = match (self.protection.expect(self.pin), self.pin) {
            (_, Some(key)) => format!("no peer at {} has proven to have the key {key}", self.peer),
            (Some(Expect::Psk), _) => {
                format!("no peer at {} has proven to have the secret of --psk-file", self.peer)
            }
            (Some(_), _) => format!("no peer at {} has proven to have a key", self.peer),
            (None, _) => format!("no peer at {} has answered", self.peer),
        };
        Failure::new(Cause::Unproven, format!("{proof}. {}", self.doubts()))
    }

    /// A peer that is not meant answers nothing, so the cause is not known.
    fn doubts(&self) -> &'static str {
        match (self.protection, self.pin) {
            (Protection::Plain, _) => "There is no receiver, or it encrypts.",
            (Protection::Psk(_), _) => "There is no receiver, or it has another secret or none.",
            (_, Some(_)) => "There is no receiver, or it has other keys, or a secret (--psk-file) instead of keys.",
            _ => "There is no receiver, or it has a secret (--psk-file) instead of keys.",
        }
    }

    /// Compares the key with the one that is expected, or with the one of the first contact.
    fn require_trusted(&self, key: Option<PublicKey>) -> Result<(), Failure> {
        let Some(key) = key else {
            return match self.protection {
                Protection::Psk(_) => Ok(()),
                _ => Err(self.unproven()),
            };
        };
        if let Some(pin) = self.pin {
            return if pin == key { Ok(()) } else { Err(self.unproven()) };
        }
        let cannot = |words| Failure::new(Cause::Keys, words);
        let known = known_peers()?;
        match known.meet(&self.peer.name, key).map_err(cannot)? {
            Acquaintance::Known => Ok(()),
            Acquaintance::First => {
                self.first_contact(key, &known);
                Ok(())
            }
            Acquaintance::Other(before) => Err(self.other_key(before, key, &known)),
        }
    }

    fn first_contact(&self, key: PublicKey, known: &KnownPeers) {
        let Peer { name, .. } = self.peer;
        warn(&format!(
            "first contact with {name}: nothing proves that its key is not that of somebody in between\n  \
             its key  {key}\n  \
             Compare it with `nacre keys show` there. From now on {name} must have it ({}). \
             `--peer KEY` states the key before the first contact.",
            known.path().display()
        ));
    }

    fn other_key(&self, before: PublicKey, key: PublicKey, known: &KnownPeers) -> Failure {
        let Peer { name, .. } = self.peer;
        Failure::new(
            Cause::OtherKey,
            format!(
                "{name} has another key than before: it has new keys, or somebody in between pretends to be it. \
                 Nothing was sent.\n  \
                 known  {before} ({})\n  \
                 now    {key}\n  \
                 Ask who runs {name} whether `nacre keys show` prints the key of now there. If so, forget the old one: \
                 `nacre keys forget {name}`",
                known.path().display()
            ),
        )
    }
}

fn known_peers() -> Result<KnownPeers, Failure> {
    let folder = Folder::find().map_err(|words| Failure::new(Cause::Keys, words))?;
    Ok(KnownPeers::of(&folder))
}
