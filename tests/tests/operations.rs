//! Each row of the table of operations, with operands at the limits of every type, in the interpreter and in emitted C:
//! gcc and clang, optimized and not, at each level where that makes a difference.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use nacre_backend_c::{write, Level};
use nacre_simulator::compiled::Compiled;
use nacre_simulator::endpoint::{Endpoint, Maker, Opening};
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::toolchain::{Text, Toolchain};
use nacre_stack::interpret::{Config, Machine, SplitMix64, Value};
use nacre_stack::operations::methods::Success;
use nacre_stack::operations::{Kind, Parts};
use nacre_stack::{Operation, PortId, Stack, Type};
use nacre_tests::rows::{arithmetic, containers, locate};

const GCC: (&str, &[&str]) = ("gcc", &["-O1"]);
/// Traps undefined behaviour of the C.
const CLANG: (&str, &[&str]) = ("clang", &["-O0", "-fsanitize=undefined", "-fsanitize-trap=all"]);

/// Compiles and loads the C of a stack. Functions that are called once are not inlined, because their caller would be
/// too large.
fn compiled(stack: &Stack, level: Level, (compiler, flags): (&str, &[&str])) -> Box<dyn Endpoint> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("operations");
    let toolchain = Toolchain::named(compiler, &cache).expect("gcc and clang").optimize("-fno-inline");
    let toolchain = flags.iter().fold(toolchain, |toolchain, flag| toolchain.flag(flag));
    let mut optimized = stack.clone();
    nacre_driver::passes(nacre_driver::Level::Inline).iter().for_each(|pass| drop((pass.run)(&mut optimized)));
    let text = write(&optimized, level, &|_| None);
    let loaded = toolchain.load(&Text {
        header_name: &format!("{}.h", stack.name),
        header: &text.header,
        source: &text.source,
        symbol: &format!("{}_stack", stack.name),
    });
    let maker = Compiled { stack: loaded.unwrap_or_else(|error| panic!("{}, {compiler}: {error}", stack.name)) };
    opened(&maker)
}

fn opened(maker: &dyn Maker) -> Box<dyn Endpoint> {
    maker.open(&Opening { givens: vec![], seed: 1, now: 1000 }).expect("it opens").0
}

/// The index of the event `run` in the interface.
fn run_of(stack: &Stack) -> u16 {
    let at = stack.interface().iter().position(|e| e.port == PortId(1) && e.input.is_some());
    at.expect("`run`") as u16
}

/// The first difference of two states.
fn difference(stack: &Stack, expected: &[u8], found: &[u8]) -> Option<String> {
    if expected == found {
        return None;
    }
    let at = expected.iter().zip(found).position(|(a, b)| a != b).unwrap_or(expected.len().min(found.len()));
    let word = |bytes: &[u8]| bytes[at..].iter().take(8).map(|b| format!("{b:02x}")).collect::<String>();
    Some(format!("{}: expected {}, found {}", locate(stack, at), word(expected), word(found)))
}

#[test]
fn operators_have_equal_results_in_c() {
    let mut failures = vec![];
    let mut cases = 0;
    for (stack, list) in arithmetic::programs() {
        let mut reference = opened(&Interpreter::new(Arc::new(stack.clone())));
        let mut engines = [GCC, CLANG].map(|compiler| (compiler.0, compiled(&stack, Level::Call, compiler)));
        for (number, case) in list.iter().enumerate() {
            reference.call(1000, run_of(&stack), &[number as u64], None, &[]);
            let expected = reference.canonical();
            for (compiler, engine) in &mut engines {
                engine.call(1000, run_of(&stack), &[number as u64], None, &[]);
                let found = difference(&stack, &expected, &engine.canonical());
                // A difference persists in later states.
                let new = found.filter(|found| !failures.iter().any(|known: &String| known.ends_with(found)));
                failures.extend(new.map(|found| format!("{compiler}, {}: {found}", case.name)));
            }
            cases += 1;
        }
        if let Some(report) = reference.reports().first() {
            failures.push(format!("{}: {report}", stack.name));
        }
    }
    assert!(failures.is_empty(), "{} of {cases} cases:\n{}", failures.len(), failures.join("\n"));
    println!("{cases} cases");
}

/// The operations that succeeded or failed, with the number of entries in the container before.
#[derive(Default)]
struct Seen(HashSet<(Shape, Operation, bool, usize)>);

/// A container without the type of its entries: kind, capacity, bits of its numbers.
type Shape = (Kind, u32, Option<u8>);

fn shape(ty: &Type) -> Shape {
    let parts = Parts::of(ty);
    (Kind::of(ty), parts.capacity, parts.bits)
}

