//! Sends files and folders.

use std::time::{Duration, Instant};

use nacre_runtime::{Error, Options, PublicKey, Stack};

use super::failure::{Cause, Failure};
use super::framing::Message;
use super::line::{introduce, Line};
use super::names::printable;
use super::pending::Ended;
use super::protection::Protection;
use super::report::{Moved, Whole};
use super::sending::Sending;
use super::trust::Trust;
use super::walk::{Item, Walk};
use crate::args::Send;
use crate::console::{complain, print_json, say, Exit};
use crate::interrupt::{EndAtOnce, Interrupt};

/// The time limit for closing a connection.
const FAREWELL: Duration = Duration::from_secs(5);

/// Sends everything that the arguments name, and waits for the receiver's checksums.
pub fn send(
    args: &Send,
    stack: &Stack,
    protection: &Protection,
    interrupt: &Interrupt,
    early: EndAtOnce,
) -> Result<Exit, Failure> {
    let (mut walk, subject) = (Walk::begin(args)?, Walk::subject(args));
    let options = Options { connections: 4, ..Options::default() };
    let (Line { mut listener, faults }, to) = Line::towards(&args.to, &args.net, options, protection)?;
    let hello = Message::Hello.write();
    let trust = Trust { peer: &to, pin: args.expected.peer, protection, stack, first: Some(&hello) };
    let mut connection = trust.connect(&mut listener)?;
    say(&format!("sending to {to} over {}", introduce(stack)));

    drop(early);
    let begun = Instant::now();
    let met = trust.meet(&mut listener, &mut connection, interrupt);
    let (peer, is_greeted, heard) = (connection.id, connection.is_greeted, connection.heard.take());
    let address = listener.peer(peer).map_or_else(|_| to.to_string(), |address| address.to_string());
    let mut sending = Sending::new(&mut listener, peer, interrupt);
    let whole = Whole { verb: "sent", files: 0, bytes: 0, resumed: 0, failed: 0 };
    let key = met.as_ref().ok().copied().flatten();
    let mut outcome = Outcome { args, protection, address, key, faults: faults.as_ref(), whole };
    let sent = met.and_then(|_| {
        let begun = sending.begin(is_greeted, heard);
        begun.and_then(|()| outcome.all(&mut sending, &mut walk)).map_err(|failure| failure.about(&subject))
    });
    outcome.report(&mut sending);
    if interrupt.came() && sent.is_err() {
        let taken = sending.sent;
        let answered = listener.statistics_of(peer).is_ok_and(|statistics| statistics.confirmed);
        let words = format!("{subject}: interrupted; {}", so_far(taken, answered));
        say(&words);
        if args.net.json {
            print_json(&Failure::new(Cause::Interrupted, words).with(key).json("send", protection.is_encrypted()));
        }
        // Notifies the receiver at once.
        let _ = listener.close_blocking(peer, Some(FAREWELL));
        return Ok(interrupt.exit());
    }
    sent.map_err(|failure| failure.with(key))?;
    let statistics = listener.statistics_of(peer).unwrap_or_default();
    let time = begun.elapsed();
    outcome.whole.report(args.net.json, time, &statistics, faults.as_ref());
    let address = listener.peer(peer);
    // The files have arrived, whether or not the shutdown succeeds.
    if !matches!(listener.close_blocking(peer, Some(FAREWELL)), Err(Error::TimedOut)) {
        let _ = listener.linger(peer);
    }
    if let (Ok(address), false) = (address, args.net.json) {
        outcome.whole.compare(address, time, &statistics);
    }
    Ok(if outcome.whole.failed == 0 { Exit::Yes } else { Exit::No })
}

/// Describes an aborted transfer: the stack does not report how much of it arrived.
fn so_far(taken: u64, answered: bool) -> String {
    if !answered {
        return "the receiver has never answered: nothing is known to have arrived".into();
    }
    format!("the stack accepted {taken} bytes; the number that arrived is unknown")
}

/// What has been sent, and how it is reported.
struct Outcome<'o> {
    args: &'o Send,
    protection: &'o Protection,
    /// The receiver's.
    address: String,
    key: Option<PublicKey>,
    faults: Option<&'o nacre_runtime::faults::FaultHandle>,
    whole: Whole,
}

impl Outcome<'_> {
    /// Sends everything.
    fn all(&mut self, sending: &mut Sending, walk: &mut Walk) -> Result<(), Failure> {
        while let Some(item) = walk.advance() {
            match item {
                Item::Skipped(path, why) => self.skip(&path, &why),
                Item::Folder(path) if sending.takes(&path) => sending.folder(&path)?,
                Item::File(source) if sending.takes(&source.path) => sending.file(source)?,
                Item::Folder(path) => self.skip(&path, TOO_LONG),
                Item::File(source) => self.skip(&source.path, TOO_LONG),
            }
            self.report(sending);
        }
        sending.done()
    }

    /// Reports what has ended since.
    fn report(&mut self, sending: &mut Sending) {
        for ended in std::mem::take(&mut sending.ended) {
            match ended {
                Ended::Failed(failure) => self.fail(failure),
                Ended::Stored(pending, other_sum) => {
                    let statistics = sending.listener.statistics_of(sending.peer).unwrap_or_default();
                    let moved = Moved {
                        verb: "sent",
                        name: &pending.name,
                        peer: self.address.clone(),
                        protection: self.protection,
                        peer_key: self.key,
                        bytes: pending.bytes,
                        resumed: pending.resumed,
                        time: pending.begun.elapsed(),
                        sum: pending.sum.unwrap_or_default(),
                        other_sum,
                        statistics: &statistics,
                        faults: self.faults,
                    };
                    moved.report(self.args.net.json);
                    match moved.is_intact() {
                        true => {
                            self.whole.files += 1;
                            self.whole.bytes += pending.bytes;
                            self.whole.resumed += pending.resumed;
                        }
                        false => self.whole.failed += 1,
                    }
                }
            }
        }
    }

    fn skip(&mut self, path: &str, why: &str) {
        let name = printable(path);
        self.fail(Failure::new(Cause::Skipped, format!("{name} is not sent: {}", printable(why))).of(name));
    }

    /// Reports an entry that is not sent.
    fn fail(&mut self, failure: Failure) {
        self.whole.failed += 1;
        complain(&failure.words);
        if self.args.net.json {
            print_json(&failure.with(self.key).json("send", self.protection.is_encrypted()));
        }
    }
}

const TOO_LONG: &str = "its path is too long for the stack";
