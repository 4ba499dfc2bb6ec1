//! The walk over a body, which counts the places where operators apply and changes one of them.

use nacre_analysis::values::BodyId;
use nacre_stack::*;

use crate::decisive::{is_time, Decisive};
use crate::edit::{Change, Edit};

/// Changes the code at the place with the number [`Self::wanted`].
pub struct Walker<'a> {
    pub stack: &'a Stack,
    pub body: BodyId,
    pub layer: LayerId,
    /// The locals of the body.
    pub locals: &'a [Local],
    pub decisive: &'a Decisive<'a>,
    pub wanted: usize,
    seen: usize,
    /// The change that was made; none: there are fewer places.
    pub done: Option<Change>,
    /// Locals that were drawn at random.
    pub drawn: Vec<LocalId>,
    /// Locals that are declared here.
    pub scope: Vec<LocalId>,
}

impl<'a> Walker<'a> {
    /// Returns a walker over the code of a layer; `scope`: the locals that are set before it.
    pub fn new(
        stack: &'a Stack,
        decisive: &'a Decisive<'a>,
        (body, layer): (BodyId, LayerId),
        locals: &'a [Local],
        scope: Vec<LocalId>,
    ) -> Walker<'a> {
        Walker { stack, body, layer, locals, decisive, wanted: 0, seen: 0, done: None, drawn: vec![], scope }
    }

    /// Records a place where an operator applies; returns whether it is the one to change.
    pub fn here(&mut self, operator: &'static str, span: Span, edit: Edit) -> bool {
        let here = self.seen == self.wanted;
        self.seen += 1;
        if here {
            self.done = Some((operator, span, edit));
        }
        here
    }

    /// Walks a block.
    pub fn block(&mut self, block: &mut Block) {
        let (mut at, outer) = (0, self.scope.len());
        while at < block.len() && self.done.is_none() {
            if self.left_out(block, at) || self.swapped(block, at) {
                return;
            }
            let sets = block[at].sets();
            match block[at].control() {
                // Its variables are declared within it.
                Control::Repeat { .. } => {
                    let outside = self.scope.len();
                    self.scope.extend(sets);
                    self.statement(&mut block[at]);
                    self.scope.truncate(outside);
                }
                Control::Branch { .. } | Control::Break | Control::Exit | Control::Next => {
                    self.statement(&mut block[at]);
                    self.scope.extend(sets);
                }
            }
            if matches!(block[at].kind, StatementKind::Impossible) {
                break;
            }
            at += 1;
        }
        self.scope.truncate(outer);
    }

    /// Whether a store there is observable, apart from times.
    pub fn is_update(&self, place: &Place) -> bool {
        !is_time(&place.ty) && self.decisive.place(self.body, place)
    }

    fn statement(&mut self, statement: &mut Statement) {
        let (decisive, body) = (self.decisive, self.body);
        match &mut statement.kind {
            StatementKind::Let(local, e) if decisive.local(body, *local) || self.stack.has_message(&e.ty) => {
                self.expr(e)
            }
            StatementKind::Store(place, e) if self.is_update(place) => self.expr(e),
            StatementKind::Random { into, .. } => self.drawn.push(*into),
            StatementKind::If { condition, then, otherwise, .. } => {
                self.branches(condition, then, otherwise);
                self.block(then);
                self.block(otherwise);
            }
            StatementKind::Loop { body, .. } => self.block(body),
            StatementKind::For { from, to, body: inner, .. } => {
                self.range(Some(from), Some(to));
                self.block(inner);
            }
            StatementKind::Each { walk, body: inner, .. } => {
                if decisive.block_acts(body, inner) {
                    self.range(walk.from.as_mut(), walk.to.as_mut());
                }
                self.block(inner);
            }
            StatementKind::Return(Some(e)) if decisive.result(body) || self.stack.has_message(&e.ty) => self.expr(e),
            StatementKind::Call { function, arguments, .. } => {
                let parameters = &self.stack.functions[function.index()].parameters;
                for (argument, parameter) in arguments.iter_mut().zip(parameters) {
                    match argument {
                        Argument::Value(e)
                            if decisive.parameter(*function, *parameter) || self.stack.has_message(&e.ty) =>
                        {
                            self.expr(e)
                        }
                        _ => {}
                    }
                }
            }
            StatementKind::Operate(o) => o.arguments.iter_mut().for_each(|e| self.expr(e)),
            StatementKind::Emit(emit) => emit.arguments.iter_mut().for_each(|e| self.expr(e)),
            StatementKind::Fit { into, value } if decisive.local(body, *into) => self.expr(value),
            StatementKind::Let(..)
            | StatementKind::Store(..)
            | StatementKind::Fit { .. }
            | StatementKind::Break
            | StatementKind::Return(_)
            | StatementKind::CallExtern { .. }
            | StatementKind::Drop(_)
            | StatementKind::Arm { .. }
            | StatementKind::Cancel(_)
            | StatementKind::Count(..)
            | StatementKind::Assert(..)
            | StatementKind::Impossible
            | StatementKind::Unreachable
            | StatementKind::Filter { .. }
            | StatementKind::Yield(_)
            | StatementKind::Reject
            | StatementKind::Unpack { .. }
            | StatementKind::Join { .. }
            | StatementKind::Take { .. } => {}
        }
    }

    /// Walks an expression.
    pub fn expr(&mut self, e: &mut Expr) {
        if self.done.is_some() || is_time(&e.ty) || self.variable(e) || self.modulus(e) || self.slice(e) {
            return;
        }
        let (ty, span) = (e.ty.clone(), e.span);
        match &mut e.kind {
            ExprKind::Const(n) => self.number(&ty, n, span),
            ExprKind::Binary(BinaryOp::Both | BinaryOp::Either, ..) => self.junction(e),
            ExprKind::Binary(op, a, b) => self.binary(op, [a, b], span),
            ExprKind::Push(message, header, fields) => {
                self.variant(header, span);
                self.expr(message);
                for field in fields {
                    self.cut(field);
                    self.expr(field);
                }
            }
            ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::Some(a)
            | ExprKind::IsSome(a)
            | ExprKind::Unwrap(a) => self.expr(a),
            ExprKind::Field(a, _) | ExprKind::Share(a) | ExprKind::Length(a) | ExprKind::Head(a, _) => self.expr(a),
            ExprKind::Index(a, b) | ExprKind::Rest(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::If(a, b, c) | ExprKind::Slice(a, b, c) => {
                for part in [a, b, c] {
                    self.expr(part);
                }
            }
            ExprKind::Struct(parts) => {
                let Type::Struct(id) = ty else { return };
                let fields = parts.iter_mut().enumerate().filter(|(at, _)| self.decisive.field(id, *at as u32));
                fields.for_each(|(_, e)| self.expr(e));
            }
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => parts.iter_mut().for_each(|e| self.expr(e)),
            ExprKind::Query(_, _, parts) => parts.iter_mut().for_each(|e| self.expr(e)),
            // These contain no number of the layer, or only a claim or bytes.
            ExprKind::Literal(_)
            | ExprKind::Zero
            | ExprKind::Local(_)
            | ExprKind::Load(_)
            | ExprKind::MulDiv(..)
            | ExprKind::None
            | ExprKind::Now
            | ExprKind::Fingerprint
            | ExprKind::Room
            | ExprKind::Concat(_)
            | ExprKind::Part(..)
            | ExprKind::BytesOf(_)
            | ExprKind::View(_)
            | ExprKind::Through(..)
            | ExprKind::Extern(..)
            | ExprKind::Empty
            | ExprKind::Borrow(_)
            | ExprKind::Pack(..)
            | ExprKind::PackView(..) => {}
        }
    }

    /// Adds another header.
    fn variant(&mut self, header: &mut HeaderId, span: Span) {
        let mine = *header;
        for other in self.alike(mine) {
            let [from, to] = [mine, other].map(|id| self.stack.header(id).name.clone());
            if self.here("variant", span, Edit::Header { from, to }) {
                *header = other;
            }
        }
    }

    /// Returns the other headers of the layer that have fields of the same types.
    fn alike(&self, mine: HeaderId) -> Vec<HeaderId> {
        let header = self.stack.header(mine);
        let same = |other: &Header| {
            other.layer == header.layer
                && other.fields.len() == header.fields.len()
                && other.fields.iter().zip(&header.fields).all(|(a, b)| a.ty == b.ty)
        };
        let all = (0..self.stack.headers.len() as u32).map(HeaderId);
        all.filter(|id| *id != mine && same(self.stack.header(*id))).collect()
    }
}
