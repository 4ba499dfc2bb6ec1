//! The bypasses of the library are proved, and changed ones are refuted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nacre_driver::{Level, Session};
use nacre_prover::bypasses::{judge, with_bypasses_of, Verdict};
use nacre_prover::solvers::all;
use nacre_stack::{number, Entry, Expr, ExprKind, PortId, Span, Stack, Type};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the checkout")
}

/// A stack as it is composed, with the bypasses of its optimized form.
fn stack(file: &Path, name: &str) -> Stack {
    let mut session = Session::open(&[file.to_path_buf()]);
    let composed = session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)));
    let mut optimized = composed.clone();
    nacre_driver::optimize(&mut optimized, Level::Bypass);
    with_bypasses_of(&composed, &optimized)
}

fn verdicts(stack: &Stack) -> Vec<Verdict> {
    let solvers = all().expect("both solvers");
    (0..stack.bypasses.len()).map(|at| judge(stack, at, &solvers)).collect()
}

#[test]
fn bypasses_are_proved_by_both_solvers() {
    let stacks = [("examples/reliable.nacre", "reliable_plain"), ("layers/sequencer/tests.nacre", "sequencer_alone")];
    for (file, name) in stacks {
        let stack = stack(&root().join(file), name);
        let verdicts = verdicts(&stack);
        assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Proved), "{name}: {verdicts:?}");
        let entries: BTreeSet<Entry> = stack.bypasses.iter().map(|bypass| bypass.entry).collect();
        assert!(
            entries.contains(&Entry::Call(PortId(1), 0)) && entries.contains(&Entry::Frame(PortId(0), 0)),
            "{name}"
        );
    }
}

/// A stack of a source that imports the library.
fn of_source(source: &str, name: &str) -> Stack {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("source.nacre");
    std::fs::write(&file, format!("import {:?}; {source}", root().join("layers/stacks.nacre"))).expect("a file");
    stack(&file, name)
}

/// A message that comes out of a ring and goes back into it has no headers of the layers below, before and after.
#[test]
fn messages_that_are_taken_and_put_back_are_the_same() {
    let stack = of_source(
        "worker keeper {
            header Data {}
            state { kept: ring<msg, 4> }
            down send(m) { kept.push(share m) else {} pass m + Data {}; }
            up deliver(m - Data {}) {
                if let old = kept.pop() { kept.push(old) else { drop old; } }
                pass m;
            }
        }
        stack kept = sequencer / keeper / floor;",
        "kept",
    );
    let verdicts = verdicts(&stack);
    // That the ring is full after a message has left it is impossible.
    let impossible = verdicts.iter().filter(|verdict| **verdict == Verdict::Never).count();
    let proved = verdicts.iter().filter(|verdict| **verdict == Verdict::Proved).count();
    assert!(proved >= 6 && proved + impossible == verdicts.len(), "{verdicts:?}");
}

/// Code goes on where an assertion does not hold, so no proof may rely on one.
#[test]
fn assertions_are_not_assumed() {
    let mut stack = of_source(
        "worker asserting {
            header Data {}
            state { n: u8, seen: u8 }
            down send(m) {
                assert n < 10;
                if n < 10 { seen += 1; } else { seen += 2; }
                pass m + Data {};
            }
            up deliver(m - Data {}) { pass m; }
        }
        stack asserted = asserting / floor;",
        "asserted",
    );
    stack.bypasses.retain(|bypass| bypass.entry == Entry::Call(PortId(1), 0));
    assert!(stack.bypasses.len() >= 2, "one for each side: {}", stack.bypasses.len());
    assert!(verdicts(&stack).iter().all(|verdict| *verdict == Verdict::Proved));
    for bypass in &mut stack.bypasses {
        bypass.condition = Expr::new(ExprKind::Const(1), Type::Bool, Span::default());
    }
    number(&mut stack);
    assert!(verdicts(&stack).iter().all(|verdict| *verdict != Verdict::Proved));
}
