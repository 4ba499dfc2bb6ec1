//! Statements.

use serde::{Deserialize, Serialize};

use crate::*;

/// Statements, executed in sequence.
pub type Block = Vec<Statement>;

/// A statement. Equality ignores numbers and spans.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Statement {
    pub kind: StatementKind,
    /// Set by `optimize::inline`, for a call of a function, a call by emission, and an output: where the code that this
    /// statement belongs to is put in place, so is the code that it calls. It has no other meaning.
    #[serde(default)]
    pub in_place: bool,
    #[serde(default)]
    pub id: NodeId,
    /// The syntax that it was written as, or that it was made for.
    #[serde(default)]
    pub span: Span,
}

/// The form of a statement; only statements have effects or can fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StatementKind {
    /// Declares and sets a local, or sets it again (dropping nothing: a linear local must have been consumed).
    Let(LocalId, Expr),
    /// Overwrites; a message that was there is dropped.
    Store(Place, Expr),
    If {
        condition: Expr,
        likely: Option<bool>,
        then: Block,
        otherwise: Block,
    },
    /// Repeats until `Break`, at most `bound` times: after that many iterations without a `Break`, the bound is met.
    Loop {
        bound: u32,
        body: Block,
    },
    /// `for x in from .. to`, ascending, at most `bound` times. The ends have the type of the variable, or, where that
    /// is a range, any one type of numbers (the type checker knows that the range holds all between them).
    For {
        variable: LocalId,
        from: Expr,
        to: Expr,
        bound: u32,
        body: Block,
    },
    /// Each entry, in order; see [`Walk`].
    Each {
        walk: Walk,
        bound: u32,
        body: Block,
    },
    Break,
    Return(Option<Expr>),
    Call {
        into: Option<LocalId>,
        function: FunctionId,
        arguments: Vec<Argument>,
    },
    /// An extern with messages or with a result that may be refused (`msg?`).
    CallExtern {
        into: Option<LocalId>,
        function: ExternId,
        arguments: Vec<Expr>,
    },
    Operate(Operate),
    /// Puts an event into the queue, or (later) into the ring.
    Emit(Emit),
    /// Releases a local with messages.
    Drop(Expr),
    /// `arm`: fires at now + delay (saturating) or after.
    Arm {
        timer: Place,
        delay: Expr,
        unless_armed: bool,
    },
    Cancel(Place),
    Count(CounterId, Expr),
    /// Violated: counted as broken; the interpreter reports it. The text is that of the source.
    Assert(Expr, String),
    /// Counts `builtin::IMPOSSIBLE`; the message has been dropped by a `Drop` before.
    Impossible,
    Unreachable,
    /// Conversion into a range type: `into` is an option.
    Fit {
        into: LocalId,
        value: Expr,
    },
    /// A number below `below` (at least 1), of the layer's generator. Duration or UInt.
    Random {
        into: LocalId,
        below: Expr,
    },
    /// A filter that yields: `into` is Msg, or Option(Msg) if it may reject. Borrows its input, bytes or a tuple of
    /// bytes.
    Filter {
        into: LocalId,
        filter: FilterId,
        input: Expr,
    },
    /// In a filter: one more byte; or the end of it.
    Yield(Expr),
    Reject,
    /// Inverse of Pack: `into` is Option(Msg); consumes the message either way.
    Unpack {
        into: LocalId,
        layout: LayoutId,
        message: Expr,
    },
    /// All messages of the list, in order, then `last`, as one under the headers of `last`; empties the list.
    Join {
        into: LocalId,
        parts: Place,
        last: Expr,
    },
    /// Moves the value (with a message) out of an option at a place, leaving none.
    Take {
        into: LocalId,
        place: Place,
    },
}

/// The emission of one event over a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Emit {
    /// An event in the direction up goes to the upper end of the link, others to the lower end.
    pub link: LinkId,
    pub event: EventId,
    pub arguments: Vec<Expr>,
    pub later: bool,
    /// Set by `optimize`: run as a call at once instead of through the queue.
    pub call: bool,
    pub likely: Option<bool>,
}

/// An argument of a function call: by value, or a place for a `ref` parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Argument {
    Value(Expr),
    Reference(Place),
}

/// The container over which `Each` iterates, and the locals that it sets. Entries are borrowed: `value` may only be
/// used by Share, Length, View or, with `drain`, is moved out. The container is not changed meanwhile (except the
/// current entry's fields and its removal as the last act before leaving).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Walk {
    pub over: Place,
    /// Index, slot, sequence number, element of a set, or key's slot.
    pub index: Option<LocalId>,
    /// Of a map.
    pub key: Option<LocalId>,
    /// The entry; not set where entries contain messages and it is not a drain: there the body uses a place.
    pub value: Option<LocalId>,
    /// Windows: from `low` (or `from`) up to but not including `to` (or `high`); only the entries that are there.
    pub from: Option<Expr>,
    pub to: Option<Expr>,
    /// Entries are moved out, and the container is empty afterwards.
    pub drain: bool,
}

/// An operation on a container at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operate {
    pub operation: Operation,
    pub place: Place,
    pub arguments: Vec<Expr>,
    /// What it gives; see [`Operation`]. Where a local of the type itself stands for an option, none is zero; so is
    /// what a failure gives.
    pub into: Option<LocalId>,
    /// For those that can fail: set to a bool, whether it was done. On failure `back` receives the value again.
    pub done: Option<LocalId>,
    /// On failure the last argument (if it has messages) is moved here; then the code must consume it.
    pub back: Option<LocalId>,
}

/// Operations that change a container. "can fail": sets `done`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operation {
    /// Ring, list: appends; can fail (full). Window: appends at `high`, gives its number (Seq); can fail (full).
    Push,
    /// Ring: removes and gives the oldest (Option). List: removes and gives the last (Option).
    Pop,
    /// Window: puts at a number; can fail: below next, there already, or not below low + N. Raises `high`.
    Put,
    /// Window: the entry at `next`, removed with all before it (Option); advances next and low.
    TakeNext,
    /// Window: the entry at `next`, which stays (Option of a shared entry); advances next.
    Read,
    /// Window: forgets all below a number (low < n <= high, else nothing); gives how many, u32. Raises next to low.
    Release,
    /// Window: `Release` of the number after `low`. Made by `optimize::release_low`; no layer writes it.
    ReleaseLow,
    /// Window: `high` becomes at least the number (at most low + N).
    Raise,
    /// Window: next (and high) become at least the number.
    SkipTo,
    /// Window: `SkipTo`, then `Release` of the same number. Made by `optimize::pass_over`; no layer writes it.
    PassOver,
    /// Window: Option of (low, high): the first gap from `next` on below `high`.
    Hole,
    /// Window: the same, but only if it reaches beyond what was reported before.
    NewHole,
    Clear,
    ClearUndelivered,
    /// Ring, list: the first equal entry, if there. Pool, map: the entry at a slot, if there.
    Remove,
    /// Pool: gives Option of the slot; can fail (full), `into` is the slot.
    Add,
    /// Map: sets the value for a key, gives the slot; can fail (full).
    Insert,
    /// Map: gives Option of the slot of a key.
    Find,
    /// Map: the slot of a key, added with the given value if not there; can fail (full).
    Entry,
}
