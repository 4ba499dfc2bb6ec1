//! Files of one sender on their way: each is read, sent, read again, and answered.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nacre_runtime::{ConnectionId, Error, Listener, Reason};
use nacre_simulator::workload::largest_accepted;

use super::failure::{Cause, Failure};
use super::framing::{Answer, Message, Sum, Summing, DATA, WINDOW};
use super::names::printable;
use super::pending::{Ended, Pending};
use super::source::{Input, Part, Regular, Source};
use crate::interrupt::{Interrupt, TURN};
use crate::progress::Progress;

/// The message for a receiver that closed before the end.
const LEFT: &str = "the receiver has left before it had everything";
/// The limit of a message, in bytes: longer ones gain nothing.
const LARGEST: usize = 64 << 10;
/// The time after which a silent receiver is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection with a receiver.
pub struct Sending<'l> {
    pub listener: &'l mut Listener,
    pub peer: ConnectionId,
    interrupt: &'l Interrupt,
    /// Bytes of files that the stack has accepted.
    pub sent: u64,
    /// Whether the receiver states what is there; none: it has not answered yet.
    asks: Option<bool>,
    /// What the receiver has said about the file that is being sent: an offset or a length.
    stated: Option<Answer>,
    next: u64,
    pending: BTreeMap<u64, Pending>,
    /// Entries that have ended, and are not reported yet.
    pub ended: Vec<Ended>,
    heard: Instant,
    buffer: Vec<u8>,
}

