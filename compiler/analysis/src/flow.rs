//! Dataflow within a body, in the order of its statements. The IR is structured, so no graph is needed: branches join
//! where they meet, and loops are iterated to a fixed point.
//!
//! A loop within a loop is entered once for each turn of the outer one, with what is known then, which only grows. It
//! goes on from what was known at its head before. If it began anew, it would take two turns each time, and loops in
//! one another would take time exponential in their depth.

use std::collections::BTreeMap;

use nacre_stack::{Control, Expr, Statement};

use crate::Lattice;

/// A forward analysis: facts in the order of execution.
pub trait Forward {
    /// The facts at a reachable point.
    type State: Lattice;

    /// Applies a statement; of one with blocks, only the expressions evaluated before them.
    fn statement(&mut self, statement: &Statement, state: &mut Self::State);

    /// Applies the outcome of a condition.
    fn decided(&mut self, _condition: &Expr, _value: bool, _state: &mut Self::State) {}

    /// Begins an iteration of a loop.
    fn turn(&mut self, _of: &Statement, _state: &mut Self::State) {}

    /// A loop has ended, by a `break`, its condition or its bound.
    fn ended(&mut self, _of: &Statement, _state: &mut Self::State) {}

    /// Begins a block of an `if`: the first or the second.
    fn enter(&mut self, _of: &Statement, _then: bool) {}

    /// Ends it.
    fn leave(&mut self, _of: &Statement, _then: bool) {}

    /// Joins the facts of two paths.
    fn meet(&mut self, into: &mut Self::State, other: &Self::State) -> bool {
        into.join(other)
    }
}

/// The facts at the exits of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Ends<S> {
    /// Behind its last statement; none: unreachable.
    pub falls: Option<S>,
    /// At each `return` or `reject`.
    pub returns: Option<S>,
}

impl<S: Lattice> Ends<S> {
    /// The join of all exits.
    pub fn all(self) -> Option<S> {
        let Ends { mut falls, returns } = self;
        falls.join(&returns);
        falls
    }
}

/// What was known at the head of each loop when it was last left.
struct Heads<S> {
    known: BTreeMap<Vec<usize>, S>,
    /// The way from the body to the statement that is looked at: its place in its block, that of the statement around
    /// it, and so on; after an `if` which of its blocks.
    at: Vec<usize>,
}

impl<S: Clone> Heads<S> {
    fn new() -> Heads<S> {
        Heads { known: BTreeMap::new(), at: vec![] }
    }

    fn take(&mut self) -> Option<S> {
        self.known.remove(&self.at)
    }

    fn keep(&mut self, state: &S) {
        self.known.insert(self.at.clone(), state.clone());
    }
}

/// Analyzes a body forward from a state.
pub fn forward<A: Forward>(analysis: &mut A, body: &[Statement], from: A::State) -> Ends<A::State> {
    let mut run = Run { analysis, breaks: None, returns: None, heads: Heads::new() };
    let falls = run.block(body, from);
    Ends { falls, returns: run.returns }
}

struct Run<'a, A: Forward> {
    analysis: &'a mut A,
    /// At each `break` of the innermost loop.
    breaks: Option<A::State>,
    returns: Option<A::State>,
    heads: Heads<A::State>,
}

