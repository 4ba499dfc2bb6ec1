//! Expressions. A number becomes an expression of C; a larger value becomes a place that can be read. The statements
//! that compute it are written before; they have no effect except on reference counts.

use nacre_stack::*;

use crate::body::Body;
use crate::term::Term;
use crate::types::{constant, mask_constant, set_words, Scalar};

impl Body<'_, '_> {
    /// Returns the C representation of a numeric type; that of a 64-bit word for any other type.
    pub fn scalar_of(&self, ty: &Type) -> Scalar {
        self.w.scalar(ty).unwrap_or(Scalar::WORD)
    }

    /// The value of an expression; messages in it are moved.
    pub fn value(&mut self, e: &Expr) -> Term {
        if e.ty == Type::Msg {
            return self.message(e, self.layer + 1);
        }
        match self.w.scalar(&e.ty) {
            Some(scalar) => self.number(e, scalar),
            None => self.aggregate(e),
        }
    }

    /// The value as a variable, if it is more than a name or a number.
    pub fn named(&mut self, e: &Expr) -> Term {
        let text = self.value(e);
        if text.is_simple() {
            return text;
        }
        let ty = self.c_type(&e.ty);
        self.bind(&format!("const {ty}"), "value", &text)
    }

    /// The value as one of 64 bits without sign.
    pub fn wide(&mut self, e: &Expr) -> Term {
        if let ExprKind::Const(n) = e.kind {
            return Term::number(constant(n, Scalar::WORD));
        }
        let text = self.value(e);
        match self.w.scalar(&e.ty) {
            Some(Scalar::Signed { .. } | Scalar::Bool) => format!("(uint64_t){text}").into(),
            Some(_) => text,
            None => format!("{text}.word[0]").into(),
        }
    }

    /// As in the interpreter: Int cut to its width, without sign.
    pub fn raw(&mut self, e: &Expr) -> Term {
        match self.w.scalar(&e.ty) {
            Some(Scalar::Signed { bits, .. }) if bits < 64 => {
                let text = self.wide(e);
                Term::operation(format!("{text} & {}", mask_constant(bits)))
            }
            _ => self.wide(e),
        }
    }

