//! A container is not changed while a loop goes over it (language.md, section 2, 9).

use nacre_diagnostics::Span;
use nacre_stack::{Block, Local, Operation, Place, Statement, StatementKind};

use crate::body::Body;
use crate::changes::{change_of, inner_blocks, Change};
use crate::fragment::Fragment;

impl Body<'_, '_> {
    /// Notes a loop over a container, and what its body changes before it goes on.
    pub fn note_walk(&mut self, over: &Place, body: &Block, span: Span) {
        let mut found = Changes { locals: &self.locals, fragment: &self.cx.fragment, found: Vec::new() };
        found.block(body, true);
        for (change, changed) in found.found {
            let changed = if changed == Span::default() { span } else { changed };
            self.suspect_walk(over, change, changed, span);
        }
    }
}

struct Changes<'a> {
    locals: &'a [Local],
    fragment: &'a Fragment,
    found: Vec<(Change, Span)>,
}

impl Changes<'_> {
    /// `own`: a `break` here leaves the loop itself.
    fn block(&mut self, block: &Block, own: bool) {
        let leaves = match block.last().map(|s| &s.kind) {
            Some(StatementKind::Return(_)) => true,
            Some(StatementKind::Break) => own,
            _ => false,
        };
        for statement in block {
            if !(leaves && is_removal(statement)) {
                let change = change_of(&statement.kind, self.locals, self.fragment);
                self.found.extend(change.map(|change| (change, statement.span)));
            }
            let own = own && matches!(statement.kind, StatementKind::If { .. });
            inner_blocks(&statement.kind).into_iter().for_each(|inner| self.block(inner, own));
        }
    }
}

fn is_removal(statement: &Statement) -> bool {
    matches!(&statement.kind, StatementKind::Operate(o) if o.operation == Operation::Remove)
}
