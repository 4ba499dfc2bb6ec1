//! A test reads every block of code in every document: a new block needs a test.

mod common;

use std::path::{Path, PathBuf};

use common::*;

/// The kinds of blocks of each document, their number (0: any), and the test that reads them.
const TESTED: &[(&str, &str, usize, &str)] = &[
    ("README.md", "sh", 0, "cli/tests/documents.rs"),
    ("README.md", "nacre", 2, "cli/tests/documents.rs: first_layer_of_the_readme_works_as_documented"),
    ("README.md", "nacre-stack", 1, "stack_of_the_readme_is_the_one_of_the_example"),
    ("README.md", "frame", 1, "frame_of_the_readme_is_the_one_that_explain_draws"),
    ("ARCHITECTURE.md", "diagram", 1, "tests/tests/map.rs holds the table below it"),
    ("docs/frames.md", "frame", 2, "frames_of_the_reference_are_those_of_the_composer"),
    ("docs/frames.md", "fingerprint", 3, "lines_of_the_fingerprint_are_those_of_the_composer"),
    ("docs/language.md", "sh", 0, "cli/tests/documents.rs"),
    ("docs/language.md", "nacre", 0, "tests/tests/docs.rs"),
    ("docs/language.md", "nacre-part", 0, "tests/tests/docs.rs"),
    ("docs/language.md", "nacre-unbuilt", 1, "unbuilt_constructs_are_parsed_and_reported"),
    ("docs/language.md", "text", 1, "compiler/syntax reads the grammar by hand: it cannot be run"),
    ("docs/c-interface.md", "c", 2, "cli/tests/documents.rs: stack_of_the_page_of_the_c_interface_encrypts"),
    ("docs/c-interface.md", "sh", 0, "cli/tests/documents.rs"),
    ("docs/emitted-listener.md", "sh", 0, "cli/tests/documents.rs: listener_of_its_page_is_built"),
    ("docs/run.md", "sh", 0, "cli/tests/documents.rs"),
    ("docs/runtime.md", "rust", 0, "runtime/tests/documents.rs"),
    ("docs/runtime.md", "c", 1, "runtime/tests/documents.rs"),
    ("docs/runtime.md", "cmake", 1, "cli/tests/install.rs: cmake_of_the_guide_finds_what_is_installed"),
    ("docs/runtime.md", "python", 1, "cli/tests/install.rs: python_of_the_guide_runs"),
    ("docs/proofs.md", "text", 1, "cli/src/prove/refuted.rs: the_example_of_the_page_is_what_is_shown"),
    ("docs/tutorial-app.md", "sh", 5, "cli/tests/new.rs and documents.rs"),
    ("docs/tutorial-app.md", "rust", 2, "cli/tests/documents.rs: tutorial_for_applications_is_right, install.rs"),
    ("docs/tutorial-app.md", "c", 1, "cli/tests/install.rs: clients_of_the_tutorial_have_ten_lines_and_say_hello"),
    ("docs/tutorial-app.md", "python", 1, "the same"),
    ("docs/tutorial-app.md", "nacre", 1, "cli/tests/documents.rs: tutorial_for_applications_is_right"),
    ("docs/simulation.md", "sh", 0, "cli/tests/documents.rs"),
    ("docs/cookbook.md", "sh", 0, "cli/tests/cookbook.rs: commands_of_the_cookbook_print_what_it_shows"),
    ("docs/cookbook.md", "nacre-excerpt", 0, "cli/tests/cookbook.rs: excerpts_are_those_of_the_layers"),
    ("docs/encapsulation.md", "sh", 1, "cli/tests/imports.rs: command_of_the_page_imports"),
    ("docs/encapsulation.md", "toml", 1, "cli/tests/imports.rs: example_of_the_page_is_the_one_that_is_imported"),
    ("docs/encapsulation.md", "c", 1, "the same"),
    ("encapsulation/measure/README.md", "sh", 1, "cli/tests/reproduce.rs"),
    ("encapsulation/streams/README.md", "c", 1, "encapsulation/tests/streams.rs: host_of_the_page_compiles"),
    ("docs/tutorial-layer.md", "sh", 0, "cli/tests/documents.rs: tutorial_leads_from_an_empty_folder_to_a_program"),
    ("docs/tutorial-layer.md", "nacre", 5, "the same"),
    ("docs/tutorial-layer.md", "nacre-lines", 4, "the same"),
    ("docs/verification.md", "sh", 0, "cli/tests/documents.rs"),
    ("docs/verification.md", "nacre-items", 2, "items_of_the_verification_page_compile"),
];

