//! Going through code: what a statement and an expression consist of, for reading and for rewriting.

use nacre_stack::*;

/// Rewrites code in place; a rewrite overrides what it changes and calls the `walk_` function for what is inside.
pub(crate) trait Rewrite {
    fn ty(&mut self, ty: &mut Type) {
        walk_type(self, ty);
    }
    fn expr(&mut self, expr: &mut Expr) {
        walk_expr(self, expr);
    }
    fn place(&mut self, place: &mut Place) {
        walk_place(self, place);
    }
    fn statement(&mut self, statement: &mut Statement) {
        walk_statement(self, statement);
    }
    fn block(&mut self, block: &mut Block) {
        for statement in block {
            self.statement(statement);
        }
    }
}

pub(crate) fn walk_type<R: Rewrite + ?Sized>(r: &mut R, ty: &mut Type) {
    match ty {
        Type::Tuple(types) => types.iter_mut().for_each(|t| r.ty(t)),
        Type::Option(t) | Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) => r.ty(t),
        Type::Window(t, _, _) | Type::Pool(t, _) => r.ty(t),
        Type::Map(k, v, _) => {
            r.ty(k);
            r.ty(v);
        }
        _ => {}
    }
}

pub(crate) fn walk_expr<R: Rewrite + ?Sized>(r: &mut R, expr: &mut Expr) {
    use ExprKind::*;
    r.ty(&mut expr.ty);
    match &mut expr.kind {
        Const(_) | Literal(_) | Zero | Local(_) | None | Now | Fingerprint | Room | Empty => {}
        Load(p) | Borrow(p) => r.place(p),
        Unary(_, a) | Convert(a) | Some(a) | IsSome(a) | Unwrap(a) | Field(a, _) | BytesOf(a) | View(a) => r.expr(a),
        Through(_, a) | Share(a) | Length(a) | Pack(_, a) | PackView(_, a) => r.expr(a),
        Binary(_, a, b) | Index(a, b) | Rest(a, b) => {
            r.expr(a);
            r.expr(b);
        }
        If(a, b, c) | MulDiv(a, b, c) | Part(a, b, c) | Slice(a, b, c) => {
            r.expr(a);
            r.expr(b);
            r.expr(c);
        }
        Struct(list) | Tuple(list) | Array(list) | Concat(list) | Extern(_, list) => {
            list.iter_mut().for_each(|e| r.expr(e))
        }
        Query(_, p, list) => {
            r.place(p);
            list.iter_mut().for_each(|e| r.expr(e));
        }
        Push(m, _, list) => {
            r.expr(m);
            list.iter_mut().for_each(|e| r.expr(e));
        }
    }
}

pub(crate) fn walk_place<R: Rewrite + ?Sized>(r: &mut R, place: &mut Place) {
    r.ty(&mut place.ty);
    for step in &mut place.path {
        if let Step::Index(e) = step {
            r.expr(e);
        }
    }
}

pub(crate) fn walk_statement<R: Rewrite + ?Sized>(r: &mut R, statement: &mut Statement) {
    use StatementKind::*;
    match &mut statement.kind {
        Let(_, e) | Drop(e) | Count(_, e) | Assert(e, _) | Yield(e) => r.expr(e),
        Fit { value: e, .. } | Random { below: e, .. } | Filter { input: e, .. } | Unpack { message: e, .. } => {
            r.expr(e)
        }
        Store(p, e) => {
            r.place(p);
            r.expr(e);
        }
        If { condition, then, otherwise, .. } => {
            r.expr(condition);
            r.block(then);
            r.block(otherwise);
        }
        Loop { body, .. } => r.block(body),
        For { from, to, body, .. } => {
            r.expr(from);
            r.expr(to);
            r.block(body);
        }
        Each { walk, body, .. } => {
            r.place(&mut walk.over);
            walk.from.iter_mut().chain(walk.to.iter_mut()).for_each(|e| r.expr(e));
            r.block(body);
        }
        Break | Impossible | Unreachable | Reject => {}
        Return(e) => e.iter_mut().for_each(|e| r.expr(e)),
        Call { arguments, .. } => {
            for argument in arguments {
                match argument {
                    Argument::Value(e) => r.expr(e),
                    Argument::Reference(p) => r.place(p),
                }
            }
        }
        CallExtern { arguments, .. } => arguments.iter_mut().for_each(|e| r.expr(e)),
        Operate(o) => {
            r.place(&mut o.place);
            o.arguments.iter_mut().for_each(|e| r.expr(e));
        }
        Emit(e) => e.arguments.iter_mut().for_each(|e| r.expr(e)),
        Arm { timer, delay, .. } => {
            r.place(timer);
            r.expr(delay);
        }
        Cancel(p) | Take { place: p, .. } => r.place(p),
        Join { parts, last, .. } => {
            r.place(parts);
            r.expr(last);
        }
    }
}

