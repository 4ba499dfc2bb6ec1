//! Code of the typed tree: blocks, statements, conditions and patterns.

use nacre_diagnostics::Span;
use nacre_stack::{CounterId, EventId, PortId, Type};

use super::expressions::{Expr, Partial, Place};

/// Index into [`Names::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

impl NameId {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A name of a body: a parameter, a `let`, a `var`, a `ref`, the variable of a loop, a field of a header.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// As it is written, or what the declaration calls a parameter that the body does not name.
    pub name: String,
    pub ty: Type,
    pub is: Is,
    pub span: Span,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Is {
    /// A value of its own.
    Value,
    /// A `ref` parameter: a place of the caller's.
    Reference,
    /// A place: a `ref`, or an entry of a container or an option that is looked at where it is. Its indices are
    /// evaluated once, where it is declared.
    Place(Place),
}

/// The names of a body, or of a filter, in order of declaration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    pub all: Vec<Name>,
}

impl std::ops::Index<NameId> for Names {
    type Output = Name;
    fn index(&self, id: NameId) -> &Name {
        &self.all[id.index()]
    }
}

impl Names {
    /// Adds a name.
    pub fn add(&mut self, name: Name) -> NameId {
        self.all.push(name);
        NameId(self.all.len() as u32 - 1)
    }

    /// The value that a place is as a whole, also by way of a `ref`.
    pub fn whole_value(&self, place: &Place) -> Option<NameId> {
        let super::Root::Name(id) = place.root else { return None };
        match &self[id].is {
            _ if !place.path.is_empty() => None,
            Is::Value => Some(id),
            Is::Reference => None,
            Is::Place(of) => self.whole_value(of),
        }
    }
}

/// Statements in a scope of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub span: Span,
}

/// A statement, with the syntax that it was written as.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// Something is wrong with it, which has been reported.
    Error,
    /// `let pattern = value;`; with `else` the value is an [`super::ExprKind::Try`].
    Let {
        pattern: Pattern,
        value: Expr,
    },
    /// `var name = value;`
    Var {
        name: NameId,
        value: Expr,
    },
    /// `name = value;`
    Set {
        name: NameId,
        value: Expr,
    },
    /// `ref name = place;`, which the name knows.
    Ref(NameId),
    /// `ref name = pool.at(i) else ...;`
    TryRef {
        name: NameId,
        value: Partial,
        otherwise: Otherwise,
    },
    /// `place = value;`
    Store {
        place: Place,
        value: Expr,
    },
    /// A call, whose value nobody uses.
    Evaluate(Expr),
    /// A call that can fail, and its `else`, after which the body goes on. A message that it gives is dropped.
    Attempt {
        value: Partial,
        otherwise: Otherwise,
    },
    /// `below.send(m);`, with `later` or without; `span` is that of the call.
    Emit {
        side: PortId,
        event: EventId,
        arguments: Vec<Expr>,
        later: bool,
        span: Span,
    },
    /// `pass;`, or `pass m;`: to this side, with the parameters as they are now.
    Pass {
        side: PortId,
        event: EventId,
        parameters: Vec<NameId>,
        message: Option<Expr>,
    },
    /// `drop`, or `impossible`.
    Drop {
        what: Dropped,
        impossible: bool,
    },
    Arm {
        timer: Place,
        delay: Expr,
        unless_armed: bool,
    },
    Cancel(Place),
    Count(CounterId),
    Assert(Expr, String),
    If(Box<If>),
    Match {
        value: Expr,
        arms: Vec<Arm>,
        exhaustive: bool,
    },
    While {
        condition: Condition,
        bound: u32,
        body: Block,
    },
    /// `for i in from .. to`
    For {
        variable: NameId,
        from: Expr,
        to: Expr,
        bound: u32,
        body: Block,
    },
    Each(Box<Each>),
    Return(Option<Expr>),
    Break,
    Yield(Expr),
    Reject,
}

/// What is dropped: a value, or what is at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Dropped {
    Value(Expr),
    At(Place),
}

/// `if` with both branches; the second is empty where there is no `else`, and has one statement for `else if`.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    pub condition: Condition,
    pub then: Block,
    pub otherwise: Block,
}

/// What is tested.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// `likely`: true, `unlikely`: false.
    pub likely: Option<bool>,
    pub kind: ConditionKind,
    /// Further tests, with the names of a `let`.
    pub and: Vec<Expr>,
    pub span: Span,
}

/// The forms of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionKind {
    Test(Expr),
    /// `let pattern = value`, where the value may be missing.
    Let {
        pattern: Pattern,
        value: Partial,
    },
    /// `let name = option`: the message in an option, which stays where it is. The name knows its place.
    Present {
        option: Place,
        name: Option<NameId>,
    },
    /// `let name = pool.at(slot)`: the entry, which stays where it is.
    Entry {
        value: Partial,
        name: Option<NameId>,
    },
}

/// An arm of a `match`; without a value: `_`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    pub value: Option<Expr>,
    pub body: Block,
}

/// A loop over the entries of a container, an array or a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    pub over: Over,
    /// The index, slot or number; of a map only where it is needed to find the entry.
    pub index: Index,
    /// Of a map.
    pub key: Option<NameId>,
    pub entry: Entry,
    /// Entries are taken out.
    pub drain: bool,
    pub bound: u32,
    pub body: Block,
}

/// Whether a loop has an index, and who named it.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    Unused,
    /// Nobody names it, but the place of the entry needs it.
    Hidden,
    Named(NameId),
}

/// What a loop goes over.
#[derive(Clone, Debug, PartialEq)]
pub enum Over {
    Place(Place),
    /// `window.up_to(n)`
    UpTo(Place, Expr),
    /// `window.delivered(a, b)`
    Delivered(Place, Box<[Expr; 2]>),
    Value(Expr),
}

/// The entry in a turn of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Nobody looks at it.
    Unused,
    /// A copy, or the entry itself where the container is emptied.
    Value(NameId),
    /// The same, taken apart at the beginning of the turn.
    Pattern(Pattern),
    /// It stays where it is, and these are names for it or for parts of it.
    InPlace(Vec<NameId>),
}

/// Names for a value or its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub kind: PatternKind,
    pub ty: Type,
    pub span: Span,
}

/// The forms of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// It does not fit, which has been reported.
    Error,
    /// `_`: a message is dropped.
    Any,
    Name(NameId),
    Tuple(Vec<Pattern>),
}

/// What follows `else` where something fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Otherwise {
    pub kind: OtherwiseKind,
    pub span: Span,
}

/// The forms of an `else`.
#[derive(Clone, Debug, PartialEq)]
pub enum OtherwiseKind {
    Block(Block),
    Return(Option<Expr>),
    Break,
    Reject,
    /// Counted; these messages are dropped, and the body returns, with the zero of this type where it returns a value.
    Unreachable {
        drops: Vec<NameId>,
        result: Option<Type>,
    },
    /// Something is wrong with it, which has been reported.
    Error,
}
