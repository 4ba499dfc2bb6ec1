//! Steps that take a bypass leave what the handlers leave: the interpreter runs each stack of the library with its
//! bypasses and without, in lockstep, through random events and damaged frames.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use nacre_bypass::add_bypasses;
use nacre_driver::{optimize, optimize_for, Level};
use nacre_simulator::interpreter::{Interpreter, Taken};
use nacre_simulator::lockstep::Lockstep;
use nacre_simulator::random::Random;
use nacre_stack::interpret::{lacks, Machine, Outcome};
use nacre_stack::models::Models;
use nacre_stack::visit::{rewrite_stack, ChangeExprs};
use nacre_stack::{
    number, print_with_spans, read, validate, Bypass, Direction, Expr, ExprKind, Head, HeaderId, PortId, Stack,
    Statement, StatementKind, Way,
};
use nacre_tests::library::{declared, find, spread, Declared};
use nacre_tests::machines::Machines;
use nacre_tests::pair::{address, Pair};
use nacre_tests::programs::generate;
use nacre_tests::programs::run::compose;
use nacre_tests::storm::{storm, Tally};
use nacre_tests::{in_parallel, soaking};

fn with_bypasses(stack: &Stack) -> Stack {
    let mut stack = stack.clone();
    add_bypasses(&mut stack);
    stack
}

fn chosen() -> Vec<Declared> {
    let wanted = std::env::var("NACRE_STACK");
    declared().into_iter().filter(|one| wanted.as_ref().map_or(true, |name| *name == one.name)).collect()
}

