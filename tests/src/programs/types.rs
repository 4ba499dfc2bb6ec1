//! Types of generated programs.

use super::tree::Node;

/// A type as the language writes it, with sizes filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    Bool,
    UInt(u8),
    Int(u8),
    Seq(u8),
    /// `0..N`
    Range(u64),
    Enum(String, Vec<String>),
    Struct(String, Vec<Field>),
    Tuple(Vec<Ty>),
    Option(Box<Ty>),
    Bits(u32),
    Addr,
    Duration,
    Instant,
    Bytes(u32),
    Text(u32),
    Array(Box<Ty>, u32),
    Msg,
    Timer,
    Ring(Box<Ty>, u32),
    List(Box<Ty>, u32),
    Window(Box<Ty>, u32, u8),
    Pool(Box<Ty>, u32),
    Map(Box<Ty>, Box<Ty>, u32),
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub ty: Ty,
    /// The number of the piece that is the field, at all its uses.
    pub piece: u32,
}

impl Ty {
    /// The type in the language.
    pub fn text(&self) -> String {
        match self {
            Ty::Bool => "bool".into(),
            Ty::UInt(bits) => format!("u{bits}"),
            Ty::Int(bits) => format!("i{bits}"),
            Ty::Seq(bits) => format!("seq{bits}"),
            Ty::Range(high) => format!("0..{high}"),
            Ty::Enum(name, _) | Ty::Struct(name, _) => name.clone(),
            Ty::Tuple(types) => format!("({})", types.iter().map(Ty::text).collect::<Vec<_>>().join(", ")),
            Ty::Option(of) => format!("{}?", of.grouped()),
            Ty::Bits(n) => format!("bits<{n}>"),
            Ty::Addr => "addr".into(),
            Ty::Duration => "duration".into(),
            Ty::Instant => "instant".into(),
            Ty::Bytes(n) => format!("bytes<{n}>"),
            Ty::Text(n) => format!("text<{n}>"),
            Ty::Array(of, n) => format!("{} per 0..{n}", of.grouped()),
            Ty::Msg => "msg".into(),
            Ty::Timer => "timer".into(),
            Ty::Ring(of, n) => format!("ring<{}, {n}>", of.grouped()),
            Ty::List(of, n) => format!("list<{}, {n}>", of.grouped()),
            Ty::Window(of, n, bits) => format!("window<{}, {n}, seq{bits}>", of.grouped()),
            Ty::Pool(of, n) => format!("pool<{}, {n}>", of.grouped()),
            Ty::Map(key, of, n) => format!("map<{}, {}, {n}>", key.grouped(), of.grouped()),
        }
    }

    /// The same before a suffix or a comma.
    fn grouped(&self) -> String {
        match self {
            Ty::Range(_) | Ty::Array(..) | Ty::Option(_) => format!("({})", self.text()),
            _ => self.text(),
        }
    }

    /// The simplest value if the type is known.
    pub fn simplest(&self) -> &'static str {
        match self {
            Ty::Bool => "false",
            Ty::UInt(_) | Ty::Int(_) | Ty::Seq(_) | Ty::Range(_) => "0",
            Ty::Duration => "0 ms",
            Ty::Instant => "now",
            Ty::Option(_) => "none",
            _ => "zeroes",
        }
    }

    /// Whether values contain messages or timers, so that they cannot be copied.
    pub fn holds(&self, what: &Ty) -> bool {
        match self {
            ty if ty == what => true,
            Ty::Struct(_, fields) => fields.iter().any(|field| field.ty.holds(what)),
            Ty::Tuple(types) => types.iter().any(|ty| ty.holds(what)),
            Ty::Option(of)
            | Ty::Array(of, _)
            | Ty::Ring(of, _)
            | Ty::List(of, _)
            | Ty::Window(of, ..)
            | Ty::Pool(of, _)
            | Ty::Map(_, of, _) => of.holds(what),
            _ => false,
        }
    }

    /// Whether values can be copied, compared and passed.
    pub fn is_plain(&self) -> bool {
        !self.holds(&Ty::Msg) && !self.holds(&Ty::Timer) && !self.has_container()
    }

    /// Whether it is or contains a ring, list, window, pool or map.
    pub fn has_container(&self) -> bool {
        match self {
            Ty::Ring(..) | Ty::List(..) | Ty::Window(..) | Ty::Pool(..) | Ty::Map(..) => true,
            Ty::Struct(_, fields) => fields.iter().any(|field| field.ty.has_container()),
            Ty::Tuple(types) => types.iter().any(Ty::has_container),
            Ty::Option(of) | Ty::Array(of, _) => of.has_container(),
            _ => false,
        }
    }

    /// Whether it is a number that `as` can convert.
    pub fn is_number(&self) -> bool {
        matches!(self, Ty::UInt(_) | Ty::Int(_) | Ty::Seq(_) | Ty::Range(_))
    }

    /// Marks an expression of this type for the shrinker.
    pub fn value(&self, node: Node) -> Node {
        node.with(super::tree::Role::Value { ty: self.text(), simplest: self.simplest().into() })
    }
}

/// The largest number of `bits` bits.
pub fn mask(bits: u8) -> u64 {
    u64::MAX >> (64 - u32::from(bits))
}
