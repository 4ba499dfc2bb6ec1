//! ARCHITECTURE.md, docs/runtime.md and CONTRIBUTING.md match the tree: the components, paths and entry points that
//! they name exist.

use nacre_tests::{files, root};

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("readable")
}

/// The text between backquotes, outside of blocks.
fn spans(text: &str) -> Vec<String> {
    let prose: Vec<&str> = text.split("```").step_by(2).collect();
    prose.iter().flat_map(|part| part.split('`').skip(1).step_by(2)).map(str::to_string).collect()
}

/// Whether a span is a path of the checkout: it contains a folder, and no code.
fn is_path(span: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    span.contains('/') && span.chars().all(plain) && !span.starts_with('/')
}

#[test]
fn paths_that_documents_name_exist() {
    let mut seen = 0;
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/testing.md", "docs/runtime.md"] {
        for path in spans(&text(document)).into_iter().filter(|span| is_path(span) && !span.starts_with("target/")) {
            // ARCHITECTURE.md names tests relative to the crate of the tests; tests name their data.
            let places = [root().join(&path), root().join("tests").join(&path)];
            assert!(places.iter().any(|place| place.exists()), "{document} names {path}");
            seen += 1;
        }
    }
    assert!(seen >= 30, "only {seen} paths were found");
}

/// The rows of the table of components: the folder, and the entry point.
fn rooms() -> Vec<(String, String)> {
    let map = text("ARCHITECTURE.md");
    let rows = map.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        (cells[0].trim_matches('`').to_string(), cells.last().unwrap_or(&"").trim_matches('|').trim().to_string())
    })
    .collect()
}

#[test]
fn every_crate_is_a_component_and_every_component_exists() {
    let rooms = rooms();
    let manifest = text("Cargo.toml");
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next()).expect("members");
    for member in members.split('"').skip(1).step_by(2) {
        assert!(rooms.iter().any(|(room, _)| room == member), "ARCHITECTURE.md does not name {member}");
    }
    for (room, _) in &rooms {
        assert!(root().join(room).is_dir(), "ARCHITECTURE.md names {room}");
    }
}

#[test]
fn entry_points_of_components_are_declared() {
    for (room, starts) in rooms() {
        let sources = files(&root().join(&room), ".rs");
        let all: String = sources.iter().map(|path| std::fs::read_to_string(path).expect("readable")).collect();
        for point in spans(&starts).iter().filter(|point| !point.is_empty()) {
            let names: Vec<&str> = point.split("::").collect();
            let name = names.last().unwrap_or(&"");
            let kinds = ["fn", "struct", "enum", "mod", "trait", "const"];
            let declared = kinds.iter().any(|kind| all.contains(&format!("{kind} {name}")));
            assert!(declared, "ARCHITECTURE.md: {room} has no {point}");
        }
    }
}

/// The figures of the README are those of `make bench`.
#[test]
fn figures_of_the_readme_are_measured() {
    let readme = text("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let tables = text("docs/performance.md");
    let row = tables.lines().find(|line| line.starts_with("| reliable_plain | 3 | inline |")).expect("a row");
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let instructions = cells.iter().find_map(|cell| cell.strip_prefix("**")?.strip_suffix("**")).expect("a sum");
    let ratio: f64 =
        cells.iter().filter(|cell| cell.contains('.')).find_map(|cell| cell.parse().ok()).expect("a ratio");
    let claim = format!("costs {instructions} instructions (send and deliver), {ratio:.1} times");
    assert!(readme.contains(&claim), "README.md does not say: {claim}");
}
