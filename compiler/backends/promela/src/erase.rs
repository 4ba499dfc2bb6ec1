//! Takes the time out of a stack: every duration becomes 0, if that changes nothing but when timers fire.

use nacre_analysis::timing;
use nacre_stack::*;

use crate::Refusal;

/// The stack without durations.
pub fn erase(stack: &Stack) -> Result<Stack, Vec<Refusal>> {
    let refusals: Vec<Refusal> = timing::reach(stack)
        .into_iter()
        .map(|leak| Refusal {
            layer: Some(leak.layer),
            what: format!("a time decides more than when a timer fires: in `{}` it reaches {}", leak.code, leak.into),
        })
        .collect();
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let mut erased = stack.clone();
    each_expression(&mut erased, &mut |e| {
        if is_time(&e.ty) {
            e.kind = ExprKind::Const(0);
        }
    });
    Ok(erased)
}

fn is_time(ty: &Type) -> bool {
    matches!(ty, Type::Duration | Type::Instant)
}

/// Calls `change` for every expression, the outer first.
fn each_expression(stack: &mut Stack, change: &mut dyn FnMut(&mut Expr)) {
    for cell in &mut stack.cells {
        block(&mut cell.draws, change);
        cell.initial.iter_mut().for_each(|e| expression(e, change));
    }
    for handler in &mut stack.handlers {
        block(&mut handler.body, change);
    }
    for function in &mut stack.functions {
        block(&mut function.body, change);
    }
    for filter in &mut stack.filters {
        filter.initial.iter_mut().flatten().chain(&mut filter.result).for_each(|e| expression(e, change));
        block(&mut filter.body, change);
        block(&mut filter.end, change);
    }
    let invariants = stack.layers.iter_mut().flat_map(|l| &mut l.invariants);
    invariants.for_each(|e| expression(e, change));
    let admissions = stack.ports.iter_mut().flat_map(|p| &mut p.inputs).flat_map(|i| &mut i.admissions);
    admissions.for_each(|a| expression(&mut a.condition, change));
}

fn block(statements: &mut Block, change: &mut dyn FnMut(&mut Expr)) {
    for s in statements {
        statement(s, change);
    }
}

fn statement(s: &mut Statement, change: &mut dyn FnMut(&mut Expr)) {
    let mut each = |e: &mut Expr| expression(e, change);
    match &mut s.kind {
        StatementKind::Let(_, e) | StatementKind::Drop(e) | StatementKind::Yield(e) | StatementKind::Count(_, e) => {
            each(e)
        }
        StatementKind::Assert(e, _) | StatementKind::Fit { value: e, .. } | StatementKind::Random { below: e, .. } => {
            each(e)
        }
        StatementKind::Filter { input: e, .. } | StatementKind::Unpack { message: e, .. } => each(e),
        StatementKind::Store(at, e)
        | StatementKind::Arm { timer: at, delay: e, .. }
        | StatementKind::Join { parts: at, last: e, .. } => {
            each(e);
            place(at, change);
        }
        StatementKind::Return(e) => e.iter_mut().for_each(each),
        StatementKind::If { condition, then, otherwise, .. } => {
            each(condition);
            block(then, change);
            block(otherwise, change);
        }
        StatementKind::Loop { body, .. } => block(body, change),
        StatementKind::For { from, to, body, .. } => {
            each(from);
            each(to);
            block(body, change);
        }
        StatementKind::Each { walk, body, .. } => {
            walk.from.iter_mut().chain(&mut walk.to).for_each(each);
            place(&mut walk.over, change);
            block(body, change);
        }
        StatementKind::Call { arguments, .. } => {
            for argument in arguments {
                match argument {
                    Argument::Value(e) => expression(e, change),
                    Argument::Reference(at) => place(at, change),
                }
            }
        }
        StatementKind::CallExtern { arguments, .. } => arguments.iter_mut().for_each(each),
        StatementKind::Operate(operate) => {
            operate.arguments.iter_mut().for_each(each);
            place(&mut operate.place, change);
        }
        StatementKind::Emit(emit) => emit.arguments.iter_mut().for_each(each),
        StatementKind::Cancel(at) | StatementKind::Take { place: at, .. } => place(at, change),
        StatementKind::Break | StatementKind::Impossible | StatementKind::Unreachable | StatementKind::Reject => {}
    }
}

fn place(at: &mut Place, change: &mut dyn FnMut(&mut Expr)) {
    for step in &mut at.path {
        if let Step::Index(e) = step {
            expression(e, change);
        }
    }
}

fn expression(e: &mut Expr, change: &mut dyn FnMut(&mut Expr)) {
    change(e);
    match &mut e.kind {
        ExprKind::Load(at) | ExprKind::Borrow(at) => place(at, change),
        ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Some(a) | ExprKind::IsSome(a) => expression(a, change),
        ExprKind::Unwrap(a) | ExprKind::Field(a, _) | ExprKind::BytesOf(a) | ExprKind::View(a) => expression(a, change),
        ExprKind::Through(_, a) | ExprKind::Share(a) | ExprKind::Length(a) | ExprKind::Pack(_, a) => {
            expression(a, change)
        }
        ExprKind::PackView(_, a) => expression(a, change),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) | ExprKind::Rest(a, b) => {
            expression(a, change);
            expression(b, change);
        }
        ExprKind::MulDiv(a, b, c) | ExprKind::If(a, b, c) | ExprKind::Part(a, b, c) | ExprKind::Slice(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| expression(e, change));
        }
        ExprKind::Struct(es) | ExprKind::Tuple(es) | ExprKind::Array(es) | ExprKind::Concat(es) => {
            es.iter_mut().for_each(|e| expression(e, change));
        }
        ExprKind::Extern(_, es) => es.iter_mut().for_each(|e| expression(e, change)),
        ExprKind::Push(m, _, es) => {
            expression(m, change);
            es.iter_mut().for_each(|e| expression(e, change));
        }
        ExprKind::Query(_, at, es) => {
            place(at, change);
            es.iter_mut().for_each(|e| expression(e, change));
        }
        ExprKind::Const(_) | ExprKind::Literal(_) | ExprKind::Zero | ExprKind::Local(_) | ExprKind::None => {}
        ExprKind::Now | ExprKind::Fingerprint | ExprKind::Room | ExprKind::Empty => {}
    }
}
