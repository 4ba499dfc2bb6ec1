//! Terms: symbolic values that principals and the attacker exchange.
//!
//! Cryptography is perfect: two terms are equal only if they were made in the same way, and a sealed text is opened
//! only with its key. The one equation is that of Diffie-Hellman: `shared(x, public(y)) = shared(y, public(x))`. Equal
//! terms have the same number, so they are compared and copied as numbers. The table of terms belongs to a thread.

use std::cell::RefCell;
use std::collections::HashMap;

/// A term, by its number in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// What a fresh name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A secret key that lasts.
    Static,
    /// A secret key of one handshake.
    Ephemeral,
    /// A secret key of the KEM, of one handshake.
    Decapsulation,
    /// The randomness of one encapsulation.
    Encapsulation,
    /// A secret that several endpoints have.
    Common,
    /// The secret of an endpoint that survives a restart.
    Surviving,
    /// A cookie and its key.
    Label,
    /// A message of the application.
    Data,
    /// The token of a ping.
    Token,
}

/// How a term is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant, known to everybody.
    Word(&'static str),
    /// A fresh value: its kind, its owner, and which one.
    Name(Kind, u8, u8),
    /// The public key of a secret key.
    Public(Term),
    /// The result of Diffie-Hellman of two secret keys; the smaller one first.
    Shared(Term, Term),
    /// The public key of the KEM.
    KemPublic(Term),
    /// The ciphertext for a secret key, with this randomness.
    KemCipher(Term, Term),
    /// The key that both ends have after it.
    KemKey(Term, Term),
    /// A hash of two terms.
    Hash(Term, Term),
    /// The n-th result of HKDF, of a chaining key and an input; or of a key and a purpose.
    Derived(Term, Term, u8),
    /// Authenticated encryption: key, nonce, associated data, text.
    Sealed(Term, u8, Term, Term),
    /// A keyed hash.
    Mac(Term, Term),
    /// Several terms, one after the other.
    List(Vec<Term>),
}

#[derive(Default)]
struct Table {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Term>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

impl Node {
    /// Returns the term that is made in this way.
    pub fn term(self) -> Term {
        TABLE.with_borrow_mut(|table| {
            if let Some(known) = table.numbers.get(&self) {
                return *known;
            }
            let term = Term(table.nodes.len() as u32);
            table.nodes.push(self.clone());
            table.numbers.insert(self, term);
            term
        })
    }
}

impl Term {
    /// Returns how the term is made.
    pub fn node(self) -> Node {
        TABLE.with_borrow(|table| table.nodes[self.0 as usize].clone())
    }
}

/// A constant.
pub fn word(word: &'static str) -> Term {
    Node::Word(word).term()
}

/// A fresh value.
pub fn name(kind: Kind, owner: u8, index: u8) -> Term {
    Node::Name(kind, owner, index).term()
}

/// The public key of a secret key.
pub fn public(secret: Term) -> Term {
    Node::Public(secret).term()
}

/// The result of Diffie-Hellman; none if `public` is no public key.
pub fn shared(secret: Term, public: Term) -> Option<Term> {
    match public.node() {
        Node::Public(other) => Some(Node::Shared(secret.min(other), secret.max(other)).term()),
        _ => None,
    }
}

/// A hash of two terms.
pub fn hash(one: Term, other: Term) -> Term {
    Node::Hash(one, other).term()
}

/// The n-th result of HKDF.
pub fn derived(key: Term, input: Term, number: u8) -> Term {
    Node::Derived(key, input, number).term()
}

/// A text that is sealed.
pub fn sealed(key: Term, number: u8, also: Term, text: Term) -> Term {
    Node::Sealed(key, number, also, text).term()
}

/// A keyed hash.
pub fn mac(key: Term, text: Term) -> Term {
    Node::Mac(key, text).term()
}

/// Several terms, one after the other.
pub fn list(terms: &[Term]) -> Term {
    Node::List(terms.to_vec()).term()
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.node() {
            Node::Word(word) => f.write_str(word),
            Node::Name(kind, owner, index) => write!(f, "{}.{}{index}", short(kind), member(owner)),
            Node::Public(secret) => write!(f, "g^{secret}"),
            Node::Shared(one, other) => write!(f, "g^({one}*{other})"),
            Node::KemPublic(secret) => write!(f, "kem({secret})"),
            Node::KemCipher(secret, random) => write!(f, "kem({secret}, {random})"),
            Node::Sealed(_, number, _, text) => write!(f, "{{{text}}}#{number}"),
            Node::List(parts) => {
                let parts: Vec<String> = parts.iter().map(Term::to_string).collect();
                write!(f, "[{}]", parts.join(" "))
            }
            Node::Mac(..) => f.write_str("mac"),
            Node::KemKey(..) | Node::Hash(..) | Node::Derived(..) => f.write_str("key"),
        }
    }
}

fn short(kind: Kind) -> &'static str {
    match kind {
        Kind::Static => "s",
        Kind::Ephemeral => "e",
        Kind::Decapsulation => "d",
        Kind::Encapsulation => "r",
        Kind::Common => "psk",
        Kind::Surviving => "secret",
        Kind::Label => "L",
        Kind::Data => "data",
        Kind::Token => "t",
    }
}

/// The letter of a member; the attacker is `m`.
pub fn member(owner: u8) -> char {
    if owner == ATTACKER {
        'm'
    } else {
        char::from(b'a' + owner)
    }
}

/// The owner of the names, and the address, of the attacker.
pub const ATTACKER: u8 = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_numbers() {
        let (x, y) = (name(Kind::Static, 0, 0), name(Kind::Ephemeral, 1, 3));
        assert_eq!(shared(x, public(y)), shared(y, public(x)));
        assert_ne!(shared(x, public(y)), shared(x, public(x)));
        assert_eq!(shared(x, y), None, "no public key");
        assert_eq!(list(&[x, y]), list(&[x, y]));
        assert_ne!(sealed(x, 0, y, y), sealed(x, 1, y, y));
        assert_eq!(sealed(x, 1, y, public(y)).to_string(), "{g^e.b3}#1");
    }
}
