//! Expressions.

use super::report::Rule;
use super::run::{Run, Slot};
use super::value::{Message, Value};
use crate::operations::queries::Asked;
use crate::operations::{numbers, operators, Parts};
use crate::*;

impl Run<'_> {
    /// The value of an expression. Named parts of linear locals are moved out of them.
    pub fn evaluate(&mut self, expr: &Expr) -> Value {
        let ty = &expr.ty;
        match &expr.kind {
            ExprKind::Const(n) => operators::constant(*n, ty),
            ExprKind::Local(id) if self.is_number(*id) => self.copy_of_local(*id, ty),
            ExprKind::Literal(bytes) => Value::Bytes(operators::sized(bytes.clone(), ty)),
            ExprKind::Zero => self.stack.zero(ty),
            ExprKind::Local(id) => self.local(*id, ty),
            ExprKind::Load(place) | ExprKind::Borrow(place) => self.load(place, ty),
            ExprKind::Unary(op, a) => op.row().run(self.evaluate(a), &a.ty),
            ExprKind::Binary(BinaryOp::Both, a, b) => Value::bool(self.connect(true, a, b)),
            ExprKind::Binary(BinaryOp::Either, a, b) => Value::bool(self.connect(false, a, b)),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, ty),
            ExprKind::MulDiv(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|x| self.evaluate(x).num());
                operators::constant(numbers::mul_div(a, b, c), ty)
            }
            ExprKind::Convert(a) => operators::convert(self.evaluate(a), &a.ty, ty),
            ExprKind::If(condition, a, b) => {
                let chosen = if self.evaluate(condition).truth() { a } else { b };
                self.evaluate(chosen)
            }
            ExprKind::Struct(parts) | ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                Value::Tuple(self.evaluate_all(parts))
            }
            ExprKind::Some(a) => Value::some(self.evaluate(a)),
            ExprKind::None => Value::none(),
            ExprKind::IsSome(a) => Value::bool(matches!(self.borrow(a), Value::Option(Some(_)))),
            ExprKind::Unwrap(_) | ExprKind::Field(..) => {
                let value = if self.stack.has_message(ty) { self.take(expr) } else { self.borrow(expr) };
                self.or_zero(value, ty)
            }
            ExprKind::Index(a, index) => {
                let (value, index) = (self.borrow(a), self.evaluate(index).num());
                self.index(value, index, ty)
            }
            ExprKind::Query(query, place, arguments) => self.query(*query, place, arguments, ty),
            ExprKind::Now => Value::Num(self.state.now),
            ExprKind::Fingerprint => Value::Num(self.stack.layouts.first().map_or(0, |l| l.fingerprint)),
            ExprKind::Room => operators::constant(self.stack.bounds.frame_data as u64, ty),
            ExprKind::Concat(parts) => {
                let bytes = parts.iter().flat_map(|p| self.evaluate(p).bytes().to_vec()).collect();
                Value::Bytes(operators::sized(bytes, ty))
            }
            ExprKind::Part(a, from, to) => Value::Bytes(operators::sized(self.part(a, from, to), ty)),
            ExprKind::BytesOf(a) => Value::Bytes(operators::sized(self.bytes_of(a), ty)),
            ExprKind::View(a) => match self.borrow(a) {
                Value::Msg(message) => Value::Bytes(message.bytes()),
                value => value,
            },
            ExprKind::Through(filter, a) => {
                let inputs: Vec<Vec<u8>> =
                    Filter::operands(a).iter().map(|part| self.evaluate(part).bytes().to_vec()).collect();
                self.through(*filter, &inputs, ty)
            }
            ExprKind::Extern(id, arguments) => {
                let arguments = self.evaluate_all(arguments);
                self.call_extern(*id, &arguments, Some(ty))
            }
            ExprKind::Empty => Value::Msg(Message::default()),
            ExprKind::Share(a) => self.borrow(a),
            ExprKind::Length(a) => Value::Num(match self.borrow(a) {
                Value::Msg(message) => message.len() as u64,
                value => value.bytes().len() as u64,
            }),
            ExprKind::Head(a, head) => self.head(a, *head, ty),
            ExprKind::Push(a, header, fields) => self.push(a, *header, fields),
            ExprKind::Slice(a, at, len) => Value::Msg(self.slice(a, at, len)),
            ExprKind::Rest(a, n) => Value::Msg(self.message(a).rest(self.evaluate(n).num())),
            ExprKind::Pack(layout, a) => {
                let message = self.message(a);
                Value::Msg(self.pack(*layout, message))
            }
            ExprKind::PackView(layout, a) => {
                let message = self.borrow_message(a);
                Value::Bytes(self.pack(*layout, message).bytes())
            }
        }
    }

    /// The value of `&&`, to which true is neutral, or of `||`. For the coverage, all operands of a chain are
    /// evaluated, which is not visible, and those that decide are recorded.
    fn connect(&mut self, neutral: bool, first: &Expr, last: &Expr) -> bool {
        if self.state.covered.is_none() {
            let value = self.evaluate(first).truth();
            return if value == neutral { self.evaluate(last).truth() } else { value };
        }
        let operands = Expr::chain(if neutral { BinaryOp::Both } else { BinaryOp::Either }, first, last);
        let values: Vec<bool> = operands.iter().map(|operand| self.evaluate(operand).truth()).collect();
        for (at, operand) in operands.iter().enumerate() {
            let decides = (0..values.len()).all(|other| other == at || values[other] == neutral);
            if let (true, Some(covered)) = (decides, &mut self.state.covered) {
                covered.decided.insert((operand.id, values[at]));
            }
        }
        values.into_iter().find(|value| *value != neutral).unwrap_or(neutral)
    }

    /// The value at a place.
    fn load(&mut self, place: &Place, ty: &Type) -> Value {
        let found = self.find(place);
        self.read(&found, ty)
    }

    /// The value of an operator that evaluates both operands.
    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, ty: &Type) -> Value {
        let (left, right) = (self.evaluate(a), self.evaluate(b));
        op.row(&a.ty).map_or_else(|| self.stack.zero(ty), |row| row.run(left, right, &a.ty))
    }

    /// The bytes `from .. to` of a string; both ends are clamped to its length.
    fn part(&mut self, string: &Expr, from: &Expr, to: &Expr) -> Vec<u8> {
        let bytes = self.evaluate(string).bytes().to_vec();
        let clamp = |n: u64| n.min(bytes.len() as u64) as usize;
        let (from, to) = (clamp(self.evaluate(from).num()), clamp(self.evaluate(to).num()));
        bytes[from..to.max(from)].to_vec()
    }

    /// The bytes `at .. at + len` of a message, without its headers.
    fn slice(&mut self, message: &Expr, at: &Expr, len: &Expr) -> Message {
        let message = self.borrow_message(message);
        let (at, len) = (self.evaluate(at).num(), self.evaluate(len).num());
        message.slice(at, len)
    }

    /// The bytes of a value of the wire; numbers are little-endian.
    fn bytes_of(&mut self, a: &Expr) -> Vec<u8> {
        match self.evaluate(a) {
            Value::Addr(addr) => addr.bytes().to_vec(),
            Value::Bytes(bytes) => bytes,
            Value::Set(words) => words.iter().flat_map(|w| w.to_le_bytes()).collect(),
            value => value.num().to_le_bytes()[..numbers::bits(&a.ty).div_ceil(8) as usize].to_vec(),
        }
    }

    /// Evaluates the expressions from left to right; message operands are moved.
    pub fn evaluate_all(&mut self, exprs: &[Expr]) -> Vec<Value> {
        exprs.iter().map(|e| self.evaluate(e)).collect()
    }

    /// The value of an expression that must be a message.
    pub fn message(&mut self, expr: &Expr) -> Message {
        match self.evaluate(expr) {
            Value::Msg(message) => message,
            _ => Message::default(),
        }
    }

    /// What is on a message.
    fn head(&mut self, message: &Expr, head: Head, ty: &Type) -> Value {
        let message = self.borrow_message(message);
        let fields = |id| message.headers.iter().find(|(on, _)| *on == id).map(|(_, fields)| fields);
        match head {
            Head::Is(id) => Value::bool(fields(id).is_some()),
            Head::Field(id, at) => fields(id).map_or_else(|| self.stack.zero(ty), |fields| fields[at as usize].clone()),
            Head::Data => Value::bool(message.data),
        }
    }

    /// Returns the message of an expression without consuming it; an empty message if the value is none.
    pub fn borrow_message(&mut self, expr: &Expr) -> Message {
        match self.borrow(expr) {
            Value::Msg(message) => message,
            _ => Message::default(),
        }
    }

    /// The value of an operand that is not consumed.
    pub fn borrow(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Local(id) => self.copy_of_local(*id, &expr.ty),
            ExprKind::Unwrap(a) => match self.borrow(a) {
                Value::Option(Some(inner)) => *inner,
                _ => self.stack.zero(&expr.ty),
            },
            ExprKind::Field(a, i) => match self.borrow(a) {
                Value::Tuple(mut parts) if (*i as usize) < parts.len() => {
                    let value = parts.swap_remove(*i as usize);
                    self.or_zero(value, &expr.ty)
                }
                _ => self.stack.zero(&expr.ty),
            },
            _ => self.evaluate(expr),
        }
    }

    fn or_zero(&mut self, value: Value, ty: &Type) -> Value {
        match value {
            Value::Gone => self.stack.zero(ty),
            value => value,
        }
    }

    /// Moves a part with messages out of a local, which no longer has it.
    fn take(&mut self, expr: &Expr) -> Value {
        let mut steps = vec![];
        let mut at = expr;
        loop {
            match at.access() {
                Access::Value(a) => (steps.push(None), at = a).1,
                Access::Field(a, i) => (steps.push(Some(i)), at = a).1,
                Access::Local(_) | Access::View(_) | Access::Other => break,
            }
        }
        let frame = self.frames.len() - 1;
        if let ExprKind::Local(id) = at.kind {
            let place = match &mut self.frames[frame].slots[id.index()] {
                Slot::Value(value) => Some(value),
                Slot::Ref(_) => None,
            };
            return take_part(place, &steps).unwrap_or(Value::Gone);
        }
        let mut value = self.evaluate(at);
        take_part(Some(&mut value), &steps).unwrap_or(Value::Gone)
    }

    fn copy_of_local(&mut self, id: LocalId, ty: &Type) -> Value {
        let frame = self.frames.last().expect("a frame");
        match &frame.slots[id.index()] {
            Slot::Value(Value::Gone) => self.stack.zero(ty),
            Slot::Value(value) => value.clone(),
            Slot::Ref(found) => self.read(&found.clone(), ty),
        }
    }

    /// Holds a number: nothing that is moved, and nothing to look for inside.
    fn is_number(&self, id: LocalId) -> bool {
        let frame = self.frames.last().expect("a frame");
        matches!(frame.slots[id.index()], Slot::Value(Value::Num(_)))
    }

    fn local(&mut self, id: LocalId, ty: &Type) -> Value {
        if !self.stack.has_message(ty) {
            return self.copy_of_local(id, ty);
        }
        let frame = self.frames.last_mut().expect("a frame");
        let value = match &mut frame.slots[id.index()] {
            Slot::Value(value) => std::mem::replace(value, Value::Gone),
            Slot::Ref(_) => Value::Gone,
        };
        if matches!(value, Value::Gone) {
            let name = frame.declared[id.index()].name.clone();
            self.report(Rule::Linear, format!("`{name}` is used, but it was not set or has been moved"));
        }
        self.or_zero(value, ty)
    }

    fn index(&mut self, value: Value, index: u64, ty: &Type) -> Value {
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        let part = match value {
            Value::Tuple(mut parts) if at < parts.len() => Some(parts.swap_remove(at)),
            Value::Row(mut row) if at < row.len() => row.remove(at),
            Value::Bytes(bytes) => bytes.get(at).map(|b| Value::Num(*b as u64)),
            _ => None,
        };
        part.unwrap_or_else(|| self.stack.zero(ty))
    }

    fn push(&mut self, operand: &Expr, header: HeaderId, fields: &[Expr]) -> Value {
        let mut message = self.message(operand);
        let fields = self.evaluate_all(fields);
        let declared = self.stack.header(header);
        if message.header_of(self.stack, declared.layer).is_some() {
            self.report(Rule::Complete, format!("a second header `{}` of one layer", declared.name));
        }
        message.headers.push((header, fields));
        Value::Msg(message)
    }

    fn query(&mut self, query: Query, place: &Place, arguments: &[Expr], ty: &Type) -> Value {
        let found = self.find(place);
        let argument = arguments.first().map(|a| self.evaluate(a));
        let zero = self.stack.zero(&place.ty);
        let value = self.peek(&found).filter(|v| !matches!(v, Value::Gone)).unwrap_or(&zero);
        let asked = Asked { argument: argument.as_ref(), capacity: u64::from(Parts::of(&place.ty).capacity) };
        let answer = query.row(&place.ty).and_then(|row| (row.run)(value, asked));
        answer.unwrap_or_else(|| self.stack.zero(ty))
    }
}

fn take_part(place: Option<&mut Value>, steps: &[Option<u32>]) -> Option<Value> {
    let mut place = place?;
    for step in steps.iter().rev() {
        place = match (place, step) {
            (Value::Tuple(parts), Some(i)) => parts.get_mut(*i as usize)?,
            (Value::Option(inner), None) => inner.as_deref_mut()?,
            _ => return None,
        };
    }
    Some(std::mem::replace(place, Value::Gone))
}
