//! Bit vectors as sets. What is asked of a set that was made of others is asked of those: so what is known of the state
//! before decides it without a solver.

use super::{Node, Op, Sort, Term, Terms};

impl Terms {
    /// Whether the element at a place is in a set; at a place beyond its width, none is.
    pub fn has(&mut self, set: Term, at: Term) -> Term {
        let inside = self.is_inside(set, at);
        let there = self.has_inside(set, at);
        self.and(&[inside, there])
    }

    /// Whether a place is not beyond the width of a set.
    fn is_inside(&mut self, set: Term, at: Term) -> Term {
        let most = u128::from(self.width(set));
        match self.width(at) {
            narrow @ ..=31 if 1 << narrow <= most => self.truth(true),
            width => {
                let most = self.bits(width, most);
                self.less(Op::ULess, at, most)
            }
        }
    }

    /// Whether the element at a place that is not beyond the width is in a set.
    fn has_inside(&mut self, set: Term, at: Term) -> Term {
        match self.node(set).clone() {
            Node::Apply(Op::BvOr, parts) => {
                let either: Vec<Term> = parts.iter().map(|part| self.has_inside(*part, at)).collect();
                self.or(&either)
            }
            Node::Apply(Op::BvAnd, parts) => {
                let both: Vec<Term> = parts.iter().map(|part| self.has_inside(*part, at)).collect();
                self.and(&both)
            }
            Node::Apply(Op::BvNot, parts) => {
                let there = self.has_inside(parts[0], at);
                self.not(there)
            }
            Node::Apply(Op::If, parts) => {
                let [then, otherwise] = [parts[1], parts[2]].map(|part| self.has_inside(part, at));
                self.choose(parts[0], then, otherwise)
            }
            _ => self.bit(set, at),
        }
    }

    fn bit(&mut self, set: Term, at: Term) -> Term {
        let amount = self.resize(at, self.width(set));
        if let Some(by) = self.shifted_one(set) {
            // Zeros in front change nothing.
            return match (self.node(by), self.node(amount)) {
                (Node::Apply(Op::ZeroExtend(x), a), Node::Apply(Op::ZeroExtend(y), b)) if x == y => {
                    let (a, b) = (a[0], b[0]);
                    self.equal(a, b)
                }
                _ => self.equal(amount, by),
            };
        }
        let shifted = self.binary(Op::LShr, set, amount);
        let (bit, one) = (self.extract(shifted, 0, 0), self.bits(1, 1));
        self.equal(bit, one)
    }

    /// How many elements a set has, in 32 bits.
    pub fn ones(&mut self, set: Term) -> Term {
        if let Some(words) = self.words_of(set) {
            return self.bits(32, words.iter().map(|word| u128::from(word.count_ones())).sum());
        }
        if let Node::Apply(Op::If, parts) = self.node(set).clone() {
            let [then, otherwise] = [parts[1], parts[2]].map(|part| self.ones(part));
            return self.choose(parts[0], then, otherwise);
        }
        let with_one_more = match self.node(set) {
            Node::Apply(Op::BvOr, parts) => self.shifted_one(parts[1]).map(|by| (parts[0], by)),
            _ => None,
        };
        let Some((others, by)) = with_one_more else {
            return self.enter(Node::Apply(Op::Count, vec![set]), Sort::Bits(32));
        };
        let by = match self.node(by) {
            Node::Apply(Op::ZeroExtend(_), parts) => parts[0],
            _ => by,
        };
        let (before, one) = (self.ones(others), self.bits(32, 1));
        let (fits, there) = (self.is_inside(set, by), self.has(others, by));
        let is_new = self.not(there);
        let (grows, more) = (self.and(&[fits, is_new]), self.binary(Op::Add, before, one));
        self.choose(grows, more, before)
    }

    /// By how many places a set of one element is shifted.
    fn shifted_one(&self, set: Term) -> Option<Term> {
        match self.node(set) {
            Node::Apply(Op::Shl, parts) if self.value_of(parts[0]) == Some(1) => Some(parts[1]),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Known;
    use super::*;

    const WIDTH: u32 = 3;

    /// All sets of three places, and one more element, at all places of numbers of one, two and four bits.
    #[test]
    fn elements_and_numbers_of_elements_are_those_of_the_sets() {
        let mut asked = 0;
        for bits in [1, 2, 4] {
            let mut terms = Terms::new();
            let [set, other] = ["set", "other"].map(|name| terms.free(name, Sort::Bits(WIDTH)));
            let [by, at] = ["by", "at"].map(|name| terms.free(name, Sort::Bits(bits)));
            let (one, amount) = (terms.bits(WIDTH, 1), terms.resize(by, WIDTH));
            // A place beyond the width has no element; the shift is by what is left of it.
            let element = terms.binary(Op::Shl, one, amount);
            let (more, not) = (terms.binary(Op::BvOr, set, element), terms.unary(Op::BvNot, other));
            let less = terms.binary(Op::BvAnd, more, not);
            let (has, ones, has_less) = (terms.has(more, at), terms.ones(more), terms.has(less, at));
            for value in 0..1u128 << (2 * WIDTH + 2 * bits) {
                let mut left = value;
                let mut next = |width: u32| {
                    let low = left & ((1 << width) - 1);
                    left >>= width;
                    low
                };
                let [s, o, b, a] = [next(WIDTH), next(WIDTH), next(bits), next(bits)];
                let mut known = Known::new();
                for (term, width, value) in [(set, WIDTH, s), (other, WIDTH, o), (by, bits, b), (at, bits, a)] {
                    let value = terms.bits(width, value);
                    known.put(term, value);
                }
                let whole = s | if b & 7 < 3 { 1 << (b & 7) } else { 0 };
                let is_in = |set: u128| a < 3 && set >> a & 1 == 1;
                let [has, has_less] = [has, has_less].map(|term| terms.replace(term, &known));
                let ones = terms.replace(ones, &known);
                assert_eq!(terms.truth_of(has), Some(is_in(whole)), "{s:b} with {b}: {a}");
                assert_eq!(terms.truth_of(has_less), Some(is_in(whole & !o)), "{s:b} with {b} without {o:b}: {a}");
                assert_eq!(terms.value_of(ones), Some(u128::from(whole.count_ones())), "{s:b} with {b}");
                asked += 1;
            }
        }
        assert_eq!(asked, (1 << 8) + (1 << 10) + (1 << 14));
    }
}
