//! Changed bypasses: what is proved of them is true.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use nacre_analysis::linear;
use nacre_driver::{Level, Session};
use nacre_prover::bypasses::{judge_claims, with_bypasses_of, Verdict};
use nacre_prover::replays::demonstrate;
use nacre_prover::solvers::{all, Solver};
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::lockstep::Lockstep;
use nacre_stack::visit::{rewrite_stack, ChangeExprs, Traverse};
use nacre_stack::{
    number, BinaryOp, Bypass, Entry, Expr, ExprKind, LocalId, PortId, Stack, Statement, StatementKind, Type,
};
use nacre_tests::storm::{storm, Tally};
use nacre_tests::{in_parallel, root};

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

/// A changed bypass.
struct Case<'s> {
    /// The stack without bypasses.
    plain: &'s Stack,
    what: String,
    bypass: Bypass,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    /// A solver proves it.
    Proved,
    /// A solver refutes it; an event shows it.
    Shown,
    /// A solver refutes it; none does.
    NotShown,
    /// A message is lost or used twice, which solvers do not see.
    Lost,
    NoEventTakesIt,
    Undecided,
}

impl Case<'_> {
    fn judge(&self, solvers: &[Solver]) -> Seen {
        let changed = with(self.plain, vec![self.bypass.clone()]);
        if !linear::check(&changed).is_empty() {
            return Seen::Lost;
        }
        match judge_claims(&changed, 0, &[], solvers) {
            (Verdict::Proved, _) => {
                assert!(is_equal(self.plain, &changed), "proved, and wrong: {}", self.what);
                Seen::Proved
            }
            (Verdict::Refuted(..), Some(mut claims)) => match demonstrate(&changed, 0, &mut claims, solvers) {
                Some(replay) if !replay.differences.is_empty() => Seen::Shown,
                _ => Seen::NotShown,
            },
            (Verdict::Never, _) => Seen::NoEventTakesIt,
            _ => Seen::Undecided,
        }
    }
}

/// Some changes leave a bypass right: they change what other conditions imply. A solver proves those, and the
/// interpreter finds no difference. It refutes others, and an event shows what differs. Where bytes decide, of which a
/// solver knows the names only, or where the code of a layer goes two ways that leave the same, none can show it.
#[test]
fn changed_bypasses_are_right_or_an_event_shows_what_is_wrong() {
    let solvers = &all().expect("both solvers")[..1];
    let send = Entry::Call(PortId(1), 0);
    let frame = |shape| Entry::Frame(PortId(0), shape);
    // A message; one with an acknowledgement; data; an acknowledgement. Then layers that control congestion; messages
    // that are unpacked.
    let stacks: [(&str, &str, &[(Entry, usize)]); 3] = [
        ("examples/reliable.nacre", "reliable_plain", &[(send, 0), (send, 1), (frame(0), 0), (frame(6), 3)]),
        ("examples/congestion.nacre", "controlled_pt2pt", &[(send, 0), (frame(0), 0)]),
        ("tests/golden/pieces/source.nacre", "pieces", &[(frame(0), 0), (frame(0), 1)]),
    ];
    let mut counts: BTreeMap<Seen, u32> = BTreeMap::new();
    for (file, name, entries) in stacks {
        let original = stack(file, name);
        let plain = with(&original, vec![]);
        let chosen = entries.iter().flat_map(|(entry, at)| {
            let bypasses = original.bypasses.iter().filter(move |bypass| bypass.entry == *entry);
            bypasses.skip(*at).take(1)
        });
        let cases = chosen.flat_map(changed).map(|(what, bypass)| Case { plain: &plain, what, bypass });
        let cases: Vec<Case> = cases.collect();
        for (case, seen) in cases.iter().zip(in_parallel(&cases, |case| case.judge(solvers))) {
            *counts.entry(seen).or_default() += 1;
            if matches!(seen, Seen::NotShown | Seen::Undecided) {
                println!("{name}: {seen:?}: {}", case.what);
            }
        }
        println!("until {name}: {counts:?}");
    }
    let [proved, shown, not_shown] =
        [Seen::Proved, Seen::Shown, Seen::NotShown].map(|seen| counts.get(&seen).copied().unwrap_or(0));
    assert!(shown >= 100 && shown * 100 >= 95 * (shown + not_shown), "{counts:?}");
    assert!(proved * 5 < shown, "{counts:?}");
}
