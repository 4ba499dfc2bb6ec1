//! Building terms; what can be calculated is.

use super::{fold, low, signed, Node, Op, Sort, Term, Terms, WIDEST};

impl Terms {
    /// A constant formula.
    pub fn truth(&mut self, value: bool) -> Term {
        self.enter(Node::Truth(value), Sort::Bool)
    }

    /// A constant bit vector: the low bits of the value.
    pub fn bits(&mut self, width: u32, value: u128) -> Term {
        self.enter(Node::Bits(width, low(value, width)), Sort::Bits(width))
    }

    /// A free constant, another one at each call: parts of a source that differ can have the same name.
    pub fn free(&mut self, name: &str, sort: Sort) -> Term {
        self.free += 1;
        self.enter(Node::Free(name.to_string(), self.free, sort), sort)
    }

    /// An array whose elements all are this term.
    pub fn filled(&mut self, index: u32, element: Term) -> Term {
        let width = self.width(element);
        self.enter(Node::Filled(index, element), Sort::Array(index, width))
    }

    /// An application of an uninterpreted function, which is named after its result and arguments too.
    pub fn call(&mut self, name: &str, result: Sort, arguments: &[Term]) -> Term {
        self.enter(Node::Call(name.to_string(), result, arguments.to_vec()), result)
    }