/// All documents below a folder, relative to the checkout.
fn documents(folder: &Path, found: &mut Vec<String>) {
    let entries: Vec<PathBuf> = std::fs::read_dir(folder).expect("readable").flatten().map(|e| e.path()).collect();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            documents(&path, found);
        } else if name.ends_with(".md") {
            found.push(path.strip_prefix(root()).expect("below").display().to_string());
        }
    }
}

#[test]
fn every_block_of_every_document_has_a_test() {
    let mut all = vec![];
    documents(&root(), &mut all);
    assert!(all.len() > 30, "only {} documents were found", all.len());
    let mut untested = vec![];
    for document in &all {
        for (word, block) in blocks(document) {
            if !TESTED.iter().any(|(path, kind, ..)| path == document && *kind == word) {
                untested.push(format!("{document}: ```{word}\n{block}"));
            }
        }
    }
    assert!(untested.is_empty(), "no test reads these blocks:\n{}", untested.join("\n"));
    for (document, word, count, test) in TESTED {
        let found = blocks(document).iter().filter(|(kind, _)| kind == word).count();
        assert!(found > 0 && (*count == 0 || found == *count), "{document}: {found} blocks of `{word}` ({test})");
    }
}

fn of(document: &str, word: &str) -> Vec<String> {
    blocks(document).into_iter().filter(|(found, _)| found == word).map(|(_, text)| text).collect()
}

#[test]
fn stack_of_the_readme_is_the_one_of_the_example() {
    let stack = of("README.md", "nacre-stack").concat();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&text(RELIABLE)).contains(&words(&stack)), "{RELIABLE} has no {stack}");
}

/// Only the lines between the fields: the names are written for readers.
fn borders(drawing: &str) -> Vec<String> {
    let kept = |c: char| if "+-|".contains(c) { c } else { ' ' };
    let lines = drawing.lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
    let lines = lines.map(|line| line.chars().take(65).map(kept).collect::<String>().trim_end().to_string());
    lines.filter(|line| line.starts_with(['+', '|'])).collect()
}

#[test]
fn frame_of_the_readme_is_the_one_that_explain_draws() {
    let (status, out, err) = ran(&mut nacre(&["explain", RELIABLE, "--stack", "reliable"]));
    assert_eq!(status, 0, "{err}");
    let drawn = out.split("short 0:").nth(1).and_then(|text| text.split("bits 8-31").next()).expect("shape 0");
    assert_eq!(borders(&of("README.md", "frame").concat()), borders(drawn));
}

#[test]
fn frames_of_the_reference_are_those_of_the_composer() {
    let [preamble, example] = <[String; 2]>::try_from(of("docs/frames.md", "frame")).expect("two frames");
    let golden = text("compiler/compose/tests/golden/reliable.txt");
    assert!(golden.contains(&example), "{example}");
    assert_eq!(borders(&preamble)[..2], borders(&example)[..2]);
}

#[test]
fn lines_of_the_fingerprint_are_those_of_the_composer() {
    let source = text("compiler/compose/src/fingerprint.rs");
    for line in of("docs/frames.md", "fingerprint").concat().lines() {
        let first = line.split_whitespace().next().expect("a word");
        assert!(source.contains(&format!("\"{first} ")), "the composer writes no line `{line}`");
    }
}

fn checked(source: &str) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("block.nacre");
    let import = format!("import \"{}\";\n", root().join("layers/interfaces.nacre").display());
    std::fs::write(&file, import + source).expect("written");
    let (status, out, err) = ran(&mut nacre(&["check", &file.display().to_string()]));
    (status, out + &err)
}

#[test]
fn items_of_the_verification_page_compile() {
    let items = of("docs/verification.md", "nacre-items").concat();
    let (status, printed) = checked(&format!("automaton perfect extends lossy_fifo_network {{ }}\n{items}"));
    assert_eq!(status, 0, "{printed}");
}

#[test]
fn unbuilt_constructs_are_parsed_and_reported() {
    let (status, printed) = checked(&of("docs/language.md", "nacre-unbuilt").concat());
    assert!(status != 0 && printed.contains("not built yet") && !printed.contains("[S0"), "{printed}");
}
