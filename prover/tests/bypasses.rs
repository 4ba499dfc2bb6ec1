//! The bypasses of the library are proved, and changed ones are refuted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nacre_bypass::What;
use nacre_driver::{Level, Session};
use nacre_prover::bypasses::{of_bypasses, Proof};
use nacre_prover::solvers::{all, Answer, Solver};
use nacre_stack::{number, Entry, PortId, Stack};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the checkout")
}

/// A stack as it is composed, with the bypasses of its optimized form.
fn stack(file: &Path, name: &str) -> Stack {
    let mut session = Session::open(&[file.to_path_buf()]);
    let composed = session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)));
    let mut optimized = composed.clone();
    nacre_driver::optimize(&mut optimized, Level::Bypass);
    let mut stack = Stack { bypasses: optimized.bypasses, ..composed };
    number(&mut stack);
    stack
}

/// What became of the claims about a bypass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Proved,
    Refuted,
    /// No event takes it.
    Impossible,
    Undecided,
    NotClaimed,
}

/// Proved: by each solver.
fn judge(proof: &Proof, solvers: &[Solver]) -> Verdict {
    let Ok(obligations) = &proof.obligations else { return Verdict::NotClaimed };
    let mut verdict = Verdict::Proved;
    for (what, problem) in obligations {
        let Some(problem) = problem else { continue };
        for solver in solvers {
            match (solver.solve(&problem.text), *what == What::Possible) {
                (Answer::Proved, false) | (Answer::Refuted(_), true) => {}
                (Answer::Refuted(_), false) => return Verdict::Refuted,
                (Answer::Proved, true) => return Verdict::Impossible,
                (Answer::Failed(why), _) => panic!("{}: {why}\n{}", solver.name, problem.text),
                (Answer::Unknown, _) => verdict = Verdict::Undecided,
            }
        }
    }
    verdict
}

#[test]
fn bypasses_are_proved_by_both_solvers() {
    let solvers = all().expect("both solvers");
    let stacks = [("examples/reliable.nacre", "reliable_plain"), ("layers/sequencer/tests.nacre", "sequencer_alone")];
    for (file, name) in stacks {
        let stack = stack(&root().join(file), name);
        let mut found: BTreeMap<Verdict, Vec<usize>> = BTreeMap::new();
        for proof in of_bypasses(&stack, &solvers[0]) {
            found.entry(judge(&proof, &solvers)).or_default().push(proof.bypass);
        }
        println!("{name}: {found:?}");
        assert!(found.keys().eq([&Verdict::Proved]), "{name}: {found:?}");
        let entries: BTreeSet<Entry> = stack.bypasses.iter().map(|bypass| bypass.entry).collect();
        assert!(
            entries.contains(&Entry::Call(PortId(1), 0)) && entries.contains(&Entry::Frame(PortId(0), 0)),
            "{name}"
        );
    }
}

/// A message that comes out of a ring and goes back into it has no headers of the layers below, before and after.
#[test]
fn messages_that_are_taken_and_put_back_are_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kept.nacre");
    let source = format!(
        "import {:?};
        worker keeper {{
            header Data {{}}
            state {{ kept: ring<msg, 4> }}
            down send(m) {{ kept.push(share m) else {{}} pass m + Data {{}}; }}
            up deliver(m - Data {{}}) {{
                if let old = kept.pop() {{ kept.push(old) else {{ drop old; }} }}
                pass m;
            }}
        }}
        stack kept = sequencer / keeper / floor;",
        root().join("layers/stacks.nacre")
    );
    std::fs::write(&file, source).expect("a file");
    let (solvers, stack) = (all().expect("both solvers"), stack(&file, "kept"));
    let verdicts: Vec<Verdict> = of_bypasses(&stack, &solvers[0]).iter().map(|one| judge(one, &solvers)).collect();
    // That the ring is full after a message has left it is impossible.
    let impossible = verdicts.iter().filter(|verdict| **verdict == Verdict::Impossible).count();
    let proved = verdicts.iter().filter(|verdict| **verdict == Verdict::Proved).count();
    assert!(proved >= 6 && proved + impossible == verdicts.len(), "{verdicts:?}");
}
