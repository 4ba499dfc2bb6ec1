//! Expressions: the text of a number, or the place of any other value. Statements that compute the value are written
//! first.

use nacre_stack::*;

use crate::numbers::{binary, convert, literal};
use crate::refusal::{Construct, Reason};
use crate::types::{bits_of, is_scalar, is_signed, is_wide};
use crate::writer::Writer;

impl Writer<'_> {
    /// Returns the value: a number as an expression, any other value as a place that must not be changed.
    pub fn value(&mut self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Load(place) | ExprKind::Borrow(place) => self.read(place),
            ExprKind::Share(a) | ExprKind::View(a) => self.value(a),
            ExprKind::Unwrap(a) => self.unwrapped(a),
            ExprKind::Field(a, i) => {
                let (x, name) = (self.value(a), self.fields(&a.ty)[*i as usize].name.clone());
                format!("{x}.{name}")
            }
            ExprKind::Index(a, index) => self.indexed(a, index, &e.ty),
            _ if is_scalar(&e.ty) => self.scalar(e),
            _ => {
                let to = self.temporary(&e.ty);
                self.fill(e, &to);
                to
            }
        }
    }

    /// Returns a count or an index. A value of more than 31 bits becomes the largest `int`.
    pub fn count(&mut self, e: &Expr) -> String {
        let text = self.value(e);
        let most = i32::MAX;
        match &e.ty {
            ty if is_wide(ty) => format!("({text}.hi == 0 && {text}.lo >= 0 -> {text}.lo : {most})"),
            ty if !is_signed(ty) && bits_of(ty) == 32 => {
                let text = if self.frame.pure_ { text } else { self.simple(&text, ty) };
                format!("({text} < 0 -> {most} : {text})")
            }
            _ => text,
        }
    }

    /// Returns the same for several uses, without repeating the computation.
    pub fn count_simple(&mut self, e: &Expr) -> String {
        let text = self.count(e);
        if self.frame.pure_ {
            return text;
        }
        self.simple(&text, &Type::Int(32))
    }

    /// Returns the values of the expressions; their statements are written from left to right.
    pub fn values(&mut self, es: &[Expr]) -> Vec<String> {
        es.iter().map(|e| self.value(e)).collect()
    }

    /// Assigns the value to a place that it does not depend on.
    pub fn assign(&mut self, e: &Expr, to: &str) {
        let direct = matches!(
            e.kind,
            ExprKind::Local(_)
                | ExprKind::Load(_)
                | ExprKind::Borrow(_)
                | ExprKind::Share(_)
                | ExprKind::Unwrap(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
        );
        if direct || is_scalar(&e.ty) {
            let value = self.value(e);
            self.copy(&e.ty, to, &value);
        } else {
            self.fill(e, to);
        }
    }

    /// Returns a value that may be changed: the place of a moved value, a copy of any other.
    pub fn owned(&mut self, e: &Expr) -> String {
        if let ExprKind::Local(id) = &e.kind {
            return self.local(*id);
        }
        let to = self.temporary(&e.ty);
        self.assign(e, &to);
        to
    }

    fn unwrapped(&mut self, a: &Expr) -> String {
        // An absent value is zero: all fields of an empty option are zero.
        format!("{}.v", self.value(a))
    }

    fn indexed(&mut self, a: &Expr, index: &Expr, ty: &Type) -> String {
        let (x, at) = (self.value(a), self.count_simple(index));
        let (limit, part) = match &a.ty {
            Type::Array(_, n) => (n.to_string(), "v"),
            Type::Bytes(n) => (n.to_string(), "b"),
            Type::Ring(..) | Type::List(..) => (format!("{x}.n"), "v"),
            Type::Text(_) | Type::View | Type::Msg => (format!("{x}.n"), "b"),
            _ => (String::from("0"), "v"),
        };
        let guard = format!("{at} >= 0 && {at} < {limit}");
        if is_scalar(ty) {
            return format!("({guard} -> {x}.{part}[{at}] : 0)");
        }
        let to = self.temporary(ty);
        self.zero(ty, &to);
        self.when(&guard, |w| w.copy(ty, &to, &format!("{x}.{part}[{at}]")));
        to
    }

    fn scalar(&mut self, e: &Expr) -> String {
        let ty = &e.ty;
        match &e.kind {
            ExprKind::Const(n) => literal(*n, ty),
            ExprKind::Zero | ExprKind::Now => "0".into(),
            ExprKind::Unary(op, a) => self.unary(*op, a, ty),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, ty),
            ExprKind::MulDiv(a, b, c) => self.mul_div(a, b, c, ty),
            ExprKind::Convert(a) => self.converted(a, ty),
            ExprKind::If(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|x| self.value(x));
                format!("({c} -> {a} : {b})")
            }
            ExprKind::IsSome(a) => format!("{}.some", self.value(a)),
            ExprKind::Query(query, place, arguments) => self.query(*query, place, arguments),
            ExprKind::Room => literal(u64::from(self.stack.bounds.frame_data), ty),
            ExprKind::Length(a) => format!("{}.n", self.value(a)),
            ExprKind::Through(filter, a) => self.through(*filter, a, ty),
            ExprKind::Fingerprint => literal(self.fingerprint(), ty),
            ExprKind::Extern(id, _) => {
                self.refuse_extern(*id);
                "0".into()
            }
            other => {
                self.refuse(Reason::Number(other.into()));
                "0".into()
            }
        }
    }

    /// Records that the model cannot call this function of the host.
    pub fn refuse_extern(&mut self, id: ExternId) {
        let name = self.stack.externs[id.index()].name.clone();
        self.refuse(Reason::Extern(name));
    }

    /// Returns the fingerprint of the stack.
    pub fn fingerprint(&self) -> u64 {
        self.stack.layouts.first().map_or(0, |l| l.fingerprint)
    }

    /// Writes the value of an expression that is not a number to a place.
    fn fill(&mut self, e: &Expr, to: &str) {
        let ty = &e.ty;
        match &e.kind {
            ExprKind::Zero | ExprKind::None | ExprKind::Empty => self.zero(ty, to),
            ExprKind::Some(a) => {
                self.line(format!("{to}.some = 1;"));
                self.assign(a, &format!("{to}.v"));
            }
            ExprKind::Struct(parts) | ExprKind::Tuple(parts) => {
                let fields = self.fields(ty);
                for (part, field) in parts.iter().zip(fields) {
                    self.assign(part, &format!("{to}.{}", field.name));
                }
            }
            ExprKind::Array(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    self.assign(part, &format!("{to}.v[{at}]"));
                }
            }
            ExprKind::If(c, a, b) => {
                let condition = self.value(c);
                self.line("if");
                self.option(&condition);
                self.assign(a, to);
                self.end_option();
                self.otherwise();
                self.assign(b, to);
                self.end_option();
                self.line("fi;");
            }
            _ if *ty == Type::Msg => self.fill_message(e, to),
            _ if is_wide(ty) => self.fill_wide(e, to),
            ExprKind::Literal(_) | ExprKind::Concat(_) | ExprKind::Part(..) | ExprKind::BytesOf(_) => {
                self.fill_bytes(e, to);
            }
            ExprKind::Through(..) | ExprKind::PackView(..) | ExprKind::View(_) => self.fill_bytes(e, to),
            ExprKind::Extern(id, _) => self.refuse_extern(*id),
            other => self.refuse(Reason::Value(other.into())),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr, ty: &Type) -> String {
        if op == UnaryOp::Fold16 {
            return self.fold16(a);
        }
        let x = self.value(a);
        match op {
            UnaryOp::Not if *ty == Type::Bool => format!("(!{x})"),
            UnaryOp::Not => crate::numbers::wrap(&format!("~({x})"), ty),
            _ => crate::numbers::wrap(&format!("(0 - {x})"), ty),
        }
    }

    fn fold16(&mut self, a: &Expr) -> String {
        let x = self.value(a);
        let sum = self.number();
        let halves = |part: &str| format!("(({part}) & 65535) + SHIFTED({part}, 16)");
        match is_wide(&a.ty) {
            true => self.line(format!("{sum} = {} + {};", halves(&format!("{x}.lo")), halves(&format!("{x}.hi")))),
            false => {
                let x = self.simple(&x, &a.ty);
                self.line(format!("{sum} = {};", halves(&x)));
            }
        }
        self.line(format!("{sum} = ({sum} & 65535) + ({sum} >> 16);"));
        self.line(format!("{sum} = ({sum} & 65535) + ({sum} >> 16);"));
        format!("((~{sum}) & 65535)")
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, ty: &Type) -> String {
        if op == BinaryOp::Member && is_wide(&b.ty) {
            let (x, s) = (self.count_simple(a), self.value(b));
            return format!("({x} < 64 && (({x} < 32 -> {s}.lo >> {x} : {s}.hi >> ({x} - 32)) & 1))");
        }
        if is_wide(&a.ty) && op != BinaryOp::Member {
            return self.compare_wide(op, a, b);
        }
        if !is_scalar(&a.ty) && !is_wide(&a.ty) {
            return self.compare(op, a, b);
        }
        let (x, y) = match op {
            BinaryOp::Shl | BinaryOp::Shr => (self.value(a), self.count(b)),
            BinaryOp::Member => (self.count_simple(a), self.value(b)),
            _ => (self.value(a), self.value(b)),
        };
        let of = if op == BinaryOp::Member { &b.ty } else { &a.ty };
        // A text that repeats an operand would grow exponentially.
        let twice =
            matches!(op, BinaryOp::Min | BinaryOp::Max | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr | BinaryOp::Shl);
        let (x, y) = match twice && !self.frame.pure_ {
            true => (self.simple(&x, &a.ty), self.simple(&y, &Type::Int(32))),
            false => (x, y),
        };
        binary(op, &x, &y, of, ty).unwrap_or_else(|| {
            self.refuse(Reason::Of(Construct::Binary(op), of.clone()));
            "0".into()
        })
    }

    fn mul_div(&mut self, a: &Expr, b: &Expr, c: &Expr, ty: &Type) -> String {
        if matches!(ty, Type::Duration | Type::Instant) {
            return "0".into();
        }
        if bits_of(&a.ty) > 15 {
            self.refuse(Reason::Of(Construct::MulDiv, ty.clone()));
            return "0".into();
        }
        let [a, b, c] = [a, b, c].map(|x| self.value(x));
        let c = self.simple(&c, ty);
        format!("({c} == 0 -> 0 : ({a} * {b}) / ({c} == 0 -> 1 : {c}))")
    }

    /// Compares values that are not numbers.
    fn compare(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        let same = self.temporary(&Type::Bool);
        let (x, y) = (self.value(a), self.value(b));
        self.line(format!("{same} = 1;"));
        let text = self.equal_text(&a.ty, &same, &x, &y);
        self.line(text);
        match op {
            BinaryOp::Equal => same,
            BinaryOp::NotEqual => format!("(!{same})"),
            _ => {
                self.refuse(Reason::Of(Construct::Binary(op), a.ty.clone()));
                "0".into()
            }
        }
    }

    fn converted(&mut self, a: &Expr, ty: &Type) -> String {
        let x = self.value(a);
        if is_scalar(&a.ty) {
            return convert(&x, &a.ty, ty);
        }
        if is_wide(&a.ty) {
            return crate::numbers::wrap(&format!("{x}.lo"), ty);
        }
        self.refuse(Reason::Of(Construct::ToNumber, a.ty.clone()));
        "0".into()
    }
}
