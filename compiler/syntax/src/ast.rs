//! The syntax tree: what a file says, with the place of every part.

use nacre_diagnostics::{SourceId, Span};

/// A name as it stands in the source; what an import under another name gives is one name with a dot, `net.frag`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

/// Lines of `//!` or `///` before a node, without the marks.
pub type Docs = Vec<String>;

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
    /// The file that is meant; whoever reads the files fills it in.
    pub file: Option<SourceId>,
    pub span: Span,
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    Worker,
    Multiplexor,
    Router,
}

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
    /// Of the head, up to the brace.
    pub span: Span,
}

/// `W: u16 = 64`
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: Ident,
    pub ty: Type,
    pub default: Option<Expr>,
}

/// `channel<addr>`
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceRef {
    pub name: Ident,
    pub arguments: Vec<Type>,
    pub span: Span,
}

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

/// The place of a header field in the frame, where the layer states one.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// `at cookie`, `at fingerprint`
    Named(Ident),
    /// `at byte 4`: the offset from the first byte of the frame.
    Byte(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageKind {
    State,
    Lasting,
    Shared,
    Given,
    Counters,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Storage {
    pub kind: StorageKind,
    pub fields: Vec<Field>,
    pub span: Span,
}

/// A field of a state, a struct, a view. In `counters { repeated }` there is no type.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub docs: Docs,
    pub name: Ident,
    pub secret: bool,
    pub ty: Option<Type>,
    /// `as cookie`, of a given: what it is to the host.
    pub role: Option<Ident>,
    pub initial: Option<Expr>,
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

/// Where a handler's events come from.
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

#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    pub docs: Docs,
    pub from: From,
    pub events: Vec<EventName>,
    pub patterns: Vec<Pattern>,
    pub body: Block,
    /// Of the head.
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

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub docs: Docs,
    pub name: Ident,
    pub parameters: Vec<FunctionParameter>,
    pub result: Option<Type>,
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionParameter {
    pub by_ref: bool,
    pub name: Ident,
    pub ty: Type,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    pub docs: Docs,
    pub name: Ident,
    pub fields: Vec<Field>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    pub docs: Docs,
    pub name: Ident,
    pub variants: Vec<Ident>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    pub docs: Docs,
    pub name: Ident,
    pub ty: Type,
    pub value: Expr,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    pub docs: Docs,
    pub name: Ident,
    pub parameters: Vec<Ident>,
    pub events: Vec<EventDeclaration>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventDirection {
    Up,
    Down,
    Turn,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EventDeclaration {
    pub docs: Docs,
    pub direction: EventDirection,
    pub name: Ident,
    pub parameters: Vec<FunctionParameter>,
    /// `as opening`: what it means at the boundary of a stack.
    pub role: Option<Ident>,
    pub span: Span,
}

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

#[derive(Clone, Debug, PartialEq)]
pub enum Contract {
    Pure,
    InverseOf(Ident),
    Grows(Expr),
    Shrinks(Expr),
    Range(Expr),
}

// ---- wires, filters

#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    pub docs: Docs,
    pub name: Ident,
    pub big: bool,
    pub fields: Vec<WireField>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum WireField {
    Field {
        name: Ident,
        ty: Type,
        nul: bool,
        value: Option<Expr>,
        until: Option<u64>,
        condition: Option<Expr>,
        span: Span,
    },
    Let {
        name: Ident,
        value: Expr,
        span: Span,
    },
    Rest(Span),
    If {
        condition: Expr,
        fields: Vec<WireField>,
        span: Span,
    },
    Match {
        on: Ident,
        arms: Vec<WireArm>,
        span: Span,
    },
}

/// `3 => Rst where code == 0 { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct WireArm {
    pub number: u64,
    pub name: Ident,
    pub condition: Option<Expr>,
    pub fields: Vec<WireField>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub docs: Docs,
    pub name: Ident,
    pub grows: Option<Expr>,
    pub state: Vec<Field>,
    pub unit: FilterUnit,
    /// The parameters of `byte(b: u8)` or `word(w: u32)`, one for each string of bytes that is read; at least one.
    pub inputs: Vec<FunctionParameter>,
    pub body: Block,
    pub end: Option<Block>,
    pub result: Option<Expr>,
    pub functions: Vec<Function>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterUnit {
    Byte,
    Word,
}

// ---- specifications

#[derive(Clone, Debug, PartialEq)]
pub struct Automaton {
    pub docs: Docs,
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub extends: Option<Ident>,
    pub state: Vec<Field>,
    pub actions: Vec<Action>,
    pub definitions: Vec<Definition>,
    pub goals: Vec<Goal>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    Input,
    Output,
    Internal,
    /// Internal, and never has to happen.
    Fault,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub docs: Docs,
    pub kind: ActionKind,
    pub name: Ident,
    /// (said with `at`, name)
    pub parameters: Vec<(bool, Ident)>,
    pub condition: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

/// `define agrees(q, v) = expr;`
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub name: Ident,
    pub parameters: Vec<Ident>,
    pub value: Expr,
    pub span: Span,
}

/// `goal all_arrive = expr unless expr;`
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    pub docs: Docs,
    pub name: Ident,
    pub condition: Expr,
    pub unless: Option<Expr>,
    pub span: Span,
}

/// `configuration small for pt2pt { W = 2; send = (3, 0); }`: a bounded world of a verification.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    pub docs: Docs,
    pub name: Ident,
    /// A layer or a stack.
    pub subject: Ident,
    /// The automaton below it, where it is another one than the subject requires, or the subject requires none.
    pub over: Option<Ident>,
    /// `on request`: it takes long, and is verified only where it is asked for.
    pub on_request: bool,
    pub settings: Vec<Setting>,
    pub span: Span,
}

/// `pt2pt.W = 2;`
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// One name, or a layer's and its parameter's.
    pub path: Vec<Ident>,
    /// Durations in nanoseconds.
    pub values: Vec<u64>,
    pub span: Span,
}

/// `property name;`, an axiom with its words in the docs.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    pub docs: Docs,
    pub name: Ident,
    pub span: Span,
}

