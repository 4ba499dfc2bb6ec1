//! Control frames of open connections: sealed, numbered, and read once.

use super::elsewhere::{ask_elsewhere, is_elsewhere};
use super::initiating::doubt;
use super::opening::{is_being_replaced, newer_is_alive};
use super::saying::say;
use crate::derive::head;
use crate::flaw::Flaw;
use crate::frame::Said;
use crate::state::{End, Phase};
use crate::step::{Event, Step};
use crate::term::{Node, Term};
use crate::world::Address;

/// A sealed control frame arrives.
pub fn sealed(step: &mut Step<'_>, at: usize, from: Address, body: Term) {
    let world = step.world;
    let session = step.change(at);
    let (own, Some(link)) = (session.own, session.link.as_mut()) else { return };
    let Node::Sealed(key, number, also, text) = body.node() else { return };
    let is_new = link.heard & 1 << number == 0 || world.has(Flaw::ControlReplayed);
    if key != link.control[1] || also != head(world, "sealed", own) || !is_new || session.phase != Phase::Open {
        return;
    }
    let Some(said) = read(text) else { return };
    link.heard |= 1 << number;
    link.obeyed.push(said);
    step.events.push(Event::Obeyed(at, said));
    let is_answer = matches!(said, Said::Pong(token) if moved(step, at, from, token));
    if !is_answer && is_elsewhere(step, at, from) {
        ask_elsewhere(step, at, from);
    }
    obey(step, at, said);
}

fn read(text: Term) -> Option<Said> {
    match text.node() {
        Node::List(parts) if parts.len() == 2 => match parts[0].node() {
            Node::Word("ping") => Some(Said::Ping(parts[1])),
            Node::Word("pong") => Some(Said::Pong(parts[1])),
            _ => None,
        },
        _ => [Said::Refused, Said::Over, Said::Confirmed].into_iter().find(|said| said.term() == text),
    }
}

fn obey(step: &mut Step<'_>, at: usize, said: Said) {
    match said {
        Said::Ping(_) if is_being_replaced(step, at) => step.rule("no pong"),
        Said::Ping(token) => {
            step.rule("pong");
            say(step, at, Said::Pong(token));
        }
        Said::Pong(token) => {
            step.rule("pong heard");
            newer_is_alive(step, at, token);
        }
        Said::Confirmed => step.rule("confirmed"),
        Said::Over => {
            step.rule("over heard");
            step.end(at, End::PeerOver);
        }
        Said::Refused => {
            step.rule("refused heard");
            step.end(at, End::PeerRefused);
        }
        Said::Unknown => {}
    }
}

/// Moves a connection with the answer from the address that was asked.
fn moved(step: &mut Step<'_>, at: usize, from: Address, token: Term) -> bool {
    let session = step.change(at);
    let Some(link) = session.link.as_mut() else { return false };
    if link.asked.take_if(|asked| *asked == (from, token)).is_none() {
        return false;
    }
    session.address = from;
    step.rule("move");
    step.events.push(Event::Moved { at, to: from, token: Some(token) });
    true
}

/// A control frame that anybody can have made arrives.
pub fn clear(step: &mut Step<'_>, at: usize, from: Address, said: Said) {
    let (world, phase) = (step.world, step.session(at).phase);
    if phase == Phase::Waiting && said == Said::Refused {
        return doubt(step, at);
    }
    if phase != Phase::Open {
        return;
    }
    match said {
        Said::Refused if world.has(Flaw::RefusedAfterAnswer) => step.end(at, End::PeerRefused),
        Said::Over if world.has(Flaw::OverUnsealed) => step.end(at, End::PeerOver),
        Said::Unknown if world.has(Flaw::UnknownEnds) => step.end(at, End::Unknown),
        Said::Pong(token) if world.has(Flaw::PongUnsealed) => drop(moved(step, at, from, token)),
        _ => step.rule("clear ignored"),
    }
}
