//! Removes time from a stack: sets every duration to 0, if this affects only when timers fire.

use nacre_analysis::timing;
use nacre_stack::visit::{rewrite_stack, ChangeExprs};
use nacre_stack::*;

use crate::refusal::Reason;
use crate::Refusal;

/// The stack without durations.
pub fn erase(stack: &Stack) -> Result<Stack, Vec<Refusal>> {
    let refusals: Vec<Refusal> = timing::reach(stack)
        .into_iter()
        .map(|leak| Refusal { layer: Some(leak.layer), reason: Reason::Time { code: leak.code, into: leak.into } })
        .collect();
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let mut erased = stack.clone();
    let zero = |e: &mut Expr| {
        if is_time(&e.ty) {
            e.kind = ExprKind::Const(0);
        }
    };
    rewrite_stack(&mut ChangeExprs(zero), &mut erased);
    number(&mut erased);
    Ok(erased)
}

fn is_time(ty: &Type) -> bool {
    matches!(ty, Type::Duration | Type::Instant)
}
