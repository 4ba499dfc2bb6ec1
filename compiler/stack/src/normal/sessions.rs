//! A layer of several sessions becomes a layer of one: its cells become arrays, which its code indexes by the session
//! that the event names.

use crate::visit::{rewrite_expr, rewrite_place, rewrite_statement, Rewriter};
use crate::*;

/// Makes arrays of the cells of all layers with several sessions.
pub fn rewrite(stack: &mut Stack) {
    let before = &stack.clone();
    let several = |layer: LayerId| before.layer(layer).sessions > 1;
    for handler in stack.handlers.iter_mut().filter(|handler| several(handler.layer)) {
        if let Some(local) = before.session_local(handler) {
            Indexer::by_local(before, handler.layer, local).block(&mut handler.body);
        }
    }
    for function in stack.functions.iter_mut().filter(|function| several(function.layer)) {
        let local = LocalId(function.locals.len() as u32);
        let ty = Type::Range(0, before.layer(function.layer).sessions.into());
        function.locals.push(Local { name: "session".into(), ty, by_ref: false });
        function.parameters.push(local);
        Indexer::by_local(before, function.layer, local).block(&mut function.body);
    }
    let inputs = stack.ports.iter_mut().flat_map(|port| &mut port.inputs);
    let at_ports = inputs.flat_map(|PortInput { event, admissions, .. }| admissions.iter_mut().map(|a| (*event, a)));
    let reactions = stack.layers.iter_mut().flat_map(|layer| &mut layer.reactions);
    let at_layers = reactions.flat_map(|Reaction { event, accepts, .. }| accepts.iter_mut().map(|a| (*event, a)));
    for (event, admission) in at_ports.chain(at_layers).filter(|(_, admission)| several(admission.layer)) {
        let local = LocalId(before.event(event).session.unwrap_or_default());
        Indexer::by_local(before, admission.layer, local).expr(&mut admission.condition);
    }
    for timer in &mut stack.timers {
        timer.path = before.timer_path(timer).into_owned();
    }
    for (cell, id) in stack.cells.iter_mut().zip((0..).map(CellId)) {
        if before.copies(id) > 1 {
            copy_cell(before, id, cell);
        }
    }
    for (layer, id) in stack.layers.iter_mut().zip((0..).map(LayerId)) {
        copy_conditions(before, id, layer);
        layer.sessions = 1;
    }
}

/// A cell with the values of all sessions, the first of each drawn in their order.
fn copy_cell(before: &Stack, id: CellId, cell: &mut Cell) {
    let declared = before.cell(id);
    (cell.locals, cell.draws) = (vec![], vec![]);
    cell.ty = before.whole_type(id).into_owned();
    let Some(initial) = &declared.initial else { return };
    let mut values = vec![];
    for session in 0..before.copies(id) {
        let mut at = Indexer::by_number(before, cell.layer, session, initial.span);
        let mut shift = Shift(cell.locals.len() as u32);
        let (mut draws, mut value) = (declared.draws.clone(), initial.clone());
        at.block(&mut draws);
        at.expr(&mut value);
        shift.block(&mut draws);
        shift.expr(&mut value);
        cell.locals.extend(declared.locals.iter().cloned());
        cell.draws.extend(draws);
        values.push(value);
    }
    cell.initial = Some(Expr::new(ExprKind::Array(values), cell.ty.clone(), initial.span));
}

/// Invariants and goals hold in every session.
fn copy_conditions(before: &Stack, id: LayerId, layer: &mut Layer) {
    let in_session = |condition: &Expr, session: u32| {
        let mut copy = condition.clone();
        Indexer::by_number(before, id, session, condition.span).expr(&mut copy);
        copy
    };
    let declared = before.layer(id);
    if declared.sessions == 1 {
        return;
    }
    let sessions = || 0..declared.sessions;
    layer.invariants = sessions().flat_map(|s| declared.invariants.iter().map(move |i| in_session(i, s))).collect();
    let goal = |goal: &Goal, s| Goal { name: format!("{}_{s}", goal.name), holds: in_session(&goal.holds, s) };
    layer.goals = sessions().flat_map(|s| declared.goals.iter().map(move |g| goal(g, s))).collect();
}

/// Puts the session before the path into each cell that has several copies, and behind the arguments of each call.
struct Indexer<'s> {
    stack: &'s Stack,
    session: Expr,
}

impl<'s> Indexer<'s> {
    fn by_local(stack: &'s Stack, layer: LayerId, local: LocalId) -> Indexer<'s> {
        Indexer::new(stack, layer, ExprKind::Local(local), Span::default())
    }

    fn by_number(stack: &'s Stack, layer: LayerId, session: u32, span: Span) -> Indexer<'s> {
        Indexer::new(stack, layer, ExprKind::Const(session.into()), span)
    }

    fn new(stack: &'s Stack, layer: LayerId, kind: ExprKind, span: Span) -> Indexer<'s> {
        let ty = Type::Range(0, stack.layer(layer).sessions.into());
        Indexer { stack, session: Expr::new(kind, ty, span) }
    }
}

impl Rewriter for Indexer<'_> {
    fn statement(&mut self, statement: &mut Statement) {
        rewrite_statement(self, statement);
        if let StatementKind::Call { arguments, .. } = &mut statement.kind {
            arguments.push(Argument::Value(self.session.clone()));
        }
    }

    fn place(&mut self, place: &mut Place) {
        rewrite_place(self, place);
        if matches!(place.root, Root::Cell(cell) if self.stack.copies(cell) > 1) {
            place.path.insert(0, Step::Index(self.session.clone()));
        }
    }
}

/// Gives the locals of a copied initial value numbers of their own.
struct Shift(u32);

impl Rewriter for Shift {
    fn set(&mut self, local: &mut LocalId) {
        local.0 += self.0;
    }

    fn place(&mut self, place: &mut Place) {
        rewrite_place(self, place);
        if let Root::Local(local) = &mut place.root {
            local.0 += self.0;
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        rewrite_expr(self, expr);
        if let ExprKind::Local(local) = &mut expr.kind {
            local.0 += self.0;
        }
    }
}
