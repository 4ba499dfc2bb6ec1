//! Writes a model of a stack alone: calls in sequence, and the values of its cells after each. The tests compare the
//! back end with the interpreter in this form, for every row of the table of operations.
//!
//! A verifier compiled with `-DPRINTF` prints a line for each call, with the numbers that [`numbers`] returns for the
//! same values.

use nacre_stack::interpret::Value;
use nacre_stack::operations::numbers::wide;
use nacre_stack::*;

use crate::refusal::Reason;
use crate::types::{is_scalar, is_wide};
use crate::writer::Writer;
use crate::{erase, Refusal};

/// A call at the upper port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub event: EventId,
    /// The parameters other than the message.
    pub numbers: Vec<u64>,
    /// The message.
    pub bytes: Vec<u8>,
}

/// Calls of one `d_step`: SPIN bounds how many statements it has.
const TOGETHER: usize = 60;

/// Returns the model's text, or every construct that Promela cannot express.
pub fn write_alone(stack: &Stack, calls: &[Call]) -> Result<String, Vec<Refusal>> {
    let erased = erase::erase(stack)?;
    let size = calls.iter().map(|call| call.bytes.len()).max().unwrap_or(0).max(1);
    let mut writer = Writer::new(&erased, size as u32, &|_| None);
    writer.message_helpers();
    writer.stack_types();
    let macros = writer.carried();
    let next_event = writer.next_event();
    let open = writer.opening();
    let process = writer.process_alone(calls);
    if !writer.refusals.is_empty() {
        return Err(writer.in_order());
    }
    let mut text = vec![writer.constants()];
    text.append(&mut writer.typedefs);
    text.push(macros);
    text.push(writer.variables_alone());
    text.push(crate::dispatch::queue());
    text.push(crate::bytes::put_byte());
    text.append(&mut writer.helpers);
    text.append(&mut writer.functions);
    text.push(writer.handler_numbers());
    text.extend([next_event, open, process]);
    Ok(text.join("\n"))
}

impl Writer<'_> {
    fn variables_alone(&self) -> String {
        let mut lines = vec!["end_state ends[1];\nhidden end_given givens[1];".to_string()];
        lines.push(crate::between::COUNTERS.into());
        lines.extend(self.hidden.iter().cloned());
        lines.join("\n") + "\n"
    }

    fn process_alone(&mut self, calls: &[Call]) -> String {
        let lines = self.written(|w| {
            w.open_text("active [1] proctype endpoint() {");
            w.line("int turn; byte roll, which0, which1;");
            w.open_text(&format!("do\n:: atomic {{ turn <= {} ->", calls.len()));
            w.line("d_step { queue_at = 0; queue_end = 0; queue_n = 0; next_handler = 0;");
            w.line("if :: turn == 0 -> open() :: else fi; skip }");
            for (chunk, calls) in calls.chunks(TOGETHER).enumerate() {
                w.calls_together(1 + chunk * TOGETHER, calls);
            }
            w.handling();
            w.line("od;\n skip;");
            for cell in 0..w.stack.cells.len() {
                w.print_cell(CellId(cell as u32));
            }
            w.line("printf(\"\\n\"); turn++ }");
            w.close(":: else -> break\nod\n}\n");
        });
        lines.join("\n")
    }

    fn calls_together(&mut self, first: usize, calls: &[Call]) {
        let last = first + calls.len() - 1;
        self.open_text(&format!("if\n:: turn >= {first} && turn <= {last} -> d_step {{ if"));
        for (at, call) in calls.iter().enumerate() {
            self.option(format!("turn == {}", first + at));
            self.call_alone(call);
            self.end_option();
        }
        self.line("fi; skip }");
        self.close(":: else\nfi;");
    }

    fn call_alone(&mut self, call: &Call) {
        let event = self.stack.event(call.event);
        let Some(input) = self.stack.ports.get(1).and_then(|p| p.inputs.iter().find(|i| i.event == call.event)) else {
            return self.refuse(Reason::UnknownCall);
        };
        let kind = self.kind_name(Target::Layer(input.layer), call.event);
        self.line(format!("queue[queue_end].what = {kind};"));
        let mut given = call.numbers.iter();
        for (parameter, place) in event.parameters.iter().zip(self.event_places(call.event)) {
            let place = format!("queue[queue_end].{place}");
            if parameter.ty == Type::Msg {
                self.line(format!("{place}.is_data = 1; {place}.n = {};", call.bytes.len()));
                let bytes = call.bytes.iter().enumerate();
                bytes.for_each(|(i, byte)| self.line(format!("{place}.b[{i}] = {byte};")));
                continue;
            }
            let value = Value::Num(given.next().copied().unwrap_or(0));
            let numbers = numbers(self.stack, &parameter.ty, &value).unwrap_or_default();
            match numbers[..] {
                [low, high] => {
                    self.line(format!("{place}.lo = {}; {place}.hi = {};", plain_number(low), plain_number(high)))
                }
                _ => self.line(format!("{place} = {};", plain_number(numbers.first().copied().unwrap_or(0)))),
            }
        }
        self.line("queued();");
    }

    fn print_cell(&mut self, id: CellId) {
        let cell = self.stack.cell(id);
        if self.stack.layer(cell.layer).random == Some(id) || cell.scope == Scope::Given {
            return;
        }
        let place = self.cell(id);
        let print = |places: &[String]| format!("printf(\"%d \", {});", places[0]);
        let lines = match is_scalar(&cell.ty) {
            true => vec![print(&[place])],
            false => {
                let fields = self.fields(&cell.ty);
                self.spread(&fields, &[place], &print)
            }
        };
        self.line(format!("d_step {{ {} skip }}", lines.join(" ")));
    }
}

