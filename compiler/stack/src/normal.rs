//! The normal form: a stack without constructs that only some engines support.
//!
//! The interpreter runs every stack as it is. The passes and the C back end work on the normal form, in which
//! - no layer has several sessions ([`sessions`]): its cells are arrays, indexed by the session that an event names;
//! - nothing is derived ([`derived`]): reads of a derived cell are its expression;
//! - no guard tests for a link ([`guards`]): a layer that distinguishes its neighbours has an event for each;
//! - nothing turns at a port ([`turns`]): the sender emits the returning event itself.
//!
//! A row of layers, which is all that the language can say so far, is in normal form already and stays as it is.
//! Tests run stacks in the interpreter and their normal form in C, and compare.

mod derived;
mod guards;
mod sessions;
mod turns;

use std::borrow::Cow;

use crate::{number, Direction, LayerId, Link, Port, Scope, Stack, Target};

/// Brings a stack into its normal form; its ports and their events keep their numbers.
pub fn normalize(stack: &mut Stack) {
    if is_normal(stack) {
        return;
    }
    derived::rewrite(stack);
    sessions::rewrite(stack);
    turns::rewrite(stack);
    guards::rewrite(stack);
    number(stack);
}

/// The normal form of a stack.
pub fn normal(stack: &Stack) -> Cow<'_, Stack> {
    if is_normal(stack) {
        return Cow::Borrowed(stack);
    }
    let mut own = stack.clone();
    normalize(&mut own);
    Cow::Owned(own)
}

/// Whether a stack is in normal form.
pub fn is_normal(stack: &Stack) -> bool {
    let arms = stack.layers.iter().flat_map(|l| &l.reactions).flat_map(|r| &r.arms);
    stack.layers.iter().all(|l| l.sessions == 1)
        && stack.cells.iter().all(|c| c.scope != Scope::Derived)
        && stack.ports.iter().all(|p| p.turns.is_empty())
        && arms.into_iter().all(|a| a.guard.link.is_none())
}

/// What a stack has that no row of layers between a lower and an upper port has; engines that run rows only refuse it.
pub fn beyond_rows(stack: &Stack) -> Vec<&'static str> {
    let lower = stack.ports.iter().filter(|p| p.frames.is_some()).count();
    let forks = |direction: Direction| {
        (0..stack.layers.len() as u32).map(|layer| Target::Layer(LayerId(layer))).any(|layer| {
            let inner =
                |link: &&Link| link.begin(direction) == layer && matches!(link.end(direction), Target::Layer(_));
            stack.links.iter().filter(inner).count() > 1
        })
    };
    let arms = stack.layers.iter().flat_map(|l| &l.reactions).flat_map(|r| &r.arms);
    let found = [
        (lower > 1, SEVERAL_LOWER_PORTS),
        (forks(Direction::Down) || forks(Direction::Up), "a layer with several neighbours on one side"),
        (arms.into_iter().any(|a| a.guard.link.is_some()), "a guard that asks for a link"),
        (stack.ports.iter().any(|p| !p.turns.is_empty()), "events that turn at a port"),
        (has_sessions(stack), SESSIONS),
        (!stack.contexts.is_empty(), CONTEXTS),
        (stack.cells.iter().any(|cell| cell.scope == Scope::Derived), DERIVED),
    ];
    those(&found)
}

/// What a stack has that a world of two endpoints over one network does not model, whatever engine searches it: a
/// verdict would be silent about it, so none is given. (Events at the lower port without a message are modelled: the
/// network's automaton says which of them come, and when. State that outlives a view is modelled for one view.)
pub fn beyond_worlds(stack: &Stack) -> Vec<&'static str> {
    let lower: Vec<&Port> = stack.ports.iter().filter(|p| p.frames.is_some()).collect();
    those(&[
        (lower.len() > 1, SEVERAL_LOWER_PORTS),
        (has_sessions(stack), SESSIONS),
        (!stack.contexts.is_empty(), CONTEXTS),
    ])
}

const SEVERAL_LOWER_PORTS: &str = "several lower ports";
const SESSIONS: &str = "several sessions";
const CONTEXTS: &str = "contexts";
const DERIVED: &str = "derived data";

fn has_sessions(stack: &Stack) -> bool {
    stack.layers.iter().any(|l| l.sessions > 1) || stack.events.iter().any(|event| event.session.is_some())
}

fn those(found: &[(bool, &'static str)]) -> Vec<&'static str> {
    found.iter().filter(|(has, _)| *has).map(|(_, what)| *what).collect()
}
