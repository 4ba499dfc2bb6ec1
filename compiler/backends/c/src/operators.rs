//! Operators with two operands, on numbers and on sets.

use nacre_stack::*;

use crate::body::Body;
use crate::term::Term;
use crate::types::{constant, Scalar};

impl Body<'_, '_> {
    /// Returns the result of an operator; the statements that compute its operands are written first.
    pub fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, ty: &Type, scalar: Scalar) -> Term {
        match op {
            BinaryOp::Both | BinaryOp::Either => self.logic(op, a, b),
            BinaryOp::Equal => self.equal(a, b, false),
            BinaryOp::NotEqual => self.equal(a, b, true),
            BinaryOp::Less | BinaryOp::LessEqual if !matches!(a.ty, Type::Bits(_)) => {
                self.order(op == BinaryOp::Less, a, b)
            }
            BinaryOp::Min | BinaryOp::Max => self.least(op, a, b, ty),
            BinaryOp::Member => self.member(a, b),
            BinaryOp::Subset | BinaryOp::Less | BinaryOp::LessEqual => self.subset(op, a, b),
            _ => self.arithmetic(op, a, b, scalar).into(),
        }
    }

    /// The right side has no effect: where it takes statements, they are run in any case.
    fn logic(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Term {
        let (a, b) = (self.value(a), self.value(b));
        Term::operation(format!("{a} {} {b}", if op == BinaryOp::Both { "&&" } else { "||" }))
    }

    fn equal(&mut self, a: &Expr, b: &Expr, negate: bool) -> Term {
        if self.w.scalar(&a.ty).is_some() {
            if have_one_value(a, b) {
                return self.answered(a, !negate);
            }
            for (bits, constant) in [(a, b), (b, a)] {
                if have_other_bits(bits, constant) {
                    return self.answered(bits, negate);
                }
            }
            let (left, right) = (self.value(a), self.value(b));
            if *left == *right {
                return answer_about(&left, !negate);
            }
            return Term::operation(format!("{left} {} {right}", if negate { "!=" } else { "==" }));
        }
        let same = match (&a.ty, &b.ty) {
            (Type::View, _) | (_, Type::View) => {
                let (a, b) = (self.viewed(a), self.viewed(b));
                let helper = self.w.view_support("same_view");
                self.w.call_step(&helper, &[a, b])
            }
            _ => {
                let (a, b) = (self.addressable(a), self.addressable(b));
                let helper = self.w.same(&a.1, self.layer);
                format!("{helper}({}, {})", a.0.address(), b.0.address())
            }
        };
        match negate {
            true => format!("!{same}").into(),
            false => same.into(),
        }
    }

    fn addressable(&mut self, e: &Expr) -> (Term, Type) {
        (self.borrowed(e), e.ty.clone())
    }

    /// `a < b`, `a <= b`.
    fn order(&mut self, strict: bool, a: &Expr, b: &Expr) -> Term {
        let sign = if strict { "<" } else { "<=" };
        match &a.ty {
            Type::Seq(bits) => {
                let (a, b) = (self.value(a), self.value(b));
                let (c, shift) = if *bits <= 32 { (32, 32 - *bits as u32) } else { (64, 64 - *bits as u32) };
                let distance = match c {
                    32 if *bits < 32 => format!("((uint32_t){a} - (uint32_t){b}) << {shift}"),
                    64 if *bits < 64 => format!("({a} - {b}) << {shift}"),
                    _ => format!("{a} - {b}"),
                };
                Term::operation(format!("(int{c}_t)({distance}) {sign} 0"))
            }
            ty if self.w.scalar(ty).is_some() => {
                if let Some(known) = self.known_order(strict, a, b) {
                    return known;
                }
                if have_one_value(a, b) {
                    return self.answered(a, !strict);
                }
                if let Some(ends) = self.order_of_ends(strict, a, b) {
                    return ends;
                }
                let (a, b) = match self.shifted(a, b) {
                    Some(shifted) => shifted,
                    None => (self.value(a), self.value(b)),
                };
                if *a == *b {
                    return answer_about(&a, !strict);
                }
                Term::operation(format!("{a} {sign} {b}"))
            }
            ty => {
                let helper = self.w.order(ty, self.layer);
                let (a, b) = (self.borrowed(a), self.borrowed(b));
                Term::operation(format!("{helper}({}, {}) {sign} 0", a.address(), b.address()))
            }
        }
    }

    /// A comparison whose answer is known, of which compilers warn: its operand stays, so that no variable is unused.
    fn answered(&mut self, operand: &Expr, answer: bool) -> Term {
        answer_about(&self.value(operand), answer)
    }

    /// What the types alone say; compilers warn of such a comparison.
    fn known_order(&mut self, strict: bool, a: &Expr, b: &Expr) -> Option<Term> {
        let Scalar::Unsigned { c, .. } = self.w.scalar(&a.ty)? else { return None };
        let most = mask(c);
        let answer = match (&a.kind, &b.kind) {
            (ExprKind::Const(_), ExprKind::Const(_)) => return None,
            (_, ExprKind::Const(0) | ExprKind::Zero) if strict => Some((a, false)),
            (_, ExprKind::Const(n)) if !strict && *n >= most => Some((a, true)),
            (ExprKind::Const(0) | ExprKind::Zero, _) if !strict => Some((b, true)),
            (ExprKind::Const(n), _) if strict && *n >= most => Some((b, false)),
            _ => None,
        };
        if let Some((operand, answer)) = answer {
            return Some(self.answered(operand, answer));
        }
        match (strict, &a.kind, &b.kind) {
            // 0 < x
            (true, ExprKind::Const(0) | ExprKind::Zero, _) => Some(Term::operation(format!("{} != 0", self.value(b)))),
            _ => None,
        }
    }

    /// Returns the minimum or maximum of two operands; the left one if they are equal.
    pub fn least(&mut self, op: BinaryOp, a: &Expr, b: &Expr, ty: &Type) -> Term {
        if have_one_value(a, b) {
            return self.value(a);
        }
        let (left, right) = (self.value(a), self.value(b));
        let c_type = self.c_type(ty);
        let left = if left.is_simple() { left } else { self.bind(&format!("const {c_type}"), "left", &left) };
        let right = if right.is_simple() { right } else { self.bind(&format!("const {c_type}"), "right", &right) };
        // Equal ones: the left one.
        let condition = match op {
            BinaryOp::Min => self.order_of(ty, &right, &left),
            _ => self.order_of(ty, &left, &right),
        };
        match self.w.scalar(ty) {
            Some(_) => Term::operation(format!("{condition} ? {right} : {left}")),
            None => {
                let name = self.bind(&c_type, "chosen", &left);
                self.code.line(format!("if ({condition}) {{ {name} = {right}; }}"));
                name
            }
        }
    }

    /// `a < b` of terms that may be repeated.
    fn order_of(&mut self, ty: &Type, a: &Term, b: &Term) -> String {
        match ty {
            Type::Seq(bits) if *bits <= 32 => {
                format!("((int32_t)(((uint32_t){a} - (uint32_t){b}) << {}) < 0)", 32 - *bits)
            }
            Type::Seq(bits) => format!("((int64_t)(((uint64_t){a} - (uint64_t){b}) << {}) < 0)", 64 - *bits),
            ty if self.w.scalar(ty).is_some() => format!("({a} < {b})"),
            ty => format!("({}({}, {}) < 0)", self.w.order(ty, self.layer), a.address(), b.address()),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: &Expr, b: &Expr, scalar: Scalar) -> String {
        let of = self.scalar_of(&a.ty);
        let set = matches!(a.ty, Type::Bits(_));
        let op = match op {
            BinaryOp::Add if set => BinaryOp::Or,
            BinaryOp::Sub if set => BinaryOp::Without,
            op => op,
        };
        let p = self.w.prefix.clone();
        match op {
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, a, b, of, scalar),
            BinaryOp::Div | BinaryOp::Rem => {
                let name = if op == BinaryOp::Div { "div" } else { "rem" };
                let sign = if op == BinaryOp::Div { "/" } else { "%" };
                match (of, &b.kind) {
                    (Scalar::Signed { .. }, _) => {
                        let (a, b) = (self.value(a), self.value(b));
                        self.wrapped_wide(format!("(uint64_t){p}_{name}_signed({a}, {b})"), scalar)
                    }
                    (_, ExprKind::Const(n)) if *n != 0 => {
                        let (a, b) = (self.value(a), self.value(b));
                        self.narrow(format!("({a} {sign} {b})"), of)
                    }
                    _ => {
                        let (a, b) = (self.wide(a), self.wide(b));
                        self.narrowed(format!("{p}_{name}({a}, {b})"), scalar)
                    }
                }
            }
            _ => {
                // From the greatest number: gcc takes the cast for a complement, and warns of comparing it.
                let in_width =
                    matches!((of, &a.kind), (Scalar::Unsigned { bits, .. }, ExprKind::Const(n)) if *n == mask(bits));
                let both = match (&a.kind, &b.kind) {
                    // clang takes `2 ^ n` for a power.
                    (ExprKind::Const(x), ExprKind::Const(y)) => {
                        Some(self.computed_as(&Expr { kind: ExprKind::Const(x ^ y), ..a.clone() }, of))
                    }
                    _ => None,
                };
                let (a, b) = (self.computed_as(a, of), self.computed_as(b, of));
                let text = match op {
                    BinaryOp::Add => format!("({a} + {b})"),
                    BinaryOp::Sub | BinaryOp::Distance => format!("({a} - {b})"),
                    BinaryOp::Mul => format!("({a} * {b})"),
                    BinaryOp::And => format!("({a} & {b})"),
                    BinaryOp::Or => format!("({a} | {b})"),
                    BinaryOp::Xor => both.unwrap_or_else(|| format!("({a} ^ {b})")),
                    BinaryOp::Without => format!("({a} & ~{b})"),
                    other => unreachable!("{other:?} is no arithmetic"),
                };
                match op {
                    // These cannot leave the width.
                    BinaryOp::Sub if in_width => text,
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Without => self.narrow(text, scalar),
                    _ => self.wrapped(text, scalar),
                }
            }
        }
    }

    /// `a * b / c` over 128 bits; where the product of the types fits 64, as one would write it.
    pub fn mul_div(&mut self, [a, b, c]: [&Expr; 3], scalar: Scalar) -> String {
        let [x, y, by] = [a, b, c].map(|e| self.wide(e));
        match c.kind {
            ExprKind::Const(n) if n != 0 && scalar.bits() <= 32 => {
                self.narrowed(format!("((uint64_t){x} * {y} / {by})"), scalar)
            }
            _ => {
                self.w.need_mul_div();
                self.narrowed(format!("{}_mul_div({x}, {y}, {by})", self.w.prefix), scalar)
            }
        }
    }

    /// What is in range already, in the type that it is kept in.
    fn narrow(&self, text: String, scalar: Scalar) -> String {
        match scalar {
            Scalar::Unsigned { c: 32 | 64, .. } => text,
            Scalar::Signed { c, .. } => format!("(int{c}_t){text}"),
            Scalar::Bool => format!("(bool){text}"),
            Scalar::Unsigned { c, .. } => format!("(uint{c}_t){text}"),
        }
    }

    fn wrapped_wide(&self, text: String, scalar: Scalar) -> String {
        self.narrowed(text, scalar)
    }

    /// An operand in the type in which C computes with numbers of a type.
    pub fn computed_as(&mut self, e: &Expr, of: Scalar) -> String {
        if let ExprKind::Const(n) = e.kind {
            return constant(n, of.computed());
        }
        let own = self.scalar_of(&e.ty);
        let text = self.value(e);
        match (own, of.c()) {
            (Scalar::Unsigned { c: 32, .. }, 8..=32) | (Scalar::Unsigned { c: 64, .. }, 64) => text.into(),
            (_, 64) => format!("(uint64_t){text}"),
            _ => format!("(uint32_t){text}"),
        }
    }

    fn shift(&mut self, op: BinaryOp, a: &Expr, b: &Expr, of: Scalar, scalar: Scalar) -> String {
        let (p, bits) = (self.w.prefix.clone(), of.bits());
        let width = match a.ty {
            Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Bool | Type::Bits(_) => bits,
            _ => 64,
        };
        if let (ExprKind::Const(n), false) = (&b.kind, matches!(of, Scalar::Signed { .. })) {
            if *n >= width as u64 {
                return constant(0, scalar);
            }
            if *n < of.c().max(32) as u64 {
                let text = self.computed_as(a, of);
                return match op {
                    BinaryOp::Shl => self.wrapped(format!("({text} << {n}u)"), scalar),
                    _ => self.narrow(format!("({text} >> {n}u)"), scalar),
                };
            }
        }
        let amount = self.wide(b);
        match (op, of) {
            (BinaryOp::Shr, Scalar::Signed { .. }) => {
                let a = self.value(a);
                self.narrowed(format!("(uint64_t){p}_shr_signed({a}, {amount}, {width}u)"), scalar)
            }
            (BinaryOp::Shr, _) => {
                let a = self.wide(a);
                self.narrowed(format!("{p}_shr({a}, {amount}, {width}u)"), scalar)
            }
            _ => {
                let a = self.wide(a);
                self.narrowed(format!("{p}_shl({a}, {amount}, {width}u)"), scalar)
            }
        }
    }
}

