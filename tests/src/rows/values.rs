//! Types at the limits of C's, and values at the limits of types.

use nacre_stack::operations::numbers::wide;
use nacre_stack::operations::Kind;
use nacre_stack::samples::build::{self, expr, num, zero};
use nacre_stack::*;

/// Widths around those of C's types.
const WIDTHS: [u8; 9] = [1, 7, 8, 9, 31, 32, 33, 63, 64];
/// Numbers of elements around those of words.
const SETS: [u32; 9] = [1, 8, 31, 33, 64, 65, 100, 128, 129];

/// Types of numbers and sets.
pub fn plain() -> Vec<Type> {
    let mut types = vec![Type::Bool, Type::Duration, Type::Instant];
    types.extend(WIDTHS.map(Type::UInt));
    types.extend(WIDTHS.map(Type::Int));
    types.extend(WIDTHS[1..].iter().copied().map(Type::Seq));
    let ranges = [(0, 5), (3, 10), (0, 256), (250, 257), (0, 1 << 32), (1, 1 << 33), (7, u64::MAX)];
    types.extend(ranges.map(|(low, high)| Type::Range(low, high)));
    types.extend((0..4).map(|id| Type::Enum(EnumId(id))));
    types.extend(SETS.map(Type::Bits));
    types
}

/// Types of several parts that can be compared.
pub fn composite() -> Vec<Type> {
    let option = |ty| Type::Option(Box::new(ty));
    let [plain, _] = super::Program::structs();
    vec![
        option(Type::UInt(8)),
        option(option(Type::Int(9))),
        Type::Tuple(vec![Type::Bool, Type::Seq(33)]),
        plain.clone(),
        option(plain),
        Type::Array(Box::new(Type::Int(7)), 3),
        Type::Bytes(3),
        Type::Text(4),
        Type::Addr,
    ]
}

fn numbers(ty: &Type, candidates: &[u64]) -> Vec<Expr> {
    let mut seen = vec![];
    for n in candidates {
        let n = wide(n & mask(operations::numbers::bits(ty)), ty);
        if !seen.contains(&n) {
            seen.push(n);
        }
    }
    seen.into_iter().map(|n| num(n, ty.clone())).collect()
}

/// Values at the limits of a type of [`plain`] or [`composite`].
pub fn limits(stack: &Stack, ty: &Type) -> Vec<Expr> {
    match ty {
        Type::Bool => numbers(ty, &[0, 1]),
        Type::UInt(b) | Type::Int(b) | Type::Seq(b) => {
            let (half, most) = (1u64 << (b - 1), mask(u32::from(*b)));
            numbers(ty, &[0, 1, 3, half - 1, half, half + 1, most - 1, most])
        }
        Type::Duration | Type::Instant => numbers(ty, &[0, 1, 1_000_000, u64::MAX / 2, u64::MAX - 1, u64::MAX]),
        Type::Range(low, high) => {
            let inside = [*low, low + 1, low + (high - low) / 2, high - 2, high - 1];
            let inside: Vec<u64> = inside.into_iter().filter(|n| low <= n && n < high).collect();
            numbers(ty, &inside)
        }
        Type::Enum(id) => {
            let last = stack.enums[id.index()].variants.len() as u64 - 1;
            numbers(ty, &[0, last / 2, last])
        }
        Type::Bits(n) => sets(ty, *n),
        _ => parts(stack, ty),
    }
}

fn sets(ty: &Type, n: u32) -> Vec<Expr> {
    let of = |first: u64| num(first & mask(n.min(64)), ty.clone());
    let element = |at: u32| build::binary(BinaryOp::Shl, of(1), num(u64::from(at), Type::UInt(32)));
    let all = expr(ExprKind::Unary(UnaryOp::Not, Box::new(of(0))), ty.clone());
    let most = build::binary(BinaryOp::Without, all.clone(), of(5));
    vec![of(0), of(1), element(n - 1), of(0xaaaa_aaaa_aaaa_aaaa), most, all]
}

/// Zero, and values that differ from it and from each other in one part.
fn parts(stack: &Stack, ty: &Type) -> Vec<Expr> {
    let make = |kind| expr(kind, ty.clone());
    let mut values = vec![zero(ty.clone())];
    match ty {
        Type::Option(t) => {
            let inner = limits(stack, t).into_iter().take(3);
            values.extend(inner.map(|value| make(ExprKind::Some(Box::new(value)))));
        }
        Type::Tuple(_) | Type::Struct(_) => {
            let types: Vec<Type> = match ty {
                Type::Struct(id) => stack.structs[id.index()].fields.iter().map(|f| f.ty.clone()).collect(),
                Type::Tuple(types) => types.clone(),
                _ => vec![],
            };
            let zeros: Vec<Expr> = types.iter().map(|t| zero(t.clone())).collect();
            for (at, t) in types.iter().enumerate() {
                let other = limits(stack, t).into_iter().nth(1);
                let mut fields = zeros.clone();
                fields[at] = other.unwrap_or_else(|| zero(t.clone()));
                values.push(make(if Kind::of(ty) == Kind::Record && matches!(ty, Type::Struct(_)) {
                    ExprKind::Struct(fields)
                } else {
                    ExprKind::Tuple(fields)
                }));
            }
        }
        Type::Array(t, n) => {
            for at in 0..*n as usize {
                let mut elements = vec![zero((**t).clone()); *n as usize];
                elements[at] = limits(stack, t).swap_remove(1);
                values.push(make(ExprKind::Array(elements)));
            }
        }
        Type::Bytes(n) => values.push(make(ExprKind::Literal((1..=*n as u8).collect()))),
        Type::Text(n) => {
            for length in 1..=*n as usize {
                values.push(make(ExprKind::Literal(vec![b'a'; length])));
            }
            values.push(make(ExprKind::Literal(vec![0])));
        }
        _ => {}
    }
    values
}
