//! A right stack holds, after a search that provably looked; each broken one is found by a shortest run that replays.

use std::sync::Arc;

use nacre_checker::search::{replay, search, Verdict};
use nacre_checker::world::{Action, Bounds, Observer};
use nacre_stack::{samples, Expr, ExprKind, Stack, Statement};

const BOUNDS: Bounds = Bounds { messages: [2, 0], size: 1, flight: 2, losses: 1, duplications: 1, fifo: false };

/// Finds a shortest violation, sees that it replays on the broken stack and not on the right one.
fn found(right: Stack, broken: Stack, observer: Observer) -> (Vec<Action>, String) {
    let (right, broken) = (Arc::new(right), Arc::new(broken));
    let Verdict::Violated { run, why } = search(&broken, &BOUNDS, observer, 1_000_000).unwrap().verdict else {
        panic!("nothing was found")
    };
    assert_eq!(replay(&broken, &BOUNDS, observer, &run), Ok(Some(why.clone())));
    assert!(!matches!(replay(&right, &BOUNDS, observer, &run), Ok(Some(_))), "the right stack breaks too");
    (run, why)
}

#[test]
fn go_back_n_holds() {
    let searched = search(&Arc::new(samples::go_back_n()), &BOUNDS, Observer::Reliable, 1_000_000).unwrap();
    assert_eq!((searched.verdict, searched.states, searched.depth), (Verdict::Holds, 849, 13));
}

#[test]
fn a_search_that_meets_its_limit_does_not_say_holds() {
    let searched = search(&Arc::new(samples::go_back_n()), &BOUNDS, Observer::Reliable, 10).unwrap();
    assert_eq!((searched.verdict, searched.states), (Verdict::NotFound, 10));
}

#[test]
fn a_timer_that_is_not_armed_again_is_found() {
    let mut broken = samples::go_back_n();
    let mut left_out = 0;
    for handler in &mut broken.handlers {
        let before = handler.body.len();
        if matches!(handler.body.first(), Some(Statement::Each { .. })) {
            handler.body.retain(|s| !matches!(s, Statement::Arm { .. }));
        }
        left_out += before - handler.body.len();
    }
    assert_eq!(left_out, 1);
    let (run, why) = found(samples::go_back_n(), broken, Observer::Reliable);
    // The network is full when the timer fires, one frame is lost and the other comes too early.
    let (sends, timer) = (Action::Send(0), Action::Timer(0, 0));
    assert_eq!(run, [sends, sends, timer, Action::Lose(1, 0), Action::Deliver(1, 0), Action::Deliver(0, 0)]);
    assert_eq!(why, "messages are outstanding, and nothing can happen any more");
}

#[test]
fn numbers_that_are_not_compared_are_found() {
    let mut broken = samples::go_back_n();
    let mut changed = 0;
    for handler in &mut broken.handlers {
        for statement in &mut handler.body {
            if let Statement::If { condition, otherwise, .. } = statement {
                if otherwise.len() == 1 {
                    let ty = condition.ty.clone();
                    *condition = Expr { kind: ExprKind::Const(1), ty };
                    changed += 1;
                }
            }
        }
    }
    assert_eq!(changed, 1);
    let (run, why) = found(samples::go_back_n(), broken, Observer::Reliable);
    assert_eq!(run.len(), 3, "{run:?}");
    assert_eq!(why, "message 1 came out before message 0");
}

#[test]
fn a_stack_that_repairs_nothing_is_not_reliable() {
    let stack = samples::sequencer();
    let bounds = Bounds { messages: [1, 0], ..BOUNDS };
    let verdict = search(&Arc::new(stack.clone()), &bounds, Observer::Reliable, 100_000).unwrap().verdict;
    let Verdict::Violated { run, .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!(run, [Action::Send(0), Action::Lose(1, 0)]);
    let kept = search(&Arc::new(stack), &bounds, Observer::Ordered, 100_000).unwrap();
    assert_eq!(kept.verdict, Verdict::Holds);
}

#[test]
fn messages_that_cannot_be_told_apart_are_refused() {
    let stack = Arc::new(samples::go_back_n());
    for bounds in [Bounds { size: 0, ..BOUNDS }, Bounds { messages: [127, 0], ..BOUNDS }] {
        assert!(search(&stack, &bounds, Observer::Reliable, 10).is_err());
    }
}
