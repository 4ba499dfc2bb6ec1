//! Reports of the interpreter: violated rules, and the trace.

use nacre_diagnostics::counted;

use super::value::{Addr, Message, Value, NEVER};
use crate::operations::numbers::sign_extend;
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
    let parts = names.iter().zip(values).map(|(p, v)| format!("{}={}", p.name, show(stack, v, &p.ty)));
    parts.collect::<Vec<_>>().join(", ")
}

/// A value of a type, shortly.
pub fn show(stack: &Stack, value: &Value, ty: &Type) -> String {
    let element: &Type = match ty {
        Type::Option(ty) | Type::Array(ty, _) | Type::Ring(ty, _) | Type::List(ty, _) => ty,
        Type::Window(ty, ..) | Type::Pool(ty, _) | Type::Map(_, ty, _) => ty,
        ty => ty,
    };
    match (value, ty) {
        (Value::Num(n), Type::Bool) => (*n != 0).to_string(),
        (Value::Num(n), Type::Int(bits)) => sign_extend(*n, *bits).to_string(),
        (Value::Num(n), Type::Enum(id)) => {
            let variants = &stack.enums[id.index()].variants;
            variants.get(*n as usize).map_or(n.to_string(), |variant| variant.to_string())
        }
        (Value::Num(n), _) => n.to_string(),
        (Value::Timer(NEVER), _) => "off".into(),
        (Value::Timer(n), _) => format!("at {n}"),
        (Value::Set(words), _) => {
            let elements = (0..words.len() * 64).filter(|i| words[i / 64] >> (i % 64) & 1 == 1);
            format!("{{{}}}", elements.map(|i| i.to_string()).collect::<Vec<_>>().join(" "))
        }
        (Value::Bytes(bytes), _) => show_bytes(bytes),
        (Value::Addr(addr), _) => show_addr(addr),
        (Value::Option(None), _) => "none".into(),
        (Value::Option(Some(inner)), _) => show(stack, inner, element),
        (Value::Tuple(parts), _) => {
            let types = (0..parts.len()).map(|at| match ty {
                Type::Struct(id) => &stack.structs[id.index()].fields[at].ty,
                Type::Tuple(types) => &types[at],
                _ => element,
            });
            format!("({})", show_list(stack, parts.iter().zip(types)))
        }
        (Value::Row(row), _) => format!("[{}]", show_list(stack, row.iter().map(|value| (value, element)))),
        (Value::Window(w), _) => {
            let entries = w.entries.iter().zip(0..).filter_map(|(entry, at)| Some((w.number(at), entry.as_ref()?)));
            let entries = entries.map(|(number, entry)| (number.to_string(), entry));
            format!("{}..{}..{} {}", w.low, w.next, w.high, show_entries(stack, entries, element))
        }
        (Value::Pool(slots), _) => {
            let entries = slots.iter().enumerate().filter_map(|(at, slot)| Some((at.to_string(), slot.as_ref()?)));
            show_entries(stack, entries, element)
        }
        (Value::Map(slots), _) => {
            let of_key = if let Type::Map(key, ..) = ty { key } else { element };
            let entries = slots.iter().flatten().map(|(key, entry)| (show(stack, key, of_key), entry));
            show_entries(stack, entries, element)
        }
        (Value::Msg(message), _) => show_message(stack, message),
        (Value::Gone, _) => "gone".into(),
    }
}

fn show_list<'a>(stack: &Stack, values: impl Iterator<Item = (&'a Value, &'a Type)>) -> String {
    values.map(|(value, ty)| show(stack, value, ty)).collect::<Vec<_>>().join(" ")
}

fn show_entries<'a>(stack: &Stack, entries: impl Iterator<Item = (String, &'a Value)>, ty: &Type) -> String {
    let entries = entries.map(|(key, entry)| format!("{key}: {}", show(stack, entry, ty)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

/// The headers of a message, the outermost first, and its bytes.
pub fn show_message(stack: &Stack, message: &Message) -> String {
    let mut text = String::new();
    for (id, fields) in message.headers.iter().rev() {
        let header = stack.header(*id);
        let fields = fields.iter().zip(header.fields.iter().map(|field| &field.ty));
        text += &format!("{}{{{}}} ", header.name, show_list(stack, fields));
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

/// A transport address, shortly.
pub fn show_addr(addr: &Addr) -> String {
    let [.., a, b, c, d] = addr.ip;
    match addr.family {
        4 => format!("{a}.{b}.{c}.{d}:{}", addr.port),
        0 => "nowhere".into(),
        _ => format!("[{}]:{}", std::net::Ipv6Addr::from(addr.ip), addr.port),
    }
}