impl<'l> Sending<'l> {
    /// Over a connection that was begun.
    pub fn new(listener: &'l mut Listener, peer: ConnectionId, interrupt: &'l Interrupt) -> Sending<'l> {
        Sending {
            listener,
            peer,
            interrupt,
            sent: 0,
            asks: None,
            stated: None,
            next: 0,
            pending: BTreeMap::new(),
            ended: vec![],
            heard: Instant::now(),
            buffer: vec![],
        }
    }

    /// Waits for the receiver's welcome. `heard`: a message that has come already.
    pub fn begin(&mut self, is_greeted: bool, heard: Option<Vec<u8>>) -> Result<(), Failure> {
        if !is_greeted {
            self.message(&Message::Hello.write())?;
        }
        heard.map_or(Ok(()), |answer| self.take(&answer))?;
        self.wait_until(|this| this.asks.is_some(), "the receiver does not answer")?;
        self.buffer = vec![DATA; self.largest()?];
        Ok(())
    }

    /// Whether the stack carries the name of an entry.
    pub fn takes(&self, path: &str) -> bool {
        Message::File { size: None, path }.write().len() <= self.buffer.len()
    }

    /// Sends a folder.
    pub fn folder(&mut self, path: &str) -> Result<(), Failure> {
        // The files of another tree are answered before: the receiver has one at a time.
        let most = if path.contains('/') { WINDOW - 1 } else { 0 };
        self.wait_until(|this| this.pending.len() <= most, UNCONFIRMED)?;
        self.entry(path, true);
        self.message(&Message::Folder { path }.write())
    }

    /// Sends a file. What is wrong with it alone is among `ended`.
    pub fn file(&mut self, source: Source) -> Result<(), Failure> {
        self.wait_until(|this| this.pending.len() < WINDOW, UNCONFIRMED)?;
        let Source { path, input } = source;
        let size = match &input {
            Input::File(file) => Some(file.size()),
            Input::Pipe(_) => None,
        };
        let number = self.entry(&path, false);
        self.message(&Message::File { size, path: &path }.write())?;
        let mut progress = Progress::of_bytes(size, &printable(&path));
        let sent = match input {
            Input::File(file) => self.regular(number, file, &mut progress),
            Input::Pipe(mut pipe) => {
                self.data(number, &mut progress, &mut Summing::default(), |buffer| pipe.read(buffer, TURN))
            }
        };
        match sent {
            Ok(Some(sum)) => {
                self.pending.get_mut(&number).into_iter().for_each(|pending| pending.sum = Some(sum));
                self.message(&Message::End(sum).write())
            }
            // The receiver has refused it.
            Ok(None) => self.message(&Message::Abort(String::new()).write()),
            Err(Trouble::Connection(failure)) => Err(failure),
            Err(Trouble::File(cause, why)) => {
                let abort = Message::Abort(why.clone()).write();
                if let Some(pending) = self.pending.get_mut(&number) {
                    // Before the receiver can refuse what is given up.
                    pending.is_given_up = true;
                    let failure = Failure::new(cause, why).about(&pending.name).of(&pending.name);
                    self.ended.push(Ended::Failed(failure));
                }
                self.message(&abort)
            }
        }
    }

    /// Says that nothing follows, once everything is answered.
    pub fn done(&mut self) -> Result<(), Failure> {
        self.wait_until(|this| this.pending.is_empty(), UNCONFIRMED)?;
        match self.message(&Message::Done.write()) {
            // The receiver has left, but everything is answered.
            Err(failure) if failure.cause == Cause::Ended => Ok(()),
            said => said,
        }
    }

    fn entry(&mut self, path: &str, is_folder: bool) -> u64 {
        let (name, begun) = (printable(path), Instant::now());
        let pending = Pending { name, bytes: 0, resumed: 0, sum: None, is_folder, is_given_up: false, begun };
        self.pending.insert(self.next, pending);
        self.next += 1;
        self.next - 1
    }

    /// Sends the bytes of a regular file; returns their sum, unless the receiver refuses the file.
    fn regular(&mut self, number: u64, mut file: Regular, progress: &mut Progress) -> Result<Option<Sum>, Trouble> {
        let mut summing = Summing::default();
        if self.asks == Some(true) {
            let Some(offset) = self.offset(number, &mut file, &mut summing)? else { return Ok(None) };
            file.seek(offset);
            progress.add(offset);
            let pending = self.pending.get_mut(&number);
            pending.into_iter().for_each(|pending| (pending.bytes, pending.resumed) = (offset, offset));
        }
        let Some(sum) = self.data(number, progress, &mut summing, |buffer| file.read_on(buffer))? else {
            return Ok(None);
        };
        // Times do not show every change, such as one by memory that is mapped.
        let changed = |why| Trouble::File(Cause::Changed, why);
        file.require_unchanged().map_err(changed)?;
        file.seek(0);
        let mut again = Summing::default();
        self.read(&mut file, u64::MAX, &mut again)?;
        file.require_unchanged().map_err(changed)?;
        match again.sum() == sum {
            true => Ok(Some(sum)),
            false => Err(changed("the file has changed while it was sent: its content is another".into())),
        }
    }

    /// From where the receiver continues; none: it refuses the file. The bytes before are added to the sum.
    fn offset(&mut self, number: u64, file: &mut Regular, summing: &mut Summing) -> Result<Option<u64>, Trouble> {
        let length = match self.statement(number)? {
            None => return Ok(None),
            Some(Answer::There { length, .. }) if length <= file.size() => length,
            Some(_) => return Err(strange().into()),
        };
        if length == 0 {
            return Ok(Some(0));
        }
        self.read(file, length, summing)?;
        self.message(&Message::Prefix(summing.clone().sum()).write())?;
        match self.statement(number)? {
            None => Ok(None),
            Some(Answer::From { offset, .. }) if offset == length => Ok(Some(offset)),
            Some(Answer::From { offset: 0, .. }) => {
                *summing = Summing::default();
                Ok(Some(0))
            }
            Some(_) => Err(strange().into()),
        }
    }

    /// What the receiver states about the file that is being sent; none: it refuses it.
    fn statement(&mut self, number: u64) -> Result<Option<Answer>, Failure> {
        let silent = "the receiver does not say how much of the file is there";
        self.wait_until(|this| this.stated.is_some() || !this.pending.contains_key(&number), silent)?;
        match self.stated.take() {
            Some(Answer::There { entry, .. } | Answer::From { entry, .. }) if entry != number => Err(strange()),
            stated => Ok(stated),
        }
    }

    /// Reads a file, up to a length, without sending it. The network is answered meanwhile.
    fn read(&mut self, file: &mut Regular, length: u64, summing: &mut Summing) -> Result<(), Trouble> {
        let mut left = length;
        let mut buffer = vec![0; LARGEST];
        while left > 0 {
            self.go_on()?;
            self.listener.drive();
            let want = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match file.read(&mut buffer[..want]).map_err(|why| Trouble::File(Cause::Changed, why))? {
                Part::End => break,
                Part::Nothing => {}
                Part::Bytes(got) => {
                    summing.add(&buffer[..got]);
                    left -= got as u64;
                }
            }
        }
        Ok(())
    }

    /// Sends bytes to their end; returns the sum, unless the receiver refuses the file meanwhile.
    fn data(
        &mut self,
        number: u64,
        progress: &mut Progress,
        summing: &mut Summing,
        mut read: impl FnMut(&mut [u8]) -> Result<Part, String>,
    ) -> Result<Option<Sum>, Trouble> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = loop {
            match read(&mut buffer[1..]) {
                Err(why) => break Err(Trouble::File(Cause::Changed, why)),
                Ok(Part::End) => break Ok(Some(std::mem::take(summing).sum())),
                Ok(Part::Nothing) => {
                    if let Err(failure) = self.hear(Duration::ZERO).and_then(|_| self.go_on()) {
                        break Err(failure.into());
                    }
                }
                Ok(Part::Bytes(got)) => {
                    summing.add(&buffer[1..=got]);
                    if let Err(failure) = self.message(&buffer[..=got]) {
                        break Err(failure.into());
                    }
                    self.sent += got as u64;
                    progress.add(got as u64);
                    match self.pending.get_mut(&number) {
                        Some(pending) => pending.bytes += got as u64,
                        None => break Ok(None),
                    }
                }
            }
        };
        self.buffer = buffer;
        result
    }

    /// Sends a message, and takes the answers that are there.
    fn message(&mut self, message: &[u8]) -> Result<(), Failure> {
        let until = Instant::now() + PATIENCE;
        loop {
            self.go_on()?;
            match self.listener.send_blocking(self.peer, message, Some(TURN)) {
                Ok(()) => {
                    while self.hear(Duration::ZERO)? {}
                    return Ok(());
                }
                Err(Error::TimedOut) if Instant::now() < until => {
                    self.hear(Duration::ZERO)?;
                }
                Err(Error::TimedOut) => {
                    let words = format!("no message could be sent for {} s: is there a receiver?", PATIENCE.as_secs());
                    return Err(words.into());
                }
                Err(Error::Closed(Reason::Closed | Reason::Incomplete)) => {
                    return Err(self.hear(Duration::ZERO).err().unwrap_or_else(left))
                }
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// Waits until the answers have an effect, as long as the receiver says something.
    fn wait_until(&mut self, is_met: impl Fn(&Self) -> bool, silent: &str) -> Result<(), Failure> {
        self.heard = Instant::now();
        while !is_met(self) {
            self.go_on()?;
            if !self.hear(TURN)? && self.heard.elapsed() > PATIENCE {
                return Err(silent.into());
            }
        }
        Ok(())
    }

    /// Takes an answer; returns whether there is one.
    fn hear(&mut self, time: Duration) -> Result<bool, Failure> {
        match self.listener.receive(self.peer, Some(time)) {
            Ok(answer) => {
                self.heard = Instant::now();
                self.take(&answer).map(|()| true)
            }
            Err(Error::TimedOut) => Ok(false),
            Err(Error::Closed(Reason::Closed | Reason::Incomplete) | Error::NoConnection) => Err(left()),
            Err(other) => Err(other.into()),
        }
    }

    fn take(&mut self, answer: &[u8]) -> Result<(), Failure> {
        match Answer::read(answer).ok_or_else(strange)? {
            Answer::Welcome { asks } if self.asks.is_none() => self.asks = Some(asks),
            Answer::Failed(why) => {
                return Err(Failure::new(Cause::Refused, format!("the receiver does not take it: {why}")))
            }
            Answer::Working => {}
            stated @ (Answer::There { .. } | Answer::From { .. }) if self.stated.is_none() => {
                self.stated = Some(stated)
            }
            Answer::Made { entry } => {
                self.pending.remove(&entry).filter(|pending| pending.is_folder).ok_or_else(strange)?;
            }
            Answer::Stored { entry, sum } => {
                let pending = self.pending.remove(&entry).filter(|pending| pending.sum.is_some());
                self.ended.push(Ended::Stored(pending.ok_or_else(strange)?, sum));
            }
            Answer::Refused { entry, why } => self.refused(entry, &why)?,
            _ => return Err(strange()),
        }
        Ok(())
    }

    /// The receiver does not take an entry.
    fn refused(&mut self, entry: u64, why: &str) -> Result<(), Failure> {
        let Pending { name, is_given_up, .. } = self.pending.remove(&entry).ok_or_else(strange)?;
        if is_given_up {
            return Ok(());
        }
        let failure = Failure::new(Cause::Refused, format!("the receiver does not take it: {why}"));
        self.ended.push(Ended::Failed(failure.about(&name).of(name)));
        Ok(())
    }

    /// Fails if the user has interrupted the program.
    fn go_on(&self) -> Result<(), Failure> {
        if self.interrupt.came() {
            return Err(Failure::new(Cause::Interrupted, "interrupted"));
        }
        Ok(())
    }

    /// Returns the longest message that the idle stack accepts.
    fn largest(&mut self) -> Result<usize, Failure> {
        let until = Instant::now() + PATIENCE;
        loop {
            self.go_on()?;
            let (listener, peer) = (&*self.listener, self.peer);
            if let Some(largest) = largest_accepted(|length| listener.accepts(peer, length), LARGEST).filter(|l| *l > 1)
            {
                return Ok(largest);
            }
            if Instant::now() > until {
                return Err("the stack accepts no message".into());
            }
            self.hear(TURN)?;
        }
    }
}

/// The message for a receiver that does not answer an entry.
const UNCONFIRMED: &str = "everything was sent, but the receiver did not confirm it";

/// What ends a file: the end of the connection, or something that concerns the file alone.
enum Trouble {
    Connection(Failure),
    File(Cause, String),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        Trouble::Connection(failure)
    }
}

/// The receiver closed before the end.
fn left() -> Failure {
    Failure::new(Cause::Ended, LEFT)
}

fn strange() -> Failure {
    "the receiver answers something else than `nacre run receive` does".into()
}
