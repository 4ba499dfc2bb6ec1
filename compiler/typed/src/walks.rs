//! A container is not changed while a loop goes over it (language.md, section 2, 9).

use nacre_diagnostics::Span;
use nacre_stack::{Argument, Block, FunctionId, Operation, Place, Root, Statement, StatementKind, Step};

use crate::layer::Checker;

/// A loop over a container, to be looked at when all functions are known.
pub(crate) struct Walked {
    pub over: Place,
    pub body: Block,
    pub span: Span,
}

impl Checker<'_> {
    pub(crate) fn walks(&mut self) {
        for walked in std::mem::take(&mut self.walked) {
            if self.changes(&walked.body, &walked.over) {
                self.error(
                    "T0116",
                    "a container is changed while a loop goes over it",
                    walked.span,
                    "the loop's body changes this",
                    "change it after the loop; a body may change fields of the current entry, or remove it and leave at once",
                );
            }
        }
    }

    fn changes(&self, block: &[Statement], over: &Place) -> bool {
        let ends = matches!(block.last().map(|s| &s.kind), Some(StatementKind::Return(_) | StatementKind::Break));
        block.iter().any(|statement| match &statement.kind {
            StatementKind::Operate(o) => {
                let removes = o.operation == Operation::Remove && ends;
                holds(&o.place, over) && !removes && !matches!(o.operation, Operation::Find | Operation::Hole)
            }
            StatementKind::Store(place, _) | StatementKind::Take { place, .. } => holds(place, over),
            StatementKind::If { then, otherwise, .. } => self.changes(then, over) || self.changes(otherwise, over),
            StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
                self.changes(body, over)
            }
            StatementKind::Call { function, arguments, .. } => {
                let given = |a: &Argument| matches!(a, Argument::Reference(place) if holds(place, over));
                arguments.iter().any(given) || self.function_changes(*function, over)
            }
            _ => false,
        })
    }

    /// A function knows the cells of its layer, not its caller's locals and indices.
    fn function_changes(&self, function: FunctionId, over: &Place) -> bool {
        let plain = matches!(over.root, Root::Cell(_)) && !over.path.iter().any(|s| matches!(s, Step::Index(_)));
        plain && self.fragment.functions.get(function.index()).is_some_and(|f| self.changes(&f.body, over))
    }
}

/// Whether a place is all of another, or that and more.
fn holds(place: &Place, over: &Place) -> bool {
    place.root == over.root && over.path.starts_with(&place.path)
}
