//! Implicit conversions, and those by `as`.

use nacre_diagnostics::Span;
use nacre_stack::{mask, Type, UnaryOp};
use nacre_syntax::ast;

use crate::body::{Body, Value};
use crate::bounded::{is_message, loosens};
use crate::tree::{Expr, ExprKind};

/// Whether a constant fits a type of numbers.
pub fn fits(value: i128, ty: &Type) -> bool {
    match ty {
        Type::Bool => (0..=1).contains(&value),
        Type::UInt(bits) | Type::Seq(bits) => value >= 0 && value <= i128::from(mask(u32::from(*bits))),
        Type::Int(bits) => value >= -(1i128 << (bits - 1)) && value < 1i128 << (bits - 1),
        Type::Range(low, high) => value >= i128::from(*low) && value < i128::from(*high),
        Type::Duration | Type::Instant => value >= 0 && value <= i128::from(u64::MAX),
        _ => false,
    }
}

/// Whether arithmetic is possible.
pub(crate) fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Duration | Type::Instant)
}

/// The smallest usual width that holds all values of a range.
pub(crate) fn holder(ty: &Type) -> Type {
    match ty {
        Type::Range(_, high) => Type::UInt(match high - 1 {
            0..=0xff => 8,
            0x100..=0xffff => 16,
            0x1_0000..=0xffff_ffff => 32,
            _ => 64,
        }),
        other => other.clone(),
    }
}

/// Whether every value of one type is one of the other.
pub(crate) fn widens(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::UInt(a), Type::UInt(b)) | (Type::Int(a), Type::Int(b)) => a <= b,
        (Type::UInt(a), Type::Int(b)) => a < b,
        (Type::Range(_, high), Type::UInt(bits)) => high - 1 <= mask(u32::from(*bits)),
        (Type::Range(_, high), Type::Int(bits)) => high - 1 <= mask(u32::from(*bits) - 1),
        (Type::Range(a, b), Type::Range(c, d)) => c <= a && b <= d,
        (Type::UInt(bits), Type::Range(0, high)) => mask(u32::from(*bits)) < *high,
        _ => false,
    }
}

impl Body<'_, '_> {
    /// Converts a value to the expected type, if that is lossless; reports an error otherwise.
    pub fn coerce(&mut self, value: Value, want: &Type, span: Span) -> Option<Expr> {
        let Value { expr, flexible } = value;
        if expr.ty == *want {
            return Some(expr);
        }
        if flexible {
            return self.constant_as(expr, want, span);
        }
        if widens(&expr.ty, want) {
            return Some(converted(expr, want.clone()));
        }
        if loosens(&expr.ty, want) {
            return Some(Expr { ty: want.clone(), ..expr });
        }
        match (&expr.kind, want) {
            (ExprKind::Zero, _) => return Some(Expr::new(ExprKind::Zero, want.clone(), expr.span)),
            (ExprKind::Literal(bytes), Type::Text(n)) if bytes.len() <= *n as usize => {
                return Some(Expr::new(expr.kind, want.clone(), expr.span))
            }
            _ => {}
        }
        let (have, wanted) = (self.show(&expr.ty), self.show(want));
        let help = match (&expr.ty, want) {
            (Type::Option(t), want) if **t == *want => {
                "handle the absent value: `let x = ... else ...;` or `if let x = ... { }`".into()
            }
            (have, Type::Option(t)) if *have == **t => "wrap it: some(...)".into(),
            (Type::Msg | Type::Bounded(_), Type::Bounded(n)) => {
                format!("handle longer messages: `let x = ... as msg<{n}> else ...;`")
            }
            (_, Type::Range(a, b)) if is_number(&expr.ty) => {
                format!("handle values out of range: `let x = ... as {a}..{b} else ...;`")
            }
            (have, Type::Duration) if is_number(have) && *have != Type::Instant => {
                "a number has no unit: `n * 1 ms`; a number of nanoseconds is `... as duration`".into()
            }
            (Type::Instant, Type::Duration) => "subtract another instant: `now - since`".into(),
            (Type::Duration, Type::Instant) => "add it to an instant: `now + x`".into(),
            (have, want) if is_number(have) && is_number(want) && *want != Type::Instant && *have != Type::Instant => {
                format!("to truncate it, convert it: `... as {wanted}`")
            }
            (have, Type::Bool) if is_number(have) => "compare it: `x != 0`".into(),
            (Type::Timer, Type::Bool) => "whether a timer is armed is `t.armed`".into(),
            (Type::Bool, want) if is_number(want) => "write `if x { 1 } else { 0 }`".into(),
            (Type::Text(_), want) if is_number(want) => "write the number of the byte, such as 0x61 for an `a`".into(),
            _ => String::new(),
        };
        self.error("T0033", format!("expected {wanted}, found {have}"), span, have.to_string(), help);
        None
    }

