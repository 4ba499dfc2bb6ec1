//! Operators and conversions as terms.

use nacre_stack::{BinaryOp, Expr, Type, UnaryOp};

use crate::execute::Run;
use crate::terms::{Op, Sort, Term};
use crate::values::{less_by_distance, sort_of, Value};
use crate::Unsupported;

type Found<T> = Result<T, Unsupported>;

impl Run<'_> {
    pub(crate) fn unary(&mut self, op: UnaryOp, a: &Expr) -> Found<Term> {
        let value = self.term(a)?;
        match (op, self.terms.sort(value)) {
            (UnaryOp::Not, Sort::Bool) => Ok(self.terms.not(value)),
            (UnaryOp::Not, _) => Ok(self.terms.unary(Op::BvNot, value)),
            (UnaryOp::Negate, _) => Ok(self.terms.unary(Op::BvNeg, value)),
            (UnaryOp::Fold16, _) => Ok(self.terms.call("fold16", Sort::Bits(16), &[value])),
        }
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Found<Term> {
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            let (x, y) = (self.value(a)?, self.value(b)?);
            let equal = self.equal(&x, &y)?;
            return Ok(if op == BinaryOp::Equal { equal } else { self.terms.not(equal) });
        }
        let (x, y) = (self.term(a)?, self.term(b)?);
        Ok(match op {
            BinaryOp::Both => self.terms.and(&[x, y]),
            BinaryOp::Either => self.terms.or(&[x, y]),
            BinaryOp::Less => self.less(x, y, &a.ty),
            BinaryOp::LessEqual => self.less_or_equal(x, y, &a.ty),
            BinaryOp::Min => {
                let right = self.less(y, x, &a.ty);
                self.terms.choose(right, y, x)
            }
            BinaryOp::Max => {
                let right = self.less(x, y, &a.ty);
                self.terms.choose(right, y, x)
            }
            BinaryOp::Member => self.terms.has(y, x),
            BinaryOp::Subset => {
                let outside = self.without(x, y);
                let nothing = self.terms.bits(self.terms.width(x), 0);
                self.terms.equal(outside, nothing)
            }
            BinaryOp::Without => self.without(x, y),
            BinaryOp::And | BinaryOp::Or if a.ty == Type::Bool => match op {
                BinaryOp::And => self.terms.and(&[x, y]),
                _ => self.terms.or(&[x, y]),
            },
            BinaryOp::Xor if a.ty == Type::Bool => {
                let same = self.terms.equal(x, y);
                self.terms.not(same)
            }
            BinaryOp::Shl | BinaryOp::Shr => self.shifted(op, x, y, &a.ty),
            BinaryOp::Div | BinaryOp::Rem => self.divided(op, x, y, &a.ty),
            BinaryOp::Add => self.terms.binary(Op::Add, x, y),
            BinaryOp::Sub | BinaryOp::Distance => self.terms.binary(Op::Sub, x, y),
            BinaryOp::Mul => self.terms.binary(Op::Mul, x, y),
            BinaryOp::And => self.terms.binary(Op::BvAnd, x, y),
            BinaryOp::Or => self.terms.binary(Op::BvOr, x, y),
            BinaryOp::Xor => self.terms.binary(Op::BvXor, x, y),
            BinaryOp::Equal | BinaryOp::NotEqual => unreachable!("done above"),
        })
    }

    /// Whether two values are equal. A value that is not there has no parts.
    fn equal(&mut self, a: &Value, b: &Value) -> Found<Term> {
        let all = |run: &mut Self, x: &[Value], y: &[Value]| {
            let parts: Vec<Term> = x.iter().zip(y).map(|(x, y)| run.equal(x, y)).collect::<Found<_>>()?;
            Ok(run.terms.and(&parts))
        };
        match (a, b) {
            (Value::Term(x), Value::Term(y)) => Ok(self.terms.equal(*x, *y)),
            (Value::Tuple(x), Value::Tuple(y)) | (Value::Array(x), Value::Array(y)) => all(self, x, y),
            (Value::Option(x, inside), Value::Option(y, other)) => {
                let (same, inside) = (self.terms.equal(*x, *y), self.equal(inside, other)?);
                let (none, both) = (self.terms.not(*x), inside);
                let either = self.terms.or(&[none, both]);
                Ok(self.terms.and(&[same, either]))
            }
            _ => Err(Unsupported::new("a comparison of containers or messages".into())),
        }
    }

    /// `a < b`, as numbers of a type compare.
    pub(crate) fn less(&mut self, a: Term, b: Term, ty: &Type) -> Term {
        match (ty, self.terms.sort(a)) {
            (Type::Seq(_), _) => less_by_distance(&mut self.terms, a, b),
            (Type::Int(_), _) => self.terms.less(Op::SLess, a, b),
            (_, Sort::Bool) => {
                let not = self.terms.not(a);
                self.terms.and(&[not, b])
            }
            _ => self.terms.less(Op::ULess, a, b),
        }
    }

    /// `a <= b`; of sequence numbers half of the space from each other, it holds both ways.
    fn less_or_equal(&mut self, a: Term, b: Term, ty: &Type) -> Term {
        let (less, equal) = (self.less(a, b, ty), self.terms.equal(a, b));
        self.terms.or(&[less, equal])
    }

    fn without(&mut self, a: Term, b: Term) -> Term {
        let not = self.terms.unary(Op::BvNot, b);
        self.terms.binary(Op::BvAnd, a, not)
    }

    /// A shift by a number of any width; by the width or more, nothing is left.
    fn shifted(&mut self, op: BinaryOp, a: Term, by: Term, ty: &Type) -> Term {
        let width = self.terms.width(a);
        let wide = width.max(self.terms.width(by)).max(8);
        let long = self.terms.resize(by, wide);
        let bound = self.terms.bits(wide, u128::from(width));
        let fits = self.terms.less(Op::ULess, long, bound);
        let amount = self.terms.resize(long, width);
        let op = match (op, ty) {
            (BinaryOp::Shl, _) => Op::Shl,
            (_, Type::Int(_)) => Op::AShr,
            _ => Op::LShr,
        };
        let (moved, zero) = (self.terms.binary(op, a, amount), self.terms.bits(width, 0));
        self.terms.choose(fits, moved, zero)
    }

    /// Division; by zero it is 0.
    fn divided(&mut self, op: BinaryOp, a: Term, b: Term, ty: &Type) -> Term {
        let op = match (op, ty) {
            (BinaryOp::Div, Type::Int(_)) => Op::SDiv,
            (BinaryOp::Div, _) => Op::UDiv,
            (_, Type::Int(_)) => Op::SRem,
            _ => Op::URem,
        };
        let zero = self.terms.bits(self.terms.width(a), 0);
        let (none, quotient) = (self.terms.equal(b, zero), self.terms.binary(op, a, b));
        self.terms.choose(none, zero, quotient)
    }

    pub(crate) fn mul_div(&mut self, a: &Expr, b: &Expr, c: &Expr) -> Found<Term> {
        let [a, b, c] = [self.term(a)?, self.term(b)?, self.term(c)?];
        let width = self.terms.width(a);
        let [x, y, z] = [a, b, c].map(|part| self.terms.resize(part, 2 * width));
        let product = self.terms.binary(Op::Mul, x, y);
        let quotient = self.divided(BinaryOp::Div, product, z, &Type::UInt(64));
        Ok(self.terms.resize(quotient, width))
    }

    pub(crate) fn convert(&mut self, a: &Expr, to: &Type) -> Found<Term> {
        let value = self.term(a)?;
        let Some(sort) = sort_of(to) else { return Err(Unsupported::new("a conversion".into())) };
        let bits = match self.terms.sort(value) {
            Sort::Bool => {
                let (one, zero) = (self.terms.bits(1, 1), self.terms.bits(1, 0));
                self.terms.choose(value, one, zero)
            }
            _ => value,
        };
        match (sort, &a.ty) {
            (Sort::Bits(width), Type::Int(_)) => Ok(self.terms.resize_signed(bits, width)),
            (Sort::Bits(width), _) => Ok(self.terms.resize(bits, width)),
            (Sort::Bool, _) => {
                let low = self.terms.extract(bits, 0, 0);
                let one = self.terms.bits(1, 1);
                Ok(self.terms.equal(low, one))
            }
            (Sort::Array(..), _) => Err(Unsupported::new("a conversion".into())),
        }
    }
}
