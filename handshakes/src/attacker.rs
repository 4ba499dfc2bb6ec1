//! Frames that nobody sent and that somebody could accept: composed by the attacker of all that it can derive.
//!
//! What a member accepts next follows from its state, so the frames are built from there: each field takes the values
//! that the attacker has, and a sealed part is one that it can derive. Everything else is dropped without an effect.

use crate::derive::{confirming, head, message_head, next_key};
use crate::frame::{Frame, Initiate, Said};
use crate::honest::open_ends;
use crate::knowledge::Knowledge;
use crate::noise::{Offer, Pattern, Suite};
use crate::rules::answering::responder;
use crate::state::{Payload, Phase, Session, State};
use crate::term::{name, public, sealed, word, Kind, Node, Term, ATTACKER};
use crate::world::{Address, World};

/// All such frames.
pub fn forged(world: &World, state: &State, knowledge: &Knowledge) -> Vec<Frame> {
    let mut frames = vec![];
    for member in world.addresses() {
        frames.extend(initiates(world, state, knowledge, member));
    }
    for session in state.sessions.iter().filter(|session| session.phase == Phase::Waiting) {
        if session.is_initiator() {
            frames.extend(responds(world, state, knowledge, session));
        } else {
            frames.extend(finishes(world, state, knowledge, session));
        }
        frames.push(Frame::Clear { to: session.own, said: Said::Refused });
    }
    for session in open_ends(world, state) {
        frames.extend(to_open(world, knowledge, session));
        frames.extend(redirected(state, session));
    }
    frames.extend(plains(world));
    frames.retain(|frame| state.sent.binary_search(frame).is_err());
    frames
}

/// The names of the attacker: its label, and its public keys.
fn own_label() -> Term {
    name(Kind::Label, ATTACKER, 0)
}

/// What the attacker has at first.
pub fn initial(world: &World) -> Knowledge {
    let mut terms: Vec<Term> = [Kind::Static, Kind::Ephemeral, Kind::Decapsulation, Kind::Encapsulation, Kind::Label]
        .map(|kind| name(kind, ATTACKER, 0))
        .to_vec();
    terms.extend(world.attacker.statics.iter().filter_map(|member| world.identity(*member)));
    terms.extend(world.attacker.psk.then(crate::world::common_secret));
    if !world.attacker.knows_no_publics {
        terms.extend(world.addresses().filter_map(|member| world.identity(member)).map(public));
    }
    let knowledge = Knowledge::default().with(&terms);
    if world.attacker.breaks_dh {
        knowledge.without_dh()
    } else {
        knowledge
    }
}

fn offer<'a>(knowledge: &'a Knowledge, payloads: Vec<Term>) -> Offer<'a> {
    let mut publics = knowledge.which(|node| matches!(node, Node::Public(_)));
    publics.extend([Kind::Ephemeral, Kind::Static].map(|kind| public(name(kind, ATTACKER, 0))));
    let mut kems = knowledge.which(|node| matches!(node, Node::KemPublic(_) | Node::KemCipher(..)));
    let own = Node::KemPublic(name(Kind::Decapsulation, ATTACKER, 0)).term();
    let random = name(Kind::Encapsulation, ATTACKER, 0);
    let ciphers: Vec<Term> = kems
        .iter()
        .filter_map(|kem| match kem.node() {
            Node::KemPublic(secret) => Some(Node::KemCipher(secret, random).term()),
            _ => None,
        })
        .collect();
    kems.extend(ciphers.into_iter().chain([own]));
    Offer { knowledge, publics, kems, payloads }
}

/// The payloads that the attacker can say under a label, in the name of each member.
fn payloads(world: &World, label: Term) -> Vec<Term> {
    let mut numbers: Vec<Term> = world.addresses().map(|member| world.number(member)).collect();
    numbers.dedup();
    let said = |identity: Term| Payload { label, identity, wants: word("any"), token: word("none") }.term();
    numbers.into_iter().map(said).collect()
}

/// Labels that first frames have had, and the attacker's.
fn labels(state: &State) -> Vec<Term> {
    let of_initiators = state.sessions.iter().filter(|session| session.is_initiator()).map(|session| session.own);
    of_initiators.chain([own_label()]).collect()
}

fn initiates(world: &World, state: &State, knowledge: &Knowledge, member: Address) -> Vec<Frame> {
    let endpoint = &world.members[usize::from(member)];
    let owned = state.sessions.iter().filter(|session| session.owner == member);
    let kept = owned.clone().filter(|session| !session.is_initiator()).count();
    if kept >= usize::from(endpoint.answers) {
        return vec![];
    }
    let index = owned.count() as u8;
    let mut frames = vec![];
    for stack in endpoint.serves {
        for (pattern, suite) in plans(world) {
            for from in labels(state) {
                let first = Initiate { proof: None, stack: word(stack), from, pattern, suite, message: from };
                let texts = if pattern == Pattern::Xx { vec![word("empty")] } else { payloads(world, from) };
                let messages = responder(world, member, index, &first).acceptable(&offer(knowledge, texts));
                frames.extend(messages.into_iter().map(|message| Initiate { message, ..first }));
            }
        }
    }
    frames.into_iter().flat_map(|frame| with_proofs(state, frame)).map(Frame::Initiate).collect()
}

