//! Dataflow within a body, in the order of its statements. The IR is structured, so no graph is needed: branches join
//! where they meet, and loops are gone round until nothing changes.

use nacre_stack::{Expr, Statement, StatementKind};

use crate::Lattice;

/// What is known in the order of execution.
pub trait Forward {
    /// What is known at a point that is reached.
    type State: Lattice;

    /// A statement runs; of one with blocks, what it evaluates before them.
    fn statement(&mut self, statement: &Statement, state: &mut Self::State);

    /// A condition had this value.
    fn decided(&mut self, _condition: &Expr, _value: bool, _state: &mut Self::State) {}

    /// A turn of a loop begins.
    fn turn(&mut self, _of: &Statement, _state: &mut Self::State) {}

    /// A loop has ended, by a `break`, its condition or its bound.
    fn ended(&mut self, _of: &Statement, _state: &mut Self::State) {}

    /// A block of an `if` begins: the first or the second.
    fn enter(&mut self, _of: &Statement, _then: bool) {}

    /// It has ended.
    fn leave(&mut self, _of: &Statement, _then: bool) {}

    /// Two ways come together.
    fn meet(&mut self, into: &mut Self::State, other: &Self::State) -> bool {
        into.join(other)
    }
}

/// What is known where a body is left.
#[derive(Clone, Debug, PartialEq)]
pub struct Ends<S> {
    /// Behind its last statement; none: that is not reached.
    pub falls: Option<S>,
    /// At `return` or `reject`.
    pub returns: Option<S>,
}

impl<S: Lattice> Ends<S> {
    /// At all of them.
    pub fn all(self) -> Option<S> {
        let Ends { mut falls, returns } = self;
        falls.join(&returns);
        falls
    }
}

/// Runs a body from a state.
pub fn forward<A: Forward>(analysis: &mut A, body: &[Statement], from: A::State) -> Ends<A::State> {
    let mut run = Run { analysis, breaks: None, returns: None };
    let falls = run.block(body, Some(from));
    Ends { falls, returns: run.returns }
}

struct Run<'a, A: Forward> {
    analysis: &'a mut A,
    /// At each `break` of the innermost loop.
    breaks: Option<A::State>,
    returns: Option<A::State>,
}

impl<A: Forward> Run<'_, A> {
    fn block(&mut self, block: &[Statement], mut state: Option<A::State>) -> Option<A::State> {
        for statement in block {
            state = self.statement(statement, state?);
        }
        state
    }

    fn statement(&mut self, statement: &Statement, mut state: A::State) -> Option<A::State> {
        self.analysis.statement(statement, &mut state);
        match &statement.kind {
            StatementKind::If { condition, then, otherwise, .. } => {
                let first = self.branch(statement, condition, true, then, state.clone());
                let second = self.branch(statement, condition, false, otherwise, state);
                self.meet(first, second)
            }
            StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
                Some(self.repeat(statement, body, state))
            }
            StatementKind::Break => {
                self.breaks = self.meet_at(self.breaks.clone(), state);
                None
            }
            StatementKind::Return(_) | StatementKind::Reject => {
                self.returns = self.meet_at(self.returns.clone(), state);
                None
            }
            StatementKind::Let(..)
            | StatementKind::Store(..)
            | StatementKind::Call { .. }
            | StatementKind::CallExtern { .. }
            | StatementKind::Operate(_)
            | StatementKind::Emit(_)
            | StatementKind::Drop(_)
            | StatementKind::Arm { .. }
            | StatementKind::Cancel(_)
            | StatementKind::Count(..)
            | StatementKind::Assert(..)
            | StatementKind::Impossible
            | StatementKind::Unreachable
            | StatementKind::Fit { .. }
            | StatementKind::Random { .. }
            | StatementKind::Filter { .. }
            | StatementKind::Yield(_)
            | StatementKind::Unpack { .. }
            | StatementKind::Join { .. }
            | StatementKind::Take { .. } => Some(state),
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
        let after = self.block(block, Some(state));
        self.analysis.leave(of, value);
        after
    }

    /// Every loop may end before its first turn and after each: by its ends, or by its bound.
    fn repeat(&mut self, of: &Statement, body: &[Statement], mut state: A::State) -> A::State {
        let outer = self.breaks.take();
        loop {
            let mut turn = state.clone();
            self.analysis.turn(of, &mut turn);
            let after = self.block(body, Some(turn));
            let grew = after.is_some_and(|after| self.analysis.meet(&mut state, &after));
            if !grew {
                break;
            }
        }
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

/// What is known against the order of execution: of what is still to come.
pub trait Backward {
    /// What is known at a point.
    type State: Lattice;

    /// From what is known behind a statement to what is known before it; of one with blocks, of what it evaluates
    /// before them.
    fn statement(&mut self, statement: &Statement, state: &mut Self::State);
}

/// Runs a body backward. `end`: what is known where it is left, by `return` or behind its last statement.
pub fn backward<A: Backward>(analysis: &mut A, body: &[Statement], end: A::State) -> A::State {
    let exits = Exits { returned: end.clone(), broken: end.clone() };
    block_backward(analysis, body, end, &exits)
}

struct Exits<S> {
    returned: S,
    /// Behind the innermost loop.
    broken: S,
}

fn block_backward<A: Backward>(a: &mut A, block: &[Statement], behind: A::State, exits: &Exits<A::State>) -> A::State {
    block.iter().rev().fold(behind, |behind, statement| statement_backward(a, statement, behind, exits))
}

fn statement_backward<A: Backward>(
    analysis: &mut A,
    statement: &Statement,
    behind: A::State,
    exits: &Exits<A::State>,
) -> A::State {
    let mut state = match &statement.kind {
        StatementKind::If { then, otherwise, .. } => {
            let first = block_backward(analysis, then, behind.clone(), exits);
            first.joined(&block_backward(analysis, otherwise, behind, exits))
        }
        StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
            let inner = Exits { returned: exits.returned.clone(), broken: behind.clone() };
            let mut head = behind;
            loop {
                let mut turn = block_backward(analysis, body, head.clone(), &inner);
                analysis.statement(statement, &mut turn);
                if !head.join(&turn) {
                    break head;
                }
            }
        }
        StatementKind::Break => exits.broken.clone(),
        StatementKind::Return(_) | StatementKind::Reject => exits.returned.clone(),
        StatementKind::Let(..)
        | StatementKind::Store(..)
        | StatementKind::Call { .. }
        | StatementKind::CallExtern { .. }
        | StatementKind::Operate(_)
        | StatementKind::Emit(_)
        | StatementKind::Drop(_)
        | StatementKind::Arm { .. }
        | StatementKind::Cancel(_)
        | StatementKind::Count(..)
        | StatementKind::Assert(..)
        | StatementKind::Impossible
        | StatementKind::Unreachable
        | StatementKind::Fit { .. }
        | StatementKind::Random { .. }
        | StatementKind::Filter { .. }
        | StatementKind::Yield(_)
        | StatementKind::Unpack { .. }
        | StatementKind::Join { .. }
        | StatementKind::Take { .. } => behind,
    };
    analysis.statement(statement, &mut state);
    state
}
