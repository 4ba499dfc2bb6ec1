//! Each row of the table of operations, with operands at the limits of every type, in the interpreter and in the
//! Promela model as SPIN's verifier runs it. Unsupported rows are refused and listed.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nacre_backend_promela::alone::{numbers, write_alone, Call};
use nacre_process::run;
use nacre_stack::interpret::{Config, Machine, SplitMix64, Value};
use nacre_stack::{PortId, Stack, Type};
use nacre_tests::rows::arithmetic::programs_apart;
use nacre_tests::rows::containers::{of, Containers};

/// The number of cases of one model: SPIN and gcc take long for more.
const CASES: usize = 60;
const LIMIT: Duration = Duration::from_secs(300);

/// Returns the output of a model's verifier: a line for each call.
fn lines(name: &str, model: &str) -> Vec<Vec<i32>> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("model.pml"), model).expect("the model");
    let step = |program: &Path, arguments: &[&str]| {
        let ran = run(Command::new(program).args(arguments), folder.path(), LIMIT).expect("it runs");
        let words: String = ran.words.lines().filter(|line| line.contains("rror") || line.contains("saw")).collect();
        let kept = std::env::temp_dir().join(format!("{name}.pml"));
        if !ran.status.success() {
            std::fs::write(&kept, model).expect("the model");
        }
        assert!(ran.status.success(), "{name}: {program:?}: {words} {}", kept.display());
        ran.words
    };
    step(Path::new("spin"), &["-o2", "-a", "model.pml"]);
    let flags =
        ["-w", "-O0", "-fwrapv", "-DSAFETY", "-DNOFAIR", "-DPRINTF", "-DVECTORSZ=1000000", "-o", "pan", "pan.c"];
    step(Path::new("gcc"), &flags);
    let words = step(&folder.path().join("pan"), &["-m1000000", "-w10", "-n"]);
    let all = words.lines().filter(|line| line.ends_with(' ') && !line.starts_with(|c: char| c.is_alphabetic()));
    all.map_while(|line| line.split_whitespace().map(|n| n.parse().ok()).collect()).collect()
}

/// The numbers of all cells after opening and after each call, by cell.
fn expected(stack: &Stack, calls: &[Call]) -> Vec<Vec<(String, Vec<i32>)>> {
    let mut machine = Machine::new(stack, Config { seed: 1, ..Config::default() });
    machine.open(1000);
    let interface = stack.interface();
    let state = |machine: &Machine| {
        let cells = stack.cells.iter().enumerate();
        let cells = cells.map(|(at, cell)| {
            let value = machine.cell(nacre_stack::CellId(at as u32));
            (
                cell.name.clone(),
                numbers(stack, &cell.ty, value).unwrap_or_else(|| panic!("{}: {:?}", cell.name, cell.ty)),
            )
        });
        cells.collect::<Vec<_>>()
    };
    let mut states = vec![state(&machine)];
    for call in calls {
        let at = interface.iter().position(|e| e.port == PortId(1) && e.event == call.event).expect("an input");
        let numbers: Vec<Value> = call.numbers.iter().copied().map(Value::Num).collect();
        machine.call(at as u32, &numbers, &call.bytes, 1000);
        states.push(state(&machine));
    }
    states
}

/// The cells in which a model differs from the interpreter, each once.
fn differences(stack: &Stack, calls: &[Call], model: &str) -> Vec<String> {
    let (expected, found) = (expected(stack, calls), lines(&stack.name, model));
    if expected.len() != found.len() {
        return vec![format!("{}: {} states, expected {}", stack.name, found.len(), expected.len())];
    }
    let (mut known, mut differences) = (HashSet::new(), vec![]);
    for (expected, found) in expected.iter().zip(&found) {
        let mut rest = &found[..];
        for (cell, numbers) in expected {
            let (own, after) = rest.split_at(numbers.len().min(rest.len()));
            rest = after;
            if own != numbers && known.insert(cell) {
                let at = numbers.iter().zip(own).position(|(a, b)| a != b).unwrap_or(own.len());
                let pair = [numbers, own].map(|n| n.get(at).copied());
                differences.push(format!("{cell}, number {at}: expected {:?}, found {:?}", pair[0], pair[1]));
            }
        }
    }
    differences
}

