//! `nacre profile`: how often each bypass of a stack is taken, so that those that are common are tried first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use nacre_prover::bypasses::with_bypasses_of;
use nacre_simulator::checks::Check;
use nacre_simulator::interface::Interface;
use nacre_simulator::interpreter::{Interpreter, Taken};
use nacre_simulator::run::{run, Plan, Subject};
use nacre_stack::{number, Bypass, Stack};
use serde::{Deserialize, Serialize};

use crate::args::Profile as Arguments;
use crate::console::{complain, print, say, Exit};
use crate::output::{require_writable, write};
use crate::{program, prove, sim};

/// Nanoseconds between the messages of an endpoint: a conversation, and a stream.
const PAUSES: [u64; 2] = [1_000_000, 20_000];

/// A path that fewer than one step in `RARE` takes gets no bypass.
const RARE: u64 = 1_000;

/// What a file says. Names are those of `prove::names`.
#[derive(Debug, Deserialize, Serialize)]
pub struct Profile {
    /// The stack, for readers.
    stack: String,
    /// Calls with a message and frames that did something, and of these, how many took a bypass.
    steps: u64,
    bypassed: u64,
    taken: BTreeMap<String, u64>,
}

/// Runs `nacre profile`.
pub fn profile(args: &Arguments) -> Exit {
    let (_, stack) = match program::stack(&args.which) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    if let Some(Err(why)) = args.output.as_ref().map(|path| require_writable(path)) {
        complain(&why);
        return Exit::No;
    }
    let measured = match measure(&stack, args) {
        Ok(measured) => measured,
        Err(why) => {
            complain(&why);
            return Exit::Unknown;
        }
    };
    let text = serde_json::to_string_pretty(&measured).expect("numbers and names") + "\n";
    let share = 100.0 * measured.bypassed as f64 / measured.steps.max(1) as f64;
    say(&format!("{} of {} calls and frames took a bypass ({share:.1} %)", measured.bypassed, measured.steps));
    match &args.output {
        None => print(&text),
        Some(path) => {
            if let Err(why) = write(path, &text) {
                complain(&why);
                return Exit::No;
            }
        }
    }
    Exit::Yes
}

fn measure(composed: &Stack, args: &Arguments) -> Result<Profile, String> {
    let mut optimized = composed.clone();
    nacre_driver::optimize_widely(&mut optimized);
    let names = prove::names(composed, &optimized);
    let stack = Arc::new(with_bypasses_of(composed, &optimized));
    let interface = Rc::new(Interface::of(&stack));
    if interface.input(None, "send").is_none() {
        return Err(format!("`{}` has no call `send`, which `nacre profile` needs", composed.name));
    }
    let taken = Arc::new(Mutex::new(Taken::default()));
    let maker = Interpreter { taken: Some(taken.clone()), ..Interpreter::new(stack.clone()) };
    let subject = Subject { makers: vec![&maker, &maker], interface };
    for pause in PAUSES {
        let conditions = sim::conditions(&args.faults);
        // What arrives depends on the stack; nothing here depends on it.
        let (checks, largest) = (Vec::<Check>::new(), args.largest as usize);
        let plan =
            Plan { seed: args.seed, messages: args.messages, largest, pause, conditions, checks, ..Plan::default() };
        if let Some(failure) = run(&plan, &subject, None, false).failure {
            return Err(format!("the simulation fails: {failure:?}"));
        }
    }
    let taken = taken.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let counts = taken.bypasses.iter().copied();
    Ok(Profile {
        stack: composed.description.clone(),
        steps: taken.steps,
        bypassed: counts.clone().sum(),
        taken: names.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect(),
    })
}

impl Profile {
    /// Reads a file.
    ///
    /// # Errors
    /// The message with the path.
    pub fn read(path: &Path) -> Result<Profile, String> {
        let told = |why: &dyn std::fmt::Display| format!("cannot read the profile `{}`: {why}", path.display());
        let text = std::fs::read_to_string(path).map_err(|why| told(&why))?;
        serde_json::from_str(&text).map_err(|why| told(&why))
    }

    /// The stack after the passes of level bypass, with the bypasses that are common by the profile, the most common
    /// first. None: the profile is of another stack.
    pub fn choose(&self, composed: &Stack) -> Option<Stack> {
        let mut optimized = composed.clone();
        nacre_driver::optimize_widely(&mut optimized);
        let names = prove::names(composed, &optimized);
        let counts: Vec<u64> = names.iter().map(|name| self.taken.get(name).copied().unwrap_or(0)).collect();
        if counts.iter().all(|count| *count == 0) {
            let why = "note: the profile is not of this stack, or the stack has changed since: it is not used";
            say(&format!("{why} (it is of {})", self.stack));
            return None;
        }
        let mut chosen: Vec<(u64, Bypass)> = counts.into_iter().zip(std::mem::take(&mut optimized.bypasses)).collect();
        chosen.retain(|(count, _)| count.saturating_mul(RARE) >= self.steps);
        chosen.sort_by_key(|(count, _)| Reverse(*count));
        optimized.bypasses = chosen.into_iter().map(|(_, bypass)| bypass).collect();
        number(&mut optimized);
        Some(optimized)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_common_comes_first_and_what_is_rare_not_at_all() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../layers/sequencer/tests.nacre");
        let mut session = nacre_driver::Session::open(&[file]);
        let composed = session.stack("sequencer_alone").expect("a stack");
        let mut widely = composed.clone();
        nacre_driver::optimize_widely(&mut widely);
        let names = prove::names(&composed, &widely);
        assert!(names.len() >= 4, "{}", names.len());
        // The later a candidate is found, the more common it is, up to numbers that only a forged file has.
        let last = names.len() as u64 - 1;
        let count = |at: u64| if at == last { u64::MAX } else { at * 1_000 };
        let taken = names.iter().cloned().zip((0..).map(count)).collect();
        let profile = Profile { stack: String::new(), steps: 2_000_000, bypassed: 0, taken };
        let chosen = profile.choose(&composed).expect("it is of this stack");
        let wanted: Vec<&String> = names.iter().skip(2).rev().collect();
        assert_eq!(prove::names(&composed, &chosen).iter().collect::<Vec<_>>(), wanted);
    }
}
