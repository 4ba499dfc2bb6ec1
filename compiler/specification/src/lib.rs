//! Specifications as data: the automata that layers provide and require, and the configurations in which they are
//! checked.
//!
//! # What an automaton means
//!
//! An [`Automaton`] is an I/O automaton (Lynch and Tuttle): a state, and [`Action`]s that change it. An **input** is
//! what the user does to it and an **output** what it does to its user; both are named after the events of the
//! interface at which it stands, so `send` goes down into a network and `deliver` comes up out of it. **Internal**
//! actions are its own; a
//! **fault** is an internal action that it may take but never has to (a loss), so no liveness rests on it.
//!
//! An action is **enabled** for given parameters when all its [`Guard`]s hold; its body then changes the state at once.
//! An input without a guard is always enabled. A guard of an input is an obligation of the user, who must not do it
//! otherwise.
//!
//! One automaton is used in two roles. **Below** a layer it is the layer's environment: every enabled output, internal
//! action and fault may be next. **Above** a layer (or a stack) it monitors: the run of inputs and outputs that is seen
//! at the upper boundary must be one of the automaton's, with internal actions and faults between them as they please.
//! The monitor follows all states that the automaton can be in; when none is left, the run is a violation.
//!
//! **Parameters.** One that is said with `at` is the participant (a number below `members`) at which the action
//! happens. In the role below, parameters of outputs and internal actions are found from the guards, in their order:
//! [`Guard::In`] takes each entry of a container in turn, [`Guard::Is`] takes a value apart, [`Guard::Holds`] decides.
//! Parameters that no guard binds and that are of type [`Type::Rank`] take every value, before the guards; others,
//! which the action does not read (`typed` has seen to that), are zero. In the role above all parameters are known, and
//! so they are for an input below.
//!
//! **Values** are finite and total: a number is a `u64` and its arithmetic saturates; what is not there (an index
//! beyond a sequence, a key that a map has not, the first of nothing) makes the guard or condition in which it is read
//! false (its evaluation gives none); in a body it leaves the statement without effect. Messages are opaque
//! strings of bytes that can be compared and copied; so an automaton cannot depend on what they say.
//!
//! **Consumers.** The evaluator (`evaluate`) is the reference; the explorer runs it, and the Promela back end equals
//! it.

pub use nacre_diagnostics::Span;

pub mod compute;
mod connections;
pub mod evaluate;
pub mod forger;
pub mod members;
pub mod samples;
pub mod subset_construction;
pub mod value;
pub mod violation;

pub use value::Value;

/// An automaton with its parameters filled in and joined with those that it extends.
#[derive(Clone, Debug, PartialEq)]
pub struct Automaton {
    pub name: String,
    /// The name with parameters: `lossy_network<ROOM = 2, AGE = 0>`.
    pub description: String,
    /// The names of all automata that it extends, nearest first: a layer that provides this provides those.
    pub extends: Vec<String>,
    pub state: Vec<Field>,
    /// Several may have one name (the types of their parameters distinguish overloads of an event).
    pub actions: Vec<Action>,
    pub goals: Vec<Goal>,
    /// The output that opening makes, at each member, in the role below: the first event of a connection.
    pub opening: Option<String>,
    /// Makes up frames, in the role below.
    pub forger: forger::Forger,
    pub span: Span,
}

/// A part of the state.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    pub ty: Type,
    /// None: the zero of the type.
    pub initial: Option<Expr>,
}

/// The types of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Bool,
    /// A number: `nat`, and every sized number, enum variant or duration that an event carries.
    Nat,
    /// A participant, below `members`.
    Rank,
    /// A message: opaque bytes.
    Msg,
    Tuple(Vec<Type>),
    /// A value for each participant.
    Per(Box<Type>),
    /// In order.
    Seq(Box<Type>),
    /// Without order, with multiplicities.
    Bag(Box<Type>),
    Set(Box<Type>),
    Map(Box<Type>, Box<Type>),
}

/// Who performs an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionKind {
    Input,
    Output,
    Internal,
    Fault,
}

/// A guarded action with its parameters and effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub kind: ActionKind,
    /// An output that never has to happen.
    pub optional: bool,
    /// For inputs and outputs, those of the event.
    pub name: String,
    /// Locals `0 .. parameters.len()`.
    pub parameters: Vec<Parameter>,
    /// Types of all locals, parameters first; each is set by a guard, a `let` or a `for` before it is read.
    pub locals: Vec<Type>,
    pub guards: Vec<Guard>,
    pub body: Vec<Statement>,
    /// Of an input or output in one of several connections ([`Automaton::among`]): the member at its other end.
    pub peer: Option<u64>,
    pub span: Span,
}

/// A parameter of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub ty: Type,
    /// Declared with `at`: where it happens. An input or output has exactly one.
    pub at: bool,
}

impl Action {
    /// Returns whether the action never has to happen: a fault, or an output that is one.
    pub fn is_fault(&self) -> bool {
        self.optional || self.kind == ActionKind::Fault
    }

    /// Whether it carries a message that no participant sent.
    pub fn makes_up(&self) -> bool {
        self.guards.iter().any(|g| matches!(g, Guard::In(_, Expr::Unary(Unary::Forged(_), _))))
    }

