//! The syntax tree: the content of a file, with the span of every part. This file: files, layers and their members.

use nacre_diagnostics::{SourceId, Span};

mod declarations;
mod expressions;
mod names;
mod patterns;
mod specifications;
mod stacks;
mod statements;

pub use declarations::*;
pub use expressions::*;
pub use names::*;
pub use patterns::*;
pub use specifications::*;
pub use stacks::*;
pub use statements::*;

/// A source file: its documentation, edition, imports and items, each in source order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct File {
    pub docs: Docs,
    pub edition: Option<(u64, Span)>,
    pub imports: Vec<Import>,
    pub items: Vec<Item>,
}

/// `import "path" as name;`
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    pub path: String,
    pub alias: Option<Ident>,
    /// The imported file; the loader sets it.
    pub file: Option<SourceId>,
    pub span: Span,
}

/// A declaration at the top level of a file.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "most items are layers, and there are few of any")]
pub enum Item {
    Layer(Layer),
    Interface(Interface),
    Struct(Struct),
    Enum(Enum),
    Wire(Wire),
    Filter(Filter),
    Automaton(Automaton),
    Configuration(Configuration),
    Property(Property),
    Extern(Extern),
    Const(Const),
    Stack(Stack),
    Graph(Graph),
    Test(Test),
}

/// The keyword that declares a layer: `worker`, `multiplexor` or `router`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    Worker,
    Multiplexor,
    Router,
}

/// A layer: its interfaces, parameters and members.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub docs: Docs,
    pub kind: LayerKind,
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    /// `: iface`
    pub above: Option<InterfaceRef>,
    /// `over a + b`
    pub over: Vec<InterfaceRef>,
    pub members: Vec<Member>,
    /// The span of the head, up to the brace.
    pub span: Span,
}

/// `channel<addr>`
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceRef {
    pub name: Ident,
    pub arguments: Vec<Type>,
    pub span: Span,
}

/// A declaration inside a layer.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    Provides(Vec<Ident>),
    Requires(Vec<Ident>),
    Breaks(Vec<Ident>),
    Version(u64, Span),
    Header(Header),
    Storage(Storage),
    Accepts(Accepts),
    /// `port app: iface;`
    Port {
        name: Ident,
        interface: InterfaceRef,
        span: Span,
    },
    /// `below small, big: channel<addr>;`
    Below {
        ports: Vec<(Ident, Option<InterfaceRef>)>,
        span: Span,
    },
    /// `extends view { ... }`
    Extends {
        what: Ident,
        fields: Vec<Field>,
        span: Span,
    },
    Invariant {
        condition: Expr,
        span: Span,
    },
    /// `goal name = expr;`
    Goal(Goal),
    Handler(Handler),
    TimerHandler(TimerHandler),
    Function(Function),
    Struct(Struct),
    Enum(Enum),
    Const(Const),
    Extern(Extern),
}

/// `header Name { fields }`, or `header Name;` for the variants of a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    pub docs: Docs,
    pub name: Ident,
    /// None: `header Name;`
    pub fields: Option<Vec<HeaderField>>,
    pub span: Span,
}

/// `number: u29 big at cookie gossip`, `window: u16 big at byte 4`
#[derive(Clone, Debug, PartialEq)]
pub struct HeaderField {
    pub docs: Docs,
    pub name: Ident,
    pub ty: Type,
    pub big: bool,
    pub place: Option<Place>,
    /// A stated class: `identification`, `protocol`, `message`, `gossip`.
    pub class: Option<Ident>,
    pub span: Span,
}

/// The position of a header field in the frame, if the layer states one.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// `at cookie`, `at fingerprint`
    Named(Ident),
    /// `at byte 4`: the offset from the first byte of the frame.
    Byte(Expr),
}

/// How long the fields of a storage block live; `Given` are set by the host, `Counters` are not behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageKind {
    State,
    Lasting,
    Shared,
    Given,
    Counters,
}

/// A block of fields with one lifetime: `state { next: seq16; }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Storage {
    pub kind: StorageKind,
    pub fields: Vec<Field>,
    pub span: Span,
}

/// `accepts send(m) when expr;`
#[derive(Clone, Debug, PartialEq)]
pub struct Accepts {
    pub event: Ident,
    pub patterns: Vec<Pattern>,
    pub condition: Expr,
    pub span: Span,
}

/// The side from which a handler's events come.
#[derive(Clone, Debug, PartialEq)]
pub enum From {
    /// `up`
    Up(Span),
    /// `down`
    Down(Span),
    /// The name of a `port`.
    Port(Ident),
}

/// `deliver`, or `local.deliver` in a router.
#[derive(Clone, Debug, PartialEq)]
pub struct EventName {
    pub port: Option<Ident>,
    pub name: Ident,
}

/// Code for one or several events that arrive from one direction, or for a timer.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    pub docs: Docs,
    pub from: From,
    pub events: Vec<EventName>,
    pub patterns: Vec<Pattern>,
    pub body: Block,
    /// The span of the head.
    pub span: Span,
}

/// `on peers[to].resend { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct TimerHandler {
    pub docs: Docs,
    pub place: Expr,
    pub body: Block,
    pub span: Span,
}

/// `struct Peer { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    pub docs: Docs,
    pub name: Ident,
    pub fields: Vec<Field>,
    pub span: Span,
}

/// `enum Phase { ... }`: a type of named values without data.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    pub docs: Docs,
    pub name: Ident,
    pub variants: Vec<Ident>,
    pub span: Span,
}

/// `const LIMIT: u32 = 8;`
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    pub docs: Docs,
    pub name: Ident,
    pub ty: Type,
    pub value: Expr,
    pub span: Span,
}

/// `interface iface { ... }`: the events between two neighbouring layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    pub docs: Docs,
    pub name: Ident,
    pub parameters: Vec<Ident>,
    pub events: Vec<EventDeclaration>,
    pub span: Span,
}

/// The way an event takes across an interface; a `Turn` goes down and comes back up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventDirection {
    Up,
    Down,
    Turn,
}

/// An event of an interface.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDeclaration {
    pub docs: Docs,
    pub direction: EventDirection,
    pub name: Ident,
    pub parameters: Vec<FunctionParameter>,
    /// `as opening`: its role at the boundary of a stack.
    pub role: Option<Ident>,
    pub span: Span,
}

/// A function that the host supplies in C, with what the compiler may assume of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Extern {
    pub docs: Docs,
    pub name: Ident,
    pub parameters: Vec<FunctionParameter>,
    pub result: Option<Type>,
    pub contract: Vec<Contract>,
    /// The C body, without its braces.
    pub body: Option<String>,
    pub span: Span,
}

/// A promise of an `extern`, which the compiler relies on without a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Contract {
    Pure,
    /// `inverse of f`, or `inverse of f through g`.
    InverseOf {
        function: Ident,
        through: Option<Ident>,
    },
    Grows(Expr),
    Shrinks(Expr),
    Range(Expr),
}
