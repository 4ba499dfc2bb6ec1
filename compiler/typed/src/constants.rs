//! What is known before a stack runs: parameters, constants, and arithmetic on them.

use nacre_diagnostics::Span;
use nacre_stack::Type;
use nacre_syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

use crate::layer::Checker;

/// A number that is known now. It takes any type that it fits; `ty` is what it was declared with, if it was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Constant {
    pub value: i128,
    pub ty: Option<Type>,
}

impl Checker<'_> {
    /// The value of an expression, if it is a constant one; no diagnostics.
    pub(crate) fn constant(&self, e: &ast::Expr) -> Option<Constant> {
        let plain = |value: i128| Some(Constant { value, ty: None });
        match &e.kind {
            ExprKind::Number(n) => plain(i128::from(*n)),
            ExprKind::Duration(n, unit) => {
                Some(Constant { value: i128::from(n.checked_mul(unit.nanoseconds())?), ty: Some(Type::Duration) })
            }
            ExprKind::True => Some(Constant { value: 1, ty: Some(Type::Bool) }),
            ExprKind::False => Some(Constant { value: 0, ty: Some(Type::Bool) }),
            ExprKind::Name(name) => self.constant_named(name, e.span),
            ExprKind::Unary(UnaryOp::Negate, x) => {
                let x = self.constant(x)?;
                Some(Constant { value: x.value.checked_neg()?, ty: x.ty })
            }
            ExprKind::Binary(op, l, r) => self.constant_binary(*op, l, r),
            ExprKind::If(x) => {
                let ast::ConditionKind::Expr(condition) = &x.condition.kind else { return None };
                self.constant(if self.constant(condition)?.value != 0 { &x.then } else { &x.otherwise })
            }
            ExprKind::Call(f, arguments) => {
                let ExprKind::Name(name) = &f.kind else { return None };
                let [a, b] = arguments.as_slice() else { return None };
                let (a, b) = (self.constant(&a.value)?, self.constant(&b.value)?);
                match name.as_str() {
                    "min" => Some(if a.value <= b.value { a } else { b }),
                    "max" => Some(if a.value >= b.value { a } else { b }),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A constant of the layer, or of the files that the place sees.
    pub(crate) fn constant_named(&self, name: &str, at: Span) -> Option<Constant> {
        let of_file = || self.constants.get(&self.program.find(name, at)?.key());
        let own = || self.constants.get(name);
        if self.is_here(at) { own().or_else(of_file) } else { of_file().or_else(own) }.cloned()
    }

    fn constant_binary(&self, op: BinaryOp, l: &ast::Expr, r: &ast::Expr) -> Option<Constant> {
        let (l, r) = (self.constant(l)?, self.constant(r)?);
        let (a, b) = (l.value, r.value);
        let truth = |x: bool| Some(Constant { value: i128::from(x), ty: Some(Type::Bool) });
        let value = match op {
            BinaryOp::Add => a.checked_add(b)?,
            BinaryOp::Sub => a.checked_sub(b)?,
            BinaryOp::Mul => a.checked_mul(b)?,
            BinaryOp::Div => a.checked_div(b)?,
            BinaryOp::Rem => a.checked_rem(b)?,
            BinaryOp::Shl => a.checked_mul(1i128.checked_shl(u32::try_from(b).ok().filter(|b| *b < 64)?)?)?,
            BinaryOp::Shr => a.checked_shr(u32::try_from(b).ok().filter(|b| *b < 64)?)?,
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Equal => return truth(a == b),
            BinaryOp::NotEqual => return truth(a != b),
            BinaryOp::Less => return truth(a < b),
            BinaryOp::LessEqual => return truth(a <= b),
            BinaryOp::Greater => return truth(a > b),
            BinaryOp::GreaterEqual => return truth(a >= b),
            BinaryOp::And => return truth(a != 0 && b != 0),
            BinaryOp::Or => return truth(a != 0 || b != 0),
            _ => return None,
        };
        Some(Constant { value, ty: l.ty.or(r.ty) })
    }

    /// A constant that must be a number between two bounds; says what is wrong where it is not.
    pub(crate) fn constant_number(&mut self, e: &ast::Expr, what: &str, low: i128, high: i128) -> Option<u64> {
        match self.constant(e) {
            Some(c) if c.value >= low && c.value <= high => u64::try_from(c.value).ok(),
            Some(c) => {
                self.error(
                    "T0004",
                    format!("{what} is {}, outside {low} to {high}", c.value),
                    e.span,
                    "this value",
                    "",
                );
                None
            }
            None => {
                self.error(
                    "T0005",
                    format!("{what} must be known when the stack is composed"),
                    e.span,
                    "not a constant",
                    "use a number, a parameter of the layer or a `const`",
                );
                None
            }
        }
    }
}
