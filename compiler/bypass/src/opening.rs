//! Openings: what a bypass has to calculate before it can ask all of its conditions.
//!
//! The headers of a frame are known by its shape. Others are in bytes that a layer takes apart: it unseals them and
//! unpacks what comes out, say. A condition about them is asked behind the statements that do so. These come first,
//! before anything that has an effect.

use std::collections::BTreeSet;

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;
use nacre_symbolic::record::Made;
use nacre_symbolic::Unsupported;

use crate::path::Path;

/// The code of a path on its way into a bypass.
pub(crate) struct Opened<'p> {
    stack: &'p Stack,
    path: &'p Path,
    /// The places of the statements that come first.
    first: BTreeSet<usize>,
    /// What has been made that may not be there, and the conditions ask whether it is.
    asked: Vec<&'p Made>,
}

impl<'p> Opened<'p> {
    /// The body of a bypass with conditions that are not asked before it.
    ///
    /// # Errors
    /// What the conditions need cannot come first.
    pub fn body(stack: &'p Stack, path: &'p Path, body: Block, condition: Expr) -> Result<Block, Unsupported> {
        let mut opened = Opened { stack, path, first: BTreeSet::new(), asked: vec![] };
        opened.find(&body, &condition)?;
        let (mut code, mut rest) = (vec![], vec![]);
        for (at, statement) in body.into_iter().enumerate() {
            if !opened.first.contains(&at) {
                rest.push(statement);
                continue;
            }
            let (set, span) = (statement.sets(), statement.span);
            code.push(statement);
            let asked = opened.asked.iter().filter(|made| set.contains(&made.local));
            code.extend(asked.map(|made| opened.ask(made, span)));
        }
        code.push(Statement::reject_unless(condition));
        code.extend(rest);
        Ok(code)
    }

    /// Sets the local that says whether what was made is there.
    fn ask(&self, made: &Made, span: Span) -> Statement {
        let ty = self.path.code.record.locals[made.local.index()].ty.clone();
        let value = ExprKind::IsSome(Box::new(Expr::new(ExprKind::Local(made.local), ty, span)));
        let kind = StatementKind::Let(made.is_there, Expr::new(value, Type::Bool, span));
        Statement { kind, in_place: false, id: NodeId::default(), span }
    }

    /// Finds the statements that a condition needs.
    fn find(&mut self, body: &Block, condition: &Expr) -> Result<(), Unsupported> {
        let looked_at = self.needed(locals_of(condition));
        let mut open: Vec<LocalId> = looked_at.iter().copied().collect();
        open.extend(self.asked.iter().map(|made| made.local));
        while let Some(local) = open.pop() {
            match self.setter(body, local)? {
                Some(at) if self.first.insert(at) => self.come_first(body, at, &mut open)?,
                _ => {}
            }
        }
        // What is asked about must still be there.
        let mut code = self.first.iter().map(|at| &body[*at]);
        let is_used = |statement: &Statement, local| uses(statement, local) && !statement.sets().contains(&local);
        match code.any(|statement| looked_at.iter().any(|local| is_used(statement, *local))) {
            true => Err(unsupported("bytes that are taken apart twice")),
            false => Ok(()),
        }
    }

    /// The locals that have to be set first; notes those for what may not be there.
    fn needed(&mut self, locals: BTreeSet<LocalId>) -> BTreeSet<LocalId> {
        let made = self.path.code.record.made.iter();
        self.asked = made.filter(|made| made.is_there != made.local && locals.contains(&made.is_there)).collect();
        let is_asked = |local: LocalId| self.asked.iter().any(|made| made.is_there == local);
        locals.into_iter().filter(|local| !self.is_given(*local) && !is_asked(*local)).collect()
    }

    fn is_given(&self, local: LocalId) -> bool {
        let code = &self.path.code;
        code.parameters.contains(&local) || code.fields.iter().flatten().any(|field| *field == local)
    }

    /// The only statement that sets a local; none: it is given.
    fn setter(&self, body: &Block, local: LocalId) -> Result<Option<usize>, Unsupported> {
        let all: Vec<usize> = (0..body.len()).filter(|at| body[*at].sets().contains(&local)).collect();
        match (self.is_given(local), &all[..]) {
            (true, []) => Ok(None),
            (false, [only]) => Ok(Some(*only)),
            _ => Err(unsupported("a local that changes")),
        }
    }

    /// A statement comes first, with what it needs: `open` gets the locals that it reads.
    fn come_first(&mut self, body: &Block, at: usize, open: &mut Vec<LocalId>) -> Result<(), Unsupported> {
        let statement = &body[at];
        if !statement.is_pure(self.stack) {
            return Err(unsupported("what is asked depends on an effect"));
        }
        let mut cells = BTreeSet::new();
        statement.each(|node| {
            if let Some(Root::Cell(cell)) = node.root() {
                cells.insert(cell);
            }
        });
        let read = reads(statement);
        // All that it reads and sets is set once.
        open.extend(read.iter().copied().chain(statement.sets()));
        let locals = &self.path.code.record.locals;
        let messages = read.iter().filter(|local| self.stack.has_message(&locals[local.index()].ty));
        let messages: Vec<LocalId> = messages.copied().collect();
        for (before, earlier) in body.iter().enumerate().take(at) {
            let changes = |node: Node| matches!(node.root(), Some(Root::Cell(cell)) if cells.contains(&cell));
            if !earlier.is_pure(self.stack) && earlier.any(changes) {
                return Err(unsupported("what is asked depends on an effect"));
            }
            // A message is looked at before it is taken apart.
            if messages.iter().any(|local| uses(earlier, *local)) && self.first.insert(before) {
                self.come_first(body, before, open)?;
            }
        }
        Ok(())
    }
}

/// The locals in an expression.
pub(crate) fn locals_of(expr: &Expr) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    expr.each(|node| found.extend(node.local()));
    found
}

fn reads(statement: &Statement) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    statement.each(|node| {
        if !matches!(node, Node::Set(_)) {
            found.extend(node.local());
        }
    });
    found
}

fn uses(statement: &Statement, local: LocalId) -> bool {
    reads(statement).contains(&local)
}

fn unsupported(what: &str) -> Unsupported {
    Unsupported { what: what.into() }
}
