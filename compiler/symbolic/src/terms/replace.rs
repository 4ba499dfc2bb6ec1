//! Terms in place of others, and what is calculated then.

use std::collections::HashMap;

use super::{Node, Op, Term, Terms};

/// What is known: a term, and the simpler one that it equals.
#[derive(Clone, Debug, Default)]
pub struct Known {
    equals: HashMap<Term, Term>,
}

impl Known {
    /// Nothing.
    pub fn new() -> Known {
        Known::default()
    }

    /// A term equals another one.
    pub fn put(&mut self, term: Term, equal: Term) {
        self.equals.insert(term, equal);
    }

    /// Whether something was learned.
    pub fn is_empty(&self) -> bool {
        self.equals.is_empty()
    }
}

impl Terms {
    /// Learns that a formula is true or false, and what follows for its parts.
    pub fn learn(&mut self, known: &mut Known, formula: Term, holds: bool) {
        let truth = self.truth(holds);
        known.put(formula, truth);
        match self.node(formula).clone() {
            Node::Apply(Op::Not, parts) => self.learn(known, parts[0], !holds),
            Node::Apply(Op::And, parts) if holds => parts.iter().for_each(|part| self.learn(known, *part, true)),
            Node::Apply(Op::Or, parts) if !holds => parts.iter().for_each(|part| self.learn(known, *part, false)),
            Node::Apply(Op::Equal, parts) if holds => self.learn_equal(known, parts[0], parts[1]),
            _ => {}
        }
    }

    /// A constant stands for what it equals; otherwise the older of two terms, which cannot contain the other, does.
    fn learn_equal(&mut self, known: &mut Known, a: Term, b: Term) {
        let is_constant = |term: Term| self.value_of(term).is_some() || self.truth_of(term).is_some();
        match (is_constant(a), is_constant(b)) {
            (true, _) => known.put(b, a),
            (_, true) => known.put(a, b),
            _ => known.put(a.max(b), a.min(b)),
        }
    }

    /// The term with everything in it replaced that is known to equal something simpler.
    pub fn replace(&mut self, term: Term, known: &Known) -> Term {
        if known.is_empty() {
            return term;
        }
        self.replace_all(term, known, &mut HashMap::new())
    }

    fn replace_all(&mut self, term: Term, known: &Known, done: &mut HashMap<Term, Term>) -> Term {
        // Without recursion: the terms of arrays are deep.
        let mut open = vec![term];
        while let Some(here) = open.last().copied() {
            if done.contains_key(&here) {
                open.pop();
                continue;
            }
            if let Some(equal) = known.equals.get(&here) {
                done.insert(here, *equal);
                open.pop();
                continue;
            }
            let node = self.node(here).clone();
            let before = open.len();
            open.extend(node.parts().into_iter().filter(|part| !done.contains_key(part)));
            if open.len() > before {
                continue;
            }
            let made = self.remade(here, &node, done);
            done.insert(here, known.equals.get(&made).copied().unwrap_or(made));
            open.pop();
        }
        done[&term]
    }

    /// The node of other parts.
    fn remade(&mut self, term: Term, node: &Node, by: &HashMap<Term, Term>) -> Term {
        let parts: Vec<Term> = node.parts().iter().map(|part| by[part]).collect();
        match node {
            Node::Truth(_) | Node::Bits(..) | Node::Free(..) => term,
            Node::Filled(index, _) => self.filled(*index, parts[0]),
            Node::Call(name, result, _) => self.call(name, *result, &parts),
            Node::Apply(op, _) => self.apply(*op, &parts),
        }
    }

    /// An operation on terms of the sorts that it takes.
    fn apply(&mut self, op: Op, parts: &[Term]) -> Term {
        match op {
            Op::Not => self.not(parts[0]),
            Op::And => self.and(parts),
            Op::Or => self.or(parts),
            Op::Equal => self.equal(parts[0], parts[1]),
            Op::If => self.choose(parts[0], parts[1], parts[2]),
            Op::BvNot | Op::BvNeg => self.unary(op, parts[0]),
            Op::BvAnd | Op::BvOr | Op::BvXor | Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::URem | Op::SDiv => {
                self.binary(op, parts[0], parts[1])
            }
            Op::SRem | Op::Shl | Op::LShr | Op::AShr => self.binary(op, parts[0], parts[1]),
            Op::ULess | Op::SLess => self.less(op, parts[0], parts[1]),
            Op::Count => self.ones(parts[0]),
            Op::Extract(high, low) => self.extract(parts[0], high, low),
            Op::ZeroExtend(by) => {
                let width = self.width(parts[0]) + by;
                self.resize(parts[0], width)
            }
            Op::SignExtend(by) => {
                let width = self.width(parts[0]) + by;
                self.resize_signed(parts[0], width)
            }
            Op::Concat => self.concat(parts[0], parts[1]),
            Op::Select => self.select(parts[0], parts[1]),
            Op::Store => self.store(parts[0], parts[1], parts[2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::Sort;

    #[test]
    fn what_is_known_of_parts_simplifies_the_whole() {
        let mut terms = Terms::new();
        let [a, b] = ["a", "b"].map(|name| terms.free(name, Sort::Bits(8)));
        let (five, less) = (terms.bits(8, 5), terms.less(Op::ULess, a, b));
        let equal = terms.equal(a, five);
        let both = terms.and(&[less, equal]);
        let mut known = Known::new();
        terms.learn(&mut known, both, true);
        let sum = terms.binary(Op::Add, a, five);
        let chosen = terms.choose(less, sum, b);
        let ten = terms.bits(8, 10);
        assert_eq!(terms.replace(chosen, &known), ten);
        // Of a false disjunction each part is false.
        let mut known = Known::new();
        let either = terms.or(&[less, equal]);
        terms.learn(&mut known, either, false);
        assert_eq!(terms.replace(chosen, &known), b);
        let not_equal = terms.not(equal);
        let truth = terms.truth(true);
        assert_eq!(terms.replace(not_equal, &known), truth);
    }

    #[test]
    fn the_older_of_equal_terms_stays() {
        let mut terms = Terms::new();
        let [a, b] = ["a", "b"].map(|name| terms.free(name, Sort::Bits(8)));
        let sum = terms.binary(Op::Add, a, b);
        let (equal, mut known) = (terms.equal(a, sum), Known::new());
        terms.learn(&mut known, equal, true);
        let less = terms.less(Op::ULess, a, sum);
        let never = terms.truth(false);
        assert_eq!(terms.replace(less, &known), never);
        assert_eq!(terms.replace(a, &known), a);
    }
}
