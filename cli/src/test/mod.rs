//! `nacre test`: the `test` blocks of files, in the interpreter and as C at every level.

mod endpoints;
mod expectations;
mod script;
mod values;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nacre_diagnostics::{counted, suggestion, Diagnostic};
use nacre_driver::{Level, Session};
use nacre_simulator::chart;
use nacre_simulator::endpoint::Maker;
use nacre_simulator::interface::Interface;
use nacre_simulator::toolchain;
use nacre_stack::models;
use nacre_syntax::ast;
use serde_json::{json, Value};

use crate::args::Test;
use crate::console::{colours, complain, print, print_json, say, Exit};
use crate::levels::{EmittedLevel, Machine, NoMachine, Workshop};
use crate::program;
use crate::units;

use endpoints::Ready;

/// Runs `nacre test`: each file is a program of its own; each of its `test` blocks runs on every machine.
pub fn test(args: &Test) -> Exit {
    let mut sessions = vec![];
    for file in &args.files {
        let mut session = match program::open(std::slice::from_ref(file)) {
            Ok(session) => session,
            Err(exit) => return exit,
        };
        session.check();
        program::tell(&session);
        if session.has_errors() {
            return Exit::No;
        }
        sessions.push(session);
    }
    let wanted = wanted(&sessions, args.only.as_deref());
    if let (true, Some(only)) = (wanted.iter().all(Vec::is_empty), &args.only) {
        let names: Vec<&str> = sessions.iter().flat_map(|s| s.program.tests()).map(|test| test.name.as_str()).collect();
        complain(&format!("the name of no test contains `{only}`; {}", suggestion(only, &names)));
        return Exit::Usage;
    }
    let begun = Instant::now();
    let (mut results, mut benches) = (Vec::new(), Vec::new());
    for (session, tests) in sessions.into_iter().zip(wanted) {
        let mut bench = Bench::new(session);
        for test in &tests {
            let result = bench.run(test);
            if !args.json {
                result.report();
            }
            results.push(result);
        }
        benches.push(bench);
    }
    report(args, &results, &benches, begun.elapsed())
}

/// The tests of each program that are to run; what several programs import runs once.
fn wanted(sessions: &[Session], only: Option<&str>) -> Vec<Vec<ast::Test>> {
    let mut known = BTreeSet::new();
    let mut of = |session: &Session| {
        let named = session.program.tests().filter(|test| only.is_none_or(|only| test.name.contains(only)));
        let place = |test: &ast::Test| (session.sources.path(test.span.file).to_string(), test.span.start);
        named.filter(|test| known.insert(place(test))).cloned().collect()
    };
    sessions.iter().map(&mut of).collect()
}

/// Prints the summary.
fn report(args: &Test, results: &[TestResult], benches: &[Bench], time: Duration) -> Exit {
    let failed = results.iter().filter(|result| result.failed()).count();
    let missing = benches.iter().find_map(|bench| bench.missing.as_ref());
    if args.json {
        let all: Vec<Value> = results.iter().map(TestResult::json).collect();
        print_json(&json!({ "ok": failed == 0 && missing.is_none(), "tests": all, "not_run": missing }));
    } else {
        let time = units::duration(time);
        print(&format!("{}, {failed} failed ({time})", counted(results.len() as u64, "test")));
    }
    let replaced: BTreeSet<String> = benches.iter().flat_map(Bench::replaced).collect();
    replaced.iter().for_each(|replaced| say(&format!("note: {replaced}")));
    let unfit = benches.iter().find_map(|bench| bench.unfit.as_ref());
    if let Some(why) = unfit {
        say(&format!("note: not every test ran in the interpreter: {why}"));
    }
    if let Some(missing) = missing {
        let is_unrun = results.iter().any(|result| result.runs.is_empty());
        let ran =
            if is_unrun || unfit.is_some() { "not every test ran" } else { "the tests ran in the interpreter only" };
        complain(&format!("{ran}: {missing}"));
    }
    match (failed, missing.is_some()) {
        (0, false) => Exit::Yes,
        (0, true) => Exit::Unknown,
        _ => Exit::No,
    }
}

struct Bench {
    session: Session,
    stacks: HashMap<String, Rc<Ready>>,
    machines: Vec<(&'static str, Machine)>,
    /// Why C could not be run.
    missing: Option<String>,
    /// Why the interpreter could not run a test.
    unfit: Option<String>,
}

struct TestResult {
    name: String,
    seed: u64,
    /// The machine, the time, and the failure.
    runs: Vec<(&'static str, Duration, Option<String>)>,
}

impl Bench {
    fn new(session: Session) -> Bench {
        let mut machines = vec![("interpreter", Machine::Interpreter)];
        machines.extend(Level::ALL.map(|level| (level.name(), Machine::Emitted(EmittedLevel(level)))));
        Bench { session, stacks: HashMap::new(), machines, missing: None, unfit: None }
    }

    /// What models replace, of each stack that ran.
    fn replaced(&self) -> BTreeSet<String> {
        self.stacks.values().filter_map(|ready| models::replaced(&ready.stack)).collect()
    }

