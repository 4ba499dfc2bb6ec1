//! Complete runs of a hand-written stack in the interpreter: seeds replay, properties are checked, failures are shrunk.

use std::rc::Rc;
use std::sync::Arc;

use nacre_simulator::chart;
use nacre_simulator::checks::Check;
use nacre_simulator::endpoint::Maker;
use nacre_simulator::interface::Interface;
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::lockstep::Lockstep;
use nacre_simulator::network::{Conditions, Item, Partition};
use nacre_simulator::run::{run, Plan, Run, Subject};
use nacre_simulator::shrink::{shrink, Budget};
use nacre_stack::{samples, BinaryOp, Expr, ExprKind, Stack, StatementKind};

fn bad() -> Conditions {
    Conditions { loss: 0.1, duplicate: 0.05, reorder: 0.05, delay: 1_000_000, jitter: 500_000, ..Conditions::default() }
}

fn plan(seed: u64) -> Plan {
    let checks = [Check::Complete, Check::Once, Check::Order, Check::Intact, Check::Unbroken, Check::Space].to_vec();
    Plan { seed, messages: 60, largest: 1000, conditions: bad(), checks, ..Plan::default() }
}

fn on(stack: &Stack, maker: &dyn Maker, plan: &Plan) -> Run {
    run(plan, &subject(stack, maker), None, false)
}

fn subject<'m>(stack: &Stack, maker: &'m dyn Maker) -> Subject<'m> {
    Subject { makers: vec![maker, maker], interface: Rc::new(Interface::of(stack)) }
}

fn interpreter(stack: &Stack) -> Interpreter {
    Interpreter::new(Arc::new(stack.clone()))
}

#[test]
fn reliable_stack_keeps_its_promises_on_a_bad_network() {
    let stack = samples::repeating();
    for seed in 0..20 {
        let run = on(&stack, &interpreter(&stack), &plan(seed));
        assert_eq!(run.failure, None, "seed {seed}");
        assert_eq!(run.delivered, [60, 60], "seed {seed}");
    }
}

#[test]
fn partitions_that_heal_are_survived() {
    let stack = samples::repeating();
    let mut plan = plan(3);
    plan.conditions.partition = Some(Partition { every: 100_000_000, lasts: 40_000_000 });
    let run = on(&stack, &interpreter(&stack), &plan);
    assert_eq!(run.failure, None);
    assert!(run.items.iter().any(|item| matches!(item, Item::Partition(_))));
}

#[test]
fn one_seed_is_one_run() {
    let stack = samples::repeating();
    let digest = |seed| on(&stack, &interpreter(&stack), &plan(seed)).digest;
    assert_eq!(digest(5), digest(5));
    assert_ne!(digest(5), digest(6));
}

#[test]
fn keeping_every_item_gives_the_same_run() {
    let stack = samples::repeating();
    let machine = interpreter(&stack);
    let whole = on(&stack, &machine, &plan(5));
    let again = run(&plan(5), &subject(&stack, &machine), Some(whole.items.iter().copied().collect()), false);
    assert_eq!(whole.digest, again.digest);
}

#[test]
fn loss_without_retransmission_is_detected() {
    let stack = samples::sequencer();
    let run = on(&stack, &interpreter(&stack), &plan(1));
    assert_eq!(run.failure.map(|failure| failure.check), Some(Check::Complete));
}

#[test]
fn stack_without_repair_keeps_what_it_promises() {
    let stack = samples::sequencer();
    for seed in 0..10 {
        let mut plan = plan(seed);
        plan.checks = vec![Check::Once, Check::Order, Check::Intact, Check::Unbroken];
        let run = on(&stack, &interpreter(&stack), &plan);
        assert_eq!(run.failure, None, "seed {seed}");
        assert!(run.delivered[0] < 60 && run.delivered[0] > 20, "{:?}", run.delivered);
    }
}