impl Seen {
    /// The missing cases: each operation on an empty, a full and an almost full container, and each outcome.
    fn missing(&self, container: &containers::Container) -> Vec<String> {
        let capacity = Parts::of(&container.ty).capacity as usize;
        let mut missing = vec![];
        for operation in &container.operations {
            let seen = |done: Option<bool>, count: Option<usize>| {
                self.0.iter().any(|(ty, which, was, before)| {
                    (*ty, which) == (shape(&container.ty), operation)
                        && done.is_none_or(|done| done == *was)
                        && count.is_none_or(|count| count == *before)
                })
            };
            let fails = operation.row(&container.ty).is_some_and(|row| row.success == Success::Fails);
            let counts = [0, capacity - 1, capacity].map(|count| seen(None, Some(count)));
            if counts.contains(&false) || !seen(Some(true), None) || seen(Some(false), None) != fails {
                missing.push(format!("{operation:?} of {:?}: not at every limit", container.ty));
            }
        }
        missing
    }
}

fn entries(value: &Value) -> usize {
    match value {
        Value::Row(row) => row.len(),
        Value::Window(window) => window.count() as usize,
        Value::Pool(slots) => slots.iter().flatten().count(),
        Value::Map(slots) => slots.iter().flatten().count(),
        _ => 0,
    }
}

/// Draws a number, often near the limits of the container's contents.
fn draw(dice: &mut SplitMix64, value: &Value) -> u64 {
    let low = if let Value::Window(window) = value { window.low } else { 0 };
    match dice.below(8) {
        0 => dice.draw(),
        1 => low.wrapping_sub(dice.below(4)),
        _ => low.wrapping_add(dice.below(7)),
    }
}

/// Draws an operation; while a container is filled, usually one that adds.
fn choose(dice: &mut SplitMix64, container: &containers::Container, fills: bool) -> usize {
    let adds = |operation: &Operation| {
        operation.row(&container.ty).is_some_and(|row| row.success == Success::Fails) && *operation != Operation::Put
    };
    let adding: Vec<usize> = (0..container.operations.len()).filter(|at| adds(&container.operations[*at])).collect();
    match fills && dice.below(4) > 0 {
        true => adding[dice.below(adding.len() as u64) as usize],
        false => dice.below(container.operations.len() as u64) as usize,
    }
}

#[test]
fn containers_behave_equally_in_c() {
    let (mut seen, mut subjects) = (Seen::default(), vec![]);
    let mut failures = vec![];
    for (at, entry) in containers::entries().iter().enumerate() {
        let subject = containers::Containers::new(&format!("entries{at}"), entry, at % 7 == 0);
        let stack = &subject.stack;
        let engines = [(Level::Queue, GCC), (Level::Inline, CLANG), (Level::Call, GCC)];
        let mut engines: Vec<(String, Box<dyn Endpoint>)> = (0..2)
            .map(|i| engines[(at + i) % 3])
            .map(|(level, cc)| (format!("{} {}", cc.0, level.name()), compiled(stack, level, cc)))
            .collect();
        let mut machine = Machine::new(stack, Config { seed: 1, ..Config::default() });
        machine.open(1000);
        let mut dice = SplitMix64(at as u64);
        let run = run_of(stack);
        'run: for turn in 0..4_000u64 {
            let container = &subject.containers[(turn / 40) as usize % subject.containers.len()];
            let held = machine.cell(container.cell);
            let operation = choose(&mut dice, container, turn / 8 % 2 == 0);
            let (case, x, y) = (container.first + operation as u64, draw(&mut dice, held), draw(&mut dice, held));
            let data = vec![x as u8; dice.below(70) as usize];
            let before = entries(held);
            machine.call(run.into(), &[case, x, y].map(Value::Num), &data, 1000);
            let was = machine.cell(container.done).truth();
            seen.0.insert((shape(&container.ty), container.operations[operation], was, before));
            let expected = machine.canonical_bytes();
            for (name, engine) in &mut engines {
                engine.call(1000, run, &[case, x, y], None, &data);
                let what = format!("{name}, {:?} of {:?}, turn {turn}", container.operations[operation], container.ty);
                if let Some(found) = difference(stack, &expected, &engine.canonical()) {
                    failures.push(format!("{what}: {found}"));
                    break 'run;
                }
                let free = (machine.free_blocks(), engine.space().0);
                if free.0 != free.1 {
                    failures.push(format!("{what}: {} free blocks, expected {}", free.1, free.0));
                    break 'run;
                }
            }
        }
        failures.extend(machine.take_reports().first().map(|report| format!("{}: {report:?}", stack.name)));
        subjects.push(subject);
    }
    let every = subjects.iter().flat_map(|subject| &subject.containers);
    failures.extend(every.flat_map(|container| seen.missing(container)));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
