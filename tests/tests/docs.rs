//! The tools accept the examples of the documents.

use std::path::Path;

use nacre_driver::Session;
use nacre_tests::library::declared;
use nacre_tests::{files, root};

/// The blocks of a document with this mark: the first line of each, and its text.
fn blocks(document: &Path, mark: &str) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(document).expect("readable");
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match &mut open {
            Some(_) if line.starts_with("```") => found.extend(open.take()),
            Some((_, text)) => {
                text.push_str(line);
                text.push('\n');
            }
            None if line.trim_end() == format!("```{mark}") => open = Some((number + 1, String::new())),
            None => {}
        }
    }
    assert!(open.is_none(), "{}: a block has no end", document.display());
    found
}

/// Returns the errors in a text whose imports are relative to this folder.
fn errors(folder: &Path, text: &str) -> Option<String> {
    let mut session = Session::from_text(&folder.join("block.nacre"), text);
    session.check();
    session.has_errors().then(|| session.render(false))
}

fn wrong(document: &str, mark: &str, folder: &str, whole: impl Fn(&str) -> String) -> (usize, Vec<String>) {
    let blocks = blocks(&root().join(document), mark);
    let wrong = blocks.iter().filter_map(|(line, text)| {
        let errors = errors(&root().join(folder), &whole(text))?;
        Some(format!("{document}, line {line}:\n{errors}"))
    });
    (blocks.len(), wrong.collect())
}

#[test]
fn whole_files_in_the_language_reference_compile() {
    let (count, wrong) = wrong("docs/language.md", "nacre", "docs", str::to_string);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 10, "only {count} blocks were found");
}

#[test]
fn members_in_the_language_reference_compile() {
    let head = "import \"../layers/interfaces.nacre\";\n";
    let (count, wrong) =
        wrong("docs/language.md", "nacre-part", "docs", |text| format!("{head}worker part {{\n{text}}}\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 10, "only {count} blocks were found");
}

#[test]
fn every_layer_has_a_readme_that_names_its_parameters() {
    let mut seen = 0;
    for folder in std::fs::read_dir(root().join("layers")).expect("the library").flatten().filter(|e| e.path().is_dir())
    {
        let name = folder.file_name().to_string_lossy().into_owned();
        let readme = std::fs::read_to_string(folder.path().join("README.md")).unwrap_or_default();
        assert!(readme.starts_with(&format!("# {name}\n")), "layers/{name}/README.md begins with the layer's name");
        assert!(readme.contains("**Purpose.**") && readme.contains("**How it works.**"), "layers/{name}/README.md");
        let session = Session::open(&[folder.path().join(format!("{name}.nacre"))]);
        assert!(!session.has_errors(), "{}", session.render(false));
        let worker = session
            .program
            .layers()
            .find(|layer| layer.name.name == name)
            .unwrap_or_else(|| panic!("layers/{name} declares it"));
        for parameter in &worker.parameters {
            let parameter = &parameter.name.name;
            assert!(readme.contains(parameter.as_str()), "layers/{name}/README.md does not name {parameter}");
            seen += 1;
        }
    }
    assert!(seen >= 10, "only {seen} parameters were found");
}

#[test]
fn every_layer_is_in_a_stack_and_has_tests() {
    let stacks = declared();
    for file in files(&root().join("layers"), "tests.nacre") {
        assert!(stacks.iter().any(|stack| stack.file == file), "{} declares no stack", file.display());
        let session = Session::open(std::slice::from_ref(&file));
        assert!(session.program.tests().count() > 0, "{} has no test", file.display());
    }
}