/// The supported cases, and the unsupported ones by reason.
fn written() -> (HashSet<String>, BTreeMap<String, Vec<String>>) {
    let (mut written, mut refused) = (HashSet::new(), BTreeMap::<_, Vec<String>>::new());
    for (stack, cases) in programs_apart(1, &|_| true) {
        let (name, call) = (&cases[0].name, calls(&stack));
        match write_alone(&stack, &call) {
            Ok(_) => drop(written.insert(name.clone())),
            Err(all) => {
                all.into_iter().for_each(|r| refused.entry(r.reason.to_string()).or_default().push(name.clone()))
            }
        }
    }
    (written, refused)
}

/// One call of each event.
fn calls(stack: &Stack) -> Vec<Call> {
    let inputs = stack.ports[1].inputs.iter();
    inputs.map(|input| Call { event: input.event, numbers: vec![], bytes: vec![] }).collect()
}

fn compare(is_wanted: &dyn Fn(&str) -> bool) {
    let (written, _) = written();
    let (mut failures, mut count) = (vec![], 0);
    for (stack, cases) in programs_apart(CASES, &|name| written.contains(name) && is_wanted(name)) {
        let calls = calls(&stack);
        let model = write_alone(&stack, &calls).unwrap_or_else(|refusals| panic!("{refusals:?}"));
        failures.extend(differences(&stack, &calls, &model));
        count += cases.len();
    }
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 50, "only {count} cases");
}

/// Calls of all operations of a container, with small numbers, most of them in the window.
fn drawn(stack: &Stack, containers: &Containers, count: usize) -> Vec<Call> {
    let event = stack.ports[1].inputs[0].event;
    let mut dice = SplitMix64(7);
    let operations = containers.containers[0].operations.len() as u64;
    let call = |at: usize| {
        let number = if dice.below(8) == 0 { dice.draw() } else { dice.below(9) + at as u64 / 16 };
        let numbers = vec![dice.below(operations), dice.below(5), number];
        Call { event, numbers, bytes: vec![1] }
    };
    (0..count).map(call).collect()
}

fn compare_containers(entries: &[Type]) {
    let mut failures = vec![];
    // For maps, a query returns the key of a slot, which models support only for numbers.
    let is_written = |ty: &Type| !matches!(ty, Type::Map(key, ..) if **key != Type::UInt(2));
    let map = |entry: &Type| Type::Map(Box::new(Type::UInt(2)), Box::new(entry.clone()), 2);
    let types = entries.iter().flat_map(|entry| of(entry, false).into_iter().chain([map(entry)]));
    for (at, ty) in types.filter(is_written).enumerate() {
        let subject = Containers::of(&format!("container{at}"), vec![ty.clone()]);
        let calls = drawn(&subject.stack, &subject, 200);
        let model = write_alone(&subject.stack, &calls).unwrap_or_else(|refusals| panic!("{ty:?}: {refusals:?}"));
        failures.extend(differences(&subject.stack, &calls, &model));
    }
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn containers_behave_equally_in_promela() {
    compare_containers(&[Type::UInt(7)]);
}

#[test]
#[ignore = "minutes: for `make soak`"]
fn containers_of_every_kind_of_entry_behave_equally_in_promela() {
    let pair = Type::Tuple(vec![Type::Bool, Type::Int(33)]);
    let array = Type::Array(Box::new(Type::Int(7)), 2);
    compare_containers(&[Type::UInt(33), Type::Int(9), Type::Seq(8), Type::Bool, pair, array]);
}

/// Whether a case is about numbers as wide as a `byte`, an `int` or two of them.
fn is_at_limits(name: &str) -> bool {
    let types: Vec<&str> = name.split(' ').filter(|word| word.contains('(')).collect();
    let limits = ["UInt(8)", "UInt(32)", "Int(8)", "Int(32)", "Seq(8)", "Seq(32)", "Bits(33)", "UInt(33)", "Int(33)"];
    !types.is_empty() && types.iter().all(|ty| limits.contains(ty))
}

#[test]
fn operators_have_equal_results_in_promela() {
    compare(&is_at_limits);
}

#[test]
#[ignore = "minutes: for `make soak`"]
fn every_operator_has_equal_results_in_promela() {
    compare(&|_| true);
}

#[test]
fn operators_unsupported_in_promela_are_listed() {
    let (_, refused) = written();
    let lines: Vec<String> = refused.iter().map(|(what, cases)| format!("{what}: {} cases\n", cases.len())).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promela_rows.expected");
    let found = lines.concat();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &found).expect("the list");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "BLESS=1 writes {}:\n{found}", path.display());
}
