//! Bypasses of the paths of a stack.

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;
use nacre_symbolic::guide::Why;
use nacre_symbolic::state::State;
use nacre_symbolic::terms::Terms;
use nacre_symbolic::Unsupported;

use crate::express::Express;
use crate::opening::{locals_of, Opened};
use crate::path::{Code, Path};
use crate::search::{followed, search, MOST};

/// The most bypasses of one entry without unlikely sides, and with one.
const OF_ONE: [usize; 2] = [4, 4];
/// The most shapes of frames that have some.
const SHAPES: usize = 8;
/// The most ways that the search follows in a stack.
const WAYS: usize = 1_024;

/// The place of the bypass of a way; or why it has none, and in which handler that was found.
pub type Made = Result<usize, (Unsupported, String)>;

/// No bypass is made of a stack whose state has more terms: each way makes them anew.
const MOST_TERMS: usize = 50_000;

/// Gives a stack bypasses for its common paths.
pub fn add_bypasses(stack: &mut Stack) {
    stack.bypasses = all_bypasses(stack);
    number(stack);
}

/// Gives a stack bypasses for ways that events have taken, in their order; two ways can have one bypass.
pub fn add_bypasses_of(stack: &mut Stack, ways: &[Way]) -> Vec<Made> {
    let mut all: Vec<Bypass> = vec![];
    let is_large = terms_of_state(stack) > MOST_TERMS;
    let entries = Entry::all(stack);
    let mut add = |way: &Way| {
        if is_large || !entries.contains(&way.entry) {
            let what = if is_large { "a stack with a large state" } else { "an entry of another stack" };
            return Err((Unsupported { what: what.into() }, String::new()));
        }
        let path = followed(stack, way)?;
        let bypass = bypass(stack, &path).map_err(|why| (why, String::new()))?;
        Ok(all.iter().position(|other| *other == bypass).unwrap_or_else(|| {
            all.push(bypass);
            all.len() - 1
        }))
    };
    let made = ways.iter().map(&mut add).collect();
    stack.bypasses = all;
    number(stack);
    made
}

fn all_bypasses(stack: &Stack) -> Vec<Bypass> {
    let mut all = vec![];
    if terms_of_state(stack) > MOST_TERMS {
        return all;
    }
    let mut ways = WAYS;
    for entry in entries(stack) {
        for (unlikely, most) in (0..).zip(OF_ONE) {
            let mut found = 0;
            ways -= search(stack, entry, unlikely, MOST.min(ways), &mut |way| {
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
fn entries(stack: &Stack) -> Vec<Entry> {
    let is_common = |entry: &Entry| match *entry {
        Entry::Timer(_) => false,
        Entry::Call(..) => entry.event(stack).is_some_and(|event| stack.event(event).message.is_some()),
        Entry::Frame(port, at) => {
            let layout = stack.ports[port.index()].frames.map(|layout| &stack.layouts[layout.index()]);
            layout.is_some_and(|layout| !layout.shapes[at].identified && at < SHAPES)
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
    // What comes behind the first condition that needs an opening is asked there, so that bypasses share openings.
    let opens = conditions.iter().position(|condition| !is_asked_first(path, condition));
    let later = conditions.split_off(opens.unwrap_or(conditions.len()));
    // What reads bytes is asked last.
    conditions.sort_by_key(reads_bytes);
    let mut body = in_place(&record.body);
    if !later.is_empty() {
        body = Opened::body(stack, path, body, both(later))?;
    }
    Ok(Bypass {
        entry: path.entry,
        condition: both(conditions),
        locals: record.locals.clone(),
        homes: record.homes.clone(),
        parameters: path.code.parameters.clone(),
        fields: path.code.fields.clone(),
        body,
    })
}

/// Whether a condition is about nothing but the state and what is given.
fn is_asked_first(path: &Path, condition: &Expr) -> bool {
    let Code { parameters, fields, .. } = &path.code;
    let given: Vec<&LocalId> = parameters.iter().chain(fields.iter().flatten()).collect();
    locals_of(condition).iter().all(|local| given.contains(&local))
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