impl<A: Forward> Run<'_, A> {
    fn block(&mut self, block: &[Statement], from: A::State) -> Option<A::State> {
        let mut state = Some(from);
        for (place, statement) in block.iter().enumerate() {
            let before = state?;
            self.heads.at.push(place);
            state = self.statement(statement, before);
            self.heads.at.pop();
        }
        state
    }

    fn statement(&mut self, statement: &Statement, mut state: A::State) -> Option<A::State> {
        self.analysis.statement(statement, &mut state);
        match statement.control() {
            Control::Branch { condition, then, otherwise } => {
                let first = self.branch(statement, condition, true, then, state.clone());
                let second = self.branch(statement, condition, false, otherwise, state);
                self.meet(first, second)
            }
            Control::Repeat { body, .. } => Some(self.repeat(statement, body, state)),
            Control::Break => {
                self.breaks = self.meet_at(self.breaks.clone(), state);
                None
            }
            Control::Exit => {
                self.returns = self.meet_at(self.returns.clone(), state);
                None
            }
            Control::Next => Some(state),
        }
    }

    fn branch(
        &mut self,
        of: &Statement,
        condition: &Expr,
        value: bool,
        block: &[Statement],
        mut state: A::State,
    ) -> Option<A::State> {
        self.analysis.decided(condition, value, &mut state);
        self.analysis.enter(of, value);
        self.heads.at.push(usize::from(value));
        let after = self.block(block, state);
        self.heads.at.pop();
        self.analysis.leave(of, value);
        after
    }

    /// A loop may end before its first iteration and after each: by its range, or by its bound.
    fn repeat(&mut self, of: &Statement, body: &[Statement], mut state: A::State) -> A::State {
        let outer = self.breaks.take();
        if let Some(known) = self.heads.take() {
            self.analysis.meet(&mut state, &known);
        }
        loop {
            let mut turn = state.clone();
            self.analysis.turn(of, &mut turn);
            let after = self.block(body, turn);
            let grew = after.is_some_and(|after| self.analysis.meet(&mut state, &after));
            if !grew {
                break;
            }
        }
        self.heads.keep(&state);
        let breaks = std::mem::replace(&mut self.breaks, outer);
        if let Some(breaks) = breaks {
            self.analysis.meet(&mut state, &breaks);
        }
        self.analysis.ended(of, &mut state);
        state
    }

    fn meet(&mut self, a: Option<A::State>, b: Option<A::State>) -> Option<A::State> {
        match b {
            Some(b) => self.meet_at(a, b),
            None => a,
        }
    }

    fn meet_at(&mut self, known: Option<A::State>, state: A::State) -> Option<A::State> {
        match known {
            Some(mut known) => {
                self.analysis.meet(&mut known, &state);
                Some(known)
            }
            None => Some(state),
        }
    }
}

/// A backward analysis: facts about the code still to be executed.
pub trait Backward {
    /// The facts at a point.
    type State: Lattice;

    /// Derives the facts before a statement from those behind it; of one with blocks, only for the expressions
    /// evaluated before them.
    fn statement(&mut self, statement: &Statement, state: &mut Self::State);
}

/// Analyzes a body backward. `end`: the facts at its exits, by `return` or behind its last statement.
pub fn backward<A: Backward>(analysis: &mut A, body: &[Statement], end: A::State) -> A::State {
    let exits = Exits { returned: end.clone(), broken: end.clone() };
    RunBack { analysis, heads: Heads::new() }.block(body, end, &exits)
}

struct Exits<S> {
    returned: S,
    /// The facts behind the innermost loop.
    broken: S,
}

struct RunBack<'a, A: Backward> {
    analysis: &'a mut A,
    heads: Heads<A::State>,
}

impl<A: Backward> RunBack<'_, A> {
    fn block(&mut self, block: &[Statement], mut state: A::State, exits: &Exits<A::State>) -> A::State {
        for (place, statement) in block.iter().enumerate().rev() {
            self.heads.at.push(place);
            state = self.statement(statement, state, exits);
            self.heads.at.pop();
        }
        state
    }

    fn branch(&mut self, then: bool, block: &[Statement], state: A::State, exits: &Exits<A::State>) -> A::State {
        self.heads.at.push(usize::from(then));
        let before = self.block(block, state, exits);
        self.heads.at.pop();
        before
    }

    /// What is known before each turn, and behind the last one.
    fn repeat(&mut self, of: &Statement, body: &[Statement], behind: A::State, exits: &Exits<A::State>) -> A::State {
        let inner = Exits { returned: exits.returned.clone(), broken: behind.clone() };
        let mut head = behind;
        if let Some(known) = self.heads.take() {
            head.join(&known);
        }
        loop {
            let mut turn = self.block(body, head.clone(), &inner);
            self.analysis.statement(of, &mut turn);
            if !head.join(&turn) {
                self.heads.keep(&head);
                return head;
            }
        }
    }

    fn statement(&mut self, statement: &Statement, behind: A::State, exits: &Exits<A::State>) -> A::State {
        let mut state = match statement.control() {
            Control::Branch { then, otherwise, .. } => {
                let first = self.branch(true, then, behind.clone(), exits);
                first.joined(&self.branch(false, otherwise, behind, exits))
            }
            Control::Repeat { body, .. } => self.repeat(statement, body, behind, exits),
            Control::Break => exits.broken.clone(),
            Control::Exit => exits.returned.clone(),
            Control::Next => behind,
        };
        self.analysis.statement(statement, &mut state);
        state
    }
}