    fn run(&mut self, test: &ast::Test) -> TestResult {
        let mut runs = Vec::new();
        for index in 0..self.machines.len() {
            let name = self.machines[index].0;
            match self.run_on(test, index) {
                Ok(ran) => runs.push((name, ran.1, ran.0)),
                // Both are reported once, at the end.
                Err(NoMachine::Interpreter(why)) => self.unfit = Some(why),
                Err(NoMachine::Host(why)) => self.missing = Some(why),
                Err(NoMachine::Emitted(missing)) => self.missing = Some(missing.to_string()),
            }
        }
        TestResult { name: test.name.clone(), seed: script::seed(test), runs }
    }

    /// Returns the failure, and the time of the test without compilation.
    ///
    /// Errors: this machine is not available.
    fn run_on(&mut self, test: &ast::Test, machine: usize) -> Result<(Option<String>, Duration), NoMachine> {
        for name in script::stacks(test) {
            match self.ready(&name.name, machine) {
                Ok(()) => {}
                Err(Lack::Machine(why)) => return Err(why),
                Err(Lack::Stack(words)) => return Ok((Some(words), Duration::ZERO)),
            }
        }
        let makers: HashMap<&str, &dyn Maker> = self
            .stacks
            .iter()
            .filter_map(|(name, ready)| Some((name.as_str(), ready.makers[machine].as_deref()?)))
            .collect();
        let begun = Instant::now();
        let outcome = script::run(test, &self.stacks, &makers);
        let time = begun.elapsed();
        Ok((outcome.err().map(|failure| self.words(&failure)), time))
    }

    /// Formats the expectation, the actual output, and the chart.
    fn words(&self, failure: &script::Failure) -> String {
        let mut found = Diagnostic::error("X0001", failure.what.clone()).at(failure.span, failure.label.clone());
        if let Some(came) = &failure.came {
            found = found.because(came.clone());
        }
        let mut text = found.render(&self.session.sources, colours());
        if let Some(drawn) = &failure.drawn {
            let names: Vec<&str> = drawn.names.iter().map(String::as_str).collect();
            text += &chart::chart(&drawn.stack, &drawn.trace, &drawn.nodes, &names, chart::Options { lines: 60 });
        }
        text
    }

    fn ready(&mut self, name: &str, machine: usize) -> Result<(), Lack> {
        if !self.stacks.contains_key(name) {
            let Some(stack) = self.session.stack(name) else {
                let words = self.session.render(colours());
                return Err(Lack::Stack(if words.is_empty() { format!("there is no stack `{name}`") } else { words }));
            };
            let (interface, stack) = (Rc::new(Interface::of(&stack)), Arc::new(stack));
            let makers = self.machines.iter().map(|_| None).collect();
            self.stacks.insert(name.to_string(), Rc::new(Ready { stack, interface, makers }));
        }
        let kind = self.machines[machine].1;
        let Some(ready) = self.stacks.get_mut(name).and_then(Rc::get_mut) else { return Ok(()) };
        if ready.makers[machine].is_none() {
            let workshop = Workshop { session: &self.session, stack: ready.stack.clone(), any_order: false };
            let made = workshop.maker(kind).map_err(|why| match why {
                NoMachine::Interpreter(_) | NoMachine::Host(_) => Lack::Machine(why),
                NoMachine::Emitted(toolchain::Error::Missing) => Lack::Machine(why),
                other => Lack::Stack(other.to_string()),
            });
            ready.makers[machine] = Some(made?);
        }
        Ok(())
    }
}

enum Lack {
    Stack(String),
    Machine(NoMachine),
}

impl TestResult {
    fn failed(&self) -> bool {
        self.runs.iter().any(|(_, _, failure)| failure.is_some())
    }

    fn report(&self) {
        let runs: Vec<String> = self
            .runs
            .iter()
            .map(|(name, time, failure)| {
                let mark = if failure.is_some() { " FAILED" } else { "" };
                format!("{name} {}{mark}", units::duration(*time))
            })
            .collect();
        let word = match self.failed() {
            true => "FAILED",
            false if runs.is_empty() => "not run",
            false => "ok",
        };
        print(&format!("{word:<6} {} (seed {}; {})", self.name, self.seed, runs.join(", ")));
        // Equal failures of several machines are reported once.
        let mut told: Vec<&str> = Vec::new();
        for (name, _, failure) in &self.runs {
            if let Some(failure) = failure.as_deref().filter(|failure| !told.contains(failure)) {
                say(&format!("in {name}:\n{failure}"));
                told.push(failure);
            }
        }
    }

    fn json(&self) -> Value {
        let runs: Vec<Value> = self.runs.iter().map(|(name, time, failure)| {
            json!({ "machine": name, "ok": failure.is_none(), "seconds": time.as_secs_f64(), "failure": failure })
        }).collect();
        json!({ "name": self.name, "seed": self.seed, "ok": !self.failed(), "runs": runs })
    }
}
