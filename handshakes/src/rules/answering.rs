//! The end that answers.

use super::both;
use super::initiating::{own_keys, own_payload};
use super::opening::{open, replace, Opening};
use super::saying::say;
use crate::derive::{confirming, head, prologue, proof};
use crate::flaw::Flaw;
use crate::frame::{Frame, Initiate, Said};
use crate::noise::{Noise, Pattern, Plan};
use crate::state::{Payload, Phase, Session};
use crate::step::{Event, Step};
use crate::term::{name, public, word, Kind, Node, Term};
use crate::world::{Address, World};
use std::rc::Rc;

/// A peer begins a connection.
pub fn initiate(step: &mut Step<'_>, member: Address, from: Address, initiate: Initiate) {
    let world = step.world;
    if world.members[usize::from(member)].serves.is_empty() {
        return;
    }
    if !serves(world, member, initiate.stack) {
        step.rule("stack refused");
        return step.send(Frame::Clear { to: initiate.from, said: Said::Refused });
    }
    let first = Frame::Initiate(Initiate { proof: None, ..initiate });
    if is_own(step, member, initiate.from) || is_known(step, member, from, first) {
        return;
    }
    if both::wins(step, member, from, &initiate) {
        return step.rule("both begin");
    }
    let is_proven = initiate.proof == Some(proof(world, member, from, initiate.from, initiate.stack));
    if world.proof && !is_proven {
        step.rule("retry");
        let proof = proof(world, member, from, initiate.from, initiate.stack);
        return step.send(Frame::Retry { to: initiate.from, proof });
    }
    let kept = step.state.sessions.iter().filter(|it| it.owner == member && !it.is_initiator()).count();
    if kept < usize::from(world.members[usize::from(member)].answers) {
        answer(step, member, from, initiate, is_proven);
    }
}

fn serves(world: &World, member: Address, stack: Term) -> bool {
    world.members[usize::from(member)].serves.iter().any(|served| word(served) == stack)
}

/// Whether the frame is one of this end itself.
fn is_own(step: &Step<'_>, member: Address, label: Term) -> bool {
    !step.world.has(Flaw::ReflectionAccepted) && step.state.labelled(member, label).is_some()
}

/// Whether the frame has begun a connection that lives.
fn is_known(step: &Step<'_>, member: Address, from: Address, first: Frame) -> bool {
    let is_same =
        |it: &Rc<Session>| it.owner == member && !it.is_initiator() && it.address == from && it.first == first;
    step.state.sessions.iter().any(|session| is_same(session) && session.is_alive())
}

/// The state of a responder that has not read message 1.
pub fn responder(world: &World, member: Address, index: u8, initiate: &Initiate) -> Noise {
    let Initiate { pattern, suite, stack, from, .. } = *initiate;
    let own = own_keys(world, member, index, pattern, Kind::Encapsulation);
    let expected = own.identity.map(public);
    Noise::new(
        Plan { pattern, suite, flaw: world.flaw },
        false,
        own,
        expected,
        prologue(world, stack, from, pattern, suite),
    )
}

fn answer(step: &mut Step<'_>, member: Address, from: Address, initiate: Initiate, is_proven: bool) {
    let (world, index) = (step.world, step.next_index(member));
    let Initiate { pattern, suite, stack, from: label, message, .. } = initiate;
    let mut noise = responder(world, member, index, &initiate);
    let Some(text) = noise.read(message) else { return };
    let said = if pattern == Pattern::Xx { None } else { Payload::read(text) };
    let is_meant =
        said.map_or(pattern == Pattern::Xx && text == word("empty"), |said| meant(world, member, &said, label));
    if !is_meant {
        return;
    }
    let own = name(Kind::Label, member, index);
    let payload = own_payload(world, member, own, word("any"), true);
    let Some(message) = noise.write(payload.term()) else { return };
    let second = Some(noise.transcript());
    let respond = Frame::Respond { to: label, from: own, message };
    step.state.sessions.push(Rc::new(Session {
        owner: member,
        life: step.life(member),
        index,
        start: None,
        address: from,
        pattern,
        suite,
        stack,
        own,
        theirs: Some(label),
        phase: Phase::Waiting,
        noise,
        second,
        first: Frame::Initiate(Initiate { proof: None, ..initiate }),
        proof: initiate.proof,
        respond: Some(respond),
        finish: None,
        said,
        link: None,
    }));
    let at = step.state.sessions.len() - 1;
    step.rule("answer");
    step.events.push(Event::Kept(at));
    step.send(respond);
    too_early(step, at, is_proven);
}