    fn number(&mut self, e: &Expr, scalar: Scalar) -> Term {
        match &e.kind {
            ExprKind::Const(n) => Term::number(constant(*n, scalar)),
            ExprKind::Zero => Term::number(constant(0, scalar)),
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Load(place) => self.place(place).text,
            ExprKind::Unary(op, a) => self.unary(*op, a, scalar).into(),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, &e.ty, scalar),
            ExprKind::MulDiv(a, b, c) => self.mul_div([a, b, c], scalar).into(),
            ExprKind::Convert(a) => self.convert(a, scalar),
            ExprKind::If(c, a, b) => self.choice(c, a, b, &e.ty),
            ExprKind::IsSome(a) => format!("{}.some", self.borrowed(a)).into(),
            ExprKind::Unwrap(_) | ExprKind::Field(..) => self.borrowed(e),
            ExprKind::Index(a, i) => self.index(a, i, &e.ty),
            ExprKind::Query(query, place, arguments) => self.query(*query, place, arguments, scalar),
            ExprKind::Now => "step->now".into(),
            ExprKind::Fingerprint => {
                let fingerprint = self.w.stack.layouts.first().map_or(0, |l| l.fingerprint);
                Term::number(constant(fingerprint, Scalar::WORD))
            }
            ExprKind::Room => Term::number(constant(self.w.stack.bounds.frame_data as u64, scalar)),
            ExprKind::Length(a) => self.length(a).into(),
            ExprKind::Head(a, head) => self.head(a, *head),
            ExprKind::Through(filter, a) => self.through(*filter, a, &e.ty),
            ExprKind::Extern(id, arguments) => self.call_extern(*id, arguments, &e.ty),
            ExprKind::Literal(_)
            | ExprKind::Struct(_)
            | ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Some(_)
            | ExprKind::None
            | ExprKind::Concat(_)
            | ExprKind::Part(..)
            | ExprKind::BytesOf(_)
            | ExprKind::View(_)
            | ExprKind::Empty
            | ExprKind::Share(_)
            | ExprKind::Borrow(_)
            | ExprKind::Push(..)
            | ExprKind::Slice(..)
            | ExprKind::Rest(..)
            | ExprKind::Pack(..)
            | ExprKind::PackView(..) => unreachable!("{e:?} is no number"),
        }
    }

    fn length(&mut self, a: &Expr) -> String {
        match a.ty {
            Type::Msg => format!("{}.bytes.len", self.borrowed_message(a).0),
            Type::View | Type::Text(_) => format!("{}.len", self.borrowed(a)),
            Type::Bytes(n) => format!("{n}u"),
            _ => "0u".into(),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr, scalar: Scalar) -> String {
        match (op, scalar) {
            (UnaryOp::Not, Scalar::Bool) => format!("!{}", self.value(a)),
            (UnaryOp::Not, _) => {
                let a = self.computed(a);
                self.wrapped(format!("~{a}"), scalar)
            }
            (UnaryOp::Negate, _) => {
                let a = self.computed(a);
                self.wrapped(format!("(0u - {a})"), scalar)
            }
            (UnaryOp::Fold16, _) => {
                let a = self.wide(a);
                self.narrowed(format!("{}_fold16({a})", self.w.prefix), scalar)
            }
        }
    }

    /// An operand in the type in which C computes: unsigned, 32 or 64 bits.
    fn computed(&mut self, e: &Expr) -> String {
        let scalar = self.scalar_of(&e.ty);
        if let ExprKind::Const(n) = e.kind {
            return constant(n, scalar.computed());
        }
        let text = self.value(e);
        match scalar {
            Scalar::Unsigned { c: 32 | 64, .. } => text.into(),
            Scalar::Signed { c: 64, .. } => format!("(uint64_t){text}"),
            _ => format!("(uint32_t){text}"),
        }
    }

    /// Cuts a result computed in 32 or 64 bits to its type.
    pub fn wrapped(&self, text: String, scalar: Scalar) -> String {
        let computed = if scalar.c() <= 32 { 32 } else { 64 };
        match scalar {
            Scalar::Bool => format!("(bool)({text} & 1u)"),
            Scalar::Unsigned { bits, .. } if bits == computed => text,
            Scalar::Unsigned { c, bits } if bits == c => format!("(uint{c}_t){text}"),
            Scalar::Unsigned { c, bits } if c < 32 => format!("(uint{c}_t)({text} & {})", mask_constant(bits)),
            Scalar::Unsigned { bits, .. } => format!("({text} & {})", mask_constant(bits)),
            Scalar::Signed { c, bits } if bits == c => format!("(int{c}_t){text}"),
            Scalar::Signed { c, bits } => format!("(int{c}_t){}_sign({text}, {bits}u)", self.w.prefix),
        }
    }

    /// Cuts a value of 64 bits to its type.
    pub fn narrowed(&self, text: String, scalar: Scalar) -> String {
        match scalar {
            Scalar::Bool => format!("(bool)({text} & 1u)"),
            Scalar::Unsigned { bits: 64, .. } => text,
            Scalar::Unsigned { c, bits } if c == bits => format!("(uint{c}_t)({text})"),
            Scalar::Unsigned { c, bits } => format!("(uint{c}_t)({text} & {})", mask_constant(bits)),
            Scalar::Signed { c, bits } => format!("(int{c}_t){}_sign({text}, {bits}u)", self.w.prefix),
        }
    }

    fn convert(&mut self, a: &Expr, to: Scalar) -> Term {
        if let ExprKind::Const(n) = a.kind {
            return Term::number(constant(n, to));
        }
        if set_words(&a.ty).is_some() {
            let text = format!("{}.word[0]", self.value(a));
            return self.narrowed(text, to).into();
        }
        let from = self.scalar_of(&a.ty);
        let text = self.value(a);
        if from == to {
            return text;
        }
        match (from, to) {
            // The one bit is the sign.
            (Scalar::Bool, Scalar::Signed { bits: 1, .. }) => self.narrowed(format!("(uint64_t){text}"), to).into(),
            (Scalar::Bool, _) => format!("({}){text}", to.name()).into(),
            (Scalar::Unsigned { bits, .. }, Scalar::Unsigned { bits: wide, .. }) if bits <= wide => match to.c() {
                c if c == from.c() => text,
                _ => format!("({}){text}", to.name()).into(),
            },
            (Scalar::Signed { bits, .. }, Scalar::Signed { bits: wide, .. }) if bits <= wide => {
                format!("({}){text}", to.name()).into()
            }
            (Scalar::Unsigned { bits, .. }, Scalar::Signed { bits: wide, .. }) if bits < wide => {
                format!("({}){text}", to.name()).into()
            }
            (Scalar::Unsigned { .. }, Scalar::Unsigned { .. } | Scalar::Bool) => self.narrowed(text.into(), to).into(),
            _ => self.narrowed(format!("(uint64_t){text}"), to).into(),
        }
    }

    fn choice(&mut self, c: &Expr, a: &Expr, b: &Expr, ty: &Type) -> Term {
        let [a_is_choice, b_is_choice] = [a, b].map(|e| matches!(e.kind, ExprKind::If(..)));
        // Compilers see that a constant fits a narrow type, but not that both constants of a nested choice do.
        let narrow = self.w.scalar(ty).filter(|scalar| scalar.c() < 32 && !matches!(scalar, Scalar::Bool));
        let nested = |text: String, is_choice: bool| match narrow {
            Some(scalar) if is_choice => format!("({}){text}", scalar.name()),
            _ => text,
        };
        let c = self.value(c);
        let a = self.apart(|body| body.value(a));
        let b = self.apart(|body| body.value(b));
        if a.is_expression() && b.is_expression() && self.w.scalar(ty).is_some() {
            let (a, b) = (nested(a.value.to_string(), a_is_choice), nested(b.value.to_string(), b_is_choice));
            return Term::operation(format!("{c} ? {a} : {b}"));
        }
        let c_type = self.c_type(ty);
        let name = Term::name(self.fresh("chosen"));
        self.code.line(format!("{c_type} {name};"));
        self.code.open(format!("if ({c}) {{"));
        self.branch_of(&name, a);
        self.code.turn("} else {");
        self.branch_of(&name, b);
        self.code.close("}");
        name
    }

    fn index(&mut self, a: &Expr, i: &Expr, ty: &Type) -> Term {
        let capacity = match &a.ty {
            Type::View => {
                let (view, at) = (self.borrowed(a), self.raw(i));
                return self.w.call_support("byte", &[&view, &at]).into();
            }
            Type::Array(_, n) | Type::Bytes(n) => format!("{n}u"),
            _ => format!("{}.len", self.borrowed(a)),
        };
        let (text, at) = (self.borrowed(a), self.named(i));
        let ring = match &a.ty {
            Type::Ring(_, n) => Some(*n),
            _ => None,
        };
        let place = match ring {
            Some(n) => format!("{text}.at[({text}.head + {at}) % {n}u]"),
            None => format!("{text}.at[{at}]"),
        };
        if self.index_is_safe(i, &a.ty) {
            return place.into();
        }
        let zero = match self.w.scalar(ty) {
            Some(scalar) => constant(0, scalar),
            None => format!("({}){}", self.c_type(ty), self.zero(ty)),
        };
        match self.w.scalar(ty) {
            Some(_) => Term::operation(format!("{at} < {capacity} ? {place} : {zero}")),
            None => {
                let c_type = self.c_type(ty);
                let name = self.bind(&c_type, "entry", &zero);
                self.code.line(format!("if ({at} < {capacity}) {{ {name} = {place}; }}"));
                name
            }
        }
    }

    /// Whether the type of an index already says that it is in range.
    pub fn index_is_safe(&self, index: &Expr, of: &Type) -> bool {
        let n = match of {
            Type::Array(_, n) | Type::Bytes(n) => *n as u64,
            _ => return false,
        };
        match (&index.kind, &index.ty) {
            (ExprKind::Const(i), _) => *i < n,
            (_, Type::Range(_, high)) => *high <= n,
            (_, Type::Enum(id)) => self.w.stack.enums[id.index()].variants.len() as u64 <= n,
            (_, Type::UInt(b)) => *b < 32 && 1u64 << b <= n,
            (_, Type::Bool) => n >= 2,
            _ => false,
        }
    }

    /// The value of an expression without messages, or of a part of one with messages that stays where it is.
    pub fn borrowed(&mut self, e: &Expr) -> Term {
        match &e.kind {
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Borrow(place) | ExprKind::Load(place) => self.place(place).text,
            // The value of an option that is none is zero: all code that makes one keeps this.
            ExprKind::Unwrap(a) => self.borrowed(a).member("value"),
            ExprKind::Field(a, i) => {
                let text = self.borrowed(a);
                text.member(&self.w.member(&a.ty, *i))
            }
            _ if e.ty == Type::Msg => self.borrowed_message(e).0,
            _ => self.value(e),
        }
    }

    fn aggregate(&mut self, e: &Expr) -> Term {
        match &e.kind {
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Load(place) | ExprKind::Borrow(place) => self.place(place).text,
            ExprKind::Unwrap(_) | ExprKind::Field(..) => self.borrowed(e),
            ExprKind::If(c, a, b) => self.choice(c, a, b, &e.ty),
            ExprKind::Index(a, i) => self.index(a, i, &e.ty),
            ExprKind::Zero | ExprKind::None => {
                let (c_type, zero) = (self.c_type(&e.ty), self.zero(&e.ty));
                self.bind(&c_type, "zero", &zero)
            }
            ExprKind::Const(n) => {
                let c_type = self.c_type(&e.ty);
                self.bind(&c_type, "set", &format!("{{.word = {{{}}}}}", constant(*n, Scalar::WORD)))
            }
            ExprKind::Some(a) => {
                let a = self.value(a);
                let c_type = self.c_type(&e.ty);
                self.bind(&c_type, "some", &format!("{{.some = true, .value = {a}}}"))
            }
            ExprKind::Struct(parts) | ExprKind::Tuple(parts) => {
                let values: Vec<Term> = parts.iter().map(|p| self.value(p)).collect();
                let members =
                    values.iter().enumerate().map(|(i, v)| format!(".{} = {v}", self.w.member(&e.ty, i as u32)));
                let members: Vec<String> = members.collect();
                let c_type = self.c_type(&e.ty);
                let initial = if members.is_empty() { ".nothing = 0".into() } else { members.join(", ") };
                self.bind(&c_type, "made", &format!("{{{initial}}}"))
            }
            ExprKind::Array(parts) => {
                let values: Vec<Term> = parts.iter().map(|p| self.value(p)).collect();
                let c_type = self.c_type(&e.ty);
                self.bind(&c_type, "made", &format!("{{.at = {{{}}}}}", values.join(", ")))
            }
            ExprKind::Head(a, Head::Field(id, at)) => self.field_on(a, *id, *at, &e.ty),
            ExprKind::Query(Query::Key, place, arguments) => self.query_key(place, &arguments[0]),
            ExprKind::Unary(UnaryOp::Not, a) => self.set_unary(a, &e.ty),
            ExprKind::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) => self.least(*op, a, b, &e.ty),
            ExprKind::Binary(op, a, b) => self.set_binary(*op, a, b, &e.ty),
            ExprKind::Convert(a) => self.convert_aggregate(a, &e.ty),
            ExprKind::Through(filter, a) => self.through(*filter, a, &e.ty),
            ExprKind::Extern(id, arguments) => self.call_extern(*id, arguments, &e.ty),
            ExprKind::Literal(_) | ExprKind::Concat(_) | ExprKind::Part(..) if e.ty == Type::View => self.viewed(e),
            ExprKind::Literal(bytes) => self.literal(bytes, &e.ty),
            ExprKind::Concat(parts) => self.string_of(parts, &e.ty),
            ExprKind::Part(a, from, to) => self.part(a, [from, to], &e.ty),
            ExprKind::BytesOf(_) => self.string_of(std::slice::from_ref(e), &e.ty),
            ExprKind::View(a) => match a.ty {
                Type::Msg => self.borrowed_message(a).0.member("bytes"),
                _ => self.borrowed(a),
            },
            ExprKind::PackView(..) => self.viewed(e),
            ExprKind::Unary(UnaryOp::Negate | UnaryOp::Fold16, _)
            | ExprKind::Query(..)
            | ExprKind::MulDiv(..)
            | ExprKind::IsSome(_)
            | ExprKind::Now
            | ExprKind::Fingerprint
            | ExprKind::Room
            | ExprKind::Length(_)
            | ExprKind::Head(_, Head::Is(_) | Head::Data)
            | ExprKind::Empty
            | ExprKind::Share(_)
            | ExprKind::Push(..)
            | ExprKind::Slice(..)
            | ExprKind::Rest(..)
            | ExprKind::Pack(..) => unreachable!("{e:?} has no value in C"),
        }
    }

    /// An initializer of zeros.
    pub fn zero(&mut self, ty: &Type) -> String {
        if let Some(scalar) = self.w.scalar(ty) {
            return constant(0, scalar);
        }
        self.w.zero(ty)
    }
}
