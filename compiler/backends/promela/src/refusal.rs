//! Constructs that Promela cannot express, and their messages.

use std::fmt;

use nacre_stack::{BinaryOp, ExprKind, LayerId, Operation, Query, Type};

/// A construct that Promela cannot express.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The layer that contains it.
    pub layer: Option<LayerId>,
    pub reason: Reason,
}

/// Why a stack has no model.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The stack is not a column of layers: it has this.
    Shape(&'static str),
    /// The automata around the endpoints.
    Environment(String),
    /// A time affects more than timers: in which code, and what.
    Time {
        code: String,
        into: &'static str,
    },
    ParsedTime,
    /// More of something than the capacity.
    Size(Counted, u64),
    /// A number of more than 32 bits.
    Wide(Wide),
    /// A function of the host.
    Extern(String),
    /// An expression without a form, of a number or of any other value.
    Number(ExpressionName),
    Value(ExpressionName),
    /// An operation on values or places of a type.
    Of(Construct, Type),
    /// An operation on a kind of container.
    Container(Operation, Container),
    /// An option that would hold a value of another type.
    Taken {
        given: Type,
        wanted: Type,
    },
    DrawnInitials,
    /// A condition of `accepts` that needs statements.
    ConditionWithStatements,
    /// A reference to a place that may not be there.
    Reference,
    /// A call of the application that the stack does not accept from above.
    UnknownCall,
}

/// What exceeds a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Counted {
    MessageBytes,
    FrameBytes,
    TimersOfOneName,
    /// Shapes.
    Shapes,
    SetElements,
}

/// Where a number of more than 32 bits is not supported.
#[derive(Clone, Debug, PartialEq)]
pub enum Wide {
    Loop,
    Random,
    FirstNumber,
    FromContainerOrFilter,
    /// The numbers of a window, with this width.
    Window(u8),
    Expression(ExpressionName),
}

/// An operation on values of a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Construct {
    Step,
    Element,
    Bytes,
    BytesOfValue,
    Pack,
    PackHighestFirst,
    Fit,
    FilterResult,
    MulDiv,
    ToNumber,
    Walk,
    Search,
    Timers,
    Query(Query),
    Binary(BinaryOp),
    Operation(Operation),
}

/// Containers with operations of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Container {
    RingOrList,
    Window,
    Pool,
    Map,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not supported in Promela: {}", self.reason)
    }
}

/// Completes "not supported in Promela: ...".
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Shape(what) => f.write_str(what),
            Reason::Environment(what) => f.write_str(what),
            Reason::Time { code, into } => {
                write!(f, "a time affects more than timers: in `{code}` it reaches {into}")
            }
            Reason::ParsedTime => f.write_str("a time in a parsed value"),
            Reason::Size(counted, number) => counted.write(*number, f),
            Reason::Wide(wide) => wide.fmt(f),
            Reason::Extern(name) => write!(f, "the C function `{name}`"),
            Reason::Number(kind) => write!(f, "the number {}", kind.0),
            Reason::Value(kind) => write!(f, "the value {}", kind.0),
            Reason::Of(construct, ty) => construct.write(ty, f),
            Reason::Container(operation, container) => write!(f, "{operation:?} of {container}"),
            Reason::Taken { given, wanted } => write!(f, "{given:?} as {wanted:?}"),
            Reason::DrawnInitials => f.write_str("random initial values, between automata"),
            Reason::ConditionWithStatements => f.write_str("a condition of `accepts` that is not a plain expression"),
            Reason::Reference => f.write_str("a reference to a place that may not exist"),
            Reason::UnknownCall => f.write_str("a call that is not an event from above"),
        }
    }
}

impl Counted {
    fn write(self, number: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Counted::MessageBytes => write!(f, "messages of {number} bytes"),
            Counted::FrameBytes => write!(f, "frames of {number} bytes"),
            Counted::TimersOfOneName => write!(f, "{number} timers of one name"),
            Counted::Shapes => write!(f, "packing with more than {number} shapes"),
            Counted::SetElements => write!(f, "a set of more than 64 numbers ({number})"),
        }
    }
}

impl fmt::Display for Wide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wide::Loop => f.write_str("a loop over numbers of more than 32 bits"),
            Wide::Random => f.write_str("a random number of more than 32 bits"),
            Wide::FirstNumber => f.write_str("numbers of more than 32 bits that do not begin at 0"),
            Wide::FromContainerOrFilter => f.write_str("a number of more than 32 bits from a container or a filter"),
            Wide::Window(bits) => write!(f, "a window whose numbers have more than 32 bits ({bits})"),
            Wide::Expression(kind) => write!(f, "the number of more than 32 bits {}", kind.0),
        }
    }
}

impl Construct {
    fn write(self, ty: &Type, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = match self {
            Construct::Step => "a step into",
            Construct::Element => "an element of",
            Construct::Bytes => "bytes of",
            Construct::BytesOfValue => "the bytes of a value of",
            Construct::Pack => "packing",
            Construct::PackHighestFirst => "packing, with the highest byte first,",
            Construct::Fit => "fitting a number of",
            Construct::FilterResult => "a filter that returns",
            Construct::MulDiv => "a * b / c of",
            Construct::ToNumber => "a number of",
            Construct::Walk => "a walk over",
            Construct::Search => "a search in",
            Construct::Timers => "timers in",
            Construct::Query(query) => return write!(f, "{query:?} of {ty:?}"),
            Construct::Binary(operator) => return write!(f, "{operator:?} of {ty:?}"),
            Construct::Operation(operation) => return write!(f, "{operation:?} of {ty:?}"),
        };
        write!(f, "{before} {ty:?}")
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Container::RingOrList => "a ring or list",
            Container::Window => "a window",
            Container::Pool => "a pool",
            Container::Map => "a map",
        })
    }
}

/// The name of a kind of expression in the stack IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionName(String);

impl From<&ExprKind> for ExpressionName {
    fn from(kind: &ExprKind) -> ExpressionName {
        let text = format!("{kind:?}");
        ExpressionName(text.split(['(', ' ', '{']).next().unwrap_or("").to_string())
    }
}
