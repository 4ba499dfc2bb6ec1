//! Numbers: their widths, how they are cut, and how they are ordered.

use std::cmp::Ordering;

use crate::{mask, Type};

/// The width in which numbers of a type wrap.
pub fn bits(ty: &Type) -> u32 {
    match ty {
        Type::Bool => 1,
        Type::UInt(b) | Type::Int(b) | Type::Seq(b) => *b as u32,
        _ => 64,
    }
}

/// `a - b` as a signed number of `bits` bits.
pub fn distance(a: u64, b: u64, bits: u8) -> i64 {
    sign_extend(a.wrapping_sub(b), bits)
}

/// The signed number that the low bits are in two's complement.
pub fn sign_extend(value: u64, bits: u8) -> i64 {
    let unused = 64 - bits.clamp(1, 64) as u32;
    ((value << unused) as i64) >> unused
}

/// A number cut to the width of a type.
pub fn cut(n: u64, ty: &Type) -> u64 {
    n & mask(bits(ty))
}

/// A number in the two's complement of 64 bits.
pub fn wide(n: u64, ty: &Type) -> u64 {
    match ty {
        Type::Int(b) => sign_extend(n, *b) as u64,
        _ => n,
    }
}

/// The order of two numbers of a type: of sequence numbers by their signed distance.
pub fn order(a: u64, b: u64, ty: &Type) -> Ordering {
    match ty {
        Type::Seq(bits) => distance(a, b, *bits).cmp(&0),
        Type::Int(bits) => sign_extend(a, *bits).cmp(&sign_extend(b, *bits)),
        _ => a.cmp(&b),
    }
}

/// `a * b / c`: the low 64 bits of the quotient of the whole product; 0 if c is.
pub fn mul_div(a: u64, b: u64, c: u64) -> u64 {
    (u128::from(a) * u128::from(b)).checked_div(u128::from(c)).unwrap_or(0) as u64
}

/// The ones-complement fold of a sum to 16 bits, complemented.
pub fn fold16(mut sum: u64) -> u64 {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !sum & 0xffff
}
