//! Wires, filters, automata, goals, configurations, properties.

use nacre_diagnostics::Span;

use super::*;

/// `wire name { ... }`: the byte format of a message, from which it is parsed and to which it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    pub docs: Docs,
    pub name: Ident,
    pub big: bool,
    pub fields: Vec<WireField>,
    pub span: Span,
}

/// A line of a wire format, in the order of the bytes.
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

/// `filter name { ... }`: a transformation of bytes, such as a checksum, with a state of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub docs: Docs,
    pub name: Ident,
    pub grows: Option<Expr>,
    pub state: Vec<Field>,
    pub unit: FilterUnit,
    /// The parameters of `byte(b: u8)` or `word(w: u32)`, one for each byte string read; at least one.
    pub inputs: Vec<FunctionParameter>,
    pub body: Block,
    pub end: Option<Block>,
    pub result: Option<Expr>,
    pub functions: Vec<Function>,
    pub span: Span,
}

/// What a filter reads at a time: a byte, or a little-endian word of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterUnit {
    Byte,
    Word,
}

/// `automaton name { ... }`: an I/O automaton that specifies a service.
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

/// Who controls an action: the environment (`Input`) or the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    Input,
    Output,
    Internal,
    /// An internal action that never has to happen.
    Fault,
}

/// An action of an automaton: a guard and the change of the state.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub docs: Docs,
    pub kind: ActionKind,
    /// `fault output`: an output that never has to happen.
    pub optional: bool,
    pub name: Ident,
    /// For each parameter, whether it is declared with `at`, and its name.
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
    /// The automaton below it, if not the one that the subject requires.
    pub over: Option<Ident>,
    /// `on request`: it takes long and is verified only on request.
    pub on_request: bool,
    pub settings: Vec<Setting>,
    pub span: Span,
}

/// `pt2pt.W = 2;`, `due before resend;`, `beat in phase;`
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// One name, or the names of a layer and its parameter.
    pub path: Vec<Ident>,
    /// Numbers (a negative one in two's complement of 64 bits), durations, `true` and `false`; none if it states
    /// something about timers.
    pub values: Vec<Expr>,
    pub timing: Option<Timing>,
    pub span: Span,
}

/// What a configuration states about a timer.
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// It is shorter than another one.
    Before(Vec<Ident>),
    /// It has the same period at both endpoints.
    InPhase,
}

/// `property name;`: an axiom, stated in its docs.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    pub docs: Docs,
    pub name: Ident,
    pub span: Span,
}
