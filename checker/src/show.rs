//! Values, actions and bytes as text.

use nacre_specification::members::{name, MOST_MEMBERS};
use nacre_specification::{Automaton, Value as Spec};
use nacre_stack::interpret::{show, Value};
use nacre_stack::{PortEvent, Stack, Type};
use serde::{Deserialize, Serialize};

/// Bytes; text in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Hex(pub Vec<u8>);

impl From<Hex> for String {
    fn from(hex: Hex) -> String {
        hex.0.iter().map(|b| format!("{b:02x}")).collect()
    }
}

impl TryFrom<String> for Hex {
    type Error = String;
    fn try_from(text: String) -> Result<Hex, String> {
        let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
        match digits {
            Some(digits) if digits.len() % 2 == 0 => Ok(Hex(digits.chunks(2).map(|d| d[0] << 4 | d[1]).collect())),
            _ => Err(format!("`{text}` are no bytes in hexadecimal")),
        }
    }
}

/// An action of the network with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetworkAction {
    pub name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<NetworkValue>,
}

/// An argument of an action of the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkValue {
    Frame(Hex),
    /// Any other value, formatted for people.
    Text(String),
}

impl NetworkAction {
    /// Returns an action of an automaton, by its index.
    pub fn of(automaton: &Automaton, action: usize, values: &[Spec]) -> NetworkAction {
        let action = &automaton.actions[action];
        let arguments = action.parameters.iter().zip(values).map(|(p, v)| match (&p.ty, v) {
            (_, Spec::Msg(bytes)) => NetworkValue::Frame(Hex(bytes.to_vec())),
            (nacre_specification::Type::Rank, Spec::Num(n)) if *n < MOST_MEMBERS as u64 => {
                NetworkValue::Text(name(*n as usize).to_string())
            }
            (_, v) => NetworkValue::Text(show_value(v)),
        });
        NetworkAction { name: action.name.clone(), arguments: arguments.collect() }
    }

    /// Formats the action for people; `frame` formats frames.
    pub fn shown(&self, frame: &dyn Fn(&[u8]) -> String) -> String {
        let argument = |argument: &NetworkValue| match argument {
            NetworkValue::Frame(hex) => frame(&hex.0),
            NetworkValue::Text(text) => text.clone(),
        };
        let arguments: Vec<String> = self.arguments.iter().map(argument).collect();
        format!("{}({})", self.name, arguments.join(", "))
    }
}

/// Formats the arguments of an event of the stack's interface, without its message: an address is the name of its
/// endpoint, all else is as its type is written.
pub fn arguments(stack: &Stack, event: &str, numbers: &[u64]) -> Vec<String> {
    let types = |e: &PortEvent| {
        let declared = stack.event(e.event);
        let others = declared.parameters.iter().filter(|p| !matches!(p.ty, Type::Msg | Type::Bytes(_)));
        others.map(|p| p.ty.clone()).collect::<Vec<Type>>()
    };
    let of_name = stack.interface().into_iter().filter(|e| stack.event(e.event).name == event);
    let known = of_name.map(|e| types(&e)).find(|types| types.len() == numbers.len());
    let types = known.unwrap_or_else(|| vec![Type::UInt(64); numbers.len()]);
    let shown = |(number, ty): (&u64, &Type)| match ty {
        Type::Addr if *number < MOST_MEMBERS as u64 => name(*number as usize).to_string(),
        ty => show(stack, &Value::Num(*number), ty),
    };
    numbers.iter().zip(&types).map(shown).collect()
}

/// Formats a value of an automaton briefly.
pub fn show_value(value: &Spec) -> String {
    let list = |values: &[Spec]| values.iter().map(show_value).collect::<Vec<_>>().join(" ");
    match value {
        Spec::Bool(b) => b.to_string(),
        Spec::Num(n) => n.to_string(),
        Spec::Msg(bytes) => format!("0x{}", String::from(Hex(bytes.to_vec()))),
        Spec::Tuple(parts) => format!("({})", list(parts)),
        Spec::Seq(parts) => format!("[{}]", list(parts)),
        Spec::Bag(parts) | Spec::Set(parts) => format!("{{{}}}", list(parts)),
        Spec::Map(pairs) => {
            let pairs: Vec<String> =
                pairs.iter().map(|(k, v)| format!("{}: {}", show_value(k), show_value(v))).collect();
            format!("{{{}}}", pairs.join(" "))
        }
    }
}
