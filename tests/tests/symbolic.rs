//! The symbolic execution calculates on constants what the interpreter calculates: single handlers of the library and of
//! random programs, on random states.

use std::path::Path;
use std::sync::Arc;

use nacre_driver::Session;
use nacre_simulator::random::Random;
use nacre_stack::interpret::{Config, Machine, Message, Origin, Rule, Value};
use nacre_stack::operations::window::Window;
use nacre_stack::{Handler, HandlerId, Stack, Type};
use nacre_symbolic::constants::constant;
use nacre_symbolic::execute::{Claim, ClaimKind, Run, UNROLLED};
use nacre_symbolic::state::{is_state, State};
use nacre_symbolic::terms::Terms;
use nacre_tests::library::{declared, has_wide_window, spread};
use nacre_tests::programs::{generate, STACK};
use nacre_tests::soaking;
use nacre_tests::terms::{compare, Compared};
use nacre_tests::values;

/// No loop over the entries of a window has more iterations.
const NONE_CUT: u32 = 1030;

/// Handlers that were compared, those without terms, and terms.
#[derive(Default, Debug)]
struct Seen {
    handlers: u64,
    unsupported: u64,
    failures: u64,
    /// Failing handlers that ran with loops cut.
    cut: u64,
    compared: Compared,
}

/// A random value, also of containers and messages.
fn any(stack: &Stack, random: &mut Random, ty: &Type) -> Value {
    match ty {
        Type::Msg | Type::Bounded(_) => Value::Msg(message(random)),
        Type::Timer if random.below(2) == 0 => Value::Timer(random.number()),
        Type::Option(t) if random.below(3) > 0 => Value::some(any(stack, random, t)),
        Type::Tuple(types) => Value::Tuple(types.iter().map(|t| any(stack, random, t)).collect()),
        Type::Struct(id) => {
            Value::Tuple(stack.structs[id.index()].fields.iter().map(|f| any(stack, random, &f.ty)).collect())
        }
        Type::Array(t, n) => Value::Tuple((0..*n).map(|_| any(stack, random, t)).collect()),
        Type::Ring(t, n) | Type::List(t, n) => {
            Value::Row((0..random.below(u64::from(*n) + 1)).map(|_| any(stack, random, t)).collect())
        }
        Type::Window(t, n, bits) => Value::Window(window(stack, random, t, *n, *bits)),
        other => values::value(stack, random, other),
    }
}

fn message(random: &mut Random) -> Message {
    let mut bytes = vec![0; random.below(5) as usize];
    random.fill(&mut bytes);
    Message::new(&bytes, Origin::Made, random.below(2) == 0)
}

fn window(stack: &Stack, random: &mut Random, t: &Type, n: u32, bits: u8) -> Window<Value> {
    let mut window = Window::new(n, bits);
    window.low = values_of(random, bits);
    let span = random.below(u64::from(n) + 1);
    for _ in 0..span {
        let entry = (random.below(4) > 0).then(|| any(stack, random, t));
        window.entries.push_back(entry);
    }
    window.high = window.number(span as i64);
    window.next = window.number(random.below(span + 1) as i64);
    window.reported = window.next;
    window
}

/// A number of so many bits, often near the end.
fn values_of(random: &mut Random, bits: u8) -> u64 {
    let all = nacre_stack::mask(u32::from(bits));
    match random.below(3) {
        0 => all - random.below(4).min(all),
        1 => random.below(4) & all,
        _ => random.number() & all,
    }
}

/// A handler, and the values that it runs on.
struct Case<'s> {
    stack: &'s Stack,
    handler: &'s Handler,
    cells: Vec<Value>,
    parameters: Vec<(Value, Type)>,
    fields: Vec<(Value, Type)>,
    now: u64,
}

impl<'s> Case<'s> {
    /// Any values.
    fn any(stack: &'s Stack, handler: &'s Handler, random: &mut Random) -> Case<'s> {
        let now = random.number() >> random.below(60);
        let cells = stack.cells.iter().map(|cell| any(stack, random, &cell.ty)).collect();
        let mut given = |locals: &[nacre_stack::LocalId]| -> Vec<(Value, Type)> {
            let types = locals.iter().map(|local| handler.locals[local.index()].ty.clone());
            types.map(|ty| (any(stack, random, &ty), ty)).collect()
        };
        let (parameters, fields) = (given(&handler.parameters), given(&handler.fields));
        Case { stack, handler, cells, parameters, fields, now }
    }

    /// Runs symbolically; loops of more iterations are cut. None: something has no terms.
    fn run(&self, unrolled: u32) -> Option<Run<'s>> {
        let (stack, layer) = (self.stack, self.handler.layer);
        let mut terms = Terms::new();
        let cells = self.cells.iter().zip(&stack.cells);
        let cells = cells.map(|(value, cell)| constant(stack, &mut terms, layer.index(), value, &cell.ty)).collect();
        let now = terms.bits(64, u128::from(self.now));
        let mut as_terms = |of: &[(Value, Type)]| {
            let all = of.iter().map(|(value, ty)| constant(stack, &mut terms, layer.index(), value, ty));
            all.collect::<Result<Vec<_>, _>>().ok()
        };
        let (parameters, fields) = (as_terms(&self.parameters)?, as_terms(&self.fields)?);
        let mut run = Run::new(stack, terms, layer, State { cells, now });
        run.unrolled = unrolled;
        run.handler(self.handler, parameters, fields).ok()?;
        Some(run)
    }
}

