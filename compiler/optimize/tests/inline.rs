//! Tests of the pass `inline`.

use nacre_optimize::{calls, inline};
use nacre_stack::visit::{rewrite_stack, ChangeStatements, Node, Traverse};
use nacre_stack::*;

fn marked(mut stack: Stack) -> Stack {
    calls::decide(&mut stack);
    inline::mark(&mut stack);
    stack
}

/// The emissions that are inlined, and those that are not.
fn emissions(stack: &Stack) -> [usize; 2] {
    let mut counts = [0, 0];
    for handler in &stack.handlers {
        handler.body.each(|node| {
            if let Node::Statement(Statement { kind: StatementKind::Emit(_), in_place, .. }) = node {
                counts[usize::from(!in_place)] += 1;
            }
        });
    }
    counts
}

/// The stack with each emission as the only statement of a block of its own.
fn with_emissions_in(stack: &Stack, around: impl Fn(Block) -> StatementKind) -> Stack {
    let mut stack = stack.clone();
    // The rewriter continues inside of the replacement: each emission is wrapped once.
    let mut wrapped = std::collections::HashSet::new();
    number(&mut stack);
    let wrap = |statement: &mut Statement| {
        if matches!(statement.kind, StatementKind::Emit(_)) && wrapped.insert(statement.id) {
            let emission = std::mem::replace(statement, StatementKind::Break.into());
            *statement = around(vec![emission]).at(statement.span);
        }
    };
    rewrite_stack(&mut ChangeStatements(wrap), &mut stack);
    stack
}

fn likely(likely: Option<bool>) -> impl Fn(Block) -> StatementKind {
    let condition = Expr::new(ExprKind::Const(1), Type::Bool, Span::default());
    move |then| StatementKind::If { condition: condition.clone(), likely, then, otherwise: vec![] }
}

#[test]
fn marks_are_valid_and_part_of_the_text() {
    for stack in samples::all() {
        let stack = marked(stack);
        assert!(emissions(&stack)[0] > 0, "{}: nothing is in place", stack.name);
        assert_eq!(validate(&stack), Ok(()), "{}", stack.name);
        let again = read(&print(&stack)).unwrap_or_else(|error| panic!("{}: {error}", stack.name));
        assert_eq!(print(&again), print(&stack), "{}", stack.name);
        assert_eq!(emissions(&again), emissions(&stack), "{}", stack.name);
    }
}

#[test]
fn marks_do_not_depend_on_marks() {
    for stack in samples::all() {
        let once = marked(stack);
        assert_eq!(marked(once.clone()), once, "{}", once.name);
    }
}

#[test]
fn unlikely_branches_are_outlined() {
    for stack in samples::all() {
        let in_place = emissions(&marked(stack.clone()))[0];
        let same = marked(with_emissions_in(&stack, likely(None)));
        assert_eq!(emissions(&same)[0], in_place, "{}", stack.name);
        let unlikely = marked(with_emissions_in(&stack, likely(Some(false))));
        assert_eq!(emissions(&unlikely)[0], 0, "{}", stack.name);
    }
}

#[test]
fn outputs_in_loops_and_queued_events_are_not_inlined() {
    for stack in samples::all() {
        let looped = marked(with_emissions_in(&stack, |body| StatementKind::Loop { bound: 2, body }));
        for handler in &looped.handlers {
            handler.body.each(|node| {
                let Node::Statement(Statement { kind: StatementKind::Emit(emit), in_place: true, .. }) = node else {
                    return;
                };
                assert!(emit.call, "{}: {emit:?}", stack.name);
            });
        }
        let mut queued = stack.clone();
        inline::mark(&mut queued);
        let outputs = |node: &Node| match node {
            Node::Statement(Statement { kind: StatementKind::Emit(emit), in_place: true, .. }) => {
                matches!(queued.target(emit), Target::Layer(_))
            }
            _ => false,
        };
        assert!(!queued.handlers.iter().any(|h| h.body.any(|node| outputs(&node))), "{}", stack.name);
    }
}
