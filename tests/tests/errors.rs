//! Every error of the type checker and of the driver, and those of composition that a source can cause, as a user sees
//! it: `errors/CODE.nacre` next to `errors/CODE.expected`.

use std::collections::BTreeSet;

use nacre_driver::Session;
use nacre_tests::{files, golden, root};

fn rendered(path: &std::path::Path) -> String {
    let text = std::fs::read_to_string(path).expect("readable");
    // Paths in messages are relative to the checkout.
    let mut session = Session::from_text(path, &text);
    session.check();
    session.render(false).replace(&format!("{}/", root().display()), "")
}

#[test]
fn each_error_reads_as_expected() {
    let mut wrong = Vec::new();
    let cases = files(&root().join("tests/errors"), ".nacre");
    assert!(cases.len() > 50, "only {} cases were found", cases.len());
    for case in cases {
        let actual = rendered(&case);
        let code = case.file_stem().expect("named").to_string_lossy().into_owned();
        let code = code.split('-').next().unwrap_or_default().to_string();
        if !actual.contains(&format!("[{code}]")) {
            wrong.push(format!("{}: does not tell {code}:\n{actual}", case.display()));
            continue;
        }
        if let Err(difference) = golden(&case.with_extension("expected"), &actual) {
            wrong.push(difference);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_case() {
    let cases: BTreeSet<String> = files(&root().join("tests/errors"), ".nacre")
        .iter()
        .filter_map(|f| Some(f.file_stem()?.to_string_lossy().split('-').next()?.to_string()))
        .collect();
    let mut told = BTreeSet::new();
    for room in ["compiler/typed/src"] {
        for file in files(&root().join(room), ".rs") {
            let text = std::fs::read_to_string(file).expect("readable");
            for (at, _) in text.match_indices('"') {
                let code: String = text[at + 1..].chars().take(5).collect();
                if code.len() == 5 && code.starts_with('T') && code[1..].bytes().all(|b| b.is_ascii_digit()) {
                    told.insert(code);
                }
            }
        }
    }
    assert!(told.len() > 50, "only {} codes were found", told.len());
    let missing: Vec<&String> = told.difference(&cases).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}
