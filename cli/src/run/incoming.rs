//! What one sender sends: its files and folders, one after another.

use std::collections::VecDeque;
use std::io;
use std::time::Instant;

use super::framing::{Answer, Message, Sum, WINDOW};
use super::names::{components, printable};
use super::partial::{sum_of, Partial};
use super::store::Store;
use super::storing::Job;
use super::tree::Tree;
use crate::progress::Progress;

/// The transfers of a connection.
pub struct Incoming {
    pub begun: Instant,
    /// Who may continue what is not complete.
    owner: String,
    /// Answers that the stack has not accepted yet.
    pub answers: VecDeque<Answer>,
    /// The number of the next entry.
    next: u64,
    /// Entries whose answers the stack has not accepted yet.
    unanswered: usize,
    tree: Option<Tree>,
    state: State,
    /// The sender has said that nothing follows.
    pub is_done: bool,
    /// Files that are stored, all of their bytes, and how many of these were there already; entries that are not.
    pub files: u64,
    pub bytes: u64,
    pub resumed: u64,
    pub failed: u64,
}

enum State {
    Idle,
    /// What is there of a file is compared with what the sender has.
    Comparing(Entry, Comparison),
    Receiving(Entry),
    /// The file was refused; its data is on the way.
    Skipping,
}

/// A file that is being received.
pub struct Entry {
    pub number: u64,
    /// Its name, until it is stored.
    pub name: String,
    pub size: Option<u64>,
    pub begun: Instant,
    /// The bytes that were there, and all of them at the end.
    pub resumed: u64,
    pub length: u64,
    target: Target,
    progress: Progress,
}

enum Target {
    New(Partial),
    /// It is there: the path, as it is printed, and its sum.
    Present(String, Sum),
}

struct Comparison {
    job: Option<Job<Sum>>,
    own: Option<Sum>,
    other: Option<Sum>,
    length: u64,
    /// The path of a file that is there as a whole.
    present: Option<String>,
}

/// A file that has come, or was not taken.
pub enum Outcome {
    /// Everything has come: the file, the sum that the sender states.
    Came(Entry, Partial, Sum),
    /// It was there already: its path, its sum, the sum that the sender states.
    Present(Entry, String, Sum, Sum),
    /// A file or a folder is not taken: its name, and why.
    Refused(String, String),
    /// The sender gives it up.
    Aborted(Entry, String),
}

impl Incoming {
    /// The transfers of a sender that has greeted.
    pub fn new(owner: String, asks: bool) -> Incoming {
        Incoming {
            begun: Instant::now(),
            owner,
            answers: VecDeque::from([Answer::Welcome { asks }]),
            next: 0,
            unanswered: 0,
            tree: None,
            state: State::Idle,
            is_done: false,
            files: 0,
            bytes: 0,
            resumed: 0,
            failed: 0,
        }
    }

    /// Whether something of the sender's has to be looked at without a message.
    pub fn is_waiting(&self) -> bool {
        !self.answers.is_empty() || self.is_comparing()
    }

    /// Whether a file that is there is being read.
    pub fn is_comparing(&self) -> bool {
        matches!(&self.state, State::Comparing(_, Comparison { job: Some(_), .. }))
    }

    /// Whether the file that is there has been read.
    pub fn has_read(&self) -> bool {
        matches!(&self.state, State::Comparing(_, Comparison { job: Some(job), .. }) if job.is_done())
    }

    /// Whether all that the sender has announced has come and is answered.
    pub fn is_complete(&self) -> bool {
        self.is_done && self.unanswered == 0
    }

    /// Handles a message. The error ends the connection.
    pub fn take(&mut self, message: Message, store: &Store) -> Result<Option<Outcome>, String> {
        if self.is_done {
            return Err("something follows the end".into());
        }
        let state = std::mem::replace(&mut self.state, State::Idle);
        match (message, state) {
            (Message::File { size, path }, State::Idle) => self.file(size, path, store),
            (Message::Folder { path }, State::Idle) => self.folder(path, store),
            (Message::Done, State::Idle) if self.unanswered == 0 => {
                self.end_tree(true);
                self.is_done = true;
                Ok(None)
            }
            (Message::Data(_) | Message::Prefix(_), State::Skipping) => {
                self.state = State::Skipping;
                Ok(None)
            }
            (Message::End(_) | Message::Abort(_), State::Skipping) => Ok(None),
            (Message::Prefix(sum), State::Comparing(entry, mut comparison)) if comparison.other.is_none() => {
                comparison.other = Some(sum);
                self.compared(entry, comparison)
            }
            (Message::Data(bytes), State::Receiving(entry)) => self.data(entry, bytes),
            (Message::End(sum), State::Receiving(entry)) => self.end(entry, sum),
            (Message::Abort(why), State::Receiving(entry) | State::Comparing(entry, _)) => {
                let number = entry.number;
                self.refuse(number, "the sender has given it up".into());
                Ok(Some(Outcome::Aborted(entry, why)))
            }
            (_, state) => {
                self.state = state;
                Err("the sender does not keep to the order of messages".into())
            }
        }
    }

