//! Control dependence: which statements run or do not run depending on a condition: in the branches of an `if`, in the
//! body of a loop, and after a `return` or `break` in either.

use nacre_stack::{Control, Statement};

/// Whether a block leaves its loop or its body on every path.
pub fn leaves(block: &[Statement]) -> bool {
    match block.last().map(Statement::control) {
        Some(Control::Break | Control::Exit) => true,
        Some(Control::Branch { then, otherwise, .. }) => leaves(then) && leaves(otherwise),
        Some(Control::Repeat { .. } | Control::Next) | None => false,
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
    match statement.control() {
        Control::Branch { then, otherwise, .. } => {
            let under = under || dependent.decides(statement);
            let (first, second) = (block(dependent, then, under), block(dependent, otherwise, under));
            Behind { in_loop: first.in_loop || second.in_loop, in_body: first.in_body || second.in_body }
        }
        Control::Repeat { body, .. } => {
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
