//! `nacre sim`: a stack on a simulated network.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nacre_diagnostics::counted;
use nacre_simulator::chart;
use nacre_simulator::checks::{self, Check};
use nacre_simulator::endpoint::Maker;
use nacre_simulator::interface::Interface;
use nacre_simulator::network::{Conditions, Fault, Item};
use nacre_simulator::run::{names, run, run_watched, Plan, Run, Subject};
use nacre_simulator::shrink::{shrink, Budget, Shrunk};
use nacre_stack::{Stack, Type};
use serde_json::{json, Value};

use crate::args::common::Faults;
use crate::args::Sim;
use crate::console::{complain, print, print_json, say, Exit};
use crate::levels::Workshop;
use crate::program;
use crate::progress::{Counting, Waiting};
use crate::units;

/// Runs `nacre sim`: simulates one run for each seed, and shrinks the first that fails.
pub fn sim(args: &Sim) -> Exit {
    let (session, stack) = match program::stack(&args.which) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let workshop = Workshop { session: &session, stack: Arc::new(stack), any_order: args.any_order };
    let makers = match makers(args, &workshop) {
        Ok(makers) => makers,
        Err(exit) => return exit,
    };
    let stack = &workshop.stack;
    if let Some(replaced) = nacre_stack::models::replaced(stack) {
        say(&format!("note: {replaced}"));
    }
    let makers: Vec<&dyn Maker> = makers.iter().map(|maker| maker.as_ref()).collect();
    let subject = Subject { makers, interface: Rc::new(Interface::of(stack)) };
    if let Some(given) = subject.interface.givens.iter().find(|g| g.ty == Type::Addr && args.members > 2) {
        let (name, others) = (&given.name, args.members - 1);
        complain(&format!("`{name}` is given the address of one peer, but each endpoint has {others} (`--members`)"));
        return Exit::Unknown;
    }
    if subject.interface.input(None, "send").is_none() {
        complain(&cannot_send(stack, &subject));
        return Exit::Unknown;
    }
    match campaign(args, &subject) {
        Campaign::Kept(totals) => {
            let unchecked = totals.unchecked(args);
            report_kept(args, stack, &subject, &totals, unchecked);
            if unchecked.is_none() {
                Exit::Yes
            } else {
                Exit::Unknown
            }
        }
        Campaign::Failed(plan, failed) => {
            report_failed(args, stack, &subject, &plan, &failed);
            Exit::No
        }
    }
}

/// The machine of each endpoint.
fn makers(args: &Sim, workshop: &Workshop) -> Result<Vec<Box<dyn Maker>>, Exit> {
    let Some(machines) = args.level.of(args.members) else {
        complain(&format!("--level names one machine, or one for each of the {} endpoints", args.members));
        return Err(Exit::Usage);
    };
    let makers = machines.into_iter().map(|machine| workshop.maker(machine));
    makers.collect::<Result<_, _>>().map_err(|error| {
        complain(&error.to_string());
        error.exit()
    })
}

/// Returns the error for a stack without the call `send`.
fn cannot_send(stack: &Stack, subject: &Subject) -> String {
    let calls = subject.interface.events.iter().filter(|e| e.input && e.port != 0);
    let calls: Vec<String> = calls.map(|e| format!("`{}`", e.name)).collect();
    let calls = if calls.is_empty() { "none".into() } else { calls.join(", ") };
    format!(
        "`{}` has no call `send`, which `nacre sim` needs; its calls are {calls}: write a test for them (`nacre \
            test`)",
        stack.name
    )
}

/// The sums over all runs.
#[derive(Default)]
struct Totals {
    runs: u64,
    steps: u64,
    sent: usize,
    /// Bytes of the longest message that was accepted.
    largest: usize,
    delivered: usize,
    frames: u64,
    bytes: u64,
    lasted: u64,
    /// The number of each kind, by the index in `FAULTS`.
    faults: [u64; FAULTS.len()],
    counters: Vec<u64>,
    digest: u64,
    last: Option<Run>,
}

enum Campaign {
    Kept(Totals),
    Failed(Plan, Box<Run>),
}

fn campaign(args: &Sim, subject: &Subject) -> Campaign {
    let keep = args.keep.as_ref().map(|items| items.iter().copied().collect());
    let (progress, steps, mut totals) = (Counting::begin(), Cell::new(0u64), Totals::default());
    for number in 0..args.runs {
        let plan = plan(args, args.seed.wrapping_add(number));
        let watch = |sent: usize, delivered: usize| {
            steps.set(steps.get() + 1);
            // Formatting the text takes longer than a step.
            if steps.get() % 256 == 0 {
                let (run, all) = (number + 1, args.members as u64 * u64::from(args.messages));
                progress
                    .show(&format!("run {run} of {}: {sent} of {all} messages sent, {delivered} delivered", args.runs));
            }
        };
        let done = run_watched(&plan, subject, keep.clone(), args.trace, &watch);
        if done.failure.is_some() {
            return Campaign::Failed(plan, Box::new(done));
        }
        totals.add(done);
    }
    Campaign::Kept(totals)
}

