//! Writes types as in sources; the fingerprint's text uses the same form.

use nacre_stack::{Enum, Stack, Struct, Type};

/// Writes types that refer to these declarations.
pub(crate) struct Named<'a> {
    pub structs: &'a [Struct],
    pub enums: &'a [Enum],
}

impl<'a> Named<'a> {
    /// The descriptions for a stack.
    pub fn of(stack: &'a Stack) -> Self {
        Named { structs: &stack.structs, enums: &stack.enums }
    }

    /// `seq16`, `0..64`, `u32?`, `Reason`.
    pub fn ty(&self, ty: &Type) -> String {
        self.written(ty, false)
    }

    /// The same with the contents of structs and enums instead of their names.
    pub fn ty_in_full(&self, ty: &Type) -> String {
        self.written(ty, true)
    }

    fn written(&self, ty: &Type, full: bool) -> String {
        let inner = |t: &Type| self.written(t, full);
        match ty {
            Type::Bool => "bool".into(),
            Type::UInt(n) => format!("u{n}"),
            Type::Int(n) => format!("i{n}"),
            Type::Seq(n) => format!("seq{n}"),
            Type::Range(low, high) => format!("{low}..{high}"),
            Type::Enum(id) if full => format!("enum({})", self.enums[id.index()].variants.join(" ")),
            Type::Enum(id) => self.enums[id.index()].name.clone(),
            Type::Struct(id) if full => {
                let fields: Vec<String> = self.structs[id.index()].fields.iter().map(|f| inner(&f.ty)).collect();
                format!("struct({})", fields.join(" "))
            }
            Type::Struct(id) => self.structs[id.index()].name.clone(),
            Type::Tuple(types) => format!("({})", types.iter().map(inner).collect::<Vec<_>>().join(", ")),
            Type::Option(t) => format!("{}?", inner(t)),
            Type::Bits(n) => format!("bits<{n}>"),
            Type::Addr => "addr".into(),
            Type::Duration => "duration".into(),
            Type::Instant => "instant".into(),
            Type::Timer => "timer".into(),
            Type::Bytes(n) => format!("bytes<{n}>"),
            Type::Text(n) => format!("text<{n}>"),
            Type::Msg => "msg".into(),
            Type::Bounded(n) => format!("msg<{n}>"),
            Type::View => "bytes".into(),
            Type::Array(t, n) => format!("{} per {n}", inner(t)),
            Type::Ring(t, n) => format!("ring<{}, {n}>", inner(t)),
            Type::List(t, n) => format!("list<{}, {n}>", inner(t)),
            Type::Window(t, n, bits) => format!("window<{}, {n}, seq{bits}>", inner(t)),
            Type::Pool(t, n) => format!("pool<{}, {n}>", inner(t)),
            Type::Map(k, v, n) => format!("map<{}, {}, {n}>", inner(k), inner(v)),
        }
    }
}
