//! Unary and binary operators, and which types they take.

use nacre_diagnostics::Span;
use nacre_stack::{BinaryOp, Expr, ExprKind, Query, StatementKind, Type, UnaryOp};
use nacre_syntax::ast;

use crate::body::{Body, Value};
use crate::convert::{constant_of, holder, is_number, widens};
use crate::expressions::make;
use crate::failing::not;

impl Body<'_, '_> {
    pub fn unary(&mut self, op: ast::UnaryOp, x: &ast::Expr, want: Option<&Type>) -> Option<Value> {
        match op {
            ast::UnaryOp::Not => {
                let x = self.truth(x)?;
                Some(Value::fixed(make(ExprKind::Unary(UnaryOp::Not, Box::new(x)), Type::Bool)))
            }
            ast::UnaryOp::Negate => {
                let value = self.expr(x, want)?;
                let Type::Int(_) = value.expr.ty else {
                    let shown = self.show(&value.expr.ty);
                    self.error("T0056", format!("{shown} has no negative values"), x.span, "", "use i8 to i64");
                    return None;
                };
                let ty = value.expr.ty.clone();
                Some(Value::fixed(make(ExprKind::Unary(UnaryOp::Negate, Box::new(value.expr)), ty)))
            }
        }
    }

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
            B::And | B::Or => self.short(op == B::And, l, r),
            B::In => self.contains(l, r),
            B::Concat => self.concat(l, r),
            B::Range => {
                self.error(
                    "T0057",
                    "a range stands only in `for` and in types",
                    span,
                    "",
                    "compare with its ends: `0 <= x && x < 3`",
                );
                None
            }
            B::Add if matches!(&r.kind, ast::ExprKind::Literal(name, _) if self.cx.header_ids.contains_key(&name.name)) =>
            {
                let ast::ExprKind::Literal(name, fields) = &r.kind else { return None };
                let message = self.expr_as(l, &Type::Msg)?;
                let mut held = [Some(message)];
                let before = self.out.len();
                let pushed = self.push_header_after(&mut held, before, name, fields, r.span)?;
                Some(Value::fixed(pushed))
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
                Type::Timer => "whether a timer runs: `t.armed`",
                Type::Msg | Type::Bounded(_) => "a message is always there; what may be missing is of type `msg?`",
                _ => "what may be missing is an option: `u8?`, `msg?`",
            };
            self.error("T0152", "only an option is compared with `none`", x.span, format!("of type {shown}"), help);
            return None;
        }
        if self.cx.linear(&option.ty) && !borrowed {
            self.error(
                "T0030",
                "the message that this gives is lost here",
                x.span,
                "nothing consumes it",
                "test the place that holds it, or take it with `if let m = ...`",
            );
            return None;
        }
        let test = make(ExprKind::IsSome(Box::new(option)), Type::Bool);
        Some(Value::fixed(if there { test } else { not(test) }))
    }

    /// An option with a message at a place or in a local, looked at and not consumed.
    fn option_in_place(&mut self, x: &ast::Expr) -> Option<Expr> {
        self.type_of_place(x).filter(|ty| matches!(ty, Type::Option(_)) && self.cx.linear(ty))?;
        let place = self.place(x)?;
        match (place.root, place.path.is_empty()) {
            (nacre_stack::Root::Local(id), true) if !self.locals[id.index()].by_ref => {
                self.readable(id, x.span);
                Some(self.get(id))
            }
            _ => {
                let ty = place.ty.clone();
                Some(make(ExprKind::Borrow(Box::new(place)), ty))
            }
        }
    }

    /// The type of what an operand names, if that holds messages: it is neither copied nor taken by a comparison.
    fn message_in_place(&mut self, x: &ast::Expr) -> Option<Type> {
        self.type_of_place(x).filter(|ty| self.cx.linear(ty))
    }

    /// `&&` and `||`: if the right side needs statements, they run only when it is evaluated.
    fn short(&mut self, both: bool, l: &ast::Expr, r: &ast::Expr) -> Option<Value> {
        let left = self.truth(l)?;
        let before = self.flow.clone();
        let (block, right) = self.block(|b| b.truth(r));
        let after = std::mem::replace(&mut self.flow, before.clone());
        self.merge(after, before, l.span);
        let right = right?;
        if block.is_empty() {
            let op = if both { BinaryOp::Both } else { BinaryOp::Either };
            return Some(Value::fixed(make(ExprKind::Binary(op, Box::new(left), Box::new(right)), Type::Bool)));
        }
        let id = self.temporary(Type::Bool);
        self.push(StatementKind::Let(id, left));
        let condition = self.get(id);
        let mut evaluate = block;
        evaluate.push(StatementKind::Let(id, right).into());
        let (then, otherwise) = if both { (evaluate, Vec::new()) } else { (Vec::new(), evaluate) };
        self.push(StatementKind::If { condition, likely: None, then, otherwise });
        Some(Value::fixed(self.get(id)))
    }

    /// Both sides, left evaluated before whatever the right puts in front.
    pub fn sides(&mut self, l: &ast::Expr, r: &ast::Expr, want: Option<&Type>) -> Option<(Value, Value)> {
        let mut left = self.expr(l, want)?;
        let before = self.out.len();
        let hint = if left.flexible { want.cloned() } else { Some(left.expr.ty.clone()) };
        let right = self.expr(r, hint.as_ref())?;
        if self.out.len() > before {
            let mut held = [Some(left.expr)];
            self.keep_order(&mut held, before);
            let [kept] = held;
            left.expr = kept?;
        }
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
            return Some(Value::fixed(make(ExprKind::Binary(set, Box::new(left), Box::new(right)), ty)));
        }
        if !is_number(&ty) || (ty == Type::Duration && op == B::Mul) {
            return self.no_operator(op, &ty, span);
        }
        let operation = match op {
            B::Add => BinaryOp::Add,
            B::Sub if matches!(ty, Type::Seq(_)) => {
                let Type::Seq(bits) = ty else { return None };
                let distance = ExprKind::Binary(BinaryOp::Distance, Box::new(left), Box::new(right));
                return Some(Value::fixed(make(distance, Type::Int(bits))));
            }
            B::Sub => BinaryOp::Sub,
            B::Mul => BinaryOp::Mul,
            B::Div | B::Rem => {
                if !matches!(right.kind, ExprKind::Const(n) if n != 0) {
                    self.error(
                        "T0058",
                        "this divisor may be zero",
                        r.span,
                        "not a constant",
                        "say what happens then: `let x = a / b else ...;`",
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
        // Ranges are closed under nothing: compute in a width that holds them.
        let wide = holder(&ty);
        let widen = |e: Expr| if e.ty == wide { e } else { make(ExprKind::Convert(Box::new(e)), wide.clone()) };
        let result = make(ExprKind::Binary(operation, Box::new(widen(left)), Box::new(widen(right))), wide);
        Some(Value::fixed(if operation == BinaryOp::Div { quotient(result) } else { result }))
    }

    /// Pairs of different types that have a meaning: times, sequence numbers with constants, sets with elements.
    fn mixed(&mut self, op: ast::BinaryOp, left: &Value, right: &Value) -> Option<Expr> {
        use ast::BinaryOp as B;
        let binary = |op, l: Expr, r: Expr, ty| make(ExprKind::Binary(op, Box::new(l), Box::new(r)), ty);
        let (l, r) = (&left.expr, &right.expr);
        match (&l.ty, &r.ty, op) {
            (Type::Instant, Type::Duration, B::Add) => {
                Some(binary(BinaryOp::Add, l.clone(), as_type(r, Type::Instant), Type::Instant))
            }
            (Type::Instant, Type::Duration, B::Sub) => {
                Some(binary(BinaryOp::Sub, l.clone(), as_type(r, Type::Instant), Type::Instant))
            }
            (Type::Instant, Type::Instant, B::Sub) => Some(make(
                ExprKind::Convert(Box::new(binary(BinaryOp::Sub, l.clone(), r.clone(), Type::Instant))),
                Type::Duration,
            )),
            (Type::Duration, other, B::Mul | B::Div | B::Rem)
                if is_number(other) && *other != Type::Duration && !(left.flexible && right.flexible) =>
            {
                let operation = match op {
                    B::Mul => BinaryOp::Mul,
                    _ if !matches!(r.kind, ExprKind::Const(n) if n != 0) => return None,
                    B::Div => BinaryOp::Div,
                    _ => BinaryOp::Rem,
                };
                Some(binary(operation, l.clone(), as_type(r, Type::Duration), Type::Duration))
            }
            (other, Type::Duration, B::Mul) if is_number(other) && *other != Type::Duration => {
                Some(binary(BinaryOp::Mul, as_type(l, Type::Duration), r.clone(), Type::Duration))
            }
            (Type::Seq(bits), _, B::Sub) if right.flexible => {
                let back = (constant_of(r) as u64).wrapping_neg() & nacre_stack::mask(u32::from(*bits));
                Some(binary(BinaryOp::Add, l.clone(), make(ExprKind::Const(back), l.ty.clone()), l.ty.clone()))
            }
            (Type::Bits(n), other, B::Add | B::Sub) if is_number(other) && !left.flexible => {
                let one = make(ExprKind::Const(1), Type::Bits(*n));
                let element = binary(BinaryOp::Shl, one, as_type(r, Type::UInt(32)), Type::Bits(*n));
                let operation = if op == B::Add { BinaryOp::Or } else { BinaryOp::Without };
                Some(binary(operation, l.clone(), element, l.ty.clone()))
            }
            _ => None,
        }
    }

    /// Tells of a constant that no set of this type can have as an element.
    pub fn element(&mut self, x: &Expr, set: &Type, span: Span) -> Option<()> {
        let (Type::Bits(n), ExprKind::Const(value)) = (set, &x.kind) else { return Some(()) };
        if x.ty == *set || *value < u64::from(*n) {
            return Some(());
        }
        let shown = self.show(set);
        let help = format!("its elements are 0 to {}", n - 1);
        self.error("T0118", format!("this is no element of a {shown}"), span, "too large, or negative", help);
        None
    }

    fn compare(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        use ast::BinaryOp as B;
        let binary = |op, l: Expr, r: Expr| make(ExprKind::Binary(op, Box::new(l), Box::new(r)), Type::Bool);
        let equality = matches!(op, B::Equal | B::NotEqual);
        if !self.cx.capabilities(&left.ty).compared {
            return self.no_operator(op, &left.ty.clone(), span);
        }
        if let (Type::Bits(_), B::LessEqual) = (&left.ty, op) {
            return Some(binary(BinaryOp::Subset, left, right));
        }
        if !equality && !is_number(&left.ty) {
            return self.no_operator(op, &left.ty.clone(), span);
        }
        Some(match op {
            B::Equal => binary(BinaryOp::Equal, left, right),
            B::NotEqual => binary(BinaryOp::NotEqual, left, right),
            B::Less => binary(BinaryOp::Less, left, right),
            B::LessEqual => binary(BinaryOp::LessEqual, left, right),
            B::Greater => binary(BinaryOp::Less, right, left),
            _ => binary(BinaryOp::LessEqual, right, left),
        })
    }

    /// Checks that entries of this type can be found by comparing; reports it if not.
    pub fn comparable(&mut self, ty: &Type, operation: &str, span: Span) -> Option<()> {
        if self.cx.capabilities(ty).compared {
            return Some(());
        }
        let shown = self.show(ty);
        let help =
            "messages and timers are not compared: look for what is known of them, for example a number beside them";
        self.error("T0162", format!("`{operation}` compares, which {shown} does not allow"), span, "", help);
        None
    }

    pub fn no_operator<T>(&mut self, op: ast::BinaryOp, ty: &Type, span: Span) -> Option<T> {
        let shown = self.show(ty);
        let help = match ty {
            Type::Option(_) if self.cx.linear(ty) => "whether there is a message: `x == none` or `x != none`",
            Type::Msg | Type::Bounded(_) => {
                "compare what is known of it: `m.len`, a field of its header, a checksum of `m.bytes`"
            }
            Type::Duration => {
                "durations are added, subtracted and compared; they are multiplied and divided by plain numbers"
            }
            Type::Timer => "whether a timer runs: `t.armed`",
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
                format!("a shift by less than {width} is wanted"),
                r.span,
                "may be more",
                format!("use a constant, or a value of type 0..{width}"),
            );
            return None;
        }
        let operand = as_type(&value.expr, ty.clone());
        let by = as_type(&by.expr, Type::UInt(32));
        let op = if left { BinaryOp::Shl } else { BinaryOp::Shr };
        Some(Value::fixed(make(ExprKind::Binary(op, Box::new(operand), Box::new(by)), ty)))
    }

    /// `x in set`, `x in container`.
    fn contains(&mut self, l: &ast::Expr, r: &ast::Expr) -> Option<Value> {
        let container = self.attempt(|b| {
            let place = b.place(r)?;
            let key = match &place.ty {
                Type::Ring(t, _) | Type::List(t, _) => (**t).clone(),
                Type::Map(k, _, _) => (**k).clone(),
                Type::Window(_, _, bits) => Type::Seq(*bits),
                Type::Pool(_, n) => Type::Range(0, u64::from(*n)),
                _ => return None,
            };
            Some((place, key))
        });
        if let Some((place, key)) = container {
            self.comparable(&key, "in", r.span)?;
            let x = self.expr_as(l, &key)?;
            let query =
                if matches!(place.ty, Type::Window(..) | Type::Pool(..)) { Query::Has } else { Query::Contains };
            return Some(Value::fixed(make(ExprKind::Query(query, Box::new(place), vec![x]), Type::Bool)));
        }
        let (x, set) = self.sides(l, r, None)?;
        let Type::Bits(_) = set.expr.ty else {
            let shown = self.show(&set.expr.ty);
            self.error("T0061", format!("`in` asks a set or a container, not {shown}"), r.span, "", "");
            return None;
        };
        self.element(&x.expr, &set.expr.ty, l.span)?;
        if !nacre_stack::can_be_element(&x.expr.ty) {
            let shown = self.show(&x.expr.ty);
            self.error("T0061", format!("a set has numbers as elements, not {shown}"), l.span, "", "");
            return None;
        }
        let x = as_type(&x.expr, Type::UInt(32));
        Some(Value::fixed(make(ExprKind::Binary(BinaryOp::Member, Box::new(x), Box::new(set.expr)), Type::Bool)))
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
                    self.error("T0062", format!("`++` joins bytes, not {shown}"), span, "", "take its bytes: x.bytes");
                    return None;
                }
            }
            match value.expr.kind {
                ExprKind::Concat(more) => parts.extend(more),
                kind => parts.push(Expr::new(kind, value.expr.ty, value.expr.span)),
            }
        }
        Some(Value::fixed(make(ExprKind::Concat(parts), if fixed { Type::Bytes(size) } else { Type::View })))
    }

    /// Brings two values to one type, where that loses nothing.
    pub fn unify(&mut self, left: Value, right: Value, want: Option<&Type>, span: Span) -> Option<(Expr, Expr)> {
        if left.flexible && right.flexible {
            let ty = want.cloned().unwrap_or_else(|| left.expr.ty.clone());
            return Some((self.coerce(left, &ty, span)?, self.coerce(right, &ty, span)?));
        }
        let (lt, rt) = (left.expr.ty.clone(), right.expr.ty.clone());
        if left.flexible {
            let ty = if crate::convert::fits(constant_of(&left.expr), &rt) { rt } else { holder(&rt) };
            return Some((self.coerce(left, &ty, span)?, self.coerce(right, &ty, span)?));
        }
        if right.flexible {
            let ty = if crate::convert::fits(constant_of(&right.expr), &lt) { lt } else { holder(&lt) };
            return Some((self.coerce(left, &ty, span)?, self.coerce(right, &ty, span)?));
        }
        if lt == rt {
            return Some((left.expr, right.expr));
        }
        if let (Type::Text(_), Type::Text(_)) = (&lt, &rt) {
            let literal = |v: &Value| matches!(v.expr.kind, ExprKind::Literal(_));
            let ty = if literal(&left) { rt } else { lt };
            return Some((self.coerce(left, &ty, span)?, self.coerce(right, &ty, span)?));
        }
        for ty in [lt.clone(), rt.clone(), holder(&lt), holder(&rt)] {
            let takes = |t: &Type| *t == ty || widens(t, &ty);
            if takes(&lt) && takes(&rt) {
                return Some((self.coerce(left, &ty, span)?, self.coerce(right, &ty, span)?));
            }
        }
        let (a, b) = (self.show(&lt), self.show(&rt));
        let help = match (&lt, &rt) {
            (Type::Seq(_), t) | (t, Type::Seq(_)) if is_number(t) => "convert the number: `x as seq...`".to_string(),
            _ => String::new(),
        };
        self.error("T0063", format!("the two sides differ: {a} and {b}"), span, "", help);
        None
    }
}

/// A quotient of two durations is a plain number.
pub(crate) fn quotient(e: Expr) -> Expr {
    if e.ty == Type::Duration {
        return as_type(&e, Type::UInt(64));
    }
    e
}

/// A conversion that the caller knows to be meant.
pub(crate) fn as_type(e: &Expr, ty: Type) -> Expr {
    if e.ty == ty {
        return e.clone();
    }
    if let ExprKind::Const(n) = e.kind {
        return make(ExprKind::Const(n), ty);
    }
    make(ExprKind::Convert(Box::new(e.clone())), ty)
}
