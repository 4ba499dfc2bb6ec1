//! Types, the declarations that they name, and typed declarations.

use serde::{Deserialize, Serialize};

use crate::*;

/// A named product of types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Struct {
    pub name: String,
    pub fields: Vec<Parameter>,
}

/// A named set of variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Enum {
    pub name: String,
    pub variants: Vec<String>,
}

/// Types. Sizes and capacities are numbers by now; there are no parameters left.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    Bool,
    /// Unsigned, of 1 to 64 bits.
    UInt(u8),
    /// Two's complement, of 1 to 64 bits.
    Int(u8),
    /// A sequence number of this width in bits.
    Seq(u8),
    /// `low .. high`, high excluded.
    Range(u64, u64),
    Enum(EnumId),
    Struct(StructId),
    Tuple(Vec<Type>),
    Option(Box<Type>),
    /// A set of numbers 0 .. n.
    Bits(u32),
    /// A transport address: 16 bytes of IP (v4 mapped), port, family.
    Addr,
    /// Nanoseconds.
    Duration,
    Instant,
    Timer,
    Bytes(u32),
    Text(u32),
    Msg,
    /// A message of at most this many bytes of data. Only the type checker knows it: in a stack it is [`Type::Msg`],
    /// and `compose` sees the bound from what can be stored.
    Bounded(u32),
    /// Bytes that are read in place (`.bytes`): only an operand of `Through`, `Concat` and indexing, or in a tuple for
    /// `Through`; never stored.
    View,
    Array(Box<Type>, u32),
    Ring(Box<Type>, u32),
    List(Box<Type>, u32),
    /// Element, capacity, bits of its sequence numbers.
    Window(Box<Type>, u32, u8),
    Pool(Box<Type>, u32),
    Map(Box<Type>, Box<Type>, u32),
}

/// A name and its type: of an event, an extern or a struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    pub name: String,
    pub ty: Type,
}

/// A variable of a handler, a function or another piece of code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Local {
    pub name: String,
    pub ty: Type,
    /// A `ref` parameter: an alias of a place of the caller.
    pub by_ref: bool,
}
