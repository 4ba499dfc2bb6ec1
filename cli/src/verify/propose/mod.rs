//! `nacre verify --propose`: proposes configurations for layers and stacks, from what they require and provide.
//!
//! The proposals are tried before they are printed: each holds within a limit of states, and adds to those before it.
//! The same source has the same proposals: limits are numbers of states, and each search uses one thread.

mod choices;
mod draft;
mod explore;
mod facts;
mod killing;
mod print;
mod select;
mod trial;

use std::collections::BTreeSet;
use std::rc::Rc;

use nacre_checker::explore::Verdict;
use nacre_driver::Session;
use nacre_worlds::world::{self, Subject, World};

use crate::args::Verify;
use crate::console::Exit;
use crate::interrupt::Interrupt;
use crate::progress::Waiting;
use draft::Choice;
use explore::Explored;
use killing::Mutants;
use print::{Printed, Proposals};
use select::{selected, strengthened, with_gains, Selected};
use trial::{Feature, Trial, Trials};

/// The dimensions in which a proposal is made stronger.
const STRENGTHS: [&str; 3] = ["numbers", "misuse", "at_once"];
/// With how many times its states a proposal may be made stronger.
const GROWTH: u64 = 4;
/// The states of a proposal for mutants alone.
const STATES_FOR_MUTANTS: u64 = 5_000;

/// Proposes configurations for each subject, and prints them.
pub fn run(args: &Verify, subjects: &[Subject], session: &Session, interrupt: &Interrupt) -> Exit {
    let (mut printed, mut exit) = (Printed::default(), Exit::Yes);
    for subject in subjects {
        let mut trials = Trials::new(args, session, subject, interrupt);
        let waiting = Waiting::begin(format!("{} is searched in many configurations", subject.name));
        let found = proposals(&mut trials);
        drop(waiting);
        if interrupt.came() {
            return interrupt.exit();
        }
        exit = match (exit, printed.add(&trials, &found)) {
            (Exit::No, _) | (_, Exit::No) => Exit::No,
            (Exit::Unknown, _) | (_, Exit::Unknown) => Exit::Unknown,
            _ => Exit::Yes,
        };
    }
    printed.end(args);
    exit
}

/// Proposes configurations for a subject.
fn proposals(trials: &mut Trials) -> Proposals {
    let (declared, known) = declared(trials);
    let has = declared.all;
    let explored = Explored::of(trials, &known, trials.args.mutants);
    let mut picked = selected(&explored.pool, &known);
    let has_none = has == 0 && picked.is_empty();
    picked.extend(explored.over.first().filter(|_| has_none).map(|over| over.base.clone()));
    let stronger: Vec<Rc<Trial>> = picked.iter().map(|trial| stronger(trials, &explored, trial)).collect();
    let mut proposed = with_gains(stronger, &known);
    let mutants = with_mutants(trials, &declared, &explored, &mut proposed);
    // What was made stronger can do without others.
    proposed.retain(|one| has_none || one.mutants > 0 || !one.adds.is_empty());
    Proposals { declared: has, known, proposed, mutants, explored }
}

/// The configurations that a subject has.
struct Declared {
    all: usize,
    /// The worlds of those that hold, with their numbers of states.
    worlds: Vec<(World, u64)>,
}

/// The configurations that a subject has, and what they execute.
fn declared(trials: &mut Trials) -> (Declared, BTreeSet<Feature>) {
    let all = trials.session.configurations().into_iter().filter(|c| c.subject == trials.subject.name);
    let all: Vec<_> = all.filter(|c| !c.on_request).collect();
    let (mut known, mut worlds) = (BTreeSet::new(), vec![]);
    for configuration in &all {
        let Ok(world) = world::world(trials.session, trials.subject, configuration, false) else { continue };
        let Ok(found) = trials.searched(&world, trials.most()) else { continue };
        if found.searched.verdict == Verdict::Complete {
            known.extend(trials.features(&world, &found));
            worlds.push((world, found.searched.progress.states));
        }
    }
    worlds.sort_by_key(|(_, states)| *states);
    (Declared { all: all.len(), worlds }, known)
}

/// The same proposal, where it sees more besides what it is for.
fn stronger(trials: &mut Trials, explored: &Explored, trial: &Rc<Trial>) -> Rc<Trial> {
    let over = explored.over.iter().find(|over| over.base.draft.over == trial.draft.over);
    let choices = over.map(|over| &over.choices[..]).unwrap_or_default();
    let further: Vec<&Choice> = choices.iter().filter(|c| STRENGTHS.contains(&&*c.dimension)).collect();
    let states = (trial.states * GROWTH).max(1_000) as usize;
    strengthened(trials, trial, &further, states.min(trials.most()))
}

/// Adds proposals that detect more mutants than the configurations that the subject has.
fn with_mutants(
    trials: &mut Trials,
    declared: &Declared,
    explored: &Explored,
    proposed: &mut Vec<Selected>,
) -> Mutants {
    let mut mutants = Mutants::new(trials.args.mutants);
    for (world, states) in &declared.worlds {
        mutants.detected_by_declared(trials, world, *states);
    }
    for one in proposed.iter_mut() {
        one.mutants = mutants.detected(trials, &one.trial, true);
    }
    let mut others: Vec<Rc<Trial>> = explored.pool.iter().filter(|t| t.holds()).cloned().collect();
    others.retain(|t| {
        t.states <= STATES_FOR_MUTANTS && !proposed.iter().any(|one| one.trial.draft.key() == t.draft.key())
    });
    others.sort_by_key(|trial| trial.states);
    for trial in others {
        if !mutants.go_on() || trials.interrupt.came() {
            break;
        }
        let detected = mutants.detected(trials, &trial, false);
        if detected > 0 {
            proposed.push(Selected { trial, adds: BTreeSet::new(), mutants: detected });
        }
    }
    mutants
}