    /// The negation.
    pub fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Truth(value) => {
                let negated = !*value;
                self.truth(negated)
            }
            Node::Apply(Op::Not, parts) => parts[0],
            _ => self.enter(Node::Apply(Op::Not, vec![a]), Sort::Bool),
        }
    }

    /// The conjunction.
    pub fn and(&mut self, parts: &[Term]) -> Term {
        self.connect(Op::And, true, parts)
    }

    /// The disjunction.
    pub fn or(&mut self, parts: &[Term]) -> Term {
        self.connect(Op::Or, false, parts)
    }

    fn connect(&mut self, op: Op, neutral: bool, parts: &[Term]) -> Term {
        let mut kept: Vec<Term> = Vec::new();
        for part in parts {
            match self.node(*part) {
                Node::Truth(value) if *value == neutral => {}
                Node::Truth(_) => return *part,
                Node::Apply(inner, inside) if *inner == op => kept.extend(inside.clone()),
                _ => kept.push(*part),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        for at in 0..kept.len() {
            if let Some(shorter) = self.relative(op, neutral, &kept, at) {
                kept[at] = shorter;
                return self.connect(op, neutral, &kept);
            }
        }
        let negated: Vec<Term> = kept.iter().filter_map(|part| self.negated(*part)).collect();
        if negated.iter().any(|part| kept.binary_search(part).is_ok()) {
            return self.truth(!neutral);
        }
        match kept[..] {
            [] => self.truth(neutral),
            [one] => one,
            _ => self.enter(Node::Apply(op, kept), Sort::Bool),
        }
    }

    /// One of the parts, which are sorted, without what the others say: of `a && (b || a && c)` the second is `b || c`.
    /// None: that is all of it.
    fn relative(&mut self, op: Op, neutral: bool, parts: &[Term], at: usize) -> Option<Term> {
        let other = if op == Op::And { Op::Or } else { Op::And };
        let inside = |term: Term, of: Op| match self.node(term) {
            Node::Apply(found, inner) if *found == of => Some(inner),
            _ => None,
        };
        let is_said = |one: &Term| parts.binary_search(one).is_ok();
        let inner = inside(parts[at], other)?;
        let says = |part: &Term| inside(*part, op).is_some_and(|all| all.iter().any(is_said));
        let place = inner.iter().position(says)?;
        let rest = inside(inner[place], op)?.iter().copied().filter(|one| !is_said(one));
        let (mut inner, rest) = (inner.clone(), rest.collect::<Vec<Term>>());
        inner[place] = self.connect(op, neutral, &rest);
        Some(self.connect(other, !neutral, &inner))
    }

    fn negated(&self, term: Term) -> Option<Term> {
        match self.node(term) {
            Node::Apply(Op::Not, parts) => Some(parts[0]),
            _ => None,
        }
    }

    /// Whether `a` implies `b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    /// Whether two terms of one sort are equal.
    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.truth(true);
        }
        match (self.node(a), self.node(b)) {
            (Node::Truth(x), Node::Truth(y)) => {
                let same = x == y;
                return self.truth(same);
            }
            (Node::Truth(true), _) => return b,
            (_, Node::Truth(true)) => return a,
            (Node::Truth(false), _) => return self.not(b),
            (_, Node::Truth(false)) => return self.not(a),
            (Node::Bits(..), Node::Bits(..)) => return self.truth(false),
            _ => {}
        }
        // Each constant has one form.
        if self.words_of(a).is_some() && self.words_of(b).is_some() {
            return self.truth(false);
        }
        if let Some(parts) = self.equal_halves(a, b) {
            return parts;
        }
        self.enter(Node::Apply(Op::Equal, vec![a.min(b), a.max(b)]), Sort::Bool)
    }

    /// Concatenations at the same place are equal if their halves are.
    fn equal_halves(&mut self, a: Term, b: Term) -> Option<Term> {
        let (Node::Apply(Op::Concat, left), Node::Apply(Op::Concat, right)) = (self.node(a), self.node(b)) else {
            return None;
        };
        let (left, right) = (left.clone(), right.clone());
        if self.width(left[0]) != self.width(right[0]) {
            return None;
        }
        let halves = [self.equal(left[0], right[0]), self.equal(left[1], right[1])];
        Some(self.and(&halves))
    }

    /// `a` if the condition holds, otherwise `b`.
    pub fn choose(&mut self, condition: Term, a: Term, b: Term) -> Term {
        match (self.truth_of(condition), self.truth_of(a), self.truth_of(b)) {
            (Some(true), ..) => return a,
            (Some(false), ..) => return b,
            (_, Some(true), Some(false)) => return condition,
            (_, Some(false), Some(true)) => return self.not(condition),
            (_, Some(true), None) => return self.or(&[condition, b]),
            (_, None, Some(false)) => return self.and(&[condition, a]),
            _ if a == b => return a,
            _ => {}
        }
        let sort = self.sort(a);
        self.enter(Node::Apply(Op::If, vec![condition, a, b]), sort)
    }

    /// An operation on one bit vector, which keeps its width.
    pub fn unary(&mut self, op: Op, a: Term) -> Term {
        let width = self.width(a);
        if width > WIDEST {
            if let Some(result) = (op == Op::BvNot).then(|| self.wide_not(a)).flatten() {
                return result;
            }
        } else if let Some(value) = self.value_of(a) {
            let result = if op == Op::BvNot { !value } else { value.wrapping_neg() };
            return self.bits(width, result);
        }
        self.enter(Node::Apply(op, vec![a]), Sort::Bits(width))
    }

    /// An operation on two bit vectors of one width, which keeps it.
    pub fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "{op:?}");
        if width > WIDEST {
            if let Some(result) = self.wide(op, a, b) {
                return result;
            }
        }
        match (self.value_of(a), self.value_of(b)) {
            (Some(x), Some(y)) if width <= WIDEST => {
                if let Some(result) = fold::bits(op, width, x, y) {
                    return self.bits(width, result);
                }
            }
            (_, Some(0)) if matches!(op, Op::Add | Op::Sub | Op::BvOr | Op::BvXor | Op::Shl | Op::LShr) => return a,
            (Some(0), _) if matches!(op, Op::Add | Op::BvOr | Op::BvXor) => return b,
            _ => {}
        }
        match op {
            Op::Sub if a == b => return self.bits(width, 0),
            Op::Add | Op::Sub => return self.sum(op, a, b),
            _ => {}
        }
        self.enter(Node::Apply(op, vec![a, b]), Sort::Bits(width))
    }

    /// A sum or difference: constants are collected on the right, as summands.
    fn sum(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.width(a);
        // Wide sums are not collected: nobody counts in sets.
        let by = if width > WIDEST { None } else { self.value_of(b) };
        let by = by.map(|by| if op == Op::Sub { by.wrapping_neg() } else { by });
        if let Some(by) = by {
            let (rest, before) = self.summands(a);
            let total = low(before.wrapping_add(by), width);
            if total == 0 {
                return rest;
            }
            let total = self.bits(width, total);
            return self.enter(Node::Apply(Op::Add, vec![rest, total]), Sort::Bits(width));
        }
        if op == Op::Add && width <= WIDEST && self.value_of(a).is_some() {
            return self.sum(op, b, a);
        }
        let ((x, left), (y, right)) = (self.summands(a), self.summands(b));
        if op == Op::Sub && x == y {
            return self.bits(width, left.wrapping_sub(right));
        }
        if let Some(left) = self.without(op, a, b) {
            return left;
        }
        self.enter(Node::Apply(op, vec![a, b]), Sort::Bits(width))
    }

    /// What is left of a sum or a difference where one term takes away what the other adds.
    fn without(&self, op: Op, a: Term, b: Term) -> Option<Term> {
        let parts = |of: Op, term: Term| match self.node(term) {
            Node::Apply(found, parts) if *found == of => Some((parts[0], parts[1])),
            _ => None,
        };
        if op == Op::Sub {
            let (x, y) = parts(Op::Add, a)?;
            return [(x, y), (y, x)].into_iter().find(|(one, _)| *one == b).map(|(_, other)| other);
        }
        let taken = |less: Term, more: Term| parts(Op::Sub, less).filter(|(_, y)| *y == more).map(|(x, _)| x);
        taken(a, b).or_else(|| taken(b, a))
    }

    /// A term as another and a constant summand.
    fn summands(&self, a: Term) -> (Term, u128) {
        match self.node(a) {
            Node::Apply(Op::Add, parts) if self.width(a) <= WIDEST => match self.value_of(parts[1]) {
                Some(by) => (parts[0], by),
                None => (a, 0),
            },
            _ => (a, 0),
        }
    }

    /// A comparison of two bit vectors of one width.
    pub fn less(&mut self, op: Op, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.width(a), self.width(b), "{op:?}");
        let width = self.width(a);
        let result = match (self.value_of(a), self.value_of(b)) {
            _ if width > WIDEST => self.wide_less(a, b).filter(|_| op == Op::ULess),
            (Some(x), Some(y)) => fold::compare(op, width, x, y),
            _ => None,
        };
        if let Some(result) = result {
            return self.truth(result);
        }
        if a == b || op == Op::ULess && self.value_of(b) == Some(0) {
            return self.truth(false);
        }
        self.enter(Node::Apply(op, vec![a, b]), Sort::Bool)
    }

    /// Bits `high` to `lowest`, both included.
    pub fn extract(&mut self, a: Term, high: u32, lowest: u32) -> Term {
        let width = high - lowest + 1;
        if lowest == 0 && width == self.width(a) {
            return a;
        }
        if let Some(part) = self.cut_out(a, lowest, width) {
            return part;
        }
        match self.node(a).clone() {
            Node::Apply(Op::Extract(_, inner), parts) => return self.extract(parts[0], inner + high, inner + lowest),
            Node::Apply(Op::ZeroExtend(_) | Op::SignExtend(_), parts) if high < self.width(parts[0]) => {
                return self.extract(parts[0], high, lowest);
            }
            Node::Apply(Op::Concat, parts) => {
                let border = self.width(parts[1]);
                if high < border {
                    return self.extract(parts[1], high, lowest);
                }
                if lowest >= border {
                    return self.extract(parts[0], high - border, lowest - border);
                }
            }
            _ => {}
        }
        self.enter(Node::Apply(Op::Extract(high, lowest), vec![a]), Sort::Bits(width))
    }

    /// In this width: cut, or filled with zeros.
    pub fn resize(&mut self, a: Term, width: u32) -> Term {
        self.extend(a, width, false)
    }

    /// In this width: cut, or filled with the sign.
    pub fn resize_signed(&mut self, a: Term, width: u32) -> Term {
        self.extend(a, width, true)
    }

    fn extend(&mut self, a: Term, width: u32, sign: bool) -> Term {
        let old = self.width(a);
        if width <= old {
            return self.extract(a, width - 1, 0);
        }
        match self.value_of(a) {
            Some(value) if sign && width <= WIDEST => return self.bits(width, signed(value, old) as u128),
            _ if sign => {}
            _ => {
                let zeros = self.bits(width - old, 0);
                if let Some(value) = self.joined(zeros, a) {
                    return value;
                }
            }
        }
        let op = if sign { Op::SignExtend(width - old) } else { Op::ZeroExtend(width - old) };
        self.enter(Node::Apply(op, vec![a]), Sort::Bits(width))
    }

    /// The bits of `a`, then those of `b`.
    pub fn concat(&mut self, a: Term, b: Term) -> Term {
        let (left, right) = (self.width(a), self.width(b));
        if let Some(joined) = self.joined(a, b) {
            return joined;
        }
        self.enter(Node::Apply(Op::Concat, vec![a, b]), Sort::Bits(left + right))
    }

    /// The element of an array at an index.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        match self.node(array).clone() {
            Node::Filled(_, element) => return element,
            Node::Apply(Op::Store, parts) => {
                if parts[1] == index {
                    return parts[2];
                }
                if self.differ(parts[1], index) {
                    return self.select(parts[0], index);
                }
            }
            _ => {}
        }
        let sort = match self.sort(array) {
            Sort::Array(_, 0) | Sort::Bool | Sort::Bits(_) => Sort::Bool,
            Sort::Array(_, width) => Sort::Bits(width),
        };
        self.enter(Node::Apply(Op::Select, vec![array, index]), sort)
    }

    /// Whether two terms differ whatever the free constants are.
    fn differ(&self, a: Term, b: Term) -> bool {
        let ((x, left), (y, right)) = (self.summands(a), self.summands(b));
        match (self.value_of(a), self.value_of(b)) {
            (Some(one), Some(other)) => one != other,
            _ => x == y && left != right,
        }
    }

    /// The array with another element at an index.
    pub fn store(&mut self, array: Term, index: Term, element: Term) -> Term {
        match self.node(array).clone() {
            Node::Apply(Op::Store, parts) if parts[1] == index => return self.store(parts[0], index, element),
            // It is there already.
            Node::Filled(_, filled) if filled == element => return array,
            _ => {}
        }
        let sort = self.sort(array);
        self.enter(Node::Apply(Op::Store, vec![array, index, element]), sort)
    }
}
