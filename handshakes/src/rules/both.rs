//! Both ends begin a connection with each other at the same time: one of the two handshakes goes on.

use crate::frame::Initiate;
use crate::noise::Pattern;
use crate::state::{End, Phase, Session};
use crate::step::Step;
use crate::term::{public, Kind, Node, Term};
use crate::world::{Address, World};

/// Whether this end has begun one that goes on, and the other one does not.
pub fn wins(step: &Step<'_>, member: Address, from: Address, initiate: &Initiate) -> bool {
    let goes_on = |session: &Session| {
        let is_same = session.owner == member && session.address == from && session.stack == initiate.stack;
        session.is_initiator() && is_same && is_unconfirmed(session) && is_greater(session.own, initiate.from)
    };
    step.state.sessions.iter().any(|session| goes_on(session))
}

/// Nothing authentic has come from the peer since *respond*.
fn is_unconfirmed(session: &Session) -> bool {
    let has_heard_nothing = session.link.as_ref().is_some_and(|link| link.heard == 0 && link.back.window == 0);
    session.phase == Phase::Waiting || session.phase == Phase::Open && has_heard_nothing
}

/// Labels are random numbers; here those of the first members are the greater ones. The attacker chooses one that is
/// greater still: a lower one is dropped.
fn is_greater(own: Term, other: Term) -> bool {
    match (own.node(), other.node()) {
        (Node::Name(Kind::Label, owner, _), Node::Name(Kind::Label, by, _)) => {
            owner < by && by != crate::term::ATTACKER
        }
        _ => false,
    }
}

/// Of two open connections that were begun by different ends, both ends keep the same one: that of the greater label.
pub fn is_better(one: &Session, other: &Session) -> bool {
    let of_initiator = |session: &Session| if session.is_initiator() { Some(session.own) } else { session.theirs };
    match (of_initiator(one), of_initiator(other)) {
        (Some(one), Some(other)) => is_greater(one, other),
        _ => true,
    }
}

/// The connection that this end has begun and that waits becomes the one that the peer has begun.
pub fn join(step: &mut Step<'_>, at: usize, peer: Option<Term>) {
    let new = step.session(at);
    let is_it = |session: &Session| {
        let is_same = session.owner == new.owner && session.address == new.address && session.stack == new.stack;
        let is_waiting = session.is_initiator() && session.phase == Phase::Waiting;
        is_same && is_waiting && is_expected(step.world, session, peer)
    };
    if let Some(begun) = step.state.sessions.iter().position(|session| is_it(session)) {
        step.rule("join");
        step.end(begun, End::Joined);
    }
}

fn is_expected(world: &World, session: &Session, peer: Option<Term>) -> bool {
    let expected = session.start.and_then(|start| world.identity(world.starts[usize::from(start)].to)).map(public);
    match session.pattern {
        Pattern::Ik => peer == expected,
        Pattern::Xx => peer.is_some(),
        Pattern::Psk => peer.is_none(),
    }
}
