//! Unary and binary operators, and which types they take.

use nacre_diagnostics::Span;
use nacre_stack::{BinaryOp, Type, UnaryOp};
use nacre_syntax::ast;

use crate::body::{Body, Value};
use crate::convert::{as_type, constant_of, fits, holder, is_number, not, quotient};
use crate::tree::{Expr, ExprKind};

impl Body<'_, '_> {
    /// Types a unary operator; none after an error.
    pub fn unary(&mut self, op: ast::UnaryOp, x: &ast::Expr, want: Option<&Type>) -> Option<Value> {
        match op {
            ast::UnaryOp::Not => {
                let x = self.truth(x)?;
                Some(Value::fixed(self.make(ExprKind::Unary(UnaryOp::Not, Box::new(x)), Type::Bool)))
            }
            ast::UnaryOp::Negate => {
                let value = self.expr(x, want)?;
                let Type::Int(_) = value.expr.ty else {
                    let shown = self.show(&value.expr.ty);
                    self.error("T0056", format!("{shown} has no negative values"), x.span, "", "use i8 to i64");
                    return None;
                };
                let ty = value.expr.ty.clone();
                Some(Value::fixed(self.make(ExprKind::Unary(UnaryOp::Negate, Box::new(value.expr)), ty)))
            }
        }
    }

    /// Types a binary operator; `want` is the expected type of the result, if known. None after an error.
    pub fn binary(
        &mut self,
        op: ast::BinaryOp,
        l: &ast::Expr,
        r: &ast::Expr,
        want: Option<&Type>,
        span: Span,
    ) -> Option<Value> {
        use ast::BinaryOp as B;
        match op {
            B::And => self.short(BinaryOp::Both, l, r),
            B::Or => self.short(BinaryOp::Either, l, r),
            B::In => self.contains(l, r),
            B::Concat => self.concat(l, r),
            B::Range => {
                self.error(
                    "T0057",
                    "a range is allowed only in `for` and in types",
                    span,
                    "",
                    "compare with its ends: `0 <= x && x < 3`",
                );
                None
            }
            B::Add if self.is_header(r) => {
                let ast::ExprKind::Literal(name, fields) = &r.kind else { return None };
                let message = self.expr_as(l, &Type::Msg)?;
                self.push_header(message, name, fields, r.span).map(Value::fixed)
            }
            B::Equal | B::NotEqual
                if matches!(l.kind, ast::ExprKind::None) && !matches!(r.kind, ast::ExprKind::None) =>
            {
                self.presence(r, op == B::NotEqual)
            }
            B::Equal | B::NotEqual if matches!(r.kind, ast::ExprKind::None) => self.presence(l, op == B::NotEqual),
            B::Shl | B::Shr => self.shift(op == B::Shl, l, r, want),
            _ => self.arithmetic(op, l, r, want, span),
        }
    }

    /// `x == none`, `x != none`: whether an option holds a value. A message in it stays where it is.
    fn presence(&mut self, x: &ast::Expr, there: bool) -> Option<Value> {
        let in_place = self.option_in_place(x);
        let borrowed = in_place.is_some();
        let option = match in_place {
            Some(option) => option,
            None => self.expr(x, None)?.expr,
        };
        if !matches!(option.ty, Type::Option(_)) {
            let shown = self.show(&option.ty);
            let help = match option.ty {
                Type::Timer => "to test a timer: `t.armed`",
                Type::Msg | Type::Bounded(_) => "a `msg` is never absent; an optional message is a `msg?`",
                _ => "a value that may be absent is an option: `u8?`, `msg?`",
            };
            self.error("T0152", "only an option can be compared with `none`", x.span, format!("of type {shown}"), help);
            return None;
        }
        if self.cx.linear(&option.ty) && !borrowed {
            self.error(
                "T0030",
                "the resulting message is lost here",
                x.span,
                "not consumed",
                "test the place that holds it, or take it with `if let m = ...`",
            );
            return None;
        }
        let test = self.make(ExprKind::IsSome(Box::new(option)), Type::Bool);
        Some(Value::fixed(if there { test } else { not(test) }))
    }

    /// An option with a message at a place or in a local, read and not consumed.
    fn option_in_place(&mut self, x: &ast::Expr) -> Option<Expr> {
        self.place_type(x).filter(|ty| matches!(ty, Type::Option(_)) && self.cx.linear(ty))?;
        let place = self.place(x)?;
        Some(self.looked_at(place, x.span))
    }

    /// The type of what an operand names, if that holds messages: it is neither copied nor taken by a comparison.
    fn message_in_place(&mut self, x: &ast::Expr) -> Option<Type> {
        self.place_type(x).filter(|ty| self.cx.linear(ty))
    }

