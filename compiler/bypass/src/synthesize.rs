//! Bypasses of the paths of a stack.

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;
use nacre_symbolic::guide::Why;
use nacre_symbolic::state::State;
use nacre_symbolic::terms::Terms;
use nacre_symbolic::Unsupported;

use crate::express::Express;
use crate::path::Path;
use crate::search::{search, MOST};

/// How many paths are turned into bypasses.
#[derive(Clone, Copy, Debug)]
pub struct Width {
    /// The most bypasses of one entry without unlikely sides, the most with one, and so on.
    of_one: &'static [usize],
    /// The most shapes of frames that have some.
    shapes: usize,
    /// Limits of the search: paths followed for one entry with a given number of unlikely sides, and for the stack.
    ways_of_one: usize,
    ways: usize,
}

/// The limits without a profile.
pub const USUAL: Width = Width { of_one: &[4, 4], shapes: 8, ways_of_one: MOST, ways: 1_024 };
/// The limits for candidates, from which a profile selects the common ones.
pub const WIDE: Width = Width { of_one: &[64, 64, 64], shapes: 12, ways_of_one: 1_024, ways: 16_384 };

/// No bypass is made of a stack whose state has more terms: each way makes them anew.
const MOST_TERMS: usize = 50_000;

/// Gives a stack bypasses for its common paths.
pub fn add_bypasses(stack: &mut Stack, width: &Width) {
    stack.bypasses = all_bypasses(stack, width);
    number(stack);
}

fn all_bypasses(stack: &Stack, width: &Width) -> Vec<Bypass> {
    let mut all = vec![];
    if terms_of_state(stack) > MOST_TERMS {
        return all;
    }
    let mut ways = width.ways;
    for entry in entries(stack, width) {
        for (unlikely, most) in (0..).zip(width.of_one.iter().copied()) {
            let mut found = 0;
            ways -= search(stack, entry, unlikely, width.ways_of_one.min(ways), &mut |way| {
                if let Some(bypass) = way.ok().and_then(|path| bypass(stack, &path).ok()) {
                    all.push(bypass);
                    found += 1;
                }
                found < most
            });
        }
    }
    all
}

fn terms_of_state(stack: &Stack) -> usize {
    let mut terms = Terms::new();
    State::of_all(stack, &mut terms);
    terms.count()
}

/// The entries that have bypasses: calls with a message, and frames of the first shapes that do not identify their
/// connection. Timers and other calls are rare.
fn entries(stack: &Stack, width: &Width) -> Vec<Entry> {
    let is_common = |entry: &Entry| match *entry {
        Entry::Timer(_) => false,
        Entry::Call(..) => entry.event(stack).is_some_and(|event| stack.event(event).message.is_some()),
        Entry::Frame(port, at) => {
            let layout = stack.ports[port.index()].frames.map(|layout| &stack.layouts[layout.index()]);
            layout.is_some_and(|layout| !layout.shapes[at].identified && at < width.shapes)
        }
    };
    Entry::all(stack).into_iter().filter(is_common).collect()
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
    // What is required holds wherever a bypass is asked: the call is admitted.
    let branches = path.branches.iter().filter(|branch| branch.why != Why::Required);
    let conditions = branches.map(|branch| express.condition(branch.holds, branch.span));
    let mut conditions = conditions.collect::<Result<Vec<Expr>, Unsupported>>()?;
    // What reads bytes is asked last.
    conditions.sort_by_key(reads_bytes);
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

/// Whether a condition runs a filter, or a function of the host.
fn reads_bytes(condition: &Expr) -> bool {
    condition.any(|node| matches!(node, Node::Expr(Expr { kind: ExprKind::Through(..) | ExprKind::Extern(..), .. })))
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
