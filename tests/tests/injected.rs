//! The bugs that `tools/inject-bugs.sh` injects match the tree, and are in all components of the compiler.

use nacre_tests::injected::bugs;
use nacre_tests::root;

#[test]
fn each_bug_fits_the_source_that_it_changes() {
    let list = std::fs::read_to_string(root().join("tools/injected-bugs.txt")).expect("the list is read");
    let bugs = bugs(&list);
    let problems: Vec<String> = bugs
        .iter()
        .enumerate()
        .filter_map(|(number, bug)| {
            let source = std::fs::read_to_string(root().join(&bug.file)).unwrap_or_default();
            match bug.apply(&source, number) {
                Ok(changed) => (changed == source).then(|| format!("{}: changes nothing", bug.name)),
                Err(problem) => Some(problem),
            }
        })
        .collect();
    assert!(problems.is_empty(), "adapt tools/injected-bugs.txt:\n{}", problems.join("\n"));
    for room in ["typed", "compose", "optimize", "backends/c"] {
        let count = bugs.iter().filter(|bug| bug.file.starts_with(&format!("compiler/{room}/"))).count();
        assert!(count >= 5, "{count} bugs in {room}");
    }
}