    /// `&&` and `||`: the right side is evaluated only where it is needed.
    fn short(&mut self, op: BinaryOp, l: &ast::Expr, r: &ast::Expr) -> Option<Value> {
        let left = self.truth(l);
        let before = self.flow.clone();
        let right = self.truth(r);
        let after = std::mem::replace(&mut self.flow, before.clone());
        self.merge(after, before, l.span);
        let both = ExprKind::Binary(op, Box::new(left?), Box::new(right?));
        Some(Value::fixed(self.make(both, Type::Bool)))
    }

    /// Both sides, from left to right.
    pub fn sides(&mut self, l: &ast::Expr, r: &ast::Expr, want: Option<&Type>) -> Option<(Value, Value)> {
        let of_right = if want.is_none() && has_any_type(l) { self.place_type(r) } else { None };
        let left = self.expr(l, want.or(of_right.as_ref()))?;
        let hint = if left.flexible { want.cloned() } else { Some(left.expr.ty.clone()) };
        let right = self.expr(r, hint.as_ref())?;
        self.before([&left.expr], &right.expr);
        Some((left, right))
    }

    fn arithmetic(
        &mut self,
        op: ast::BinaryOp,
        l: &ast::Expr,
        r: &ast::Expr,
        want: Option<&Type>,
        span: Span,
    ) -> Option<Value> {
        use ast::BinaryOp as B;
        let comparison = matches!(op, B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual);
        if let Some(ty) = self.message_in_place(l).or_else(|| self.message_in_place(r)).filter(|_| comparison) {
            return self.no_operator(op, &ty, span);
        }
        let (left, right) = self.sides(l, r, if comparison { None } else { want })?;
        if let (Type::Bits(_), true) = (&left.expr.ty, matches!(op, B::Add | B::Sub)) {
            self.element(&right.expr, &left.expr.ty, r.span)?;
        }
        if let Some(special) = self.mixed(op, &left, &right) {
            return Some(Value::fixed(special));
        }
        let (left, right) = self.unify(left, right, None, span)?;
        let ty = left.ty.clone();
        if comparison {
            return self.compare(op, left, right, span).map(Value::fixed);
        }
        if let Type::Bits(_) = ty {
            let set = match op {
                B::BitOr | B::Add => BinaryOp::Or,
                B::BitAnd => BinaryOp::And,
                B::BitXor => BinaryOp::Xor,
                B::Sub => BinaryOp::Without,
                _ => return self.no_operator(op, &ty, span),
            };
            return Some(Value::fixed(self.make(ExprKind::Binary(set, Box::new(left), Box::new(right)), ty)));
        }
        if !is_number(&ty) || (ty == Type::Duration && op == B::Mul) {
            return self.no_operator(op, &ty, span);
        }
        let operation = match op {
            B::Add => BinaryOp::Add,
            B::Sub if matches!(ty, Type::Seq(_)) => {
                let Type::Seq(bits) = ty else { return None };
                let distance = ExprKind::Binary(BinaryOp::Distance, Box::new(left), Box::new(right));
                return Some(Value::fixed(self.make(distance, Type::Int(bits))));
            }
            B::Sub => BinaryOp::Sub,
            B::Mul => BinaryOp::Mul,
            B::Div | B::Rem => {
                if !matches!(right.kind, ExprKind::Const(n) if n != 0) {
                    let is_zero = matches!(right.kind, ExprKind::Const(0));
                    self.error(
                        "T0058",
                        if is_zero { "this divides by zero" } else { "this divisor may be zero" },
                        r.span,
                        if is_zero { "zero" } else { "not a constant" },
                        if is_zero { "" } else { "handle the failure: `let x = a / b else ...;`" },
                    );
                    return None;
                }
                if op == B::Div {
                    BinaryOp::Div
                } else {
                    BinaryOp::Rem
                }
            }
            B::BitAnd => BinaryOp::And,
            B::BitOr => BinaryOp::Or,
            B::BitXor => BinaryOp::Xor,
            _ => return self.no_operator(op, &ty, span),
        };
        if matches!(ty, Type::Instant) || (matches!(ty, Type::Seq(_)) && operation != BinaryOp::Add) {
            return self.no_operator(op, &ty, span);
        }
        // Ranges are not closed under arithmetic: compute in a width that holds them.
        let wide = holder(&ty);
        let widen = |e: Expr| if e.ty == wide { e } else { self.make(ExprKind::Convert(Box::new(e)), wide.clone()) };
        let result = self.make(ExprKind::Binary(operation, Box::new(widen(left)), Box::new(widen(right))), wide);
        Some(Value::fixed(if operation == BinaryOp::Div { quotient(result) } else { result }))
    }

