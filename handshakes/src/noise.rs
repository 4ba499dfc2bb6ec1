//! The Noise protocol framework with symbolic values: its symmetric state, and the patterns that connections use.
//!
//! A reader and a writer change their state in the same way (`Noise::take`). So the messages that a reader accepts are
//! those that it would write itself with the keys of the other end: the attacker's messages are found in this way
//! (`Noise::acceptable`), without enumerating all that can be composed.

use crate::flaw::Flaw;
use crate::knowledge::Knowledge;
use crate::term::{derived, hash, list, public, sealed, shared, word, Node, Term};

/// Which keys the ends know of each other beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pattern {
    /// None.
    Xx,
    /// The initiator knows the responder's.
    Ik,
    /// A secret that both have.
    Psk,
}

/// How keys are agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suite {
    /// X25519 and a KEM.
    Hybrid,
    /// X25519 alone.
    X25519,
}

/// A token of a message pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// The secret that both have.
    Psk,
    /// An ephemeral public key.
    E,
    /// The public key of the KEM.
    E1,
    /// The ciphertext of the KEM.
    Ekem1,
    /// A static public key.
    S,
    /// Diffie-Hellman of the ephemeral keys.
    Ee,
    /// Of the initiator's ephemeral key and the responder's static one.
    Es,
    /// Of the initiator's static key and the responder's ephemeral one.
    Se,
    /// Of the static keys.
    Ss,
}

/// The messages of a pattern, as in the Noise specification (revision 34, sections 7.5 and 9.4; the hybrid extension).
fn messages(pattern: Pattern) -> &'static [&'static [Token]] {
    use Token::*;
    match pattern {
        Pattern::Xx => &[&[E, E1], &[E, Ee, Ekem1, S, Es], &[S, Se]],
        Pattern::Ik => &[&[E, E1, Es, S, Ss], &[E, Ee, Ekem1, Se]],
        Pattern::Psk => &[&[Psk, E, E1], &[E, Ee, Ekem1]],
    }
}

/// The parameters of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Its pattern.
    pub pattern: Pattern,
    /// Its suite.
    pub suite: Suite,
    /// What differs from the design.
    pub flaw: Option<Flaw>,
}

impl Plan {
    /// The tokens of a message.
    fn tokens(&self, message: u8) -> Vec<Token> {
        let all = messages(self.pattern).get(usize::from(message)).copied().unwrap_or_default();
        all.iter().copied().filter(|token| self.has(*token)).collect()
    }

    fn has(&self, token: Token) -> bool {
        let is_of_kem = matches!(token, Token::E1 | Token::Ekem1);
        let is_omitted = match self.flaw {
            Some(Flaw::ResponderUnproven) => token == Token::Es && self.pattern == Pattern::Xx,
            Some(Flaw::InitiatorUnproven) => token == Token::Se,
            Some(Flaw::StaticsOnly) => token == Token::Se && self.pattern == Pattern::Ik,
            Some(Flaw::EphemeralsUnmixed) => token == Token::Ee,
            Some(Flaw::PskUnmixed | Flaw::PskAfterPayload) => token == Token::Psk,
            _ => false,
        };
        !is_omitted && (!is_of_kem || self.suite == Suite::Hybrid)
    }

    fn name(&self) -> Term {
        if self.flaw == Some(Flaw::PlanUnbound) {
            return word("Noise");
        }
        match (self.pattern, self.suite) {
            (Pattern::Xx, Suite::Hybrid) => word("XXhfs"),
            (Pattern::Xx, Suite::X25519) => word("XX"),
            (Pattern::Ik, Suite::Hybrid) => word("IKhfs"),
            (Pattern::Ik, Suite::X25519) => word("IK"),
            (Pattern::Psk, Suite::Hybrid) => word("NNhfs+psk0"),
            (Pattern::Psk, Suite::X25519) => word("NNpsk0"),
        }
    }
}

/// The secrets with which an end takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Own {
    /// Its static key.
    pub identity: Option<Term>,
    /// The secret that both have.
    pub psk: Option<Term>,
    /// Its ephemeral key.
    pub ephemeral: Term,
    /// Of the initiator the secret key of the KEM, of the responder the randomness of the encapsulation.
    pub kem: Term,
}

