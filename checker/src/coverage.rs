//! Coverage of a search: the handlers and branches that no run executed.

use std::collections::{BTreeSet, HashSet};

use nacre_stack::interpret::Covered;
use nacre_stack::visit::{walk_block, walk_expr, walk_statement, Traverse, Visitor};
use nacre_stack::{Admission, BinaryOp, Expr, ExprKind};
use nacre_stack::{HandlerId, LayerId, NodeId, Span, Stack, Statement, StatementKind};
use nacre_worlds::world::World;

/// A handler, or a branch in one, that no run executed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unvisited {
    pub layer: LayerId,
    /// The handler or function.
    pub code: String,
    /// The start of the branch, or of what follows a statement that always left; none: the whole handler.
    pub branch: Option<Span>,
}

/// Returns the handlers and branches that can run in worlds of one source, and that no run of any of them executed. Of
/// nested branches only the outermost is listed. A branch with `impossible` or `unreachable` is not expected to run.
pub fn unvisited_in_all(worlds: &[(&World, &Covered)]) -> Vec<Unvisited> {
    let lists: Vec<Vec<Nested>> = worlds.iter().map(|(world, covered)| nested(world, covered)).collect();
    let in_all = |one: &Unvisited| lists.iter().all(|list| list.iter().any(|other| other.is == *one));
    let is_outermost = |one: &&Nested| !one.within.iter().any(&in_all);
    let first = lists.first().map(Vec::as_slice).unwrap_or_default();
    first.iter().filter(|one| in_all(&one.is)).filter(is_outermost).map(|one| one.is.clone()).collect()
}

/// With the handlers and branches around it that no run executed either.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Nested {
    is: Unvisited,
    within: Vec<Unvisited>,
}

/// All handlers and branches that no run of a world executed, nested ones too.
fn nested(world: &World, covered: &Covered) -> Vec<Nested> {
    let stack = world.setup.stack();
    let mut found = vec![];
    let runnable = world.runnable();
    // A function that is inlined in several places has its code in each.
    let elsewhere = &covered_spans(stack, covered);
    for (at, handler) in stack.handlers.iter().enumerate() {
        let id = HandlerId(at as u32);
        if !runnable.contains(&id) {
            continue;
        }
        let (layer, code) = (handler.layer, &handler.name);
        let mut within = vec![];
        if !covered.has_run(id) {
            let is = Unvisited { layer, code: code.clone(), branch: None };
            found.push(Nested { is: is.clone(), within: vec![] });
            within.push(is);
        }
        Branches { layer, code, covered, functions: &stack.functions, elsewhere, within, found: &mut found }
            .of(&handler.body);
    }
    for function in functions(stack, covered) {
        let (layer, code, within) = (function.layer, &function.name, vec![]);
        Branches { layer, code, covered, functions: &stack.functions, elsewhere, within, found: &mut found }
            .of(&function.body);
    }
    found.sort();
    found.dedup();
    found
}

/// Returns where the executed statements are.
fn covered_spans(stack: &Stack, covered: &Covered) -> HashSet<Span> {
    let mut executed = Executed { covered, spans: HashSet::new() };
    stack.accept(&mut executed);
    executed.spans
}

struct Executed<'a> {
    covered: &'a Covered,
    spans: HashSet<Span>,
}

impl<'a> Visitor<'a> for Executed<'_> {
    fn statement(&mut self, statement: &'a Statement) {
        if self.covered.statements.contains(&statement.id) {
            self.spans.insert(statement.span);
        }
        walk_statement(self, statement);
    }
}

/// A statement, or an operand of `&&` or `||`, and what a search saw of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Whether it was executed.
    Statement(bool),
    /// Whether it was false, and whether it was true, while the other operands left the result to it.
    Operand([bool; 2]),
}

/// Returns what a search saw of the statements and conditions of some layers. Code that reports an impossible state
/// need not run and is left out.
pub fn seen(stack: &Stack, wanted: &dyn Fn(LayerId) -> bool, covered: &Covered) -> Vec<(Span, Seen)> {
    let mut found = Found { covered, seen: vec![] };
    stack.handlers.iter().filter(|h| wanted(h.layer) && !h.passes).for_each(|h| found.block(&h.body));
    stack.functions.iter().filter(|f| wanted(f.layer)).for_each(|f| found.block(&f.body));
    let written = |a: &Admission| wanted(a.layer) && a.condition.span != stack.layer(a.layer).span;
    stack.admissions().filter(|(_, a)| written(a)).for_each(|(_, a)| found.expr(&a.condition));
    found.seen.retain(|(span, _)| *span != Span::default());
    found.seen
}

