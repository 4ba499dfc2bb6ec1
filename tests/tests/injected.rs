//! The bugs that `tools/inject-bugs.sh`, `tools/seed-protocol-bugs.sh` and `tools/seed-router-bugs.sh` put into a copy of
//! the tree match it, and are in all components of the compiler and all layers of the library.

use nacre_driver::Session;
use nacre_tests::injected::{bugs, Bug};
use nacre_tests::{files, root};

/// The bugs of a list, each of which changes its file.
fn fitting(list: &str) -> Vec<Bug> {
    let bugs = bugs(&std::fs::read_to_string(root().join(list)).expect("the list is read"));
    let problem = |(number, bug): (usize, &Bug)| {
        let source = std::fs::read_to_string(root().join(&bug.file)).unwrap_or_default();
        match bug.apply(&source, number) {
            Ok(changed) => (changed == source).then(|| format!("{}: changes nothing", bug.name)),
            Err(problem) => Some(problem),
        }
    };
    let problems: Vec<String> = bugs.iter().enumerate().filter_map(problem).collect();
    assert!(problems.is_empty(), "adapt {list}:\n{}", problems.join("\n"));
    bugs
}

#[test]
fn each_bug_fits_the_source_that_it_changes() {
    let bugs = fitting("tools/injected-bugs.txt");
    for room in ["typed", "compose", "optimize", "backends/c"] {
        let count = bugs.iter().filter(|bug| bug.file.starts_with(&format!("compiler/{room}/"))).count();
        assert!(count >= 5, "{count} bugs in {room}");
    }
}

#[test]
fn each_layer_has_a_bug_that_fits() {
    let bugs = fitting("tools/seeded-protocol-bugs.txt");
    let layers = std::fs::read_dir(root().join("layers")).expect("there is a library").flatten();
    for layer in layers.filter(|entry| entry.path().is_dir()) {
        let folder = format!("layers/{}/", layer.file_name().to_string_lossy());
        assert!(bugs.iter().any(|bug| bug.file.starts_with(&folder)), "no bug in {folder}");
    }
}

/// A bug that the checker rejects would be none that the specifications must find.
#[test]
fn each_bug_of_a_layer_is_a_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let sources = |of: &str| files(&root().join(of), ".nacre").into_iter();
    for path in sources("layers").chain(sources("examples")) {
        let copy = folder.path().join(path.strip_prefix(root()).expect("below the root"));
        std::fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
        std::fs::copy(&path, copy).expect("copied");
    }
    let mut rejected = vec![];
    for (number, bug) in fitting("tools/seeded-protocol-bugs.txt").iter().enumerate() {
        let path = folder.path().join(&bug.file);
        let source = std::fs::read_to_string(&path).expect("readable");
        std::fs::write(&path, bug.apply(&source, number).expect("it fits")).expect("written");
        if Session::open(std::slice::from_ref(&path)).has_errors() {
            rejected.push(format!("{number} {}", bug.name));
        }
        std::fs::write(&path, source).expect("written");
    }
    assert!(rejected.is_empty(), "no programs:\n{}", rejected.join("\n"));
}

#[test]
fn each_bug_of_the_router_fits_the_source_with_those_before_it() {
    let mut sources = std::collections::BTreeMap::new();
    for (number, bug) in fitting("tools/seeded-router-bugs.txt").iter().enumerate() {
        let read = || std::fs::read_to_string(root().join(&bug.file)).expect("readable");
        let source = sources.entry(bug.file.clone()).or_insert_with(read);
        *source = bug.apply(source, number).expect("one build contains all bugs");
    }
    assert!(sources.len() >= 5, "bugs in several files");
}