impl Totals {
    fn add(&mut self, run: Run) {
        self.runs += 1;
        self.steps += run.steps;
        self.sent += run.sent.iter().sum::<usize>();
        self.largest = self.largest.max(run.largest.iter().flatten().copied().max().unwrap_or(0));
        self.delivered += run.delivered.iter().sum::<usize>();
        self.frames += run.frames.iter().sum::<u64>();
        self.bytes += run.bytes.iter().sum::<u64>();
        self.lasted += run.lasted;
        for kind in run.items.iter().filter_map(fault) {
            self.faults[kind] += 1;
        }
        for counters in &run.counters {
            self.counters.resize(self.counters.len().max(counters.len()), 0);
            self.counters.iter_mut().zip(counters).for_each(|(sum, count)| *sum += count);
        }
        self.digest = nacre_simulator::random::hash(&[self.digest, run.digest]);
        self.last = Some(run);
    }
}

impl Totals {
    /// Returns why the verdict is vacuous.
    fn unchecked(&self, args: &Sim) -> Option<&'static str> {
        match (self.sent, self.largest) {
            (0, _) if args.messages == 0 => Some("no message was requested"),
            (0, _) => Some("the stack accepted no message"),
            (_, 0) if args.largest > 0 => Some("the stack accepted only empty messages (nacre explain says why)"),
            _ => None,
        }
    }
}

fn plan(args: &Sim, seed: u64) -> Plan {
    let mut conditions = conditions(&args.faults);
    (conditions.partition, conditions.mtu) = (args.partition, args.mtu);
    (conditions.rate, conditions.queue) = (args.rate, args.queue);
    let checks = if args.check.is_empty() { checks::all() } else { args.check.clone() };
    Plan { seed, messages: args.messages, largest: args.largest as usize, conditions, checks, ..Plan::default() }
}

/// The faults of the command line.
pub fn conditions(faults: &Faults) -> Conditions {
    Conditions {
        loss: faults.loss.0,
        duplicate: faults.duplicate.0,
        reorder: faults.reorder.0,
        corrupt: faults.corrupt.0,
        delay: faults.delay.nanoseconds(),
        jitter: faults.jitter.nanoseconds(),
        ..Conditions::default()
    }
}

fn report_kept(args: &Sim, stack: &Stack, subject: &Subject, totals: &Totals, unchecked: Option<&str>) {
    let counters: Vec<(&String, u64)> = subject
        .interface
        .counters
        .iter()
        .zip(totals.counters.iter().copied())
        .filter(|(_, count)| *count > 0)
        .collect();
    let faults: Vec<(&str, u64)> = FAULTS.into_iter().zip(totals.faults).filter(|(_, count)| *count > 0).collect();
    if args.json {
        let counters: serde_json::Map<String, Value> =
            counters.iter().map(|(n, c)| (n.to_string(), json!(c))).collect();
        let faults: serde_json::Map<String, Value> = faults.iter().map(|(n, c)| (n.to_string(), json!(c))).collect();
        print_json(&json!({
            "ok": unchecked.is_none(), "unchecked": unchecked, "stack": stack.description, "seed": args.seed,
            "runs": totals.runs, "steps": totals.steps, "sent": totals.sent, "longest": totals.largest,
            "delivered": totals.delivered, "frames": totals.frames, "bytes": totals.bytes,
            "simulated_ns": totals.lasted,
            "counters": counters, "faults": faults, "digest": format!("{:016x}", totals.digest),
        }));
        return;
    }
    if let Some(run) = totals.last.as_ref().filter(|_| args.trace) {
        print(&drawn(stack, subject, run, chart::Options { lines: 2000 }));
    }
    let verdict = unchecked.map_or_else(|| held(&args.check), |why| format!("nothing was checked: {why}"));
    let lines = [
        format!("{} of {}: {verdict}", counted(totals.runs, "run"), stack.description),
        format!("  machines   {}", listed_with_and(subject.makers.iter().map(|maker| maker.name()).collect())),
        format!(
            "  sent       {} of up to {}",
            counted(totals.sent as u64, "message"),
            counted(totals.largest as u64, "byte")
        ),
        format!("  delivered  {}", counted(totals.delivered as u64, "message")),
        format!("  frames     {}, {}", totals.frames, units::bytes(totals.bytes as f64)),
        format!("  faults     {}", listed(&faults)),
        format!(
            "  counters   {}",
            listed(&counters.iter().map(|(name, count)| (name.as_str(), *count)).collect::<Vec<_>>())
        ),
        format!("  simulated  {} in {} steps", units::duration(Duration::from_nanos(totals.lasted)), totals.steps),
        format!("  digest     {:016x} (seed {})", totals.digest, args.seed),
    ];
    lines.iter().for_each(|line| print(line));
}

/// The run as a chart.
fn drawn(stack: &Stack, subject: &Subject, run: &Run, options: chart::Options) -> String {
    let nodes: Vec<usize> = (0..subject.makers.len()).collect();
    chart::chart(stack, &run.trace, &nodes, &names(nodes.len()), options)
}

