//! Stacks of layers given as text, and those of the library.

use std::path::{Path, PathBuf};

use nacre_compose::{compose_all, Composed, Options};
use nacre_diagnostics::{render, Diagnostic, Sources};
use nacre_typed::Program;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every source of the library that declares layers.
fn library() -> Vec<PathBuf> {
    let mut found = vec![];
    let mut pending = vec![root().join("layers")];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "nacre")
                && path.file_stem().is_some_and(|s| s != "tests" && s != "stacks")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Composes the stacks that a text declares, of layers of the library and its own; rejected stacks have the reasons.
pub fn stacks(text: &str) -> Vec<Result<Composed, Vec<Diagnostic>>> {
    let library = library().into_iter();
    stacks_of(library.map(|p| (p.display().to_string(), std::fs::read_to_string(p).expect("a file"))), text)
}

/// The same, but all layers are those of the text.
pub fn stacks_alone(text: &str) -> Vec<Result<Composed, Vec<Diagnostic>>> {
    stacks_of([], text)
}

fn stacks_of(
    library: impl IntoIterator<Item = (String, String)>,
    text: &str,
) -> Vec<Result<Composed, Vec<Diagnostic>>> {
    let mut sources = Sources::new();
    let mut files = vec![];
    for (path, text) in library.into_iter().chain([("stacks".into(), text.into())]) {
        let id = sources.add(path, text.clone());
        let (file, found) = nacre_syntax::parse(id, &text);
        check(&sources, &found);
        files.push(file);
    }
    let (program, found) = Program::new(files);
    check(&sources, &found);
    let compose = |stack: &nacre_syntax::ast::Stack| {
        let (fragments, _) = program.fragments(stack).inspect_err(|e| check(&sources, e))?;
        compose_all(&stack.name.name, &fragments, &Options::default())
    };
    program.stacks().map(compose).collect()
}

fn check(sources: &Sources, found: &[Diagnostic]) {
    let errors: Vec<String> = found.iter().filter(|d| d.is_error()).map(|d| render(d, sources, false)).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
