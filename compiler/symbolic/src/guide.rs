//! Which side of each branch a run takes, and what the conditions tell.

use nacre_stack::Span;

use crate::terms::{Known, Term};

/// A branch whose condition was not decided by those before.
#[derive(Clone, Debug)]
pub struct Branch {
    pub span: Span,
    /// What holds on the path.
    pub holds: Term,
    /// Whether the condition holds, as it was written.
    pub taken: bool,
    pub why: Why,
}

/// Why a side was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The layer marks it as likely, or the other one as unlikely.
    Marked,
    /// The other side drops a message.
    OtherDrops,
    /// The other side begins a loop.
    OtherLoops,
    /// It is no branch: the event would not be taken otherwise.
    Required,
    /// Nothing tells: both sides are paths.
    Either,
}

/// The sides that a run takes.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// The sides at the first branches at which nothing tells; at later ones it is the one where the condition holds.
    pub(crate) sides: Vec<bool>,
    /// How many of these branches there were.
    pub(crate) met: usize,
    /// The branches so far.
    pub branches: Vec<Branch>,
    /// What their conditions tell.
    pub known: Known,
    /// What always holds: at least one formula of each of these.
    pub(crate) clauses: Vec<Vec<Term>>,
}

impl Guide {
    /// Takes these sides at the first branches at which nothing tells.
    pub fn new(sides: Vec<bool>) -> Guide {
        Guide { sides, ..Guide::default() }
    }

    /// At least one of these formulas always holds.
    pub fn always(&mut self, clause: Vec<Term>) {
        self.clauses.push(clause);
    }

    /// The sides of the next path after this one, in the order of a search in depth.
    pub fn next(&self) -> Option<Vec<bool>> {
        let either = self.branches.iter().filter(|branch| branch.why == Why::Either);
        let mut sides: Vec<bool> = either.map(|branch| branch.taken).collect();
        while !sides.pop()? {}
        sides.push(false);
        Some(sides)
    }
}