    /// Whether [`Body::coerce`] makes a number one of the type.
    pub fn coerces(&self, value: &Value, want: &Type) -> bool {
        value.expr.ty == *want
            || if value.flexible { fits(constant_of(&value.expr), want) } else { widens(&value.expr.ty, want) }
    }

    fn constant_as(&mut self, expr: Expr, want: &Type, span: Span) -> Option<Expr> {
        let ExprKind::Const(raw) = expr.kind else { return None };
        let value = if matches!(expr.ty, Type::Int(_)) { i128::from(raw as i64) } else { i128::from(raw) };
        let duration = matches!(expr.ty, Type::Duration);
        if matches!(want, Type::Bool) {
            let help = "write `true` or `false`, or compare: `x != 0`";
            self.error("T0033", "expected bool, found a number", span, "a number", help);
            return None;
        }
        if *want == Type::Instant && value != 0 {
            let help =
                "add it to an instant: `now + 20 ms`; compare it with a time that has passed: `now - since > 20 ms`";
            let what = if duration { "a duration" } else { "a number" };
            self.error("T0033", format!("expected instant, found {what}"), span, what, help);
            return None;
        }
        if *want == Type::Duration && value < 0 {
            self.error("T0012", "a duration is never negative", span, "a negative number", "");
            return None;
        }
        let kinds_agree = duration == (*want == Type::Duration) || value == 0;
        if kinds_agree && fits(value, want) {
            return Some(Expr::new(ExprKind::Const(value as u64), want.clone(), expr.span));
        }
        let wanted = self.show(want);
        if !is_number(want) {
            let help = match want {
                Type::Bits(_) => "list its elements: `set(1, 3)`, `set()`; an element is added by `s + 1`",
                _ => "",
            };
            self.error("T0033", format!("expected {wanted}, found a number"), span, "a number", help);
        } else if !kinds_agree {
            let help = if duration { "remove the unit" } else { "add a unit: 20 ms, 1 s" };
            self.error(
                "T0034",
                format!("expected {wanted}"),
                span,
                if duration { "a duration" } else { "a plain number" },
                help,
            );
        } else {
            self.error("T0012", format!("{value} does not fit {wanted}"), expr.span, "this number", "");
        }
        None
    }

    /// `x as type`, where it cannot fail.
    pub fn cast(&mut self, value: Value, to: &ast::Type) -> Option<Value> {
        let want = self.cx.resolve(to)?;
        let from = value.expr.ty.clone();
        if value.flexible && fits(constant_of(&value.expr), &want) {
            let expr = Expr::new(ExprKind::Const(constant_of(&value.expr) as u64), want, value.expr.span);
            return Some(Value { expr, flexible: false });
        }
        if from == want || widens(&from, &want) {
            return Some(Value::fixed(converted(value.expr, want)));
        }
        if is_message(&from) && loosens(&from, &want) {
            return Some(Value::fixed(Expr { ty: want, ..value.expr }));
        }
        let numeric = |t: &Type| {
            is_number(t) || matches!(t, Type::Bool | Type::Enum(_)) || matches!(t, Type::Bits(n) if *n <= 64)
        };
        match &want {
            Type::Range(..) | Type::Bounded(_) if is_number(&from) == matches!(want, Type::Range(..)) => {
                let shown = self.show(&want);
                let what = if is_number(&from) { "value" } else { "message" };
                let help = match value.flexible {
                    // A constant that does not fit is often the last operand of what is to be converted.
                    true => format!("`as` binds tighter than arithmetic: `let x = (...) as {shown} else ...;`"),
                    false => format!("handle the failure: `let x = ... as {shown} else ...;`"),
                };
                self.error("T0035", format!("not every {what} fits {shown}"), to.span, "may fail", help);
                None
            }
            Type::Instant | Type::Enum(_) => {
                let (f, w) = (self.show(&from), self.show(&want));
                self.error("T0036", format!("{f} cannot be converted to {w}"), to.span, "", "");
                None
            }
            _ if numeric(&from) && numeric(&want) && from != Type::Instant => {
                Some(Value::fixed(converted(value.expr, want)))
            }
            _ => {
                let (f, w) = (self.show(&from), self.show(&want));
                self.error("T0036", format!("{f} cannot be converted to {w}"), to.span, "", "");
                None
            }
        }
    }

