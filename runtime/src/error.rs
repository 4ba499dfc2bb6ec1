//! Error types and their messages.

use std::fmt;
use std::io;
use std::net::SocketAddr;

/// Why a connection ended; the numbers are those of `enum Reason` in the standard interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Reason {
    /// It was closed, and the peer's stack has everything that was sent here. Its application gets no message any more
    /// after it has closed and been told so.
    Closed = 0,
    /// The peer's application did not want the connection, or not any longer.
    Refused = 1,
    /// The network reports that the peer is unreachable.
    Unreachable = 2,
    /// The peer does not know the connection, or no longer.
    Unknown = 3,
    /// The peer was silent for too long.
    Timeout = 4,
    /// The peer began anew; a new connection has taken this one's place.
    Restarted = 5,
    /// The peer does not serve this stack.
    OtherStack = 6,
    /// The peer closed before everything had arrived that was sent here.
    Incomplete = 7,
    /// A layer that encrypts has reached a limit of its keys: begin another connection.
    Exhausted = 8,
    /// There is no room for the connection: at the peer, or here, where it made room for another before it was
    /// confirmed. This one only the runtime gives.
    Busy = 128,
}

/// What an application tells the other when it refuses or closes a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// What programs understand.
    pub code: u32,
    /// What people understand, at most 255 bytes.
    pub text: String,
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.text, self.code)
    }
}

impl Reason {
    /// The reason with a number of `enum Reason`; numbers of later versions
    /// read as `Unknown`.
    pub fn from_number(number: u64) -> Reason {
        match number {
            0 => Reason::Closed,
            1 => Reason::Refused,
            2 => Reason::Unreachable,
            4 => Reason::Timeout,
            5 => Reason::Restarted,
            6 => Reason::OtherStack,
            7 => Reason::Incomplete,
            8 => Reason::Exhausted,
            _ => Reason::Unknown,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Closed => "closed",
            Reason::Refused => "refused by the peer",
            Reason::Unreachable => "unreachable",
            Reason::Unknown => "the peer does not know this connection",
            Reason::Timeout => "the peer was silent for too long",
            Reason::Restarted => "the peer restarted",
            Reason::OtherStack => "the peer runs another stack",
            Reason::Incomplete => "the peer closed before it had received everything",
            Reason::Exhausted => "the keys of the connection have been used as often as is safe",
            Reason::Busy => "there is no room for the connection",
        })
    }
}

/// A stack as error messages name it: its fingerprint, and its description where this end knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackName {
    pub fingerprint: u64,
    pub description: Option<String>,
}

impl fmt::Display for StackName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.description {
            Some(text) => write!(f, "{text} (fingerprint {:016x})", self.fingerprint),
            None => write!(f, "fingerprint {:016x}", self.fingerprint),
        }
    }
}

/// An error of the driver.
#[derive(Debug)]
pub enum Error {
    /// The system refused something.
    Io { doing: &'static str, cause: io::Error },
    /// The stack does not accept the call now; nothing happened. Wait for `Event::Writable`, which does not come after
    /// `close`.
    Refused,
    /// The message is longer than the stack ever accepts, in bytes; nothing happened.
    TooLong { len: usize, max: usize },
    /// The deadline passed first; nothing is lost.
    TimedOut,
    /// The program has handled a signal while the call waited; nothing is lost: call again.
    Interrupted,
    /// The connection has ended.
    Closed(Reason),
    /// The peer's application has refused the connection, and says why.
    Rejected(Words),
    /// The two ends run different stacks.
    OtherStack { peer: SocketAddr, ours: StackName, served: Vec<StackName> },
    /// No such connection, or not any more.
    NoConnection,
    /// A limit of the listener's options is reached.
    Full(&'static str),
    /// A mistake of the caller.
    Invalid(String),
}

/// There is no such connection. Made and dropped at each look-up, which `Error`, having something to drop, is too dear
/// for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoConnection;

impl From<NoConnection> for Error {
    fn from(_: NoConnection) -> Error {
        Error::NoConnection
    }
}

impl Error {
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
        move |cause| Error::Io { doing, cause }
    }
}

/// Returns the message for two endpoints that run different stacks.
pub(crate) fn describe_other_stack(peer: SocketAddr, ours: &StackName, served: &[StackName]) -> String {
    let names: Vec<String> = served.iter().map(StackName::to_string).collect();
    let served = if names.is_empty() { "stacks that it did not name".to_string() } else { names.join(", ") };
    format!("this endpoint runs {ours}; the peer {peer} serves {served}. Did one side change a layer or a parameter?")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { doing, cause } => write!(f, "{doing}: {cause}"),
            Error::Refused => f.write_str(
                "the stack does not accept this now: wait until it is writable, or send less at once; after `close` it \
                    accepts nothing more",
            ),
            Error::TooLong { len, max } => {
                write!(f, "the message has {len} bytes; the stack accepts at most {max}")
            }
            Error::TimedOut => f.write_str("not done before the deadline"),
            Error::Interrupted => f.write_str("a signal was handled before it was done"),
            Error::Closed(reason) => write!(f, "the connection has ended: {reason}"),
            Error::Rejected(words) => write!(f, "refused by the peer: {words}"),
            Error::OtherStack { peer, ours, served } => f.write_str(&describe_other_stack(*peer, ours, served)),
            Error::NoConnection => f.write_str("there is no such connection, or it has ended"),
            Error::Full(what) => write!(f, "the limit of {what} is reached"),
            Error::Invalid(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_stack_names_both_sides() {
        let ours = StackName { fingerprint: 1, description: Some("frag<1400> / floor".into()) };
        let served = vec![StackName { fingerprint: 2, description: None }];
        let text = Error::OtherStack { peer: "127.0.0.1:9".parse().unwrap(), ours, served }.to_string();
        assert!(text.contains("frag<1400> / floor (fingerprint 0000000000000001)"), "{text}");
        assert!(text.contains("serves fingerprint 0000000000000002"), "{text}");
    }
}
