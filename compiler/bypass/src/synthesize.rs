//! Bypasses of the paths of a stack.

use nacre_stack::*;
use nacre_symbolic::guide::Why;
use nacre_symbolic::Unsupported;

use crate::express::Express;
use crate::path::Path;
use crate::search::{detours, paths};

/// The most bypasses of one entry.
pub const MOST_OF_ONE: usize = 4;

/// Gives a stack bypasses for its common paths.
pub fn add_bypasses(stack: &mut Stack) {
    let mut all = vec![];
    for entry in Entry::all(stack) {
        for found in [paths(stack, entry).0, detours(stack, entry)] {
            all.extend(found.iter().filter_map(|path| bypass(stack, path).ok()).take(MOST_OF_ONE));
        }
    }
    stack.bypasses = all;
    number(stack);
}

/// The bypass of a path.
///
/// # Errors
/// What has no form in the code of a bypass.
pub fn bypass(stack: &Stack, path: &Path) -> Result<Bypass, Unsupported> {
    let record = &path.code.record;
    if let Some(why) = &record.refused {
        return Err(why.clone());
    }
    let mut express = Express::new(stack, path);
    // What is required holds wherever a bypass is asked: the call is admitted, the timer is due.
    let branches = path.branches.iter().filter(|branch| branch.why != Why::Required);
    let conditions = branches.map(|branch| express.condition(branch.holds, branch.span));
    let conditions = conditions.collect::<Result<Vec<Expr>, Unsupported>>()?;
    Ok(Bypass {
        entry: path.entry,
        condition: both(conditions),
        locals: record.locals.clone(),
        homes: record.homes.clone(),
        parameters: path.code.parameters.clone(),
        fields: path.code.fields.clone(),
        body: in_place(&record.body),
    })
}

/// What leaves is written where it leaves.
fn in_place(body: &Block) -> Block {
    let mut body = body.clone();
    for statement in &mut body {
        statement.in_place = matches!(&statement.kind, StatementKind::Emit(emit) if !emit.later);
    }
    body
}

fn both(conditions: Vec<Expr>) -> Expr {
    let always = Expr::new(ExprKind::Const(1), Type::Bool, Span::default());
    let joined = conditions.into_iter().reduce(|whole, one| {
        let span = one.span;
        Expr::new(ExprKind::Binary(BinaryOp::Both, Box::new(whole), Box::new(one)), Type::Bool, span)
    });
    joined.unwrap_or(always)
}