    /// Whether it changes or makes up a message.
    pub fn alters(&self) -> bool {
        let altered = |e: &Expr| matches!(e, Expr::Unary(Unary::Forged(_) | Unary::Damaged, _));
        self.guards.iter().any(|g| matches!(g, Guard::In(_, e) if altered(e)))
    }

    /// Whether a guard is `false`: so an extension removes an action.
    pub fn is_never(&self) -> bool {
        self.guards.iter().any(|g| matches!(g, Guard::Holds(Expr::Const(Value::Bool(false)))))
    }
}

/// A conjunct of a condition; conjuncts are evaluated in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    /// Each (distinct) entry of a sequence, bag or set, or each `(key, value)` of a map, that fits the pattern.
    In(Pattern, Expr),
    /// The value, if it fits the pattern.
    Is(Pattern, Expr),
    Holds(Expr),
}

/// Takes a value apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Sets a local; a parameter that is set must equal the value.
    Bind(usize),
    /// Equal to a value.
    Equal(Expr),
    Any,
    Tuple(Vec<Pattern>),
}

/// From every reachable state, fair runs reach a state in which `holds` is true, again and again. A state in which
/// `unless` is true (the connection was given up) is excused, but does not meet the goal either.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    pub name: String,
    pub holds: Expr,
    pub unless: Option<Expr>,
    pub span: Span,
}

/// An expression over the state, parameters and constants.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Const(Value),
    /// A field of the state, by its index.
    State(usize),
    Local(usize),
    /// Number of participants.
    Members,
    /// All participants, as a set.
    All,
    /// The other one of two participants. Of more, each pair has an automaton of its own ([`Automaton::among`]).
    Peer(Box<Expr>),
    Tuple(Vec<Expr>),
    /// A part of a tuple.
    Part(Box<Expr>, usize),
    /// Of Per by participant, of Seq by position, of Map by key.
    Index(Box<Expr>, Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `all(x in c, e)`: `e` for each entry, which the pattern takes apart.
    Every(Box<Pattern>, Box<Expr>, Box<Expr>),
    /// `any(x in c, e)`
    Some(Box<Pattern>, Box<Expr>, Box<Expr>),
    /// The zero of a type.
    Zero(Type),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    /// Entries of a container; bytes of a message.
    Len,
    /// Of a sequence.
    First,
    Last,
    /// The set of the numbers from 1 to this; [`Guard::In`] does not build it if the number is known.
    Upto,
    /// All messages that differ from this one in a single bit, as a set.
    Damaged,
    /// The well-formed frames that are made up of this one, as a set.
    Forged(forger::Forgery),
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    And,
    Or,
    /// An entry of a sequence, bag or set; a key of a map.
    In,
    /// The multiplicity of the right in the left (bag, sequence).
    Count,
    /// The position of the right in the left (sequence); missing if it is absent.
    Position,
    /// Sequences: concatenation; bags: sum; sets: union.
    Join,
}

/// A statement of an action's effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Let(usize, Expr),
    Assign(Place, Expr),
    Do(Operation, Place, Vec<Expr>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// Each entry, of those when the loop began, that fits the pattern.
    For(Pattern, Expr, Vec<Statement>),
}

/// A place: a field of the state or a local, and the path into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub root: Root,
    pub path: Vec<Step>,
}

/// The root of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    State(usize),
    Local(usize),
}

/// A step from a place to a part of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Of Per, Seq or Map.
    Index(Expr),
    Part(usize),
}

/// An operation that changes a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Sequence: at the end.
    Append,
    /// Bag, set.
    Add,
    /// Bag, sequence: once; set; map: by key.
    Remove,
    /// Sequence: the first.
    Pop,
    /// Map: (key, value).
    Insert,
    Clear,
}

/// A bounded world in which a layer or a stack is checked, as stated by the source or the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    pub name: String,
    /// The layer or stack to verify.
    pub subject: String,
    /// The automaton below it, if the configuration names one.
    pub over: Option<String>,
    /// Whether it takes long and is verified only on request.
    pub on_request: bool,
    pub settings: Vec<Setting>,
    pub span: Span,
}

/// `W = 2`, `pt2pt.W = 2`, `send = (3, 0)`: see docs/verification.md for what names mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// `["W"]`, `["pt2pt", "W"]`
    pub path: Vec<String>,
    /// Durations in nanoseconds, flags as 0 and 1.
    pub values: Vec<u64>,
    /// How the values were written; empty: by a program, which has made sure of their kinds.
    pub kinds: Vec<ValueKind>,
    /// What it states about the timer that it names, if it has no values.
    pub timing: Option<Timing>,
    /// The span of each name; none for a setting of the command line.
    pub names: Vec<Span>,
    pub span: Span,
}

/// How a value of a setting is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Number,
    /// `5 ms`
    Duration,
    /// `true`, `false`
    Flag,
}

/// What a configuration states about a timer.
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// It is shorter than another one: `due before resend`.
    Before { longer: Vec<String>, names: Vec<Span> },
    /// It has the same period at both endpoints: `beat in phase`.
    InPhase,
}
