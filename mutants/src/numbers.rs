//! Operators on numbers: constants, operators, ranges, moduli.

use nacre_stack::*;

use crate::decisive::is_time;
use crate::edit::Edit;
use crate::walk::Walker;

/// Returns the operator that replaces another, and the name of the mutation operator.
fn other_operator(op: BinaryOp) -> Option<(BinaryOp, &'static str)> {
    use BinaryOp::*;
    match op {
        Less => Some((LessEqual, "comparison")),
        LessEqual => Some((Less, "comparison")),
        Equal => Some((NotEqual, "comparison")),
        NotEqual => Some((Equal, "comparison")),
        Add => Some((Sub, "arithmetic")),
        Sub => Some((Add, "arithmetic")),
        _ => None,
    }
}

impl Walker<'_> {
    /// Changes the operator or the operands.
    pub fn binary(&mut self, op: &mut BinaryOp, operands: [&mut Expr; 2], span: Span) {
        if is_time(&operands[0].ty) {
            return;
        }
        if let Some((other, operator)) = other_operator(*op) {
            let edit = Edit::Operator { from: *op, to: other, operands: [operands[0].span, operands[1].span] };
            if self.here(operator, span, edit) {
                *op = other;
            }
        }
        operands.into_iter().for_each(|operand| self.expr(operand));
    }

    /// Replaces a constant.
    pub fn number(&mut self, ty: &Type, n: &mut u64, span: Span) {
        let Some(next) = self.next(ty, *n) else { return };
        let [from, to] = [*n, next].map(|number| self.constant(ty, number));
        if self.here("constant", span, Edit::Constant { from, to }) {
            *n = next;
        }
    }

    /// Returns the constant of the mutant; none: the type has no other constant.
    fn next(&self, ty: &Type, n: u64) -> Option<u64> {
        match ty {
            Type::Bool => Some(n ^ 1),
            Type::Enum(id) => {
                let count = self.stack.enums[id.index()].variants.len() as u64;
                (count > 1).then(|| (n + 1) % count)
            }
            Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => Some(n.wrapping_add(1) & mask(u32::from(*bits))),
            Type::Range(low, high) => (high - low > 1).then(|| if n + 1 < *high { n + 1 } else { *low }),
            _ => None,
        }
    }

    /// Formats a constant as in the source.
    fn constant(&self, ty: &Type, number: u64) -> String {
        match ty {
            Type::Bool => (number != 0).to_string(),
            Type::Enum(id) => self.stack.enums[id.index()].variants[number as usize].clone(),
            Type::Int(bits) => {
                let unused = 64 - u32::from(*bits).min(64);
                (((number << unused) as i64) >> unused).to_string()
            }
            _ => number.to_string(),
        }
    }

    /// Widens a range at each end that is not a constant, which has an operator of its own, and changes the ends.
    pub fn range(&mut self, from: Option<&mut Expr>, to: Option<&mut Expr>) {
        for (end, by) in [(from, BinaryOp::Sub), (to, BinaryOp::Add)] {
            let Some(end) = end else { continue };
            self.moved("range", end, by);
            self.expr(end);
        }
    }

    /// Makes a slice one byte longer; returns whether it did.
    pub fn slice(&mut self, e: &mut Expr) -> bool {
        let ExprKind::Slice(_, _, length) = &mut e.kind else { return self.rest(e) };
        self.moved("range", length, BinaryOp::Add)
    }

    /// Lets the rest of a message begin one byte earlier; returns whether it did.
    fn rest(&mut self, e: &mut Expr) -> bool {
        let ExprKind::Rest(_, first) = &mut e.kind else { return false };
        self.moved("range", first, BinaryOp::Sub)
    }

    /// Adds one to a number, or subtracts it; returns whether it did.
    fn moved(&mut self, operator: &'static str, e: &mut Expr, by: BinaryOp) -> bool {
        let is_number = matches!(e.ty, Type::UInt(_) | Type::Int(_) | Type::Seq(_));
        if !is_number || matches!(e.kind, ExprKind::Const(_)) {
            return false;
        }
        let one = if by == BinaryOp::Add { ", one more" } else { ", one less" };
        let here = self.here(operator, e.span, Edit::Followed(one.into()));
        if here {
            let (ty, span) = (e.ty.clone(), e.span);
            let one = Box::new(Expr::new(ExprKind::Const(1), ty.clone(), span));
            *e = Expr::new(ExprKind::Binary(by, Box::new(e.clone()), one), ty, span);
        }
        here
    }

    /// Omits a modulus, or makes it one larger if it is not a constant; returns whether it did.
    pub fn modulus(&mut self, e: &mut Expr) -> bool {
        let (ty, span) = (e.ty.clone(), e.span);
        let ExprKind::Binary(BinaryOp::Rem, number, divisor) = &mut e.kind else { return false };
        if self.moved("modulus", divisor, BinaryOp::Add) {
            return true;
        }
        let omit = number.ty == ty && self.here("modulus", span, Edit::Only(number.span));
        if omit {
            *e = (**number).clone();
        }
        omit
    }

    /// Omits the highest bit of a sequence number in a header.
    pub fn cut(&mut self, field: &mut Expr) {
        let Type::Seq(bits) = field.ty else { return };
        if matches!(field.kind, ExprKind::Const(_)) {
            return;
        }
        if bits > 2 && self.here("modulus", field.span, Edit::Followed(", without its highest bit".into())) {
            let (ty, span) = (field.ty.clone(), field.span);
            let half = Expr::new(ExprKind::Convert(Box::new(field.clone())), Type::UInt(bits - 1), span);
            *field = Expr::new(ExprKind::Convert(Box::new(half)), ty, span);
        }
    }
}
