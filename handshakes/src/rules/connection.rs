//! Messages, epochs, resets and addresses of open connections; what endpoints do by themselves.

use super::elsewhere::{ask_elsewhere, is_elsewhere};
use super::saying::say;
use crate::derive::{message_head, next_key, reset_token};
use crate::flaw::Flaw;
use crate::frame::{Frame, Said};
use crate::state::{End, Link, Phase, Session};
use crate::step::{Event, Step};
use crate::term::{sealed, Kind, Node, Term};
use crate::world::Address;

/// The application sends a message.
pub fn send(step: &mut Step<'_>, at: usize) {
    let number = step.session(at).link.as_ref().map_or(0, |link| link.out.texts.len() as u8);
    let text = step.fresh(Kind::Data, at, number);
    let session = step.change(at);
    let (Some(to), Some(link)) = (session.theirs, session.link.as_mut()) else { return };
    let out = &mut link.out;
    let body = sealed(out.key, out.number, message_head(out.epoch), text);
    out.number += 1;
    out.texts.push((out.epoch, text));
    let epoch = out.epoch;
    step.rule("send");
    step.send(Frame::Short { to, epoch, body });
}

/// The sender turns to the next epoch.
pub fn next_epoch(step: &mut Step<'_>, at: usize) {
    let world = step.world;
    let Some(link) = step.change(at).link.as_mut() else { return };
    link.out.key = next_key(world, link.out.key);
    link.out.epoch += 1;
    if world.has(Flaw::NonceRestarts) {
        link.out.number = 0;
    }
    step.rule("next epoch");
}

/// The key of the epoch before is erased.
pub fn erase(step: &mut Step<'_>, at: usize) {
    let is_kept = step.world.has(Flaw::OldKeyKept);
    if let Some(link) = step.change(at).link.as_mut() {
        let old = link.back.old.take();
        link.back.kept = old.filter(|_| is_kept);
        step.rule("erase");
    }
}

/// A message arrives.
pub fn short(step: &mut Step<'_>, at: usize, from: Address, epoch: u8, body: Term) {
    let world = step.world;
    let session = step.change(at);
    let Some(link) = session.link.as_mut().filter(|_| session.phase == Phase::Open) else { return };
    let Node::Sealed(key, number, also, text) = body.node() else { return };
    if link.back.window & 1 << number != 0 && !world.has(Flaw::DataReplayed) {
        return;
    }
    let next = next_key(world, link.back.key);
    let expected = match epoch {
        _ if epoch == link.back.epoch => Some(link.back.key),
        _ if epoch == link.back.epoch + 1 => Some(next),
        _ if epoch + 1 == link.back.epoch => link.back.old,
        _ => None,
    };
    let is_authentic = expected == Some(key) && also == message_head(epoch);
    let rule = if epoch < link.back.epoch { "deliver late" } else { "deliver" };
    if is_authentic || world.has(Flaw::EpochBeforeAuthentication) {
        follow(link, epoch, next);
    }
    if is_authentic || world.has(Flaw::WindowBeforeAuthentication) {
        link.back.window |= 1 << number;
    }
    if is_authentic {
        link.back.texts.push(text);
        step.rule(rule);
        if epoch > 0 && rule == "deliver" {
            step.rule("follow epoch");
        }
        step.events.push(Event::Delivered(at, text));
        if is_elsewhere(step, at, from) {
            ask_elsewhere(step, at, from);
        }
    }
}

/// Turns to the next epoch.
fn follow(link: &mut Link, epoch: u8, next: Term) {
    if epoch == link.back.epoch + 1 {
        link.back.old = Some(std::mem::replace(&mut link.back.key, next));
        link.back.epoch = epoch;
    }
}

/// The runtime asks whether the peer is alive.
pub fn ping(step: &mut Step<'_>, at: usize) {
    let pings = step.session(at).link.as_ref().map_or(0, |link| link.pings);
    let token = step.fresh(Kind::Token, at, pings);
    if let Some(link) = step.change(at).link.as_mut() {
        link.pings += 1;
    }
    step.rule("ping");
    say(step, at, Said::Ping(token));
}

/// The stack has ended in order (`Over`), or the application refuses the connection.
pub fn end(step: &mut Step<'_>, at: usize, said: Said) {
    let is_over = said == Said::Over;
    step.state.ends += 1;
    step.rule(if is_over { "over" } else { "refuse" });
    say(step, at, said);
    step.end(at, if is_over { End::Closed } else { End::Refused });
}

/// A frame with a label of no living connection arrives.
pub fn unknown(step: &mut Step<'_>, member: Address, to: Term, frame: Frame) {
    if !matches!(frame, Frame::Short { .. } | Frame::Sealed { .. }) {
        return;
    }
    let life = step.life(member);
    let is_refused = |session: &Session| {
        session.owner == member
            && session.own == to
            && session.life == life
            && session.phase == Phase::Ended(End::Refused)
    };
    if let Some(at) = step.state.sessions.iter().position(|session| is_refused(session)) {
        let is_said_often = step.session(at).link.as_ref().is_none_or(|link| link.said > 3);
        if !is_said_often {
            step.rule("refuse again");
            say(step, at, Said::Refused);
        }
        return;
    }
    answer_reset(step, member, to);
}

fn answer_reset(step: &mut Step<'_>, member: Address, unknown: Term) {
    let token = reset_token(step.world, member, unknown);
    // Other tokens are those of no connection: labels are fresh, so nobody can ever be told them.
    let is_of_use = |session: &&std::rc::Rc<Session>| {
        session.theirs == Some(unknown) && session.link.as_ref().is_some_and(|link| link.token == token)
    };
    if step.state.sessions.iter().any(|session| is_of_use(&session)) {
        step.rule("reset");
        step.send(Frame::Reset { unknown, token });
    }
}

/// A flawed endpoint answers a frame of a connection that it has.
pub fn used_label(step: &mut Step<'_>, member: Address, to: Term, frame: Frame) {
    let is_answered = matches!(frame, Frame::Short { .. } | Frame::Sealed { .. });
    if step.world.has(Flaw::ResetOfUsedLabel) && is_answered {
        answer_reset(step, member, to);
    }
}

/// A reset arrives.
pub fn reset(step: &mut Step<'_>, member: Address, unknown: Term, token: Term) {
    let is_checked = !step.world.has(Flaw::ResetUnchecked);
    let is_meant = |session: &Session| {
        let is_right = session.link.as_ref().is_some_and(|link| link.token == token || !is_checked);
        session.owner == member && session.theirs == Some(unknown) && session.phase == Phase::Open && is_right
    };
    if let Some(at) = step.state.sessions.iter().position(|session| is_meant(session)) {
        step.rule("reset heard");
        step.end(at, End::Reset);
    }
}

/// A member crashes, and starts again with its static key and its secret.
pub fn restart(step: &mut Step<'_>, member: Address) {
    step.rule("restart");
    step.state.lives[usize::from(member)] += 1;
    for at in 0..step.state.sessions.len() {
        if step.session(at).owner != member || !step.session(at).is_alive() {
            continue;
        }
        if step.world.has(Flaw::StateRestored) && step.session(at).link.is_some() {
            restore(step, at);
        } else {
            step.change(at).phase = Phase::Ended(End::Forgotten);
        }
    }
}

/// The first state of a connection, as a copy of it would bring it back.
fn restore(step: &mut Step<'_>, at: usize) {
    if let Some(link) = step.change(at).link.as_mut() {
        link.out.number = 0;
    }
}
