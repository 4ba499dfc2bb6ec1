//! The keys, tokens and payloads of connections, as the runtime derives them.

use crate::flaw::Flaw;
use crate::noise::{Pattern, Suite};
use crate::state::Payload;
use crate::term::{derived, hash, list, mac, word, Node, Term};
use crate::world::{Address, World};

/// What both ends must agree on before the first message.
pub fn prologue(world: &World, stack: Term, initiator: Term, pattern: Pattern, suite: Suite) -> Term {
    let none = word("none");
    let stack = if world.has(Flaw::StackUnbound) { none } else { stack };
    let omits = [Flaw::LabelUnbound, Flaw::LabelNotInPrologue, Flaw::LabelTooLate];
    let has_no_label = omits.iter().any(|flaw| world.has(*flaw));
    let initiator = if has_no_label { none } else { initiator };
    if world.has(Flaw::PlanNotInPrologue) || world.has(Flaw::PlanUnbound) {
        return list(&[word("nacre secure connection 1"), stack, initiator]);
    }
    let pattern = match pattern {
        Pattern::Xx => word("0"),
        Pattern::Ik => word("1"),
        Pattern::Psk => word("2"),
    };
    let suite = if suite == Suite::Hybrid { word("0") } else { word("1") };
    list(&[word("nacre secure connection 1"), stack, initiator, pattern, suite])
}

/// The token by which a member that has forgotten a connection ends it.
pub fn reset_token(world: &World, member: Address, label: Term) -> Term {
    if world.has(Flaw::TokenUnkeyed) {
        return hash(word("nacre reset"), label);
    }
    mac(derived(world.secret(member), word("nacre reset"), 1), label)
}

/// The label of a *retry*.
pub fn proof(world: &World, member: Address, from: Address, label: Term, stack: Term) -> Term {
    let key = derived(world.secret(member), word("nacre retry"), 1);
    if world.has(Flaw::RetryUnbound) {
        return mac(key, word("any"));
    }
    const ADDRESSES: [&str; 4] = ["address a", "address b", "address c", "elsewhere"];
    let from = word(ADDRESSES[usize::from(from).min(3)]);
    mac(key, list(&[from, label, stack]))
}

impl Payload {
    /// Its form in a message.
    pub fn term(&self) -> Term {
        list(&[self.label, self.identity, self.wants, self.token])
    }

    /// Reads it.
    pub fn read(term: Term) -> Option<Payload> {
        match term.node() {
            Node::List(parts) => match parts[..] {
                [label, identity, wants, token] => Some(Payload { label, identity, wants, token }),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The keys of one direction for the stack and for control frames.
pub fn direction(world: &World, key: Term, both: [Term; 2]) -> [Term; 2] {
    let of = |is_shared: bool, purpose| derived(if is_shared { both[0] } else { key }, word(purpose), 1);
    [of(world.has(Flaw::DataKeyShared), "nacre data"), of(world.has(Flaw::ControlKeyShared), "nacre control")]
}

/// The key with which the initiator of IK and psk shows that it has the keys.
pub fn confirming(keys: [Term; 2]) -> Term {
    derived(keys[0], word("nacre confirm"), 1)
}

/// The key of the epoch after that of `key`.
pub fn next_key(world: &World, key: Term) -> Term {
    match world.flaw {
        Some(Flaw::RatchetReversible) => list(&[word("nacre next key"), key]),
        Some(Flaw::RatchetPublic) => derived(word("nacre next key"), word("epoch"), 1),
        Some(Flaw::NonceRestarts) => key,
        _ => derived(key, word("nacre next key"), 1),
    }
}

/// What is authenticated with a frame beside its text.
pub fn head(world: &World, kind: &'static str, to: Term) -> Term {
    if world.has(Flaw::HeadUnbound) {
        return word(kind);
    }
    list(&[word(kind), to])
}

/// What is authenticated with a message beside its text: its epoch. The number is the nonce.
pub fn message_head(epoch: u8) -> Term {
    const EPOCHS: [&str; 4] = ["epoch 0", "epoch 1", "epoch 2", "epoch 3"];
    word(EPOCHS[usize::from(epoch).min(3)])
}
