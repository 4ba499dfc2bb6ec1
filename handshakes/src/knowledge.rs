//! What the attacker can derive: all that it can take apart, and all that it can compose from that.
//!
//! Taking apart is done when a term becomes known, until nothing new appears. Composing has no end, so it is a
//! question: `derives` answers whether one given term can be composed.

use crate::term::{Node, Term};
use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

/// A set of terms; its order is the same in each run.
type Terms = HashSet<Term, BuildHasherDefault<DefaultHasher>>;

/// The terms that somebody knows.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    known: Terms,
    /// Sealed texts whose keys are not known.
    locked: Vec<Term>,
    /// A public key shows its secret: Diffie-Hellman is broken.
    breaks_dh: bool,
    answers: RefCell<HashMap<Term, bool>>,
}

impl Knowledge {
    /// Returns this knowledge and these terms, and all that follows.
    pub fn with(&self, terms: &[Term]) -> Knowledge {
        let mut more = Knowledge { answers: RefCell::default(), ..self.clone() };
        more.learn(terms.to_vec());
        more
    }

    /// Returns this knowledge in a world where a public key shows its secret.
    pub fn without_dh(&self) -> Knowledge {
        let mut more = Knowledge { answers: RefCell::default(), breaks_dh: true, ..self.clone() };
        more.learn(self.known.iter().copied().collect());
        more
    }

    fn learn(&mut self, mut new: Vec<Term>) {
        loop {
            while let Some(term) = new.pop() {
                self.take_apart(term, &mut new);
            }
            self.answers.borrow_mut().clear();
            let (open, locked): (Vec<Term>, Vec<Term>) =
                std::mem::take(&mut self.locked).into_iter().partition(|sealed| self.opens(*sealed));
            self.locked = locked;
            new.extend(open.into_iter().filter_map(text));
            if new.is_empty() {
                self.answers.borrow_mut().clear();
                return;
            }
        }
    }

    fn take_apart(&mut self, term: Term, new: &mut Vec<Term>) {
        let is_new = self.known.insert(term);
        match term.node() {
            Node::List(parts) if is_new => new.extend(parts),
            Node::Sealed(..) if is_new => self.locked.push(term),
            Node::Public(secret) if self.breaks_dh && !self.known.contains(&secret) => new.push(secret),
            _ => {}
        }
    }

    fn opens(&self, sealed: Term) -> bool {
        matches!(sealed.node(), Node::Sealed(key, ..) if self.derives(key))
    }

    /// Returns whether the term can be composed from what is known.
    pub fn derives(&self, term: Term) -> bool {
        if self.known.contains(&term) {
            return true;
        }
        if let Some(answer) = self.answers.borrow().get(&term) {
            return *answer;
        }
        let answer = self.composes(term);
        self.answers.borrow_mut().insert(term, answer);
        answer
    }

    fn composes(&self, term: Term) -> bool {
        let all = |parts: &[Term]| parts.iter().all(|part| self.derives(*part));
        match term.node() {
            Node::Word(_) => true,
            Node::Name(..) => false,
            Node::Public(secret) | Node::KemPublic(secret) => self.derives(secret),
            Node::Shared(one, other) => {
                let has = |secret: Term, other: Term| self.derives(secret) && self.derives(Node::Public(other).term());
                has(one, other) || has(other, one)
            }
            Node::KemCipher(secret, random) => all(&[random, Node::KemPublic(secret).term()]),
            Node::KemKey(secret, random) => {
                all(&[secret, Node::KemCipher(secret, random).term()]) || all(&[random, Node::KemPublic(secret).term()])
            }
            Node::Hash(one, other) | Node::Derived(one, other, _) | Node::Mac(one, other) => all(&[one, other]),
            Node::Sealed(key, _, also, text) => all(&[key, also, text]),
            Node::List(parts) => all(&parts),
        }
    }

    /// Returns the known terms of which this is true, in order.
    pub fn which(&self, is_wanted: impl Fn(&Node) -> bool) -> Vec<Term> {
        let mut found: Vec<Term> = self.known.iter().copied().filter(|term| is_wanted(&term.node())).collect();
        found.sort();
        found
    }
}

fn text(term: Term) -> Option<Term> {
    match term.node() {
        Node::Sealed(_, _, _, text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{derived, list, mac, name, public, sealed, shared, word, Kind};

    fn names() -> [Term; 3] {
        [0, 1, 2].map(|owner| name(Kind::Static, owner, 0))
    }

    #[test]
    fn sealed_text_is_known_with_its_key_whenever_that_comes() {
        let [key, text, other] = names();
        let frame = list(&[word("frame"), sealed(key, 0, word("also"), text)]);
        let knows = Knowledge::default().with(&[frame]);
        assert!(knows.derives(sealed(key, 0, word("also"), text)), "as it was sent");
        assert!(!knows.derives(text) && !knows.derives(sealed(key, 0, word("also"), other)));
        assert!(knows.with(&[key]).derives(text));
        let nested = knows.with(&[sealed(other, 0, other, key)]);
        assert!(!nested.derives(text) && nested.with(&[other]).derives(text));
    }

    #[test]
    fn shared_key_needs_a_secret_and_a_public_key() {
        let [one, other, third] = names();
        let key = shared(one, public(other)).unwrap();
        let knows = Knowledge::default().with(&[public(one), public(other), third]);
        assert!(!knows.derives(key));
        assert!(knows.derives(shared(third, public(one)).unwrap()));
        assert!(knows.with(&[one]).derives(key) && knows.with(&[other]).derives(key));
        assert!(!Knowledge::default().with(&[one]).derives(key), "the other public key is not known");
        assert!(knows.without_dh().derives(key));
    }

    #[test]
    fn kem_is_not_broken_with_diffie_hellman() {
        let [secret, random, _] = names();
        let (cipher, key) = (Node::KemCipher(secret, random).term(), Node::KemKey(secret, random).term());
        let knows = Knowledge::default().with(&[cipher, Node::KemPublic(secret).term()]).without_dh();
        assert!(!knows.derives(key));
        assert!(knows.with(&[secret]).derives(key) && knows.with(&[random]).derives(key));
    }

    #[test]
    fn one_way_functions_are_composed_and_never_taken_apart() {
        let [key, text, _] = names();
        let knows = Knowledge::default().with(&[mac(key, text), derived(key, text, 1)]);
        assert!(!knows.derives(key) && !knows.derives(text) && !knows.derives(derived(key, text, 2)));
        assert!(knows.with(&[key, text]).derives(derived(key, text, 2)));
    }
}
