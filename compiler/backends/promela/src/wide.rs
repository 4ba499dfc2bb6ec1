//! Numbers of more than 32 bits: two words.

use nacre_stack::*;

use crate::numbers::literal;
use crate::refusal::{Construct, Reason, Wide};
use crate::types::{bits_of, is_signed, is_wide};
use crate::writer::Writer;

impl Writer<'_> {
    /// Compares two such numbers.
    pub fn compare_wide(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        let (x, y) = (self.value(a), self.value(b));
        let below = |x: &str, y: &str| {
            let high = if is_signed(&a.ty) { format!("{x}.hi < {y}.hi") } else { format!("BELOW({x}.hi, {y}.hi)") };
            format!("({high} || ({x}.hi == {y}.hi && BELOW({x}.lo, {y}.lo)))")
        };
        let equal = format!("({x}.lo == {y}.lo && {x}.hi == {y}.hi)");
        let subset = format!("(({x}.lo & ~{y}.lo) == 0 && ({x}.hi & ~{y}.hi) == 0)");
        let set = matches!(a.ty, Type::Bits(_));
        match op {
            BinaryOp::Equal => equal,
            BinaryOp::NotEqual => format!("(!{equal})"),
            BinaryOp::Subset => subset,
            BinaryOp::LessEqual if set => subset,
            BinaryOp::Less if set => format!("({subset} && !{equal})"),
            BinaryOp::Less if !matches!(a.ty, Type::Seq(_)) => below(&x, &y),
            BinaryOp::LessEqual if !matches!(a.ty, Type::Seq(_)) => format!("(!{})", below(&y, &x)),
            _ => {
                self.refuse(Reason::Of(Construct::Binary(op), a.ty.clone()));
                "0".into()
            }
        }
    }

    /// Writes the value to a place.
    pub fn fill_wide(&mut self, e: &Expr, to: &str) {
        let ty = &e.ty;
        match &e.kind {
            ExprKind::Const(n) => self.wide_constant(nacre_stack::operations::numbers::wide(*n, ty), to),
            ExprKind::Fingerprint => self.wide_constant(self.fingerprint(), to),
            ExprKind::Now => self.zero(ty, to),
            ExprKind::Convert(a) if is_wide(&a.ty) => {
                let x = self.value(a);
                self.line(format!("{to}.lo = {x}.lo; {to}.hi = {x}.hi;"));
                self.trim(ty, to);
            }
            ExprKind::Convert(a) => {
                let x = self.value(a);
                let x = self.simple(&x, &a.ty);
                let high = if is_signed(&a.ty) { format!("({x} < 0 -> -1 : 0)") } else { "0".into() };
                self.line(format!("{to}.lo = {x}; {to}.hi = {high};"));
                self.trim(ty, to);
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                let x = self.value(a);
                self.line(format!("{to}.lo = ~{x}.lo; {to}.hi = ~{x}.hi;"));
                self.trim(ty, to);
            }
            ExprKind::Binary(op, a, b) => self.binary_wide(*op, a, b, ty, to),
            ExprKind::Query(..) | ExprKind::Through(..) => self.refuse(Reason::Wide(Wide::FromContainerOrFilter)),
            ExprKind::Extern(id, _) => self.refuse_extern(*id),
            other => self.refuse(Reason::Wide(Wide::Expression(other.into()))),
        }
    }

    /// Sets a number of a range to its least.
    pub fn least(&mut self, low: u64, ty: &Type, place: &str) {
        match is_wide(ty) {
            true => self.wide_constant(low, place),
            false => self.line(format!("{place} = {low};")),
        }
    }

    fn wide_constant(&mut self, n: u64, to: &str) {
        let word = Type::UInt(32);
        self.line(format!("{to}.lo = {}; {to}.hi = {};", literal(n, &word), literal(n >> 32, &word)));
    }

    fn trim(&mut self, ty: &Type, to: &str) {
        let bits = bits_of(ty);
        if bits < 64 {
            let high = if is_signed(ty) {
                crate::numbers::sign(&format!("{to}.hi"), bits - 32)
            } else {
                crate::numbers::cut(&format!("{to}.hi"), bits - 32)
            };
            self.line(format!("{to}.hi = {high};"));
        }
    }

    fn binary_wide(&mut self, op: BinaryOp, a: &Expr, b: &Expr, ty: &Type, to: &str) {
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let (x, y) = (self.value(a), if is_shift { String::new() } else { self.value(b) });
        let set = matches!(ty, Type::Bits(_));
        let each = |sign: &str| format!("{to}.lo = {x}.lo {sign} {y}.lo; {to}.hi = {x}.hi {sign} {y}.hi;");
        let result = self.temporary(ty);
        match op {
            BinaryOp::And => self.line(each("&")),
            BinaryOp::Or => self.line(each("|")),
            BinaryOp::Add if set => self.line(each("|")),
            BinaryOp::Xor => self.line(each("^")),
            BinaryOp::Without => self.line(each("& ~")),
            BinaryOp::Sub if set => self.line(each("& ~")),
            BinaryOp::Add => {
                self.line(format!("{result}.lo = {x}.lo + {y}.lo;"));
                self.line(format!("{result}.hi = {x}.hi + {y}.hi + BELOW({result}.lo, {x}.lo);"));
                self.copy(ty, to, &result);
                self.trim(ty, to);
            }
            BinaryOp::Sub | BinaryOp::Distance => {
                self.line(format!("{result}.lo = {x}.lo - {y}.lo;"));
                self.line(format!("{result}.hi = {x}.hi - {y}.hi - BELOW({x}.lo, {y}.lo);"));
                self.copy(ty, to, &result);
                self.trim(ty, to);
            }
            BinaryOp::Shl | BinaryOp::Shr if !is_signed(&a.ty) => {
                let k = self.count_simple(b);
                let (near, far) = if op == BinaryOp::Shl { ("lo", "hi") } else { ("hi", "lo") };
                // Shifts away from `near`, into `far`.
                let (out, into) = match op {
                    BinaryOp::Shl => (format!("{x}.lo << {k}"), format!("({x}.hi << {k}) | SHIFTED({x}.lo, 32 - {k})")),
                    _ => (format!("SHIFTED({x}.hi, {k})"), format!("SHIFTED({x}.lo, {k}) | ({x}.hi << (32 - {k}))")),
                };
                let over = match op {
                    BinaryOp::Shl => format!("{x}.lo << ({k} - 32)"),
                    _ => format!("SHIFTED({x}.hi, {k} - 32)"),
                };
                self.line("if");
                self.line(format!(":: {k} == 0 -> {result}.lo = {x}.lo; {result}.hi = {x}.hi"));
                self.line(format!(":: {k} > 0 && {k} < 32 -> {result}.{near} = {out}; {result}.{far} = {into}"));
                self.line(format!(":: {k} >= 32 && {k} < 64 -> {result}.{near} = 0; {result}.{far} = {over}"));
                self.line(format!(":: else -> {result}.lo = 0; {result}.hi = 0"));
                self.line("fi;");
                self.copy(ty, to, &result);
                self.trim(ty, to);
            }
            _ => self.refuse(Reason::Of(Construct::Binary(op), a.ty.clone())),
        }
    }
}
