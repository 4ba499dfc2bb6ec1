//! The interpreter and the emitted C of every level run the library's stacks in lockstep, and are equal after each
//! event. Endpoints of different levels communicate like two interpreters.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use nacre_simulator::checks::Check;
use nacre_simulator::endpoint::Maker;
use nacre_simulator::lockstep::Lockstep;
use nacre_simulator::network::Conditions;
use nacre_simulator::run::{run, Plan, Run, Subject};
use nacre_stack::visit::{walk_stack, walk_statement, Visitor};
use nacre_stack::{Stack, Statement, StatementKind};
use nacre_tests::dialogue::{brings, dialogue};
use nacre_tests::library::{declared, spread, Declared};
use nacre_tests::machines::{Machines, LEVELS};
use nacre_tests::storm::{storm, Tally};
use nacre_tests::{in_parallel, soaking};

/// The results of one stack's campaign.
struct Campaign {
    name: String,
    /// Whether the stack refuses some calls, and whether it stores messages.
    admits: bool,
    stores: bool,
    /// Whether its layers pack messages, and always without headers: any bytes are such a message.
    packs_only_data: bool,
    /// The events that bring messages to its host: `deliver`, or whatever its interface has.
    brings: Vec<String>,
    /// Whether a layer checks what it receives, or the code that reads frames does.
    judges: bool,
    storm: Result<Tally, String>,
    /// The result with a pool of few blocks; None: nothing is stored.
    starved: Option<Result<Tally, String>>,
    /// Pairs of levels whose communication differs from that of two interpreters.
    misfits: Vec<String>,
    /// The run of two interpreters.
    expected: Run,
}

/// Stacks that count what no stack of the cover counts in a short campaign.
const COUNTING: [&str; 6] = ["cubic_64", "delay_short", "fixed_brief", "pt2pt_bad", "reno_brief", "vegas_strict"];

/// Stacks of all kinds, in a long campaign all stacks; or, for debugging, the one in NACRE_STACK.
fn chosen() -> Vec<Declared> {
    let all = declared();
    assert!(all.len() >= 25, "only {} stacks were found", all.len());
    match std::env::var("NACRE_STACK") {
        Ok(name) => all.into_iter().filter(|declared| declared.name == name).collect(),
        Err(_) => {
            let cover = spread(all.clone());
            let covers =
                |one: &Declared| cover.iter().any(|other| (&other.file, &other.name) == (&one.file, &one.name));
            all.into_iter().filter(|one| covers(one) || COUNTING.contains(&one.name.as_str())).collect()
        }
    }
}

/// The number of events for each stack.
fn events() -> u64 {
    if soaking() {
        1_000_000
    } else {
        2_000
    }
}

/// The campaigns of all tests in this file, run once.
fn campaigns() -> &'static [Campaign] {
    static ALL: OnceLock<Vec<Campaign>> = OnceLock::new();
    ALL.get_or_init(|| in_parallel(&chosen(), campaign))
}

fn campaign(declared: &Declared) -> Campaign {
    let begun = Instant::now();
    let machines = Machines::new(declared);
    if let Some(folder) = std::env::var_os("NACRE_KEEP") {
        keep(&machines, Path::new(&folder));
    }
    let stack = &machines.stack;
    let mut storms = Tally::default();
    let lockstep = machines.lockstep();
    let ran = storm(stack, &lockstep, 1, events(), &mut storms);
    let stormed = begun.elapsed();
    let stores = stack.cells.iter().any(|cell| stack.has_message(&cell.ty));
    let mut packed = stack.layouts[1..].iter().flat_map(|layout| &layout.shapes).peekable();
    let (expected, misfits) = talks(&machines, &lockstep);
    let campaign = Campaign {
        name: declared.name.clone(),
        admits: stack.ports.iter().flat_map(|port| &port.inputs).any(|input| !input.admissions.is_empty()),
        stores,
        packs_only_data: packed.peek().is_some() && packed.all(|shape| shape.headers.is_empty()),
        brings: machines.interface().events.iter().filter(|event| brings(event)).map(|e| e.name.clone()).collect(),
        judges: judges(stack),
        storm: ran.map(|()| storms),
        starved: (stores && soaking()).then(|| starved(declared)),
        misfits,
        expected,
    };
    // Printed during a long campaign.
    eprintln!("{}: {:.0} s, {:.0} s in all", declared.name, stormed.as_secs_f64(), begun.elapsed().as_secs_f64());
    campaign
}

