//! `--engine router`: bounded runs of two hosts with the runtime's router core and the emitted C.

use std::time::Instant;

use nacre_diagnostics::{counted, suggestion, Diagnostic};
use nacre_driver::{Level, Override, Session, Variation};
use nacre_hosts::{chart, repeat, search, Bounds, Looked, Searched, Service, Verdict, Violation};
use nacre_simulator::toolchain::Toolchain;
use nacre_specification::Setting;
use nacre_stack::Stack;
use nacre_worlds::world::{between, Subject};
use serde_json::{json, Value};

use crate::args::{Engine, Verify};
use crate::console::{colours, complain, complain_once, print, print_json, say, Exit};
use crate::interrupt::Interrupt;
use crate::levels::{self, EmittedLevel};
use crate::program;
use crate::progress::Counting;

/// Returns why an option contradicts the engine, or has no effect with it.
pub fn without_effect(args: &Verify) -> Option<String> {
    if args.engine != Engine::Router {
        let given = !args.choices.is_empty();
        return given.then(|| "`--choices` has no effect here: it is an option of `--engine router`".into());
    }
    if let Some(layer) = &args.layer {
        return Some(format!(
            "hosts run whole stacks: name one with the layer `{layer}` by `--stack`, or omit `--engine router`"
        ));
    }
    let given = [
        ("--configuration", args.configuration.is_some()),
        ("--all", args.all),
        ("--any-order", args.any_order),
        ("--trace", args.trace.is_some()),
        ("--svg", args.svg.is_some()),
        ("--brief", args.brief),
    ];
    let (name, _) = given.into_iter().find(|(_, given)| *given)?;
    Some(format!("`{name}` has no effect with `--engine router`"))
}

/// What the runs of a stack said.
struct Report {
    stack: Stack,
    level: EmittedLevel,
    /// The automata that the stack provides.
    specification: Vec<String>,
    service: Service,
    outcome: Outcome,
    searched: Searched,
    seconds: f64,
}

enum Outcome {
    Holds(String),
    Violated(Box<Violation>),
    NotFound(String),
}

/// Why there are no runs, and the status for that.
type Refusal = (Vec<String>, Exit);

/// Makes the runs of each requested stack.
pub fn run(args: &Verify, session: &Session, interrupt: &Interrupt) -> Exit {
    let asked = stacks(session, args).and_then(|stacks| Ok((stacks, settings(&args.set)?)));
    let (stacks, (bounds, variation)) = match asked {
        Ok(asked) => asked,
        Err(words) => {
            complain(&words);
            return Exit::Usage;
        }
    };
    let levels = if args.level.is_empty() { vec![EmittedLevel(Level::Call)] } else { args.level.clone() };
    let (mut reports, mut refusals) = (vec![], vec![]);
    for name in &stacks {
        let composed = compose(session, name, &variation);
        let reported = composed.and_then(|stack| {
            levels.iter().try_for_each(|level| {
                let report = runs(args, session, &stack, (*level, &bounds), interrupt)?;
                show(args, &bounds, &report);
                reports.push(report);
                Ok(())
            })
        });
        if let Err((why, exit)) = reported {
            refusals.push((name, why, exit));
        }
        if interrupt.came() {
            return interrupt.exit();
        }
    }
    let violated = reports.iter().any(|report| matches!(report.outcome, Outcome::Violated(_)));
    let holds = reports.iter().all(|report| matches!(report.outcome, Outcome::Holds(_)));
    if args.json {
        let refused = refusals.iter().map(|(name, why, _)| json!({ "subject": name, "why": why }));
        print_json(&json!({
            "verdicts": reports.iter().map(|report| report.json(&bounds)).collect::<Vec<_>>(),
            "refused": refused.collect::<Vec<_>>(),
        }));
    } else {
        print(match (violated, holds, refusals.is_empty(), reports.is_empty()) {
            (true, ..) => "violated",
            (_, _, _, true) => "nothing was verified",
            (_, true, true, _) => "holds within these bounds",
            (_, true, false, _) => "holds within these bounds for every stack that was verified",
            _ => "no violation found, but the search is incomplete",
        });
    }
    match (violated, refusals.iter().map(|(_, _, exit)| *exit).next(), holds) {
        (true, ..) => Exit::No,
        (_, Some(exit), _) => exit,
        (_, None, true) => Exit::Yes,
        (_, None, false) => Exit::Unknown,
    }
}

