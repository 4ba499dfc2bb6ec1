//! Certificates of all claims about the bypasses of a stack, without the answers of other solvers; of a changed bypass,
//! some claim has none.

use std::path::{Path, PathBuf};

use nacre_bypass::{claims, What};
use nacre_certificates::folder::check_all;
use nacre_driver::{Level, Session};
use nacre_prover::bypasses::{goals, with_bypasses_of};
use nacre_prover::certificates::Writer;
use nacre_prover::solvers::{all, Answer};
use nacre_stack::{number, Bypass, Expr, ExprKind, Span, Stack, StatementKind, Type};
use nacre_symbolic::terms::{script, Goal, Term, Terms};

fn stack() -> Stack {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/reliable.nacre");
    let mut session = Session::open(&[file]);
    let composed = session.stack("reliable_plain").unwrap_or_else(|| panic!("{}", session.render(false)));
    let mut optimized = composed.clone();
    nacre_driver::optimize(&mut optimized, Level::Bypass);
    with_bypasses_of(&composed, &optimized)
}

/// Writes certificates of a bypass; returns how many claims have one, and how many have none. No claim is made about a
/// bypass whose condition leaves a branch open.
fn written(stack: &Stack, bypass: &Bypass, writer: &Writer, prefix: &str) -> (usize, usize) {
    let solvers = all().expect("both solvers");
    // The branches that the handlers take are guessed with a solver. That they do is a claim of its own.
    let decide = |terms: &mut Terms, known: &[Term], branch: Term| {
        let negated = terms.not(branch);
        let follows = |claim: Term| {
            let goal = Goal { name: "branch".into(), assumptions: known.to_vec(), claim };
            solvers[0].solve(&script(terms, &goal, &[])) == Answer::Proved
        };
        follows(branch).then_some(true).or_else(|| follows(negated).then_some(false))
    };
    let Ok(claims) = claims(stack, bypass, &[], &decide) else { return (0, 1) };
    let goals = goals(&claims).into_iter().filter(|(what, _)| *what != What::Possible);
    let results: Vec<bool> = goals
        .enumerate()
        .map(|(at, (_, goal))| writer.write(&claims.terms, &goal, &format!("{prefix}-{at}")).is_ok())
        .collect();
    let with = results.iter().filter(|is_written| **is_written).count();
    (with, results.len() - with)
}

#[test]
fn every_claim_about_the_bypasses_of_a_stack_has_a_certificate() {
    let (stack, folder) = (stack(), tempfile::tempdir().expect("a folder"));
    let writer = Writer::new(folder.path()).expect("cadical is installed");
    let mut all = 0;
    for (at, bypass) in stack.bypasses.iter().enumerate() {
        let (with, without) = written(&stack, bypass, &writer, &at.to_string());
        assert_eq!(without, 0, "bypass {at}");
        all += with;
    }
    assert!(all >= stack.bypasses.len() && all >= 80, "{all} claims of {} bypasses", stack.bypasses.len());
    // From the files alone, as anybody can.
    let checked = check_all(folder.path()).expect("the folder");
    assert_eq!(checked.len(), all);
    checked.iter().for_each(|one| assert_eq!(one.verdict, Ok(()), "{}", one.name));
    // A proof that needs many steps is one of its own formula.
    let size =
        |name: &String| std::fs::metadata(folder.path().join(format!("{name}.drat"))).map_or(0, |file| file.len());
    let mut names: Vec<&String> = checked.iter().map(|one| &one.name).collect();
    names.sort_by_key(|name| std::cmp::Reverse(size(name)));
    let path = |name: &str| folder.path().join(format!("{name}.drat"));
    std::fs::copy(path(names[0]), path(names[1])).expect("copied");
    let again = check_all(folder.path()).expect("the folder");
    assert_eq!(again.iter().filter(|one| one.verdict.is_err()).map(|one| &one.name).collect::<Vec<_>>(), [names[1]]);
}

#[test]
fn changed_bypasses_have_no_certificates() {
    let (mut stack, folder) = (stack(), tempfile::tempdir().expect("a folder"));
    let writer = Writer::new(folder.path()).expect("cadical is installed");
    let mut changed = 0;
    for at in (0..stack.bypasses.len()).step_by(6) {
        let kept = stack.bypasses[at].clone();
        // One that is always taken, and one that does not change the state where it does so last.
        let mut always = kept.clone();
        always.condition = Expr::new(ExprKind::Const(1), Type::Bool, Span::default());
        let last = kept.body.iter().rposition(|one| matches!(one.kind, StatementKind::Store(..)));
        let shorter = last.map(|last| {
            let mut shorter = kept.clone();
            shorter.body.remove(last);
            shorter
        });
        for (name, bypass) in [("always", Some(always)), ("shorter", shorter)] {
            let Some(bypass) = bypass else { continue };
            stack.bypasses[at] = bypass;
            number(&mut stack);
            let (_, without) = written(&stack, &stack.bypasses[at], &writer, &format!("{at}-{name}"));
            assert!(without > 0, "bypass {at}, {name}");
            changed += 1;
        }
        stack.bypasses[at] = kept;
        number(&mut stack);
    }
    assert!(changed >= 10, "{changed}");
}