/// Whether some statement finds that what was received is impossible.
fn judges(stack: &Stack) -> bool {
    struct Judges(bool);
    impl<'a> Visitor<'a> for Judges {
        fn statement(&mut self, statement: &'a Statement) {
            self.0 |= matches!(statement.kind, StatementKind::Impossible);
            walk_statement(self, statement);
        }
    }
    let mut found = Judges(false);
    walk_stack(&mut found, stack);
    found.0
}

/// The same stack with a pool smaller than its maximum need.
fn starved(declared: &Declared) -> Result<Tally, String> {
    let (session, mut stack) = declared.compose();
    stack.bounds.blocks = stack.bounds.blocks.min(8);
    let machines = Machines::of(session, stack);
    let mut tally = Tally::default();
    storm(&machines.stack, &machines.lockstep(), 2, events() / 20, &mut tally).map(|()| tally)
}

/// Writes the C that runs, for debugging.
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

/// Returns the communication of two interpreters over a bad network, and the pairs of levels that differ.
fn talks(machines: &Machines, lockstep: &Lockstep) -> (Run, Vec<String>) {
    let makers: Vec<&dyn Maker> = lockstep.makers.iter().map(Box::as_ref).collect();
    let [reference, queue, call, inline, bypass] = makers[..] else { panic!("{} machines", makers.len()) };
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
        messages: if soaking() { 1000 } else { 30 },
        largest: 4000,
        conditions,
        checks: vec![Check::Unbroken, Check::Space],
        // Longer than any layer of the library holds a message, as in a dialogue.
        patience: 60_000_000_000,
        ..Plan::default()
    };
    let sends = machines.interface().input(None, "send").is_some();
    let talk = |makers: [&dyn Maker; 2]| {
        if !sends {
            let calls = if soaking() { 10_000 } else { 3_000 };
            return dialogue(&machines.stack, makers, plan.seed, calls, &plan.conditions);
        }
        run(&plan, &Subject { makers: makers.into(), interface: machines.interface() }, None, false)
    };
    let expected = talk([reference, reference]);
    let pairs =
        [[queue, bypass], [inline, queue], [call, inline], [bypass, call], [reference, inline], [bypass, reference]];
    let differ = pairs.iter().filter(|pair| {
        let run = talk(**pair);
        (run.digest, &run.counters, &run.delivered) != (expected.digest, &expected.counters, &expected.delivered)
    });
    let names =
        differ.map(|pair| format!("{}: {} with {}", machines.stack.name, pair[0].name(), pair[1].name())).collect();
    (expected, names)
}

