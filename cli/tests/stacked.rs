//! The theorem of docs/verification.md about layers and stacks, cross-checked: a mistake that violates the safety of a
//! stack violates the specification of its layer, and one that the layer permits holds in the stack.

mod common;

use std::path::Path;

use common::{nacre, ran, with_mistake};

/// Mistakes: the layer, a text of its source, and the text instead.
const MISTAKES: [(&str, &str, &str); 11] = [
    ("frag", "credit += n;", "credit = n;"),
    ("frag", "if waiting.empty { pass; }  //", "pass;  //"),
    ("pt2pt", "let n = sent.release(ack);", "let n = sent.release(ack + 1);"),
    ("pt2pt", "if !over { pass; }  // it is late", "pass;  // it is late"),
    ("pt2pt", "while let next = got.take() {", "if let next = got.take() {"),
    ("pt2pt", "            over = true;\n", ""),
    ("pt2pt", "got.len <= 4", "got.len < 4"),
    ("floor", "theirs = from as u24;", "theirs = from as u16 as u24;"),
    ("floor", "confirmed = false;                  //", "//"),
    ("pt2pt", "ending && ack == sent.high + 1", "ack == sent.high + 1"),
    ("floor", " || from as u24 as u32 != from", ""),
];

/// Whether a run violates a specification in one of the configurations.
fn is_violated(folder: &Path, arguments: &[&str]) -> bool {
    let (status, out, err) = ran(nacre(&["verify", "--brief", "--threads", "1"]).args(arguments).current_dir(folder));
    assert!(status == 0 || out.contains("VIOLATED") || out.contains("no violation found"), "{arguments:?}: {out}{err}");
    out.contains("VIOLATED")
}

#[test]
fn mistakes_that_violate_a_stack_violate_their_layer() {
    let mut seen = [[0; 2]; 2];
    for (number, mistake) in MISTAKES.into_iter().enumerate() {
        let folder = with_mistake(&format!("stacked-{number}"), mistake.0, mistake.1, mistake.2);
        let file = format!("layers/{0}/{0}.nacre", mistake.0);
        let layer = is_violated(&folder, &[&file]);
        let stack = ["one_way", "both_ways"].iter().any(|configuration| {
            let stack = ["examples/reliable.nacre", "--stack", "reliable_plain", "--configuration", configuration];
            is_violated(&folder, &stack)
        });
        assert!(layer || !stack, "the stack is violated, and its layer holds: {mistake:?}");
        seen[usize::from(layer)][usize::from(stack)] += 1;
    }
    assert!(seen[0][0] >= 2 && seen[1][1] >= 3, "mistakes of all kinds: {seen:?}");
}
