//! Sessions: each event that reaches a layer with several sessions names one, by a type without other numbers.

use super::problems::Problems;
use crate::visit::{Node, Traverse};
use crate::*;

/// Checks events, layers, handlers and admissions.
pub fn check(stack: &Stack, p: &mut Problems) {
    for event in &stack.events {
        p.at(format!("event {}", event.name));
        let Some(at) = event.session else { continue };
        let ty = event.parameters.get(at as usize).map(|parameter| &parameter.ty);
        let fits = matches!(ty, Some(Type::Range(0, high)) if (1..=u64::from(MOST_SESSIONS)).contains(high));
        p.unless(fits, || format!("its session is no number below {MOST_SESSIONS} or less"));
    }
    for layer in &stack.layers {
        p.at(format!("layer {}", layer.name));
        let some = (1..=MOST_SESSIONS).contains(&layer.sessions);
        p.unless(some, || format!("it has {} sessions; from 1 to {MOST_SESSIONS} are possible", layer.sessions));
    }
    for handler in &stack.handlers {
        p.at(&handler.name);
        self::handler(stack, handler, p);
    }
    for (event, admission) in stack.admissions() {
        p.at(format!("layer {}, `accepts`", stack.layer(admission.layer).name));
        let own = stack.layer(admission.layer).sessions;
        let named = own == 1 || stack.sessions_of(event) == own;
        p.unless(named, || "the event names no session of the layer".into());
    }
}

fn handler(stack: &Stack, handler: &Handler, p: &mut Problems) {
    let sessions = stack.layer(handler.layer).sessions;
    if sessions == 1 {
        return;
    }
    let Some(local) = stack.session_local(handler) else {
        return p.add("nothing says in which session of its layer it runs");
    };
    let ty = &handler.locals[local.index()].ty;
    p.unless(*ty == Type::Range(0, sessions.into()), || format!("{ty:?} names no session of its layer"));
    let set = handler.body.any(|node| match node {
        Node::Set(set) => set == local,
        Node::Place(place) => place.root == Root::Local(local),
        Node::Statement(_) | Node::Expr(_) => false,
    });
    p.unless(!set, || "it changes the number of its session".into());
}
