//! Constants of any width, as numbers of several words: sets of many elements, and long strings of bytes.

use super::{low, Node, Op, Sort, Term, Terms, WIDEST};

impl Terms {
    /// The words of a constant bit vector, the lowest first.
    pub(super) fn words_of(&self, term: Term) -> Option<Vec<u128>> {
        let (mut words, mut rest) = (vec![], term);
        loop {
            match self.node(rest) {
                Node::Bits(width, value) => {
                    words.push(*value);
                    words.resize(words.len() + width.div_ceil(WIDEST) as usize - 1, 0);
                    return Some(words);
                }
                Node::Apply(Op::Concat, parts) if self.width(parts[1]) == WIDEST => {
                    words.push(self.value_of(parts[1])?);
                    rest = parts[0];
                }
                _ => return None,
            }
        }
    }

    /// A constant bit vector; missing words are zero. Each has one form: a small number that of its value, another one
    /// that of its upper words behind the lowest.
    pub(super) fn constant(&mut self, width: u32, words: &[u128]) -> Term {
        let value = words.first().copied().unwrap_or(0);
        if width <= WIDEST || words[1.min(words.len())..].iter().all(|word| *word == 0) {
            return self.enter(Node::Bits(width, low(value, width)), Sort::Bits(width));
        }
        let (upper, lowest) = (self.constant(width - WIDEST, &words[1..]), self.constant(WIDEST, &[value]));
        if self.value_of(upper) == Some(0) {
            return self.constant(width, &[value]);
        }
        self.enter(Node::Apply(Op::Concat, vec![upper, lowest]), Sort::Bits(width))
    }

    /// The constant of a width whose lowest bits are the first bytes: cut, or filled with zeros.
    pub fn of_bytes(&mut self, width: u32, bytes: &[u8]) -> Term {
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
        let words = bytes.chunks(WIDEST as usize / 8).map(word).collect();
        self.constant(width, &cut(words, width))
    }

    /// The bit vector whose bits are all set.
    pub fn all_ones(&mut self, width: u32) -> Term {
        self.constant(width, &vec![u128::MAX; width.div_ceil(WIDEST) as usize])
    }

    /// The result of an operation on wide constants; None: they are none, or it is not calculated.
    pub(super) fn wide(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let (x, y) = (self.words_of(a)?, self.words_of(b)?);
        let each = |of: fn(u128, u128) -> u128| x.iter().zip(&y).map(|(x, y)| of(*x, *y)).collect::<Vec<u128>>();
        // A shift by a number of more than one word leaves nothing.
        let by = || if y[1..].iter().any(|word| *word > 0) { width } else { y[0].min(u128::from(width)) as u32 };
        let result = match op {
            Op::BvAnd => each(|x, y| x & y),
            Op::BvOr => each(|x, y| x | y),
            Op::BvXor => each(|x, y| x ^ y),
            Op::Add => sum(&x, y.iter().copied(), false),
            Op::Sub => sum(&x, y.iter().map(|word| !word), true),
            Op::Shl => shifted_up(&x, by()),
            Op::LShr => shifted_down(&x, by()),
            _ => return None,
        };
        Some(self.constant(width, &cut(result, width)))
    }

    /// Whether one wide constant is less than another, without signs.
    pub(super) fn wide_less(&self, a: Term, b: Term) -> Option<bool> {
        let (x, y) = (self.words_of(a)?, self.words_of(b)?);
        Some(x.iter().rev().lt(y.iter().rev()))
    }

    /// Each bit of a wide constant negated.
    pub(super) fn wide_not(&mut self, a: Term) -> Option<Term> {
        let words = self.words_of(a)?.iter().map(|word| !word).collect();
        let width = self.width(a);
        Some(self.constant(width, &cut(words, width)))
    }

    /// Bits of a constant, from the lowest of them on.
    pub(super) fn cut_out(&mut self, a: Term, lowest: u32, width: u32) -> Option<Term> {
        let words = shifted_down(&self.words_of(a)?, lowest);
        Some(self.constant(width, &cut(words, width)))
    }

    /// The bits of a constant, then those of another one.
    pub(super) fn joined(&mut self, a: Term, b: Term) -> Option<Term> {
        let (upper, lower) = (self.words_of(a)?, self.words_of(b)?);
        let (above, width) = (self.width(b), self.width(a) + self.width(b));
        let mut whole = upper;
        whole.resize(width.div_ceil(WIDEST) as usize, 0);
        let mut whole = shifted_up(&whole, above);
        whole.iter_mut().zip(&lower).for_each(|(word, low)| *word |= low);
        Some(self.constant(width, &whole))
    }
}

/// The words of the bits below a width.
fn cut(mut words: Vec<u128>, width: u32) -> Vec<u128> {
    words.resize(width.div_ceil(WIDEST) as usize, 0);
    if let Some(last) = words.last_mut() {
        *last = low(*last, (width - 1) % WIDEST + 1);
    }
    words
}

fn sum(a: &[u128], b: impl Iterator<Item = u128>, mut carry: bool) -> Vec<u128> {
    let add = |(x, y): (&u128, u128)| {
        let (sum, first) = x.overflowing_add(y);
        let (sum, second) = sum.overflowing_add(u128::from(carry));
        carry = first || second;
        sum
    };
    a.iter().zip(b).map(add).collect()
}

