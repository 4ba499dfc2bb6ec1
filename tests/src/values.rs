//! Random values of the types of headers and arguments, often extreme ones.

use nacre_simulator::random::Random;
use nacre_stack::interpret::{Addr, Value};
use nacre_stack::{mask, Stack, Type};

/// A number of `bits` bits.
fn number(random: &mut Random, bits: u32) -> u64 {
    let all = mask(bits);
    let n = match random.below(8) {
        0 => 0,
        1 => all,
        2 => 1,
        3 => 1u64.checked_shl(bits.saturating_sub(1)).unwrap_or(0),
        4 => random.below(6),
        _ => random.number(),
    };
    n & all
}

pub fn value(stack: &Stack, random: &mut Random, ty: &Type) -> Value {
    let each =
        |random: &mut Random, types: &[&Type]| Value::Tuple(types.iter().map(|t| value(stack, random, t)).collect());
    match ty {
        Type::Bool => Value::Num(random.below(2)),
        Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => Value::Num(number(random, u32::from(*bits))),
        Type::Duration | Type::Instant => Value::Num(number(random, 64)),
        Type::Range(low, high) => Value::Num(within(random, *low, high - 1)),
        Type::Enum(id) => Value::Num(within(random, 0, stack.enums[id.index()].variants.len() as u64 - 1)),
        Type::Bits(n) => {
            let words = (0..n.div_ceil(64)).map(|word| number(random, (n - word * 64).min(64)));
            Value::Set(words.collect())
        }
        Type::Bytes(n) => {
            let mut bytes = vec![0; *n as usize];
            random.fill(&mut bytes);
            Value::Bytes(bytes)
        }
        Type::Addr => {
            let mut bytes = [0; 20];
            random.fill(&mut bytes);
            Value::Addr(Addr::of_bytes(&bytes))
        }
        Type::Option(_) if random.below(3) == 0 => Value::none(),
        Type::Option(inner) => Value::some(value(stack, random, inner)),
        Type::Array(inner, n) => each(random, &vec![&**inner; *n as usize]),
        Type::Tuple(types) => each(random, &types.iter().collect::<Vec<_>>()),
        Type::Struct(id) => each(random, &stack.structs[id.index()].fields.iter().map(|f| &f.ty).collect::<Vec<_>>()),
        other => stack.zero(other),
    }
}

/// One of `low ..= high`, often a limit.
fn within(random: &mut Random, low: u64, high: u64) -> u64 {
    match random.below(4) {
        0 => low,
        1 => high,
        _ => low + random.below(high - low + 1),
    }
}
