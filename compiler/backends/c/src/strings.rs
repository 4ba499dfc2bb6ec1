//! Bytes, texts and views.

use nacre_stack::*;

use crate::body::Body;
use crate::term::Term;

impl Body<'_, '_> {
    /// A string of bytes that the source has, as Bytes or Text.
    pub fn literal(&mut self, bytes: &[u8], ty: &Type) -> Term {
        let capacity = match ty {
            Type::Bytes(n) | Type::Text(n) => *n as usize,
            _ => bytes.len(),
        };
        let bytes = &bytes[..bytes.len().min(capacity)];
        let list =
            if bytes.is_empty() { "0".into() } else { bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ") };
        let c_type = self.c_type(ty);
        match ty {
            Type::Text(_) => self.bind(&c_type, "text", &format!("{{.len = {}, .at = {{{list}}}}}", bytes.len())),
            _ => self.bind(&c_type, "bytes", &format!("{{.at = {{{list}}}}}")),
        }
    }

    /// Some bytes of a string, as Bytes or Text.
    pub fn part(&mut self, of: &Expr, [from, to]: [&Expr; 2], ty: &Type) -> Term {
        let source = self.source(of);
        let (from, to) = (self.raw(from), self.raw(to));
        let (from, to) = (self.bind("uint64_t", "from", &from), self.bind("uint64_t", "to", &to));
        let (c_type, zero) = (self.c_type(ty), self.zero(ty));
        let name = self.bind(&c_type, "part", &zero);
        let n = source.len(self);
        self.code.line(format!("if ({to} > {n}) {{ {to} = {n}; }}"));
        let room = match ty {
            Type::Bytes(n) | Type::Text(n) => *n,
            _ => 0,
        };
        self.code.line(format!("if ({from} < {to} && {to} - {from} > {room}u) {{ {to} = {from} + {room}u; }}"));
        self.code.open(format!("for (uint64_t i = {from}; i < {to}; i++) {{"));
        let byte = source.byte(self, "i");
        self.code.line(format!("{name}.at[i - {from}] = {byte};"));
        self.code.close("}");
        if let Type::Text(_) = ty {
            self.code.line(format!("{name}.len = {to} > {from} ? (uint32_t)({to} - {from}) : 0;"));
        }
        name
    }

    /// The bytes of some expressions one after the other, as Bytes, Text or a view.
    pub fn string_of(&mut self, parts: &[Expr], ty: &Type) -> Term {
        let capacity = match ty {
            Type::Bytes(n) | Type::Text(n) => *n,
            _ => 0,
        };
        let c_type = self.c_type(ty);
        let sources: Vec<Source> = parts.iter().map(|p| self.source(p)).collect();
        let zero = self.zero(ty);
        let name = self.bind(&c_type, "bytes", &zero);
        if matches!(ty, Type::Bytes(_)) && sources.iter().all(Source::is_fixed) {
            self.put_fixed(&name, &sources, capacity);
            return name;
        }
        let at = self.bind("uint32_t", "at", "0");
        for source in sources {
            let n = source.len(self);
            self.code.open(format!("for (uint32_t i = 0; i < {n} && {at} < {capacity}u; i++) {{"));
            let byte = source.byte(self, "i");
            self.code.line(format!("{name}.at[{at}++] = {byte};"));
            self.code.close("}");
        }
        match ty {
            Type::Text(_) => self.code.line(format!("{name}.len = {at};")),
            _ => self.code.line(format!("(void){at};")),
        }
        name
    }

    /// Stores bytes at places that are known here, so that the C compiler can join the stores.
    fn put_fixed(&mut self, name: &Term, sources: &[Source], capacity: u32) {
        let mut at = 0;
        for source in sources {
            let n = source.most().unwrap_or(0).min(capacity - at);
            match source {
                Source::Bytes(text, _) if n > 0 => self.code.line(format!("memcpy({name}.at + {at}, {text}.at, {n});")),
                _ => {
                    for i in 0..n {
                        let byte = source.byte(self, &format!("{i}u"));
                        self.code.line(format!("{name}.at[{}] = {byte};", at + i));
                    }
                }
            }
            at += n;
        }
    }

    /// Evaluates an expression to bytes that can be read one by one.
    pub fn source(&mut self, e: &Expr) -> Source {
        match (&e.kind, &e.ty) {
            (ExprKind::BytesOf(a), _) => {
                if self.w.scalar(&a.ty).is_some() {
                    let bytes = bytes_of_number(&a.ty);
                    let value = self.wide(a);
                    let name = self.bind("const uint64_t", "number", &value);
                    return Source::Number(name, bytes);
                }
                match &a.ty {
                    Type::Addr => Source::Addr(self.borrowed(a)),
                    Type::Bits(n) => Source::Words(self.borrowed(a), n.div_ceil(64) * 8),
                    _ => self.source(a),
                }
            }
            (ExprKind::View(a), _) if a.ty != Type::Msg => self.source(a),
            (_, Type::Bytes(n)) => Source::Bytes(self.borrowed(e), *n),
            (_, Type::Text(n)) => Source::Text(self.borrowed(e), *n),
            _ => Source::View(self.viewed(e)),
        }
    }
}

/// The size of a number in bytes: as many as its width takes.
pub fn bytes_of_number(ty: &Type) -> u32 {
    match ty {
        Type::Bool => 1,
        Type::UInt(b) | Type::Int(b) | Type::Seq(b) => (*b as u32).div_ceil(8),
        _ => 8,
    }
}

/// An operand whose bytes are read one by one.
pub enum Source {
    Number(Term, u32),
    Addr(Term),
    Words(Term, u32),
    Bytes(Term, u32),
    Text(Term, u32),
    View(Term),
}

impl Source {
    /// The greatest number of bytes.
    pub fn most(&self) -> Option<u32> {
        match self {
            Source::Number(_, n) | Source::Words(_, n) | Source::Bytes(_, n) => Some(*n),
            Source::Addr(_) => Some(20),
            Source::Text(_, n) => Some(*n),
            Source::View(_) => None,
        }
    }

    /// Whether the length and the place of each byte are known.
    fn is_fixed(&self) -> bool {
        matches!(self, Source::Number(..) | Source::Bytes(..))
    }

    /// Returns the length in bytes, as a C expression.
    pub fn len(&self, _: &Body) -> String {
        match self {
            Source::Number(_, n) | Source::Words(_, n) | Source::Bytes(_, n) => format!("{n}u"),
            Source::Addr(_) => "20u".into(),
            Source::Text(text, _) | Source::View(text) => format!("{text}.len"),
        }
    }

    /// Returns byte `i` as a C expression; `i` must be below the length.
    pub fn byte(&self, body: &mut Body, i: &str) -> String {
        let p = &body.w.prefix;
        match self {
            Source::Number(text, _) => format!("(uint8_t)({text} >> (8u * {i}))"),
            Source::Addr(text) => format!("{p}_addr_byte(&{text}, {i})"),
            Source::Words(text, _) => format!("(uint8_t)({text}.word[{i} / 8u] >> (8u * ({i} % 8u)))"),
            Source::Bytes(text, _) | Source::Text(text, _) => format!("{text}.at[{i}]"),
            Source::View(text) => body.w.call_support("byte", &[text, i]),
        }
    }
}
