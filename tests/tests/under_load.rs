//! Every test file that involves processes, signals, sockets or time is on the list of tools/under-load.sh.

use nacre_tests::{files, root};

/// The signs of such a test. Programs that only run to completion, such as compilers, do not count.
const SIGNS: [&str; 14] = [
    ".spawn()",
    "UdpSocket::",
    "Listener::bind(",
    "Endpoint::",
    "TcpListener",
    "UnixStream",
    "UnixListener",
    "mkfifo",
    "process_group",
    "\"kill\"",
    ".try_wait(",
    "Instant::now()",
    "ThreadTime",
    "thread::sleep",
];

/// Files with a sign whose tests do not depend on it.
const EXCUSED: [(&str, &str); 3] = [
    ("tests/tests/differential.rs", "prints how long a campaign took"),
    ("tests/tests/frames.rs", "prints how long a campaign took"),
    ("tests/tests/mutations.rs", "ends a mutant that hangs"),
];

/// `cli/tests/transfer.rs` as an entry of the list: `nacre transfer`.
fn entry(path: &str) -> Option<String> {
    let (room, target) = path.strip_suffix(".rs")?.split_once("/tests/")?;
    let manifest = std::fs::read_to_string(root().join(room).join("Cargo.toml")).ok()?;
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = \""))?.trim_end_matches('"').to_string();
    let target = target.split('/').next()?;
    Some(format!("{name} {target}"))
}

#[test]
fn tests_that_could_depend_on_scheduling_are_run_under_load() {
    let script = std::fs::read_to_string(root().join("tools/under-load.sh")).expect("the script");
    let list: Vec<&str> = script.lines().skip_while(|line| !line.contains("<<'LIST'")).skip(1).collect();
    let is_listed = |entry: &str| list.iter().take_while(|line| **line != "LIST").any(|line| line.starts_with(entry));
    let mut found = 0;
    for file in files(&root(), ".rs") {
        let path = file.strip_prefix(root()).expect("below the root").display().to_string();
        let is_test = path.contains("/tests/") && !path.ends_with("under_load.rs") && !path.contains("/support/");
        if !is_test || EXCUSED.iter().any(|(excused, _)| path == *excused) {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("readable");
        let Some(sign) = SIGNS.iter().find(|sign| text.contains(**sign)) else {
            continue;
        };
        found += 1;
        let entry = entry(&path).unwrap_or_else(|| panic!("{path} belongs to no package"));
        assert!(
            is_listed(&entry),
            "{path} uses `{sign}`: put `{entry}` on the list of tools/under-load.sh and of docs/testing.md"
        );
    }
    assert!(found >= 8, "only {found} files were found");
}

/// The list contains test targets, so such a test cannot be in a source file.
#[test]
fn unit_tests_do_not_depend_on_scheduling() {
    let mut seen = 0;
    for file in files(&root(), ".rs") {
        let path = file.strip_prefix(root()).expect("below the root").display().to_string();
        let text = std::fs::read_to_string(&file).expect("readable");
        let tests = match path.ends_with("/tests.rs") && path.contains("/src/") {
            true => Some(text.as_str()),
            false => text.split_once("#[cfg(test)]\nmod tests {").map(|(_, tests)| tests),
        };
        let Some(tests) = tests.filter(|_| !path.contains("/tests/")) else {
            continue;
        };
        seen += 1;
        let sign = SIGNS.iter().find(|sign| tests.contains(**sign));
        assert_eq!(sign, None, "{path}: move this test to the folder `tests` of its crate, and put it on the list");
    }
    assert!(seen >= 20, "only {seen} files with unit tests were found");
}

#[test]
fn every_file_of_the_list_is_explained() {
    let script = std::fs::read_to_string(root().join("tools/under-load.sh")).expect("the script");
    let text = std::fs::read_to_string(root().join("docs/testing.md")).expect("the page");
    let list: Vec<&str> = script.lines().skip_while(|line| !line.contains("<<'LIST'")).skip(1).collect();
    for line in list.iter().take_while(|line| **line != "LIST") {
        let target = line.split(' ').nth(1).expect("a target");
        assert!(text.contains(&format!("{target}.rs`")), "docs/testing.md does not explain `{line}`");
    }
}