/// What a statement is made of, in the order of evaluation, but for the blocks inside it.
pub(crate) fn parts(statement: &Statement) -> (Vec<&Expr>, Vec<&Place>) {
    use StatementKind::*;
    match &statement.kind {
        Let(_, e) | Drop(e) | Count(_, e) | Assert(e, _) | Yield(e) => (vec![e], vec![]),
        Fit { value: e, .. } | Random { below: e, .. } | Filter { input: e, .. } | Unpack { message: e, .. } => {
            (vec![e], vec![])
        }
        Store(p, e) => (vec![e], vec![p]),
        If { condition, .. } => (vec![condition], vec![]),
        Loop { .. } | Break | Impossible | Unreachable | Reject => (vec![], vec![]),
        For { from, to, .. } => (vec![from, to], vec![]),
        Each { walk, .. } => (walk.from.iter().chain(&walk.to).collect(), vec![&walk.over]),
        Return(e) => (e.iter().collect(), vec![]),
        Call { arguments, .. } => {
            let values =
                arguments.iter().filter_map(|a| if let Argument::Value(e) = a { Some(e) } else { None }).collect();
            let places =
                arguments.iter().filter_map(|a| if let Argument::Reference(p) = a { Some(p) } else { None }).collect();
            (values, places)
        }
        CallExtern { arguments, .. } => (arguments.iter().collect(), vec![]),
        Operate(o) => (o.arguments.iter().collect(), vec![&o.place]),
        Emit(e) => (e.arguments.iter().collect(), vec![]),
        Arm { timer, delay, .. } => (vec![delay], vec![timer]),
        Cancel(p) | Take { place: p, .. } => (vec![], vec![p]),
        Join { parts, last, .. } => (vec![last], vec![parts]),
    }
}

/// The blocks inside a statement.
pub(crate) fn blocks(statement: &Statement) -> Vec<&Block> {
    match &statement.kind {
        StatementKind::If { then, otherwise, .. } => vec![then, otherwise],
        StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
            vec![body]
        }
        _ => vec![],
    }
}

/// Every statement of a block, outer ones first.
pub(crate) fn statements<'a>(block: &'a Block, seen: &mut dyn FnMut(&'a Statement)) {
    for statement in block {
        seen(statement);
        for inner in blocks(statement) {
            statements(inner, seen);
        }
    }
}

/// Whether an expression, or one inside it, is what is asked for.
pub(crate) fn any(expr: &Expr, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
    if is(expr) {
        return true;
    }
    let (inside, place) = operands(expr);
    inside.into_iter().any(|e| any(e, is)) || place.is_some_and(|p| any_of_place(p, is))
}

/// The same for the indices in a place.
pub(crate) fn any_of_place(place: &Place, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
    place.path.iter().any(|step| if let Step::Index(e) = step { any(e, is) } else { false })
}

/// Every expression of a block, inner ones after those that contain them.
pub(crate) fn expressions(block: &Block, seen: &mut dyn FnMut(&Expr)) {
    statements(block, &mut |statement| {
        let (exprs, places) = parts(statement);
        for expr in exprs {
            any(expr, &mut |e| {
                seen(e);
                false
            });
        }
        for place in places {
            any_of_place(place, &mut |e| {
                seen(e);
                false
            });
        }
    });
}

/// The value of an expression of constants.
pub(crate) fn constant(expr: &Expr) -> Option<u64> {
    match &expr.kind {
        ExprKind::Const(n) => Some(*n),
        ExprKind::Zero => Some(0),
        ExprKind::Convert(e) => constant(e),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div => a.checked_div(b),
                BinaryOp::Min => Some(a.min(b)),
                BinaryOp::Max => Some(a.max(b)),
                _ => None,
            }
        }
        _ => None,
    }
}
