//! Filters: code that runs for each byte or word of a string.

use std::sync::Arc;

use super::execute::Flow;
use super::quick::Quick;
use super::report::Rule;
use super::run::{Frame, Run, Slot};
use super::value::{Message, Value};
use super::ways::Ways;
use crate::operations::{numbers::bits, operators};
use crate::*;

impl<'a> Run<'a> {
    /// A filter that yields, as a message; or none, if it rejects.
    pub fn filter(&mut self, id: FilterId, input: &Expr, into: LocalId) -> Value {
        let operands: Vec<(Vec<u8>, bool)> = Filter::operands(input).iter().map(|e| self.operand(e)).collect();
        let data = matches!(operands.as_slice(), [(_, true)]);
        let inputs: Vec<Vec<u8>> = operands.into_iter().map(|(bytes, _)| bytes).collect();
        let (frame, accepted) = self.run_filter(id, &inputs);
        let message = Value::Msg(Message::made(&frame.yielded, data));
        match (self.type_of(into), accepted) {
            (Type::Option(_), true) => Value::some(message),
            (Type::Option(_), false) => Value::none(),
            (_, true) => message,
            (_, false) => Value::Msg(Message::default()),
        }
    }

    /// A filter with a result.
    pub fn through(&mut self, id: FilterId, inputs: &[Vec<u8>], ty: &Type) -> Value {
        let filter: &'a Filter = &self.stack.filters[id.index()];
        let (frame, accepted) = self.run_filter(id, inputs);
        let Some(result) = &filter.result else {
            return Value::Bytes(operators::sized(frame.yielded, ty));
        };
        self.frames.push(frame);
        let value = if accepted { self.evaluate(result) } else { self.stack.zero(ty) };
        self.frames.pop();
        value
    }

    fn run_filter(&mut self, id: FilterId, inputs: &[Vec<u8>]) -> (Frame<'a>, bool) {
        let filter: &'a Filter = &self.stack.filters[id.index()];
        let layer = self.frames.last().map_or(LayerId(0), |f| f.layer);
        self.frames.push(Frame::new(&filter.locals, layer));
        for (index, initial) in filter.initial.iter().enumerate() {
            if let Some(initial) = initial {
                let value = self.evaluate(initial);
                self.set(LocalId(index as u32), value);
            }
        }
        let way = self.state.ways.as_mut().and_then(Ways::pause);
        let read = inputs.iter().map(Vec::len).max().unwrap_or(0);
        let units = units(filter.unit, read, inputs);
        let accepted = match &*self.quick(id, filter) {
            Some(quick) => {
                self.calculate(filter, quick, units);
                true
            }
            None => self.each_unit(filter, units),
        };
        let accepted = accepted && !matches!(self.execute(&filter.end), Flow::Reject);
        self.state.ways.iter_mut().for_each(|ways| ways.resume(way.clone()));
        let mut frame = self.frames.pop().expect("the filter's frame");
        let (made, longest) = (frame.yielded.len(), filter.longest(read as u64));
        if filter.result.is_none() && accepted && made as u64 > longest {
            frame.yielded.truncate(longest as usize);
            self.add_to(builtin::BOUND, 1);
            self.report(Rule::Bound, format!("`{}` made {made} bytes of {read}", filter.name));
        }
        (frame, accepted)
    }

    /// The short way of a filter, which is found once.
    fn quick(&mut self, id: FilterId, filter: &Filter) -> Arc<Option<Quick>> {
        let known = &mut self.state.filters;
        if known.len() <= id.index() {
            known.resize(id.index() + 1, None);
        }
        known[id.index()].get_or_insert_with(|| Arc::new(Quick::of(filter))).clone()
    }

    /// Whether the filter accepts them.
    fn each_unit(&mut self, filter: &'a Filter, mut units: impl Iterator<Item = Vec<u64>>) -> bool {
        units.all(|units| {
            for (local, unit) in filter.inputs.iter().zip(units) {
                self.set(*local, Value::Num(unit));
            }
            !matches!(self.execute(&filter.body), Flow::Reject)
        })
    }

    fn calculate(&mut self, filter: &Filter, quick: &Quick, units: impl Iterator<Item = Vec<u64>>) {
        let frame = self.frames.last_mut().expect("the filter's frame");
        let number = |slot: &Slot| if let Slot::Value(Value::Num(n)) = slot { *n } else { 0 };
        let mut slots: Vec<u64> = frame.slots.iter().map(number).collect();
        for units in units {
            for (local, unit) in filter.inputs.iter().zip(units) {
                slots[local.index()] = unit;
            }
            quick.run(&mut slots);
        }
        frame.slots = slots.into_iter().map(|n| Slot::Value(Value::Num(n))).collect();
    }

    /// Appends a value to the output of the filter: bytes as they are, a number in little-endian order.
    pub fn yield_bytes(&mut self, expr: &Expr) {
        let value = self.evaluate(expr);
        let yielded = &mut self.frames.last_mut().expect("a frame").yielded;
        match value {
            Value::Bytes(bytes) => yielded.extend(bytes),
            value => yielded.extend(&value.num().to_le_bytes()[..bits(&expr.ty).div_ceil(8) as usize]),
        }
    }

    /// The bytes of the operand, and whether what is made of them is data: see the head of the IR.
    pub fn operand(&mut self, input: &Expr) -> (Vec<u8>, bool) {
        match &input.kind {
            ExprKind::View(a) => self.operand(a),
            ExprKind::PackView(layout, a) => {
                let message = self.borrow_message(a);
                let data = message.data;
                (self.pack(*layout, message).bytes(), data)
            }
            _ => match self.borrow(input) {
                Value::Msg(message) => (message.bytes(), message.data),
                value => (value.bytes().to_vec(), false),
            },
        }
    }
}

/// The bytes or little-endian words of strings that are read in parallel, up to this length of the longest.
fn units(unit: FilterUnit, longest: usize, inputs: &[Vec<u8>]) -> impl Iterator<Item = Vec<u64>> + '_ {
    let size = match unit {
        FilterUnit::Byte => 1,
        FilterUnit::Word => 4,
    };
    let at = move |input: &[u8], from: usize| {
        let mut word = [0; 8];
        let rest = input.get(from..).unwrap_or_default();
        let part = &rest[..rest.len().min(size)];
        word[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(word)
    };
    (0..longest).step_by(size).map(move |from| inputs.iter().map(|input| at(input, from)).collect())
}