struct Found<'a> {
    covered: &'a Covered,
    seen: Vec<(Span, Seen)>,
}

impl<'a> Visitor<'a> for Found<'_> {
    fn block(&mut self, block: &'a [Statement]) {
        if !block.iter().any(is_error) {
            walk_block(self, block);
        }
    }

    fn statement(&mut self, statement: &'a Statement) {
        self.seen.push((statement.span, Seen::Statement(self.covered.statements.contains(&statement.id))));
        walk_statement(self, statement);
    }

    fn expr(&mut self, expr: &'a Expr) {
        if let ExprKind::Binary(op, first, last) = &expr.kind {
            let inner = matches!(&first.kind, ExprKind::Binary(other, ..) if other == op);
            let own = [Some(last), (!inner).then_some(first)];
            let is_condition = *op == BinaryOp::Both || *op == BinaryOp::Either;
            for operand in own.into_iter().flatten().filter(|_| is_condition) {
                let was = [false, true].map(|value| self.covered.decided.contains(&(operand.id, value)));
                self.seen.push((operand.span, Seen::Operand(was)));
            }
        }
        walk_expr(self, expr);
    }
}

/// The functions that were called.
fn functions<'s>(stack: &'s Stack, covered: &'s Covered) -> impl Iterator<Item = &'s nacre_stack::Function> {
    stack.functions.iter().filter(|f| f.body.first().is_some_and(|first| covered.statements.contains(&first.id)))
}

struct Branches<'a> {
    layer: LayerId,
    code: &'a str,
    covered: &'a Covered,
    functions: &'a [nacre_stack::Function],
    /// Where the executed statements are.
    elsewhere: &'a HashSet<Span>,
    /// What was not executed around this code.
    within: Vec<Unvisited>,
    found: &'a mut Vec<Nested>,
}

impl Branches<'_> {
    /// Whether a statement calls a function that reports an impossible state.
    fn reports(&self, statement: &Statement) -> bool {
        let StatementKind::Call { function, .. } = &statement.kind else { return false };
        self.functions[function.index()].body.iter().any(is_error)
    }

    /// Examines a block: what was executed of it, and what never was, because a run always left before.
    fn of(&mut self, body: &[Statement]) {
        let is_new = |statement: &Statement| !self.covered.statements.contains(&statement.id);
        let (executed, rest) = body.split_at(body.iter().position(is_new).unwrap_or(body.len()));
        executed.iter().for_each(|statement| self.statement(statement));
        // What the compiler has put in front is nowhere, or where something else was executed.
        let is_own = |span: &Span| *span != Span::default() && !self.elsewhere.contains(span);
        let start = rest.iter().map(|statement| statement.span).find(is_own);
        if start.is_none() || rest.iter().any(is_error) || rest.iter().any(|s| self.reports(s)) {
            return;
        }
        let is = Unvisited { layer: self.layer, code: self.code.to_string(), branch: start };
        self.found.push(Nested { is: is.clone(), within: self.within.clone() });
        self.within.push(is);
        rest.iter().for_each(|statement| self.statement(statement));
        self.within.pop();
    }
}

impl<'a> Visitor<'a> for Branches<'_> {
    fn block(&mut self, block: &'a [Statement]) {
        self.of(block);
    }
}

/// Whether a statement reports an impossible state.
fn is_error(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Impossible | StatementKind::Unreachable)
}

/// Returns the places of random draws of which the search did not try every value, and which affect more than the
/// durations of timers, or with a clock these. `partial`: those of [`crate::endpoints::Endpoints::partial`].
pub fn undrawn(stack: &Stack, partial: &BTreeSet<NodeId>, has_clock: bool) -> Vec<Span> {
    if partial.is_empty() || !has_clock && nacre_analysis::timing::draws(stack).is_empty() {
        return vec![];
    }
    let mut spans = vec![];
    nacre_analysis::random::draws_of_effect(stack, has_clock, |statement, _| {
        if partial.contains(&statement.id) {
            spans.push(statement.span);
        }
    });
    spans.sort();
    spans.dedup();
    spans
}
