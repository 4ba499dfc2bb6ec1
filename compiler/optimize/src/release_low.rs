//! `release(n)` becomes `release_low()` where `n` is the number after `low`, which is likely; the general operation
//! remains for all other numbers.
//!
//! A window that sends releases an entry for each acknowledgement, and most acknowledgements follow one another. Back
//! ends write `release_low` in place, as a few instructions without a loop.
//!
//! ```text
//! release sent(n)
//!
//! let number = n
//! if likely number == sent.low + 1 { release_low sent() } else { release sent(number) }
//! ```
//!
//! **Why behaviour is unchanged.** [`Operation::ReleaseLow`] is defined as `release(low + 1)`, so both branches are the
//! operation that was there, with the same results. The number is evaluated once, into a local of its own, before the
//! window changes. The condition is pure. It reads the place once more, so only places without an index on the way are
//! rewritten: an index would be evaluated twice.

use nacre_stack::visit::{rewrite_block, Rewriter};
use nacre_stack::*;

use crate::calls::Decision;

/// Rewrites all such operations in handlers and functions. Nothing is reported: the operation is in the text of the
/// stack IR.
pub fn split(stack: &mut Stack) -> Vec<Decision> {
    let handlers = stack.handlers.iter_mut().map(|handler| (&mut handler.body, &mut handler.locals));
    let functions = stack.functions.iter_mut().map(|function| (&mut function.body, &mut function.locals));
    for (body, locals) in handlers.chain(functions) {
        Split { locals }.block(body);
    }
    number(stack);
    vec![]
}

struct Split<'l> {
    locals: &'l mut Vec<Local>,
}

impl Rewriter for Split<'_> {
    fn block(&mut self, block: &mut Block) {
        rewrite_block(self, block);
        *block = std::mem::take(block).into_iter().flat_map(|statement| self.statements(statement)).collect();
    }
}

impl Split<'_> {
    /// The statements for one statement.
    fn statements(&mut self, statement: Statement) -> Block {
        let StatementKind::Operate(release) = &statement.kind else { return vec![statement] };
        let has_index = release.place.path.iter().any(|step| matches!(step, Step::Index(_)));
        let Type::Window(_, _, bits) = release.place.ty else { return vec![statement] };
        if release.operation != Operation::Release || has_index {
            return vec![statement];
        }
        let like = |kind| Statement { kind, ..statement.clone() };
        let (evaluated, number) = self.simple(&release.arguments[0]);
        let low = Operate { operation: Operation::ReleaseLow, arguments: vec![], ..release.clone() };
        let any = Operate { arguments: vec![number.clone()], ..release.clone() };
        let branch = StatementKind::If {
            condition: follows_low(&release.place, bits, number),
            likely: Some(true),
            then: vec![like(StatementKind::Operate(low))],
            otherwise: vec![like(StatementKind::Operate(any))],
        };
        evaluated.into_iter().chain([branch]).map(like).collect()
    }

    /// An expression that can be repeated, and the statement that evaluates the given one for it.
    fn simple(&mut self, e: &Expr) -> (Option<StatementKind>, Expr) {
        if matches!(e.kind, ExprKind::Local(_) | ExprKind::Const(_)) {
            return (None, e.clone());
        }
        let local = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: "number".into(), ty: e.ty.clone(), by_ref: false });
        let read = Expr::new(ExprKind::Local(local), e.ty.clone(), e.span);
        (Some(StatementKind::Let(local, e.clone())), read)
    }
}

/// `number == low + 1`
fn follows_low(window: &Place, bits: u8, number: Expr) -> Expr {
    let (ty, span) = (Type::Seq(bits), number.span);
    let low = ExprKind::Query(Query::Low, Box::new(window.clone()), vec![]);
    let [low, one] = [low, ExprKind::Const(1)].map(|kind| Box::new(Expr::new(kind, ty.clone(), span)));
    let next = Expr::new(ExprKind::Binary(BinaryOp::Add, low, one), ty, span);
    Expr::new(ExprKind::Binary(BinaryOp::Equal, Box::new(number), Box::new(next)), Type::Bool, span)
}
