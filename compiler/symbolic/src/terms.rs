//! Terms: formulas and bit vectors, each built once. Operations on constants are calculated at once, so that running
//! code on constants is running it.

mod build;
mod fold;
mod print;
mod replace;
mod sets;
mod wide;

use std::collections::HashMap;

pub use print::{script, script_preferring, Goal};
pub use replace::Known;

/// The bits of a word of a constant: the value of a wider one is known as a number only if it fits.
pub const WIDEST: u32 = 128;

/// What a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    Bool,
    /// A bit vector of this width, at least 1.
    Bits(u32),
    /// From an index of this width to a bit vector of that; width 0: to a formula.
    Array(u32, u32),
}

/// A term, by its number in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

/// An operation on terms; names as in SMT-LIB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Not,
    And,
    Or,
    Equal,
    If,
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    Add,
    Sub,
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    Shl,
    LShr,
    AShr,
    ULess,
    SLess,
    /// How many bits are set, in 32 bits. SMT-LIB has no name for it: it is printed as a sum.
    Count,
    /// Bits high to low, both included.
    Extract(u32, u32),
    /// By this many zeros.
    ZeroExtend(u32),
    SignExtend(u32),
    Concat,
    Select,
    Store,
}

/// A term and its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Truth(bool),
    /// A bit vector of this width; the value has no bits beyond it. Greater values are concatenations, of which the
    /// lower half has [`WIDEST`] bits.
    Bits(u32, u128),
    /// A free constant: its name, its number among them, its sort.
    Free(String, u32, Sort),
    /// An array whose elements all are this term.
    Filled(u32, Term),
    Apply(Op, Vec<Term>),
    /// An uninterpreted function.
    Call(String, Sort, Vec<Term>),
}

impl Node {
    /// The terms that it is made of.
    pub fn parts(&self) -> Vec<Term> {
        match self {
            Node::Truth(_) | Node::Bits(..) | Node::Free(..) => vec![],
            Node::Filled(_, element) => vec![*element],
            Node::Apply(_, parts) | Node::Call(_, _, parts) => parts.clone(),
        }
    }
}

/// The table of terms.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: Vec<(Node, Sort)>,
    numbers: HashMap<Node, Term>,
    /// How many free constants there are.
    free: u32,
}

impl Terms {
    /// No terms.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How many terms there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets all terms but the first of them. No other one may be used again.
    pub fn truncate(&mut self, count: usize) {
        for (node, _) in self.nodes.drain(count..) {
            self.numbers.remove(&node);
        }
    }

    /// The node of a term.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize].0
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.0 as usize].1
    }

    /// The width of a bit vector; 0 for anything else.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::Bits(width) => width,
            Sort::Bool | Sort::Array(..) => 0,
        }
    }

    /// The value of a constant formula.
    pub fn truth_of(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Truth(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of a constant bit vector, if it fits [`WIDEST`] bits.
    pub fn value_of(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Bits(_, value) => Some(*value),
            _ => None,
        }
    }

    fn enter(&mut self, node: Node, sort: Sort) -> Term {
        if let Some(term) = self.numbers.get(&node) {
            return *term;
        }
        let term = Term(self.nodes.len() as u32);
        self.nodes.push((node.clone(), sort));
        self.numbers.insert(node, term);
        term
    }
}

/// The low bits of a number.
pub(crate) fn low(value: u128, width: u32) -> u128 {
    if width >= 128 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// The number that bits are in two's complement.
pub(crate) fn signed(value: u128, width: u32) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    ((value << unused) as i128) >> unused
}