fn plain_number(n: i32) -> String {
    crate::numbers::literal(n as u32 as u64, &Type::Int(32))
}

/// Returns the numbers that represent a value in a model, in the order of its typedef; none if the model has no such
/// values.
pub fn numbers(stack: &Stack, ty: &Type, value: &Value) -> Option<Vec<i32>> {
    let mut to = vec![];
    Numbers { stack, to: &mut to }.value(ty, Some(value))?;
    Some(to)
}

struct Numbers<'a> {
    stack: &'a Stack,
    to: &'a mut Vec<i32>,
}

impl Numbers<'_> {
    /// Appends the numbers of a value; those of an absent value are zero.
    fn value(&mut self, ty: &Type, value: Option<&Value>) -> Option<()> {
        match ty {
            Type::Duration | Type::Instant => self.to.push(0),
            Type::Timer => self.to.push(i32::from(value.is_some_and(|v| v.num() != interpret::NEVER))),
            Type::Addr => self.to.push(0),
            Type::Bits(n) if *n > 64 => return None,
            ty if is_scalar(ty) => self.to.push(wide(value.map_or(0, Value::num), ty) as i32),
            ty if is_wide(ty) => {
                let n = wide(value.map_or(0, Value::num), ty);
                self.to.extend([n as i32, (n >> 32) as i32]);
            }
            Type::Struct(id) => {
                let types: Vec<Type> = self.stack.structs[id.index()].fields.iter().map(|f| f.ty.clone()).collect();
                self.parts(&types, value)?;
            }
            Type::Tuple(types) => self.parts(types, value)?,
            Type::Array(t, n) => self.parts(&vec![(**t).clone(); *n as usize], value)?,
            Type::Bytes(n) => self.bytes(value, *n as usize),
            Type::Text(n) => {
                self.count(value.map_or(0, |v| if let Value::Bytes(bytes) = v { bytes.len() } else { 0 }));
                self.bytes(value, *n as usize);
            }
            Type::Option(t) => {
                let inner = if let Some(Value::Option(inner)) = value { inner.as_deref() } else { None };
                self.count(usize::from(inner.is_some()));
                self.value(t, inner)?;
            }
            _ => self.container(ty, value)?,
        }
        Some(())
    }

    fn container(&mut self, ty: &Type, value: Option<&Value>) -> Option<()> {
        match (ty, value?) {
            (Type::Ring(t, n) | Type::List(t, n), Value::Row(row)) => {
                self.count(row.len());
                (0..*n as usize).try_for_each(|i| self.value(t, row.get(i)))
            }
            (Type::Window(t, n, bits), Value::Window(window)) => {
                for number in [window.low, window.next, window.high, window.reported] {
                    self.value(&Type::Seq(*bits), Some(&Value::Num(number)))?;
                }
                let entry = |i: u32| window.entries.get(i as usize).and_then(Option::as_ref);
                (0..*n).for_each(|i| self.count(usize::from(entry(i).is_some())));
                (0..*n).try_for_each(|i| self.value(t, entry(i)))
            }
            (Type::Pool(t, _), Value::Pool(slots)) => {
                slots.iter().for_each(|slot| self.count(usize::from(slot.is_some())));
                slots.iter().try_for_each(|slot| self.value(t, slot.as_ref()))
            }
            (Type::Map(k, t, _), Value::Map(slots)) => {
                slots.iter().for_each(|slot| self.count(usize::from(slot.is_some())));
                slots.iter().try_for_each(|slot| self.value(k, slot.as_ref().map(|(key, _)| key)))?;
                slots.iter().try_for_each(|slot| self.value(t, slot.as_ref().map(|(_, value)| value)))
            }
            _ => None,
        }
    }

    fn parts(&mut self, types: &[Type], value: Option<&Value>) -> Option<()> {
        let parts = if let Some(Value::Tuple(parts)) = value { &parts[..] } else { &[] };
        types.iter().enumerate().try_for_each(|(at, ty)| self.value(ty, parts.get(at)))
    }

    fn count(&mut self, n: usize) {
        self.to.push(n as i32);
    }

    fn bytes(&mut self, value: Option<&Value>, n: usize) {
        let bytes = if let Some(Value::Bytes(bytes)) = value { &bytes[..] } else { &[] };
        (0..n).for_each(|i| self.count(usize::from(bytes.get(i).copied().unwrap_or(0))));
    }
}