    /// Begins an entry. A sender that does not wait for answers would fill the memory.
    fn number(&mut self) -> Result<u64, String> {
        if self.unanswered >= WINDOW {
            return Err(format!("more than {WINDOW} files wait for an answer"));
        }
        self.unanswered += 1;
        self.next += 1;
        Ok(self.next - 1)
    }

    /// Answers an entry.
    pub fn answer(&mut self, answer: Answer) {
        self.answers.push_back(answer);
    }

    /// The stack has accepted an answer.
    pub fn answered(&mut self, answer: &Answer) {
        if matches!(answer, Answer::Stored { .. } | Answer::Made { .. } | Answer::Refused { .. }) {
            self.unanswered = self.unanswered.saturating_sub(1);
        }
    }

    /// A file is stored, if its sums agree; the sender gets the one of this end in any case.
    pub fn finish(&mut self, entry: &Entry, sum: Sum, is_intact: bool) {
        match is_intact {
            true => {
                self.files += 1;
                self.bytes += entry.length;
                self.resumed += entry.resumed;
            }
            false => self.failed += 1,
        }
        self.tree.iter_mut().for_each(|tree| tree.is_whole &= is_intact);
        self.answer(Answer::Stored { entry: entry.number, sum });
    }

    /// An entry that is not taken.
    pub fn refuse(&mut self, entry: u64, why: String) {
        self.failed += 1;
        self.tree.iter_mut().for_each(|tree| tree.is_whole = false);
        self.answer(Answer::Refused { entry, why });
    }

    fn file(&mut self, size: Option<u64>, path: &str, store: &Store) -> Result<Option<Outcome>, String> {
        let number = self.number()?;
        match self.begin(number, size, path, store) {
            Ok(()) => Ok(None),
            Err(error) => {
                self.state = State::Skipping;
                Ok(Some(self.refused(number, path, &error)))
            }
        }
    }

    fn refused(&mut self, number: u64, path: &str, error: &io::Error) -> Outcome {
        let why = format!("cannot store it: {error}");
        self.refuse(number, why.clone());
        Outcome::Refused(printable(path), why)
    }

    fn begin(&mut self, number: u64, size: Option<u64>, path: &str, store: &Store) -> io::Result<()> {
        let parts = components(path).ok_or_else(no_path)?;
        let place = match (parts.as_slice(), &self.tree) {
            ([_], _) if !store.is_folder() && self.next > 1 => {
                return Err(io::Error::other("the receiver takes one file of each sender: its --out is a file"))
            }
            ([name], _) => store.place(name)?,
            (parts, Some(tree)) => tree.place(parts)?,
            (_, None) => return Err(io::Error::new(io::ErrorKind::NotFound, "its folder was not announced")),
        };
        let name = printable(&place.shown.join(&place.name).to_string_lossy());
        let progress = Progress::of_bytes(size, &name);
        let (mut partial, present) = store.begin(place, size, &self.owner)?;
        let there = match present {
            Some((file, path)) => Some((file.metadata()?.len(), file, Some(path))),
            None if partial.length() > 0 => Some((partial.length(), partial.reader()?, None)),
            None => None,
        };
        if there.is_none() {
            partial.go_on_from(0)?;
        }
        let target = Target::New(partial);
        let entry = Entry { number, name, size, begun: Instant::now(), resumed: 0, length: 0, target, progress };
        let asked = store.keeps && size.is_some();
        let length = there.as_ref().map_or(0, |(length, _, _)| *length);
        self.state = match there {
            None => State::Receiving(entry),
            Some((length, file, present)) => {
                let job = Job::begin(move |stop| sum_of(&file, length, stop))?;
                State::Comparing(entry, Comparison { job: Some(job), own: None, other: None, length, present })
            }
        };
        if asked {
            self.answer(Answer::There { entry: number, length });
        }
        Ok(())
    }