/// The stack that the command line names, or those that the file declares.
fn stacks(session: &Session, args: &Verify) -> Result<Vec<String>, String> {
    if let Some(name) = &args.stack {
        return program::require_stack(session, name).map(|()| vec![name.clone()]);
    }
    let own = session.program.stacks().filter(|stack| session.is_named(stack.name.span));
    let own: Vec<String> = own.map(|stack| stack.name.name.clone()).collect();
    match (own.len(), args.choices.is_empty()) {
        (0, _) => Err("hosts run whole stacks, and the file declares none; name one by `--stack`".into()),
        (1, _) | (_, true) => Ok(own),
        _ => Err("`--choices` is a run of one stack: name it by `--stack`".into()),
    }
}

/// The bounds, and the parameters of layers.
fn settings(set: &[Setting]) -> Result<(Bounds, Variation), String> {
    let (mut bounds, mut variation) = (Bounds::default(), Variation::default());
    for Setting { path, values, .. } in set {
        match (&path[..], &values[..]) {
            ([name], values) if Bounds::NAMES.contains(&name.as_str()) => {
                bounds.set(name, values).map_err(|why| format!("--set: {why}"))?;
            }
            ([layer, parameter], [value]) => {
                let (layer, parameter, value) = (layer.clone(), parameter.clone(), *value);
                variation.parameters.push(Override { layer, parameter, value, span: nacre_stack::Span::default() });
            }
            ([layer, parameter], _) => return Err(format!("--set: `{layer}.{parameter}` has one value here")),
            _ => {
                let name = path.join(".");
                let help = suggestion(&name, &Bounds::NAMES);
                return Err(format!("--set: `--engine router` has no setting `{name}`; {help}"));
            }
        }
    }
    Ok((bounds, variation))
}

fn compose(session: &Session, name: &str, variation: &Variation) -> Result<Stack, Refusal> {
    let composed = session.compose_varied(name, variation).map(|(stack, _)| stack);
    composed.map_err(|found: Vec<Diagnostic>| {
        found.iter().for_each(|found| say(&found.render(&session.sources, colours())));
        let exit = if variation.parameters.is_empty() { Exit::No } else { Exit::Usage };
        (found.into_iter().map(|found| found.message).collect(), exit)
    })
}

/// Makes the runs of a stack at a level.
fn runs(
    args: &Verify,
    session: &Session,
    stack: &Stack,
    (level, bounds): (EmittedLevel, &Bounds),
    interrupt: &Interrupt,
) -> Result<Report, Refusal> {
    let refuse = |why: String| {
        let why = format!("{}: {why}", stack.name);
        complain_once(&why);
        (vec![why], Exit::Unknown)
    };
    let automata = between(session, &Subject { name: stack.name.clone(), is_layer: false }, None).above;
    let automata = automata.iter().filter_map(|one| session.automaton(&one.name, &[]).ok()).collect::<Vec<_>>();
    let mut other = stack.clone();
    other.layouts.iter_mut().take(1).for_each(|layout| layout.fingerprint = !layout.fingerprint);
    let toolchain = Toolchain::find().map_err(|error| refuse(error.to_string()))?;
    let load = |stack: &Stack| {
        levels::load_modelled(session, stack, level.0, &toolchain)
            .map_err(|error| (refuse(error.to_string()).0, levels::exit(&error)))
    };
    let subject = nacre_hosts::Subject { stack: load(stack)?, other: load(&other)?, service: Service::of(&automata) };
    if let Some(why) = subject.unfit() {
        return Err(refuse(why));
    }
    let (begun, counting) = (Instant::now(), Counting::begin());
    let is_over = || args.seconds.is_some_and(|limit| begun.elapsed().as_secs() >= limit);
    let goes_on = |looked: &Looked| {
        if looked.runs % 64 == 0 {
            counting.show(&format!("{}: {} runs, {} choices", stack.name, looked.runs, looked.choices));
        }
        !interrupt.came() && !is_over()
    };
    let searched = match &args.choices[..] {
        [] => search(&subject, bounds, &goes_on),
        choices => repeat(&subject, bounds, choices),
    };
    let searched = searched.map_err(refuse)?;
    let outcome = match &searched.verdict {
        Verdict::Violated(violation) => Outcome::Violated(violation.clone()),
        _ if !args.choices.is_empty() => Outcome::NotFound("only this run was made".into()),
        Verdict::Stopped if interrupt.came() => Outcome::NotFound("it was interrupted".into()),
        Verdict::Stopped => Outcome::NotFound("the time limit was reached".into()),
        Verdict::Holds if searched.looked.messages == 0 => Outcome::NotFound("no message was delivered".into()),
        Verdict::Holds if bounds.choices == 0 => Outcome::NotFound("only random runs were made".into()),
        Verdict::Holds => Outcome::Holds(held(bounds)),
    };
    let specification = automata.into_iter().map(|automaton| automaton.description).collect();
    let (service, seconds) = (subject.service, begun.elapsed().as_secs_f64());
    Ok(Report { stack: stack.clone(), level, specification, service, outcome, searched, seconds })
}

