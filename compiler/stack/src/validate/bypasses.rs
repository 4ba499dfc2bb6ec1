//! Bypasses: their code is straight, and emits only to ports and `later`.

use super::code::{Check, Kind};
use super::problems::Problems;
use crate::visit::Traverse;
use crate::*;

/// Checks all bypasses.
pub fn check(stack: &Stack, problems: &mut Problems) {
    for (bypass, number) in stack.bypasses.iter().zip(0..) {
        problems.at(format!("bypass {number}"));
        entry(stack, problems, bypass);
        let mut check = Check::new(stack, problems, &bypass.locals, None, Kind::Pure);
        check.typed(&bypass.condition, &Type::Bool, "a condition");
        Check::new(stack, problems, &bypass.locals, None, Kind::Code).block(&bypass.body);
        straight(stack, problems, bypass);
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

fn straight(stack: &Stack, problems: &mut Problems, bypass: &Bypass) {
    bypass.body.each_statement(|statement| {
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
