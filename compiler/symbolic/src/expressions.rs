//! Expressions as terms.

use nacre_stack::{Expr, ExprKind, ExternId, Head, HeaderId, Type};

use crate::execute::Run;
use crate::state::zero_of;
use crate::terms::{Op, Sort, Term};
use crate::values::{self, sort_of, Message, Value, KIND_BITS, NAME_BITS};
use crate::Unsupported;

type Found<T> = Result<T, Unsupported>;

impl Run<'_> {
    /// The value of an expression.
    pub(crate) fn value(&mut self, expr: &Expr) -> Found<Value> {
        let ty = &expr.ty;
        Ok(match &expr.kind {
            ExprKind::Const(n) => Value::Term(self.constant(*n, ty)?),
            ExprKind::Zero | ExprKind::None => self.zero(ty)?,
            ExprKind::Local(id) => match &self.frame().values[id.index()] {
                Some(value) => value.clone(),
                None => self.zero(ty)?,
            },
            ExprKind::Load(place) | ExprKind::Borrow(place) => self.load(place)?,
            ExprKind::Unary(op, a) => Value::Term(self.unary(*op, a)?),
            ExprKind::Binary(op, a, b) => Value::Term(self.binary(*op, a, b)?),
            ExprKind::Convert(a) => Value::Term(self.convert(a, ty)?),
            ExprKind::If(condition, a, b) => {
                let (condition, a, b) = (self.term(condition)?, self.value(a)?, self.value(b)?);
                values::choose(&mut self.terms, condition, &a, &b)
            }
            ExprKind::Struct(parts) | ExprKind::Tuple(parts) => Value::Tuple(self.values(parts)?),
            ExprKind::Array(parts) => Value::Array(self.values(parts)?),
            ExprKind::Some(a) => {
                let (some, value) = (self.terms.truth(true), self.value(a)?);
                Value::Option(some, Box::new(value))
            }
            ExprKind::IsSome(a) => match self.value(a)? {
                Value::Option(some, _) => Value::Term(some),
                _ => return Err(Unsupported::new("an option".into())),
            },
            ExprKind::Unwrap(a) => match self.value(a)? {
                Value::Option(some, inner) => {
                    let zero = self.zero(ty)?;
                    values::choose(&mut self.terms, some, &inner, &zero)
                }
                _ => return Err(Unsupported::new("an option".into())),
            },
            ExprKind::Field(a, at) => match self.value(a)? {
                Value::Tuple(parts) => parts[*at as usize].clone(),
                _ => return Err(Unsupported::new("a record".into())),
            },
            ExprKind::Index(a, index) => self.index(a, index)?,
            ExprKind::Query(query, place, arguments) => Value::Term(self.query(*query, place, arguments)?),
            ExprKind::Now => Value::Term(self.state.now),
            ExprKind::Fingerprint => Value::Term(self.terms.call("fingerprint", Sort::Bits(64), &[])),
            ExprKind::Room => Value::Term(self.constant(u64::from(self.stack.bounds.frame_data), ty)?),
            ExprKind::View(a) => Value::Term(self.message(a)?.bytes),
            ExprKind::Empty => self.zero(&Type::Msg)?,
            ExprKind::Share(a) => self.value(a)?,
            ExprKind::Length(a) => Value::Term(self.length_of(a)?),
            ExprKind::Head(a, head) => self.head(a, *head, ty)?,
            ExprKind::BytesOf(a) => Value::Term(self.bytes_of(a)?),
            ExprKind::Concat(parts) if matches!(ty, Type::Bytes(_)) => Value::Term(self.concat(parts)?),
            ExprKind::Through(filter, a) => {
                let result = self.through(*filter, a, ty)?;
                self.note_calculated(result, expr);
                Value::Term(result)
            }
            ExprKind::PackView(layout, a) => {
                let parts = self.parts_of(a)?;
                Value::Term(self.terms.call(&format!("pack {}", layout.0), Sort::Bits(NAME_BITS), &parts))
            }
            ExprKind::Pack(layout, a) => {
                let (message, parts) = (self.message(a)?, self.parts_of(a)?);
                let Value::Message(mut packed) = self.zero(&Type::Msg)? else { unreachable!("a message") };
                packed.bytes = self.terms.call(&format!("pack {}", layout.0), Sort::Bits(NAME_BITS), &parts);
                packed.data = message.data;
                Value::Message(packed)
            }
            ExprKind::Extern(id, arguments) => Value::Term(self.result_of(expr, *id, arguments)?),
            ExprKind::MulDiv(a, b, c) => Value::Term(self.mul_div(a, b, c)?),
            ExprKind::Literal(bytes) => match ty {
                Type::Bytes(n) => Value::Term(self.literal(bytes, *n)),
                _ => return Err(Unsupported::new("strings of bytes".into())),
            },
            ExprKind::Part(a, from, to) => Value::Term(self.part(a, from, to, ty)?),
            ExprKind::Concat(_) => return Err(Unsupported::new("strings of bytes".into())),
            ExprKind::Push(..) | ExprKind::Slice(..) | ExprKind::Rest(..) => Value::Message(self.made_of(expr)?),
        })
    }

    /// What is on a message.
    fn head(&mut self, a: &Expr, head: Head, ty: &Type) -> Found<Value> {
        let message = self.message(a)?;
        let is = |run: &mut Self, header: HeaderId| {
            let number = run.terms.bits(KIND_BITS, u128::from(header.0) + 1);
            run.terms.equal(message.kinds[run.stack.header(header).layer.index()], number)
        };
        Ok(match head {
            Head::Is(header) => Value::Term(is(self, header)),
            Head::Field(header, at) => {
                let (there, zero) = (is(self, header), self.zero(ty)?);
                match message.fields[header.index()].get(at as usize) {
                    Some(field) => values::choose(&mut self.terms, there, field, &zero),
                    None => zero,
                }
            }
            Head::Data => Value::Term(message.data),
        })
    }

    /// The result of a function of the host.
    fn result_of(&mut self, expr: &Expr, id: ExternId, arguments: &[Expr]) -> Found<Term> {
        let mut parts = vec![];
        for argument in self.values(arguments)? {
            values::leaves(&argument, &mut parts)?;
        }
        let Some(sort) = sort_of(&expr.ty) else { return Err(Unsupported::new("the result of a function".into())) };
        let result = self.terms.call(&format!("extern {}", id.0), sort, &parts);
        self.note_calculated(result, expr);
        Ok(result)
    }

    /// A message that is made of another.
    fn made_of(&mut self, expr: &Expr) -> Found<Message> {
        Ok(match &expr.kind {
            ExprKind::Push(a, header, fields) => {
                let (mut message, fields) = (self.message(a)?, self.values(fields)?);
                let layer = self.stack.header(*header).layer.index();
                message.kinds[layer] = self.terms.bits(KIND_BITS, u128::from(header.0) + 1);
                message.fields[header.index()] = fields;
                message
            }
            ExprKind::Slice(a, at, len) => {
                let (message, at, len) = (self.message(a)?, self.term(at)?, self.term(len)?);
                let Value::Message(mut cut) = self.zero(&Type::Msg)? else { unreachable!("a message") };
                (cut.bytes, cut.data) = (self.part_of(message.bytes, at, Some(len)), message.data);
                cut
            }
            ExprKind::Rest(a, at) => {
                let (message, at) = (self.message(a)?, self.term(at)?);
                Message { bytes: self.part_of(message.bytes, at, None), ..message }
            }
            _ => self.message(expr)?,
        })
    }

    /// The values of expressions, in order.
    pub(crate) fn values(&mut self, exprs: &[Expr]) -> Found<Vec<Value>> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    /// The value of an expression that is one term.
    pub(crate) fn term(&mut self, expr: &Expr) -> Found<Term> {
        self.value(expr)?.term()
    }

    /// The value of an expression that is a message.
    pub(crate) fn message(&mut self, expr: &Expr) -> Found<Message> {
        match self.value(expr)? {
            Value::Message(message) => Ok(message),
            _ => Err(Unsupported::new("a message".into())),
        }
    }

    /// The zero of a type.
    pub(crate) fn zero(&mut self, ty: &Type) -> Found<Value> {
        zero_of(self.stack, &mut self.terms, self.layer.index(), ty)
    }

    fn constant(&mut self, n: u64, ty: &Type) -> Found<Term> {
        match sort_of(ty) {
            Some(Sort::Bool) => Ok(self.terms.truth(n != 0)),
            Some(Sort::Bits(width)) => Ok(self.terms.bits(width, u128::from(n))),
            Some(Sort::Array(..)) | None => Err(Unsupported::new("a constant".into())),
        }
    }

    fn index(&mut self, a: &Expr, index: &Expr) -> Found<Value> {
        let (value, index) = (self.value(a)?, self.term(index)?);
        match value {
            Value::Array(parts) => {
                let zero = match &a.ty {
                    Type::Array(t, _) => self.zero(t)?,
                    _ => return Err(Unsupported::new("an array".into())),
                };
                Ok(self.chosen(&parts, index, zero))
            }
            Value::Term(bytes) if matches!(a.ty, Type::Bytes(_)) => {
                let width = self.terms.width(bytes).max(self.terms.width(index) + 3);
                let (wide, by) = (self.terms.resize(bytes, width), self.terms.resize(index, width));
                let eight = self.terms.bits(width, 8);
                let amount = self.terms.binary(Op::Mul, by, eight);
                let shifted = self.terms.binary(Op::LShr, wide, amount);
                Ok(Value::Term(self.terms.extract(shifted, 7, 0)))
            }
            _ => Err(Unsupported::new("an element of that".into())),
        }
    }

    /// The element at an index, and zero where there is none.
    pub(crate) fn chosen(&mut self, parts: &[Value], index: Term, zero: Value) -> Value {
        parts.iter().enumerate().rev().fold(zero, |rest, (at, part)| {
            let here = self.is_number(index, at);
            values::choose(&mut self.terms, here, part, &rest)
        })
    }

    /// Whether an index is a number; an array may have more elements than an index of few bits can name.
    pub(crate) fn is_number(&mut self, index: Term, number: usize) -> Term {
        let width = self.terms.width(index);
        if width < usize::BITS && number >> width != 0 {
            return self.terms.truth(false);
        }
        let number = self.terms.bits(width, number as u128);
        self.terms.equal(index, number)
    }
}
