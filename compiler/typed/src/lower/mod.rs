//! Typed tree to the stack IR.
//!
//! Lowering reports nothing: a tree without error nodes always has an IR. What the source leaves open is made here:
//! temporaries, the order in which values are evaluated once something needs statements of its own, failing paths, and
//! the functions of filters, which are put in where they are called.

mod bounds;
mod branches;
mod calls;
mod expressions;
mod inline;
mod layer;
mod loops;
mod matches;
mod order;
mod partial;
mod places;
mod statements;
#[cfg(test)]
mod tests;

pub(crate) use layer::layer;

use nacre_diagnostics::Span;
use nacre_stack::{Block, Expr, ExprKind, Local, LocalId, Place, Root, StatementKind, Type};

use crate::tree::{self, Is, NameId, Names};

/// What a name of the tree is in the stack IR.
#[derive(Clone)]
enum Bound {
    Local(LocalId),
    Place(Place),
}

/// A body being lowered.
struct Lowering<'t> {
    layer: &'t tree::Layer,
    names: &'t Names,
    /// By name, once it is declared.
    bound: Vec<Option<Bound>>,
    locals: Vec<Local>,
    out: Block,
    /// The statement that is being lowered.
    at: Span,
    /// The statement or expression that is being lowered.
    span: Span,
    /// The functions of the filter that this is the body of.
    own: &'t [tree::Function],
}

impl<'t> Lowering<'t> {
    fn new(layer: &'t tree::Layer, names: &'t Names, span: Span) -> Self {
        let bound = vec![None; names.all.len()];
        Lowering { layer, names, bound, locals: Vec::new(), out: Vec::new(), at: span, span, own: &[] }
    }

    fn make(&self, kind: ExprKind, ty: Type) -> Expr {
        Expr::new(kind, ty, self.span)
    }

    fn push(&mut self, statement: StatementKind) {
        self.out.push(statement.at(self.span));
    }

    fn linear(&self, ty: &Type) -> bool {
        nacre_stack::has_message(&self.layer.structs, ty)
    }

    /// A local for a name.
    fn declare(&mut self, id: NameId) -> LocalId {
        let local = LocalId(self.locals.len() as u32);
        let name = &self.names[id];
        let by_ref = name.is == Is::Reference;
        self.locals.push(Local { name: name.name.clone(), ty: name.ty.clone(), by_ref });
        self.bound[id.index()] = Some(Bound::Local(local));
        local
    }

    /// An unnamed local. The code that creates one with messages consumes it.
    fn temporary(&mut self, ty: Type) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: format!("t{}", id.0), ty, by_ref: false });
        id
    }

    /// The local of a name that denotes a value, or a place of the caller.
    fn local(&self, id: NameId) -> LocalId {
        match &self.bound[id.index()] {
            Some(Bound::Local(local)) => *local,
            Some(Bound::Place(Place { root: Root::Local(local), .. })) => *local,
            Some(Bound::Place(_)) | None => unreachable!("`{}` is a value that has been declared", self.names[id].name),
        }
    }

    fn get(&self, id: LocalId) -> Expr {
        self.make(ExprKind::Local(id), self.locals[id.index()].ty.clone())
    }

    /// What `make` lowers, as a block of its own.
    fn block<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> (Block, T) {
        let before = std::mem::take(&mut self.out);
        let made = make(self);
        (std::mem::replace(&mut self.out, before), made)
    }

    /// Runs `lower` for this syntax.
    fn within<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.span, span);
        let made = lower(self);
        self.span = outer;
        made
    }

    /// A copy of a value in a local, so that it is evaluated now and only once.
    fn spill(&mut self, value: Expr) -> Expr {
        if matches!(value.kind, ExprKind::Const(_) | ExprKind::Zero | ExprKind::None) {
            return value;
        }
        let id = self.temporary(value.ty.clone());
        self.push(StatementKind::Let(id, value));
        self.get(id)
    }
}

/// The negation of a bool.
fn not(e: Expr) -> Expr {
    let span = e.span;
    Expr::new(ExprKind::Unary(nacre_stack::UnaryOp::Not, Box::new(e)), Type::Bool, span)
}
