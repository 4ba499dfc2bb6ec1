//! Bytes: names, lengths, parts, and what filters see.

use nacre_stack::operations::numbers;
use nacre_stack::{Expr, ExprKind, FilterId, Type};

use crate::claims;
use crate::execute::Run;
use crate::terms::{Op, Sort, Term};
use crate::values::{self, Value, LENGTH_BITS, NAME_BITS};
use crate::Unsupported;

type Found<T> = Result<T, Unsupported>;

impl Run<'_> {
    /// The length of a message, or of bytes.
    pub(crate) fn length_of(&mut self, a: &Expr) -> Found<Term> {
        match self.value(a)? {
            Value::Message(message) => Ok(self.length(message.bytes)),
            Value::Term(bytes) if a.ty == Type::View => Ok(self.length(bytes)),
            _ => Err(Unsupported::new("a length".into())),
        }
    }

    /// The length of bytes by name. The empty message has the name 0.
    pub(crate) fn length(&mut self, bytes: Term) -> Term {
        if self.terms.value_of(bytes) == Some(0) {
            return self.terms.bits(LENGTH_BITS, 0);
        }
        self.terms.call("length", Sort::Bits(LENGTH_BITS), &[bytes])
    }

    /// A part of bytes: from `at`, to the end or of a length. What is known of its own length is assumed.
    pub(crate) fn part_of(&mut self, bytes: Term, at: Term, len: Option<Term>) -> Term {
        let (at, len) = (self.terms.resize(at, 64), len.map(|len| self.terms.resize(len, 64)));
        let (name, parts) = match len {
            Some(len) => ("slice", vec![bytes, at, len]),
            None => ("rest", vec![bytes, at]),
        };
        let part = self.terms.call(name, Sort::Bits(NAME_BITS), &parts);
        let whole = self.length(bytes);
        let whole = self.terms.resize(whole, 64);
        let (inside, zero) = (self.terms.less(Op::ULess, at, whole), self.terms.bits(64, 0));
        let left = self.terms.binary(Op::Sub, whole, at);
        let left = self.terms.choose(inside, left, zero);
        let expected = match len {
            Some(len) => {
                let shorter = self.terms.less(Op::ULess, len, left);
                self.terms.choose(shorter, len, left)
            }
            None => left,
        };
        let length = self.length(part);
        let length = self.terms.resize(length, 64);
        let fact = self.terms.equal(length, expected);
        self.assume(fact);
        part
    }

    pub(crate) fn bytes_of(&mut self, a: &Expr) -> Found<Term> {
        let value = self.term(a)?;
        let bits = match &a.ty {
            Type::Addr | Type::Bytes(_) => self.terms.width(value),
            Type::Bits(n) => n.div_ceil(64) * 64,
            ty => numbers::bits(ty).div_ceil(8) * 8,
        };
        match self.terms.sort(value) {
            Sort::Bits(_) => Ok(self.terms.resize(value, bits)),
            _ => Err(Unsupported::new("the bytes of that".into())),
        }
    }

    /// Bytes one behind the other: the first are the lowest bits.
    pub(crate) fn concat(&mut self, parts: &[Expr]) -> Found<Term> {
        let mut whole = None;
        for part in parts {
            if !matches!(part.ty, Type::Bytes(1..)) {
                return Err(Unsupported::new("strings of bytes".into()));
            }
            let part = self.term(part)?;
            whole = Some(whole.map_or(part, |before| self.terms.concat(part, before)));
        }
        whole.ok_or_else(|| Unsupported::new("no bytes".into()))
    }

    /// Constant bytes, of a number of bytes: cut, or filled with zeros.
    pub(crate) fn literal(&mut self, bytes: &[u8], size: u32) -> Term {
        self.terms.of_bytes(8 * size.max(1), bytes)
    }

    /// A part of bytes between two constants.
    pub(crate) fn part(&mut self, a: &Expr, from: &Expr, to: &Expr, ty: &Type) -> Found<Term> {
        let (bytes, from, to) = (self.value(a)?, self.term(from)?, self.term(to)?);
        let ends = self.terms.value_of(from).zip(self.terms.value_of(to));
        match (bytes, &a.ty, ty, ends) {
            (Value::Term(bytes), Type::Bytes(n), Type::Bytes(size), Some((from, to)))
                if from < to && to <= u128::from(*n) && to - from == u128::from(*size) =>
            {
                Ok(self.terms.extract(bytes, 8 * to as u32 - 1, 8 * from as u32))
            }
            _ => Err(Unsupported::new("a part of bytes".into())),
        }
    }

    /// The code of a filter does not run here, so it may claim nothing.
    pub(crate) fn claims_nothing(&self, id: FilterId) -> Found<()> {
        match claims::any_in_filter(self.stack, id) {
            true => Err(Unsupported::new(format!("the code of the filter `{}`", self.stack.filters[id.index()].name))),
            false => Ok(()),
        }
    }

    /// The result of a filter.
    pub(crate) fn through(&mut self, id: FilterId, input: &Expr, ty: &Type) -> Found<Term> {
        self.claims_nothing(id)?;
        let parts = self.digest(input)?;
        let Some(sort) = values::sort_of(ty) else { return Err(Unsupported::new("the result of a filter".into())) };
        Ok(self.terms.call(&format!("filter {}", id.0), sort, &parts))
    }

    /// What the result of a filter depends on.
    pub(crate) fn digest(&mut self, input: &Expr) -> Found<Vec<Term>> {
        match &input.kind {
            ExprKind::Concat(parts) | ExprKind::Tuple(parts) => {
                let mut all = vec![];
                for part in parts {
                    all.extend(self.digest(part)?);
                }
                Ok(all)
            }
            _ => Ok(vec![self.term(input)?]),
        }
    }

    /// The terms of a message, with the headers that are on it.
    pub(crate) fn parts_of(&mut self, a: &Expr) -> Found<Vec<Term>> {
        let message = self.message(a)?;
        let mut parts = vec![message.bytes, message.data];
        parts.extend(&message.kinds);
        for (fields, number) in message.fields.iter().zip(1u128..) {
            let on_it = message.kinds.iter().any(|kind| self.terms.value_of(*kind).is_none_or(|kind| kind == number));
            if on_it {
                fields.iter().try_for_each(|field| values::leaves(field, &mut parts))?;
            }
        }
        Ok(parts)
    }
}
