//! The end that begins.

use super::opening::{open, Opening};
use crate::derive::{confirming, head, prologue, reset_token};
use crate::flaw::Flaw;
use crate::frame::{Frame, Initiate};
use crate::noise::{Noise, Own, Pattern, Plan, Suite};
use crate::state::{End, Payload, Phase, Session};
use crate::step::{Event, Step};
use crate::term::{name, public, sealed, word, Kind, Term};
use crate::world::{Address, Start, World};
use std::rc::Rc;

/// A member begins a connection of the world.
pub fn begin(step: &mut Step<'_>, number: u8) {
    let start = step.world.starts[usize::from(number)];
    step.state.started |= 1 << number;
    let index = step.next_index(start.by);
    let own = name(Kind::Label, start.by, index);
    let mut noise = noise(step.world, &start, start.suite, own, index);
    let said = own_payload(step.world, start.by, own, word(start.wants), false);
    let text = if start.pattern == Pattern::Xx { word("empty") } else { said.term() };
    let Some(message) = noise.write(text) else { return };
    let (pattern, suite, stack) = (start.pattern, start.suite, word(start.stack));
    let first = Frame::Initiate(Initiate { proof: None, stack, from: own, pattern, suite, message });
    let session = Session {
        owner: start.by,
        life: step.life(start.by),
        index,
        start: Some(number),
        address: start.to,
        pattern,
        suite,
        stack,
        own,
        theirs: None,
        phase: Phase::Waiting,
        noise,
        second: None,
        first,
        proof: None,
        respond: None,
        finish: None,
        said: None,
        link: None,
    };
    step.state.sessions.push(Rc::new(session));
    step.rule("begin");
    step.send(first);
}

fn noise(world: &World, start: &Start, suite: Suite, label: Term, index: u8) -> Noise {
    let plan = Plan { pattern: start.pattern, suite, flaw: world.flaw };
    let expected = world.identity(start.to).filter(|_| start.pattern == Pattern::Ik).map(public);
    let prologue = prologue(world, word(start.stack), label, start.pattern, suite);
    Noise::new(plan, true, own_keys(world, start.by, index, start.pattern, Kind::Decapsulation), expected, prologue)
}

/// The keys with which a member takes part.
pub fn own_keys(world: &World, member: Address, index: u8, pattern: Pattern, kem: Kind) -> Own {
    let is_psk = pattern == Pattern::Psk;
    Own {
        identity: world.identity(member).filter(|_| !is_psk),
        psk: world.psk(member).filter(|_| is_psk),
        ephemeral: name(Kind::Ephemeral, member, index),
        kem: name(kem, member, index),
    }
}

/// What a member says of itself. An initiator of IK and psk says its token later, under keys that are forward secret.
pub fn own_payload(world: &World, member: Address, label: Term, wants: Term, has_token: bool) -> Payload {
    let says_token = has_token || world.has(Flaw::TokenInMessageOne);
    let token = if says_token { reset_token(world, member, label) } else { word("none") };
    Payload { label, identity: world.number(member), wants, token }
}

/// A *retry* arrives.
pub fn retry(step: &mut Step<'_>, at: usize, proof: Term) {
    let session = step.session(at);
    if !session.is_initiator() || session.phase != Phase::Waiting || session.proof == Some(proof) {
        return;
    }
    let Frame::Initiate(first) = session.first else { return };
    step.change(at).proof = Some(proof);
    step.rule("retry obeyed");
    step.send(Frame::Initiate(Initiate { proof: Some(proof), ..first }));
}

/// Somebody says that the stack is not served.
pub fn doubt(step: &mut Step<'_>, at: usize) {
    if step.session(at).is_initiator() {
        step.rule("doubt");
        step.end(at, End::Doubted);
        if step.world.has(Flaw::PlainFallback) {
            step.events.push(Event::FellBack(at));
        }
    }
}

/// The responder's answer arrives.
pub fn respond(step: &mut Step<'_>, at: usize, label: Term, message: Term) {
    let session = step.session(at);
    let Some(start) = session.start.map(|start| step.world.starts[usize::from(start)]) else { return };
    if session.phase != Phase::Waiting {
        return;
    }
    let Some((noise, suite, said)) = read_answer(step.world, session, &start, message) else { return };
    let Some(said) = checked(step.world, &start, said, label) else { return };
    let own_key = step.world.identity(start.by).map(public);
    let peer = noise.peer.filter(|_| start.pattern != Pattern::Psk);
    let is_own = peer.is_some() && peer == own_key && !step.world.has(Flaw::ReflectionAccepted);
    let expected = step.world.identity(start.to).map(public);
    let is_other = start.is_pinned && peer != expected && !step.world.has(Flaw::KeyNotCompared);
    if !is_own && !is_other {
        finish(step, at, noise, suite, said);
    }
}

fn read_answer(world: &World, session: &Session, start: &Start, message: Term) -> Option<(Noise, Suite, Payload)> {
    let mut same = session.noise.clone();
    if let Some(payload) = same.read(message) {
        return Some((same, session.suite, Payload::read(payload)?));
    }
    if !world.has(Flaw::SuiteFallback) {
        return None;
    }
    let mut weaker = noise(world, start, Suite::X25519, session.own, session.index);
    let text = own_payload(world, start.by, session.own, word(start.wants), false);
    weaker.write(if start.pattern == Pattern::Xx { word("empty") } else { text.term() })?;
    let payload = weaker.read(message)?;
    Some((weaker, Suite::X25519, Payload::read(payload)?))
}

/// The payload of message 2, if it is for this end.
fn checked(world: &World, start: &Start, said: Payload, label: Term) -> Option<Payload> {
    let any = word("any");
    let is_meant =
        |wanted: Term, number: Term| wanted == any || wanted == number || world.has(Flaw::IdentityNotCompared);
    let is_for = is_meant(word(start.wants), said.identity) && is_meant(said.wants, world.number(start.by));
    if world.has(Flaw::ResponderLabelUnbound) {
        return is_for.then_some(Payload { label, ..said });
    }
    // The label that counts is the one under encryption.
    is_for.then_some(said)
}

fn finish(step: &mut Step<'_>, at: usize, mut noise: Noise, suite: Suite, said: Payload) {
    let session = step.change(at);
    (session.suite, session.second) = (suite, Some(noise.transcript()));
    let (owner, pattern, own) = (session.owner, session.pattern, session.own);
    let payload = own_payload(step.world, owner, own, word("any"), true);
    let message = if pattern == Pattern::Xx {
        let Some(message) = noise.write(payload.term()) else { return };
        message
    } else {
        let is_said = step.world.has(Flaw::TokenInMessageOne);
        let text = if is_said { word("empty") } else { payload.token };
        sealed(confirming(noise.split()), 0, head(step.world, "finish", said.label), text)
    };
    let peer = noise.peer.filter(|_| pattern != Pattern::Psk);
    let opening = Opening { keys: noise.split(), said, peer };
    step.change(at).noise = noise;
    step.rule("open begun");
    step.send(Frame::Finish { to: said.label, message });
    open(step, at, opening);
}
