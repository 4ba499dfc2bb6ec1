//! How connections end, and what calls report.

use std::fmt;

use nacre_runtime::{OtherStack, Reason, Words};

/// Why a connection gives no more messages and takes none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The connection has ended. `words`: the code and the text of the peer's application, of `close_with` or `refuse`.
    Connection { reason: Reason, words: Option<Words> },
    /// The two ends run different stacks.
    OtherStack(OtherStack),
    /// This end has given the connection up: messages came faster than they were received, and the peer could not be
    /// slowed down ([`Limits`](crate::Limits)). Those that were delivered before can still be received.
    Overrun,
    /// Nothing drives the connection any more: the tokio runtime was shut down, or the system refused to watch the
    /// socket.
    Stopped,
}

impl Ended {
    /// The reason, if the connection itself has ended.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Ended::Connection { reason, .. } => Some(*reason),
            Ended::OtherStack(_) => Some(Reason::OtherStack),
            Ended::Overrun | Ended::Stopped => None,
        }
    }

    /// Whether everything that was sent here is known to have reached the peer's stack.
    pub fn is_orderly(&self) -> bool {
        self.reason() == Some(Reason::Closed)
    }

    /// The code of the peer's application.
    pub fn code(&self) -> Option<u32> {
        self.words().map(|words| words.code)
    }

    /// The text of the peer's application; empty if there is none.
    pub fn text(&self) -> &str {
        self.words().map_or("", |words| &words.text)
    }

    fn words(&self) -> Option<&Words> {
        match self {
            Ended::Connection { words, .. } => words.as_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Connection { reason, words: None } => write!(f, "the connection has ended: {reason}"),
            Ended::Connection { reason, words: Some(words) } => {
                write!(f, "the connection has ended: {reason}: {words}")
            }
            Ended::OtherStack(what) => f.write_str(&what.description()),
            Ended::Overrun => f.write_str("the connection was given up here: its messages were not received in time"),
            Ended::Stopped => f.write_str("the listener is no longer driven"),
        }
    }
}

impl std::error::Error for Ended {}

/// An error of a call.
#[derive(Debug)]
pub enum Error {
    /// The connection, or the listener, has ended. Nothing was sent.
    Ended(Ended),
    /// The runtime rejects the call; nothing was sent.
    Runtime(nacre_runtime::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Ended(ended) => ended.fmt(f),
            Error::Runtime(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Ended(ended) => Some(ended),
            Error::Runtime(error) => Some(error),
        }
    }
}

impl From<Ended> for Error {
    fn from(ended: Ended) -> Error {
        Error::Ended(ended)
    }
}

impl From<nacre_runtime::Error> for Error {
    fn from(error: nacre_runtime::Error) -> Error {
        Error::Runtime(error)
    }
}
