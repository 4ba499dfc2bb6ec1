//! Seeded errors in the use of messages: each must be reported by a problem that names it.

use nacre_analysis::linear;
use nacre_stack::samples::{self, build::*};
use nacre_stack::*;

#[test]
fn samples_use_messages_once() {
    for stack in samples::all() {
        assert_eq!(linear::check(&stack), [], "{}", stack.name);
    }
}

/// The stack must be rejected with a message that contains the text.
fn refused(words: &str, mut stack: Stack, breaks: impl FnOnce(&mut Stack)) {
    breaks(&mut stack);
    let texts: Vec<String> = linear::check(&stack).iter().map(|p| p.to_string()).collect();
    assert!(texts.iter().any(|t| t.contains(words)), "{words}: {texts:#?}");
}

fn handler<'s>(stack: &'s mut Stack, name: &str) -> &'s mut Handler {
    stack.handlers.iter_mut().find(|h| h.name == name).expect(name)
}

fn local(handler: &Handler, name: &str) -> Expr {
    let at = handler.locals.iter().position(|l| l.name == name).expect(name);
    Expr::new(ExprKind::Local(LocalId(at as u32)), handler.locals[at].ty.clone(), Span::default())
}

#[test]
fn messages_that_are_lost_or_used_twice() {
    let gbn = samples::repeating;
    let deliver = "repeating.up.receive.Data";
    refused("`m` is lost", gbn(), |s| {
        handler(s, "repeating.up.receive.Ack").body.retain(|s| !matches!(&s.kind, StatementKind::Drop(_)))
    });
    refused("`m` is used after", gbn(), |s| {
        let handler = handler(s, deliver);
        let m = local(handler, "m");
        handler.body.push(release(&m));
    });
    refused("consumed on one path", gbn(), |s| {
        let StatementKind::If { otherwise, .. } = &mut handler(s, deliver).body[1].kind else { panic!("an if") };
        otherwise.clear();
    });
    refused("`back` is lost", gbn(), |s| {
        let StatementKind::If { then, .. } = &mut handler(s, "repeating.down.send").body[1].kind else {
            panic!("an if")
        };
        then.remove(0);
    });
    refused("`m` is used after", gbn(), |s| {
        let handler = handler(s, "repeating.down.send");
        let m = local(handler, "m");
        handler.body.insert(0, when(num(1, Type::Bool), vec![release(&m)], vec![release(&m)]));
    });
    refused("is set while it holds a message", gbn(), |s| {
        let handler = handler(s, deliver);
        let m = local(handler, "m");
        handler.body.insert(0, set(&m, empty()));
    });
    refused("consumed on one path", gbn(), |s| {
        let handler = handler(s, deliver);
        let m = local(handler, "m");
        handler.body.insert(0, StatementKind::Loop { bound: 3, body: vec![release(&m)] }.into());
    });
    refused("`raw` is used after", samples::sealed(), |s| {
        let handler = handler(s, "sealed.down.send");
        handler.body.swap(2, 3);
    });
}

/// The state after an iteration is the initial state of the next one, and `break` leaves with the state at its place.
#[test]
fn messages_in_loops() {
    let deliver = "repeating.up.receive.Data";
    let looped = |body: fn(&Expr) -> Block| {
        move |s: &mut Stack| {
            let handler = handler(s, deliver);
            let m = local(handler, "m");
            handler.body = vec![StatementKind::Loop { bound: 3, body: body(&m) }.into()];
        }
    };
    refused("`m` is lost", samples::repeating(), looped(|_| vec![StatementKind::Break.into()]));
    refused("`m` is lost", samples::repeating(), looped(|_| vec![]));
    refused("one path", samples::repeating(), looped(|m| vec![release(m), StatementKind::Break.into()]));
    refused("used after", samples::repeating(), |s| {
        looped(|m| vec![release(m), set(m, empty()), release(m)])(s);
        let handler = handler(s, deliver);
        let m = local(handler, "m");
        handler.body.insert(0, release(&m));
        handler.body.insert(1, release(&m));
    });
    let mut stack = samples::repeating();
    looped(|m| vec![release(m), set(m, empty())])(&mut stack);
    let handler = handler(&mut stack, deliver);
    let m = local(handler, "m");
    handler.body.push(release(&m));
    assert_eq!(linear::check(&stack), []);
}
