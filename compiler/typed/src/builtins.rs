//! Built-in functions.

use nacre_diagnostics::Span;
use nacre_stack::{BinaryOp, Operation, Type, UnaryOp};
use nacre_syntax::ast;

use crate::body::{Body, Context, Value};
use crate::bounded::{is_message, slice_of};
use crate::calls::Outcome;
use crate::convert::{holder, widens};
use crate::expressions::UNTYPED;
use crate::tree::{Expr, ExprKind};

const SIGNATURES: &[(&str, usize)] = &[
    ("min", 2),
    ("max", 2),
    ("random", 1),
    ("random_duration", 1),
    ("mul_div", 3),
    ("fold16", 1),
    ("slice", 3),
    ("rest", 2),
    ("join", 2),
    ("pack", 1),
    ("unpack", 1),
];

impl Body<'_, '_> {
    /// None if there is no such built-in.
    pub fn builtin(
        &mut self,
        name: &str,
        arguments: &[ast::Argument],
        span: Span,
        want: Option<&Type>,
    ) -> Option<Option<Outcome>> {
        if name == "set" {
            return Some(self.set(arguments, span, want).map(Outcome::Value));
        }
        let &(_, count) = SIGNATURES.iter().find(|s| s.0 == name)?;
        if self.count_arguments(name, count, arguments.len(), span).is_none() {
            return Some(None);
        }
        let draws = matches!(name, "random" | "random_duration");
        let refused = match self.context {
            Context::Pure { draws: may, .. } => !(draws && may),
            Context::Filter { .. } => true,
            _ => false,
        };
        if refused && (draws || matches!(name, "join" | "unpack")) {
            let help = match draws {
                true => "draw it in a handler, or as the initial value of a `state`",
                false => "do it in a handler, for example in `up init()`",
            };
            self.error("T0076", format!("`{name}` is not called here"), span, "it has an effect", help);
            return Some(None);
        }
        let e: Vec<&ast::Expr> = arguments.iter().map(|a| &a.value).collect();
        Some(self.run(name, &e, span, want).map(Outcome::Value))
    }

    fn run(&mut self, name: &str, e: &[&ast::Expr], span: Span, want: Option<&Type>) -> Option<Value> {
        let number = Type::UInt(32);
        match name {
            "min" | "max" => {
                // Where a set is wanted, this is one of its elements.
                let want = want.filter(|ty| crate::convert::is_number(ty));
                let (left, right) = self.sides(e[0], e[1], want)?;
                let (left, right) = self.unify(left, right, want, span)?;
                if !crate::convert::is_number(&left.ty) {
                    let shown = self.show(&left.ty);
                    self.error("T0059", format!("`{name}` does not work on {shown}"), span, "", "");
                    return None;
                }
                let ty = left.ty.clone();
                let op = if name == "min" { BinaryOp::Min } else { BinaryOp::Max };
                Some(Value::fixed(self.make(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty)))
            }
            "random" | "random_duration" => {
                let ty = if name == "random" { number } else { Type::Duration };
                let below = self.expr_as(e[0], &ty)?;
                self.cx.tree.random = true;
                Some(Value::fixed(self.make(ExprKind::Random(Box::new(below)), ty)))
            }
            "mul_div" => {
                let parts = self.mul_div_parts(e, span, want)?;
                if !matches!(parts[2].kind, ExprKind::Const(n) if n != 0) {
                    let is_zero = matches!(parts[2].kind, ExprKind::Const(0));
                    self.error(
                        "T0058",
                        if is_zero { "this divides by zero" } else { "this divisor may be zero" },
                        e[2].span,
                        if is_zero { "zero" } else { "not a constant" },
                        if is_zero { "" } else { "handle the failure: `let x = mul_div(a, b, c) else ...;`" },
                    );
                    return None;
                }
                let ty = parts[0].ty.clone();
                Some(Value::fixed(self.make(ExprKind::MulDiv(Box::new(parts)), ty)))
            }
            "fold16" => {
                let x = self.expr_as(e[0], &Type::UInt(64))?;
                Some(Value::fixed(self.make(ExprKind::Unary(UnaryOp::Fold16, Box::new(x)), Type::UInt(16))))
            }
            "slice" => {
                let rest = self.values(&[(e[1], number.clone()), (e[2], number)])?;
                // Checked last: the numbers may have consumed it.
                let message = self.message_read(e[0])?;
                let numbers: [Expr; 2] = rest.try_into().ok()?;
                let ty = slice_of(&message.ty, &numbers[1]);
                Some(Value::fixed(self.make(ExprKind::Slice(Box::new(message), Box::new(numbers)), ty)))
            }
            "rest" => {
                let [message, at] = <[_; 2]>::try_from(self.values(&[(e[0], Type::Msg), (e[1], number)])?).ok()?;
                Some(Value::fixed(self.make(ExprKind::Rest(Box::new(message), Box::new(at)), Type::Msg)))
            }
            "join" => {
                let parts = self.changeable(e[0])?;
                if !matches!(&parts.ty, Type::List(t, _) | Type::Ring(t, _) if is_message(t)) {
                    let shown = self.show(&parts.ty);
                    self.error("T0077", "`join` takes a list of messages and a message", e[0].span, shown, "");
                    return None;
                }
                let last = self.expr_as(e[1], &Type::Msg)?;
                self.note_operation(Operation::Clear, &parts);
                Some(Value::fixed(self.make(ExprKind::Join(Box::new(parts), Box::new(last)), Type::Msg)))
            }
            "pack" => {
                self.cx.tree.packs = true;
                let message = self.expr_as(e[0], &Type::Msg)?;
                Some(Value::fixed(self.make(ExprKind::Pack(Box::new(message)), Type::Msg)))
            }
            _ => {
                self.cx.tree.packs = true;
                let message = self.expr_as(e[0], &Type::Msg)?;
                let option = Type::Option(Box::new(Type::Msg));
                Some(Value::fixed(self.make(ExprKind::Unpack(Box::new(message)), option)))
            }
        }
    }

