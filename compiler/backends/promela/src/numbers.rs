//! Arithmetic on numbers as Promela has it: 32 bits, signed, wrapping.

use nacre_stack::{mask, BinaryOp, Type};

use crate::types::{bits_of, is_signed};

/// A constant of up to 32 bits.
pub fn literal(n: u64, ty: &Type) -> String {
    let n = if is_signed(ty) { extend(n, bits_of(ty)) } else { (n & mask(bits_of(ty))) as u32 as i32 };
    match n {
        i32::MIN => "(-2147483647 - 1)".into(),
        n if n < 0 => format!("({n})"),
        n => n.to_string(),
    }
}

fn extend(n: u64, bits: u32) -> i32 {
    let unused = 64 - bits.clamp(1, 64);
    (((n << unused) as i64) >> unused) as i32
}

/// Cut to so many bits, as an unsigned number.
pub fn cut(text: &str, bits: u32) -> String {
    match bits {
        32.. => format!("({text})"),
        _ => format!("(({text}) & {})", mask(bits)),
    }
}

/// The signed number that the low bits say.
pub fn sign(text: &str, bits: u32) -> String {
    match bits {
        32.. => format!("({text})"),
        _ => format!("(((({text}) & {m}) ^ {h}) - {h})", m = mask(bits), h = 1u64 << (bits - 1)),
    }
}

/// A number of the type that is equal to the text modulo its width.
pub fn wrap(text: &str, ty: &Type) -> String {
    match ty {
        Type::Duration | Type::Instant => "0".into(),
        Type::Range(..) => format!("({text})"),
        ty if is_signed(ty) => sign(text, bits_of(ty)),
        ty => cut(text, bits_of(ty)),
    }
}

/// A number of one type in another: narrowing cuts.
pub fn convert(text: &str, from: &Type, to: &Type) -> String {
    match to {
        Type::Duration | Type::Instant | Type::Timer => "0".into(),
        Type::Range(..) | Type::Enum(_) => text.into(),
        _ if from == to => text.into(),
        _ if !is_signed(from) && !is_signed(to) && bits_of(from) <= bits_of(to) => text.into(),
        _ if !is_signed(from) && is_signed(to) && bits_of(from) < bits_of(to) => text.into(),
        _ if is_signed(from) && is_signed(to) && bits_of(from) <= bits_of(to) => text.into(),
        to => wrap(text, to),
    }
}

/// `a < b`
pub fn less(a: &str, b: &str, of: &Type) -> String {
    match of {
        Type::Seq(bits) => format!("({} < 0)", sign(&format!("{a} - {b}"), u32::from(*bits))),
        of if !is_signed(of) && bits_of(of) == 32 => format!("BELOW({a}, {b})"),
        _ => format!("({a} < {b})"),
    }
}

/// An operator on two numbers of one type; none: not in Promela.
pub fn binary(op: BinaryOp, a: &str, b: &str, of: &Type, ty: &Type) -> Option<String> {
    use BinaryOp::*;
    let top = bits_of(of) == 32 && !is_signed(of);
    let plain = |sign: &str| format!("({a} {sign} {b})");
    Some(match op {
        Equal => plain("=="),
        NotEqual => plain("!="),
        Less if matches!(of, Type::Bits(_)) => format!("(({a} & ~({b})) == 0 && {a} != {b})"),
        Less => less(a, b, of),
        LessEqual | Subset if matches!(of, Type::Bits(_)) || op == Subset => format!("(({a} & ~({b})) == 0)"),
        LessEqual => format!("(!{})", less(b, a, of)),
        Both => plain("&&"),
        Either => plain("||"),
        Add if matches!(of, Type::Bits(_)) => plain("|"),
        Sub | Without if matches!(of, Type::Bits(_)) || op == Without => format!("({a} & ~({b}))"),
        Add => wrap(&plain("+"), ty),
        Sub | Distance => wrap(&plain("-"), ty),
        Mul => wrap(&plain("*"), ty),
        Div if top => format!("DIVIDED({a}, {b})"),
        Rem if top => format!("({b} == 0 -> 0 : {a} - DIVIDED({a}, {b}) * {b})"),
        Div => format!("({b} == 0 -> 0 : {a} / ({b} == 0 -> 1 : {b}))"),
        Rem => format!("({b} == 0 -> 0 : {a} % ({b} == 0 -> 1 : {b}))"),
        And => plain("&"),
        Or => plain("|"),
        Xor => plain("^"),
        Shl => wrap(&format!("({b} >= 32 -> 0 : {a} << {b})"), ty),
        Shr if top => format!("SHIFTED({a}, {b})"),
        Shr => format!("({a} >> ({b} >= 31 -> 31 : {b}))"),
        Min => format!("({} -> {b} : {a})", less(b, a, of)),
        Max => format!("({} -> {b} : {a})", less(a, b, of)),
        Member => format!("({a} < {} && (({b} >> {a}) & 1))", bits_of(of)),
        _ => return None,
    })
}

/// Macros that the texts above use.
pub const MACROS: &str = "\
/* Unsigned comparison, shift and division of numbers that take all 32 bits. */
#define TOP (-2147483647 - 1)
#define BELOW(a, b) (((a) ^ TOP) < ((b) ^ TOP))
#define SHIFTED(a, k) ((k) >= 32 -> 0 : ((k) == 0 -> (a) : (((a) >> 1) & 2147483647) >> ((k) - 1)))
#define HALVES(a, b) ((SHIFTED(a, 1) / (b)) * 2)
#define DIVIDED(a, b) ((b) == 0 -> 0 : ((b) < 0 -> (BELOW(a, b) -> 0 : 1) : HALVES(a, b) + (BELOW((a) - HALVES(a, b) * (b), b) -> 0 : 1)))
";