    fn folder(&mut self, path: &str, store: &Store) -> Result<Option<Outcome>, String> {
        let number = self.number()?;
        let made = components(path).ok_or_else(no_path).and_then(|parts| match (parts.as_slice(), &self.tree) {
            (_, _) if !store.is_folder() => Err(io::Error::other("the receiver takes no folders: its --out is a file")),
            ([_], Some(_)) if self.unanswered > 1 => Err(io::Error::other("files of another tree have no answer yet")),
            ([root], _) => {
                self.end_tree(true);
                self.tree = Some(Tree::begin(store, root, &self.owner)?);
                Ok(())
            }
            (parts, Some(tree)) => tree.make(parts),
            (_, None) => Err(io::Error::new(io::ErrorKind::NotFound, "its folder was not announced")),
        });
        match made {
            Ok(()) => {
                self.answer(Answer::Made { entry: number });
                Ok(None)
            }
            Err(error) => Ok(Some(self.refused(number, path, &error))),
        }
    }

    fn end_tree(&mut self, is_over: bool) {
        if let Some(mut tree) = self.tree.take() {
            tree.is_whole &= is_over;
            tree.end();
        }
    }

    /// What is there has been read; returns what fails.
    pub fn read(&mut self) -> Result<Option<Outcome>, String> {
        let State::Comparing(entry, mut comparison) = std::mem::replace(&mut self.state, State::Idle) else {
            return Err("internal error".into());
        };
        match comparison.job.take().map(Job::end) {
            Some(Ok(sum)) => comparison.own = Some(sum),
            // It cannot be read: the file begins anew.
            _ => comparison.own = Some([0; 32]),
        }
        self.compared(entry, comparison)
    }

    /// Goes on with a file once both sums are there.
    fn compared(&mut self, mut entry: Entry, comparison: Comparison) -> Result<Option<Outcome>, String> {
        let (Some(own), Some(other)) = (comparison.own, comparison.other) else {
            self.state = State::Comparing(entry, comparison);
            return Ok(None);
        };
        let number = entry.number;
        let offset = if own == other { comparison.length } else { 0 };
        match (&mut entry.target, comparison.present) {
            (target, Some(shown)) if offset > 0 => *target = Target::Present(shown, own),
            (Target::New(partial), _) => {
                if let Err(error) = partial.go_on_from(offset) {
                    self.state = State::Skipping;
                    let name = entry.name;
                    return Ok(Some(self.refused(number, &name, &error)));
                }
            }
            (Target::Present(..), _) => {}
        }
        entry.resumed = offset;
        entry.progress.add(offset);
        self.state = State::Receiving(entry);
        self.answer(Answer::From { entry: number, offset });
        Ok(None)
    }

    fn data(&mut self, mut entry: Entry, bytes: &[u8]) -> Result<Option<Outcome>, String> {
        let length = bytes.len() as u64;
        let Target::New(partial) = &mut entry.target else {
            return Err("more bytes arrived than announced".into());
        };
        if entry.size.is_some_and(|size| size - partial.length() < length) {
            self.state = State::Receiving(entry);
            return Err("more bytes arrived than announced".into());
        }
        match partial.write(bytes) {
            Ok(()) => {
                entry.progress.add(length);
                self.state = State::Receiving(entry);
                Ok(None)
            }
            Err(error) => {
                self.state = State::Skipping;
                Ok(Some(self.refused(entry.number, &entry.name, &error)))
            }
        }
    }

    fn end(&mut self, mut entry: Entry, sum: Sum) -> Result<Option<Outcome>, String> {
        let target = std::mem::replace(&mut entry.target, Target::Present(String::new(), sum));
        match target {
            Target::New(partial) if entry.size.is_none_or(|size| size == partial.length()) => {
                entry.length = partial.length();
                Ok(Some(Outcome::Came(entry, partial, sum)))
            }
            Target::New(partial) => {
                entry.target = Target::New(partial);
                self.state = State::Receiving(entry);
                Err("fewer bytes arrived than announced".into())
            }
            Target::Present(path, own) => {
                entry.length = entry.resumed;
                Ok(Some(Outcome::Present(entry, path, own, sum)))
            }
        }
    }

    /// Ends the transfers before they are complete: returns the file that was under way, and what was done with it.
    pub fn give_up(&mut self) -> Option<(String, String)> {
        self.end_tree(false);
        let (State::Comparing(entry, _) | State::Receiving(entry)) = std::mem::replace(&mut self.state, State::Idle)
        else {
            return None;
        };
        let Entry { name, size, target, .. } = entry;
        let Target::New(partial) = target else { return None };
        let length = partial.length();
        let there = match size {
            Some(size) => format!("{} bytes are missing", size - length),
            None => format!("{length} bytes have come"),
        };
        let kept = if partial.keep() { "; kept" } else { "" };
        Some((name, format!("{there}{kept}")))
    }
}

fn no_path() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "its name is no path below a folder")
}

#[cfg(test)]
mod tests;