fn shifted_up(words: &[u128], by: u32) -> Vec<u128> {
    let (whole, part) = ((by / WIDEST) as usize, by % WIDEST);
    let word = |at: usize| at.checked_sub(whole).map_or(0, |at| words[at]);
    let carried = |at: usize| match (part, at) {
        (0, _) | (_, 0) => 0,
        _ => word(at - 1) >> (WIDEST - part),
    };
    (0..words.len()).map(|at| word(at) << part | carried(at)).collect()
}

fn shifted_down(words: &[u128], by: u32) -> Vec<u128> {
    let (whole, part) = ((by / WIDEST) as usize, by % WIDEST);
    let word = |at: usize| words.get(at + whole).copied().unwrap_or(0);
    let carried = |at: usize| if part == 0 { 0 } else { word(at + 1) << (WIDEST - part) };
    (0..words.len()).map(|at| word(at) >> part | carried(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of a constant, the lowest first.
    fn bits_of(terms: &Terms, term: Term) -> Vec<bool> {
        let words = terms.words_of(term).expect("a constant");
        (0..terms.width(term)).map(|at| words[(at / WIDEST) as usize] >> (at % WIDEST) & 1 == 1).collect()
    }

    fn constant_of(terms: &mut Terms, bits: &[bool]) -> Term {
        let word = |bits: &[bool]| bits.iter().rev().fold(0u128, |word, bit| word << 1 | u128::from(*bit));
        let words: Vec<u128> = bits.chunks(WIDEST as usize).map(word).collect();
        terms.constant(bits.len() as u32, &words)
    }

    /// Bits in which long runs are equal, so that carries go far.
    fn drawn(state: &mut u64, width: u32) -> Vec<bool> {
        let mut next = || {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *state >> 33
        };
        let (runs, short) = (next() % 5, next() % 2 == 0);
        let mut bits = vec![];
        while bits.len() < width as usize {
            let (len, bit) = (if short { next() % 4 + 1 } else { next() % 200 + 1 }, next() % 2 == 0 && runs > 0);
            bits.extend(vec![bit; len as usize]);
        }
        bits.truncate(width as usize);
        bits
    }

    /// Adds bit by bit.
    fn added(a: &[bool], b: &[bool], mut carry: bool) -> Vec<bool> {
        let add = |(x, y): (&bool, &bool)| {
            let ones = u8::from(*x) + u8::from(*y) + u8::from(carry);
            carry = ones > 1;
            ones & 1 == 1
        };
        a.iter().zip(b).map(add).collect()
    }

    /// Operations of all widths, in one word and in several, against those on single bits.
    #[test]
    fn words_calculate_what_bits_do() {
        let (mut terms, mut state) = (Terms::new(), 1);
        for round in 0..3000u32 {
            let width = [1, 64, 127, 128, 129, 200, 255, 256, 257, 384, 1000][round as usize % 11];
            let (x, y) = (drawn(&mut state, width), drawn(&mut state, width));
            let (a, b) = (constant_of(&mut terms, &x), constant_of(&mut terms, &y));
            assert_eq!((bits_of(&terms, a), bits_of(&terms, b)), (x.clone(), y.clone()));
            let not: Vec<bool> = y.iter().map(|bit| !bit).collect();
            let each = |of: fn(bool, bool) -> bool| x.iter().zip(&y).map(|(x, y)| of(*x, *y)).collect::<Vec<bool>>();
            let wanted = [
                (Op::BvAnd, each(|x, y| x & y)),
                (Op::BvOr, each(|x, y| x | y)),
                (Op::BvXor, each(|x, y| x ^ y)),
                (Op::Add, added(&x, &y, false)),
                (Op::Sub, added(&x, &not, true)),
            ];
            for (op, bits) in wanted {
                let found = terms.binary(op, a, b);
                assert_eq!(bits_of(&terms, found), bits, "{op:?} of {width} bits, round {round}");
            }
            let negated = terms.unary(Op::BvNot, b);
            assert_eq!(bits_of(&terms, negated), not);
            let by = u32::try_from(state % u64::from(width + 2)).unwrap();
            let amount = terms.bits(width, u128::from(by));
            // A narrow amount is cut, as the number of the amount is.
            let by = terms.value_of(amount).unwrap().min(u128::from(width)) as usize;
            let [up, down] = [Op::Shl, Op::LShr].map(|op| terms.binary(op, a, amount));
            let zeros = vec![false; by];
            assert_eq!(bits_of(&terms, up), [&zeros[..], &x[..width as usize - by]].concat(), "by {by} of {width}");
            assert_eq!(bits_of(&terms, down), [&x[by..], &zeros[..]].concat(), "by {by} of {width}");
            let less = terms.less(Op::ULess, a, b);
            assert_eq!(terms.truth_of(less), Some(x.iter().rev().lt(y.iter().rev())));
            let equal = terms.equal(a, b);
            assert_eq!(terms.truth_of(equal), Some(x == y));
            let joined = terms.concat(a, b);
            assert_eq!(bits_of(&terms, joined), [&y[..], &x[..]].concat());
            let (low, high) = (width / 3, width - 1 - width / 5);
            let part = terms.extract(joined, high + width / 2, low);
            assert_eq!(bits_of(&terms, part), [&y[..], &x[..]].concat()[low as usize..=(high + width / 2) as usize]);
            let longer = terms.resize(a, width + 300);
            assert_eq!(bits_of(&terms, longer), [&x[..], &[false; 300]].concat());
            let ones = terms.ones(a);
            assert_eq!(terms.value_of(ones), Some(x.iter().filter(|bit| **bit).count() as u128));
        }
        let all = terms.all_ones(300);
        assert_eq!(bits_of(&terms, all), [true; 300]);
    }
}
