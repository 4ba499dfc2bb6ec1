//! Expressions of automata: they read the state, and change nothing.

use nacre_diagnostics::{nearest, Span};
use nacre_specification::{Binary, Expr, Unary, Value};
use nacre_syntax::ast::{self, BinaryOp, ExprKind, Item, UnaryOp};

use super::inferred::Ty;
use super::Typer;

pub(super) fn boxed(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

impl<'p> Typer<'p> {
    /// An expression of a type known from the context.
    pub(super) fn wanted(&mut self, e: &ast::Expr, ty: &Ty) -> Option<Expr> {
        let zero = match &e.kind {
            ExprKind::Array(parts) => parts.is_empty(),
            ExprKind::Name(name) => name == "zeroes" && self.is_new(name, e.span),
            _ => false,
        };
        if zero {
            return Some(Expr::Zero(self.settled(ty)));
        }
        let (value, found) = self.expr(e)?;
        if !self.unify(&found, ty) {
            let (found, ty) = (self.show(&found), self.show(ty));
            return self.error("T0137", format!("expected {ty}, found {found}"), e.span, "of another type", "");
        }
        Some(value)
    }

    pub(super) fn condition(&mut self, e: &ast::Expr) -> Option<Expr> {
        self.wanted(e, &Ty::Bool)
    }

    pub(super) fn expr(&mut self, e: &ast::Expr) -> Option<(Expr, Ty)> {
        let number = |n: u64| Some((Expr::Const(Value::Num(n)), Ty::Nat));
        match &e.kind {
            ExprKind::Name(name) => self.name(name, e.span),
            ExprKind::Number(n) => number(*n),
            ExprKind::Duration(n, unit) => number(n.saturating_mul(unit.nanoseconds())),
            ExprKind::True => Some((Expr::Const(Value::Bool(true)), Ty::Bool)),
            ExprKind::False => Some((Expr::Const(Value::Bool(false)), Ty::Bool)),
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Call(function, arguments) => self.call(e, function, arguments),
            ExprKind::Index(base, index) => self.index(base, index),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = self.condition(inner)?;
                Some((Expr::Unary(Unary::Not, Box::new(inner)), Ty::Bool))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.span),
            ExprKind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|p| self.expr(p)).collect();
                let (parts, types) = parts.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip();
                let ty = Ty::Tuple(types);
                self.bounded(&ty, e.span)?;
                Some((Expr::Tuple(parts), ty))
            }
            ExprKind::If(parts) => {
                let ast::ConditionKind::Expr(condition) = &parts.condition.kind else {
                    return self.foreign(e.span);
                };
                let condition = self.condition(condition);
                let (then, ty) = self.expr(&parts.then)?;
                let otherwise = self.wanted(&parts.otherwise, &ty)?;
                Some((Expr::If(Box::new(condition?), Box::new(then), Box::new(otherwise)), ty))
            }
            _ => self.foreign(e.span),
        }
    }

    fn foreign<T>(&mut self, span: Span) -> Option<T> {
        let help = "an automaton has numbers, booleans, whole messages, tuples and containers: + - * / %, \
            comparisons, && || !, `in`, `++`, .len .empty .first .last .count(x) .position(x), all(..), any(..), \
            peer(..), min, max, upto(..), damaged(..)";
        self.error("T0140", "this is not allowed in an automaton", span, "", help)
    }

    /// The expression whose type must be known now.
    fn known_expr(&mut self, e: &ast::Expr) -> Option<(Expr, Ty)> {
        let (value, ty) = self.expr(e)?;
        let ty = self.known(&ty);
        if matches!(ty, Ty::Var(_)) {
            let help =
                "bind it by an earlier conjunct, such as `x in container`, or compare it with a value of the state";
            return self.error("T0145", "the type of this is not known here", e.span, "", help);
        }
        Some((value, ty))
    }

    fn field(&mut self, base: &ast::Expr, name: &ast::Ident) -> Option<(Expr, Ty)> {
        if let ExprKind::TypeName(of) = &base.kind {
            return self.variant(of, base.span, name);
        }
        let (value, ty) = self.known_expr(base)?;
        let unary = |op| Expr::Unary(op, Box::new(value.clone()));
        let container = matches!(ty, Ty::Seq(_) | Ty::Bag(_) | Ty::Set(_) | Ty::Map(..));
        match (name.name.as_str(), &ty) {
            ("len", _) if container || ty == Ty::Msg => Some((unary(Unary::Len), Ty::Nat)),
            ("empty", _) if container || ty == Ty::Msg => {
                Some((boxed(Binary::Equal, unary(Unary::Len), Expr::Const(Value::Num(0))), Ty::Bool))
            }
            ("first", Ty::Seq(of) | Ty::Set(of)) => Some((unary(Unary::First), (**of).clone())),
            ("last", Ty::Seq(of) | Ty::Set(of)) => Some((unary(Unary::Last), (**of).clone())),
            _ => self.no_operation(&ty, name),
        }
    }

    fn variant(&mut self, of: &str, span: Span, name: &ast::Ident) -> Option<(Expr, Ty)> {
        let Some(Item::Enum(declared)) = self.program.find(of, span).map(|n| n.item) else {
            return self.error("T0136", format!("there is no enum `{of}`"), span, "not known", "");
        };
        match declared.variants.iter().position(|v| v.name == name.name) {
            Some(at) => Some((Expr::Const(Value::Num(at as u64)), Ty::Nat)),
            None => {
                let known: Vec<&str> = declared.variants.iter().map(|v| v.name.as_str()).collect();
                let help = if known.is_empty() { String::new() } else { format!("it has {}", known.join(", ")) };
                self.error("T0136", format!("`{of}` has no variant `{}`", name.name), name.span, "not known", help)
            }
        }
    }

    pub(super) fn no_operation<T>(&mut self, ty: &Ty, name: &ast::Ident) -> Option<T> {
        let has: &[&str] = match self.known(ty) {
            Ty::Seq(_) => &["len", "empty", "first", "last", "count", "position", "append", "remove", "pop", "clear"],
            Ty::Bag(_) => &["len", "empty", "count", "add", "remove", "clear"],
            Ty::Set(_) => &["len", "empty", "first", "last", "add", "remove", "clear"],
            Ty::Map(..) => &["len", "empty", "insert", "remove", "clear"],
            Ty::Msg => &["len", "empty"],
            _ => &[],
        };
        let help = match nearest(&name.name, has) {
            Some(near) => format!("did you mean `{near}`?"),
            None if has.is_empty() => "index it, or match it with a pattern".into(),
            None => format!("it has {}", has.join(", ")),
        };
        let words = format!("{} has no `{}`", self.show(ty), name.name);
        self.error("T0142", words, name.span, "not known", help)
    }

    pub(super) fn index(&mut self, base: &ast::Expr, index: &ast::Expr) -> Option<(Expr, Ty)> {
        let (value, ty) = self.known_expr(base)?;
        let (index, element) = self.index_into(&ty, index, base.span)?;
        Some((Expr::Index(Box::new(value), Box::new(index)), element))
    }

    /// The index and the type of the elements.
    pub(super) fn index_into(&mut self, ty: &Ty, index: &ast::Expr, span: Span) -> Option<(Expr, Ty)> {
        let (wanted, element) = match self.known(ty) {
            Ty::Per(of) => (Ty::Rank, *of),
            Ty::Seq(of) => (Ty::Nat, *of),
            Ty::Map(key, of) => (*key, *of),
            other => {
                let words = format!("{} cannot be indexed", self.show(&other));
                return self.error(
                    "T0142",
                    words,
                    span,
                    "indexed",
                    "sequences, maps and `T per member` can be indexed",
                );
            }
        };
        Some((self.wanted(index, &wanted)?, element))
    }

    fn binary(&mut self, op: BinaryOp, a: &ast::Expr, b: &ast::Expr, span: Span) -> Option<(Expr, Ty)> {
        let (plain, operands, result) = match op {
            BinaryOp::Add => (Binary::Add, Ty::Nat, Ty::Nat),
            BinaryOp::Sub => (Binary::Sub, Ty::Nat, Ty::Nat),
            BinaryOp::Mul => (Binary::Mul, Ty::Nat, Ty::Nat),
            BinaryOp::Div => (Binary::Div, Ty::Nat, Ty::Nat),
            BinaryOp::Rem => (Binary::Rem, Ty::Nat, Ty::Nat),
            BinaryOp::Less => (Binary::Less, Ty::Nat, Ty::Bool),
            BinaryOp::LessEqual => (Binary::LessEqual, Ty::Nat, Ty::Bool),
            BinaryOp::Greater => (Binary::Less, Ty::Nat, Ty::Bool),
            BinaryOp::GreaterEqual => (Binary::LessEqual, Ty::Nat, Ty::Bool),
            BinaryOp::And => (Binary::And, Ty::Bool, Ty::Bool),
            BinaryOp::Or => (Binary::Or, Ty::Bool, Ty::Bool),
            BinaryOp::Equal | BinaryOp::NotEqual => return self.equality(op, a, b),
            BinaryOp::In => return self.contained(a, b),
            BinaryOp::Concat => {
                let (left, ty) = self.known_expr(a)?;
                let right = self.wanted(b, &ty)?;
                return match ty {
                    Ty::Seq(_) | Ty::Bag(_) | Ty::Set(_) => Some((boxed(Binary::Join, left, right), ty)),
                    _ => self.foreign(span),
                };
            }
            _ => return self.foreign(span),
        };
        let (a, b) = (self.wanted(a, &operands), self.wanted(b, &operands));
        let (a, b) = (a?, b?);
        let turned = matches!(op, BinaryOp::Greater | BinaryOp::GreaterEqual);
        let (a, b) = if turned { (b, a) } else { (a, b) };
        Some((boxed(plain, a, b), result))
    }

    fn equality(&mut self, op: BinaryOp, a: &ast::Expr, b: &ast::Expr) -> Option<(Expr, Ty)> {
        // The side with a type of its own is typed first.
        let (a, b) = if matches!(a.kind, ExprKind::Array(_)) { (b, a) } else { (a, b) };
        let left = self.expr(a);
        let ty = left.as_ref().map_or_else(|| self.fresh(), |(_, ty)| ty.clone());
        let right = self.wanted(b, &ty)?;
        let op = if op == BinaryOp::Equal { Binary::Equal } else { Binary::NotEqual };
        Some((boxed(op, left?.0, right), Ty::Bool))
    }

    fn contained(&mut self, a: &ast::Expr, b: &ast::Expr) -> Option<(Expr, Ty)> {
        let (container, ty) = self.known_expr(b)?;
        let element = match ty {
            Ty::Map(key, _) => *key,
            ty => self.element(&ty, b.span)?,
        };
        let a = self.wanted(a, &element)?;
        Some((boxed(Binary::In, a, container), Ty::Bool))
    }

    /// The type of a container's entries; of a map, its pairs.
    pub(super) fn element(&mut self, ty: &Ty, span: Span) -> Option<Ty> {
        match self.known(ty) {
            Ty::Seq(of) | Ty::Bag(of) | Ty::Set(of) => Some(*of),
            Ty::Map(key, of) => Some(Ty::Tuple(vec![*key, *of])),
            Ty::Per(_) => {
                let help = "iterate over the members, and index it: all(p in members, ...)";
                self.error("T0142", "`per member` is not a container", span, "not a seq, bag, set or map", help)
            }
            other => {
                let words = format!("{} is not a container", self.show(&other));
                self.error("T0142", words, span, "not a seq, bag, set or map", "")
            }
        }
    }

    /// A container and what is in it.
    pub(super) fn container(&mut self, e: &ast::Expr) -> Option<(Expr, Ty)> {
        let (value, ty) = self.known_expr(e)?;
        Some((value, self.element(&ty, e.span)?))
    }
}
