//! Expressions: every operand has the type that its operator wants.

use super::code::Check;
use crate::operations::{operators, Kind, Parts};
use crate::*;

fn is_number(ty: &Type) -> bool {
    Kind::of(ty).is_number()
}

fn is_bytes(ty: &Type) -> bool {
    matches!(ty, Type::Bytes(_) | Type::Text(_) | Type::View)
}

impl<'a> Check<'a> {
    /// Adds a problem unless both types are equal; `what` names the subject in it.
    pub fn same(&mut self, have: &Type, want: &Type, what: &str) {
        self.problems.unless(have == want, || format!("{what} is {have:?} and should be {want:?}"));
    }

    /// Checks an expression, and that it is of a numeric type.
    pub fn number(&mut self, e: &'a Expr, what: &str) {
        self.expr(e);
        self.problems.unless(is_number(&e.ty), || format!("{what} is {:?}, not a number", e.ty));
    }

    /// Checks an index: a number that is not signed.
    pub fn index(&mut self, e: &'a Expr, what: &str) {
        self.expr(e);
        self.problems.unless(Kind::of(&e.ty).is_natural(), || format!("{what} is {:?}, not an index", e.ty));
    }

    /// Checks an expression, and that it is of the type `want`.
    pub fn typed(&mut self, e: &'a Expr, want: &Type, what: &str) {
        self.expr(e);
        self.same(&e.ty, want, what);
    }

