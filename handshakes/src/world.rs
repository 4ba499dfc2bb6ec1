//! Worlds: who takes part, what each may do and how often, and what the attacker knows at first.

use crate::flaw::Flaw;
use crate::noise::{Pattern, Suite};
use crate::term::{name, word, Kind, Term, ATTACKER};

/// A member, a network address of it, or the attacker's.
pub type Address = u8;

/// A bounded world.
#[derive(Clone, Debug)]
pub struct World {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// The endpoints; the first is `a`.
    pub members: Vec<Member>,
    /// The connections that they begin, in any order.
    pub starts: Vec<Start>,
    /// How often each thing happens at most.
    pub limits: Limits,
    /// What the attacker has at first.
    pub attacker: Attacker,
    /// Listeners ask for a proof of the address before they keep anything.
    pub proof: bool,
    /// Frames also arrive from the attacker's address.
    pub moves: bool,
    /// What differs from the design.
    pub flaw: Option<Flaw>,
}

/// An endpoint.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// It has a static key.
    pub keys: bool,
    /// It has the common secret.
    pub psk: bool,
    /// The stacks that it serves.
    pub serves: &'static [&'static str],
    /// A plain stack that it serves beside them.
    pub plain: Option<&'static str>,
    /// Its identity number.
    pub identity: &'static str,
    /// How many connections of peers it keeps.
    pub answers: u8,
    /// The index of the secret that survives a restart.
    pub secret: u8,
}

/// A connection that a member begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Who begins.
    pub by: Address,
    /// The address.
    pub to: Address,
    /// Whom the application expects.
    pub pattern: Pattern,
    /// How keys are agreed on.
    pub suite: Suite,
    /// The stack.
    pub stack: &'static str,
    /// The identity of the peer, or `any`.
    pub wants: &'static str,
    /// XX: the application expects the key of the member at that address.
    pub is_pinned: bool,
}

/// How often each thing happens at most.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Messages that the application sends, in each direction of each connection.
    pub data: u8,
    /// Key updates of each direction.
    pub epochs: u8,
    /// Orderly ends and refusals of the applications, together.
    pub ends: u8,
    /// Pings of each connection end.
    pub pings: u8,
    /// Repetitions of *confirmed*, as long as nothing else was said under seal.
    pub repeats: u8,
    /// Restarts of endpoints.
    pub restarts: u8,
    /// Members whose connections are restarted; all if none is named.
    pub restarts_at: Option<Address>,
}

/// What the attacker has at first, beside a static key of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attacker {
    /// The static keys of these members.
    pub statics: &'static [Address],
    /// The common secret.
    pub psk: bool,
    /// Public keys show their secrets to it.
    pub breaks_dh: bool,
    /// It does not know the public keys of the members.
    pub knows_no_publics: bool,
    /// It only listens: it delivers frames as they were sent, and makes none.
    pub is_passive: bool,
}

impl World {
    /// The static key of a member.
    pub fn identity(&self, member: Address) -> Option<Term> {
        let has_keys = member == ATTACKER || self.members[usize::from(member)].keys;
        has_keys.then(|| name(Kind::Static, member, 0))
    }

    /// The common secret, if the member has it.
    pub fn psk(&self, member: Address) -> Option<Term> {
        self.members[usize::from(member)].psk.then(common_secret)
    }

    /// The secret of a member from which reset tokens are made.
    pub fn secret(&self, member: Address) -> Term {
        let of_all = self.members[0].secret;
        let own = self.members[usize::from(member)].secret;
        name(Kind::Surviving, if self.has(Flaw::SecretOfTwo) { of_all } else { own }, 0)
    }

    /// The identity number of a member.
    pub fn number(&self, member: Address) -> Term {
        word(self.members[usize::from(member)].identity)
    }

    /// All members.
    pub fn addresses(&self) -> impl Iterator<Item = Address> {
        0..self.members.len() as u8
    }

    /// Whether the world has this flaw.
    pub fn has(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }

    /// Returns the static keys and common secrets that can become known later.
    pub fn lasting_secrets(&self) -> Vec<Term> {
        let psk = self.members.iter().any(|member| member.psk).then(common_secret);
        self.addresses().filter_map(|member| self.identity(member)).chain(psk).collect()
    }
}

/// The secret that the members have in common.
pub fn common_secret() -> Term {
    name(Kind::Common, 0, 0)
}
