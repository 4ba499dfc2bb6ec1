//! The theorem of docs/verification.md about layers and stacks, cross-checked: a mistake that violates the safety of a
//! stack violates the specification of its layer, and one that the layer permits holds in the stack.

mod common;

use std::path::{Path, PathBuf};

use common::{nacre, ran, root};

/// Mistakes: the layer, a text of its source, and the text instead.
const MISTAKES: [(&str, &str, &str); 11] = [
    ("frag", "credit += n;", "credit = n;"),
    ("frag", "if waiting.empty { pass; }  //", "pass;  //"),
    ("pt2pt", "let n = sent.release(ack);", "let n = sent.release(ack + 1);"),
    ("pt2pt", "up open(_) { if !over { pass; } }", "up open(_) { pass; }"),
    ("pt2pt", "while let next = got.take() {", "if let next = got.take() {"),
    ("pt2pt", "            over = true;\n", ""),
    ("pt2pt", "got.len <= 4", "got.len < 4"),
    ("floor", "theirs = from as u24;", "theirs = from as u16 as u24;"),
    ("floor", "confirmed = false;  //", "//"),
    ("pt2pt", "ending && ack == sent.high + 1", "ack == sent.high + 1"),
    ("floor", " || from as u24 as u32 != from", ""),
];

/// A copy of the library in which one layer has a mistake.
fn copy(number: usize, (layer, text, instead): (&str, &str, &str)) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stacked-{number}"));
    let _ = std::fs::remove_dir_all(&folder);
    let mut files = vec!["examples/reliable.nacre".to_string(), "layers/interfaces.nacre".into()];
    files.extend(["frag", "pt2pt", "crc32c", "floor"].map(|layer| format!("layers/{layer}/{layer}.nacre")));
    files.push("layers/crc32c/castagnoli.nacre".into());
    for file in files {
        let mut source = std::fs::read_to_string(root().join(&file)).unwrap();
        if file.ends_with(&format!("/{layer}.nacre")) {
            assert_eq!(source.matches(text).count(), 1, "{layer}: {text}");
            source = source.replace(text, instead);
        }
        std::fs::create_dir_all(folder.join(&file).parent().unwrap()).unwrap();
        std::fs::write(folder.join(&file), source).unwrap();
    }
    folder
}

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
        let folder = copy(number, mistake);
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