// ---- stacks, graphs

#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    pub docs: Docs,
    pub name: Ident,
    pub members: Option<u64>,
    pub body: StackBody,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StackBody {
    /// Top first.
    Layers(Vec<LayerRef>),
    For {
        properties: Vec<Ident>,
        over: Ident,
    },
}

/// `pt2pt<16, RTO = 20 ms>`
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRef {
    pub name: Ident,
    pub arguments: Vec<LayerArgument>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LayerArgument {
    pub name: Option<Ident>,
    pub value: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    pub docs: Docs,
    pub name: Ident,
    pub lines: Vec<GraphLine>,
    pub span: Span,
}

/// `let big = frag<1400> over mux[key 1, peer 1];`
#[derive(Clone, Debug, PartialEq)]
pub struct GraphLine {
    pub name: Ident,
    pub layer: LayerRef,
    /// `mux[key 2, peer 2]` without `over` stands in `key`.
    pub over: Vec<GraphOver>,
    pub key: Option<(u64, u64)>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphOver {
    pub name: Ident,
    pub key: Option<(u64, u64)>,
}

// ---- tests

#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    pub docs: Docs,
    pub name: String,
    pub body: Vec<TestStatement>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TestStatement {
    pub kind: TestKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TestKind {
    /// `open a, b with reliable;`
    Open { endpoints: Vec<Ident>, stack: Ident },
    /// `network loss 20%, delay 5 ms, seed 7;`
    Network(Vec<NetworkSetting>),
    /// `a.send("hello");`, `a.app.cast(bytes 3000);` A call that is refused is tried again while time goes on.
    Call { endpoint: Ident, port: Option<Ident>, event: Ident, arguments: Vec<TestArgument> },
    /// `run 200 ms;`
    Run(Expr),
    /// `expect b.deliver("hello");`: it has been, or is within what time the test still has, the next output of this kind.
    Expect { endpoint: Ident, port: Option<Ident>, event: Ident, arguments: Vec<TestArgument> },
    /// `expect refused a.send(bytes 100000);`
    ExpectRefused { endpoint: Ident, port: Option<Ident>, event: Ident, arguments: Vec<TestArgument> },
    /// `expect nothing at b;`
    ExpectNothing(Ident),
    /// `expect count a.pt2pt.repeated > 0;`
    ExpectCount { endpoint: Ident, layer: Option<Ident>, counter: Ident, comparison: BinaryOp, value: Expr },
    /// `for i in 0 .. 100 { ... }`
    For { variable: Ident, from: Expr, to: Expr, body: Vec<TestStatement> },
}

#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSetting {
    pub name: Ident,
    pub value: NetworkValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NetworkValue {
    /// In percent.
    Percent(f64),
    /// Duration or number (seed).
    Expr(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub enum TestArgument {
    Text(String, Span),
    /// `bytes 3000`: a message of so many bytes, by a fixed pattern; `bytes 3000 seed i`: with other content.
    Bytes {
        length: Expr,
        seed: Option<Expr>,
        span: Span,
    },
    Expr(Expr),
    /// `_`
    Any(Span),
}

// ---- patterns

#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// `..`: the parameters that only `pass` needs.
    Rest,
    /// `_`
    Any,
    Name(Ident),
    /// `data m`
    Data(Ident),
    /// `m - Header { ... }`
    Pop(Ident, HeaderPattern),
    /// `Header { ... }` without a message
    Header(HeaderPattern),
    /// `m - h: Wire`
    PopWire {
        message: Ident,
        name: Ident,
        wire: Ident,
    },
    Tuple(Vec<Pattern>),
    Some(Box<Pattern>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct HeaderPattern {
    pub name: Ident,
    /// Field, and what its value is matched with; none: a local of the field's name.
    pub fields: Vec<(Ident, Option<Pattern>)>,
    pub span: Span,
}

// ---- statements

pub type Statements = Vec<Statement>;

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub statements: Statements,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    Set,
    Add,
    Sub,
    Mul,
    Or,
    And,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    Let {
        pattern: Pattern,
        value: Expr,
        otherwise: Option<Otherwise>,
    },
    Var {
        name: Ident,
        ty: Option<Type>,
        value: Option<Expr>,
    },
    Ref {
        name: Ident,
        place: Expr,
        otherwise: Option<Otherwise>,
    },
    Assign {
        place: Expr,
        op: AssignOp,
        value: Expr,
        otherwise: Option<Otherwise>,
    },
    /// A call.
    Expr {
        value: Expr,
        otherwise: Option<Otherwise>,
    },
    Pass {
        value: Option<Expr>,
        otherwise: Option<Otherwise>,
    },
    /// The call is an emission.
    Later(Expr),
    Drop(Expr),
    Arm {
        timer: Expr,
        delay: Expr,
        unless_armed: bool,
    },
    Cancel(Expr),
    Count(Ident),
    /// What is claimed, and how the source writes it.
    Assert(Expr, String),
    Impossible(Expr),
    If(If),
    Match {
        value: Expr,
        arms: Vec<MatchArm>,
    },
    While {
        condition: Condition,
        bound: Option<Expr>,
        body: Block,
    },
    For {
        pattern: Pattern,
        over: Expr,
        drain: bool,
        bound: Option<Expr>,
        body: Block,
    },
    Return(Option<Expr>),
    Break,
    /// In a filter.
    Yield(Expr),
    Reject,
}

/// What follows `else` where something can fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Otherwise {
    pub kind: OtherwiseKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum OtherwiseKind {
    Block(Block),
    Return(Option<Expr>),
    Break,
    Reject,
    Unreachable,
}

#[derive(Clone, Debug, PartialEq)]
pub struct If {
    pub condition: Condition,
    pub then: Block,
    pub otherwise: Option<Else>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Else {
    Block(Block),
    If(Box<Statement>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// `likely`: true, `unlikely`: false.
    pub likely: Option<bool>,
    pub kind: ConditionKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ConditionKind {
    Expr(Expr),
    /// `let pattern = expr && expr ...`
    Let {
        pattern: Pattern,
        value: Expr,
        and: Vec<Expr>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct MatchArm {
    /// None: `_`
    pub value: Option<Expr>,
    pub body: Block,
}

// ---- expressions

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    Ns,
    Us,
    Ms,
    S,
    Min,
    H,
}

impl TimeUnit {
    pub fn nanoseconds(self) -> u64 {
        match self {
            TimeUnit::Ns => 1,
            TimeUnit::Us => 1_000,
            TimeUnit::Ms => 1_000_000,
            TimeUnit::S => 1_000_000_000,
            TimeUnit::Min => 60_000_000_000,
            TimeUnit::H => 3_600_000_000_000,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Range,
    BitOr,
    BitXor,
    BitAnd,
    Shl,
    Shr,
    Add,
    Sub,
    /// `++`
    Concat,
    Mul,
    Div,
    Rem,
}

impl BinaryOp {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::In => "in",
            BinaryOp::Range => "..",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::BitAnd => "&",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Concat => "++",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Not,
    Negate,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A lower-case name, a parameter or constant.
    Name(String),
    /// A capitalized name by itself (an enum before `.variant`).
    TypeName(String),
    Number(u64),
    Duration(u64, TimeUnit),
    Text(String),
    True,
    False,
    None,
    /// `some(x)`
    Some(Box<Expr>),
    /// `x.name`
    Field(Box<Expr>, Ident),
    /// `f(x, ref y)`, `below.send(m)`, `p.sent.push(x)`
    Call(Box<Expr>, Vec<Argument>),
    Index(Box<Expr>, Box<Expr>),
    /// `a[4..]`
    From(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    As(Box<Expr>, Box<Type>),
    Share(Box<Expr>),
    /// `bytes through filter`
    Through(Box<Expr>, Ident),
    /// `Name { field: value, other }`: a header or a struct.
    Literal(Ident, Vec<(Ident, Option<Expr>)>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    If(Box<IfExpr>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct IfExpr {
    pub condition: Condition,
    pub then: Expr,
    pub otherwise: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub by_ref: bool,
    pub value: Expr,
}

// ---- types

#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `u16`, `msg`, `Peer`, `window<msg, W, seq16>`, `bytes<32>`
    Name(Ident, Vec<TypeArgument>),
    /// `0..N`
    Range(Box<Expr>, Box<Expr>),
    Tuple(Vec<Type>),
    Option(Box<Type>),
    PerMember(Box<Type>),
    /// `u8 per 0..64`
    Per(Box<Type>, Box<Type>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum TypeArgument {
    Type(Type),
    /// `16`, `W`, `view.max`. A lone capitalized or all-capital name that could be either is an Expr.
    Expr(Expr),
}