    /// Pairs of different types that have a meaning: times, sequence numbers with constants, sets with elements.
    fn mixed(&mut self, op: ast::BinaryOp, left: &Value, right: &Value) -> Option<Expr> {
        use ast::BinaryOp as B;
        let binary = |op, l: Expr, r: Expr, ty| self.make(ExprKind::Binary(op, Box::new(l), Box::new(r)), ty);
        let (l, r) = (&left.expr, &right.expr);
        match (&l.ty, &r.ty, op) {
            (Type::Instant, Type::Duration, B::Add) => {
                Some(binary(BinaryOp::Add, l.clone(), as_type(r, Type::Instant), Type::Instant))
            }
            (Type::Instant, Type::Duration, B::Sub) => {
                Some(binary(BinaryOp::Sub, l.clone(), as_type(r, Type::Instant), Type::Instant))
            }
            (Type::Instant, Type::Instant, B::Sub) => Some(self.make(
                ExprKind::Convert(Box::new(binary(BinaryOp::Sub, l.clone(), r.clone(), Type::Instant))),
                Type::Duration,
            )),
            (Type::Duration, _, B::Mul | B::Div | B::Rem) if is_factor(right) && !(left.flexible && right.flexible) => {
                let operation = match op {
                    B::Mul => BinaryOp::Mul,
                    _ if !matches!(r.kind, ExprKind::Const(n) if n != 0) => return None,
                    B::Div => BinaryOp::Div,
                    _ => BinaryOp::Rem,
                };
                Some(binary(operation, l.clone(), as_type(r, Type::Duration), Type::Duration))
            }
            (_, Type::Duration, B::Mul) if is_factor(left) => {
                Some(binary(BinaryOp::Mul, as_type(l, Type::Duration), r.clone(), Type::Duration))
            }
            (Type::Seq(bits), other, B::Sub)
                if right.flexible && *other != Type::Duration && fits(constant_of(r), &l.ty) =>
            {
                let back = (constant_of(r) as u64).wrapping_neg() & nacre_stack::mask(u32::from(*bits));
                Some(binary(BinaryOp::Add, l.clone(), self.make(ExprKind::Const(back), l.ty.clone()), l.ty.clone()))
            }
            (Type::Bits(n), other, B::Add | B::Sub) if is_number(other) && !left.flexible => {
                let one = self.make(ExprKind::Const(1), Type::Bits(*n));
                let element = binary(BinaryOp::Shl, one, as_type(r, Type::UInt(32)), Type::Bits(*n));
                let operation = if op == B::Add { BinaryOp::Or } else { BinaryOp::Without };
                Some(binary(operation, l.clone(), element, l.ty.clone()))
            }
            _ => None,
        }
    }

    fn compare(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        use ast::BinaryOp as B;
        let equality = matches!(op, B::Equal | B::NotEqual);
        let is_subset = op == B::LessEqual && matches!(left.ty, Type::Bits(_));
        if !self.cx.capabilities(&left.ty).compared || !(equality || is_subset || is_number(&left.ty)) {
            return self.no_operator(op, &left.ty, span);
        }
        let (l, r) = (Box::new(left), Box::new(right));
        let kind = match op {
            B::LessEqual if is_subset => ExprKind::Binary(BinaryOp::Subset, l, r),
            B::Equal => ExprKind::Binary(BinaryOp::Equal, l, r),
            B::NotEqual => ExprKind::Binary(BinaryOp::NotEqual, l, r),
            B::Less => ExprKind::Binary(BinaryOp::Less, l, r),
            B::LessEqual => ExprKind::Binary(BinaryOp::LessEqual, l, r),
            B::Greater => ExprKind::Exchanged(BinaryOp::Less, l, r),
            _ => ExprKind::Exchanged(BinaryOp::LessEqual, l, r),
        };
        Some(self.make(kind, Type::Bool))
    }

    /// Checks that entries of this type can be found by comparing; reports it if not.
    pub fn comparable(&mut self, ty: &Type, operation: &str, span: Span) -> Option<()> {
        if self.cx.capabilities(ty).compared {
            return Some(());
        }
        let shown = self.show(ty);
        let help = "messages and timers cannot be compared: compare a value stored with them, for example a number";
        self.error(
            "T0162",
            format!("`{operation}` compares, but values of type {shown} cannot be compared"),
            span,
            "",
            help,
        );
        None
    }

