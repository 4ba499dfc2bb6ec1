//! `nacre verify --mutants`: which small mistakes the specification finds.

use std::collections::BTreeMap;
use std::sync::Arc;

use nacre_checker::explore::Verdict;
use nacre_checker::mutants::mutants;
use nacre_checker::setup::Setup;
use nacre_driver::Session;
use serde_json::{json, Value};

use super::world::{Subject, World};
use crate::args::Verify;
use crate::console::{complain, print, print_json, Exit};
use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// Tries every mutant of each subject in all its configurations, until one finds it.
pub fn run(args: &Verify, worlds: &[(&Subject, World)], session: &Session, interrupt: &Interrupt) -> Exit {
    let mut subjects: Vec<&Subject> = vec![];
    worlds.iter().for_each(|(s, _)| {
        if !subjects.contains(s) {
            subjects.push(s)
        }
    });
    let (mut told, mut all_found) = (vec![], true);
    for subject in subjects {
        let mine: Vec<&World> = worlds.iter().filter(|(s, _)| *s == subject).map(|(_, w)| w).collect();
        match one(args, &mine, session, interrupt) {
            Ok(score) => {
                all_found &= score.survivors.is_empty();
                if args.json {
                    told.push(score.json(subject));
                } else {
                    score.print(subject);
                }
            }
            Err(words) => {
                complain(&words);
                return Exit::Unknown;
            }
        }
        if interrupt.came() {
            return interrupt.exit();
        }
    }
    if args.json {
        print_json(&Value::Array(told));
    }
    if all_found {
        Exit::Yes
    } else {
        Exit::No
    }
}

struct Score {
    /// By operator: found, all.
    operators: BTreeMap<&'static str, (u32, u32)>,
    survivors: Vec<String>,
}

fn one(args: &Verify, worlds: &[&World], session: &Session, interrupt: &Interrupt) -> Result<Score, String> {
    let mut score = Score { operators: BTreeMap::new(), survivors: vec![] };
    if worlds.is_empty() {
        return Ok(score);
    }
    // The mutants of every configuration are the same ones, in the same order: only parameters differ.
    let variants: Vec<Vec<_>> = worlds.iter().map(|w| mutants(&w.setup.stack, &[])).collect();
    let mut progress = Progress::of_runs(variants[0].len() as u64);
    for world in worlds {
        let found = super::search(args, world, interrupt, true)?;
        if let Verdict::Violated { why, .. } = found.searched.verdict {
            return Err(format!("the specification does not hold as it is: {why}"));
        }
    }
    for at in 0..variants[0].len() {
        if interrupt.came() {
            break;
        }
        let found = worlds.iter().zip(&variants).any(|(world, mutants)| {
            let Some(mutant) = mutants.get(at) else { return false };
            let setup = Setup { stack: Arc::new(mutant.stack.clone()), ..world.setup.clone() };
            let changed = World {
                setup,
                configuration: vec![],
                configuration_name: world.configuration_name.clone(),
                caveats: vec![],
            };
            match super::search(args, &changed, interrupt, true) {
                Ok(found) => matches!(found.searched.verdict, Verdict::Violated { .. }),
                // It does not even open.
                Err(_) => true,
            }
        });
        let mutant = &variants[0][at];
        let (killed, all) = score.operators.entry(mutant.operator).or_default();
        *all += 1;
        if found {
            *killed += 1;
        } else {
            let path = session.sources.path(mutant.span.file);
            let file = path.rsplit('/').next().unwrap_or(path);
            let line = session.sources.line(mutant.span);
            let after = if mutant.after.is_empty() { "(left out)" } else { &mutant.after };
            score.survivors.push(format!(
                "{} in {} ({file}:{line}): {}  =>  {after}",
                mutant.operator, mutant.place, mutant.before
            ));
        }
        progress.add(1);
    }
    Ok(score)
}

impl Score {
    fn sums(&self) -> (u32, u32) {
        self.operators.values().fold((0, 0), |(k, a), (killed, all)| (k + killed, a + all))
    }

    fn print(&self, subject: &Subject) {
        let (killed, all) = self.sums();
        let share = 100.0 * f64::from(killed) / f64::from(all.max(1));
        print(&format!("{}: {killed} of {all} mutants are found ({share:.0} %)", subject.name));
        for (operator, (killed, all)) in &self.operators {
            print(&format!("    {operator:<11} {killed} of {all}"));
        }
        self.survivors.iter().for_each(|s| print(&format!("  not found: {s}")));
    }

    fn json(&self, subject: &Subject) -> Value {
        let (killed, all) = self.sums();
        let operators: BTreeMap<&str, Value> =
            self.operators.iter().map(|(o, (k, a))| (*o, json!({ "found": k, "all": a }))).collect();
        json!({ "subject": subject.name, "found": killed, "all": all, "operators": operators, "survivors": self.survivors })
    }
}