#[test]
fn interpreter_and_c_of_every_level_are_equal_after_each_event() {
    println!(
        "{:22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  counted by layers",
        "stack", "events", "frames", "delivered", "malformed", "impossib.", "refused", "no space"
    );
    let mut wrong = Vec::new();
    let mut total = Tally::default();
    let mut starved_space = 0;
    for campaign in campaigns() {
        match &campaign.storm {
            Ok(tally) => {
                show(&campaign.name, tally);
                wrong.extend(unseen(campaign, tally));
                total.add(tally);
            }
            Err(what) => wrong.push(what.clone()),
        }
        match &campaign.starved {
            Some(Ok(tally)) => {
                show(&format!("{}, starved", campaign.name), tally);
                starved_space += tally.counter("no_space");
            }
            Some(Err(what)) => wrong.push(format!("with a small pool: {what}")),
            None => {}
        }
    }
    if std::env::var_os("NACRE_STACK").is_none() {
        let all = total.counters.iter().filter(|(name, n)| **n == 0 && !NEVER.contains(&name.as_str()));
        wrong.extend(all.map(|(name, _)| format!("no stack counted {name}")));
        wrong.extend((soaking() && starved_space == 0).then(|| "small pools have space for all".to_string()));
        wrong.extend((total.output("closed") == 0).then(|| "no stack told that it closed".to_string()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn show(name: &str, tally: &Tally) {
    let counted = ["malformed", "impossible", "refused", "no_space"];
    let counted = counted.map(|name| format!("{:>9}", tally.counter(name))).join(" ");
    let layers = tally.counters.iter().filter(|(name, _)| name.contains('.'));
    let layers: Vec<String> = layers.map(|(name, n)| format!("{name} {n}")).collect();
    let (frames, deliveries) = (tally.output("frame"), tally.output("deliver"));
    println!("{name:22} {:>9} {frames:>9} {deliveries:>9} {counted}  {}", tally.events, layers.join(", "));
}

/// Counters of rules that no frame and no call can violate, and of space, of which a usual pool has enough.
const NEVER: [&str; 2] = ["bound", "no_space"];

/// Stacks that deliver nothing: their layers lose all messages, or change and reject them.
const DEAF: [&str; 3] = ["lose_all", "corrupt_all", "encrypt_strict"];

/// Returns the events that a campaign should have exercised but did not.
fn unseen(campaign: &Campaign, tally: &Tally) -> Vec<String> {
    let silent = campaign.name == "lose_all";
    let deaf = DEAF.contains(&campaign.name.as_str());
    let mut outcomes = vec!["call Done", "made-up frame Dropped", "tick Idle", "wrong call Invalid"];
    let mut outputs = vec!["init"];
    outputs.extend(soaking().then_some("closed"));
    if !silent {
        outcomes.extend(["frame Done", "frame again Done", "damaged frame Dropped", "crafted frame Dropped"]);
        outputs.push("frame");
    }
    let mut counters = vec!["malformed"];
    counters.extend((!silent && campaign.judges && !campaign.packs_only_data).then_some("impossible"));
    if soaking() {
        counters.extend(campaign.admits.then_some("refused"));
        // Stacks that lose messages retransmit them.
        counters.extend(tally.counters.keys().map(String::as_str).filter(|name| name.starts_with("pt2pt.")));
    }
    let outcomes = outcomes.into_iter().filter(|name| tally.outcome(name) == 0);
    let outputs = outputs.into_iter().filter(|name| tally.output(name) == 0);
    let counters = counters.into_iter().filter(|name| tally.counter(name) == 0);
    let mut unseen: Vec<String> = outcomes.chain(outputs).chain(counters).map(str::to_string).collect();
    // Of other interfaces, a storm reaches some of the events: all of them come in dialogues.
    let delivers = campaign.brings.iter().any(|name| name == "deliver");
    let wanted: Vec<&str> =
        campaign.brings.iter().map(String::as_str).filter(|n| !delivers || *n == "deliver").collect();
    if !deaf && wanted.iter().all(|name| tally.output(name) == 0) {
        unseen.push(wanted.join(" or "));
    }
    if tally.events < events() {
        unseen.push(format!("{} events", events()));
    }
    unseen.iter().map(|what| format!("{}: no {what} was seen", campaign.name)).collect()
}

#[test]
fn endpoints_of_different_levels_communicate_like_two_interpreters() {
    let all = campaigns();
    let wrong: Vec<&String> = all.iter().flat_map(|campaign| &campaign.misfits).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for campaign in all {
        let Run { failure, steps, frames, delivered, .. } = &campaign.expected;
        assert!(failure.is_none() || campaign.name.starts_with("check_"), "{}: {failure:?}", campaign.name);
        assert!(*steps > 60, "{} did nothing", campaign.name);
        assert!(campaign.name == "lose_all" || frames.iter().all(|n| *n > 0), "{} sent nothing", campaign.name);
        // Of the few messages that `encrypt_brief` lets an end send, none may arrive before the other end is over, too.
        let deaf = DEAF.contains(&campaign.name.as_str()) || campaign.name == "encrypt_brief";
        assert!(deaf || delivered.iter().all(|n| *n > 0), "{} delivered nothing", campaign.name);
    }
    assert!(all.len() == 1 || all.iter().any(|campaign| campaign.stores), "no stack keeps messages");
}
