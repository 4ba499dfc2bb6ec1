//! Changed bypasses: what is proved of them is true.

use std::path::PathBuf;
use std::sync::Arc;

use nacre_analysis::linear;
use nacre_driver::{Level, Session};
use nacre_prover::bypasses::{judge, with_bypasses_of, Verdict};
use nacre_prover::solvers::all;
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::lockstep::Lockstep;
use nacre_stack::visit::{rewrite_stack, ChangeExprs, Traverse};
use nacre_stack::{
    number, BinaryOp, Bypass, Entry, Expr, ExprKind, LocalId, PortId, Stack, Statement, StatementKind, Type,
};
use nacre_tests::root;
use nacre_tests::storm::{storm, Tally};

/// A stack as it is composed, with the bypasses of its optimized form.
fn stack(file: &str, name: &str) -> Stack {
    let file: PathBuf = root().join(file);
    let mut session = Session::open(&[file]);
    let composed = session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)));
    let mut optimized = composed.clone();
    nacre_driver::optimize(&mut optimized, Level::Bypass);
    with_bypasses_of(&composed, &optimized)
}

fn with(stack: &Stack, bypasses: Vec<Bypass>) -> Stack {
    let mut stack = Stack { bypasses, ..stack.clone() };
    number(&mut stack);
    stack
}

/// A condition without each of its parts, and what is not asked.
fn without_one(condition: &Expr) -> Vec<(String, Expr)> {
    let parts = match &condition.kind {
        ExprKind::Binary(BinaryOp::Both, a, b) => Expr::chain(BinaryOp::Both, a, b),
        _ => vec![condition],
    };
    let left = |left_out: usize| {
        let kept = parts.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, one)| (*one).clone());
        let both = kept.reduce(|a, b| {
            let span = b.span;
            Expr::new(ExprKind::Binary(BinaryOp::Both, Box::new(a), Box::new(b)), Type::Bool, span)
        });
        both.unwrap_or(Expr::new(ExprKind::Const(1), Type::Bool, condition.span))
    };
    (0..parts.len()).map(|at| (format!("not asking {:?}", parts[at].kind), left(at))).collect()
}

/// All bypasses that differ from one in one place, and how.
fn changed(bypass: &Bypass) -> Vec<(String, Bypass)> {
    let mut all = vec![];
    for at in 0..bypass.body.len() {
        let mut one = bypass.clone();
        let set = bypass.body[at].sets();
        let is_read = |local: &LocalId| bypass.body.any(|node| node.local() == Some(*local));
        if matches!(bypass.body[at].kind, StatementKind::Let(..)) && !set.iter().any(is_read) {
            continue;
        }
        let statement = one.body.remove(at);
        all.push((format!("without {:?}", statement.kind), one));
    }
    for (what, condition) in without_one(&bypass.condition) {
        all.push((what, Bypass { condition, ..bypass.clone() }));
    }
    let opening = bypass.opening().map(|opening| (opening.code.len(), without_one(opening.condition)));
    for (end, (what, condition)) in
        opening.into_iter().flat_map(|(end, all)| all.into_iter().map(move |one| (end, one)))
    {
        let mut one = bypass.clone();
        one.body[end] = Statement::reject_unless(condition);
        all.push((what, one));
    }
    let constants = |bypass: &mut Bypass, change: Option<usize>| {
        let mut met = 0;
        let mut visit = |expr: &mut Expr| {
            if let (ExprKind::Const(n), Type::UInt(_) | Type::Seq(_) | Type::Duration) = (&mut expr.kind, &expr.ty) {
                *n = if change == Some(met) { *n ^ 1 } else { *n };
                met += 1;
            }
        };
        let mut stack = Stack { bypasses: vec![bypass.clone()], ..Stack::default() };
        rewrite_stack(&mut ChangeExprs(&mut visit), &mut stack);
        *bypass = stack.bypasses.remove(0);
        met
    };
    for at in 0..constants(&mut bypass.clone(), None) {
        let mut one = bypass.clone();
        constants(&mut one, Some(at));
        all.push((format!("constant {at}"), one));
    }
    all
}

/// Whether the steps of a stack with a bypass are those of one without, in random events.
fn is_equal(plain: &Stack, changed: &Stack) -> bool {
    let makers = [plain, changed].map(|stack| Box::new(Interpreter::new(Arc::new(stack.clone()))) as _);
    storm(plain, &Lockstep { makers: makers.into() }, 11, 3_000, &mut Tally::default()).is_ok()
}

/// Some changes leave a bypass right: they change what other conditions imply. A solver proves those; the interpreter
/// finds no difference. All others must not be proved.
#[test]
fn what_is_proved_of_changed_bypasses_is_true() {
    let solvers = all().expect("both solvers");
    let original = stack("examples/reliable.nacre", "reliable_plain");
    let chosen = |entry: Entry, at: usize| {
        original.bypasses.iter().filter(|bypass| bypass.entry == entry).nth(at).expect("a bypass").clone()
    };
    let plain = with(&original, vec![]);
    let (mut proved, mut others, mut differ) = (vec![], 0, 0);
    // A message; one with an acknowledgement; data; an acknowledgement.
    let send = Entry::Call(PortId(1), 0);
    let entries = [(send, 0), (send, 1), (Entry::Frame(PortId(0), 0), 0), (Entry::Frame(PortId(0), 6), 3)];
    let mut cases: Vec<(&Stack, Bypass)> = entries.iter().map(|(entry, at)| (&plain, chosen(*entry, *at))).collect();
    // A message that is unpacked before the bypass takes it.
    let pieces = stack("tests/golden/pieces/source.nacre", "pieces");
    let opened = pieces.bypasses.iter().find(|bypass| bypass.opening().is_some()).expect("a bypass that unpacks");
    let without = with(&pieces, vec![]);
    cases.push((&without, opened.clone()));
    for (plain, bypass) in cases {
        for (what, bypass) in changed(&bypass) {
            let changed = with(plain, vec![bypass]);
            // What solvers do not see: a message that is lost, or used twice.
            if linear::check(&changed).is_empty() && judge(&changed, 0, &solvers[..1]) == Verdict::Proved {
                assert!(is_equal(plain, &changed), "proved, and wrong: {what}");
                proved.push(what);
            } else {
                others += 1;
                differ += u32::from(!is_equal(plain, &changed));
            }
        }
    }
    println!("{} proved, {others} not, of which {differ} were seen to differ", proved.len());
    assert!(others > 80 && differ > 40 && proved.len() * 5 < others, "{others}, {differ}: {proved:#?}");
}
