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
    let mut look = |node: Node| {
        match node {
            Node::Set(local) => found.insert(local),
            Node::Expr(Expr { kind: ExprKind::Local(local), .. }) => found.insert(*local),
            Node::Place(Place { root: Root::Local(local), .. }) => found.insert(*local),
            _ => false,
        };
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
    let (sets, mut read) = match &statement.kind {
        StatementKind::For { variable, .. } => (*variable == local, false),
        StatementKind::Each { walk, .. } => ([walk.index, walk.key, walk.value].contains(&Some(local)), false),
        _ => (false, false),
    };
    statement.each_own(|node| match node {
        Node::Expr(Expr { kind: ExprKind::Local(l), .. }) => read |= *l == local,
        Node::Place(Place { root: Root::Local(l), .. }) => read |= *l == local,
        _ => {}
    });
    sets && !read
}

/// Whether a statement sets a local before anything reads it, at its own level.
pub fn sets_at_once(statement: &Statement, local: LocalId) -> bool {
    let mut reads = false;
    statement.each_own(|node| match node {
        Node::Expr(Expr { kind: ExprKind::Local(l), .. }) => reads |= *l == local,
        Node::Place(Place { root: Root::Local(l), .. }) => reads |= *l == local,
        _ => {}
    });
    let sets = match &statement.kind {
        StatementKind::Let(l, _) => *l == local,
        StatementKind::Call { into, .. } | StatementKind::CallExtern { into, .. } => *into == Some(local),
        StatementKind::Operate(o) => o.into == Some(local) || o.done == Some(local),
        StatementKind::Fit { into, .. } | StatementKind::Random { into, .. } => *into == local,
        StatementKind::Filter { into, .. } | StatementKind::Unpack { into, .. } => *into == local,
        StatementKind::Join { into, .. } | StatementKind::Take { into, .. } => *into == local,
        _ => false,
    };
    sets && !reads
}
