//! Bypasses: their code is straight, and emits only to ports and `later`.

use super::code::{Check, Kind};
use super::problems::Problems;
use crate::visit::{Node, Traverse};
use crate::*;

/// Checks all bypasses.
pub fn check(stack: &Stack, problems: &mut Problems) {
    for (bypass, number) in stack.bypasses.iter().zip(0..) {
        problems.at(format!("bypass {number}"));
        entry(stack, problems, bypass);
        let mut check = Check::new(stack, problems, &bypass.locals, None, Kind::Pure);
        check.typed(&bypass.condition, &Type::Bool, "a condition");
        let (opening, rest) = match bypass.opening() {
            Some(opening) => (opening.code, opening.rest),
            None => (&[][..], &bypass.body[..]),
        };
        let mut check = Check::new(stack, problems, &bypass.locals, None, Kind::Code);
        check.block(opening);
        bypass.opening().iter().for_each(|opening| check.typed(opening.condition, &Type::Bool, "a condition"));
        check.block(rest);
        straight(stack, problems, opening);
        straight(stack, problems, rest);
        let (before, behind) = (bypass.condition.any(unknown(stack, bypass)), bypass.body.any(unknown(stack, bypass)));
        problems.unless(!before && !behind, || "a header that no message there carries".into());
        let pure = opening.iter().all(|statement| statement.is_pure(stack));
        problems.unless(pure, || "an opening with effects".into());
    }
}

/// The entry exists, and each of its values goes into a local of its type.
fn entry(stack: &Stack, problems: &mut Problems, bypass: &Bypass) {
    // A timer has none: it enters without an event.
    problems.unless(bypass.entry.event(stack).is_some(), || format!("no entry {:?}", bypass.entry));
    problems.unless(bypass.homes.len() == bypass.locals.len(), || "a local without a home".into());
    let event = bypass.entry.event(stack).map(|event| stack.event(event));
    let wanted: Vec<&Type> = event.iter().flat_map(|event| &event.parameters).map(|p| &p.ty).collect();
    values(problems, bypass, &bypass.parameters, &wanted);
    let headers = bypass.entry.headers(stack);
    problems.unless(headers.len() == bypass.fields.len(), || "other headers than those of the frame".into());
    for (header, fields) in headers.iter().zip(&bypass.fields) {
        let wanted: Vec<&Type> = stack.header(*header).fields.iter().map(|field| &field.ty).collect();
        values(problems, bypass, fields, &wanted);
    }
}

fn values(problems: &mut Problems, bypass: &Bypass, locals: &[LocalId], wanted: &[&Type]) {
    let have: Vec<Option<&Type>> = locals.iter().map(|id| bypass.locals.get(id.index()).map(|l| &l.ty)).collect();
    let want: Vec<Option<&Type>> = wanted.iter().map(|ty| Some(*ty)).collect();
    problems.unless(have == want, || format!("{have:?} are given {want:?}"));
}

/// Whether something asks a message for a header that is not of a layer above it.
fn unknown<'s>(stack: &'s Stack, bypass: &'s Bypass) -> impl Fn(Node) -> bool + 's {
    move |node| {
        let Node::Expr(Expr { kind: ExprKind::Head(message, Head::Is(header) | Head::Field(header, _)), .. }) = node
        else {
            return false;
        };
        let mut homes = vec![];
        message.each(|node| homes.push(node.local().and_then(|local| bypass.homes.get(local.index()))));
        let layer = stack.headers.get(header.index()).map(|declared| declared.layer);
        !homes.into_iter().flatten().any(|home| matches!(home, Target::Layer(home) if Some(*home) < layer))
    }
}

fn straight(stack: &Stack, problems: &mut Problems, code: &[Statement]) {
    code.each_statement(|statement| {
        let simple = matches!(statement.control(), Control::Next);
        problems.unless(simple, || "a branch, a loop or an end".into());
        match statement.reaches() {
            Reaches::Nothing => {}
            Reaches::Function(_) => problems.add("a call of a function"),
            Reaches::Event(emit) => {
                let leaves =
                    matches!(stack.target(emit), Target::Port(_)) && stack.turn(emit.link, emit.event).is_none();
                problems.unless(leaves || emit.later, || "an event for a layer".into());
            }
        }
    });
}
