//! The properties that every step must keep (docs/handshake-model.md).

pub mod opened;
pub mod secrets;

use crate::flaw::Property;
use crate::frame::Said;
use crate::honest::has_honest_peer;
use crate::state::{End, Phase, Session, State};
use crate::step::{Event, Step};
use crate::term::Term;
use crate::views::Views;
use crate::violation::{holds, place, violated, Violation};
use crate::world::{Address, World};

/// Checks a step and the state after it.
pub fn check(world: &World, step: &Step<'_>, views: &Views) -> Result<(), Violation> {
    let state = &step.state;
    secrets::nonces(state, &step.new)?;
    for event in &step.events {
        match *event {
            Event::Kept(at) => opened::kept(world, state, at)?,
            Event::Opened(at) => opened::opened(world, state, at)?,
            Event::Delivered(at, text) => delivered(world, state, at, text)?,
            Event::Ended(at, end) => ended(world, state, at, end)?,
            Event::Replaced { old, by } => replaced(world, state, old, by)?,
            Event::Moved { at, to, token } => moved(world, state, at, to, token)?,
            Event::Obeyed(at, said) => obeyed(world, state, at, said)?,
            Event::OpenedPlain { stack } => opened::plain(world, stack)?,
            Event::FellBack(at) => {
                let how = format!("{} begins again in plain", place(state, at));
                violated(Property::Downgrade, how)?;
            }
        }
    }
    secrets::check(world, state, views)
}

fn delivered(world: &World, state: &State, at: usize, text: Term) -> Result<(), Violation> {
    let session = &state.sessions[at];
    let Some(link) = session.link.as_ref().filter(|_| has_honest_peer(world, session)) else { return Ok(()) };
    let how = || format!("{} delivers {text}", place(state, at));
    let sent =
        |other: &Session| other.link.as_ref().is_some_and(|link| link.out.texts.iter().any(|(_, sent)| *sent == text));
    let is_of_peer = state.other_end(session).is_some_and(sent);
    holds(is_of_peer, Property::Authenticity, || how() + ", which the peer has not sent on this connection")?;
    let times = link.back.texts.iter().filter(|delivered| **delivered == text).count();
    holds(times == 1, Property::Authenticity, || how() + " twice")
}

fn obeyed(world: &World, state: &State, at: usize, said: Said) -> Result<(), Violation> {
    let session = &state.sessions[at];
    let Some(link) = session.link.as_ref().filter(|_| has_honest_peer(world, session)) else { return Ok(()) };
    let said_by_peer = state.other_end(session).and_then(|other| other.link.as_ref()).map_or(0, |other| other.said);
    let is_said = link.obeyed.len() <= usize::from(said_by_peer);
    let how = || format!("{} obeys {} more often than the peer has said it", place(state, at), said.term());
    holds(is_said, Property::Authenticity, how)
}

fn ended(world: &World, state: &State, at: usize, end: End) -> Result<(), Violation> {
    let session = &state.sessions[at];
    if !has_honest_peer(world, session) {
        return Ok(());
    }
    let other = state.other_end(session);
    let has_peer_ended = |by: End| other.is_some_and(|other| other.phase == Phase::Ended(by));
    let is_right = match end {
        End::Closed | End::Refused | End::Forgotten | End::Doubted | End::Joined => true,
        End::PeerOver => has_peer_ended(End::Closed),
        End::PeerRefused => has_peer_ended(End::Refused),
        End::Reset => other.is_none_or(|other| !other.is_alive()),
        // `Event::Replaced` has both connections.
        End::Replaced => true,
        End::Unknown => false,
    };
    holds(is_right, Property::Ends, || format!("{} ends ({end:?}), but its peer has not said so", place(state, at)))
}

fn replaced(world: &World, state: &State, old: usize, by: usize) -> Result<(), Violation> {
    let (older, newer) = (&state.sessions[old], &state.sessions[by]);
    if !has_honest_peer(world, older) {
        return Ok(());
    }
    let is_alive = |end: &Session| state.other_end(end).is_some_and(|other| other.is_alive());
    // Its own application may have ended it since it answered.
    let is_lost = |end: &Session| {
        let lost = [End::Replaced, End::Reset, End::Forgotten, End::Unknown].map(Phase::Ended);
        state.other_end(end).is_none_or(|other| lost.contains(&other.phase))
    };
    let is_better = newer.phase == Phase::Open && (!is_lost(newer) || !is_alive(older));
    let how = || {
        let state_of = |session| if is_alive(session) { "lives" } else { "is gone" };
        let (old_peer, new_peer) = (state_of(older), state_of(newer));
        format!(
            "{} (its other end {old_peer}) is replaced by {} ({:?}, its other end {new_peer})",
            place(state, old),
            place(state, by),
            newer.phase
        )
    };
    holds(is_better, Property::Replacement, how)
}

fn moved(world: &World, state: &State, at: usize, to: Address, token: Option<Term>) -> Result<(), Violation> {
    let session = &state.sessions[at];
    if !has_honest_peer(world, session) {
        return Ok(());
    }
    let has_answered = |token: Term| {
        let other = state.other_end(session).and_then(|other| other.link.as_ref());
        other.is_some_and(|link| link.obeyed.contains(&Said::Ping(token)))
    };
    let how = || {
        format!(
            "{} sends to the address of {}, where its peer has answered nothing",
            place(state, at),
            crate::term::member(to)
        )
    };
    holds(token.is_some_and(has_answered), Property::ValidatedAddress, how)
}
