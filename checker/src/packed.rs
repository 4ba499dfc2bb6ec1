//! Values of automata in few bytes: what is stored for each state of the network.

use nacre_specification::Value;

/// Writes values one after the other: each begins with a number that contains its form in the three lowest bits, above
/// them the value or the length.
pub fn pack(values: &[Value]) -> Vec<u8> {
    let mut bytes = vec![];
    values.iter().for_each(|value| write(&mut bytes, value));
    bytes
}

/// Returns the values that [`pack`] has written.
pub fn unpack(mut bytes: &[u8]) -> Vec<Value> {
    let mut values = vec![];
    while !bytes.is_empty() {
        values.push(read(&mut bytes));
    }
    values
}

fn write(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Bool(value) => begin(bytes, 0, u64::from(*value)),
        Value::Num(value) => begin(bytes, 1, *value),
        Value::Msg(content) => {
            begin(bytes, 2, content.len() as u64);
            bytes.extend(&content[..]);
        }
        Value::Tuple(parts) => write_all(bytes, 3, parts),
        Value::Seq(parts) => write_all(bytes, 4, parts),
        Value::Bag(parts) => write_all(bytes, 5, parts),
        Value::Set(parts) => write_all(bytes, 6, parts),
        Value::Map(pairs) => {
            begin(bytes, 7, pairs.len() as u64);
            for (key, value) in pairs {
                write(bytes, key);
                write(bytes, value);
            }
        }
    }
}

fn write_all(bytes: &mut Vec<u8>, form: u8, parts: &[Value]) {
    begin(bytes, form, parts.len() as u64);
    parts.iter().for_each(|part| write(bytes, part));
}

/// Writes the number with which a value begins: seven bits in each byte, the lowest first.
fn begin(bytes: &mut Vec<u8>, form: u8, number: u64) {
    let mut rest = u128::from(number) << 3 | u128::from(form);
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn read(bytes: &mut &[u8]) -> Value {
    let mut first = 0u128;
    for shift in (0..).step_by(7) {
        let byte = take(bytes, 1)[0];
        first |= u128::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    let number = (first >> 3) as u64;
    let mut parts = || (0..number).map(|_| read(bytes)).collect();
    match first & 7 {
        0 => Value::Bool(number != 0),
        1 => Value::Num(number),
        2 => Value::msg(take(bytes, number as usize)),
        3 => Value::Tuple(parts()),
        4 => Value::Seq(parts()),
        5 => Value::Bag(parts()),
        6 => Value::Set(parts()),
        _ => Value::Map((0..number).map(|_| (read(bytes), read(bytes))).collect()),
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of every form, nested, with numbers and lengths around each limit of seven bits.
    fn values() -> Vec<Value> {
        let powers = (0..64).map(|bit| 1u64 << bit).flat_map(|power| [power - 1, power, power + 1]);
        let numbers: Vec<Value> = powers.chain([u64::MAX]).map(Value::Num).collect();
        let messages: Vec<Value> = [0, 1, 15, 16, 2047, 2048, 70_000].map(|size| Value::msg(&vec![0xff; size])).into();
        let truths = vec![Value::Bool(false), Value::Bool(true)];
        let lists = [vec![], truths, messages, numbers];
        let mut all: Vec<Value> = lists.concat();
        for list in &lists {
            all.extend([Value::Tuple, Value::Seq, Value::Bag, Value::Set].map(|form| form(list.clone())));
            all.push(Value::Map(list.iter().cloned().zip(list.iter().rev().cloned()).collect()));
        }
        all.push(Value::Seq(all.clone()));
        all
    }

    #[test]
    fn values_come_back() {
        let all = values();
        for value in &all {
            assert_eq!(unpack(&pack(std::slice::from_ref(value))), std::slice::from_ref(value));
        }
        assert_eq!(unpack(&pack(&all)), all);
        assert_eq!(unpack(&[]), []);
        assert_eq!(pack(&[Value::Num(15), Value::Num(16), Value::Bool(true)]), [0x79, 0x81, 0x01, 0x08]);
    }

    #[test]
    fn different_values_have_different_bytes() {
        let all = values();
        let packed: std::collections::HashSet<Vec<u8>> = all.iter().map(|v| pack(std::slice::from_ref(v))).collect();
        let distinct: std::collections::HashSet<&Value> = all.iter().collect();
        assert!(distinct.len() > 200);
        assert_eq!(packed.len(), distinct.len());
    }
}