    /// Whether an operand is a header in braces, which `+` adds to a message.
    fn is_header(&self, operand: &ast::Expr) -> bool {
        matches!(&operand.kind, ast::ExprKind::Literal(name, _) if self.cx.header_ids.contains_key(&name.name))
    }

    /// Reports that a type does not support an operator (T0059), and returns none.
    pub fn no_operator<T>(&mut self, op: ast::BinaryOp, ty: &Type, span: Span) -> Option<T> {
        let shown = self.show(ty);
        let help = match ty {
            Type::Option(_) if self.cx.linear(ty) => "to test for a message: `x == none` or `x != none`",
            Type::Msg | Type::Bounded(_) if op == ast::BinaryOp::Add => "the message comes first: `m + Head { ... }`",
            Type::Msg | Type::Bounded(_) => {
                "compare its properties: `m.len`, a field of its header, a checksum of `m.bytes`"
            }
            Type::Duration => {
                "durations can be added, subtracted and compared, and multiplied and divided by plain numbers"
            }
            Type::Timer => "to test a timer: `t.armed`",
            _ => "",
        };
        self.error("T0059", format!("`{}` does not work on {shown}", op.symbol()), span, "", help);
        None
    }

    fn shift(&mut self, left: bool, l: &ast::Expr, r: &ast::Expr, want: Option<&Type>) -> Option<Value> {
        let (mut value, by) = self.sides(l, r, want)?;
        if value.flexible {
            let want = want.cloned().unwrap_or(Type::UInt(64));
            value = Value::fixed(self.coerce(value, &want, l.span)?);
        }
        let ty = holder(&value.expr.ty);
        if !matches!(ty, Type::UInt(_) | Type::Int(_) | Type::Duration) {
            return self.no_operator(if left { ast::BinaryOp::Shl } else { ast::BinaryOp::Shr }, &ty, l.span);
        }
        let width = if let Type::UInt(bits) | Type::Int(bits) = ty { u64::from(bits) } else { 64 };
        let safe = match &by.expr.ty {
            _ if by.flexible => (0..i128::from(width)).contains(&constant_of(&by.expr)),
            Type::Range(_, high) => *high <= width,
            Type::UInt(bits) => nacre_stack::mask(u32::from(*bits)) < width,
            _ => false,
        };
        if !safe {
            self.error(
                "T0060",
                format!("expected a shift by less than {width}"),
                r.span,
                if by.flexible { "it is not" } else { "may be more" },
                format!("use a constant below {width}, or a value of type 0..{width}"),
            );
            return None;
        }
        let operand = as_type(&value.expr, ty.clone());
        let by = as_type(&by.expr, Type::UInt(32));
        let op = if left { BinaryOp::Shl } else { BinaryOp::Shr };
        Some(Value::fixed(self.make(ExprKind::Binary(op, Box::new(operand), Box::new(by)), ty)))
    }

    fn concat(&mut self, l: &ast::Expr, r: &ast::Expr) -> Option<Value> {
        let (left, right) = self.sides(l, r, None)?;
        let mut parts = Vec::new();
        let (mut fixed, mut size) = (true, 0);
        for (value, span) in [(left, l.span), (right, r.span)] {
            match &value.expr.ty {
                Type::Bytes(n) => size += n,
                Type::View => fixed = false,
                other => {
                    let shown = self.show(other);
                    self.error(
                        "T0062",
                        format!("`++` concatenates bytes, not {shown}"),
                        span,
                        "",
                        "take its bytes: x.bytes",
                    );
                    return None;
                }
            }
            match value.expr.kind {
                ExprKind::Concat(more) => parts.extend(more),
                kind => parts.push(Expr::new(kind, value.expr.ty, value.expr.span)),
            }
        }
        Some(Value::fixed(self.make(ExprKind::Concat(parts), if fixed { Type::Bytes(size) } else { Type::View })))
    }
}

/// Whether a duration can be multiplied or divided by a number.
fn is_factor(value: &Value) -> bool {
    match value.expr.ty {
        Type::UInt(_) | Type::Range(..) => !value.flexible || constant_of(&value.expr) >= 0,
        // A negative one would make a very long duration.
        Type::Int(_) => value.flexible && constant_of(&value.expr) >= 0,
        _ => false,
    }
}

/// Whether an expression takes the type that its context expects.
fn has_any_type(e: &ast::Expr) -> bool {
    let is = |e: &ast::Expr, word: &str| matches!(&e.kind, ast::ExprKind::Name(name) if name == word);
    is(e, "zeroes") || matches!(&e.kind, ast::ExprKind::Call(function, _) if is(function, "set"))
}
