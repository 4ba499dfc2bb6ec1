//! Prints proposals: their source on standard output, and what each adds on standard error.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use nacre_checker::coverage::Seen;
use nacre_diagnostics::counted;
use nacre_stack::Span;
use serde_json::{json, Value};

use super::super::coverage::Coverage;
use super::super::report::{self, Report};
use super::explore::Explored;
use super::killing::Mutants;
use super::select::Selected;
use super::trial::{Ending, Feature, Trial, Trials};
use crate::args::Verify;
use crate::console::{complain, print, print_json, say, Exit};

/// The proposals for a subject.
pub struct Proposals {
    /// The configurations that it has.
    pub declared: usize,
    /// What these execute.
    pub known: BTreeSet<Feature>,
    pub proposed: Vec<Selected>,
    pub mutants: Mutants,
    pub explored: Explored,
}

/// What was printed so far.
#[derive(Default)]
pub struct Printed {
    subjects: Vec<Value>,
    sources: usize,
    violations: usize,
}

/// The most settings that are reported as not held.
const NOT_HELD: usize = 8;

impl Printed {
    /// Prints the proposals for a subject. Returns the exit status.
    pub fn add(&mut self, trials: &Trials, found: &Proposals) -> Exit {
        let subject = trials.subject;
        if found.explored.over.is_empty() && found.explored.violated.is_empty() {
            let why = found.explored.refused.first().map_or("no automaton fits below it", String::as_str);
            complain(&format!("no configuration for `{}`: {why}", subject.name));
            self.subjects.push(json!({ "subject": subject.name, "why": why }));
            return Exit::Unknown;
        }
        let mut names = vec![];
        for one in &found.proposed {
            names.push(one.trial.draft.name(subject, trials.session, &names));
        }
        let coverage = coverage(trials, found);
        let shown = found.proposed.iter().zip(&names);
        let (all, detected) = found.mutants.sums();
        let source = |(one, name): (&Selected, &String)| one.trial.draft.source(subject, name);
        let sources: Vec<String> = shown.clone().map(source).collect();
        if trials.args.json {
            let one = |((one, name), source): ((&Selected, &String), &String)| {
                let (lines, operands) = gains(trials, one);
                json!({
                    "name": name, "source": source, "states": one.trial.states, "lines": lines, "operands": operands,
                    "mutants": one.mutants,
                })
            };
            let proposals: Vec<Value> = shown.zip(&sources).map(one).collect();
            let violated: Vec<Value> = found.explored.violated.iter().take(1).map(|t| failed(t)).collect();
            let not_held: Vec<Value> = found.explored.not_held.iter().map(|t| failed(t)).collect();
            self.subjects.push(json!({
                "subject": subject.name, "proposals": proposals, "coverage": coverage.json(subject, trials.session),
                "mutants": { "all": all, "found": detected, "complete": !found.mutants.exhausted() },
                "violated": violated, "not_held": not_held,
            }));
        } else {
            self.sources(&sources);
            self.report(trials, found, &names, &coverage);
        }
        self.violation(trials, found)
    }

    /// Prints the sources, each after an empty line.
    fn sources(&mut self, sources: &[String]) {
        for source in sources {
            if self.sources > 0 {
                print("\n");
            }
            print(source);
            self.sources += 1;
        }
    }

