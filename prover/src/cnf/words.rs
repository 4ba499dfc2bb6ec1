//! Operations on bit vectors, as SMT-LIB defines them. The lowest bit is first.

use super::gates::{Gates, Lit, FALSE, TRUE};

/// The bits of a term, the lowest first; of a formula one.
pub type Word = Vec<Lit>;

impl Gates {
    /// A word of new variables.
    pub fn fresh_word(&mut self, width: u32) -> Word {
        (0..width).map(|_| self.fresh()).collect()
    }

    /// Whether two words are equal.
    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let bits: Vec<Lit> = a.iter().zip(b).map(|(a, b)| self.same(*a, *b)).collect();
        self.all(&bits)
    }

    /// Adds clauses: where the condition holds, the words are equal.
    pub fn equal_if(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) {
        for (a, b) in a.iter().zip(b) {
            self.clause(&[-condition, -a, *b]);
            self.clause(&[-condition, *a, -b]);
        }
    }

    /// `a` if the condition holds, otherwise `b`.
    pub fn choose_word(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(a, b)| self.choose(condition, *a, *b)).collect()
    }

    /// The sum, and the carry out of the highest bit.
    fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Word, Lit) {
        let mut sum = vec![];
        for (a, b) in a.iter().zip(b) {
            let differ = self.xor(*a, *b);
            sum.push(self.xor(differ, carry));
            carry = self.choose(differ, carry, *a);
        }
        (sum, carry)
    }

    /// The sum.
    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.sum(a, b, FALSE).0
    }

    /// The difference.
    pub fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.sum(a, &complement(b), TRUE).0
    }

    /// The negation in two's complement.
    pub fn negate(&mut self, a: &[Lit]) -> Word {
        self.subtract(&vec![FALSE; a.len()], a)
    }

    /// Whether `a` is less than `b`, without signs.
    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = FALSE;
        for (a, b) in a.iter().zip(b) {
            let differ = self.xor(*a, *b);
            less = self.choose(differ, *b, less);
        }
        less
    }

    /// The same with signs.
    pub fn less_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        self.less(&with_other_sign(a), &with_other_sign(b))
    }

    /// The product.
    pub fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let constants = |word: &[Lit]| word.iter().filter(|lit| **lit == FALSE).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut product = vec![FALSE; width];
        for (at, bit) in b.iter().enumerate().filter(|(_, bit)| **bit != FALSE) {
            let row: Word = a[..width - at].iter().map(|lit| self.and(*lit, *bit)).collect();
            let upper = self.add(&product[at..], &row);
            product.splice(at.., upper);
        }
        product
    }

    /// The quotient and the remainder, without signs: of a division by zero, all ones and the dividend.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        if let Some(by) = power_of_two(b) {
            let zeros = |count: usize| std::iter::repeat_n(FALSE, count);
            let quotient = a[by..].iter().copied().chain(zeros(by)).collect();
            return (quotient, a[..by].iter().copied().chain(zeros(a.len() - by)).collect());
        }
        // Long division: a remainder that is less than `b` is doubled, so it needs one bit more.
        let (mut quotient, mut rest) = (vec![FALSE; a.len()], vec![FALSE; a.len()]);
        let divisor: Word = b.iter().copied().chain([FALSE]).collect();
        for at in (0..a.len()).rev() {
            let doubled: Word = [a[at]].into_iter().chain(rest).collect();
            let fits = -self.less(&doubled, &divisor);
            let less = self.subtract(&doubled, &divisor);
            rest = self.choose_word(fits, &less, &doubled);
            rest.truncate(a.len());
            quotient[at] = fits;
        }
        (quotient, rest)
    }

    /// The same with signs: the quotient is rounded to zero, and the remainder has the sign of the dividend.
    pub fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let (sign_a, sign_b) = (sign(a), sign(b));
        let (size_a, size_b) = (self.with_sign(sign_a, a), self.with_sign(sign_b, b));
        let (quotient, rest) = self.divide(&size_a, &size_b);
        let differ = self.xor(sign_a, sign_b);
        (self.with_sign(differ, &quotient), self.with_sign(sign_a, &rest))
    }

    /// The negation if the condition holds.
    fn with_sign(&mut self, condition: Lit, a: &[Lit]) -> Word {
        let negated = self.negate(a);
        self.choose_word(condition, &negated, a)
    }

    /// Shifted to the higher bits by a number of bits.
    pub fn shift_left(&mut self, a: &[Lit], by: &[Lit]) -> Word {
        let reversed: Word = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&reversed, by, FALSE);
        shifted.reverse();
        shifted
    }

    /// Shifted to the lower bits; the bits that come in are given.
    pub fn shift_right(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Word {
        let width = a.len();
        let is_stage = |stage: usize| stage < usize::BITS as usize && 1 << stage < width;
        let mut shifted = a.to_vec();
        for (stage, bit) in by.iter().enumerate().take_while(|(stage, _)| is_stage(*stage)) {
            let moved: Word = (0..width).map(|at| shifted.get(at + (1 << stage)).copied().unwrap_or(fill)).collect();
            shifted = self.choose_word(*bit, &moved, &shifted);
        }
        let beyond: Vec<Lit> = by.iter().enumerate().filter(|(at, _)| !is_stage(*at)).map(|(_, bit)| *bit).collect();
        let is_beyond = self.any(&beyond);
        shifted.into_iter().map(|lit| self.choose(is_beyond, fill, lit)).collect()
    }

    /// How many bits are set, in 32 bits.
    pub fn count_ones(&mut self, a: &[Lit]) -> Word {
        let mut counts: Vec<Word> = a.iter().map(|bit| vec![*bit]).collect();
        while counts.len() > 1 {
            let pairs = counts.chunks(2).map(|pair| match pair {
                [one, other] => self.longer_sum(one, other),
                rest => rest.concat(),
            });
            counts = pairs.collect();
        }
        let mut ones = counts.pop().unwrap_or_default();
        ones.resize(32, FALSE);
        ones
    }

    /// The sum in one bit more than the longer of them.
    fn longer_sum(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let width = a.len().max(b.len());
        let [a, b] = [a, b].map(|word| word.iter().copied().chain([FALSE; 64]).take(width).collect::<Word>());
        let (mut sum, carry) = self.sum(&a, &b, FALSE);
        sum.push(carry);
        sum
    }
}

/// Each bit negated.
pub fn complement(a: &[Lit]) -> Word {
    a.iter().map(|lit| -lit).collect()
}

/// The highest bit.
pub fn sign(a: &[Lit]) -> Lit {
    a.last().copied().unwrap_or(FALSE)
}

fn with_other_sign(a: &[Lit]) -> Word {
    let mut word = a.to_vec();
    if let Some(sign) = word.last_mut() {
        *sign = -*sign;
    }
    word
}

/// Which bit of a constant is the only one that is set.
fn power_of_two(a: &[Lit]) -> Option<usize> {
    let is_one_bit = a.iter().all(|lit| lit.abs() == TRUE) && a.iter().filter(|lit| **lit == TRUE).count() == 1;
    is_one_bit.then(|| a.iter().position(|lit| *lit == TRUE))?
}
