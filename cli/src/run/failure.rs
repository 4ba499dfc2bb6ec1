//! Why a transfer failed, as text and as JSON.

use nacre_runtime::{Error, PublicKey, Reason};
use serde_json::{json, Value};

use super::names::printable;

/// What programs tell failures apart by: the field `cause`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The stack and the options do not fit each other.
    Usage,
    /// The keys, the secret or the known peers of this user cannot be used.
    Keys,
    /// The peer at a known address has another key than before.
    OtherKey,
    /// No peer has proven to have the key or the secret that is expected.
    Unproven,
    /// The peer runs another stack.
    OtherStack,
    /// The peer has refused the connection.
    Refused,
    /// The connection has ended before everything was done, or the sender has given a file up.
    Ended,
    /// The file has changed while it was sent.
    Changed,
    /// It is not sent: a symbolic link, a device.
    Skipped,
    /// The source has errors, or the stack cannot be compiled.
    Stack,
    /// The user has interrupted the program.
    Interrupted,
    /// Everything else: files, sockets, answers that are none.
    Other,
}

impl Cause {
    /// As it is in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Cause::Usage => "usage",
            Cause::Keys => "keys",
            Cause::OtherKey => "other key",
            Cause::Unproven => "unproven",
            Cause::OtherStack => "other stack",
            Cause::Refused => "refused",
            Cause::Ended => "ended",
            Cause::Changed => "changed",
            Cause::Skipped => "skipped",
            Cause::Stack => "stack",
            Cause::Interrupted => "interrupted",
            Cause::Other => "other",
        }
    }
}

/// A failure, with a message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub cause: Cause,
    pub words: String,
    /// The key that the peer has proven to have, if it has.
    pub peer_key: Option<PublicKey>,
    /// The file that it is about, if it is about one.
    pub name: Option<String>,
}

impl Failure {
    /// Of this cause.
    pub fn new(cause: Cause, words: impl Into<String>) -> Failure {
        Failure { cause, words: words.into(), peer_key: None, name: None }
    }

    /// The same, with what it is about in front.
    pub fn about(mut self, what: impl std::fmt::Display) -> Failure {
        self.words = format!("{what}: {}", self.words);
        self
    }

    /// The same, with the key of the peer.
    pub fn with(mut self, key: Option<PublicKey>) -> Failure {
        self.peer_key = key.or(self.peer_key);
        self
    }

    /// The same, about this file.
    pub fn of(mut self, name: impl Into<String>) -> Failure {
        self.name = Some(name.into());
        self
    }

    /// The object that `--json` prints.
    pub fn json(&self, what: &str, is_encrypted: bool) -> Value {
        json!({
            "ok": false, "what": what, "cause": self.cause.word(), "error": self.words, "encrypted": is_encrypted,
            "peer_key": self.peer_key.map(|key| key.to_string()), "name": self.name,
        })
    }
}

impl From<String> for Failure {
    fn from(words: String) -> Failure {
        Failure::new(Cause::Other, words)
    }
}

impl From<&str> for Failure {
    fn from(words: &str) -> Failure {
        Failure::new(Cause::Other, words)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let cause = match error {
            Error::OtherStack { .. } | Error::Closed(Reason::OtherStack) => Cause::OtherStack,
            Error::Rejected(_) | Error::Closed(Reason::Refused) => Cause::Refused,
            Error::Closed(_) | Error::NoConnection => Cause::Ended,
            _ => Cause::Other,
        };
        Failure::new(cause, printable(&error.to_string()))
    }
}