    /// Reports what each proposal adds, and what none executes.
    fn report(&self, trials: &Trials, found: &Proposals, names: &[String], coverage: &Coverage) {
        let subject = &trials.subject.name;
        let with = if found.declared > 0 { "with those that it has, " } else { "" };
        let proposed = counted(names.len() as u64, "configuration");
        say(&format!("{subject}: {proposed} proposed; {with}{}", coverage.summary(trials.session)));
        for (one, name) in found.proposed.iter().zip(names) {
            let (lines, operands) = gains(trials, one);
            let (states, mutants) = (one.trial.states, one.mutants);
            let counts =
                [(states, "state"), (lines as u64, "line"), (operands as u64, "outcome"), (mutants as u64, "mutant")];
            let [states, lines, operands, mutants] = counts.map(|(count, thing)| counted(count, thing));
            say(&format!("  {name}: {states}; adds {lines}, {operands} of operands, {mutants}"));
        }
        let (all, detected) = found.mutants.sums();
        let limit = match found.mutants.exhausted() {
            true => "; the searches for others reached their limit",
            false => "",
        };
        say(&format!("  {detected} of {all} mutants are detected{limit}"));
        coverage.missing(trials.session).iter().for_each(|line| say(&format!("  {line}")));
        // If it requires an automaton, it need not hold over others.
        let first = found.explored.over.first().map(|over| &over.base.draft.over);
        let listed = |t: &&Rc<Trial>| t.draft.over.is_none() || first.is_some_and(Option::is_some);
        let not_held: Vec<&Rc<Trial>> = found.explored.not_held.iter().filter(listed).collect();
        for trial in not_held.iter().take(NOT_HELD) {
            let Ending::Violated { why, .. } = &trial.ending else { continue };
            say(&format!("  not proposed, because it does not hold: {}: {why}", described(trial)));
        }
        if not_held.len() > NOT_HELD {
            say(&format!("  {} others do not hold (--json lists them)", not_held.len() - NOT_HELD));
        }
    }

    /// Shows the run that violates what the subject states.
    fn violation(&mut self, trials: &Trials, found: &Proposals) -> Exit {
        let Some(trial) = found.explored.violated.iter().min_by_key(|trial| trial.states) else { return Exit::Yes };
        let world = trials.world(&trial.draft).and_then(|world| {
            let searched = trials.searched(&world, trials.most())?;
            Ok((searched, world))
        });
        let Ok((searched, mut world)) = world else { return Exit::No };
        if !trials.args.json {
            let name = "violated";
            world.configuration_name = name.into();
            self.sources(&[trial.draft.source(trials.subject, name)]);
            print("\n");
            let reported = Report::of_explorer(searched, &world, trials.session);
            report::show(trials.args, trials.subject, &world, &reported, &mut self.violations);
        }
        Exit::No
    }

    /// Prints the JSON.
    pub fn end(&self, args: &Verify) {
        if args.json {
            print_json(&Value::Array(self.subjects.clone()));
        }
    }
}

/// The lines and the outcomes of operands that a proposal adds.
fn gains(trials: &Trials, one: &Selected) -> (usize, usize) {
    let line = |span: &Span| (span.file, trials.session.sources.line(*span));
    let ran = |feature: &Feature| if let Feature::Ran(span) = feature { Some(line(span)) } else { None };
    let lines: BTreeSet<_> = one.adds.iter().filter_map(ran).collect();
    let operands = one.adds.iter().filter(|feature| matches!(feature, Feature::Decided(..))).count();
    (lines.len(), operands)
}

/// What the proposals execute, with the configurations that the subject has.
fn coverage(trials: &Trials, found: &Proposals) -> Coverage {
    let all = found.proposed.iter().flat_map(|one| &one.trial.features).chain(&found.known);
    let all: BTreeSet<&Feature> = all.collect();
    let mut operands: BTreeMap<Span, [bool; 2]> = BTreeMap::new();
    let mut seen: Vec<(Span, Seen)> = vec![];
    for feature in &trials.possible {
        match feature {
            Feature::Ran(span) => seen.push((*span, Seen::Statement(all.contains(feature)))),
            Feature::Decided(span, value) => {
                operands.entry(*span).or_default()[usize::from(*value)] = all.contains(feature);
            }
        }
    }
    seen.extend(operands.into_iter().map(|(span, was)| (span, Seen::Operand(was))));
    let mut coverage = Coverage::default();
    coverage.see(seen, trials.session);
    coverage
}

/// A draft that does not hold.
fn failed(trial: &Trial) -> Value {
    let why = if let Ending::Violated { why, .. } = &trial.ending { why.as_str() } else { "" };
    json!({ "over": trial.draft.over, "settings": trial.draft.settings(), "why": why })
}

/// Its automaton and settings, in one line.
fn described(trial: &Trial) -> String {
    let over = trial.draft.over.iter().map(|over| format!("over {over}:"));
    over.chain(trial.draft.settings()).collect::<Vec<_>>().join(" ")
}
