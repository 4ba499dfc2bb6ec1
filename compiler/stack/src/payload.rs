//! Who reads what messages say. A layer that only copies payload behaves the same for any contents, so that a search with
//! messages that are all different speaks for all others (data independence, Wolper 1986).

use crate::*;

/// Layers whose behaviour can depend on the bytes of messages of the layers above, and in which way; each layer once.
pub fn readers(stack: &Stack) -> Vec<(String, &'static str)> {
    let mut found: Vec<(String, &'static str)> = vec![];
    let bodies =
        stack.handlers.iter().map(|h| (h.layer, &h.body)).chain(stack.functions.iter().map(|f| (f.layer, &f.body)));
    for (layer, body) in bodies {
        let mut note = |what| {
            let name = &stack.layer(layer).name;
            if !found.iter().any(|(known, _)| known == name) {
                found.push((name.clone(), what));
            }
        };
        block(body, &mut note);
    }
    found
}

fn block(body: &[Statement], note: &mut dyn FnMut(&'static str)) {
    for statement in body {
        match &statement.kind {
            StatementKind::Let(_, e)
            | StatementKind::Store(_, e)
            | StatementKind::Drop(e)
            | StatementKind::Assert(e, _) => expr(e, note),
            StatementKind::Return(Some(e)) | StatementKind::Count(_, e) | StatementKind::Fit { value: e, .. } => {
                expr(e, note)
            }
            StatementKind::If { condition, then, otherwise, .. } => {
                expr(condition, note);
                block(then, note);
                block(otherwise, note);
            }
            StatementKind::Loop { body, .. } | StatementKind::Each { body, .. } => block(body, note),
            StatementKind::For { from, to, body, .. } => {
                expr(from, note);
                expr(to, note);
                block(body, note);
            }
            StatementKind::Call { arguments, .. } => arguments.iter().for_each(|a| {
                if let Argument::Value(e) = a {
                    expr(e, note);
                }
            }),
            StatementKind::CallExtern { .. } => note("hands messages to an extern"),
            StatementKind::Operate(o) => o.arguments.iter().for_each(|e| expr(e, note)),
            StatementKind::Emit(emit) => emit.arguments.iter().for_each(|e| expr(e, note)),
            StatementKind::Filter { .. } => note("runs a filter over messages"),
            _ => {}
        }
    }
}

fn expr(e: &Expr, note: &mut dyn FnMut(&'static str)) {
    match &e.kind {
        ExprKind::View(_) | ExprKind::PackView(..) => note("reads what messages say"),
        ExprKind::Through(..) => note("runs a filter over messages"),
        ExprKind::Unary(_, a)
        | ExprKind::Convert(a)
        | ExprKind::Some(a)
        | ExprKind::IsSome(a)
        | ExprKind::Unwrap(a) => expr(a, note),
        ExprKind::Field(a, _)
        | ExprKind::BytesOf(a)
        | ExprKind::Share(a)
        | ExprKind::Length(a)
        | ExprKind::Pack(_, a) => expr(a, note),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) | ExprKind::Rest(a, b) => {
            expr(a, note);
            expr(b, note);
        }
        ExprKind::MulDiv(a, b, c) | ExprKind::If(a, b, c) | ExprKind::Part(a, b, c) | ExprKind::Slice(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| expr(e, note));
        }
        ExprKind::Struct(parts) | ExprKind::Tuple(parts) | ExprKind::Array(parts) | ExprKind::Concat(parts) => {
            parts.iter().for_each(|e| expr(e, note));
        }
        ExprKind::Push(m, _, parts) => {
            expr(m, note);
            parts.iter().for_each(|e| expr(e, note));
        }
        ExprKind::Query(_, _, parts) | ExprKind::Extern(_, parts) => parts.iter().for_each(|e| expr(e, note)),
        _ => {}
    }
}
