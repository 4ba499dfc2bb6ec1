//! `nacre profile`: which ways the events of a simulation take through the layers, so that the common ones become
//! bypasses.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use nacre_driver::{optimize, optimize_for, Level, Made};
use nacre_prover::bypasses::with_bypasses_of;
use nacre_simulator::checks::Check;
use nacre_simulator::interface::Interface;
use nacre_simulator::interpreter::{Interpreter, Taken};
use nacre_simulator::run::{run, Plan, Subject};
use nacre_stack::{Entry, Stack, Way};
use serde::{Deserialize, Serialize};

use crate::args::Profile as Arguments;
use crate::console::{complain, print, say, Exit};
use crate::output::{require_writable, write};
use crate::{program, prove, sim};

/// Nanoseconds between the messages of an endpoint: a conversation, and a stream.
const PAUSES: [u64; 2] = [1_000_000, 20_000];

/// A way that fewer than one step in `RARE` takes gets no bypass.
const RARE: u64 = 1_000;
/// The most ways that get one.
const MOST: usize = 256;
/// The reasons for steps without a bypass that are shown.
const SHOWN: usize = 4;

/// What a file says.
#[derive(Debug, Deserialize, Serialize)]
pub struct Profile {
    /// The stack, for readers.
    stack: String,
    /// That of the composed stack (`prove::digest`).
    digest: String,
    /// Calls with a message and frames that did something, and of these, how many took a bypass.
    steps: u64,
    bypassed: u64,
    /// The common ways, the most common first.
    ways: Vec<Common>,
}

/// A way, and how many steps took its bypass.
#[derive(Debug, Deserialize, Serialize)]
struct Common {
    entry: Entry,
    sides: Sides,
    taken: u64,
}

/// Sides of branches as text: `1` where the condition held, `0` where not.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
struct Sides(Vec<bool>);

impl From<Sides> for String {
    fn from(sides: Sides) -> String {
        sides.0.into_iter().map(|side| if side { '1' } else { '0' }).collect()
    }
}

impl TryFrom<String> for Sides {
    type Error = String;

    fn try_from(text: String) -> Result<Sides, String> {
        let side = |c| match c {
            '0' => Ok(false),
            '1' => Ok(true),
            other => Err(format!("`{other}` is no side of a branch")),
        };
        text.chars().map(side).collect::<Result<_, _>>().map(Sides)
    }
}

