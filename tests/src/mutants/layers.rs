//! Bugs in layers of the library, and the properties of stacks that detect them.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use nacre_driver::Session;
use nacre_simulator::checks::{all, Check};
use nacre_simulator::interface::Interface;
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::network::Conditions;
use nacre_simulator::run::{run, Plan, Run, Subject};
use nacre_stack::Stack;

use super::Fate;
use crate::storm::{storm, Tally};
use crate::{files, root};

/// One text of one file, replaced.
pub struct Bug {
    pub name: &'static str,
    /// `pt2pt/pt2pt.nacre`
    pub file: &'static str,
    pub from: &'static str,
    pub to: &'static str,
    /// The file and the stack in which it must be found.
    pub stack: (&'static str, &'static str),
}

/// The guarantees of a stack.
#[derive(Clone, Copy, PartialEq)]
enum Promise {
    /// All guarantees, over a network that loses and duplicates.
    Reliable,
    /// The same, also if bits are flipped.
    Checked,
    /// Order, and nothing twice.
    Ordered,
    /// Only messages that were sent, also if bits are flipped.
    Intact,
    /// All guarantees over a network without faults.
    Honest,
}

fn promise(stack: &str) -> Promise {
    match stack {
        "reliable" | "checksum_bad" | "crc32c_bad" => Promise::Checked,
        "sequencer_alone" | "sequencer_twice" | "sequencer_bad" => Promise::Ordered,
        "crc32c_alone" | "checksum_alone" => Promise::Intact,
        "delay_usual" | "floor_alone" | "reorder_half" => Promise::Honest,
        _ => Promise::Reliable,
    }
}

/// Returns a stack of the library in a folder; errors: the diagnostics.
pub fn stack(folder: &Path, place: (&str, &str)) -> Result<Arc<Stack>, String> {
    let mut session = Session::open(&[folder.join(place.0)]);
    session.check();
    if session.has_errors() {
        return Err(session.render(false));
    }
    session.stack(place.1).map(Arc::new).ok_or_else(|| session.render(false))
}

/// Injects the bug into a copy of the library, and tests it.
pub fn fate(bug: &Bug) -> Fate {
    Fate { name: bug.name, found: found(bug) }
}

fn found(bug: &Bug) -> Result<(&'static str, String), String> {
    let original = stack(&root(), bug.stack).map_err(|words| format!("the library itself: {words}"))?;
    if let Some((by, words)) = broken(&original, &original) {
        return Err(format!("the library itself fails in {by}: {words}"));
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy_library(folder.path());
    let file = folder.path().join("layers").join(bug.file);
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", bug.file))?;
    if !text.contains(bug.from) {
        return Err(format!("{} has no `{}` any more", bug.file, bug.from));
    }
    std::fs::write(&file, text.replacen(bug.from, bug.to, 1)).map_err(|e| e.to_string())?;
    let mutant = match stack(folder.path(), bug.stack) {
        Ok(mutant) => mutant,
        Err(words) => return Ok(("the checker", words)),
    };
    broken(&mutant, &original).ok_or_else(|| "nothing found it".to_string())
}

fn copy_library(to: &Path) {
    for part in ["layers", "examples"] {
        for file in files(&root().join(part), ".nacre") {
            let path = to.join(file.strip_prefix(root()).expect("inside"));
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::copy(&file, path).expect("a copy");
        }
    }
}

/// Returns the violated property of a stack and the test that found it, if any.
fn broken(stack: &Arc<Stack>, original: &Arc<Stack>) -> Option<(&'static str, String)> {
    quiet(stack, original)
        .map(|words| ("a quiet run", words))
        .or_else(|| talk(stack, stack).map(|words| ("a bad network", words)))
        .or_else(|| talk(stack, original).map(|words| ("a sound peer", words)))
        .or_else(|| {
            storm(stack, &Interpreter::new(stack.clone()), 1, 4000, &mut Tally::default())
                .err()
                .map(|w| ("the storm", w))
        })
}

fn plan(checks: Vec<Check>, conditions: Conditions) -> Plan {
    let conditions = Conditions { delay: 1_000_000, ..conditions };
    Plan { seed: 5, messages: 150, largest: 6000, checks, conditions, patience: 5_000_000_000, ..Plan::default() }
}

fn ran(plan: &Plan, one: &Arc<Stack>, two: &Arc<Stack>) -> (Run, Rc<Interface>) {
    let interface = Rc::new(Interface::of(one));
    let makers = [Interpreter::new(one.clone()), Interpreter::new(two.clone())];
    let subject = Subject { makers: vec![&makers[0], &makers[1]], interface: interface.clone() };
    (run(plan, &subject, None, false), interface)
}

/// Over a network without faults, everything arrives at once, without retransmissions and additional bytes.
fn quiet(stack: &Arc<Stack>, original: &Arc<Stack>) -> Option<String> {
    // Layers that lose, corrupt or delay are themselves a bad network.
    let faulty =
        ["lose", "corrupt", "duplicate", "reorder"].iter().any(|l| stack.layers.iter().any(|at| at.name == *l));
    if faulty {
        return None;
    }
    let (run, interface) = ran(&plan(all(), Conditions::default()), stack, stack);
    let failure = run.failure.map(|f| format!("{}: {}", f.check, f.text));
    let idle = ["pt2pt.retransmitted", "pt2pt.timeouts", "impossible", "malformed"];
    let counted = idle.iter().find_map(|name| {
        let n = run.counters.iter().filter_map(|of| interface.counter(of, name)).sum::<u64>();
        (n > 0).then(|| format!("{name} was counted {n} times"))
    });
    let (needed, _) = ran(&plan(all(), Conditions::default()), original, original);
    let more = run
        .bytes
        .iter()
        .zip(&needed.bytes)
        .any(|(n, needed)| n > needed)
        .then(|| format!("{:?} bytes were sent, {:?} are needed", run.bytes, needed.bytes));
    failure.or(counted).or(more)
}

fn talk(one: &Arc<Stack>, two: &Arc<Stack>) -> Option<String> {
    let promise = promise(&one.name);
    let checks = match promise {
        Promise::Reliable | Promise::Checked => all(),
        Promise::Ordered => vec![Check::Once, Check::Order, Check::Intact, Check::Unbroken, Check::Space],
        Promise::Intact => vec![Check::Intact, Check::Unbroken, Check::Space],
        Promise::Honest => vec![Check::Complete, Check::Once, Check::Intact, Check::Unbroken, Check::Space],
    };
    let conditions = match promise {
        Promise::Honest => Conditions::default(),
        Promise::Intact => Conditions { corrupt: 0.4, ..Conditions::default() },
        _ => Conditions {
            loss: 0.1,
            duplicate: 0.1,
            reorder: if one.layers.iter().any(|l| l.name == "reorder") { 0.0 } else { 0.1 },
            corrupt: if promise == Promise::Checked { 0.2 } else { 0.0 },
            ..Conditions::default()
        },
    };
    let (run, _) = ran(&plan(checks, conditions), one, two);
    run.failure.map(|f| format!("{}: {}", f.check, f.text))
}
