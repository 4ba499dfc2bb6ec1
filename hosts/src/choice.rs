//! What can happen next in a run.

use std::fmt;
use std::str::FromStr;

use crate::names::{CLIENT, NAMES, SERVER};

/// What happens next. Datagrams are counted from the latest one that may arrive, connections of a host from the oldest
/// one that has not ended, so that a choice keeps its meaning if choices before it are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Time passes until the next deadline.
    Time,
    /// The same, but the clock of this host is late.
    Lag(usize),
    /// A datagram arrives.
    Deliver(usize),
    /// All datagrams that are on their way are lost.
    Lose,
    /// A message on a connection of a host.
    Send(usize, usize),
    /// `close` of a connection of a host.
    Close(usize, usize),
    /// Another connection of the client.
    Connect,
    /// A host loses its state, and starts again at its address.
    Crash(usize),
    /// The same, with another stack.
    Other(usize),
    /// A host continues at another address.
    Move(usize),
    /// A copy of a datagram arrives from an address of neither host.
    Copy(usize),
    /// The same, with the cookie of the receiver's newest connection.
    Guess(usize),
}

impl Choice {
    /// How often it is taken in random runs, compared with others: what breaks things is rarer than what uses them.
    pub(crate) fn weight(self) -> u64 {
        match self {
            Choice::Deliver(_) | Choice::Send(..) => 8,
            Choice::Time => 4,
            _ => 1,
        }
    }
}

/// Choices without an argument, by name.
const PLAIN: [(&str, Choice); 3] = [("time", Choice::Time), ("lose", Choice::Lose), ("connect", Choice::Connect)];
/// Choices of a host.
const OF_HOST: [(&str, fn(usize) -> Choice); 4] =
    [("lag", Choice::Lag), ("crash", Choice::Crash), ("other", Choice::Other), ("move", Choice::Move)];
/// Choices of a datagram.
const OF_DATAGRAM: [(&str, fn(usize) -> Choice); 3] =
    [("deliver", Choice::Deliver), ("copy", Choice::Copy), ("guess", Choice::Guess)];
/// Choices of a connection.
const OF_CONNECTION: [(&str, fn(usize, usize) -> Choice); 2] = [("send", Choice::Send), ("close", Choice::Close)];

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = PLAIN.iter().find(|(_, choice)| choice == self) {
            return f.write_str(name);
        }
        match self {
            Choice::Time | Choice::Lose | Choice::Connect => Ok(()),
            Choice::Lag(host) => write!(f, "lag-{}", NAMES[*host]),
            Choice::Crash(host) => write!(f, "crash-{}", NAMES[*host]),
            Choice::Other(host) => write!(f, "other-{}", NAMES[*host]),
            Choice::Move(host) => write!(f, "move-{}", NAMES[*host]),
            Choice::Deliver(nth) => write!(f, "deliver-{nth}"),
            Choice::Copy(nth) => write!(f, "copy-{nth}"),
            Choice::Guess(nth) => write!(f, "guess-{nth}"),
            Choice::Send(host, nth) => write!(f, "send-{}{nth}", NAMES[*host]),
            Choice::Close(host, nth) => write!(f, "close-{}{nth}", NAMES[*host]),
        }
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        let host = |text: &str| [CLIENT, SERVER].into_iter().find(|host| NAMES[*host] == text);
        let parsed = || {
            let Some((word, rest)) = text.split_once('-') else {
                return PLAIN.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
            };
            if let Some((_, make)) = OF_HOST.iter().find(|(name, _)| *name == word) {
                return host(rest).map(make);
            }
            if let Some((_, make)) = OF_DATAGRAM.iter().find(|(name, _)| *name == word) {
                return rest.parse().ok().map(make);
            }
            let (_, make) = OF_CONNECTION.iter().find(|(name, _)| *name == word)?;
            let (at, nth) = rest.split_at_checked(1)?;
            Some(make(host(at)?, nth.parse().ok()?))
        };
        parsed().ok_or_else(|| {
            format!(
                "`{text}` is no choice; choices are time, lag-a, deliver-0, send-a0, close-b0, connect, crash-a, ..."
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_written() {
        let all = PLAIN.iter().map(|(_, choice)| *choice);
        let all = all.chain(OF_HOST.iter().map(|(_, make)| make(SERVER)));
        let all = all.chain(OF_DATAGRAM.iter().map(|(_, make)| make(12)));
        for choice in all.chain(OF_CONNECTION.iter().map(|(_, make)| make(CLIENT, 3))) {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        for wrong in ["", "crash", "crash-c", "deliver-", "deliver-x", "send-a", "send-", "time-a", "send-é0"] {
            assert!(wrong.parse::<Choice>().is_err(), "{wrong}");
        }
    }
}
