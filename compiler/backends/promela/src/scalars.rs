//! Types that are one number, and fields of a typedef.

use nacre_stack::*;

/// A field of a typedef.
pub struct Field {
    pub name: String,
    pub ty: Shape,
    /// The number of elements, if it is an array.
    pub count: Option<u32>,
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number, by the Promela keyword of its type.
    Number(&'static str),
    Of(Type),
}

/// Returns a field that is not an array.
pub fn plain(name: impl Into<String>, ty: Shape) -> Field {
    Field { name: name.into(), ty, count: None }
}

/// Returns an array of values of a type.
pub fn rows(name: &str, ty: &Type, count: u32) -> Field {
    Field { name: name.into(), ty: Shape::Of(ty.clone()), count: Some(count) }
}

/// The width of a number.
pub fn bits_of(ty: &Type) -> u32 {
    match ty {
        Type::Bool | Type::Timer | Type::Duration | Type::Instant => 1,
        Type::UInt(b) | Type::Int(b) | Type::Seq(b) => u32::from(*b),
        Type::Range(_, high) => nacre_stack::bits_below(*high).max(1),
        Type::Enum(_) | Type::Addr => 8,
        Type::Bits(n) => (*n).max(1),
        _ => 64,
    }
}

/// Whether a type has negative numbers.
pub fn is_signed(ty: &Type) -> bool {
    matches!(ty, Type::Int(_))
}

/// Whether a type is one number of Promela.
pub fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Timer | Type::Duration | Type::Instant | Type::Addr | Type::Enum(_) => true,
        Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Bits(_) => bits_of(ty) <= 32,
        _ => false,
    }
}

/// Whether a type is two numbers of Promela.
pub fn is_wide(ty: &Type) -> bool {
    matches!(ty, Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Bits(_)) && !is_scalar(ty)
}

/// The Promela keyword for a number of the type.
pub fn word(ty: &Type) -> &'static str {
    match (bits_of(ty), is_signed(ty)) {
        (1, false) => "bool",
        (0..=8, false) => "byte",
        (0..=15, false) | (0..=16, true) => "short",
        _ => "int",
    }
}