#[test]
fn one_lost_frame_is_recovered_with_two_messages() {
    let stack = samples::sequencer();
    let machine = interpreter(&stack);
    let subject = subject(&stack, &machine);
    let plan = Plan {
        seed: 1,
        messages: 30,
        largest: 100,
        conditions: Conditions { loss: 0.05, ..Conditions::default() },
        ..Plan::default()
    };
    let failed = run(&plan, &subject, None, false);
    let shrunk = shrink(&plan, &subject, &failed, Budget::default());
    assert!(shrunk.run.failure.is_some());
    assert!(shrunk.keep.len() <= 3, "{:?}", shrunk.keep);
}

/// The receiver accepts any message as the expected one.
fn without_order(mut stack: Stack) -> Stack {
    let handler = stack.handlers.iter_mut().find(|h| h.name.contains("Data")).expect("the handler of data");
    let mut found = false;
    for statement in &mut handler.body {
        let StatementKind::If { condition: Expr { kind: ExprKind::Binary(BinaryOp::Equal, left, right), .. }, .. } =
            &mut statement.kind
        else {
            continue;
        };
        *right = left.clone();
        found = true;
    }
    assert!(found, "the sample compares the number with the expected one");
    stack
}

#[test]
fn seeded_bug_is_found_and_made_small() {
    let stack = without_order(samples::repeating());
    let machine = interpreter(&stack);
    let subject = subject(&stack, &machine);
    let plan = plan(1);
    let failed = run(&plan, &subject, None, false);
    let failure = failed.failure.clone().expect("the bug shows");
    let shrunk = shrink(&plan, &subject, &failed, Budget::default());
    assert_eq!(shrunk.run.failure.as_ref().map(|f| f.check), Some(failure.check));
    assert!(shrunk.keep.len() <= 4, "{:?}", shrunk.keep);
    assert!(shrunk.keep.len() < failed.items.len());
    // The shrunk run can be replayed alone, and drawn.
    let again = run(&plan, &subject, Some(shrunk.keep.clone()), false);
    assert_eq!(again.digest, shrunk.run.digest);
    let drawn = chart::chart(&stack, &shrunk.run.trace, &[0, 1], &["a", "b"], chart::Options::default());
    assert!(drawn.contains("Data{number=") && drawn.contains("deliver("), "{drawn}");
}

#[test]
fn machines_that_differ_are_detected() {
    let (good, bad) = (samples::repeating(), without_order(samples::repeating()));
    let both = Lockstep { makers: vec![Box::new(interpreter(&good)), Box::new(interpreter(&bad))] };
    let failure = on(&good, &both, &plan(1)).failure.expect("they differ");
    assert_eq!(failure.check, Check::Unbroken);
    assert!(failure.text.contains("differ"), "{}", failure.text);
}

#[test]
fn machines_that_are_equal_run_as_one() {
    let stack = samples::repeating();
    let both = Lockstep { makers: vec![Box::new(interpreter(&stack)), Box::new(interpreter(&stack))] };
    let run = on(&stack, &both, &plan(2));
    assert_eq!((run.failure, run.digest), (None, on(&stack, &interpreter(&stack), &plan(2)).digest));
}

#[test]
fn any_order_of_events_keeps_the_promises() {
    let stack = samples::repeating();
    let machine = Interpreter { any_order: true, ..interpreter(&stack) };
    assert_eq!(on(&stack, &machine, &plan(4)).failure, None);
}

#[test]
fn stack_without_send_has_a_run_without_messages() {
    let stack = samples::repeating();
    let mut interface = Interface::of(&stack);
    let send = interface.input(None, "send").expect("the sample has one");
    interface.events[usize::from(send)].name = "offer".into();
    let machine = interpreter(&stack);
    let subject = Subject { makers: vec![&machine, &machine], interface: Rc::new(interface) };
    let checked = run(&plan(1), &subject, None, false);
    assert_eq!(checked.failure.expect("nothing arrives").check, Check::Complete);
    // Nothing is promised of its messages.
    let other = Plan { checks: vec![Check::Unbroken], ..plan(1) };
    let other = run(&other, &subject, None, false);
    assert_eq!((other.failure, other.delivered), (None, vec![0, 0]));
}
