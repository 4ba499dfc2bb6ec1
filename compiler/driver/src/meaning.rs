//! What the settings of a configuration mean.

use nacre_diagnostics::{Diagnostic, Span};
use nacre_specification::ValueKind;
use nacre_stack::{Cell, Scope, Type};

/// A setting of a configuration is invalid.
pub(crate) const SETTING: &str = "D0007";

/// The subject of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A parameter of a layer, in all its instances.
    Parameter {
        layer: String,
        name: String,
    },
    /// A parameter of the automaton below.
    Network(String),
    /// A parameter of an automaton that a layer provides.
    Specification(String),
    /// How often an event is called at each endpoint.
    Call(String),
    /// The values of an argument of a call (`send.id`): each is tried.
    Argument {
        call: String,
        name: String,
    },
    /// How often a timer (`pt2pt.resend`) fires as a last resort.
    Timer(String),
    /// A timer that is shorter than another one.
    Shorter {
        timer: String,
        than: String,
    },
    /// A timer of one period at all endpoints.
    InPhase(String),
    /// The initial value of a cell, at each endpoint.
    Given(String),
    /// How often an action of the automaton below, or all `timers` together, may happen.
    Limit(String),
    Bound(Bound),
}

/// A setting that every world has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Numbers,
    First,
    Size,
    AnyOrder,
    AtOnce,
    Misuse,
    Detects,
    Scarce,
    Trip,
    Within,
    Members,
}

/// The settings that every world has, by name.
pub(crate) const BOUNDS: [(&str, Bound); 11] = [
    ("numbers", Bound::Numbers),
    ("first", Bound::First),
    ("size", Bound::Size),
    ("any_order", Bound::AnyOrder),
    ("at_once", Bound::AtOnce),
    ("misuse", Bound::Misuse),
    ("detects", Bound::Detects),
    ("scarce", Bound::Scarce),
    ("trip", Bound::Trip),
    ("within", Bound::Within),
    ("members", Bound::Members),
];

/// A setting and its meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    pub meaning: Meaning,
    /// One value; calls, parameters of layers and given values have one or one for each endpoint, sizes and trips any
    /// number, statements about timers none.
    pub values: Vec<u64>,
    /// How each value is written; empty: not known.
    pub kinds: Vec<ValueKind>,
    /// As it is written: `pt2pt.W`.
    pub name: String,
    pub span: Span,
}

impl Resolved {
    /// An error about the value, at the setting.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        placed(Diagnostic::error(SETTING, message), self.span, "here")
    }
}

/// Whether an error is about a setting of the command line, which has no span.
pub fn is_of_command_line(found: &Diagnostic) -> bool {
    found.code == SETTING && found.label.is_none()
}

/// Whether a configuration may set a cell's initial value: of givens, and of numbers, flags and enums of the state.
pub fn is_settable(cell: &Cell) -> bool {
    let number = matches!(cell.ty, Type::Seq(_) | Type::UInt(_) | Type::Int(_) | Type::Range(..));
    cell.scope == Scope::Given || number || matches!(cell.ty, Type::Bool | Type::Enum(_))
}

/// With its span; a setting of the command line has none.
pub(crate) fn placed(found: Diagnostic, span: Span, label: &str) -> Diagnostic {
    if span == Span::default() {
        found
    } else {
        found.at(span, label)
    }
}