/// Runs one handler in both, and compares the cells of its layer.
fn examine(stack: &Arc<Stack>, at: usize, random: &mut Random, seen: &mut Seen) -> Result<(), String> {
    let (handler, id) = (&stack.handlers[at], HandlerId(at as u32));
    let layer = handler.layer;
    let case = Case::any(stack, handler, random);
    let Some(mut run) = case.run(NONE_CUT) else {
        seen.unsupported += 1;
        return Ok(());
    };
    let mut machine = Machine::of(stack.clone(), Config::default());
    for (cell, value) in case.cells.iter().enumerate() {
        machine.set_cell(nacre_stack::CellId(cell as u32), value.clone());
    }
    let alone = |of: &[(Value, Type)]| of.iter().map(|(value, _)| value.clone()).collect();
    machine.run_alone(id, alone(&case.parameters), alone(&case.fields), case.now);
    seen.handlers += 1;
    same_failures(&machine, &run, seen)?;
    if fails(&machine) {
        // Where a loop is cut, more has to have terms: all that it changes, and the invariants.
        if let Some(cut) = case.run(UNROLLED) {
            seen.cut += 1;
            claims_something(&cut)?;
        }
    } else if run.assumptions.iter().any(|fact| run.terms.truth_of(*fact) == Some(false)) {
        return Err("it assumes what does not hold".into());
    }
    for (cell, declared) in stack.cells.iter().enumerate() {
        if declared.layer != layer || !is_state(declared.scope) || stack.layer(layer).random.is_some() {
            continue;
        }
        let Ok(found) = run.state.cells[cell].clone() else { continue };
        let value = machine.cell(nacre_stack::CellId(cell as u32)).clone();
        let Ok(expected) = constant(stack, &mut run.terms, layer.index(), &value, &declared.ty) else { continue };
        compare(&mut run.terms, &expected, &found, &mut seen.compared)
            .map_err(|why| format!("{}: {}: {why}", handler.name, declared.name))?;
    }
    Ok(())
}

/// Whether the interpreter reports what a claim excludes.
fn fails(machine: &Machine) -> bool {
    machine.reports().iter().any(|report| matches!(report.rule, Rule::Unreachable | Rule::Assert | Rule::Bound))
}

/// Of code that fails, some claim is not calculated to hold, also where loops are cut.
fn claims_something(run: &Run) -> Result<(), String> {
    let holds =
        |claim: &Claim| run.terms.truth_of(claim.guard) == Some(false) || run.terms.truth_of(claim.holds) == Some(true);
    match run.claims.iter().all(holds) {
        true => Err("it fails, but all claims of the code with cut loops hold".into()),
        false => Ok(()),
    }
}

/// A failure that the interpreter reports is a claim that does not hold, and the other way round.
fn same_failures(machine: &Machine, run: &Run, seen: &mut Seen) -> Result<(), String> {
    let reported = fails(machine);
    let mut terms = run.claims.iter().map(|claim| {
        let never = run.terms.truth_of(claim.guard) == Some(false);
        match (never, run.terms.truth_of(claim.guard), run.terms.truth_of(claim.holds)) {
            (true, ..) | (_, _, Some(true)) => Some(false),
            (_, Some(true), Some(false)) => Some(!matches!(claim.kind, ClaimKind::LoopInvariant { .. })),
            _ => None,
        }
    });
    let all: Option<Vec<bool>> = terms.by_ref().collect();
    seen.failures += u64::from(reported);
    match all {
        Some(all) if all.contains(&true) != reported => Err(format!("failures: {:?} {reported}", run.claims)),
        _ => Ok(()),
    }
}

fn examine_all(stack: Stack, rounds: u64, random: &mut Random, seen: &mut Seen) {
    let stack = Arc::new(stack);
    let passes = |handler: &Handler| handler.passes;
    for at in (0..stack.handlers.len()).filter(|at| !passes(&stack.handlers[*at])) {
        for round in 0..rounds {
            let found = examine(&stack, at, random, seen);
            assert!(found.is_ok(), "{}, round {round}: {}", stack.description, found.unwrap_err());
        }
    }
}

#[test]
fn terms_of_the_library_are_what_the_interpreter_calculates() {
    let (mut seen, mut random) = (Seen::default(), Random::new(1));
    let mut wide = 0;
    for one in spread(declared()) {
        let (stack, rounds) = (one.compose().1, if soaking() { 10 } else { 3 });
        // Windows of hundreds of entries take long.
        let is_wide = has_wide_window(&stack);
        wide += u32::from(is_wide);
        examine_all(stack, if is_wide { 1 } else { rounds }, &mut random, &mut seen);
    }
    assert!(wide > 0, "no stack has a wide window");
    println!("{seen:?}");
    assert!(seen.handlers > 1_000 && seen.compared.equal > 50_000, "{seen:?}");
    assert!(seen.compared.open * 5 < seen.compared.equal, "{seen:?}");
    assert!(seen.unsupported * 3 < seen.handlers && seen.failures > 10 && seen.cut > 10, "{seen:?}");
}

#[test]
fn terms_of_random_programs_are_what_the_interpreter_calculates() {
    let (mut seen, mut random) = (Seen::default(), Random::new(2));
    for seed in 0..40 {
        let mut session = Session::from_text(Path::new("program.nacre"), &generate(seed).text());
        let Some(stack) = session.stack(STACK) else { continue };
        examine_all(stack, 6, &mut random, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.handlers > 500 && seen.compared.equal > 5_000, "{seen:?}");
}
