//! Events as automata see them: an address is the number of its endpoint.

use nacre_specification::members::MOST_MEMBERS;
use nacre_specification::{Type as SpecType, Value as Spec};
use nacre_stack::interpret::{Addr, Value};
use nacre_stack::{EventId, Stack, Type};

/// Returns the address of an endpoint.
pub fn address(end: usize) -> Addr {
    let mut ip = [0; 16];
    ip[12..].copy_from_slice(&[10, 0, 0, end as u8 + 1]);
    Addr { ip, port: 7000, family: 4 }
}

/// Returns the endpoint at an address.
pub fn end_at(addr: &Addr) -> Option<usize> {
    (0..MOST_MEMBERS).find(|end| address(*end) == *addr)
}

/// Returns the parameters of an event, in order, as automata see them.
pub fn seen(stack: &Stack, event: EventId, arguments: &[Value], bytes: Option<&[u8]>) -> Vec<Spec> {
    let (declared, mut others) = (stack.event(event), arguments.iter());
    let parameters = declared.parameters.iter().enumerate();
    let argument = parameters.map(|(at, parameter)| match declared.message == Some(at as u32) {
        true => Spec::msg(bytes.unwrap_or_default()),
        false => others.next().map_or(Spec::Num(0), |value| to_spec(&parameter.ty, value)),
    });
    argument.collect()
}

/// Converts a value of an event for automata: an address is the number of its endpoint.
fn to_spec(ty: &Type, value: &Value) -> Spec {
    match (ty, value) {
        (Type::Bool, value) => Spec::Bool(value.num() != 0),
        (_, Value::Addr(addr)) => Spec::Num(end_at(addr).unwrap_or(usize::MAX) as u64),
        (_, Value::Bytes(bytes)) => Spec::msg(bytes),
        (_, Value::Set(words)) => {
            let has = |n: &u64| words[(*n / 64) as usize] >> (n % 64) & 1 == 1;
            Spec::Set((0..words.len() as u64 * 64).filter(has).map(Spec::Num).collect())
        }
        (Type::Option(of), Value::Option(inner)) => Spec::Seq(inner.iter().map(|v| to_spec(of, v)).collect()),
        (Type::Tuple(types), Value::Tuple(parts)) => {
            Spec::Tuple(types.iter().zip(parts).map(|(ty, v)| to_spec(ty, v)).collect())
        }
        (_, value) => Spec::Num(value.num()),
    }
}

/// The type of the values of an event's parameter as an automaton sees them.
pub fn type_seen(ty: &Type) -> SpecType {
    let of = |ty: &Type| Box::new(type_seen(ty));
    match ty {
        Type::Bool => SpecType::Bool,
        Type::Addr => SpecType::Rank,
        Type::Msg | Type::Bytes(_) => SpecType::Msg,
        Type::Bits(_) => SpecType::Set(Box::new(SpecType::Nat)),
        Type::Option(inner) => SpecType::Seq(of(inner)),
        Type::Tuple(types) => SpecType::Tuple(types.iter().map(type_seen).collect()),
        _ => SpecType::Nat,
    }
}

/// The inverse conversion, for an event from an automaton to an endpoint.
pub fn of_spec(ty: &Type, value: &Spec) -> Value {
    match (ty, value) {
        (Type::Addr, end) => Value::Addr(address((end.num() as usize).min(MOST_MEMBERS - 1))),
        (Type::Bits(many), Spec::Set(numbers)) => {
            let mut words = vec![0; many.div_ceil(64) as usize];
            for number in numbers.iter().map(Spec::num).filter(|n| *n < u64::from(*many)) {
                words[(number / 64) as usize] |= 1 << (number % 64);
            }
            Value::Set(words)
        }
        (Type::Tuple(types), Spec::Tuple(parts)) => {
            Value::Tuple(types.iter().zip(parts).map(|(ty, v)| of_spec(ty, v)).collect())
        }
        (Type::Option(of), Spec::Seq(parts)) => Value::Option(parts.first().map(|v| Box::new(of_spec(of, v)))),
        (_, Spec::Msg(bytes)) => Value::Bytes(bytes.to_vec()),
        (_, value) => Value::Num(value.num()),
    }
}
