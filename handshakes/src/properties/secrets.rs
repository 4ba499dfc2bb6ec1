//! What the attacker must not derive, and what must not be used twice.

use crate::derive::reset_token;
use crate::flaw::Property;
use crate::frame::Frame;
use crate::honest::has_honest_peer;
use crate::knowledge::Knowledge;
use crate::noise::{Pattern, Suite};
use crate::state::{Link, Phase, Session, State};
use crate::term::{public, Kind, Node, Term};
use crate::views::Views;
use crate::violation::{holds, place, Violation};
use crate::world::{Address, World};

/// Checks all secrets of a state.
pub fn check(world: &World, state: &State, views: &Views) -> Result<(), Violation> {
    for (at, session) in state.sessions.iter().enumerate() {
        if let Some(link) = session.link.as_ref().filter(|_| has_honest_peer(world, session)) {
            keys(state, at, link, views)?;
            token(world, state, at, &views.late)?;
            undisturbed(state, at, link)?;
        }
    }
    if world.attacker.knows_no_publics {
        identities(world, state, &views.now)?;
    }
    if world.limits.epochs > 0 {
        epochs(world, state, &views.now)?;
    }
    Ok(())
}

fn keys(state: &State, at: usize, link: &Link, views: &Views) -> Result<(), Violation> {
    let is_hybrid = state.sessions[at].suite == Suite::Hybrid;
    let now = link.control.into_iter().chain([link.out.key, link.back.key]);
    let shown = |what: &str| format!("the attacker {what} keys of {}", place(state, at));
    for key in link.keys.into_iter().chain(now) {
        holds(!views.now.derives(key), Property::Secrecy, || shown("derives"))?;
        holds(!views.late.derives(key), Property::ForwardSecrecy, || shown("later derives"))?;
        let is_safe = !is_hybrid || !views.broken.derives(key);
        holds(is_safe, Property::HybridSecrecy, || shown("without Diffie-Hellman later derives"))?;
    }
    Ok(())
}

/// A token can end the connection of the peer while its own end lives.
fn token(world: &World, state: &State, at: usize, late: &Knowledge) -> Result<(), Violation> {
    let session = &state.sessions[at];
    if session.phase != Phase::Open {
        return Ok(());
    }
    let token = reset_token(world, session.owner, session.own);
    let how = || format!("the reset token of {} is known", place(state, at));
    holds(!late.derives(token), Property::ResetSecrecy, how)
}

/// Windows and epochs contain nothing that the peer has not sent.
fn undisturbed(state: &State, at: usize, link: &Link) -> Result<(), Violation> {
    let session = &state.sessions[at];
    let sent = state.other_end(session).and_then(|other| other.link.as_ref()).map(|other| &other.out);
    let (numbers, epoch) = sent.map_or((0, 0), |out| (out.texts.len() as u32, out.epoch));
    let is_sent = u32::from(link.back.window) < 1 << numbers && link.back.epoch <= epoch;
    let how = || format!("{} has numbers or epochs that its peer has not sent", place(state, at));
    holds(is_sent, Property::Undisturbed, how)
}

/// No key is used twice with a nonce for different texts.
pub fn nonces(state: &State, new: &[Frame]) -> Result<(), Violation> {
    if new.is_empty() {
        return Ok(());
    }
    let mut all = vec![];
    state.sent.iter().flat_map(Frame::terms).for_each(|term| seals(term, &mut all));
    let mut fresh = vec![];
    new.iter().flat_map(Frame::terms).for_each(|term| seals(term, &mut fresh));
    for (key, number, term) in fresh {
        let is_other = |other: &(Term, u8, Term)| (other.0, other.1) == (key, number) && other.2 != term;
        let how = || format!("a key seals two texts with the nonce {number}: {term} is the second");
        holds(!all.iter().any(is_other), Property::Nonces, how)?;
    }
    Ok(())
}

/// The sealed parts of a term: key, nonce, and the whole.
fn seals(term: Term, found: &mut Vec<(Term, u8, Term)>) {
    match term.node() {
        Node::List(parts) => parts.into_iter().for_each(|part| seals(part, found)),
        Node::Sealed(key, number, ..) => found.push((key, number, term)),
        _ => {}
    }
}

/// The public key of an end is shown only to those to whom the pattern shows it.
fn identities(world: &World, state: &State, now: &Knowledge) -> Result<(), Violation> {
    for member in world.addresses() {
        let Some(key) = world.identity(member).map(public) else { continue };
        if is_shown(world, state, member) {
            continue;
        }
        let how = |when: &str| format!("the attacker {when} the public key of {}", crate::term::member(member));
        holds(!now.derives(key), Property::IdentityHiding, || how("has"))?;
        let is_xx = world.starts.iter().all(|start| start.pattern == Pattern::Xx);
        let others: Vec<Term> =
            world.addresses().filter(|other| *other != member).filter_map(|other| world.identity(other)).collect();
        let is_hidden = !is_xx || !now.with(&others).derives(key);
        holds(is_hidden, Property::IdentityHiding, || how("with the static keys of all others later has"))?;
    }
    Ok(())
}

/// An end shows its key to the peer with which it opens; a responder of XX to everybody who begins.
fn is_shown(world: &World, state: &State, member: Address) -> bool {
    let is_stranger = |key: Term| match key.node() {
        Node::Public(secret) => !matches!(secret.node(), Node::Name(Kind::Ephemeral, owner, _)
            if owner != crate::term::ATTACKER),
        _ => true,
    };
    let shows = |session: &Session| {
        let is_answer = !session.is_initiator() && session.pattern == Pattern::Xx;
        let to_stranger = is_answer && session.noise.peer_ephemeral().is_some_and(is_stranger);
        to_stranger || session.link.is_some() && !has_honest_peer(world, session)
    };
    state.sessions.iter().any(|session| session.owner == member && shows(session))
}

/// With all keys of the present, nothing of an epoch that both ends have erased can be read.
fn epochs(world: &World, state: &State, now: &Knowledge) -> Result<(), Violation> {
    let mut present = vec![];
    for link in crate::honest::open_ends(world, state).filter_map(|session| session.link.as_ref()) {
        present.extend([link.out.key, link.back.key].into_iter().chain(link.back.old).chain(link.back.kept));
    }
    let now = now.with(&present);
    for (at, session) in state.sessions.iter().enumerate() {
        let Some(out) = session.link.as_ref().map(|link| &link.out) else { continue };
        let Some(back) = state.other_end(session).and_then(|other| other.link.as_ref()).map(|link| &link.back) else {
            continue;
        };
        let oldest = back.epoch - u8::from(back.old.is_some());
        for (_, text) in out.texts.iter().filter(|(epoch, _)| *epoch < oldest.min(out.epoch)) {
            let how = || format!("{text} of {} can be read with keys of a later epoch", place(state, at));
            holds(!now.derives(*text), Property::EpochSecrecy, how)?;
        }
    }
    Ok(())
}
