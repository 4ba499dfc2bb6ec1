//! The explorer on hand-written stacks: a correct one holds after a complete search, on one thread and on several; each
//! incorrect one is found by a shortest run.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use nacre_checker::explore::{explore, Options, Searched, Verdict};
use nacre_checker::run::{self, What};
use nacre_checker::space::Space;
use nacre_specification::samples::{fifo_network, lossy_datagrams};
use nacre_stack::{samples, Expr, ExprKind, Stack, StatementKind};
use nacre_worlds::setup::{Bounds, Setup};

fn setup(stack: Stack, messages: [u8; 2], losses: u8, doubles: u8) -> Setup {
    let limits = vec![("loss".into(), losses), ("double".into(), doubles)];
    let bounds = Bounds { calls: vec![("send".into(), messages.into())], limits, ..Bounds::default() };
    Setup::new(Arc::new(stack), lossy_datagrams(2), vec![fifo_network()], bounds)
}

fn searched(setup: &Setup, threads: usize, states: usize) -> Searched {
    let (space, first) = Space::open(setup).unwrap();
    let stop = AtomicBool::new(false);
    let options = Options { threads, states, memory: 1 << 32, bits: None, goals: true, stop: &stop, progress: &|_| {} };
    explore(&space, &first, &options)
}

#[test]
fn repeating_holds_on_any_number_of_threads() {
    for (messages, losses, states) in [([2, 0], 1, 386), ([1, 1], 1, 857), ([3, 0], 2, 2532)] {
        let setup = setup(samples::repeating(), messages, losses, 0);
        let (one, three) = (searched(&setup, 1, 10_000_000), searched(&setup, 3, 10_000_000));
        assert_eq!((one.verdict.clone(), one.progress.states), (Verdict::Complete, states));
        assert_eq!((&one.verdict, one.progress.states), (&three.verdict, three.progress.states));
        assert_eq!(one.progress.depth, three.progress.depth);
    }
}

#[test]
fn bounded_search_does_not_report_holds() {
    let searched = searched(&setup(samples::repeating(), [2, 0], 1, 0), 1, 10);
    assert!(matches!(searched.verdict, Verdict::Incomplete(_)), "{searched:?}");
}

#[test]
fn a_stack_that_no_world_models_is_refused() {
    let why = |stack: Stack| match Space::open(&setup(stack, [1, 1], 1, 0)) {
        Ok(_) => panic!("a world was made"),
        Err(why) => why,
    };
    let router = "`router` has several lower ports, which worlds do not support";
    assert_eq!(why(samples::router()), router);
}

#[test]
fn stacks_of_the_endpoints_differ_in_numbers_alone() {
    let of = |other: Stack| {
        let same = setup(samples::repeating(), [1, 1], 1, 0);
        let stacks = vec![Arc::new(samples::repeating()), Arc::new(other)];
        Space::open(&Setup::of_members(stacks, same.below, same.above, same.bounds)).map(|_| ())
    };
    assert_eq!(of(samples::repeating()), Ok(()));
    let words = "the parameters of the endpoints make stacks that differ in more than numbers";
    assert_eq!(of(samples::sequencer()), Err(words.to_string()));
}

/// The shortest run to the violation, as text.
fn found(setup: &Setup) -> run::Run {
    let (space, first) = Space::open(setup).unwrap();
    match searched(setup, 1, 1_000_000).verdict {
        Verdict::Violated { run: path, why, .. } => {
            let run = run::describe(setup, &space, &first, &path, &why);
            if !why.contains("cannot be met any more") {
                assert_eq!(run::follow(setup, &space, &first, &run), Ok(Some(why)));
            }
            run
        }
        other => panic!("nothing was found: {other:?}"),
    }
}

#[test]
fn a_timer_that_is_not_armed_again_is_found() {
    let mut broken = samples::repeating();
    let mut left_out = 0;
    for handler in &mut broken.handlers {
        let before = handler.body.len();
        if matches!(handler.body.first().map(|s| &s.kind), Some(StatementKind::Each { .. })) {
            handler.body.retain(|s| !matches!(&s.kind, StatementKind::Arm { .. }));
        }
        left_out += before - handler.body.len();
    }
    assert_eq!(left_out, 1);
    let run = found(&setup(broken, [2, 0], 1, 0));
    assert!(run.why.contains("all_arrive"), "{}", run.why);
    assert!(run.steps.iter().any(|s| matches!(s.what, What::Timer { .. })));
}

#[test]
fn numbers_that_are_not_compared_are_found() {
    let mut broken = samples::repeating();
    let mut changed = 0;
    for handler in &mut broken.handlers {
        for statement in &mut handler.body {
            if let StatementKind::If { condition, otherwise, .. } = &mut statement.kind {
                if otherwise.len() == 1 {
                    let ty = condition.ty.clone();
                    *condition = Expr::new(ExprKind::Const(1), ty, condition.span);
                    changed += 1;
                }
            }
        }
    }
    assert_eq!(changed, 1);
    let run = found(&setup(broken, [2, 0], 1, 1));
    assert_eq!((run.steps.len(), run.why.as_str()), (3, "`deliver` at b is not allowed by `fifo_network` here"));
}

#[test]
fn a_stack_that_repairs_nothing_is_not_reliable() {
    let run = found(&setup(samples::sequencer(), [1, 0], 1, 0));
    assert!(run.steps.len() == 2 && run.why.contains("cannot be met any more"), "{run:?}");
}

#[test]
fn indistinguishable_messages_are_refused() {
    for (sizes, sends) in [(vec![0], 2), (vec![9], 1), (vec![1], 127), (vec![3], 31), (vec![8], 15)] {
        let mut setup = setup(samples::repeating(), [sends, 0], 1, 0);
        setup.bounds.sizes = sizes;
        assert!(Space::open(&setup).is_err());
        setup.bounds.calls[0].1[0] -= 1;
        assert_eq!(Space::open(&setup).is_ok(), setup.bounds.sizes[0] < 9);
    }
}
