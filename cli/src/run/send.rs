//! Sends one file.

use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

use nacre_runtime::{ConnectionId, Error, Event, Listener, Options, Stack};
use nacre_simulator::run::largest_accepted;

use super::framing::{read_answer, Head, Sum, Summing};
use super::report::Moved;
use super::{any_towards, introduce, Line};
use crate::args::Send;
use crate::console::{say, Exit};
use crate::progress::Progress;

/// Longer messages gain nothing.
const LARGEST: usize = 64 << 10;
/// A receiver that says nothing for so long is given up.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn send(args: &Send, stack: &Stack) -> Result<Exit, String> {
    let path = args.file.display();
    let file = File::open(&args.file).map_err(|error| format!("{path}: {error}"))?;
    let facts = file.metadata().map_err(|error| format!("{path}: {error}"))?;
    if !facts.is_file() {
        return Err(format!("{path}: it is not a file"));
    }
    let name = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let head = Head { size: facts.len(), name };
    let Line { mut listener, faults } =
        Line::open(any_towards(args.to), &args.net, Options { connections: 4, ..Options::default() })?;
    let peer = listener.connect(args.to, stack).map_err(|error| error.to_string())?;
    say(&format!("sending to {} over {}", args.to, introduce(stack)));

    let begun = Instant::now();
    let mut transfer = Sending { listener: &mut listener, peer };
    let sum = transfer.file(file, &head).map_err(|error| format!("{path}: {error}"))?;
    let other_sum = transfer.answer()?;
    let time = begun.elapsed();

    let statistics = listener.statistics_of(peer).unwrap_or_default();
    let peer_name = args.to.to_string();
    let moved = Moved {
        verb: "sent",
        name: &head.name,
        peer: peer_name,
        bytes: head.size,
        time,
        sum,
        other_sum,
        statistics: &statistics,
        faults: faults.as_ref(),
    };
    moved.report(args.net.json);
    // The file is there whatever becomes of the farewell.
    if listener.close_blocking(peer, Some(Duration::from_secs(5))).is_ok() {
        let _ = listener.linger(peer);
    }
    Ok(if moved.is_intact() { Exit::Yes } else { Exit::No })
}

struct Sending<'l> {
    listener: &'l mut Listener,
    peer: ConnectionId,
}

impl Sending<'_> {
    /// Head, bytes and sum.
    fn file(&mut self, mut file: File, head: &Head) -> Result<Sum, String> {
        self.message(&head.write())?;
        self.greet()?;
        let mut buffer = vec![0; self.largest()?];
        let (mut summing, mut left) = (Summing::default(), head.size);
        let mut progress = Progress::of_bytes(head.size, &head.name);
        while left > 0 {
            let want = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let got = file.read(&mut buffer[..want]).map_err(|error| error.to_string())?;
            if got == 0 {
                return Err(format!("it became shorter while it was read: {left} bytes are missing"));
            }
            summing.add(&buffer[..got]);
            self.message(&buffer[..got])?;
            left -= got as u64;
            progress.add(got as u64);
        }
        let sum = summing.sum();
        self.message(&sum)?;
        Ok(sum)
    }

    fn message(&mut self, message: &[u8]) -> Result<(), String> {
        self.listener.send_blocking(self.peer, message, Some(PATIENCE)).map_err(|error| match error {
            Error::TimedOut => format!("nothing could be sent for {} s: is there a receiver?", PATIENCE.as_secs()),
            other => other.to_string(),
        })
    }

    /// Waits a moment for the receiver, and says it if the system knows of none.
    fn greet(&mut self) -> Result<(), String> {
        let until = Instant::now() + Duration::from_secs(1);
        while Instant::now() < until {
            let time = Some(until.saturating_duration_since(Instant::now()));
            match self.listener.wait(time).map_err(|error| error.to_string())? {
                Some(Event::Opened { .. }) => return Ok(()),
                Some(Event::OtherStack(what)) => return Err(what.in_words()),
                Some(Event::Closed { reason, .. }) => return Err(format!("the connection has ended: {reason}")),
                Some(Event::Error { peer, cause, .. }) => {
                    say(&format!("{peer}: {cause}. Is there a receiver? Still trying"));
                    return Ok(());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The longest message that the stack takes when nothing is in its way.
    fn largest(&mut self) -> Result<usize, String> {
        let until = Instant::now() + PATIENCE;
        loop {
            let (listener, peer) = (&*self.listener, self.peer);
            if let Some(largest) = largest_accepted(|length| listener.accepts(peer, length), LARGEST).filter(|l| *l > 0)
            {
                return Ok(largest);
            }
            if Instant::now() > until {
                return Err("the stack accepts no message".into());
            }
            let waited = self.listener.wait(Some(Duration::from_millis(50))).map_err(|error| error.to_string())?;
            if let Some(Event::Closed { reason, .. }) = waited {
                return Err(format!("the connection has ended: {reason}"));
            }
        }
    }

    /// What the receiver says that it has.
    fn answer(&mut self) -> Result<Sum, String> {
        let answer = self.listener.receive(self.peer, Some(PATIENCE)).map_err(|error| match error {
            Error::TimedOut => "everything was sent, and the receiver does not say that it has it".to_string(),
            other => other.to_string(),
        })?;
        read_answer(&answer).ok_or_else(|| "the receiver answers something else than `nacre run receive` does".into())
    }
}