#[test]
fn steps_on_a_bypass_are_those_of_the_handlers() {
    let events = if soaking() { 100_000 } else { 1_000 };
    let ran = in_parallel(&spread(chosen()), |declared| {
        let (_, stack) = declared.compose();
        let (plain, bypassed) = (Arc::new(stack.clone()), Arc::new(with_bypasses(&stack)));
        validate(&bypassed).map_err(|problems| format!("{}: {problems:?}", declared.name))?;
        let read = read(&print_with_spans(&bypassed)).map_err(|error| format!("{}: {error}", declared.name))?;
        if read != *bypassed {
            return Err(format!("{}: the text of the bypasses is read as something else", declared.name));
        }
        let makers = [plain.clone(), bypassed.clone()].map(|stack| Box::new(Interpreter::new(stack)) as _);
        let mut tally = Tally::default();
        storm(&plain, &Lockstep { makers: makers.into() }, 5, events, &mut tally)
            .map_err(|why| format!("{}: {why}", declared.name))?;
        Ok(bypassed.bypasses.len())
    });
    let failed: Vec<&String> = ran.iter().filter_map(|one| one.as_ref().err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let bypasses: usize = ran.iter().flatten().sum();
    println!("{bypasses} bypasses of {} stacks", ran.len());
    assert!(bypasses >= 10 * ran.len() || ran.len() == 1, "{bypasses} bypasses of {} stacks", ran.len());
}

/// The ways of a storm: the most common ones and the rarest.
fn ways(stack: &Stack, events: u64) -> Result<Vec<Way>, String> {
    const OF_EACH: usize = 12;
    let mut plain = stack.clone();
    optimize(&mut plain, Level::Queue);
    let taken = Arc::new(Mutex::new(Taken::default()));
    let maker = Interpreter { taken: Some(taken.clone()), ways: true, ..Interpreter::new(Arc::new(plain.clone())) };
    storm(&plain, &maker, 5, events, &mut Tally::default())?;
    let counted = taken.lock().expect("the storm has ended").ways.clone();
    let mut all: Vec<(Way, u64)> = counted.into_iter().collect();
    all.sort_by_key(|(_, count)| Reverse(*count));
    let rarest = all.split_off(all.len().min(OF_EACH)).into_iter().rev().take(OF_EACH);
    Ok(all.into_iter().chain(rarest).map(|(way, _)| way).collect())
}

/// Whatever way an event took, with errors and with what is rare, its bypass is that of the handlers, in the interpreter and
/// in C.
#[test]
fn ways_that_events_took_are_bypasses() {
    let events = if soaking() { 100_000 } else { 2_000 };
    let ran = in_parallel(&spread(chosen()), |declared| {
        let machines = Machines::new(declared);
        let plain = machines.stack.clone();
        if lacks(&plain, &Models::of([&*plain])).is_some() {
            return Ok((0, 0, 0));
        }
        let told = |why: String| format!("{}: {why}", declared.name);
        let mut optimized = (*plain).clone();
        let made = optimize_for(&mut optimized, &ways(&plain, events).map_err(told)?);
        let strayed =
            made.iter().filter_map(|made| made.as_ref().err()).filter(|(why, _)| why.what == "another way").count();
        if strayed > 0 {
            return Err(told(format!("{strayed} ways are taken by the interpreter alone")));
        }
        let bypassed = Arc::new(Stack { bypasses: optimized.bypasses.clone(), ..(*plain).clone() });
        let opens: Vec<bool> = bypassed.bypasses.iter().map(|bypass| bypass.opening().is_some()).collect();
        let taken = Arc::new(Mutex::new(Taken::default()));
        let quick = Interpreter { taken: Some(taken.clone()), ..Interpreter::new(bypassed) };
        let text = machines.session.emit_optimized_modelled(optimized, Level::Bypass, None);
        let compiled = machines.compile(&text).map_err(told)?;
        let makers = vec![machines.interpreter(), Box::new(quick) as _, compiled];
        storm(&plain, &Lockstep { makers }, 6, events, &mut Tally::default()).map_err(told)?;
        let counts = taken.lock().expect("the storm has ended").bypasses.clone();
        let hits = counts.iter().filter(|count| **count > 0).count();
        let opened = counts.iter().zip(opens).filter(|(count, opens)| **count > 0 && *opens).count();
        Ok((made.iter().filter(|made| made.is_ok()).count(), hits, opened))
    });
    let failed: Vec<&String> = ran.iter().filter_map(|one| one.as_ref().err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let [mut made, mut hits, mut opened] = [0, 0, 0];
    for one in ran.iter().flatten() {
        [made, hits, opened] = [made + one.0, hits + one.1, opened + one.2];
    }
    println!("{made} ways have bypasses, {hits} of these were taken again, {opened} with an opening");
    assert!(made >= 4 * ran.len() && hits * 2 >= made || ran.len() == 1, "{made}, {hits}");
    assert!(opened >= 5 || ran.len() == 1, "{opened} bypasses with an opening");
}

/// The same of random programs: the ways that their events took, in the interpreter.
#[test]
fn ways_through_random_programs_are_bypasses() {
    let seeds: Vec<u64> = (0..if soaking() { 3_000 } else { 200 }).collect();
    let ran = in_parallel(&seeds, |seed| {
        let Ok((_, stack)) = compose(&generate(*seed).text()) else { return Ok((0, 0)) };
        let mut plain = stack.clone();
        optimize(&mut plain, Level::Queue);
        // Some programs break rules, whatever runs them.
        let Ok(ways) = ways(&stack, 600) else { return Ok((0, 0)) };
        if storm(&plain, &Interpreter::new(Arc::new(plain.clone())), 6, 600, &mut Tally::default()).is_err() {
            return Ok((0, 0));
        }
        let mut optimized = plain.clone();
        let _ = optimize_for(&mut optimized, &ways);
        let opened = optimized.bypasses.iter().filter(|bypass| bypass.opening().is_some()).count();
        let made = optimized.bypasses.len();
        let bypassed = Arc::new(Stack { bypasses: optimized.bypasses, ..plain.clone() });
        let makers = [Arc::new(plain.clone()), bypassed].map(|stack| Box::new(Interpreter::new(stack)) as _);
        storm(&plain, &Lockstep { makers: makers.into() }, 6, 600, &mut Tally::default())
            .map_err(|why| format!("{seed}: {why}"))?;
        Ok((made, opened))
    });
    let failed: Vec<&String> = ran.iter().filter_map(|one| one.as_ref().err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let (made, opened) = ran.iter().flatten().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    println!("{made} bypasses, {opened} with an opening");
    assert!(made > 100 && opened > 0, "{made} bypasses, {opened} with an opening");
}

/// The share of steps that take a bypass, of a hundred, when both ends talk and `loss` percent of the frames are lost.
fn share(stack: &Stack, loss: u64) -> u64 {
    let interface = stack.interface();
    let sends = interface.iter().position(|at| {
        let event = stack.event(at.event);
        at.input.is_some() && event.message.is_some() && event.direction == Direction::Down
    });
    let send = sends.expect("messages are sent") as u32;
    let mut ends: Vec<Machine> = Pair::open(stack).ends;
    let (mut random, mut frames, mut now, mut steps) = (Random::new(7), [VecDeque::new(), VecDeque::new()], 1 << 30, 0);
    while steps < 2_000 {
        let end = random.below(2) as usize;
        now += random.below(1_000_000);
        let machine = &mut ends[end];
        let outcome = match frames[end].pop_front() {
            Some(frame) => machine.input(address(1 - end), &Vec::<u8>::clone(&frame), now),
            None if machine.deadline() <= now => machine.tick(now),
            None => machine.call(send, &[], &[end as u8; 16], now),
        };
        steps += u64::from(outcome == Outcome::Ok);
        let sent = machine.take_outputs().into_iter().filter(|output| output.port == PortId(0));
        frames[1 - end].extend(sent.filter_map(|output| output.bytes).filter(|_| random.below(100) >= loss));
    }
    let taken: u64 = ends.iter().flat_map(|machine| machine.bypassed()).sum();
    taken * 100 / steps
}

#[test]
fn most_steps_take_a_bypass() {
    for (name, loss, least) in [("reliable_plain", 0, 95), ("reliable_plain", 2, 70), ("sequencer_alone", 0, 98)] {
        let (_, stack) = find(name).compose();
        let share = share(&with_bypasses(&stack), loss);
        println!("{name}, {loss} % lost: {share} % of the steps take a bypass");
        assert!(share >= least, "{name}: {share} %");
    }
}

/// What is done before a bypass takes the event has no effect: a stack in which it has some is none.
#[test]
fn openings_without_effects_are_valid() {
    let plain = {
        let mut stack = find("secure").compose().1;
        optimize(&mut stack, Level::Queue);
        stack
    };
    let opened = |change: &dyn Fn(&mut Bypass)| {
        let mut stack = plain.clone();
        add_bypasses(&mut stack);
        let has_output = |bypass: &Bypass| bypass.body.iter().any(|one| matches!(one.kind, StatementKind::Emit(..)));
        let opens = |bypass: &Bypass| bypass.opening().is_some() && has_output(bypass);
        let mut bypasses = std::mem::take(&mut stack.bypasses).into_iter();
        let mut bypass = bypasses.find(opens).expect("a bypass that unseals its message");
        change(&mut bypass);
        stack.bypasses = vec![bypass];
        number(&mut stack);
        stack
    };
    assert_eq!(validate(&opened(&|_| {})), Ok(()));
    let of = |bypass: &Bypass| bypass.opening().expect("an opening").code.len();
    let stores = |bypass: &mut Bypass| {
        let store = bypass.body.iter().rposition(|one| matches!(one.kind, StatementKind::Store(..))).expect("a store");
        let store = bypass.body.remove(store);
        bypass.body.insert(0, store);
    };
    let leaves = |bypass: &mut Bypass| {
        let emit = bypass.body.iter().rposition(|one| matches!(one.kind, StatementKind::Emit(..))).expect("an output");
        let emit = bypass.body.remove(emit);
        bypass.body.insert(0, emit);
    };
    let twice = |bypass: &mut Bypass| {
        let end = bypass.body[of(bypass)].clone();
        bypass.body.push(end);
    };
    // A message behind `encrypt` carries no header of a layer below.
    let lowest = |bypass: &mut Bypass| {
        let end = of(bypass);
        let mut condition = bypass.body[end].rejects_unless().expect("a further condition").clone();
        let mut stack =
            Stack { bypasses: vec![Bypass { condition: condition.clone(), ..bypass.clone() }], ..Stack::default() };
        let mut asked = 0;
        let mut visit = |expr: &mut Expr| {
            if let ExprKind::Head(_, Head::Is(header)) = &mut expr.kind {
                (*header, asked) = (HeaderId(0), asked + 1);
            }
        };
        rewrite_stack(&mut ChangeExprs(&mut visit), &mut stack);
        std::mem::swap(&mut condition, &mut stack.bypasses[0].condition);
        assert!(asked > 0);
        bypass.body[end] = Statement::reject_unless(condition);
    };
    for change in [&stores as &dyn Fn(&mut Bypass), &leaves, &twice, &lowest] {
        assert!(validate(&opened(change)).is_err());
    }
}