    /// The three operands of `mul_div`, in order of evaluation, in the type in which it computes.
    pub fn mul_div_parts(&mut self, e: &[&ast::Expr], span: Span, want: Option<&Type>) -> Option<[Expr; 3]> {
        let (left, right) = self.sides(e[0], e[1], want)?;
        let by = self.expr(e[2], want)?;
        self.before([&left.expr, &right.expr], &by.expr);
        let durations = [&left, &right, &by].into_iter().filter(|v| v.expr.ty == Type::Duration).count();
        if durations % 3 != 0 {
            let help = "divide a duration by one: `x / 1 us` is a plain number";
            self.error("T0059", "`mul_div` takes three numbers or three durations", span, "both kinds", help);
            return None;
        }
        let fixed: Vec<Type> =
            [&left, &right, &by].into_iter().filter(|v| !v.flexible).map(|v| holder(&v.expr.ty)).collect();
        // Three constants have the kind that they are written as.
        let constant = if durations == 3 { Type::Duration } else { Type::UInt(64) };
        let wanted = || want.map(holder).filter(is_unsigned).filter(|_| durations == 0).unwrap_or(constant);
        // The one that the others widen to; constants come along.
        let widest = fixed.iter().find(|t| fixed.iter().all(|other| other == *t || widens(other, t)));
        let ty = widest.cloned().unwrap_or_else(|| fixed.first().cloned().unwrap_or_else(wanted));
        if !is_unsigned(&ty) {
            let shown = self.show(&ty);
            self.error(
                "T0059",
                format!("`mul_div` does not work on {shown}"),
                span,
                "",
                "it takes u1 to u64 and durations",
            );
            return None;
        }
        let mut parts = Vec::new();
        for (value, e) in [left, right, by].into_iter().zip(e) {
            parts.push(self.coerce(value, &ty, e.span)?);
        }
        parts.try_into().ok()
    }

    fn message_read(&mut self, e: &ast::Expr) -> Option<Expr> {
        match self.borrow(e) {
            Some(message) => Some(message),
            None => {
                self.error("T0049", "expected a message that the handler holds", e.span, "not one", "");
                None
            }
        }
    }

    /// `set(a, b)`: a set with these elements.
    fn set(&mut self, arguments: &[ast::Argument], span: Span, want: Option<&Type>) -> Option<Value> {
        let Some(ty @ Type::Bits(_)) = want else {
            self.error("T0043", "the type of this set is not known", span, "cannot be inferred", UNTYPED);
            return None;
        };
        let mut set = self.make(ExprKind::Zero, ty.clone());
        for argument in arguments {
            let element = self.expr_as(&argument.value, &Type::UInt(32))?;
            self.element(&element, ty, argument.value.span)?;
            let one = self.make(ExprKind::Const(1), ty.clone());
            let bit = self.make(ExprKind::Binary(BinaryOp::Shl, Box::new(one), Box::new(element)), ty.clone());
            set = self.make(ExprKind::Binary(BinaryOp::Or, Box::new(set), Box::new(bit)), ty.clone());
        }
        Some(Value::fixed(set))
    }
}

fn is_unsigned(ty: &Type) -> bool {
    matches!(ty, Type::UInt(_) | Type::Duration)
}
