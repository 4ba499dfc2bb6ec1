//! Where locals are declared: in the block around all statements that name them.

use std::collections::BTreeSet;

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::body::Body;

impl<'a> Body<'_, 'a> {
    /// The locals that this block declares, and before which statement.
    pub fn homes(&mut self, block: &'a [Statement]) -> Vec<(LocalId, usize)> {
        let mut found: Vec<(LocalId, usize)> = vec![];
        let all: BTreeSet<LocalId> = block.iter().flat_map(|s| locals_of(s, true)).collect();
        for local in all {
            if self.is_declared(local) {
                continue;
            }
            let statements: Vec<usize> =
                (0..block.len()).filter(|i| locals_of(&block[*i], true).contains(&local)).collect();
            let [only] = statements[..] else {
                found.push((local, statements[0]));
                continue;
            };
            let inner = block[only].blocks();
            let inside = inner.iter().filter(|b| b.iter().any(|s| locals_of(s, true).contains(&local))).count();
            let own = locals_of(&block[only], false).contains(&local);
            if (own && !loop_variable(&block[only], local)) || inside > 1 {
                found.push((local, only));
            }
        }
        found.iter().for_each(|(l, _)| self.mark_declared(*l));
        found
    }
}

/// The locals that a statement names, without or with those in its blocks.
pub fn locals_of(statement: &Statement, deep: bool) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    let mut look = |node: Node| match node {
        Node::Set(local) => found.extend([local]),
        Node::Expr(_) | Node::Place(_) | Node::Statement(_) => found.extend(node.local()),
    };
    if deep {
        statement.each(&mut look);
    } else {
        statement.each_own(&mut look);
    }
    found
}

/// Whether the local is set by a loop for its body only.
fn loop_variable(statement: &Statement, local: LocalId) -> bool {
    let is_loop = matches!(statement.control(), Control::Repeat { .. });
    is_loop && statement.sets().contains(&local) && !reads(statement, local)
}

/// Whether a statement itself, without its blocks, reads a local or changes a part of it.
fn reads(statement: &Statement, local: LocalId) -> bool {
    let mut found = false;
    statement.each_own(|node| found |= node.local() == Some(local));
    found
}

/// Whether a statement sets a local before anything reads it, at its own level.
pub fn sets_at_once(statement: &Statement, local: LocalId) -> bool {
    // A loop sets its variables once for each iteration, and the value that a failed operation returns is set only
    // then.
    let is_loop = matches!(statement.control(), Control::Repeat { .. });
    let gives_back = matches!(&statement.kind, StatementKind::Operate(o) if o.back == Some(local));
    statement.sets().contains(&local) && !is_loop && !gives_back && !reads(statement, local)
}
