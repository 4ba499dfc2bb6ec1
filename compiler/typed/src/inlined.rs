//! Functions of a filter: put in where they are called, as a filter has no code but its own.

use std::collections::HashMap;

use nacre_diagnostics::Span;
use nacre_stack::visit::Traverse;
use nacre_stack::{Block, Expr, ExprKind, LocalId, Statement, StatementKind, Type};
use nacre_syntax::ast;

use crate::body::{Binding, Body, Context, Value};
use crate::calls::Outcome;
use crate::expressions::make;

/// Calls in one filter, at the most, those in calls included.
const MOST_CALLS: usize = 256;

/// The functions of the filter that a body belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterFunctions {
    pub declared: Vec<ast::Function>,
    /// The names of the filter's state: all that a function sees beside its parameters.
    pub state: HashMap<String, Binding>,
    /// Those that are being put in.
    inside: Vec<String>,
    calls: usize,
}

impl FilterFunctions {
    pub fn new(declared: Vec<ast::Function>, state: HashMap<String, Binding>) -> Self {
        FilterFunctions { declared, state, inside: Vec::new(), calls: 0 }
    }
}

impl Body<'_, '_> {
    /// A call of a function of this filter; nothing if it has none of this name.
    pub fn filter_function(&mut self, name: &str, arguments: &[ast::Argument], span: Span) -> Option<Option<Outcome>> {
        let declared = self.filter.declared.iter().find(|f| f.name.name == name)?.clone();
        Some(self.put_in(&declared, arguments, span))
    }

    fn put_in(&mut self, f: &ast::Function, arguments: &[ast::Argument], span: Span) -> Option<Outcome> {
        let name = &f.name.name;
        if self.filter.inside.contains(name) {
            let help = "write it as a loop with a bound";
            self.error("T0100", format!("`{name}` calls itself"), f.name.span, "by way of what it calls", help);
            return None;
        }
        self.filter.calls += 1;
        if self.filter.calls > MOST_CALLS {
            let what = format!("a filter makes more than {MOST_CALLS} calls, with those that they make");
            self.error("T0115", what, span, "one more here", "");
            return None;
        }
        self.count_arguments(name, f.parameters.len(), arguments.len(), span)?;
        let bound = self.given(f, arguments)?;
        let result = match &f.result {
            Some(ty) => Some(self.cx.resolve(ty)?),
            None => None,
        };
        let into = result.as_ref().map(|ty| self.temporary(ty.clone()));
        if let (Some(into), Some(ty)) = (into, &result) {
            self.push(StatementKind::Let(into, make(ExprKind::Zero, ty.clone())));
        }
        let block = self.body_of(f, bound, result.clone());
        self.returned(block, into);
        Some(into.map_or(Outcome::Nothing, |id| Outcome::Value(Value::fixed(self.get(id)))))
    }

    /// The parameters, each bound to what it is given: a copy, or a place.
    fn given(&mut self, f: &ast::Function, arguments: &[ast::Argument]) -> Option<HashMap<String, Binding>> {
        self.cx.once(f.parameters.iter().map(|p| &p.name));
        let mut bound = HashMap::new();
        for (parameter, argument) in f.parameters.iter().zip(arguments) {
            let ty = self.cx.resolve(&parameter.ty)?;
            if self.cx.linear(&ty) || argument.by_ref != parameter.by_ref {
                let what = "`ref` at the call and in the declaration must agree, and filters hold no messages";
                self.error("T0070", what, argument.value.span, "", "");
                return None;
            }
            let binding = if parameter.by_ref {
                let place = self.changeable(&argument.value)?;
                if place.ty != ty {
                    let (have, want) = (self.show(&place.ty), self.show(&ty));
                    let what = format!("this is of type {have}, but {want} is wanted here");
                    self.error("T0033", what, argument.value.span, have, "");
                    return None;
                }
                Binding::Place { place: self.fixed(place), borrowed: false, entry: None }
            } else {
                let value = self.expr_as(&argument.value, &ty)?;
                let id = self.temporary(ty);
                self.push(StatementKind::Let(id, value));
                Binding::Local(id)
            };
            bound.insert(parameter.name.name.clone(), binding);
        }
        Some(bound)
    }

    /// The function's statements, in which it sees the state and its parameters alone.
    fn body_of(&mut self, f: &ast::Function, bound: HashMap<String, Binding>, result: Option<Type>) -> Block {
        let must_return = result.is_some();
        let yields = matches!(self.context, Context::Filter { yields: true, .. });
        let scopes = std::mem::replace(&mut self.scopes, vec![self.filter.state.clone(), bound]);
        let context = std::mem::replace(&mut self.context, Context::Filter { yields, function: Some(result) });
        let breaks = std::mem::take(&mut self.breaks);
        self.filter.inside.push(f.name.name.clone());
        let told = self.cx.found.len();
        let (block, ()) = self.block(|b| b.statements(&f.body));
        self.filter.inside.pop();
        if must_return && !self.flow.ended && self.cx.found.len() == told {
            let what = "this function does not return a value on every path";
            self.error("T0107", what, f.name.span, "it ends without one", "");
        }
        self.flow.ended = false;
        (self.scopes, self.context, self.breaks) = (scopes, context, breaks);
        block
    }

    /// Puts a function's statements here, where what it returns goes on behind them.
    fn returned(&mut self, block: Block, into: Option<LocalId>) {
        let mut plain = Returns { into, left: None, asked: false };
        let straight = plain.rewrite(block.clone(), false);
        if !plain.asked {
            self.out.extend(straight);
            return;
        }
        let left = self.temporary(Type::Bool);
        self.push(StatementKind::Let(left, truth(0)));
        let rewritten = Returns { into, left: Some(left), asked: false }.rewrite(block, false);
        self.out.extend(rewritten);
    }
}

fn truth(value: u64) -> Expr {
    make(ExprKind::Const(value), Type::Bool)
}

/// Turns `return` into going on behind the function's statements.
struct Returns {
    into: Option<LocalId>,
    /// Says whether the function has returned, where no branch tells.
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
                    out.extend(self.left.map(|left| StatementKind::Let(left, truth(1)).at(span)));
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
            Some(left) => make(ExprKind::Local(left), Type::Bool),
            None => truth(0),
        };
        Some(StatementKind::If { condition, likely: None, then, otherwise }.at(span))
    }
}

/// Whether a block may return.
fn returns(block: &[Statement]) -> bool {
    block.any_statement(|s| matches!(s.kind, StatementKind::Return(_)))
}

/// Whether a block never goes on to what stands behind it.
fn leaves(block: &[Statement]) -> bool {
    match block.last().map(|s| &s.kind) {
        Some(StatementKind::Return(_) | StatementKind::Reject) => true,
        Some(StatementKind::If { then, otherwise, .. }) => leaves(then) && leaves(otherwise),
        _ => false,
    }
}