/// The answer of a comparison, after its operand.
fn answer_about(operand: &Term, answer: bool) -> Term {
    format!("((void){operand}, {answer})").into()
}

/// Whether two expressions of one type have the same value: they are equal except for conversions that change no value.
/// Expressions are pure, so one evaluation is enough.
fn have_one_value(a: &Expr, b: &Expr) -> bool {
    unconverted(a) == unconverted(b)
}

/// Whether an expression never has the value of a constant: it lacks some of its bits, or has others. Compilers warn of
/// the comparison.
fn have_other_bits(e: &Expr, constant: &Expr) -> bool {
    let (ExprKind::Binary(op, x, y), ExprKind::Const(wanted)) = (&unconverted(e).kind, &constant.kind) else {
        return false;
    };
    let constant = |side: &Expr| if let ExprKind::Const(mask) = side.kind { Some(mask) } else { None };
    let mut masks = [x, y].into_iter().filter_map(|side| constant(side));
    if *op == BinaryOp::And {
        masks.any(|mask| wanted & !mask != 0)
    } else {
        *op == BinaryOp::Or && masks.any(|mask| mask & !wanted != 0)
    }
}

/// An expression without the conversions around it that change no value and no type of C.
fn unconverted(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) if matches!((&inner.ty, &e.ty), (Type::UInt(from), Type::UInt(to)) if from <= to) => {
            unconverted(inner)
        }
        _ => e,
    }
}
