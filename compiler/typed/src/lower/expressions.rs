//! Expressions: one expression of the stack IR, and the statements before it.

use nacre_stack::{BinaryOp, Expr, ExprKind, LayoutId, Place, Root, StatementKind, Type};

use super::Lowering;
use crate::tree::{self, Fields, UNIT};

impl Lowering<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, e: &tree::Expr) -> Expr {
        self.within(e.span, |l| {
            let kind = l.kind(e);
            l.make(kind, e.ty.clone())
        })
    }

    fn boxed(&mut self, e: &tree::Expr) -> Box<Expr> {
        Box::new(self.expr(e))
    }

    fn kind(&mut self, e: &tree::Expr) -> ExprKind {
        use tree::ExprKind as T;
        match &e.kind {
            T::Error(_) => unreachable!("a tree with errors is not lowered"),
            T::Const(n) => ExprKind::Const(*n),
            T::Literal(bytes) => ExprKind::Literal(bytes.clone()),
            T::Zero => ExprKind::Zero,
            T::None => ExprKind::None,
            T::Now => ExprKind::Now,
            T::Fingerprint => ExprKind::Fingerprint,
            T::Room => ExprKind::Room,
            T::Empty => ExprKind::Empty,
            T::Name(id) => ExprKind::Local(self.local(*id)),
            T::Load(place) => {
                let place = self.place(place);
                self.load(place)
            }
            T::Borrow(place) => ExprKind::Borrow(Box::new(self.place(place))),
            T::Unary(op, x) => ExprKind::Unary(*op, self.boxed(x)),
            T::Binary(op @ (BinaryOp::Both | BinaryOp::Either), l, r) => {
                let left = self.expr(l);
                self.short(*op, left, r)
            }
            T::Binary(op, l, r) => {
                let [l, r] = self.in_order([l, r]).map(Box::new);
                ExprKind::Binary(*op, l, r)
            }
            T::Exchanged(op, l, r) => {
                let [l, r] = self.in_order([l, r]).map(Box::new);
                ExprKind::Binary(*op, r, l)
            }
            T::MulDiv(parts) => {
                let [a, b, c] = self.in_order(parts.each_ref()).map(Box::new);
                ExprKind::MulDiv(a, b, c)
            }
            T::Convert(x) => ExprKind::Convert(self.boxed(x)),
            T::If(x) => self.conditional(x, &e.ty),
            T::Some(x) => ExprKind::Some(self.boxed(x)),
            T::IsSome(x) => ExprKind::IsSome(self.boxed(x)),
            T::Unwrap(x) => ExprKind::Unwrap(self.boxed(x)),
            T::Field(x, i) => ExprKind::Field(self.boxed(x), *i),
            T::Struct(_) | T::Tuple(_) | T::Array(_) | T::Bytes(_) | T::Concat(_) | T::Index(..) => self.parts(e),
            T::Query(query, place, xs) => {
                let (place, xs) = self.place_then(place, |l| l.ordered(xs));
                ExprKind::Query(*query, Box::new(place), xs)
            }
            T::QueryValue(query, x) => {
                let (value, ty) = (self.expr(x), x.ty.clone());
                let set = self.temporary(ty.clone());
                self.push(StatementKind::Let(set, value));
                ExprKind::Query(*query, Box::new(Place { root: Root::Local(set), path: vec![], ty }), Vec::new())
            }
            T::BytesOf(x) => ExprKind::BytesOf(self.boxed(x)),
            T::Extern(id, xs) => ExprKind::Extern(*id, self.ordered(xs)),
            T::View(_) | T::Share(_) | T::Length(_) | T::Push(..) | T::Slice(..) | T::Rest(..) => self.message(e),
            T::Pack(_) | T::PackView(_) | T::From(..) | T::Through(..) => self.message(e),
            T::Call(..) | T::CallOwn(..) | T::CallExtern(..) | T::Operate(..) | T::Take(_) | T::GetOr(..) => {
                self.step_of(e)
            }
            T::Random(_) | T::Filter(..) | T::Unpack(_) | T::Join(..) => self.step_of(e),
            T::Try(partial, otherwise) => {
                let tried = self.tried(partial);
                self.fail(&tried, partial, otherwise);
                tried.value.kind
            }
        }
    }

    /// Values with parts, and an element of one.
    fn parts(&mut self, e: &tree::Expr) -> ExprKind {
        use tree::ExprKind as T;
        match &e.kind {
            T::Struct(fields) => {
                let Type::Struct(id) = &e.ty else { unreachable!("a struct has the type of one") };
                let declared = self.layer.structs[id.index()].fields.iter().map(|f| &f.ty).collect::<Vec<_>>();
                ExprKind::Struct(self.fields(fields, &declared))
            }
            T::Tuple(xs) => ExprKind::Tuple(self.ordered(xs)),
            T::Array(xs) => ExprKind::Array(self.ordered(xs)),
            T::Concat(xs) => ExprKind::Concat(self.ordered(xs)),
            T::Bytes(xs) => {
                let values = self.ordered(xs);
                self.bytes(values)
            }
            T::Index(x, index) => {
                let [x, index] = self.in_order([x, index]).map(Box::new);
                ExprKind::Index(x, index)
            }
            _ => unreachable!("not made of parts: {e:?}"),
        }
    }

    /// A string of these bytes.
    fn bytes(&self, values: Vec<Expr>) -> ExprKind {
        let constant = |value: &Expr| if let ExprKind::Const(n) = value.kind { Some(n as u8) } else { None };
        let byte = |value| self.make(ExprKind::BytesOf(Box::new(value)), Type::Bytes(1));
        match values.iter().map(constant).collect() {
            Some(bytes) => ExprKind::Literal(bytes),
            None => ExprKind::Concat(values.into_iter().map(byte).collect()),
        }
    }

    /// Values for declared fields, evaluated in the order written; those that are left out are zero.
    fn fields(&mut self, fields: &Fields, declared: &[&Type]) -> Vec<Expr> {
        let mut values: Vec<Option<Expr>> = vec![None; declared.len()];
        for (at, value) in &fields.given {
            let before = self.out.len();
            let value = self.expr(value);
            self.keep_order(values.iter_mut().flatten(), before);
            values[*at as usize] = Some(value);
        }
        let zero = |ty: &&Type| self.make(ExprKind::Zero, (*ty).clone());
        values.into_iter().zip(declared).map(|(value, ty)| value.unwrap_or_else(|| zero(ty))).collect()
    }

    /// `&&` and `||`: if the right side needs statements, they run only when it is evaluated.
    pub(super) fn short(&mut self, op: BinaryOp, left: Expr, right: &tree::Expr) -> ExprKind {
        let (block, right) = self.block(|l| l.expr(right));
        if block.is_empty() {
            return ExprKind::Binary(op, Box::new(left), Box::new(right));
        }
        let id = self.temporary(Type::Bool);
        self.push(StatementKind::Let(id, left));
        let condition = self.get(id);
        let mut evaluate = block;
        evaluate.push(StatementKind::Let(id, right).at(self.span));
        let (then, otherwise) = if op == BinaryOp::Both { (evaluate, Vec::new()) } else { (Vec::new(), evaluate) };
        self.push(StatementKind::If { condition, likely: None, then, otherwise });
        ExprKind::Local(id)
    }

    fn conditional(&mut self, x: &tree::Conditional, ty: &Type) -> ExprKind {
        let condition = self.expr(&x.condition);
        let (then_block, then) = self.block(|l| l.expr(&x.then));
        let (else_block, otherwise) = self.block(|l| l.expr(&x.otherwise));
        if then_block.is_empty() && else_block.is_empty() && !self.linear(ty) {
            return ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise));
        }
        let id = self.temporary(ty.clone());
        let arm = |mut block: nacre_stack::Block, value: Expr| {
            let span = value.span;
            block.push(StatementKind::Let(id, value).at(span));
            block
        };
        let (then, otherwise) = (arm(then_block, then), arm(else_block, otherwise));
        self.push(StatementKind::If { condition, likely: x.likely, then, otherwise });
        ExprKind::Local(id)
    }

    /// Messages, and what reads their bytes.
    fn message(&mut self, e: &tree::Expr) -> ExprKind {
        use tree::ExprKind as T;
        match &e.kind {
            T::View(x) => ExprKind::View(self.boxed(x)),
            T::Share(x) => ExprKind::Share(self.boxed(x)),
            T::Length(x) => ExprKind::Length(self.boxed(x)),
            T::Pack(x) => ExprKind::Pack(LayoutId(0), self.boxed(x)),
            T::PackView(x) => ExprKind::PackView(LayoutId(0), self.boxed(x)),
            T::Push(x, header, fields) => {
                let mut message = self.expr(x);
                let before = self.out.len();
                let declared = &self.layer.headers[header.index()].fields;
                let values = self.fields(fields, &declared.iter().map(|f| &f.ty).collect::<Vec<_>>());
                self.keep_order([&mut message], before);
                ExprKind::Push(Box::new(message), *header, values)
            }
            T::Slice(x, numbers) => {
                let (x, [at, len]) = self.looked_at_then(x, |l| l.in_order(numbers.each_ref()));
                ExprKind::Slice(Box::new(x), Box::new(at), Box::new(len))
            }
            T::Rest(x, at) => {
                let [x, at] = self.in_order([x, at]).map(Box::new);
                ExprKind::Rest(x, at)
            }
            T::From(x, from) => {
                let [x, from] = self.in_order([x, from]).map(Box::new);
                let end = self.make(ExprKind::Const(u64::from(u32::MAX)), Type::UInt(32));
                ExprKind::Part(x, from, Box::new(end))
            }
            T::Through(id, xs) => {
                let views = self.ordered(xs);
                ExprKind::Through(*id, Box::new(self.side_by_side(views)))
            }
            _ => unreachable!("not of messages: {e:?}"),
        }
    }

    /// The operand of a filter.
    pub(super) fn side_by_side(&self, mut views: Vec<Expr>) -> Expr {
        if views.len() == 1 {
            return views.remove(0);
        }
        let types = views.iter().map(|view| view.ty.clone()).collect();
        self.make(ExprKind::Tuple(views), Type::Tuple(types))
    }

    /// A local for what a call gives, if it gives something.
    pub(super) fn result(&mut self, ty: &Type) -> Option<nacre_stack::LocalId> {
        (*ty != UNIT).then(|| self.temporary(ty.clone()))
    }
}
