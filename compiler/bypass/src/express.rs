//! Conditions of a path, as expressions of the stack IR over the state before the event.

use std::collections::HashMap;

use nacre_stack::operations::Parts;
use nacre_stack::visit::Traverse;
use nacre_stack::*;
use nacre_symbolic::terms::{Node, Op, Sort, Term, Terms};
use nacre_symbolic::Unsupported;

use crate::known::{inside, known, Leaf};
use crate::path::Path;

type Found<T> = Result<T, Unsupported>;

/// The most parts of a condition. An element at an index that varies is a choice of all elements.
const LONGEST: usize = 250;

/// Makes expressions of the terms of one path.
pub(crate) struct Express<'p> {
    stack: &'p Stack,
    terms: &'p Terms,
    known: HashMap<Term, Leaf>,
    span: Span,
}

const fn unsigned(width: u32) -> Type {
    Type::UInt(width as u8)
}

impl<'p> Express<'p> {
    /// Knows the state before the event, and its arguments.
    pub fn new(stack: &'p Stack, path: &'p Path) -> Express<'p> {
        Express { stack, terms: &path.terms, known: known(stack, path), span: Span::default() }
    }

    /// A condition as an expression.
    pub fn condition(&mut self, holds: Term, span: Span) -> Found<Expr> {
        self.span = span;
        let condition = self.formula(holds)?;
        let mut nodes = 0;
        condition.each(|_| nodes += 1);
        match nodes > LONGEST {
            true => Err(unsupported("a long condition")),
            false => Ok(condition),
        }
    }

    fn make(&self, kind: ExprKind, ty: Type) -> Expr {
        Expr::new(kind, ty, self.span)
    }

    fn load(&self, place: Place) -> Expr {
        let ty = place.ty.clone();
        self.make(ExprKind::Load(Box::new(place)), ty)
    }

    fn two(&self, op: BinaryOp, a: Expr, b: Expr, ty: Type) -> Expr {
        self.make(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
    }

    fn test(&self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        self.two(op, a, b, Type::Bool)
    }

    fn not(&self, a: Expr) -> Expr {
        match a.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => *inner,
            _ => self.make(ExprKind::Unary(UnaryOp::Not, Box::new(a)), Type::Bool),
        }
    }

    fn truth(&self, value: bool) -> Expr {
        self.make(ExprKind::Const(u64::from(value)), Type::Bool)
    }

    fn convert(&self, a: Expr, ty: Type) -> Expr {
        if a.ty == ty {
            return a;
        }
        self.make(ExprKind::Convert(Box::new(a)), ty)
    }

    fn leaf(&self, term: Term) -> Option<&Leaf> {
        self.known.get(&term)
    }

    fn formula(&self, term: Term) -> Found<Expr> {
        if let Some(Leaf::Value(value)) = self.leaf(term) {
            return Ok(value.clone());
        }
        match self.terms.node(term) {
            Node::Truth(value) => Ok(self.truth(*value)),
            Node::Apply(op, parts) => match op {
                Op::Not => Ok(self.not(self.formula(parts[0])?)),
                Op::And => self.chain(BinaryOp::Both, parts),
                Op::Or => self.either(parts),
                Op::Equal => self.equal(parts[0], parts[1]),
                Op::ULess | Op::SLess => self.compared(BinaryOp::Less, *op, parts),
                Op::If => {
                    let [a, b, c] = [self.formula(parts[0])?, self.formula(parts[1])?, self.formula(parts[2])?];
                    Ok(self.make(ExprKind::If(Box::new(a), Box::new(b), Box::new(c)), Type::Bool))
                }
                Op::Select => self.entry(parts[0], parts[1]),
                _ => Err(self.unknown(term)),
            },
            _ => Err(self.unknown(term)),
        }
    }

    fn chain(&self, op: BinaryOp, parts: &[Term]) -> Found<Expr> {
        self.joined(op, parts.iter().map(|part| self.formula(*part)))
    }

    fn joined(&self, op: BinaryOp, mut parts: impl Iterator<Item = Found<Expr>>) -> Found<Expr> {
        let first = parts.next().ok_or_else(|| unsupported("an empty chain"))??;
        parts.try_fold(first, |whole, part| Ok(self.test(op, whole, part?)))
    }

    /// A disjunction, in which `a < b || a == b` is one comparison.
    fn either(&self, parts: &[Term]) -> Found<Expr> {
        let is_equal = |part: Term, [a, b]: [Term; 2]| match self.terms.node(part) {
            Node::Apply(Op::Equal, of) => of[..] == [a, b] || of[..] == [b, a],
            _ => false,
        };
        let less = |part: Term| match self.terms.node(part) {
            Node::Apply(op @ (Op::ULess | Op::SLess), of) => Some((*op, [of[0], of[1]])),
            _ => None,
        };
        let has_equal = |of: [Term; 2]| parts.iter().any(|part| is_equal(*part, of));
        let is_subsumed = |part: Term| parts.iter().filter_map(|other| less(*other)).any(|(_, of)| is_equal(part, of));
        let parts = parts.iter().filter(|part| !is_subsumed(**part)).map(|part| match less(*part) {
            Some((op, of)) if has_equal(of) => self.compared(BinaryOp::LessEqual, op, &of),
            _ => self.formula(*part),
        });
        self.joined(BinaryOp::Either, parts)
    }

    fn equal(&self, a: Term, b: Term) -> Found<Expr> {
        if self.terms.sort(a) == Sort::Bool {
            return Ok(self.test(BinaryOp::Equal, self.formula(a)?, self.formula(b)?));
        }
        for (one, other) in [(a, b), (b, a)] {
            if let (Some(Leaf::Timer(timer)), Some(value)) = (self.leaf(one), self.terms.value_of(other)) {
                if value == u128::from(u64::MAX) {
                    let armed = self.make(ExprKind::Query(Query::Armed, Box::new(timer.clone()), vec![]), Type::Bool);
                    return Ok(self.not(armed));
                }
            }
            if let (Some(Leaf::Kind(message, layer)), Some(value)) = (self.leaf(one), self.terms.value_of(other)) {
                return Ok(self.carries(message, *layer, value));
            }
            if let (Some(bit), Some(value)) = (self.single_bit(one), self.terms.value_of(other)) {
                let there = self.bit(bit, None)?;
                return Ok(if value == 1 { there } else { self.not(there) });
            }
            if let (Some(typed), true) = (self.typed(one), self.is_zero(other)) {
                let zero = self.make(ExprKind::Zero, typed.ty.clone());
                return Ok(self.test(BinaryOp::Equal, typed, zero));
            }
        }
        match (self.typed(a), self.typed(b)) {
            (Some(x), Some(y)) if x.ty == y.ty => Ok(self.test(BinaryOp::Equal, x, y)),
            _ => Ok(self.test(BinaryOp::Equal, self.number(a)?, self.number(b)?)),
        }
    }

    /// Whether a message carries the header of a layer with a number, counted from 1; 0: it carries none.
    fn carries(&self, message: &Expr, layer: LayerId, number: u128) -> Expr {
        let is = |header| self.make(ExprKind::Head(Box::new(message.clone()), Head::Is(header)), Type::Bool);
        let mut own = (0..).map(HeaderId).zip(&self.stack.headers).filter(|(_, declared)| declared.layer == layer);
        match number {
            0 => {
                let parts = own.map(|(header, _)| self.not(is(header)));
                parts.reduce(|a, b| self.test(BinaryOp::Both, a, b)).unwrap_or(self.truth(true))
            }
            _ => match own.find(|(header, _)| u128::from(header.0) + 1 == number) {
                Some((header, _)) => is(header),
                None => self.truth(false),
            },
        }
    }

    /// A value whose type is that of the source.
    fn typed(&self, term: Term) -> Option<Expr> {
        match (self.leaf(term), self.terms.node(term)) {
            (Some(Leaf::Value(value)), _) => Some(value.clone()),
            (_, Node::Apply(Op::Select, parts)) => self.entry(parts[0], parts[1]).ok(),
            _ => None,
        }
    }

    fn is_zero(&self, term: Term) -> bool {
        match self.terms.node(term) {
            Node::Bits(_, value) => *value == 0,
            Node::Apply(Op::Concat, parts) => parts.iter().all(|part| self.is_zero(*part)),
            _ => false,
        }
    }

    /// The bit vector whose lowest bit this is.
    fn single_bit(&self, term: Term) -> Option<Term> {
        match self.terms.node(term) {
            Node::Apply(Op::Extract(0, 0), parts) => Some(parts[0]),
            _ => None,
        }
    }

    /// A comparison of bit vectors, as signed or unsigned numbers.
    fn compared(&self, op: BinaryOp, of: Op, parts: &[Term]) -> Found<Expr> {
        let (a, b) = (self.number(parts[0])?, self.number(parts[1])?);
        let ty = if of == Op::SLess { Type::Int(self.width(parts[0])? as u8) } else { a.ty.clone() };
        Ok(self.test(op, self.convert(a, ty.clone()), self.convert(b, ty)))
    }

    fn width(&self, term: Term) -> Found<u32> {
        match self.terms.width(term) {
            width @ 1..=64 => Ok(width),
            _ => Err(self.unknown(term)),
        }
    }

    /// A bit vector as an unsigned number of its width.
    fn number(&self, term: Term) -> Found<Expr> {
        let width = self.width(term)?;
        let ty = unsigned(width);
        if let Some(value) = self.typed(term) {
            let plain = operations::operators::converts(&value.ty, &ty);
            return plain.then(|| self.convert(value, ty)).ok_or_else(|| self.unknown(term));
        }
        match self.terms.node(term) {
            Node::Bits(_, value) => Ok(self.make(ExprKind::Const(*value as u64), ty)),
            Node::Call(name, _, parts) if name == "length" => match self.leaf(parts[0]) {
                Some(Leaf::Bytes(message)) => Ok(self.make(ExprKind::Length(Box::new(message.clone())), ty)),
                _ => Err(self.unknown(term)),
            },
            Node::Call(name, ..) if name == "fingerprint" => Ok(self.make(ExprKind::Fingerprint, ty)),
            Node::Apply(op, parts) => self.calculated(term, *op, parts, ty),
            _ => Err(self.unknown(term)),
        }
    }

    fn calculated(&self, term: Term, op: Op, parts: &[Term], ty: Type) -> Found<Expr> {
        let op = match op {
            Op::Add => BinaryOp::Add,
            Op::Sub => BinaryOp::Sub,
            Op::Mul => BinaryOp::Mul,
            Op::UDiv => BinaryOp::Div,
            Op::URem => BinaryOp::Rem,
            Op::BvAnd => BinaryOp::And,
            Op::BvOr => BinaryOp::Or,
            Op::BvXor => BinaryOp::Xor,
            Op::Extract(_, 0) | Op::ZeroExtend(_) => return Ok(self.convert(self.number(parts[0])?, ty)),
            Op::SignExtend(_) => {
                let (from, to) = (self.width(parts[0])?, self.width(term)?);
                let narrow = self.convert(self.number(parts[0])?, Type::Int(from as u8));
                return Ok(self.convert(self.convert(narrow, Type::Int(to as u8)), ty));
            }
            Op::Count => return self.count(parts[0]),
            Op::If => {
                let [b, c] = [self.number(parts[1])?, self.number(parts[2])?];
                let condition = self.formula(parts[0])?;
                return Ok(self.make(ExprKind::If(Box::new(condition), Box::new(b), Box::new(c)), ty));
            }
            _ => return Err(self.unknown(term)),
        };
        Ok(self.two(op, self.number(parts[0])?, self.number(parts[1])?, ty))
    }

    /// A part of an entry of a window.
    fn entry(&self, array: Term, index: Term) -> Found<Expr> {
        let Some(Leaf::Entries { window, path, ty }) = self.leaf(array) else { return Err(self.unknown(array)) };
        let Type::Window(entry, _, bits) = &window.ty else { return Err(self.unknown(array)) };
        let number = match self.terms.node(index) {
            Node::Apply(Op::Extract(_, 0), parts) => self.number(parts[0])?,
            _ => return Err(self.unknown(index)),
        };
        let number = self.convert(number, Type::Seq(*bits));
        let mut place = inside(window, Step::Index(number), (**entry).clone());
        place.path.extend(path.iter().cloned());
        place.ty = ty.clone();
        Ok(self.load(place))
    }

    /// Whether an element of a set is there: of the entries of a window, that at a distance from the lowest number.
    fn bit(&self, set: Term, at: Option<Expr>) -> Found<Expr> {
        let zero = || self.make(ExprKind::Const(0), unsigned(64));
        if let Some(Leaf::Used(window, low)) = self.leaf(set) {
            let Parts { bits: Some(bits), .. } = Parts::of(&window.ty) else { return Err(self.unknown(set)) };
            // In the width of the numbers, as it is calculated: so it is seen to be the same.
            let ty = unsigned(u32::from(bits));
            let low = self.convert(self.number(*low)?, ty.clone());
            let number = match at {
                Some(at) => self.two(BinaryOp::Add, low, self.convert(at, ty.clone()), ty),
                None => low,
            };
            let number = self.convert(number, Type::Seq(bits));
            return Ok(self.make(ExprKind::Query(Query::Has, Box::new(window.clone()), vec![number]), Type::Bool));
        }
        if let Some(value) = self.typed(set).filter(|value| matches!(value.ty, Type::Bits(_))) {
            let at = self.convert(at.unwrap_or_else(zero), unsigned(32));
            return Ok(self.test(BinaryOp::Member, at, value));
        }
        match self.terms.node(set) {
            Node::Bits(_, 0) => Ok(self.truth(false)),
            Node::Bits(_, 1) => Ok(self.test(BinaryOp::Equal, at.unwrap_or_else(zero), zero())),
            Node::Apply(Op::BvOr, parts) => {
                let [a, b] = [self.bit(parts[0], at.clone())?, self.bit(parts[1], at)?];
                Ok(self.test(BinaryOp::Either, a, b))
            }
            Node::Apply(Op::BvAnd, parts) => {
                let [a, b] = [self.bit(parts[0], at.clone())?, self.bit(parts[1], at)?];
                Ok(self.test(BinaryOp::Both, a, b))
            }
            Node::Apply(Op::BvNot, parts) => Ok(self.not(self.bit(parts[0], at)?)),
            Node::Apply(Op::If, parts) => {
                let [a, b] = [self.bit(parts[1], at.clone())?, self.bit(parts[2], at)?];
                let condition = self.formula(parts[0])?;
                Ok(self.make(ExprKind::If(Box::new(condition), Box::new(a), Box::new(b)), Type::Bool))
            }
            Node::Apply(Op::LShr, parts) => {
                let by = self.amount(parts[1])?;
                let at = match at {
                    Some(at) => self.two(BinaryOp::Add, at, by, unsigned(64)),
                    None => by,
                };
                self.bit(parts[0], Some(at))
            }
            Node::Apply(Op::Shl, parts) if self.terms.value_of(parts[0]) == Some(1) => {
                let by = self.amount(parts[1])?;
                Ok(self.test(BinaryOp::Equal, at.unwrap_or_else(zero), by))
            }
            _ => Err(self.unknown(set)),
        }
    }

    /// How many entries a window has.
    fn count(&self, set: Term) -> Found<Expr> {
        let Some(Leaf::Used(window, _)) = self.leaf(set) else { return Err(self.unknown(set)) };
        Ok(self.make(ExprKind::Query(Query::Len, Box::new(window.clone()), vec![]), unsigned(32)))
    }

    /// By how many bits a set is shifted. It is a distance between numbers, in the width of the set.
    fn amount(&self, term: Term) -> Found<Expr> {
        match self.terms.node(term) {
            Node::Apply(Op::ZeroExtend(_), parts) => self.amount(parts[0]),
            _ => Ok(self.convert(self.number(term)?, unsigned(64))),
        }
    }

    fn unknown(&self, term: Term) -> Unsupported {
        let what = match self.terms.node(term) {
            Node::Free(name, ..) => format!("a condition on {name}"),
            Node::Call(name, ..) => format!("a condition on {name}"),
            Node::Apply(op, _) => format!("a condition with {op:?}"),
            node => format!("a condition with {node:?}"),
        };
        Unsupported { what }
    }
}

fn unsupported(what: &str) -> Unsupported {
    Unsupported { what: what.into() }
}