/// What flawed responders do with message 1 already.
fn too_early(step: &mut Step<'_>, at: usize, is_proven: bool) {
    let (world, session) = (step.world, step.session(at));
    let Some(said) = session.said else { return };
    let peer = session.noise.peer.filter(|_| session.pattern == Pattern::Ik);
    let opening = Opening { keys: session.noise.split(), said, peer };
    if world.has(Flaw::FinishNotRequired) || world.has(Flaw::RetryAuthenticates) && is_proven {
        open(step, at, opening);
    } else if world.has(Flaw::InitiateReplaces) {
        replace(step, at, &super::opening::older(step, at, &opening));
    }
}

/// Whether a payload of an initiator is for this end.
fn meant(world: &World, member: Address, said: &Payload, label: Term) -> bool {
    let is_compared = !world.has(Flaw::LabelUnbound) && !world.has(Flaw::LabelNotCompared);
    let is_bound = said.label == label || !is_compared;
    let is_wanted = said.wants == word("any") || said.wants == world.number(member);
    is_bound && (is_wanted || world.has(Flaw::IdentityNotCompared))
}

/// The initiator shows that it has the keys.
pub fn finish(step: &mut Step<'_>, at: usize, message: Term) {
    let session = step.session(at);
    if session.finish == Some(message) {
        return finish_again(step, at);
    }
    if session.is_initiator() || session.phase != Phase::Waiting {
        return;
    }
    let Some(label) = session.theirs else { return };
    let opening = if session.pattern == Pattern::Xx {
        last_message(step.world, session, label, message)
    } else {
        confirmation(step.world, session, message)
    };
    if let Some(opening) = opening {
        step.rule("open arrived");
        step.change(at).finish = Some(message);
        both::join(step, at, opening.peer);
        open(step, at, opening);
    }
}

/// The initiator has not heard that *finish* has arrived.
fn finish_again(step: &mut Step<'_>, at: usize) {
    let said = step.session(at).link.as_ref().map_or(0, |link| link.said);
    if step.session(at).phase == Phase::Open && said <= step.world.limits.repeats {
        step.rule("confirm again");
        say(step, at, Said::Confirmed);
    }
}

fn last_message(world: &World, session: &Session, label: Term, message: Term) -> Option<Opening> {
    let mut noise = session.noise.clone();
    let said = Payload::read(noise.read(message)?).filter(|said| meant(world, session.owner, said, label))?;
    Some(Opening { keys: noise.split(), said, peer: noise.peer })
}

fn confirmation(world: &World, session: &Session, message: Term) -> Option<Opening> {
    let keys = session.noise.split();
    let Node::Sealed(key, 0, also, text) = message.node() else { return None };
    (key == confirming(keys) && also == head(world, "finish", session.own)).then_some(())?;
    let said = session.said?;
    let token = if said.token == word("none") { text } else { said.token };
    let peer = session.noise.peer.filter(|_| session.pattern == Pattern::Ik);
    Some(Opening { keys, said: Payload { token, ..said }, peer })
}

/// A first frame of a plain stack.
pub fn plain(step: &mut Step<'_>, member: Address, stack: Term) {
    let served = step.world.members[usize::from(member)].plain;
    let is_secure = step.world.has(Flaw::PlainServed) && serves(step.world, member, stack);
    if served.is_some_and(|served| word(served) == stack) || is_secure {
        step.rule("open plain");
        step.events.push(Event::OpenedPlain { stack });
    }
}