/// `a and b`, `a, b and c`.
fn listed_with_and(mut words: Vec<String>) -> String {
    let last = words.pop().unwrap_or_default();
    if words.is_empty() {
        last
    } else {
        format!("{} and {last}", words.join(", "))
    }
}

/// The verdict of runs without a failure.
fn held(checked: &[Check]) -> String {
    if checked.is_empty() {
        return "every property holds".into();
    }
    let names: Vec<String> = checked.iter().map(Check::to_string).collect();
    format!("{} {}", names.join(", "), if names.len() == 1 { "holds" } else { "hold" })
}

fn listed(counts: &[(&str, u64)]) -> String {
    if counts.is_empty() {
        return "none".into();
    }
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// The kinds of faults that are counted.
const FAULTS: [&str; 7] = ["lost", "repeated", "held back", "damaged", "partitions", "too long", "queue full"];

/// Returns the kind of a fault, as its index in `FAULTS`; none for messages and delayed frames.
fn fault(item: &Item) -> Option<usize> {
    match item {
        Item::Frame(_, _, Fault::Lose) => Some(0),
        Item::Frame(_, _, Fault::Repeat) => Some(1),
        Item::Frame(_, _, Fault::Hold) => Some(2),
        Item::Frame(_, _, Fault::Damage) => Some(3),
        Item::Partition(_) => Some(4),
        Item::Frame(_, _, Fault::Long) => Some(5),
        Item::Frame(_, _, Fault::Full) => Some(6),
        Item::Frame(_, _, Fault::Late) | Item::Message(..) => None,
    }
}

fn report_failed(args: &Sim, stack: &Stack, subject: &Subject, plan: &Plan, failed: &Run) {
    let Some(failure) = &failed.failure else { return };
    let begun = Instant::now();
    let Shrunk { keep, run, tried } = match &args.keep {
        Some(keep) => {
            let keep: BTreeSet<Item> = keep.iter().copied().collect();
            Shrunk { run: run(plan, subject, Some(keep.clone()), true), keep, tried: 0 }
        }
        None => {
            let _waiting = Waiting::begin("shrinking the failure".into());
            shrink(plan, subject, failed, Budget::default())
        }
    };
    let kept: Vec<String> = keep.iter().map(Item::to_string).collect();
    let small = run.failure.as_ref().unwrap_or(failure);
    if args.json {
        print_json(&json!({
            "ok": false, "stack": stack.description, "seed": plan.seed, "check": failure.check.to_string(),
            "what": failure.text, "at_ns": failure.time, "items": failed.items.len(),
            "shrunk": { "what": small.text, "keep": kept, "runs": tried },
        }));
        return;
    }
    let messages = keep.iter().filter(|item| matches!(item, Item::Message(..))).count();
    print(&format!("seed {}: `{}` does not hold: {}", plan.seed, failure.check, failure.text));
    let cost = units::duration(begun.elapsed());
    print(&format!(
        "shrunk from {} messages and faults to {} and {} ({tried} runs, {cost}): {}",
        failed.items.len(),
        counted(messages as u64, "message"),
        counted((keep.len() - messages) as u64, "fault"),
        small.text
    ));
    print("");
    print(&drawn(stack, subject, &run, chart::Options::default()));
    print(&format!("again: {}", again(args, plan.seed, &kept)));
    let reliable = matches!(failure.check, Check::Complete | Check::Once | Check::Order);
    if reliable && args.check.is_empty() {
        print("note: a stack that may lose, repeat or reorder messages: `--check intact,unbroken,space`");
    }
}

/// The longest list of kept messages and faults in a command, in bytes: systems limit the length of an argument.
const KEPT_MAX: usize = 100_000;

/// Returns the command that repeats the shrunk run, or the whole one if what is kept is too much for a command line.
fn again(args: &Sim, seed: u64, keep: &[String]) -> String {
    let mut words = vec![format!(
        "nacre sim {} --stack {} --seed {seed} --messages {}",
        args.which.file.display(),
        args.which.stack,
        args.messages
    )];
    let mut given = std::env::args().skip(1).peekable();
    // All other arguments unchanged, so that the plan is the same.
    let replaced = ["--seed", "--messages", "--stack", "--runs", "--keep"];
    while let Some(word) = given.next() {
        let name = word.split('=').next().unwrap_or_default().to_string();
        if !word.starts_with("--") || name == "--json" || name == "--trace" {
            continue;
        }
        let value = if word.contains('=') || name == "--any-order" { None } else { given.next() };
        if !replaced.contains(&name.as_str()) {
            words.push(value.map_or(word.clone(), |value| format!("{word} {value}")));
        }
    }
    let kept = keep.join(",");
    // A longer command line is refused: all messages and faults are kept instead.
    if kept.len() <= KEPT_MAX {
        words.push(format!("--keep {kept}").trim_end().to_string());
    }
    words.join(" ")
}
