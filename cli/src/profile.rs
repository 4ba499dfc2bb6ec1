//! `nacre profile`: which ways the events of a simulation take through the layers, so that the common ones become
//! bypasses.

use std::cmp::Reverse;
use std::path::Path;

use nacre_driver::{optimize_for, Made};
use nacre_profiles::{is_rare, Measured, NotSimulated, Workload, MOST};
use nacre_stack::{Entry, Stack, Way};
use serde::{Deserialize, Serialize};

use crate::args::proofs::Profile as Arguments;
use crate::console::{complain, print, say, Exit};
use crate::output::{require_writable, write};
use crate::{program, prove, sim};

/// What the sides of a way say: with another number they say something else.
const FORMAT: u32 = 2;
/// The reasons for steps without a bypass that are shown.
const SHOWN: usize = 4;

/// What a file says.
#[derive(Debug, Deserialize, Serialize)]
pub struct Profile {
    /// [`FORMAT`].
    format: u32,
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
            complain(&why.to_string());
            return Exit::Unknown;
        }
    };
    let Measured { steps, bypassed, missed, .. } = &measured;
    let text = serde_json::to_string_pretty(&Profile::of(&stack, &measured)).expect("numbers and names") + "\n";
    let share = |count: u64| 100.0 * count as f64 / (*steps).max(1) as f64;
    say(&format!("{bypassed} of {steps} calls and frames took a bypass ({:.1} %)", share(*bypassed)));
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

fn measure(composed: &Stack, args: &Arguments) -> Result<Measured, NotSimulated> {
    let conditions = sim::conditions(&args.faults);
    let Arguments { seed, messages, .. } = *args;
    nacre_profiles::measure(composed, &Workload { seed, messages, largest: args.largest as usize, conditions })
}

impl Profile {
    fn of(composed: &Stack, measured: &Measured) -> Profile {
        let common =
            |(way, taken): &(Way, u64)| Common { entry: way.entry, sides: Sides(way.sides.clone()), taken: *taken };
        Profile {
            format: FORMAT,
            stack: composed.description.clone(),
            digest: prove::digest(composed),
            steps: measured.steps,
            bypassed: measured.bypassed,
            ways: measured.ways.iter().map(common).collect(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The message with the path.
    pub fn read(path: &Path) -> Result<Profile, String> {
        let told = |why: &dyn std::fmt::Display| format!("cannot read the profile `{}`: {why}", path.display());
        let text = std::fs::read_to_string(path).map_err(|why| told(&why))?;
        let profile: Profile = serde_json::from_str(&text).map_err(|why| told(&why))?;
        match profile.format {
            FORMAT => Ok(profile),
            other => Err(told(&format!("it has format {other}, not {FORMAT}: run `nacre profile` again"))),
        }
    }

    /// The stack after the passes of level bypass, with bypasses of the ways that are common by the profile, the most
    /// common first. None: the profile is of another stack, or none of its ways is one of this stack.
    pub fn choose(&self, composed: &Stack) -> Option<Stack> {
        if self.digest != prove::digest(composed) {
            let stack = &self.stack;
            say(&format!("note: the profile is not of this stack, as it is now, but of `{stack}`: it is not used"));
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
        // Without any, the usual ways are better.
        Some(optimized).filter(|optimized| !optimized.bypasses.is_empty())
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
        let measured = measure(&composed, &Given::parse_from(words).arguments).expect("it is measured");
        let mut profile = Profile::of(&composed, &measured);
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
                "{{\"format\": 2, \"stack\": \"\", \"digest\": \"{digest}\", \"steps\": 1, \"bypassed\": 1, \
                 \"ways\": [{way}]}}"
            );
            let profile: Profile = serde_json::from_str(&text).expect("a profile");
            assert!(profile.choose(&composed).is_none(), "{entry}");
        }
    }
}
