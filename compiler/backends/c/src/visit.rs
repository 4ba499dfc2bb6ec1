//! Walks over statements and expressions.

use nacre_stack::*;

/// What a walk meets.
pub enum Node<'a> {
    Statement(&'a Statement),
    Expr(&'a Expr),
    Place(&'a Place),
    /// A local that a statement sets.
    Set(LocalId),
}

pub fn block<'a>(block: &'a [Statement], visit: &mut dyn FnMut(Node<'a>)) {
    block.iter().for_each(|s| statement(s, visit));
}

pub fn statement<'a>(statement: &'a Statement, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Statement(statement));
    own(statement, visit);
    blocks(statement).into_iter().for_each(|b| block(b, visit));
}

/// The blocks inside a statement.
pub fn blocks(statement: &Statement) -> Vec<&[Statement]> {
    match &statement.kind {
        StatementKind::If { then, otherwise, .. } => vec![then, otherwise],
        StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
            vec![body]
        }
        _ => vec![],
    }
}

/// All of a statement but the blocks inside it.
pub fn own<'a>(statement: &'a Statement, visit: &mut dyn FnMut(Node<'a>)) {
    match &statement.kind {
        StatementKind::Let(local, e) => {
            visit(Node::Set(*local));
            expr(e, visit);
        }
        StatementKind::Store(p, e) => {
            expr(e, visit);
            place(p, visit);
        }
        StatementKind::If { condition, .. } => expr(condition, visit),
        StatementKind::Loop { .. }
        | StatementKind::Break
        | StatementKind::Impossible
        | StatementKind::Unreachable
        | StatementKind::Reject => {}
        StatementKind::For { variable, from, to, .. } => {
            visit(Node::Set(*variable));
            expr(from, visit);
            expr(to, visit);
        }
        StatementKind::Each { walk, .. } => {
            place(&walk.over, visit);
            [walk.index, walk.key, walk.value].into_iter().flatten().for_each(|l| visit(Node::Set(l)));
            walk.from.iter().chain(&walk.to).for_each(|e| expr(e, visit));
        }
        StatementKind::Return(e) => e.iter().for_each(|e| expr(e, visit)),
        StatementKind::Call { into, arguments, .. } => {
            into.iter().for_each(|l| visit(Node::Set(*l)));
            for argument in arguments {
                match argument {
                    Argument::Value(e) => expr(e, visit),
                    Argument::Reference(p) => place(p, visit),
                }
            }
        }
        StatementKind::CallExtern { into, arguments, .. } => {
            into.iter().for_each(|l| visit(Node::Set(*l)));
            arguments.iter().for_each(|e| expr(e, visit));
        }
        StatementKind::Operate(o) => {
            [o.into, o.done, o.back].into_iter().flatten().for_each(|l| visit(Node::Set(l)));
            o.arguments.iter().for_each(|e| expr(e, visit));
            place(&o.place, visit);
        }
        StatementKind::Emit(emit) => emit.arguments.iter().for_each(|e| expr(e, visit)),
        StatementKind::Drop(e) | StatementKind::Count(_, e) | StatementKind::Assert(e, _) | StatementKind::Yield(e) => {
            expr(e, visit)
        }
        StatementKind::Arm { timer, delay, .. } => {
            expr(delay, visit);
            place(timer, visit);
        }
        StatementKind::Cancel(p) => place(p, visit),
        StatementKind::Fit { into, value } | StatementKind::Random { into, below: value } => {
            visit(Node::Set(*into));
            expr(value, visit);
        }
        StatementKind::Filter { into, input, .. } => {
            visit(Node::Set(*into));
            expr(input, visit);
        }
        StatementKind::Unpack { into, message, .. } => {
            visit(Node::Set(*into));
            expr(message, visit);
        }
        StatementKind::Join { into, parts, last } => {
            visit(Node::Set(*into));
            place(parts, visit);
            expr(last, visit);
        }
        StatementKind::Take { into, place: p } => {
            visit(Node::Set(*into));
            place(p, visit);
        }
    }
}

pub fn place<'a>(p: &'a Place, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Place(p));
    for step in &p.path {
        if let Step::Index(e) = step {
            expr(e, visit);
        }
    }
}

pub fn expr<'a>(e: &'a Expr, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Expr(e));
    let (inside, read) = operands(e);
    read.into_iter().for_each(|p| place(p, visit));
    inside.into_iter().for_each(|e| expr(e, visit));
}