/// A profile, and the most common reasons for steps without a bypass, with the number of such steps.
struct Measured {
    profile: Profile,
    missed: Vec<(u64, String)>,
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
    let Measured { profile, missed } = match measure(&stack, args) {
        Ok(measured) => measured,
        Err(why) => {
            complain(&why);
            return Exit::Unknown;
        }
    };
    let text = serde_json::to_string_pretty(&profile).expect("numbers and names") + "\n";
    let Profile { steps, bypassed, .. } = profile;
    let share = |count: u64| 100.0 * count as f64 / steps.max(1) as f64;
    say(&format!("{bypassed} of {steps} calls and frames took a bypass ({:.1} %)", share(bypassed)));
    for (count, why) in missed.iter().take(SHOWN) {
        say(&format!("{:5.1} % have none: {why}", share(*count)));
    }
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

fn measure(composed: &Stack, args: &Arguments) -> Result<Measured, String> {
    let mut plain = composed.clone();
    optimize(&mut plain, Level::Queue);
    let counts = simulate(plain, args, true)?;
    let steps = counts.steps;
    let mut ways: Vec<(Way, u64)> = counts.ways.into_iter().collect();
    ways.retain(|(way, _)| has_message(composed, way.entry));
    ways.sort_by_key(|(_, count)| Reverse(*count));
    let rare: u64 = ways.iter().filter(|(_, count)| is_rare(*count, steps)).map(|(_, count)| count).sum();
    ways.retain(|(_, count)| !is_rare(*count, steps));
    ways.truncate(MOST);
    let mut optimized = composed.clone();
    let tried: Vec<Way> = ways.iter().map(|(way, _)| way.clone()).collect();
    let made = optimize_for(&mut optimized, &tried);
    let taken = simulate(with_bypasses_of(composed, &optimized), args, false)?;
    let mut missed = BTreeMap::from([("less than one step in a thousand goes that way".to_string(), rare)]);
    let mut common: Vec<Common> = vec![];
    let mut first = 0;
    for ((way, count), made) in ways.into_iter().zip(made) {
        match made {
            // That of the first way that has it.
            Ok(at) if at == first => {
                first += 1;
                common.push(Common { entry: way.entry, sides: Sides(way.sides), taken: taken.bypasses[at] });
            }
            Ok(_) => {}
            Err((why, place)) if place.is_empty() => *missed.entry(why.to_string()).or_default() += count,
            Err((why, place)) => *missed.entry(format!("{why}, in {place}")).or_default() += count,
        }
    }
    common.sort_by_key(|one| Reverse(one.taken));
    let mut missed: Vec<(u64, String)> = missed.into_iter().map(|(why, count)| (count, why)).collect();
    missed.retain(|(count, _)| *count > 0);
    missed.sort_by_key(|(count, _)| Reverse(*count));
    let bypassed = taken.bypasses.iter().sum();
    let profile = Profile {
        stack: composed.description.clone(),
        digest: prove::digest(composed),
        steps: taken.steps,
        bypassed,
        ways: common,
    };
    Ok(Measured { profile, missed })
}

/// Whether a message enters: calls without one are rare.
fn has_message(stack: &Stack, entry: Entry) -> bool {
    entry.event(stack).is_some_and(|event| stack.event(event).message.is_some())
}

fn is_rare(count: u64, steps: u64) -> bool {
    count.saturating_mul(RARE) < steps
}

/// Two endpoints: a conversation, and a stream.
fn simulate(stack: Stack, args: &Arguments, ways: bool) -> Result<Taken, String> {
    let stack = Arc::new(stack);
    let interface = Rc::new(Interface::of(&stack));
    if interface.input(None, "send").is_none() {
        return Err(format!("`{}` has no call `send`, which `nacre profile` needs", stack.name));
    }
    let taken = Arc::new(Mutex::new(Taken::default()));
    let maker = Interpreter { taken: Some(taken.clone()), ways, ..Interpreter::new(stack) };
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
    Ok(taken)
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

    /// The stack after the passes of level bypass, with bypasses of the ways that are common by the profile, the most
    /// common first. None: the profile is of another stack.
    pub fn choose(&self, composed: &Stack) -> Option<Stack> {
        if self.digest != prove::digest(composed) {
            complain(&format!("the profile is not of this stack, as it is now, but of `{}`", self.stack));
            return None;
        }
        let mut common: Vec<&Common> = self.ways.iter().filter(|one| !is_rare(one.taken, self.steps)).collect();
        common.sort_by_key(|one| Reverse(one.taken));
        common.truncate(MOST);
        let way = |one: &&Common| Way { entry: one.entry, sides: one.sides.0.clone() };
        let ways: Vec<Way> = common.iter().map(way).collect();
        let mut optimized = composed.clone();
        let made: Vec<Made> = optimize_for(&mut optimized, &ways);
        let lost = made.iter().filter(|made| made.is_err()).count();
        if lost > 0 {
            say(&format!("note: {lost} of {} ways of the profile are no ways of this stack", made.len()));
        }
        Some(optimized)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Given {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn what_is_common_comes_first_and_what_is_rare_not_at_all() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../layers/sequencer/tests.nacre");
        let mut session = nacre_driver::Session::open(&[file]);
        let composed = session.stack("sequencer_alone").expect("a stack");
        let words = ["nacre", "file", "--stack", "sequencer_alone", "--messages", "200"];
        let mut profile = measure(&composed, &Given::parse_from(words).arguments).expect("it is measured").profile;
        assert!(profile.ways.len() >= 2, "{profile:?}");
        let names =
            |profile: &Profile| prove::names(&composed, &profile.choose(&composed).expect("it is of this stack"));
        let wanted = names(&profile);
        // The later a way stands, the more common it is, up to numbers that only a forged file has.
        let last = profile.ways.len() as u64 - 1;
        profile
            .ways
            .iter_mut()
            .zip(0..)
            .for_each(|(one, at)| one.taken = if at == last { u64::MAX } else { at * 1_000 });
        profile.steps = 1_000_000;
        let wanted: Vec<&String> = wanted.iter().skip(1).rev().collect();
        assert_eq!(names(&profile).iter().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn forged_ways_are_no_bypasses() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../layers/sequencer/tests.nacre");
        let mut session = nacre_driver::Session::open(&[file]);
        let composed = session.stack("sequencer_alone").expect("a stack");
        let sides = "01".repeat(10_000);
        for entry in ["{\"Frame\": [0, 9000]}", "{\"Call\": [7, 0]}", "{\"Timer\": 3}", "{\"Call\": [1, 0]}"] {
            let way = format!("{{\"entry\": {entry}, \"sides\": \"{sides}\", \"taken\": 1}}");
            let digest = prove::digest(&composed);
            let text = format!(
                "{{\"stack\": \"\", \"digest\": \"{digest}\", \"steps\": 1, \"bypassed\": 1, \"ways\": [{way}]}}"
            );
            let profile: Profile = serde_json::from_str(&text).expect("a profile");
            let chosen = profile.choose(&composed).expect("it is of this stack");
            assert!(chosen.bypasses.is_empty(), "{entry}");
        }
    }
}
