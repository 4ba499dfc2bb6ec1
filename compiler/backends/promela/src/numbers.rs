//! Arithmetic on numbers in Promela: 32 bits, signed, wrapping.

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

/// Truncates to an unsigned number of bits.
pub fn cut(text: &str, bits: u32) -> String {
    match bits {
        32.. => format!("({text})"),
        _ => format!("(({text}) & {})", mask(bits)),
    }
}

/// Sign-extends the low bits.
pub fn sign(text: &str, bits: u32) -> String {
    match bits {
        32.. => format!("({text})"),
        _ => format!("(((({text}) & {m}) ^ {h}) - {h})", m = mask(bits), h = 1u64 << (bits - 1)),
    }
}

/// Wraps a number to the width of its type.
pub fn wrap(text: &str, ty: &Type) -> String {
    match ty {
        Type::Duration | Type::Instant => "0".into(),
        Type::Range(..) => format!("({text})"),
        ty if is_signed(ty) => sign(text, bits_of(ty)),
        ty => cut(text, bits_of(ty)),
    }
}

/// Converts a number to another type; narrowing truncates.
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

/// `low <= value && value < high`, of a number of a type.
pub fn is_within(value: &str, ty: &Type, low: u64, high: u64) -> String {
    let top = if is_signed(ty) { 1 << (bits_of(ty) - 1) } else { 1u64 << bits_of(ty) };
    let number = |n: u64| literal(n, &Type::Int(64));
    let unsigned = !is_signed(ty) && bits_of(ty) == 32;
    let mut parts = vec![];
    if low > 0 || is_signed(ty) {
        parts.push(match unsigned {
            _ if low >= top => return "false".into(),
            true => format!("!BELOW({value}, {})", number(low)),
            false => format!("{value} >= {low}"),
        });
    }
    if high < top {
        parts.push(if unsigned { format!("BELOW({value}, {})", number(high)) } else { format!("{value} < {high}") });
    }
    if parts.is_empty() {
        return "true".into();
    }
    parts.join(" && ")
}

/// Returns an operation on two numbers of one type; none: Promela does not have it.
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
        // Of two numbers at half the number space from each other, each is before the other.
        LessEqual if matches!(of, Type::Seq(_)) => format!("({} <= 0)", sign(&plain("-"), bits_of(of))),
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
        // The smallest number has no negation in its width, and its division by -1 is undefined in C.
        Div if is_signed(of) => {
            let negated = wrap(&format!("(0 - {a})"), ty);
            format!("({b} == 0 -> 0 : ({b} == (-1) -> {negated} : {a} / ({b} == 0 -> 1 : {b})))")
        }
        Rem if is_signed(of) => format!("({b} == 0 || {b} == (-1) -> 0 : {a} % ({b} == 0 -> 1 : {b}))"),
        Div => format!("({b} == 0 -> 0 : {a} / ({b} == 0 -> 1 : {b}))"),
        Rem => format!("({b} == 0 -> 0 : {a} % ({b} == 0 -> 1 : {b}))"),
        And => plain("&"),
        Or => plain("|"),
        Xor => plain("^"),
        Shl => wrap(&format!("({b} >= 32 -> 0 : {a} << {b})"), ty),
        Shr if top => format!("SHIFTED({a}, {b})"),
        Shr => format!("({b} >= {} -> 0 : {a} >> {b})", bits_of(of)),
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
#define DIVIDED(a, b) ((b) == 0 -> 0 : ((b) < 0 -> (BELOW(a, b) -> 0 : 1) : \
HALVES(a, b) + (BELOW((a) - HALVES(a, b) * (b), b) -> 0 : 1)))
";
