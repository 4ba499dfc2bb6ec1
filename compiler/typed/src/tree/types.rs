//! Types as they are written.

use nacre_stack::{Enum, Struct, Type};

/// How a type is written.
pub fn show_type(structs: &[Struct], enums: &[Enum], ty: &Type) -> String {
    let show = |ty: &Type| show_type(structs, enums, ty);
    match ty {
        Type::Bool => "bool".into(),
        Type::UInt(n) => format!("u{n}"),
        Type::Int(n) => format!("i{n}"),
        Type::Seq(n) => format!("seq{n}"),
        Type::Range(a, b) => format!("{a}..{b}"),
        Type::Enum(id) => enums[id.index()].name.clone(),
        Type::Struct(id) => structs[id.index()].name.clone(),
        Type::Tuple(types) => format!("({})", types.iter().map(show).collect::<Vec<_>>().join(", ")),
        Type::Option(t) => format!("{}?", show(t)),
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
        Type::Array(t, n) => format!("{} per 0..{n}", show(t)),
        Type::Ring(t, n) => format!("ring<{}, {n}>", show(t)),
        Type::List(t, n) => format!("list<{}, {n}>", show(t)),
        Type::Window(t, n, b) => format!("window<{}, {n}, seq{b}>", show(t)),
        Type::Pool(t, n) => format!("pool<{}, {n}>", show(t)),
        Type::Map(k, t, n) => format!("map<{}, {}, {n}>", show(k), show(t)),
    }
}
