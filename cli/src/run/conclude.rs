//! How the files that a receiver gets end: stored, refused, given up; each is reported once.

use nacre_runtime::ConnectionId;

use super::failure::{Cause, Failure};
use super::framing::Sum;
use super::incoming::{Entry, Outcome};
use super::partial::Partial;
use super::receiver::{Receiver, Storing};
use super::report::Moved;
use super::storing::Job;
use crate::console::{print_json, say};

/// The maximum number of files that are brought to the disk at once.
const STORING: usize = 512;

impl Receiver<'_> {
    /// Does what follows from a message.
    pub(super) fn settle(&mut self, connection: ConnectionId, outcome: Result<Option<Outcome>, String>) {
        match outcome {
            Ok(None) => {}
            Err(why) => self.reject(connection, why),
            Ok(Some(Outcome::Came(entry, partial, sum))) => self.store(connection, entry, partial, sum),
            Ok(Some(Outcome::Present(entry, path, sum, other_sum))) => {
                self.finish(connection, &entry, &path, sum, other_sum);
            }
            Ok(Some(Outcome::Refused(name, why))) => self.fail(connection, name, Cause::Other, &why),
            Ok(Some(Outcome::Aborted(entry, why))) => {
                self.fail(connection, entry.name, Cause::Ended, &format!("the sender gives it up: {why}"));
            }
        }
    }

    /// Everything of a file has come.
    pub(super) fn store(&mut self, connection: ConnectionId, entry: Entry, partial: Partial, other_sum: Sum) {
        let job = match self.storing.len() {
            0..STORING => Job::begin(move |stop| partial.stored(stop)).map_err(|error| error.to_string()),
            _ => Err(format!("the receiver stores {STORING} files")),
        };
        match job {
            Ok(job) => self.storing.push(Storing { connection, entry, other_sum, job }),
            Err(why) => self.refuse(connection, &entry, format!("cannot store it: {why}")),
        }
    }

    /// A file is on the disk, or cannot be.
    pub(super) fn stored(&mut self, storing: Storing) {
        let Storing { connection, entry, other_sum, job } = storing;
        let placed = job.end().and_then(|(stored, sum)| match sum == other_sum {
            true => Ok((Some(stored.place()?), sum)),
            false => Ok((None, sum)),
        });
        match placed {
            Ok((Some(path), sum)) => self.finish(connection, &entry, &path.to_string_lossy(), sum, other_sum),
            Ok((None, sum)) => self.finish(connection, &entry, &entry.name, sum, other_sum),
            Err(error) => self.refuse(connection, &entry, format!("cannot store it: {error}")),
        }
        self.flush(connection);
    }

    /// A file is stored, unless its sums differ.
    fn finish(&mut self, connection: ConnectionId, entry: &Entry, path: &str, sum: Sum, other_sum: Sum) {
        let listener = &mut self.line.listener;
        let peer = listener.peer(connection).map_or_else(|_| "a peer that has gone".into(), |peer| peer.to_string());
        let peer_key = listener.peer_key(connection).unwrap_or_default();
        let statistics = listener.statistics_of(connection).unwrap_or_default();
        let moved = Moved {
            verb: "received",
            name: path,
            peer,
            protection: self.doorkeeper.protection,
            peer_key,
            bytes: entry.length,
            resumed: entry.resumed,
            time: entry.begun.elapsed(),
            sum,
            other_sum,
            statistics: &statistics,
            faults: self.line.faults.as_ref(),
        };
        moved.report(self.args.net.json);
        if let Some(incoming) = self.incoming.get_mut(&connection) {
            incoming.finish(entry, sum, moved.is_intact());
        }
    }

    /// A file cannot be stored.
    fn refuse(&mut self, connection: ConnectionId, entry: &Entry, why: String) {
        self.fail(connection, entry.name.clone(), Cause::Other, &why);
        if let Some(incoming) = self.incoming.get_mut(&connection) {
            incoming.refuse(entry.number, why);
        }
    }

    /// Reports a file that is not stored.
    fn fail(&mut self, connection: ConnectionId, name: String, cause: Cause, why: &str) {
        let words = format!("{name} is not stored: {why}");
        self.words.say(&words);
        self.print_failure(connection, name, cause, words);
    }

    /// With `--json`, the object of a file that is not stored.
    fn print_failure(&self, connection: ConnectionId, name: String, cause: Cause, words: String) {
        if self.args.net.json {
            let key = self.line.listener.peer_key(connection).unwrap_or_default();
            let failure = Failure::new(cause, words).with(key).of(name);
            print_json(&failure.json("receive", self.doorkeeper.protection.is_encrypted()));
        }
    }

    /// Ends everything: what is not stored yet is removed, or kept for a later transfer.
    pub(super) fn give_up_all(&mut self, why: &str) {
        let begun: Vec<ConnectionId> = self.incoming.keys().copied().collect();
        for connection in begun {
            if self.incoming.get(&connection).is_some_and(|incoming| !incoming.is_complete()) {
                self.give_up(connection, why);
            }
        }
        self.storing.iter().for_each(|storing| storing.job.stop());
        for storing in std::mem::take(&mut self.storing) {
            self.stored(storing);
        }
    }

    /// Ends what a sender has begun; what can be continued is kept.
    pub(super) fn give_up(&mut self, connection: ConnectionId, why: &str) {
        self.waiting.remove(&connection);
        let Some(mut incoming) = self.incoming.remove(&connection) else {
            return self.words.say(&format!("a connection has ended: {why}"));
        };
        let Some((name, there)) = incoming.give_up() else {
            return self.words.say(&format!("a sender is not done: {why}"));
        };
        let words = format!("{name} is not complete ({there}): {why}");
        say(&words);
        self.print_failure(connection, name, Cause::Ended, words);
    }
}