/// One end of a handshake.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Noise {
    plan: Plan,
    is_initiator: bool,
    own: Own,
    /// The static key of the other end.
    pub peer: Option<Term>,
    ephemeral: Option<Term>,
    kem: Option<Term>,
    hash: Term,
    chain: Term,
    key: Option<Term>,
    nonce: u8,
    message: u8,
}

/// What the attacker may put into a message.
pub struct Offer<'a> {
    /// What it can derive.
    pub knowledge: &'a Knowledge,
    /// Public keys.
    pub publics: Vec<Term>,
    /// Public keys and ciphertexts of the KEM.
    pub kems: Vec<Term>,
    /// Payloads.
    pub payloads: Vec<Term>,
}

impl Noise {
    /// Begins. `expected`: the responder's key, if it is known beforehand (to the responder its own).
    pub fn new(plan: Plan, is_initiator: bool, own: Own, expected: Option<Term>, prologue: Term) -> Noise {
        let name = plan.name();
        let mut noise = Noise {
            plan,
            is_initiator,
            own,
            peer: expected.filter(|_| is_initiator),
            ephemeral: None,
            kem: None,
            hash: hash(name, prologue),
            chain: name,
            key: None,
            nonce: 0,
            message: 0,
        };
        if let (Pattern::Ik, Some(expected)) = (plan.pattern, expected) {
            noise.mix_hash(expected);
        }
        noise
    }

    fn mix_hash(&mut self, term: Term) {
        self.hash = hash(self.hash, term);
    }

    fn mix_key(&mut self, input: Term) {
        (self.chain, self.key, self.nonce) = (derived(self.chain, input, 1), Some(derived(self.chain, input, 2)), 0);
    }

    /// Seals and mixes a text, as both ends do.
    fn seal(&mut self, text: Term) -> Term {
        let part = self.key.map_or(text, |key| sealed(key, self.nonce, self.hash, text));
        self.nonce += u8::from(self.key.is_some());
        self.mix_hash(part);
        part
    }

    /// Diffie-Hellman of a token.
    fn agree(&self, token: Token) -> Option<Term> {
        let (own_is_static, theirs_is_static) = match token {
            Token::Ee => (false, false),
            Token::Es => (!self.is_initiator, self.is_initiator),
            Token::Se => (self.is_initiator, !self.is_initiator),
            _ => (true, true),
        };
        let own = if own_is_static { self.own.identity? } else { self.own.ephemeral };
        shared(own, if theirs_is_static { self.peer? } else { self.ephemeral? })
    }

    /// Performs a token with the value that its sender gives to it. Returns the part of the message.
    fn take(&mut self, token: Token, value: Option<Term>) -> Option<Option<Term>> {
        match token {
            Token::E => {
                let value = value?;
                self.mix_hash(value);
                if self.plan.pattern == Pattern::Psk {
                    self.mix_key(value);
                }
                Some(Some(value))
            }
            Token::S if self.plan.flaw == Some(Flaw::StaticInClear) => {
                self.mix_hash(value?);
                Some(value)
            }
            Token::S | Token::E1 => Some(Some(self.seal(value?))),
            Token::Ekem1 => {
                let part = self.seal(value?);
                let Node::KemCipher(secret, random) = value?.node() else { return None };
                if self.plan.flaw != Some(Flaw::KemUnmixed) {
                    self.mix_key(Node::KemKey(secret, random).term());
                }
                Some(Some(part))
            }
            Token::Psk => {
                let psk = self.own.psk?;
                self.mix_hash(derived(self.chain, psk, 3));
                self.mix_key(psk);
                Some(None)
            }
            _ => {
                let key = self.agree(token)?;
                self.mix_key(key);
                Some(None)
            }
        }
    }

