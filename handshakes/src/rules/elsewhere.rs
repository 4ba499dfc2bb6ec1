//! Frames of a connection that come from another address than the peer's.

use super::saying::say;
use crate::flaw::Flaw;
use crate::frame::Said;
use crate::step::{Event, Step};
use crate::term::Kind;
use crate::world::Address;

/// Whether a frame comes from another address than the peer's.
pub fn is_elsewhere(step: &Step<'_>, at: usize, from: Address) -> bool {
    step.world.moves && step.session(at).address != from
}

/// Asks whether the peer is at another address.
pub fn ask_elsewhere(step: &mut Step<'_>, at: usize, from: Address) {
    if step.world.has(Flaw::MoveUnvalidated) {
        step.change(at).address = from;
        return step.events.push(Event::Moved { at, to: from, token: None });
    }
    let pings = step.session(at).link.as_ref().map_or(0, |link| link.pings);
    let token = step.fresh(Kind::Token, at, pings);
    let limit = step.world.limits.pings;
    let Some(link) = step.change(at).link.as_mut().filter(|link| link.asked.is_none() && link.pings < limit) else {
        return;
    };
    (link.asked, link.pings) = (Some((from, token)), pings + 1);
    step.rule("ask elsewhere");
    say(step, at, Said::Ping(token));
}
