//! What a bypass does before it takes the event.

use crate::visit::{Node, Traverse};
use crate::*;

/// What a bypass does before it is known to take the event: it takes a message apart, to ask what is in it. It has no
/// effect; so where the further condition does not hold, nothing has happened. In a body this is the code before the
/// statement `if condition {} else { reject; }`.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Sets locals only.
    pub code: &'a [Statement],
    /// The further condition, over the state before the event, what is given, and the locals of the code.
    pub condition: &'a Expr,
    /// What the bypass does with the event.
    pub rest: &'a [Statement],
}

impl Bypass {
    /// What the bypass does before it takes the event; none: its condition tells all.
    pub fn opening(&self) -> Option<Opening<'_>> {
        self.body.iter().enumerate().find_map(|(at, statement)| {
            let condition = statement.rejects_unless()?;
            Some(Opening { code: &self.body[..at], condition, rest: &self.body[at + 1..] })
        })
    }
}

impl Statement {
    /// The statement with which an opening ends.
    pub fn reject_unless(condition: Expr) -> Statement {
        let span = condition.span;
        let make = |kind| Statement { kind, in_place: false, id: NodeId::default(), span };
        let otherwise = vec![make(StatementKind::Reject)];
        make(StatementKind::If { condition, likely: None, then: vec![], otherwise })
    }

    /// The condition without which the statement rejects the event, if it is the end of an opening.
    pub fn rejects_unless(&self) -> Option<&Expr> {
        let StatementKind::If { condition, then, otherwise, likely: _ } = &self.kind else { return None };
        let rejects = matches!(&otherwise[..], [Statement { kind: StatementKind::Reject, .. }]);
        (rejects && then.is_empty()).then_some(condition)
    }

    /// Whether all that the statement does is to set locals, to what nothing but its operands determines. Another
    /// reference to a message of the state would have to be released, which is an effect.
    pub fn is_pure(&self, stack: &Stack) -> bool {
        use StatementKind::*;
        let is_kept =
            |node: Node| matches!(node, Node::Place(Place { root: Root::Cell(_), ty, .. }) if *ty == Type::Msg);
        match &self.kind {
            _ if self.any(is_kept) => false,
            Let(..) | Fit { .. } | Filter { .. } | Unpack { .. } => true,
            CallExtern { function, .. } => stack.externs[function.index()].pure_,
            Store(..)
            | If { .. }
            | Loop { .. }
            | For { .. }
            | Each { .. }
            | Break
            | Return(_)
            | Call { .. }
            | Operate(_)
            | Emit(_)
            | Drop(_)
            | Arm { .. }
            | Cancel(_)
            | Count(..)
            | Assert(..)
            | Impossible
            | Unreachable
            | Random { .. }
            | Yield(_)
            | Reject
            | Join { .. }
            | Take { .. } => false,
        }
    }
}
