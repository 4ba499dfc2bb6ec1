//! Which peers a receiver accepts, and what its user learns of them.

use nacre_runtime::{ConnectionId, Listener, PublicKey};

use super::protection::{short, Protection};
use crate::console::{say, Limited};

/// The code of a refusal: the key of the peer is not among those that are allowed.
const NOT_ALLOWED: u32 = 2;

/// Decides who may connect, by the keys that peers have proven to have.
pub struct Doorkeeper<'d> {
    pub protection: &'d Protection,
    /// Empty: everybody may.
    allowed: &'d [PublicKey],
    /// Frames that were not authentic, as far as reported.
    forged: u64,
}

impl<'d> Doorkeeper<'d> {
    /// For the peers with these keys; none: all.
    pub fn new(protection: &'d Protection, allowed: &'d [PublicKey]) -> Doorkeeper<'d> {
        Doorkeeper { protection, allowed, forged: 0 }
    }

    /// Prints what peers need to know of this end.
    pub fn introduce(&self) {
        match (self.protection, self.protection.public()) {
            (_, Some(key)) => say(&format!("own key {key} (senders pin it with `--peer`)")),
            (Protection::Psk(_), _) => say("peers need the same secret (`--psk-file`)"),
            // The user has said `--plain`.
            _ => {}
        }
    }

    /// Refuses a peer that is not allowed; returns whether it is.
    pub fn admits(&self, listener: &mut Listener, connection: ConnectionId, words: &mut Limited) -> bool {
        let (Ok(peer), Ok(key)) = (listener.peer(connection), listener.peer_key(connection)) else { return false };
        if !self.allowed.is_empty() && !key.is_some_and(|key| self.allowed.contains(&key)) {
            let name = key.map_or_else(|| "no key".to_string(), |key| format!("key {key}"));
            words.say(&format!("refused {peer}: {name} is not allowed"));
            if listener.refuse(connection, NOT_ALLOWED, "your key is not among those that are allowed here").is_err() {
                listener.discard(connection);
            }
            return false;
        }
        if self.protection.is_encrypted() {
            let name = key.map_or_else(|| "the same secret".to_string(), |key| format!("key {}", short(key)));
            words.say(&format!("{peer} has connected, with {name}"));
        }
        true
    }

    /// Reports frames that are not authentic: their senders get no answer, and may have a mistake in their options.
    pub fn report(&mut self, listener: &Listener, words: &mut Limited) {
        let forged = listener.statistics().forged;
        if forged > self.forged {
            self.forged = forged;
            let doubt = match self.protection {
                Protection::Psk(_) => "its sender has another secret or none",
                _ => "its sender expects another key (`--peer`), or has a secret (`--psk-file`)",
            };
            words.say(&format!(
                "a frame was rejected because it is not authentic: {doubt}, or it was damaged or forged"
            ));
        }
    }
}
