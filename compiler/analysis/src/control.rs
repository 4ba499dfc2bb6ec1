//! Control flow of statements ([`Control`]), and control dependence: which statements run or do not run depending on a
//! condition: in the branches of an `if`, in the body of a loop, and after a `return` or `break` in either.

use nacre_stack::{Block, Expr, Statement, StatementKind};

/// The control flow of a statement.
#[derive(Clone, Copy, Debug)]
pub enum Control<'a> {
    /// One of two blocks.
    Branch {
        /// Decides between them.
        condition: &'a Expr,
        /// The block if it is true.
        then: &'a Block,
        /// The block if it is false.
        otherwise: &'a Block,
    },
    /// A block any number of times, also none.
    Repeat(&'a Block),
    /// The end of the innermost loop.
    Break,
    /// The end of the body.
    Exit,
    /// The next statement.
    Next,
}

impl<'a> Control<'a> {
    /// Returns the control flow of a statement.
    pub fn of(statement: &'a Statement) -> Control<'a> {
        match &statement.kind {
            StatementKind::If { condition, then, otherwise, .. } => Control::Branch { condition, then, otherwise },
            StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
                Control::Repeat(body)
            }
            StatementKind::Break => Control::Break,
            StatementKind::Return(_) | StatementKind::Reject => Control::Exit,
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
            | StatementKind::Take { .. } => Control::Next,
        }
    }
}

/// Whether a block leaves its loop or its body on every path.
pub fn leaves(block: &[Statement]) -> bool {
    match block.last().map(Control::of) {
        Some(Control::Break | Control::Exit) => true,
        Some(Control::Branch { then, otherwise, .. }) => leaves(then) && leaves(otherwise),
        Some(Control::Repeat(_) | Control::Next) | None => false,
    }
}

/// An analysis that follows the dependence on some conditions.
pub trait Dependent {
    /// Whether the condition of an `if`, or the range of a loop, is one of those followed.
    fn decides(&mut self, statement: &Statement) -> bool;

    /// A statement; `under`: whether it runs depends on a followed condition.
    fn statement(&mut self, statement: &Statement, under: bool);
}

/// Visits a body in order; returns whether it may be left early depending on a followed condition. Bodies of loops may
/// be visited twice.
pub fn body(dependent: &mut impl Dependent, body: &[Statement], under: bool) -> bool {
    block(dependent, body, under).in_body
}

/// Whether the statements that follow run depending on a followed condition.
#[derive(Clone, Copy, Default)]
struct Behind {
    in_loop: bool,
    in_body: bool,
}

fn block(dependent: &mut impl Dependent, statements: &[Statement], under: bool) -> Behind {
    let mut behind = Behind::default();
    for statement in statements {
        let inside = self::statement(dependent, statement, under || behind.in_loop || behind.in_body);
        behind.in_loop |= inside.in_loop;
        behind.in_body |= inside.in_body;
    }
    behind
}

fn statement(dependent: &mut impl Dependent, statement: &Statement, under: bool) -> Behind {
    dependent.statement(statement, under);
    match Control::of(statement) {
        Control::Branch { then, otherwise, .. } => {
            let under = under || dependent.decides(statement);
            let (first, second) = (block(dependent, then, under), block(dependent, otherwise, under));
            Behind { in_loop: first.in_loop || second.in_loop, in_body: first.in_body || second.in_body }
        }
        Control::Repeat(body) => {
            let under = under || dependent.decides(statement);
            let mut behind = block(dependent, body, under);
            if (behind.in_loop || behind.in_body) && !under {
                // So do its next iterations.
                behind = block(dependent, body, true);
            }
            Behind { in_loop: behind.in_body, ..behind }
        }
        Control::Break => Behind { in_loop: under, in_body: false },
        Control::Exit => Behind { in_loop: under, in_body: under },
        Control::Next => Behind::default(),
    }
}