    /// Checks the expressions against a list of types, and that there is one for each.
    pub fn all_typed<'t>(&mut self, list: &'a [Expr], want: impl ExactSizeIterator<Item = &'t Type>, what: &str) {
        let count = want.len();
        self.problems.unless(list.len() == count, || format!("{} of {count} {what}", list.len()));
        list.iter().zip(want).for_each(|(e, ty)| self.typed(e, ty, what));
    }

    fn wrong(&mut self, e: &Expr) {
        let kind = format!("{:?}", e.kind);
        let short: String = kind.chars().take(80).collect();
        self.problems.add(format!("{short} of type {:?}", e.ty));
    }

    fn holds(&mut self, holds: bool, e: &Expr) {
        if !holds {
            self.wrong(e);
        }
    }

    fn element(&self, ty: &'a Type) -> Option<&'a Type> {
        match ty {
            Type::Array(t, _) | Type::List(t, _) | Type::Ring(t, _) => Some(t),
            ty if is_bytes(ty) => Some(&Type::UInt(8)),
            _ => None,
        }
    }

    fn field(&self, ty: &'a Type, i: u32) -> Option<&'a Type> {
        match ty {
            Type::Struct(id) => self.stack.structs[id.index()].fields.get(i as usize).map(|f| &f.ty),
            Type::Tuple(types) => types.get(i as usize),
            _ => None,
        }
    }

    /// Checks an expression and all in it.
    pub fn expr(&mut self, e: &'a Expr) {
        let (stack, ty) = (self.stack, &e.ty);
        match &e.kind {
            ExprKind::Const(n) => self.holds(self.has_constant(ty, *n), e),
            ExprKind::Literal(bytes) => self.holds(has_literal(ty, bytes.len()), e),
            ExprKind::Zero => {}
            ExprKind::Local(id) => self.local(*id, ty),
            ExprKind::Load(place) => {
                self.read(place, ty, "what is loaded");
                self.holds(!stack.has_message(ty), e);
            }
            ExprKind::Borrow(place) => self.read(place, ty, "what is borrowed"),
            ExprKind::Unary(op, a) => {
                self.expr(a);
                let row = op.row();
                self.holds(row.on.contains(&Kind::of(&a.ty)) && *ty == row.result(&a.ty), e);
            }
            ExprKind::Binary(op, a, b) => self.binary(e, *op, a, b),
            ExprKind::Convert(a) => self.operand(a, operators::converts(&a.ty, ty), e),
            ExprKind::If(condition, a, b) => self.choice(condition, [a, b], ty),
            ExprKind::MulDiv(a, b, c) => {
                [a, b, c].into_iter().for_each(|x| self.typed(x, ty, "what is multiplied and divided"));
                self.holds(matches!(ty, Type::UInt(_) | Type::Duration), e);
            }
            ExprKind::Struct(fields) => self.structure(e, fields),
            ExprKind::Tuple(parts) => self.tuple(e, parts),
            ExprKind::Array(elements) => self.array(e, elements),
            ExprKind::Some(a) => self.operand(a, matches!(ty, Type::Option(t) if **t == a.ty), e),
            ExprKind::None => self.holds(matches!(ty, Type::Option(_)), e),
            ExprKind::IsSome(a) => self.operand(a, *ty == Type::Bool && matches!(a.ty, Type::Option(_)), e),
            ExprKind::Unwrap(a) => self.operand(a, matches!(&a.ty, Type::Option(t) if **t == *ty), e),
            ExprKind::Field(a, i) => self.operand(a, self.field(&a.ty, *i) == Some(ty), e),
            ExprKind::Index(a, index) => {
                self.expr(a);
                self.index(index, "an index");
                self.holds(self.element(&a.ty) == Some(ty), e);
            }
            ExprKind::Query(query, place, arguments) => self.query(e, *query, place, arguments),
            ExprKind::Now => self.holds(matches!(ty, Type::Instant), e),
            ExprKind::Fingerprint => self.same(ty, &Type::UInt(64), "the fingerprint"),
            ExprKind::Room => self.holds(is_number(ty), e),
            ExprKind::Concat(parts) => {
                parts.iter().for_each(|part| self.bytes(part));
                self.holds(is_bytes(ty), e);
            }
            ExprKind::Part(a, from, to) => {
                self.bytes(a);
                [from, to].into_iter().for_each(|at| self.number(at, "a place in bytes"));
                self.holds(is_bytes(ty), e);
            }
            ExprKind::BytesOf(a) => self.operand(a, is_bytes(ty) && stack.wire_bits(&a.ty).is_some(), e),
            ExprKind::View(a) => self.operand(a, *ty == Type::View && (a.ty == Type::Msg || is_bytes(&a.ty)), e),
            ExprKind::Through(id, a) => {
                self.read_by(*id, a);
                let result = stack.filters.get(id.index()).and_then(|f| f.result.as_ref());
                self.holds(result.is_some_and(|r| r.ty == *ty), e);
            }
            ExprKind::Extern(id, arguments) => {
                self.extern_arguments(*id, arguments);
                let result = stack.externs.get(id.index()).and_then(|x| x.result.as_ref());
                self.holds(result == Some(ty), e);
            }
            ExprKind::Empty => self.same(ty, &Type::Msg, "an empty message"),
            ExprKind::Share(a) => self.operand(a, a.ty == *ty && stack.has_message(ty), e),
            ExprKind::Length(a) => self.operand(a, (a.ty == Type::Msg || is_bytes(&a.ty)) && is_number(ty), e),
            ExprKind::Head(a, head) => self.head(a, *head, ty, e),
            ExprKind::Push(a, id, fields) => self.push(a, *id, fields, ty),
            ExprKind::Slice(a, at, len) => self.slice(a, [at, len], ty),
            ExprKind::Rest(a, n) => {
                self.typed(a, &Type::Msg, "what is cut");
                self.same(ty, &Type::Msg, "a rest");
                self.number(n, "where a rest begins");
            }
            ExprKind::Pack(layout, a) => self.packed(*layout, a, ty, &Type::Msg),
            ExprKind::PackView(layout, a) => self.packed(*layout, a, ty, &Type::View),
        }
    }

    fn has_constant(&self, ty: &Type, n: u64) -> bool {
        match ty {
            Type::Bool => n <= 1,
            Type::Range(low, high) => *low <= n && n < *high,
            Type::Enum(id) => n < self.stack.enums[id.index()].variants.len() as u64,
            Type::Bits(_) => true,
            ty => is_number(ty),
        }
    }

    /// Checks an operand, and whether its type fits the expression.
    fn operand(&mut self, operand: &'a Expr, fits: bool, e: &'a Expr) {
        self.expr(operand);
        self.holds(fits, e);
    }

    fn local(&mut self, id: LocalId, ty: &Type) {
        match self.locals.get(id.index()) {
            Some(local) => self.same(ty, &local.ty, "a local"),
            None => self.problems.add(format!("no local {}", id.0)),
        }
    }

    fn read(&mut self, place: &'a Place, ty: &Type, what: &str) {
        self.place(place);
        self.same(ty, &place.ty, what);
    }

    fn choice(&mut self, condition: &'a Expr, [a, b]: [&'a Expr; 2], ty: &Type) {
        self.typed(condition, &Type::Bool, "a condition");
        self.typed(a, ty, "one side");
        self.typed(b, ty, "the other side");
    }

    fn structure(&mut self, e: &'a Expr, fields: &'a [Expr]) {
        match &e.ty {
            Type::Struct(id) => {
                self.all_typed(fields, self.stack.structs[id.index()].fields.iter().map(|f| &f.ty), "fields")
            }
            _ => self.wrong(e),
        }
    }

    fn tuple(&mut self, e: &'a Expr, parts: &'a [Expr]) {
        match &e.ty {
            Type::Tuple(types) => self.all_typed(parts, types.iter(), "parts"),
            _ => self.wrong(e),
        }
    }

    fn array(&mut self, e: &'a Expr, elements: &'a [Expr]) {
        match &e.ty {
            Type::Array(t, n) => {
                self.all_typed(elements, (0..*n).map(|_| &**t).collect::<Vec<_>>().into_iter(), "elements")
            }
            _ => self.wrong(e),
        }
    }

    fn push(&mut self, message: &'a Expr, id: HeaderId, fields: &'a [Expr], ty: &Type) {
        self.typed(message, &Type::Msg, "what a header is put on");
        self.same(ty, &Type::Msg, "a message with a header");
        let Some(header) = self.stack.headers.get(id.index()) else {
            return self.problems.add(format!("no header {}", id.0));
        };
        let own = self.layer.is_none_or(|layer| header.layer == layer);
        self.problems.unless(own, || format!("header `{}` of another layer is pushed", header.name));
        self.all_typed(fields, header.fields.iter().map(|f| &f.ty), "header fields");
    }

    fn head(&mut self, message: &'a Expr, head: Head, ty: &Type, e: &'a Expr) {
        self.typed(message, &Type::Msg, "what is asked for a header");
        self.problems.unless(self.layer.is_none(), || "a question for a header outside of bypasses".into());
        let header = |id: HeaderId| self.stack.headers.get(id.index());
        let fits = match head {
            Head::Is(id) => header(id).is_some() && *ty == Type::Bool,
            Head::Field(id, at) => {
                let field = header(id).and_then(|header| header.fields.get(at as usize));
                field.is_some_and(|field| field.ty == *ty)
            }
            Head::Data => *ty == Type::Bool,
        };
        self.holds(fits, e);
    }

    fn slice(&mut self, message: &'a Expr, [at, len]: [&'a Expr; 2], ty: &Type) {
        self.typed(message, &Type::Msg, "what is sliced");
        self.same(ty, &Type::Msg, "a slice");
        self.number(at, "the start of a slice");
        self.number(len, "the length of a slice");
    }

    fn packed(&mut self, layout: LayoutId, message: &'a Expr, ty: &Type, want: &Type) {
        self.typed(message, &Type::Msg, "what is packed");
        self.same(ty, want, "what is packed");
        self.layout(layout);
    }

    /// Checks that a layout exists and is not that of frames.
    pub fn layout(&mut self, id: LayoutId) {
        self.problems
            .unless(id.index() > 0 && id.index() < self.stack.layouts.len(), || format!("no inner layout {}", id.0));
    }

    /// Checks an expression, and that it is a message or a byte string.
    pub fn bytes(&mut self, e: &'a Expr) {
        self.expr(e);
        self.problems.unless(is_bytes(&e.ty) || e.ty == Type::Msg, || format!("{:?} is not bytes", e.ty));
    }

    /// The operand of a filter.
    pub fn read_by(&mut self, id: FilterId, operand: &'a Expr) {
        let parts = Filter::operands(operand);
        parts.iter().for_each(|part| self.bytes(part));
        let count = self.stack.filters.get(id.index()).map_or(1, |f| f.inputs.len());
        self.problems.unless(parts.len() == count, || format!("{} of {count} strings of bytes", parts.len()));
    }

    /// Checks the arguments of a call to the host; a view is accepted for a message or a byte string.
    pub fn extern_arguments(&mut self, id: ExternId, arguments: &'a [Expr]) {
        let Some(function) = self.stack.externs.get(id.index()) else {
            return self.problems.add(format!("no extern {}", id.0));
        };
        let count = function.parameters.len();
        self.problems.unless(arguments.len() == count, || format!("{} of {count} arguments", arguments.len()));
        for (e, parameter) in arguments.iter().zip(&function.parameters) {
            self.expr(e);
            let lent = e.ty == Type::View && (parameter.ty == Type::Msg || is_bytes(&parameter.ty));
            if !lent {
                self.same(&e.ty, &parameter.ty, "an argument");
            }
        }
    }

    fn binary(&mut self, e: &'a Expr, op: BinaryOp, a: &'a Expr, b: &'a Expr) {
        self.expr(a);
        self.expr(b);
        let (left, right, ty) = (&a.ty, &b.ty, &e.ty);
        let fits = op.row(left).is_some_and(|row| {
            let compares = matches!(row.run, operators::Run::Equality(_));
            row.takes(left, right) && *ty == row.result(left) && (!compares || self.stack.capabilities(left).compared)
        });
        self.problems.unless(fits, || format!("{op:?} of {left:?} and {right:?} gives {ty:?}"));
    }

    fn query(&mut self, e: &'a Expr, query: Query, place: &'a Place, arguments: &'a [Expr]) {
        self.place(place);
        let (of, ty) = (&place.ty, &e.ty);
        let Some(row) = query.row(of) else { return self.problems.add(format!("{query:?} of {of:?}")) };
        let parts = Parts::of(of);
        match (arguments, row.takes.map(|operand| parts.operand(operand))) {
            ([], None) => {}
            ([a], Some(Some(want))) => self.typed(a, &want, "what is asked for"),
            ([a], Some(None)) => self.index(a, "what is asked for"),
            _ => self.wrong(e),
        }
        let compares = !row.compares || parts.entry.is_some_and(|entry| self.stack.capabilities(entry).compared);
        let fits = compares && row.result(of).map_or(is_number(ty), |want| want == *ty);
        self.problems.unless(fits, || format!("{query:?} of {of:?} gives {ty:?}"));
    }
}

fn has_literal(ty: &Type, length: usize) -> bool {
    match ty {
        Type::Bytes(n) => length == *n as usize,
        Type::Text(n) => length <= *n as usize,
        ty => *ty == Type::View,
    }
}
