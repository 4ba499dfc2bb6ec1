//! Control dependence: what runs or not depending on a condition, by `if`, by how often a loop turns, and by what a `return` or
//! `break` under either leaves out.

use nacre_stack::{Statement, StatementKind};

/// Asks of which conditions code depends on, and looks at its statements.
pub trait Dependent {
    /// Whether what decides about the blocks of a statement is what is asked for: a condition, the ends of a loop.
    fn decides(&mut self, statement: &Statement) -> bool;

    /// A statement; `under`: whether it runs depends on what is asked for.
    fn statement(&mut self, statement: &Statement, under: bool);
}

/// Goes through a body in order; gives whether it may be left early depending on what is asked for.
pub fn body(dependent: &mut impl Dependent, body: &[Statement], under: bool) -> bool {
    block(dependent, body, under).in_body
}

/// Whether what stands behind runs depending on what is asked for.
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
    match &statement.kind {
        StatementKind::If { then, otherwise, .. } => {
            let under = under || dependent.decides(statement);
            let (first, second) = (block(dependent, then, under), block(dependent, otherwise, under));
            Behind { in_loop: first.in_loop || second.in_loop, in_body: first.in_body || second.in_body }
        }
        StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
            let under = under || dependent.decides(statement);
            let mut behind = block(dependent, body, under);
            if (behind.in_loop || behind.in_body) && !under {
                // So do its next turns.
                behind = block(dependent, body, true);
            }
            Behind { in_loop: behind.in_body, ..behind }
        }
        StatementKind::Break => Behind { in_loop: under, in_body: false },
        StatementKind::Return(_) | StatementKind::Reject => Behind { in_loop: under, in_body: under },
        _ => Behind::default(),
    }
}
