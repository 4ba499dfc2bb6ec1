//! Sends one file.

use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

use nacre_driver::files::open_regular;
use nacre_runtime::{ConnectionId, Error, Event, Listener, Options, Reason, Stack};
use nacre_simulator::workload::largest_accepted;

use super::failure::{Cause, Failure};
use super::framing::{Answer, Head, Sum, Summing};
use super::line::{any_towards, introduce, Line};
use super::protection::Protection;
use super::report::Moved;
use super::trust::Trust;
use crate::args::Send;
use crate::console::{say, Exit};
use crate::interrupt::{Interrupt, TURN};
use crate::progress::Progress;

/// The message for a receiver that closed before the end.
const LEFT: &str = "the receiver has left before it had everything";
/// The limit of a message, in bytes: longer ones gain nothing.
const LARGEST: usize = 64 << 10;
/// The time after which a silent receiver is given up.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time limit for closing a connection.
const FAREWELL: Duration = Duration::from_secs(5);

/// Sends a file and waits for the receiver's checksum.
pub fn send(args: &Send, stack: &Stack, protection: &Protection) -> Result<Exit, Failure> {
    let path = args.file.display();
    let file = open_regular(&args.file).map_err(|why| format!("{path}: {why}"))?;
    let facts = file.metadata().map_err(|error| format!("{path}: {error}"))?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let head = Head { size: facts.len(), name };
    let Line { mut listener, faults } = Line::open(
        any_towards(args.to.address),
        &args.net,
        Options { connections: 4, ..Options::default() },
        protection,
    )?;
    let trust = Trust { peer: &args.to, pin: args.expected.peer, protection, stack };
    let mut connection = trust.connect(&mut listener)?;
    say(&format!("sending to {} over {}", args.to, introduce(stack)));

    let begun = Instant::now();
    let interrupt = Interrupt::watch()?;
    let met = trust.meet(&mut listener, &mut connection, &interrupt);
    let (peer, is_met, interrupt) = (connection.id, protection.is_encrypted(), &interrupt);
    let mut transfer = Sending { listener: &mut listener, peer, is_met, interrupt, sent: 0, reported: None };
    let sums = met.and_then(|key| {
        let sum = transfer.file(file, &head).map_err(|failure| failure.about(&path).with(key))?;
        transfer.answer().map(|other| (sum, other, key)).map_err(|failure| failure.with(key))
    });
    let (sum, other_sum, peer_key) = match sums {
        Ok(sums) => sums,
        Err(_) if interrupt.came() => {
            let taken = transfer.sent;
            let answered = listener.statistics_of(peer).is_ok_and(|statistics| statistics.confirmed);
            say(&format!("{path}: interrupted; {}", so_far(taken, head.size, answered)));
            // Notifies the receiver at once.
            let _ = listener.close_blocking(peer, Some(FAREWELL));
            return Ok(interrupt.exit());
        }
        Err(error) => return Err(error),
    };
    let time = begun.elapsed();

    let statistics = listener.statistics_of(peer).unwrap_or_default();
    let moved = Moved {
        verb: "sent",
        name: &head.name,
        peer: args.to.to_string(),
        protection,
        peer_key,
        bytes: head.size,
        time,
        sum,
        other_sum,
        statistics: &statistics,
        faults: faults.as_ref(),
    };
    moved.report(args.net.json);
    // The file has arrived, whether or not the shutdown succeeds.
    if !matches!(listener.close_blocking(peer, Some(FAREWELL)), Err(Error::TimedOut)) {
        let _ = listener.linger(peer);
    }
    Ok(if moved.is_intact() { Exit::Yes } else { Exit::No })
}

/// Describes an aborted transfer: the stack does not report how much of it arrived.
fn so_far(taken: u64, size: u64, answered: bool) -> String {
    if !answered {
        return "the receiver has never answered: nothing is known to have arrived".into();
    }
    format!("the stack accepted {taken} of {size} bytes; the number that arrived is unknown")
}

/// The meaning of an answer that is no sum.
fn refusal(answer: Option<Answer>) -> Failure {
    match answer {
        Some(Answer::Failed(why)) => Failure::new(Cause::Refused, format!("the receiver does not take it: {why}")),
        _ => "the receiver answers something else than `nacre run receive` does".into(),
    }
}

/// The receiver closed before the end.
fn left() -> Failure {
    Failure::new(Cause::Ended, LEFT)
}

struct Sending<'l> {
    listener: &'l mut Listener,
    peer: ConnectionId,
    /// The peer has answered before the first message.
    is_met: bool,
    interrupt: &'l Interrupt,
    /// Bytes of the file that the stack has accepted.
    sent: u64,
    /// The sum that the receiver has reported, if it was seen already.
    reported: Option<Sum>,
}

