//! Reports of the interpreter: violated rules, and the trace.

use nacre_diagnostics::counted;

use super::value::{Addr, Message, Value, NEVER};
use crate::*;

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub rule: Rule,
    pub layer: Option<LayerId>,
    pub text: String,
    /// The statement, condition or invariant at which it was found.
    pub span: Span,
    /// Which step, counted from opening.
    pub step: u64,
}

/// The rules that a run can violate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    Assert,
    /// A loop met its bound.
    Bound,
    Unreachable,
    /// An emission that its target does not accept.
    Accepts,
    Invariant,
    /// A step allocated more blocks than its `Need`.
    Need,
    /// No reaction for an event, or no shape for a frame.
    Complete,
    /// A message was used twice or lost.
    Linear,
    /// Longer than a bound says: the queue, the ring of `later` events, the outputs, a filter's growth, the step
    /// itself.
    Space,
    /// A frame is longer than the transport takes: it is lost.
    Long,
    /// An extern that the host does not supply.
    Extern,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Rule::Assert => "an assertion does not hold",
            Rule::Bound => "a loop meets its bound",
            Rule::Unreachable => "what is said to be unreachable is reached",
            Rule::Accepts => "an event comes where it is not accepted",
            Rule::Invariant => "an invariant does not hold",
            Rule::Need => "a step takes more memory than it says",
            Rule::Complete => "nothing is there to react",
            Rule::Linear => "a message is used twice or lost",
            Rule::Space => "something is longer than its bound",
            Rule::Long => "a frame is longer than the transport takes",
            Rule::Extern => "a function of the host is missing",
        })
    }
}

/// An event handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    pub step: u64,
    pub layer: LayerId,
    pub handler: HandlerId,
    /// None: a timer.
    pub event: Option<EventId>,
    /// `to=..., m=Data{3} 12 bytes`
    pub arguments: String,
    /// In order.
    pub emissions: Vec<TracedEmission>,
}

/// An emission of a handler that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedEmission {
    /// `layer.event(...)`
    pub text: String,
    /// The statement.
    pub span: Span,
}

/// Arguments of an event, shortly.
pub fn show_arguments(stack: &Stack, names: &[Parameter], values: &[Value]) -> String {
    let parts = names.iter().zip(values).map(|(p, v)| format!("{}={}", p.name, show(stack, v)));
    parts.collect::<Vec<_>>().join(", ")
}

/// A value, shortly.
pub fn show(stack: &Stack, value: &Value) -> String {
    let list = |values: &mut dyn Iterator<Item = &Value>| values.map(|v| show(stack, v)).collect::<Vec<_>>().join(" ");
    match value {
        Value::Num(n) => n.to_string(),
        Value::Timer(NEVER) => "off".into(),
        Value::Timer(n) => format!("at {n}"),
        Value::Set(words) => {
            let elements = (0..words.len() * 64).filter(|i| words[i / 64] >> (i % 64) & 1 == 1);
            format!("{{{}}}", elements.map(|i| i.to_string()).collect::<Vec<_>>().join(" "))
        }
        Value::Bytes(bytes) => show_bytes(bytes),
        Value::Addr(addr) => show_addr(addr),
        Value::Option(None) => "none".into(),
        Value::Option(Some(inner)) => show(stack, inner),
        Value::Tuple(parts) => format!("({})", list(&mut parts.iter())),
        Value::Row(row) => format!("[{}]", list(&mut row.iter())),
        Value::Window(w) => {
            let entries = w.entries.iter().zip(0..).filter_map(|(entry, at)| Some((w.number(at), entry.as_ref()?)));
            let entries = entries.map(|(number, entry)| (number.to_string(), entry));
            format!("{}..{}..{} {}", w.low, w.next, w.high, show_entries(stack, entries))
        }
        Value::Pool(slots) => {
            let entries = slots.iter().enumerate().filter_map(|(at, slot)| Some((at.to_string(), slot.as_ref()?)));
            show_entries(stack, entries)
        }
        Value::Map(slots) => show_entries(stack, slots.iter().flatten().map(|(key, entry)| (show(stack, key), entry))),
        Value::Msg(message) => show_message(stack, message),
        Value::Gone => "gone".into(),
    }
}

fn show_entries<'a>(stack: &Stack, entries: impl Iterator<Item = (String, &'a Value)>) -> String {
    let entries = entries.map(|(key, entry)| format!("{key}: {}", show(stack, entry)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

fn show_message(stack: &Stack, message: &Message) -> String {
    let mut text = String::new();
    for (id, fields) in message.headers.iter().rev() {
        let fields: Vec<String> = fields.iter().map(|f| show(stack, f)).collect();
        text += &format!("{}{{{}}} ", stack.header(*id).name, fields.join(" "));
    }
    text + &show_payload(&message.bytes())
}

/// A length as text: `1 byte`, `300 bytes`.
pub fn show_length(bytes: usize) -> String {
    counted(bytes as u64, "byte")
}

/// The bytes of a message if they are few, otherwise their number.
pub fn show_payload(bytes: &[u8]) -> String {
    match bytes.len() {
        1..=8 => show_bytes(bytes),
        length => show_length(length),
    }
}

fn show_bytes(bytes: &[u8]) -> String {
    let shown: String = bytes.iter().take(8).map(|b| format!("{b:02x}")).collect();
    if bytes.len() > 8 {
        format!("{shown}.. ({})", show_length(bytes.len()))
    } else {
        format!("0x{shown}")
    }
}

fn show_addr(addr: &Addr) -> String {
    let [.., a, b, c, d] = addr.ip;
    match addr.family {
        4 => format!("{a}.{b}.{c}.{d}:{}", addr.port),
        0 => "nowhere".into(),
        _ => format!("[{}]:{}", std::net::Ipv6Addr::from(addr.ip), addr.port),
    }
}
