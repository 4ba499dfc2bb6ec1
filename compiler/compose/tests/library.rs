//! The layer library, composed from its sources: explanations are golden, and runs stay within the bounds.

#[path = "layers/peers.rs"]
mod peers;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nacre_compose::{compose_all, explain, Composed, Options};
use nacre_diagnostics::{render, Sources};
use nacre_typed::Program;

/// Stacks of the library, with the least that each needs below it.
const STACKS: &str = "
stack alone      = floor;
stack reliable   = frag<1400> / pt2pt<64> / floor;
stack careful    = frag<1400> / pt2pt<16> / crc32c / floor;
stack numbered   = sequencer / sequencer / checksum / floor;
stack granted    = credit / pt2pt<16> / floor;
stack bad        = check_fifo / pt2pt<16> / lose<20> / duplicate<20> / reorder<20> / delay / corrupt / floor;
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every source of the library, but for its tests.
fn library() -> Vec<PathBuf> {
    let mut found = vec![];
    let mut pending = vec![root().join("layers")];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "nacre") && path.file_stem().is_some_and(|s| s != "tests") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn stacks() -> Vec<Composed> {
    let mut sources = Sources::new();
    let mut files = vec![];
    let mut texts: Vec<(String, String)> =
        library().iter().map(|p| (p.display().to_string(), std::fs::read_to_string(p).expect("a file"))).collect();
    texts.push(("stacks".into(), STACKS.into()));
    for (path, text) in texts {
        let id = sources.add(path, text.clone());
        let (file, found) = nacre_syntax::parse(id, &text);
        show(&sources, &found);
        files.push(file);
    }
    let (program, found) = Program::new(files);
    show(&sources, &found);
    let compose = |stack: &nacre_syntax::ast::Stack| {
        let (fragments, _) = program.fragments(stack).unwrap_or_else(|e| fail(&sources, &e));
        compose_all(&stack.name.name, &fragments, &Options::default()).unwrap_or_else(|e| fail(&sources, &e))
    };
    program.stacks().map(compose).collect()
}

fn fail<T>(sources: &Sources, found: &[nacre_diagnostics::Diagnostic]) -> T {
    show(sources, found);
    panic!("not a stack");
}

fn show(sources: &Sources, found: &[nacre_diagnostics::Diagnostic]) {
    for diagnostic in found {
        eprintln!("{}", render(diagnostic, sources, false));
        assert!(!diagnostic.is_error());
    }
}

#[test]
fn the_library_composes() {
    for composed in stacks() {
        let stack = &composed.stack;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/library/{}.txt", stack.name));
        let text = explain(stack);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).expect("the folder can be written");
        }
        assert!(std::fs::read_to_string(&path).unwrap_or_default() == text, "{} differs:\n{text}", stack.name);
    }
}

#[test]
fn runs_stay_within_the_bounds() {
    for composed in stacks() {
        let stack = Arc::new(composed.stack);
        (0..3).for_each(|seed| peers::run(&stack, seed));
    }
}
