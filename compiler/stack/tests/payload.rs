//! Every way to read payload is recognized.

use nacre_stack::samples::{self, build::*};
use nacre_stack::visit::*;
use nacre_stack::*;

/// A layer that reads no payload, with one more statement.
fn with(statement: StatementKind) -> Stack {
    let mut stack = samples::sequencer();
    assert_eq!(payload::readers(&stack), [], "the sample must read no payload by itself");
    stack.handlers[0].body.push(statement.into());
    stack
}

fn looks() -> Expr {
    let view = Expr::new(ExprKind::View(Box::new(num(0, Type::Msg))), Type::View, Span::default());
    Expr::new(ExprKind::Through(FilterId(0), Box::new(view)), Type::UInt(8), Span::default())
}

/// A read of payload is found in every expression and every place of the statements of the samples.
#[test]
fn reads_of_payload_are_found_at_every_place() {
    let place = Place { root: Root::Local(LocalId(0)), path: vec![Step::Index(looks())], ty: Type::Bool };
    let load = Expr::new(ExprKind::Load(Box::new(place.clone())), Type::Bool, Span::default());
    for statement in [
        StatementKind::Cancel(place.clone()),
        StatementKind::Take { into: LocalId(0), place: place.clone() },
        StatementKind::If { condition: load, likely: None, then: vec![], otherwise: vec![] },
        StatementKind::Arm { timer: place, delay: num(1, Type::Duration), unless_armed: false },
        StatementKind::Yield(looks()),
        StatementKind::Unpack { into: LocalId(0), layout: LayoutId(0), message: num(0, Type::Msg) },
        StatementKind::Random { into: LocalId(0), below: looks() },
        StatementKind::Loop { bound: 1, body: vec![StatementKind::Drop(looks()).into()] },
    ] {
        assert_eq!(payload::readers(&with(statement.clone())).len(), 1, "{statement:?}");
    }
    let mut expressions = 0;
    samples::sequencer().each(|node| expressions += matches!(node, Node::Expr(_)) as usize);
    let mut found = 0;
    for at in 0..expressions {
        let (mut stack, mut index) = (samples::sequencer(), 0);
        let replace = |e: &mut Expr| {
            if index == at {
                *e = looks();
            }
            index += 1;
        };
        rewrite_stack(&mut ChangeExprs(replace), &mut stack);
        let inside = |b: &Block| b.any_expr(|e| matches!(e.kind, ExprKind::Through(..)));
        let code = stack.handlers.iter().map(|h| &h.body).chain(stack.functions.iter().map(|f| &f.body));
        let conditions = stack.layers.iter().flat_map(|l| l.invariants.iter().chain(l.goals.iter().map(|g| &g.holds)));
        let is_read = |e: &Expr| e.any_expr(|e| matches!(e.kind, ExprKind::Through(..)));
        let expected = code.into_iter().any(inside) || conditions.into_iter().any(is_read);
        assert_eq!(payload::readers(&stack).len(), expected as usize);
        found += expected as usize;
    }
    assert!(found > 20, "{found}");
}

#[test]
fn conditions_of_a_layer_can_look_at_payload() {
    let mut stack = samples::sequencer();
    stack.layers[0].invariants.push(looks());
    assert_eq!(payload::readers(&stack).len(), 1);
    let mut stack = samples::sequencer();
    stack.layers[0].goals.push(Goal { name: "goal".into(), holds: looks() });
    assert_eq!(payload::readers(&stack).len(), 1);
}