    /// Converts two values to a common type, if that is lossless.
    pub fn unify(&mut self, left: Value, right: Value, want: Option<&Type>, span: Span) -> Option<(Expr, Expr)> {
        if left.flexible && right.flexible {
            let ty = want.cloned().unwrap_or_else(|| left.expr.ty.clone());
            return Some((self.coerce(left, &ty, span)?, self.coerce(right, &ty, span)?));
        }
        let (lt, rt) = (left.expr.ty.clone(), right.expr.ty.clone());
        if left.flexible {
            let ty = if fits(constant_of(&left.expr), &rt) { rt } else { holder(&rt) };
            return Some((self.coerce(left, &ty, span)?, self.coerce(right, &ty, span)?));
        }
        if right.flexible {
            let ty = if fits(constant_of(&right.expr), &lt) { lt } else { holder(&lt) };
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
        // A range counts with the type that holds it: which operand is left makes no difference.
        let mixed = match (&lt, &rt) {
            (Type::Range(..), Type::UInt(bits)) | (Type::UInt(bits), Type::Range(..)) => {
                let ranges = [&lt, &rt].map(|t| match holder(t) {
                    Type::UInt(held) => held,
                    _ => *bits,
                });
                Some(Type::UInt(ranges[0].max(ranges[1])))
            }
            _ => None,
        };
        let first = mixed.unwrap_or_else(|| lt.clone());
        for ty in [first, rt.clone(), holder(&lt), holder(&rt)] {
            let takes = |t: &Type| *t == ty || widens(t, &ty);
            if takes(&lt) && takes(&rt) {
                return Some((self.coerce(left, &ty, span)?, self.coerce(right, &ty, span)?));
            }
        }
        let (a, b) = (self.show(&lt), self.show(&rt));
        let help = match (&lt, &rt) {
            (Type::Seq(_), t) | (t, Type::Seq(_)) if is_number(t) => "convert the number: `x as seq...`".to_string(),
            (Type::Duration | Type::Instant, t) | (t, Type::Duration | Type::Instant) if is_number(t) => {
                "a duration has a unit: `5 ms`; nanoseconds as a number are `d as u64`".to_string()
            }
            _ => String::new(),
        };
        self.error("T0063", format!("the operands have different types: {a} and {b}"), span, "", help);
        None
    }
}

/// Converts a value to another type.
fn converted(value: Expr, to: Type) -> Expr {
    let span = value.span;
    Expr::new(ExprKind::Convert(Box::new(value)), to, span)
}

/// The type of constants for which none is expected: 32 bits if they fit, with a sign if one is negative.
pub(crate) fn usual_type(constants: &[&Expr]) -> Type {
    let numbers: Vec<i128> = constants.iter().map(|e| constant_of(e)).collect();
    let all = |fits: fn(i128) -> bool| numbers.iter().all(|n| fits(*n));
    match numbers.iter().any(|n| *n < 0) {
        false if all(|n| u32::try_from(n).is_ok()) => Type::UInt(32),
        false => Type::UInt(64),
        true if all(|n| i32::try_from(n).is_ok()) => Type::Int(32),
        true => Type::Int(64),
    }
}

/// The number in a constant expression.
pub(crate) fn constant_of(expr: &Expr) -> i128 {
    match (&expr.kind, &expr.ty) {
        (ExprKind::Const(raw), Type::Int(_)) => i128::from(*raw as i64),
        (ExprKind::Const(raw), _) => i128::from(*raw),
        _ => 0,
    }
}

/// A quotient of two durations is a plain number.
pub(crate) fn quotient(e: Expr) -> Expr {
    if e.ty == Type::Duration {
        return as_type(&e, Type::UInt(64));
    }
    e
}

/// An explicit conversion, which may lose bits.
pub(crate) fn as_type(e: &Expr, ty: Type) -> Expr {
    if e.ty == ty {
        return e.clone();
    }
    if let ExprKind::Const(n) = e.kind {
        return Expr::new(ExprKind::Const(n), ty, e.span);
    }
    Expr::new(ExprKind::Convert(Box::new(e.clone())), ty, e.span)
}

/// The negation of a bool.
pub(crate) fn not(e: Expr) -> Expr {
    let span = e.span;
    Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(e)), Type::Bool, span)
}
