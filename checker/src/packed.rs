//! Values of automata in few bytes: what is stored for each state of the network.

use nacre_specification::Value;

use crate::memo::Interner;

/// Writes and reads values, one after the other: each begins with a number that contains its form in the three lowest
/// bits, above them the value, the length, or the number of the message.
#[derive(Default)]
pub struct Packing {
    /// Many states contain the same messages.
    messages: Interner<[u8]>,
}

impl Packing {
    /// Writes values.
    pub fn pack(&self, values: &[Value]) -> Vec<u8> {
        let mut bytes = vec![];
        values.iter().for_each(|value| self.write(&mut bytes, value));
        bytes
    }

    /// Returns the values that [`Packing::pack`] has written.
    pub fn unpack(&self, mut bytes: &[u8]) -> Vec<Value> {
        let mut values = vec![];
        while !bytes.is_empty() {
            values.push(self.read(&mut bytes));
        }
        values
    }

    /// The bytes that the table allocates if these many more messages make it grow.
    pub fn growth(&self, more: usize) -> usize {
        self.messages.growth(more)
    }

    fn write(&self, bytes: &mut Vec<u8>, value: &Value) {
        match value {
            Value::Bool(value) => begin(bytes, 0, u64::from(*value)),
            Value::Num(value) => begin(bytes, 1, *value),
            Value::Msg(content) => {
                begin(bytes, 2, u64::from(self.messages.number_of(&content[..], || content.clone())));
            }
            Value::Tuple(parts) => self.write_all(bytes, 3, parts),
            Value::Seq(parts) => self.write_all(bytes, 4, parts),
            Value::Bag(parts) => self.write_all(bytes, 5, parts),
            Value::Set(parts) => self.write_all(bytes, 6, parts),
            Value::Map(pairs) => {
                begin(bytes, 7, pairs.len() as u64);
                for (key, value) in pairs {
                    self.write(bytes, key);
                    self.write(bytes, value);
                }
            }
        }
    }

    fn write_all(&self, bytes: &mut Vec<u8>, form: u8, parts: &[Value]) {
        begin(bytes, form, parts.len() as u64);
        parts.iter().for_each(|part| self.write(bytes, part));
    }

    fn read(&self, bytes: &mut &[u8]) -> Value {
        let (form, number) = beginning(bytes);
        let mut parts = || (0..number).map(|_| self.read(bytes)).collect();
        match form {
            0 => Value::Bool(number != 0),
            1 => Value::Num(number),
            2 => Value::Msg(self.messages.value(number as u32)),
            3 => Value::Tuple(parts()),
            4 => Value::Seq(parts()),
            5 => Value::Bag(parts()),
            6 => Value::Set(parts()),
            _ => Value::Map((0..number).map(|_| (self.read(bytes), self.read(bytes))).collect()),
        }
    }
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

/// Reads the number with which a value begins: the form, and what is above it.
fn beginning(bytes: &mut &[u8]) -> (u8, u64) {
    let mut first = 0u128;
    for shift in (0..).step_by(7) {
        let Some((byte, rest)) = bytes.split_first() else { break };
        *bytes = rest;
        first |= u128::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            break;
        }
    }
    ((first & 7) as u8, (first >> 3) as u64)
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
        let (all, packing) = (values(), Packing::default());
        let (pack, unpack) = (|values: &[Value]| packing.pack(values), |bytes: &[u8]| packing.unpack(bytes));
        for value in &all {
            assert_eq!(unpack(&pack(std::slice::from_ref(value))), std::slice::from_ref(value));
        }
        assert_eq!(unpack(&pack(&all)), all);
        assert_eq!(unpack(&[]), []);
        assert_eq!(pack(&[Value::Num(15), Value::Num(16), Value::Bool(true)]), [0x79, 0x81, 0x01, 0x08]);
    }

    #[test]
    fn different_values_have_different_bytes() {
        let (all, packing) = (values(), Packing::default());
        let pack = |value: &Value| packing.pack(std::slice::from_ref(value));
        let packed: std::collections::HashSet<Vec<u8>> = all.iter().map(pack).collect();
        let distinct: std::collections::HashSet<&Value> = all.iter().collect();
        assert!(distinct.len() > 200);
        assert_eq!(packed.len(), distinct.len());
    }
}
