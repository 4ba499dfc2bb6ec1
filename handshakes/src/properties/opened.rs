//! What must be true when a connection end opens: who the peer is, and that it agrees on everything.

use crate::derive::reset_token;
use crate::flaw::Property;
use crate::frame::Frame;
use crate::honest::has_honest_peer;
use crate::noise::Pattern;
use crate::state::{Session, State};
use crate::term::{derived, list, mac, public, word, Term};
use crate::violation::{holds, place, Violation};
use crate::world::{Start, World};

/// A responder keeps a handshake.
pub fn kept(world: &World, state: &State, at: usize) -> Result<(), Violation> {
    let session = &state.sessions[at];
    let Some(proof) = session.proof.filter(|_| world.proof) else {
        let how = || format!("{} is kept without a proof of the address", place(state, at));
        return holds(!world.proof, Property::ProvenAddress, how);
    };
    let is_told = |frame: &Frame| *frame == Frame::Retry { to: session.theirs.unwrap_or(proof), proof };
    let is_bound = proof == bound_proof(world, session) && state.sent.iter().any(is_told);
    let how = || format!("{} is kept with a proof of another address or connection", place(state, at));
    holds(is_bound, Property::ProvenAddress, how)
}

/// The label of a *retry* for the address and the first frame of a connection.
fn bound_proof(world: &World, session: &Session) -> Term {
    let key = derived(world.secret(session.owner), word("nacre retry"), 1);
    const ADDRESSES: [&str; 4] = ["address a", "address b", "address c", "elsewhere"];
    let from = word(ADDRESSES[usize::from(session.address).min(3)]);
    mac(key, list(&[from, session.theirs.unwrap_or(from), session.stack]))
}

/// A plain connection is opened.
pub fn plain(world: &World, stack: Term) -> Result<(), Violation> {
    let is_secure = world.members.iter().any(|member| member.serves.iter().any(|served| word(served) == stack));
    holds(!is_secure, Property::Downgrade, || format!("a plain connection is opened for the secure stack {stack}"))
}

/// A connection end opens.
pub fn opened(world: &World, state: &State, at: usize) -> Result<(), Violation> {
    let session = &state.sessions[at];
    if let Some(start) = session.start.map(|start| world.starts[usize::from(start)]) {
        expected(world, state, at, &start)?;
    }
    if !has_honest_peer(world, session) {
        return Ok(());
    }
    agreement(world, state, at)
}

fn expected(world: &World, state: &State, at: usize, start: &Start) -> Result<(), Violation> {
    let session = &state.sessions[at];
    let is_asked = session.suite == start.suite && session.pattern == start.pattern;
    let how = || format!("{} opens with {:?} {:?}, not as asked", place(state, at), session.pattern, session.suite);
    holds(is_asked, Property::Downgrade, how)?;
    let key = world.identity(start.to).map(public);
    let is_known = start.is_pinned || start.pattern == Pattern::Ik;
    let is_expected = !is_known || session.link.as_ref().is_some_and(|link| link.peer == key);
    holds(is_expected, Property::ExpectedPeer, || format!("{} opens with a peer of another key", place(state, at)))
}

fn agreement(world: &World, state: &State, at: usize) -> Result<(), Violation> {
    let session: &Session = &state.sessions[at];
    let agrees = |other: &Session| {
        let (initiator, responder) = if session.is_initiator() { (session, other) } else { (other, session) };
        agree(world, initiator, responder)
    };
    let how = || format!("{} opens, but no other end agrees with it", place(state, at));
    let other = state.sessions.iter().find(|other| session.matches(other) && agrees(other));
    holds(other.is_some(), Property::Agreement, how)?;
    let is_same = |other: &Session| other.is_initiator() == session.is_initiator() && other.second == session.second;
    let same = state.sessions.iter().filter(|other| other.link.is_some() && is_same(other)).count();
    holds(same == 1, Property::Agreement, || format!("{} opens with the peer of another connection", place(state, at)))
}

/// Whether both ends of a handshake agree: on labels, stack, pattern, suite, keys, identities, and reset tokens.
fn agree(world: &World, initiator: &Session, responder: &Session) -> bool {
    let Some(link) = &initiator.link else { return false };
    let labels = initiator.theirs == Some(responder.own) && responder.theirs == Some(initiator.own);
    let plan = |session: &Session| (session.stack, session.pattern, session.suite);
    let is_responder = is_peer(world, link.peer, link.peer_number, responder) && is_wanted(world, initiator, responder);
    let is_initiator = match &responder.link {
        Some(back) => is_peer(world, back.peer, back.peer_number, initiator) && back.keys == link.keys,
        None => true,
    };
    let is_token = |token: Term, of: &Session| token == reset_token(world, of.owner, of.own);
    let tokens =
        is_token(link.token, responder) && responder.link.as_ref().is_none_or(|back| is_token(back.token, initiator));
    let are_two = initiator.owner != responder.owner;
    labels && plan(initiator) == plan(responder) && is_responder && is_initiator && tokens && are_two
}

fn is_peer(world: &World, key: Option<Term>, number: Term, peer: &Session) -> bool {
    number == world.number(peer.owner) && key.is_none_or(|key| world.identity(peer.owner).map(public) == Some(key))
}

fn is_wanted(world: &World, initiator: &Session, responder: &Session) -> bool {
    let start = initiator.start.map(|start| world.starts[usize::from(start)]);
    start.is_some_and(|start| start.wants == "any" || word(start.wants) == world.number(responder.owner))
}