impl Sending<'_> {
    /// Sends the head, the bytes and the sum.
    fn file(&mut self, mut file: File, head: &Head) -> Result<Sum, Failure> {
        self.message(&head.write())?;
        if !self.is_met {
            self.greet()?;
        }
        let mut buffer = vec![0; self.largest()?];
        let (mut summing, mut left) = (Summing::default(), head.size);
        let mut progress = Progress::of_bytes(head.size, &head.name);
        while left > 0 {
            let want = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let got = file.read(&mut buffer[..want]).map_err(|error| error.to_string())?;
            if got == 0 {
                return Err(format!("the file was truncated while it was read: {left} bytes are missing").into());
            }
            summing.add(&buffer[..got]);
            self.message(&buffer[..got])?;
            left -= got as u64;
            self.sent += got as u64;
            progress.add(got as u64);
        }
        let sum = summing.sum();
        self.message(&sum)?;
        Ok(sum)
    }

    fn message(&mut self, message: &[u8]) -> Result<(), Failure> {
        let until = Instant::now() + PATIENCE;
        loop {
            self.go_on()?;
            match self.listener.send_blocking(self.peer, message, Some(TURN)) {
                Ok(()) => return self.why_over().map_or(Ok(()), Err),
                Err(Error::TimedOut) if Instant::now() < until => {}
                Err(Error::TimedOut) => {
                    let words = format!("no message could be sent for {} s: is there a receiver?", PATIENCE.as_secs());
                    return Err(words.into());
                }
                Err(Error::Closed(Reason::Closed | Reason::Incomplete)) => {
                    return Err(self.why_over().unwrap_or_else(left))
                }
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// Why the transfer is over before the receiver has everything: what the receiver says, or why the connection has
    /// ended.
    fn why_over(&mut self) -> Option<Failure> {
        Some(match self.listener.receive(self.peer, Some(Duration::ZERO)) {
            Ok(answer) => match Answer::read(&answer) {
                // The last message has arrived already.
                Some(Answer::Sum(sum)) => {
                    self.reported = Some(sum);
                    return None;
                }
                other => refusal(other),
            },
            Err(Error::TimedOut) => return None,
            Err(Error::Closed(Reason::Closed | Reason::Incomplete) | Error::NoConnection) => left(),
            Err(other) => other.into(),
        })
    }

    /// Fails if the user has interrupted the program.
    fn go_on(&self) -> Result<(), Failure> {
        if self.interrupt.came() {
            return Err(Failure::new(Cause::Interrupted, "interrupted"));
        }
        Ok(())
    }

    /// Waits briefly for the receiver; reports if the system knows of none.
    fn greet(&mut self) -> Result<(), Failure> {
        let until = Instant::now() + Duration::from_secs(1);
        while Instant::now() < until {
            self.go_on()?;
            let time = until.saturating_duration_since(Instant::now()).min(TURN);
            match self.listener.wait(Some(time))? {
                Some(Event::Opened { .. }) => return Ok(()),
                Some(Event::Delivered { message, .. }) => return Err(refusal(Answer::read(&message.to_vec()))),
                Some(Event::OtherStack(what)) if what.connection == Some(self.peer) => {
                    return Err(Failure::new(Cause::OtherStack, what.description()))
                }
                Some(Event::Closed { reason, .. }) => return Err(Error::Closed(reason).into()),
                Some(Event::Error { peer, cause, .. }) => {
                    say(&format!("{peer}: {cause}. Is there a receiver? Still trying"));
                    return Ok(());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the longest message that the idle stack accepts.
    fn largest(&mut self) -> Result<usize, Failure> {
        let until = Instant::now() + PATIENCE;
        loop {
            self.go_on()?;
            let (listener, peer) = (&*self.listener, self.peer);
            if let Some(largest) = largest_accepted(|length| listener.accepts(peer, length), LARGEST).filter(|l| *l > 0)
            {
                return Ok(largest);
            }
            if Instant::now() > until {
                return Err("the stack accepts no message".into());
            }
            let waited = self.listener.wait(Some(TURN))?;
            if let Some(Event::Closed { reason, .. }) = waited {
                return Err(Error::Closed(reason).into());
            }
        }
    }

    /// Waits for the sum that the receiver reports.
    fn answer(&mut self) -> Result<Sum, Failure> {
        if let Some(sum) = self.reported {
            return Ok(sum);
        }
        let until = Instant::now() + PATIENCE;
        let answer = loop {
            self.go_on()?;
            match self.listener.receive(self.peer, Some(TURN)) {
                Ok(answer) => break answer,
                Err(Error::TimedOut) if Instant::now() < until => {}
                Err(Error::TimedOut) => return Err("everything was sent, but the receiver did not confirm it".into()),
                Err(Error::Closed(Reason::Closed | Reason::Incomplete)) => return Err(left()),
                Err(other) => return Err(other.into()),
            }
        };
        match Answer::read(&answer) {
            Some(Answer::Sum(sum)) => Ok(sum),
            other => Err(refusal(other)),
        }
    }
}
