//! Opens the stack with the keys of the handshake, and replaces older connections of the same peer.

use super::both::is_better;
use super::saying::say;
use crate::derive::direction;
use crate::flaw::Flaw;
use crate::frame::Said;
use crate::state::{End, Inward, Link, Outward, Payload, Phase};
use crate::step::{Event, Step};
use crate::term::{Kind, Term};

/// What a connection is opened with.
pub struct Opening {
    /// The keys of both directions, the initiator's first.
    pub keys: [Term; 2],
    /// What the peer says of itself.
    pub said: Payload,
    /// The peer's static key.
    pub peer: Option<Term>,
}

/// Opens a connection.
pub fn open(step: &mut Step<'_>, at: usize, opening: Opening) {
    let older = older(step, at, &opening);
    let is_initiator = step.session(at).is_initiator();
    let link = link(step, is_initiator, &opening);
    let session = step.change(at);
    (session.theirs, session.phase, session.link) = (Some(opening.said.label), Phase::Open, Some(link));
    step.events.push(Event::Opened(at));
    if !is_initiator {
        say(step, at, Said::Confirmed);
    }
    // The message that opens this end may be an old one, of a connection that the peer has given up.
    if step.world.has(Flaw::ReplacesUnasked) {
        return replace(step, at, &older);
    }
    let is_same_direction =
        |other: &usize| step.session(*other).is_initiator() == is_initiator || step.world.has(Flaw::DirectionsIgnored);
    let (same, opposite): (Vec<usize>, Vec<usize>) = older.into_iter().partition(is_same_direction);
    if is_initiator && same.iter().any(|other| *other > at) {
        // This end has begun another one since.
        step.rule("withdraw");
        return step.end(at, End::Replaced);
    }
    ask(step, at, same);
    for other in opposite {
        let (better, worse) = if is_better(step.session(at), step.session(other)) { (at, other) } else { (other, at) };
        step.rule("both open");
        ask(step, better, vec![worse]);
    }
}

/// Whether this end has begun a newer connection with the same peer, and asks on it: then it does not show on the older
/// one that it lives, as the peer could take that one to be newer.
pub fn is_being_replaced(step: &Step<'_>, at: usize) -> bool {
    let asks = |session: &std::rc::Rc<crate::state::Session>| {
        let older = session.link.as_ref().and_then(|link| link.older.as_ref());
        let is_newer = session.is_initiator() && step.session(at).is_initiator() && session.phase == Phase::Open;
        is_newer && older.is_some_and(|(older, _)| older.contains(&at))
    };
    step.state.sessions.iter().any(asks)
}

fn link(step: &Step<'_>, is_initiator: bool, opening: &Opening) -> Link {
    let Opening { keys, said, peer } = *opening;
    let (out, back) = if is_initiator { (keys[0], keys[1]) } else { (keys[1], keys[0]) };
    let ([out, control_out], [back, control_back]) =
        (direction(step.world, out, keys), direction(step.world, back, keys));
    Link {
        keys,
        peer,
        peer_number: said.identity,
        token: said.token,
        control: [control_out, control_back],
        said: 0,
        heard: 0,
        out: Outward { key: out, epoch: 0, number: 0, texts: vec![] },
        back: Inward { key: back, epoch: 0, old: None, kept: None, window: 0, texts: vec![] },
        pings: 0,
        asked: None,
        obeyed: vec![],
        older: None,
    }
}

/// The living connections of the same peer.
pub fn older(step: &Step<'_>, at: usize, opening: &Opening) -> Vec<usize> {
    let new = step.session(at);
    let is_older = |(other, session): (usize, &std::rc::Rc<crate::state::Session>)| {
        let link = session.link.as_ref().filter(|_| session.phase == Phase::Open)?;
        let is_same_peer = link.peer == opening.peer && link.peer_number == opening.said.identity;
        let is_there = opening.peer.is_some() || session.address == new.address;
        let is_same = session.owner == new.owner && session.stack == new.stack && is_same_peer && is_there;
        (other != at && is_same).then_some(other)
    };
    step.state.sessions.iter().enumerate().filter_map(is_older).collect()
}

/// Ends connections for a newer one.
pub fn replace(step: &mut Step<'_>, by: usize, older: &[usize]) {
    for old in older.iter().copied().filter(|old| step.session(*old).phase == Phase::Open).collect::<Vec<_>>() {
        step.rule("replace");
        step.end(old, End::Replaced);
        step.events.push(Event::Replaced { old, by });
    }
}

/// Asks on a connection whether the peer is alive there; then it takes the place of these.
fn ask(step: &mut Step<'_>, at: usize, others: Vec<usize>) {
    if others.is_empty() {
        return;
    }
    let token = step.fresh(Kind::Token, at, 15);
    if let Some(link) = &mut step.change(at).link {
        let mut all = link.older.take().map_or(vec![], |(all, _)| all);
        all.extend(others);
        link.older = Some((all, token));
    }
    step.rule("ask newer");
    say(step, at, Said::Ping(token));
}

/// A pong has arrived: the peer is alive on this connection, and not on the older ones.
pub fn newer_is_alive(step: &mut Step<'_>, at: usize, token: Term) {
    let Some(link) = &mut step.change(at).link else { return };
    if let Some((older, _)) = link.older.take_if(|(_, asked)| *asked == token) {
        replace(step, at, &older);
    }
}
