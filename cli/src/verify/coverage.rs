//! `nacre verify --coverage`: the lines that the configurations execute, and the operands that decide conditions.

use std::collections::BTreeMap;

use nacre_checker::coverage::{seen, Seen};
use nacre_checker::explore::Verdict;
use nacre_driver::Session;
use nacre_stack::Span;
use serde_json::{json, Value};

use crate::args::Verify;
use crate::console::{complain, print, print_json, Exit};
use crate::interrupt::Interrupt;
use nacre_worlds::world::{Subject, World};

/// What all configurations of a subject together executed.
#[derive(Default)]
pub struct Coverage {
    /// By file and line: whether a statement there ran.
    lines: BTreeMap<(String, usize), bool>,
    /// By place: whether the operand decided as false, and as true.
    operands: BTreeMap<Span, [bool; 2]>,
    /// Why a search ended early.
    incomplete: Vec<String>,
}

/// Searches each subject in its configurations, and prints what they executed.
pub fn run(args: &Verify, worlds: &[(&Subject, World)], session: &Session, interrupt: &Interrupt) -> Exit {
    let mut found: Vec<(&Subject, Coverage)> = vec![];
    for (subject, world) in worlds {
        if !found.iter().any(|(s, _)| s == subject) {
            found.push((subject, Coverage::default()));
        }
        let Some((_, coverage)) = found.iter_mut().find(|(s, _)| s == subject) else { continue };
        if let Err(words) = coverage.add(args, world, session, interrupt) {
            complain(&words);
            return Exit::Unknown;
        }
        if interrupt.came() {
            return interrupt.exit();
        }
    }
    if args.json {
        print_json(&Value::Array(found.iter().map(|(subject, coverage)| coverage.json(subject, session)).collect()));
    } else {
        found.iter().for_each(|(subject, coverage)| coverage.print(subject, session));
    }
    match found.iter().all(|(_, coverage)| coverage.incomplete.is_empty()) {
        true => Exit::Yes,
        false => Exit::Unknown,
    }
}

impl Coverage {
    fn add(&mut self, args: &Verify, world: &World, session: &Session, interrupt: &Interrupt) -> Result<(), String> {
        let found = super::search::search(args, world, interrupt, false)?;
        let end = match found.searched.verdict {
            Verdict::Complete => None,
            Verdict::Incomplete(why) | Verdict::Violated { why, .. } => Some(why),
        };
        self.incomplete.extend(end.map(|why| format!("configuration {}: {why}", world.configuration_name)));
        self.see(seen(world.setup.stack(), &|_| true, &found.covered), session);
        Ok(())
    }

    /// Adds what a search saw.
    pub fn see(&mut self, all: impl IntoIterator<Item = (Span, Seen)>, session: &Session) {
        for (span, seen) in all {
            match seen {
                Seen::Statement(ran) => {
                    let file = session.sources.path(span.file);
                    let file = file.rsplit('/').next().unwrap_or(file).to_string();
                    *self.lines.entry((file, session.sources.line(span))).or_default() |= ran;
                }
                Seen::Operand(was) => {
                    let all = self.operands.entry(span).or_default();
                    *all = [all[0] | was[0], all[1] | was[1]];
                }
            }
        }
    }

    /// The operands that never decided a condition as false, or as true; with what is missing.
    fn undecided(&self, session: &Session) -> Vec<(String, String)> {
        let missing = self.operands.iter().filter_map(|(span, was)| {
            let values = match was {
                [true, true] => return None,
                [false, true] => "as false",
                [true, false] => "as true",
                [false, false] => "",
            };
            let text = session.sources.slice(*span).split_whitespace().collect::<Vec<_>>().join(" ");
            Some((session.places(&[*span]), format!("`{text}` never decides {values}").trim_end().to_string()))
        });
        missing.collect()
    }

    fn print(&self, subject: &Subject, session: &Session) {
        print(&format!("{}: {}", subject.name, self.summary(session)));
        self.incomplete.iter().for_each(|why| print(&format!("  incomplete: {why}")));
        self.missing(session).iter().for_each(|line| print(&format!("  {line}")));
    }

    /// How much was executed, and how many operands decided.
    pub fn summary(&self, session: &Session) -> String {
        let ran = self.lines.values().filter(|ran| **ran).count();
        let undecided = self.undecided(session);
        let decided = self.operands.len() - undecided.len();
        let (lines, operands) = (self.lines.len(), self.operands.len());
        format!(
            "{ran} of {lines} lines were executed, {decided} of {operands} operands of conditions decided both ways"
        )
    }

    /// The lines that were not executed, and the operands that never decided.
    pub fn missing(&self, session: &Session) -> Vec<String> {
        let lines = self.lines.iter().filter(|(_, ran)| !**ran);
        let lines = lines.map(|((file, line), _)| format!("{file}:{line}: not executed"));
        let undecided = self.undecided(session).into_iter().map(|(place, words)| format!("{place}: {words}"));
        lines.chain(undecided).collect()
    }

    /// The coverage as JSON.
    pub fn json(&self, subject: &Subject, session: &Session) -> Value {
        let lines = self.lines.iter().map(|((file, line), ran)| json!({ "file": file, "line": line, "executed": ran }));
        let undecided = self.undecided(session);
        let undecided = undecided.iter().map(|(place, words)| json!({ "place": place, "operand": words }));
        json!({
            "subject": subject.name, "lines": lines.collect::<Vec<_>>(), "operands": self.operands.len(),
            "undecided": undecided.collect::<Vec<_>>(), "incomplete": self.incomplete,
        })
    }
}
