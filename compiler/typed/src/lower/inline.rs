//! Inlines the functions of a filter at their calls, because filters cannot call code.

use nacre_diagnostics::Span;
use nacre_stack::visit::Traverse;
use nacre_stack::{Block, Expr, ExprKind, LocalId, Statement, StatementKind, Type};

use super::{Bound, Lowering};
use crate::tree::{Argument, NameId};

impl Lowering<'_> {
    /// A call: the function's statements, and the local with what it returns.
    pub(super) fn put_in(&mut self, function: u32, arguments: &[Argument]) -> Option<LocalId> {
        let function = &self.own[function as usize];
        let given: Vec<Bound> = arguments.iter().map(|argument| self.given(argument)).collect();
        for (parameter, given) in function.parameters.iter().zip(given) {
            let parameter: &NameId = parameter;
            self.bound[parameter.index()] = Some(given);
        }
        let into = function.result.as_ref().map(|ty| self.temporary(ty.clone()));
        if let (Some(into), Some(ty)) = (into, &function.result) {
            let zero = self.make(ExprKind::Zero, ty.clone());
            self.push(StatementKind::Let(into, zero));
        }
        let (block, ()) = self.block(|l| l.statements(&function.body));
        self.returned(block, into);
        into
    }

    /// What a parameter is in the function: a copy, or a place.
    fn given(&mut self, argument: &Argument) -> Bound {
        match argument {
            Argument::Reference(place) => {
                let place = self.place(place);
                Bound::Place(self.fixed(place))
            }
            Argument::Value(value) => {
                let (value, ty) = (self.expr(value), value.ty.clone());
                let local = self.temporary(ty);
                self.push(StatementKind::Let(local, value));
                Bound::Local(local)
            }
        }
    }

    /// Inlines the statements of a function, followed by the use of its result.
    fn returned(&mut self, block: Block, into: Option<LocalId>) {
        let mut plain = Returns { into, left: None, asked: false };
        let straight = plain.rewrite(block.clone(), false);
        if !plain.asked {
            self.out.extend(straight);
            return;
        }
        let left = self.temporary(Type::Bool);
        self.push(StatementKind::Let(left, truth(0, self.span)));
        let rewritten = Returns { into, left: Some(left), asked: false }.rewrite(block, false);
        self.out.extend(rewritten);
    }
}

fn truth(value: u64, span: Span) -> Expr {
    Expr::new(ExprKind::Const(value), Type::Bool, span)
}

/// Turns `return` into going on behind the function's statements.
struct Returns {
    into: Option<LocalId>,
    /// Records whether the function has returned, if no branch determines it.
    left: Option<LocalId>,
    /// `left` is needed.
    asked: bool,
}

impl Returns {
    fn rewrite(&mut self, block: Block, in_loop: bool) -> Block {
        let mut out: Block = Vec::new();
        let mut statements = block.into_iter();
        while let Some(statement) = statements.next() {
            let span = statement.span;
            match statement.kind {
                StatementKind::Return(value) => {
                    out.extend(self.into.zip(value).map(|(into, value)| StatementKind::Let(into, value).at(span)));
                    out.extend(self.left.map(|left| StatementKind::Let(left, truth(1, span)).at(span)));
                    out.extend(in_loop.then(|| StatementKind::Break.at(span)));
                    return out;
                }
                StatementKind::If { condition, likely, mut then, mut otherwise }
                    if returns(&then) || returns(&otherwise) =>
                {
                    let rest: Block = statements.collect();
                    let known = if leaves(&then) {
                        otherwise.extend(rest);
                        None
                    } else if leaves(&otherwise) {
                        then.extend(rest);
                        None
                    } else {
                        Some(rest)
                    };
                    let (then, otherwise) = (self.rewrite(then, in_loop), self.rewrite(otherwise, in_loop));
                    out.push(StatementKind::If { condition, likely, then, otherwise }.at(span));
                    out.extend(known.and_then(|rest| self.unless_left(rest, in_loop, span)));
                    return out;
                }
                StatementKind::Loop { bound, body } if returns(&body) => {
                    out.push(StatementKind::Loop { bound, body: self.rewrite(body, true) }.at(span));
                    out.extend(self.unless_left(statements.collect(), in_loop, span));
                    return out;
                }
                StatementKind::For { variable, from, to, bound, body } if returns(&body) => {
                    out.push(StatementKind::For { variable, from, to, bound, body: self.rewrite(body, true) }.at(span));
                    out.extend(self.unless_left(statements.collect(), in_loop, span));
                    return out;
                }
                StatementKind::Each { walk, bound, body } if returns(&body) => {
                    out.push(StatementKind::Each { walk, bound, body: self.rewrite(body, true) }.at(span));
                    out.extend(self.unless_left(statements.collect(), in_loop, span));
                    return out;
                }
                kind => out.push(kind.at(span)),
            }
        }
        out
    }

    /// What follows a statement in which the function may have returned.
    fn unless_left(&mut self, rest: Block, in_loop: bool, span: Span) -> Option<Statement> {
        if rest.is_empty() && !in_loop {
            return None;
        }
        self.asked = true;
        let then = if in_loop { vec![StatementKind::Break.at(span)] } else { Vec::new() };
        let otherwise = self.rewrite(rest, in_loop);
        let condition = match self.left {
            Some(left) => Expr::new(ExprKind::Local(left), Type::Bool, span),
            None => truth(0, span),
        };
        Some(StatementKind::If { condition, likely: None, then, otherwise }.at(span))
    }
}

/// Whether a block may return.
fn returns(block: &[Statement]) -> bool {
    block.any_statement(|s| matches!(s.kind, StatementKind::Return(_)))
}

/// Whether the statements after a block are unreachable.
fn leaves(block: &[Statement]) -> bool {
    match block.last().map(|s| &s.kind) {
        Some(StatementKind::Return(_) | StatementKind::Reject) => true,
        Some(StatementKind::If { then, otherwise, .. }) => leaves(then) && leaves(otherwise),
        _ => false,
    }
}
