//! The stacks of the workloads at all levels, and what a message costs.

use std::path::{Path, PathBuf};

use nacre_benches::harness::{self, Cost, Entry, Workload};
use nacre_benches::{active, papers};
use nacre_driver::{Level, Session};
use tempfile::TempDir;

use super::table::Cell;
use crate::build;
use crate::console::say;
use crate::prove::Proving;

/// How a stack is run: at a level, or as it is written by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    At(Level),
    ByHand,
}

/// The levels, in the words of the tables: events by a scheduler, by calls, inlined, by bypasses.
pub const LEVELS: [(How, &str); 4] = [
    (How::At(Level::Queue), "scheduler (queue)"),
    (How::At(Level::Call), "calls (call)"),
    (How::At(Level::Inline), "inlined (inline)"),
    (How::At(Level::Bypass), "bypass"),
];

/// What was measured so far; the same workload is measured once.
pub struct Workloads {
    folder: TempDir,
    file: PathBuf,
    session: Session,
    messages: u64,
    known: Vec<((&'static str, How, u32), Option<Cost>)>,
}

impl Workloads {
    /// `messages`: of each timed run.
    pub fn new(messages: u64) -> Result<Workloads, String> {
        let folder = tempfile::tempdir().map_err(|why| format!("a temporary folder: {why}"))?;
        let file = papers::write(folder.path())?;
        let session = Session::open(std::slice::from_ref(&file));
        Ok(Workloads { folder, file, session, messages, known: vec![] })
    }

    /// Where programs are built.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file with the stacks.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Messages of a timed run.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// The cost of a message, by quick entries where there are any. None: no bypass is proved here.
    pub fn cost(&mut self, stack: &'static str, how: How, size: u32) -> Result<Option<Cost>, String> {
        let which = (stack, how, size);
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == which) {
            return Ok(known.clone());
        }
        let workload = Workload { size, counted: self.messages.min(8000), timed: self.messages, runs: 5 };
        let costs = match how {
            How::ByHand => harness::hand(self.folder.path(), &workload)?,
            How::At(level) => {
                say(&format!("measuring the stack of {stack} layers at level {}, {size} bytes", level.name()));
                self.at(stack, level, &workload)?
            }
        };
        // The quick entries come last.
        let cost = costs.into_iter().next_back();
        self.known.push((which, cost.clone()));
        Ok(cost)
    }

    fn at(&mut self, stack: &'static str, level: Level, workload: &Workload) -> Result<Vec<Cost>, String> {
        let Some(layers) = self.emit(stack, level)? else { return Ok(vec![]) };
        harness::costs(self.folder.path(), &prefix(stack, level), Some(layers), level.name(), workload)
    }

    /// The cost of an active message of 16 bytes, which is half of a round trip. None: no bypass is proved here.
    pub fn active(&mut self, how: How) -> Result<Option<Entry>, String> {
        let workload = Workload { size: 16, counted: self.messages.min(8000), timed: self.messages, runs: 5 };
        let name = match how {
            How::ByHand => active::HAND.to_string(),
            How::At(level) => {
                say(&format!("measuring active messages at level {}", level.name()));
                if self.emit("active", level)?.is_none() {
                    return Ok(None);
                }
                prefix("active", level)
            }
        };
        active::write(self.folder.path())?;
        active::cost(self.folder.path(), &name, &workload).map(Some)
    }

    /// The layers of a stack, and how many there are of each.
    pub fn layers(&mut self, stack: &str) -> Result<Vec<(String, usize)>, String> {
        let Some(composed) = self.session.stack(stack) else { return Err(self.session.render(false)) };
        let mut layers: Vec<(String, usize)> = vec![];
        for layer in &composed.layers {
            // Another one of the same name has a number.
            let name = layer.name.trim_end_matches(|c: char| c.is_ascii_digit());
            let name = if name.ends_with('_') { name.trim_end_matches('_') } else { &layer.name };
            match layers.iter_mut().find(|(known, _)| known == name) {
                Some((_, times)) => *times += 1,
                None => layers.push((name.to_string(), 1)),
            }
        }
        Ok(layers)
    }

    /// Writes a stack as C; the number of its layers. None: no bypass is proved here.
    pub fn emit(&mut self, stack: &'static str, level: Level) -> Result<Option<usize>, String> {
        let Some(composed) = self.session.stack(stack) else { return Err(self.session.render(false)) };
        let (reached, optimized) = build::optimized(&self.session, &composed, level, Proving::Missing);
        if reached != level {
            return Ok(None);
        }
        let prefix = prefix(stack, level);
        let emitted = self.session.emit_optimized(optimized, level, Some(&prefix));
        harness::write_emitted(self.folder.path(), &prefix, &emitted)?;
        Ok(Some(composed.layers.len()))
    }
}

/// The prefix of the names in C.
pub fn prefix(stack: &str, level: Level) -> String {
    format!("{stack}_{}", level.name())
}

/// Instructions and nanoseconds, of the whole message; nothing if there is no cost.
pub fn both(entry: Option<Entry>) -> [Cell; 2] {
    match entry {
        Some(entry) => [Cell::whole(entry.send + entry.deliver), Cell::whole(entry.send_ns + entry.deliver_ns)],
        None => [Cell::None, Cell::None],
    }
}