    /// What this end puts into its own message.
    fn own_value(&self, token: Token) -> Option<Term> {
        match token {
            Token::E => Some(public(self.own.ephemeral)),
            Token::S => self.own.identity.map(public),
            Token::E1 => Some(Node::KemPublic(self.own.kem).term()),
            Token::Ekem1 => match self.kem?.node() {
                Node::KemPublic(secret) => Some(Node::KemCipher(secret, self.own.kem).term()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Writes the next message; none if a key is missing.
    pub fn write(&mut self, payload: Term) -> Option<Term> {
        let mut parts = vec![];
        for token in self.plan.tokens(self.message) {
            parts.extend(self.take(token, self.own_value(token))?);
        }
        parts.push(self.seal(payload));
        self.end_message();
        Some(list(&parts))
    }

    fn end_message(&mut self) {
        if let (Some(Flaw::PskAfterPayload), 1, Some(psk)) = (self.plan.flaw, self.message, self.own.psk) {
            self.mix_key(psk);
        }
        self.message += 1;
    }

    /// Notes the value that the other end gave to a token; none if it has another form.
    fn note(&mut self, token: Token, value: Term) -> Option<()> {
        match (token, value.node()) {
            (Token::E, Node::Public(_)) => self.ephemeral = Some(value),
            (Token::S, Node::Public(_)) => self.peer = Some(value),
            (Token::E1, Node::KemPublic(_)) => self.kem = Some(value),
            (Token::Ekem1, Node::KemCipher(secret, _)) if secret == self.own.kem => {}
            _ => return None,
        }
        Some(())
    }

    /// Reads the next message; returns its payload, or none without an effect.
    pub fn read(&mut self, message: Term) -> Option<Term> {
        let Node::List(parts) = message.node() else { return None };
        let (mut next, mut parts) = (self.clone(), parts.into_iter());
        for token in self.plan.tokens(self.message) {
            if !matches!(token, Token::E | Token::S | Token::E1 | Token::Ekem1) {
                next.take(token, None)?;
                continue;
            }
            let part = parts.next()?;
            let is_clear = token == Token::E || token == Token::S && self.plan.flaw == Some(Flaw::StaticInClear);
            let value = if is_clear { part } else { next.text(part)? };
            next.note(token, value)?;
            (next.take(token, Some(value))? == Some(part)).then_some(())?;
        }
        let part = parts.next()?;
        let payload = next.text(part)?;
        (next.seal(payload) == part && parts.next().is_none()).then_some(())?;
        next.end_message();
        *self = next;
        Some(payload)
    }

    fn text(&self, part: Term) -> Option<Term> {
        match (self.key, part.node()) {
            (None, _) => Some(part),
            (Some(key), Node::Sealed(by, _, _, text)) if by == key => Some(text),
            _ => None,
        }
    }

    /// Returns the messages that this end would accept next and that the attacker can compose of what it may offer.
    pub fn acceptable(&self, offer: &Offer<'_>) -> Vec<Term> {
        let mut ways = vec![(self.clone(), vec![])];
        for token in self.plan.tokens(self.message) {
            ways = ways.into_iter().flat_map(|(noise, parts)| noise.continued(token, &parts, offer)).collect();
        }
        let whole = |(noise, parts): &(Noise, Vec<Term>), payload: &Term| {
            let part = noise.clone().seal(*payload);
            offer.knowledge.derives(part).then(|| list(&[&parts[..], &[part]].concat()))
        };
        ways.iter().flat_map(|way| offer.payloads.iter().filter_map(|payload| whole(way, payload))).collect()
    }

    fn continued(&self, token: Token, parts: &[Term], offer: &Offer<'_>) -> Vec<(Noise, Vec<Term>)> {
        let values: Vec<Option<Term>> = match token {
            Token::E | Token::S => offer.publics.iter().copied().map(Some).collect(),
            Token::E1 | Token::Ekem1 => offer.kems.iter().copied().map(Some).collect(),
            _ => vec![None],
        };
        let continued = |value: Option<Term>| {
            let mut next = self.clone();
            if let Some(value) = value {
                next.note(token, value)?;
            }
            let part = next.take(token, value)?;
            let is_possible = part.is_none_or(|part| offer.knowledge.derives(part));
            is_possible.then(|| (next, parts.iter().copied().chain(part).collect()))
        };
        values.into_iter().filter_map(continued).collect()
    }

    /// The hash of all messages so far.
    pub fn transcript(&self) -> Term {
        self.hash
    }

    /// The ephemeral key of the other end.
    pub fn peer_ephemeral(&self) -> Option<Term> {
        self.ephemeral
    }

    /// The keys after the last message: of the initiator's messages, and of the responder's.
    pub fn split(&self) -> [Term; 2] {
        let from = if self.plan.flaw == Some(Flaw::KeysFromTranscript) { self.hash } else { self.chain };
        [1, 2].map(|number| derived(from, word("split"), number))
    }
}
