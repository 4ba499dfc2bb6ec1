//! The interpreter and the emitted C of every level run the library's stacks in lockstep, and are equal after each event.

use std::path::Path;
use std::time::Instant;

use nacre_driver::Level;
use nacre_simulator::checks::Check;
use nacre_simulator::endpoint::Maker;
use nacre_simulator::network::Conditions;
use nacre_simulator::run::{run, Plan, Subject};
use nacre_tests::library::{declared, Declared};
use nacre_tests::machines::{Machines, LEVELS};
use nacre_tests::storm::{storm, Tally};
use nacre_tests::{in_parallel, soaking};

/// All stacks; or, to look into one, that which NACRE_STACK names.
fn chosen() -> Vec<Declared> {
    let all = declared();
    assert!(all.len() >= 25, "only {} stacks were found", all.len());
    match std::env::var("NACRE_STACK") {
        Ok(name) => all.into_iter().filter(|declared| declared.name == name).collect(),
        Err(_) => all,
    }
}

/// Events for each stack.
fn events() -> u64 {
    if soaking() {
        1_000_000
    } else {
        4_800
    }
}

fn campaign(declared: &Declared) -> Result<Tally, String> {
    let begun = Instant::now();
    let machines = Machines::new(declared);
    let lockstep = machines.lockstep();
    let compiled = begun.elapsed();
    let mut tally = Tally::default();
    if let Some(folder) = std::env::var_os("NACRE_KEEP") {
        keep(&machines, Path::new(&folder));
    }
    storm(&machines.stack, &lockstep, 1, events(), &mut tally)?;
    println!(
        "{}: C after {:.1} s, {} events after {:.1} s",
        declared.name,
        compiled.as_secs_f64(),
        tally.events,
        begun.elapsed().as_secs_f64()
    );
    Ok(tally)
}

/// Writes the C that runs, for who looks into a difference.
fn keep(machines: &Machines, folder: &Path) {
    for level in LEVELS {
        let text = machines.text(level);
        let folder = folder.join(level.name());
        std::fs::create_dir_all(&folder).expect("a folder");
        for (ending, text) in [("h", text.header), ("c", text.source)] {
            std::fs::write(folder.join(format!("{}.{ending}", machines.stack.name)), text).expect("a file");
        }
    }
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn interpreter_and_c_of_every_level_are_equal_after_each_event() {
    let all = chosen();
    let results = in_parallel(&all, campaign);
    println!(
        "{:20} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "stack", "events", "frames", "delivered", "malformed", "impossib.", "refused"
    );
    let mut wrong = Vec::new();
    for (declared, result) in all.iter().zip(results) {
        let tally = match result {
            Ok(tally) => tally,
            Err(what) => {
                wrong.push(what);
                continue;
            }
        };
        let counted =
            ["malformed", "impossible", "refused"].map(|name| format!("{:>9}", tally.counter(name))).join(" ");
        println!(
            "{:20} {:>9} {:>9} {:>9} {counted}",
            declared.name,
            tally.events,
            tally.output("frame"),
            tally.output("deliver")
        );
        wrong.extend(
            unseen(declared, &tally)
                .into_iter()
                .map(|what| format!("{}: no {what} was seen: {tally:?}", declared.name)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What a campaign must have met to have looked.
fn unseen(declared: &Declared, tally: &Tally) -> Vec<String> {
    let outcomes = [
        "call Done",
        "frame Done",
        "frame again Done",
        "damaged frame Dropped",
        "made-up frame Dropped",
        "crafted frame Dropped",
        "tick Idle",
        "wrong call Invalid",
    ];
    let mut unseen: Vec<String> = outcomes.into_iter().filter(|o| tally.outcome(o) == 0).map(str::to_string).collect();
    let counters = ["malformed", "impossible", "refused"];
    unseen.extend(counters.into_iter().filter(|c| tally.counter(c) == 0).map(str::to_string));
    let silent = declared.name == "lose_all" || declared.name == "corrupt_all";
    let outputs = ["frame", "deliver", "init", "closed"];
    unseen.extend(outputs.into_iter().filter(|o| tally.output(o) == 0 && !silent).map(str::to_string));
    if tally.events < events() {
        unseen.push(format!("{} events", events()));
    }
    unseen
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn ends_of_different_levels_talk_as_two_interpreters_do() {
    let all = chosen();
    let results = in_parallel(&all, |declared| {
        let machines = Machines::new(declared);
        let [queue, call, inline] = [Level::Queue, Level::Call, Level::Inline].map(|level| machines.emitted(level));
        let reference = machines.interpreter();
        let checks = vec![Check::Unbroken, Check::Space];
        let conditions = Conditions {
            loss: 0.1,
            duplicate: 0.05,
            reorder: 0.05,
            delay: 1_000_000,
            jitter: 500_000,
            ..Conditions::default()
        };
        let plan = Plan {
            seed: 3,
            messages: 30,
            largest: 4000,
            conditions,
            checks,
            patience: 5_000_000_000,
            ..Plan::default()
        };
        let talk =
            |makers: [&dyn Maker; 2]| run(&plan, &Subject { makers, interface: machines.interface() }, None, false);
        let expected = talk([reference.as_ref(), reference.as_ref()]);
        let pairs: [[&dyn Maker; 2]; 5] = [
            [queue.as_ref(), inline.as_ref()],
            [inline.as_ref(), queue.as_ref()],
            [call.as_ref(), inline.as_ref()],
            [queue.as_ref(), call.as_ref()],
            [reference.as_ref(), inline.as_ref()],
        ];
        let differ = pairs.iter().filter(|pair| {
            let run = talk(**pair);
            (run.digest, &run.counters, &run.delivered) != (expected.digest, &expected.counters, &expected.delivered)
        });
        let names: Vec<String> =
            differ.map(|pair| format!("{}: {} with {}", declared.name, pair[0].name(), pair[1].name())).collect();
        (names, expected.steps)
    });
    let wrong: Vec<&String> = results.iter().flat_map(|(names, _)| names).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(results.iter().all(|(_, steps)| *steps > 60), "every stack did something");
}