fn plans(world: &World) -> Vec<(Pattern, Suite)> {
    let mut plans: Vec<(Pattern, Suite)> = vec![];
    for start in &world.starts {
        for suite in [start.suite, Suite::X25519] {
            if !plans.contains(&(start.pattern, suite)) {
                plans.push((start.pattern, suite));
            }
        }
    }
    plans
}

/// With each label of a *retry*.
fn with_proofs(state: &State, initiate: Initiate) -> Vec<Initiate> {
    let proof = |frame: &Frame| match frame {
        Frame::Retry { proof, .. } => Some(*proof),
        _ => None,
    };
    let proofs = state.sent.iter().filter_map(proof).map(Some).chain([None]);
    proofs.map(|proof| Initiate { proof, ..initiate }).collect()
}

fn responds(world: &World, state: &State, knowledge: &Knowledge, session: &Session) -> Vec<Frame> {
    let (to, label) = (session.own, own_label());
    // It can claim the label of somebody else, too.
    let others = state.sessions.iter().filter(|other| !other.is_initiator()).map(|other| other.own);
    let claimed = others.chain([label]);
    let of = |from: Term| {
        let messages = session.noise.acceptable(&offer(knowledge, payloads(world, from)));
        messages.into_iter().map(move |message| Frame::Respond { to, from, message })
    };
    let mut frames: Vec<Frame> = claimed.flat_map(of).collect();
    // An answer that was sent, for another label or with another one in clear.
    for frame in state.sent.iter() {
        if let Frame::Respond { from, message, .. } = *frame {
            frames.extend([from, label].map(|from| Frame::Respond { to, from, message }));
        }
    }
    frames
}

fn finishes(world: &World, state: &State, knowledge: &Knowledge, session: &Session) -> Vec<Frame> {
    let Some(theirs) = session.theirs else { return vec![] };
    let to = session.own;
    let sent = |frame: &Frame| match *frame {
        Frame::Finish { message, .. } => Some(message),
        _ => None,
    };
    let mut messages: Vec<Term> = state.sent.iter().filter_map(sent).collect();
    if session.pattern == Pattern::Xx {
        messages.extend(session.noise.acceptable(&offer(knowledge, payloads(world, theirs))));
    } else {
        let message = sealed(confirming(session.noise.split()), 0, head(world, "finish", to), word("none"));
        messages.extend(knowledge.derives(message).then_some(message));
    }
    messages.into_iter().map(|message| Frame::Finish { to, message }).collect()
}

/// Frames to an open connection of an honest peer. Those in clear need nothing but the label.
fn to_open(world: &World, knowledge: &Knowledge, session: &Session) -> Vec<Frame> {
    let (Some(link), Some(theirs)) = (&session.link, session.theirs) else { return vec![] };
    let to = session.own;
    let mut frames: Vec<Frame> = vec![Frame::Reset { unknown: theirs, token: word("guess") }];
    let asked = link.asked.map(|(_, token)| Said::Pong(token));
    let said = [Said::Refused, Said::Over, Said::Unknown].into_iter().chain(asked);
    frames.extend(said.map(|said| Frame::Clear { to, said }));
    if knowledge.derives(link.token) {
        frames.push(Frame::Reset { unknown: theirs, token: link.token });
    }
    let body = sealed(link.control[1], 15, head(world, "sealed", to), Said::Over.term());
    if knowledge.derives(body) {
        frames.push(Frame::Sealed { to, body });
    }
    if world.limits.data > 0 {
        for (epoch, key) in [(link.back.epoch, link.back.key), (link.back.epoch + 1, next_key(world, link.back.key))] {
            for key in [key, word("guess")] {
                let body = sealed(key, 0, message_head(epoch), word("forged"));
                frames.extend(knowledge.derives(body).then_some(Frame::Short { to, epoch, body }));
            }
        }
    }
    frames
}

/// What was sealed for one label, with that of another connection.
fn redirected(state: &State, session: &Session) -> Vec<Frame> {
    let to = session.own;
    let changed = |frame: &Frame| match *frame {
        Frame::Sealed { body, .. } => Some(Frame::Sealed { to, body }),
        Frame::Short { epoch, body, .. } => Some(Frame::Short { to, epoch, body }),
        _ => None,
    };
    state.sent.iter().filter_map(changed).collect()
}

/// First frames of plain stacks.
fn plains(world: &World) -> Vec<Frame> {
    let stacks = world.members.iter().flat_map(|member| member.serves.iter().copied().chain(member.plain));
    let from = own_label();
    let mut frames: Vec<Frame> =
        stacks.map(|stack| Frame::Plain { stack: word(stack), from, data: word("forged") }).collect();
    frames.dedup();
    frames
}