/// What holds if no run violates a rule.
fn held(bounds: &Bounds) -> String {
    let all = format!("holds in every run of up to {}", counted(bounds.choices as u64, "choice"));
    match bounds.runs {
        0 => all,
        runs => format!("{all}; no violation in {} of {} choices", counted(runs, "random run"), bounds.length),
    }
}

/// What can happen in a run.
fn described(bounds: &Bounds) -> [String; 3] {
    let Bounds { crashes, others, moves, lags, strangers, copies, recent, proofs, connections, send, size, .. } =
        bounds;
    let size: Vec<String> = size.iter().map(usize::to_string).collect();
    [
        format!("seed = {}, crashes = {crashes}, others = {others}, moves = {moves}, lags = {lags}", bounds.seed),
        format!("strangers = {strangers}, copies = {copies}, recent = {recent}, proofs = {proofs}"),
        format!("connections = {connections}, send = ({}, {}), size = ({})", send[0], send[1], size.join(", ")),
    ]
}

fn show(args: &Verify, bounds: &Bounds, report: &Report) {
    if args.json {
        return;
    }
    let Report { stack, level, searched, .. } = report;
    let mut lines = vec![format!("stack {}, router, C at level {level}", stack.name)];
    lines.push(format!("    stack {}", stack.description));
    lines.extend(report.specification.iter().map(|automaton| format!("    specification {automaton}")));
    lines.push(format!("    messages: {}", report.service));
    lines.extend(described(bounds).into_iter().map(|line| format!("    {line}")));
    let Looked { runs, choices, crashes, moves, datagrams, connections, messages } = searched.looked;
    lines.push(format!(
        "  {runs} runs, {choices} choices, {crashes} crashes, {moves} moves, {connections} connections, {datagrams} \
         datagrams, {messages} messages, {:.2} s",
        report.seconds
    ));
    match &report.outcome {
        Outcome::Holds(held) => lines.push(format!("  {held}")),
        Outcome::NotFound(why) => lines.push(format!("  no violation found, but {why}")),
        Outcome::Violated(violation) => lines.push(format!("  VIOLATED: {}", violation.broken)),
    }
    print(&lines.join("\n"));
    let Outcome::Violated(violation) = &report.outcome else { return };
    let (left, all) = (violation.choices.len() as u64, violation.shrunk_from as u64);
    print(&format!("\n{}", chart(stack, violation)));
    if left < all {
        print(&format!("shrunk from {all} choices to {left}"));
    }
    print(&format!("again: {}", again(args, report, violation)));
}

/// The command that repeats a run.
fn again(args: &Verify, report: &Report, violation: &Violation) -> String {
    let mut words = format!("nacre verify {} --stack {} --engine router", args.file.display(), report.stack.name);
    for level in &args.level {
        words += &format!(" --level {level}");
    }
    for Setting { path, values, .. } in args.set.iter().filter(|setting| setting.path != ["seed"]) {
        let values: Vec<String> = values.iter().map(u64::to_string).collect();
        words += &format!(" --set {}={}", path.join("."), values.join(","));
    }
    let choices = violation.choices.iter().map(|choice| choice.to_string()).collect::<Vec<_>>().join(",");
    // A run without choices is the same in any search.
    let choices = if choices.is_empty() { " --set choices=0".into() } else { format!(" --choices {choices}") };
    format!("{words} --set seed={}{choices}", violation.seed)
}

impl Report {
    fn json(&self, bounds: &Bounds) -> Value {
        let (verdict, why) = match &self.outcome {
            Outcome::Holds(held) => ("holds", held.clone()),
            Outcome::Violated(violation) => ("violated", violation.broken.to_string()),
            Outcome::NotFound(why) => ("no violation found", why.clone()),
        };
        let run = match &self.outcome {
            Outcome::Violated(violation) => json!({
                "seed": violation.seed,
                "choices": violation.choices.iter().map(|choice| choice.to_string()).collect::<Vec<_>>(),
            }),
            _ => Value::Null,
        };
        let Looked { runs, choices, crashes, moves, datagrams, connections, messages } = self.searched.looked;
        let mut limits =
            vec![format!("choices = {}, runs = {}, length = {}", bounds.choices, bounds.runs, bounds.length)];
        limits.extend(described(bounds));
        json!({
            "subject": self.stack.name, "kind": "stack", "bounds": limits, "specification": self.specification,
            "engines": [{
                "engine": "router", "level": self.level.to_string(), "verdict": verdict, "why": why, "run": run,
                "runs": runs, "random": self.searched.random, "choices": choices, "crashes": crashes, "moves": moves,
                "connections": connections, "datagrams": datagrams, "messages": messages, "seconds": self.seconds,
            }],
        })
    }
}
