//! Dependencies between crates, and other properties of the source itself.

use std::collections::BTreeMap;

use nacre_tests::source::{functions, literals, sources, Literal, Source};
use nacre_tests::{files, root};

/// The crates of the project that a crate depends on, from its manifest.
fn imports(manifest: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(manifest)).expect("a manifest for each room");
    let text = text.split("[dev-dependencies]").next().unwrap_or("").split("[build-dependencies]").next().unwrap_or("");
    let mut found: Vec<String> = text
        .lines()
        .filter_map(|l| l.strip_prefix("nacre-")?.split(['.', ' ', '=']).next().map(str::to_string))
        .collect();
    found.sort();
    found
}

#[test]
fn crates_import_only_what_the_architecture_allows() {
    let allowed: &[(&str, &[&str])] = &[
        ("compiler/diagnostics/Cargo.toml", &[]),
        ("compiler/syntax/Cargo.toml", &["diagnostics"]),
        ("compiler/stack/Cargo.toml", &["diagnostics"]),
        ("compiler/analysis/Cargo.toml", &["stack"]),
        ("compiler/specification/Cargo.toml", &["diagnostics"]),
        ("compiler/typed/Cargo.toml", &["diagnostics", "specification", "stack", "syntax"]),
        ("compiler/compose/Cargo.toml", &["analysis", "diagnostics", "stack", "syntax", "typed"]),
        ("compiler/optimize/Cargo.toml", &["analysis", "stack"]),
        ("compiler/backends/c/Cargo.toml", &["analysis", "stack"]),
        ("compiler/backends/promela/Cargo.toml", &["analysis", "specification", "stack"]),
        ("runtime/Cargo.toml", &[]),
        ("simulator/Cargo.toml", &["process", "runtime", "stack"]),
        ("hosts/Cargo.toml", &["runtime", "simulator", "specification", "stack"]),
        ("worlds/Cargo.toml", &["analysis", "diagnostics", "driver", "specification", "stack", "syntax"]),
        ("mutants/Cargo.toml", &["analysis", "stack"]),
        ("process/Cargo.toml", &[]),
        ("profiles/Cargo.toml", &["driver", "prover", "simulator", "stack"]),
        ("compiler/symbolic/Cargo.toml", &["stack"]),
        ("compiler/bypass/Cargo.toml", &["stack", "symbolic"]),
        ("prover/Cargo.toml", &["bypass", "certificates", "process", "stack", "symbolic"]),
        ("certificates/Cargo.toml", &[]),
        ("handshakes/Cargo.toml", &[]),
        ("encapsulation/Cargo.toml", &["process"]),
        ("library/Cargo.toml", &[]),
        ("rust-build/Cargo.toml", &["driver", "library"]),
        ("rust-tokio/Cargo.toml", &["runtime"]),
        ("checker/Cargo.toml", &["analysis", "specification", "stack", "worlds"]),
        (
            "spin/Cargo.toml",
            &[
                "analysis",
                "backend-c",
                "backend-promela",
                "checker",
                "driver",
                "process",
                "specification",
                "stack",
                "worlds",
            ],
        ),
    ];
    for (manifest, allowed) in allowed {
        for import in imports(manifest) {
            assert!(allowed.contains(&import.as_str()), "{manifest} must not depend on nacre-{import}");
        }
    }
}

/// What each part of the C of `encapsulation` may include of the others.
#[test]
fn c_of_encapsulation_includes_only_what_the_architecture_allows() {
    let room = root().join("encapsulation");
    let shared = ["streams", "bsd", "stacks/common"];
    let mut seen = 0;
    for file in files(&room, ".c").into_iter().chain(files(&room, ".h")) {
        let path = file.strip_prefix(&room).expect("below the room").display().to_string();
        if path.starts_with("tests/") || path.starts_with("measure/") {
            continue;
        }
        let parts = path.split('/').take(if path.starts_with("stacks/") { 2 } else { 1 });
        let own = parts.collect::<Vec<_>>().join("/");
        let allowed = match own.as_str() {
            "streams" => &shared[..0],
            "stacks/common" => &shared[..1],
            _ => &shared[..],
        };
        let text = std::fs::read_to_string(&file).expect("readable");
        for include in text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"')) {
            let of_room = ["streams/", "bsd/", "stacks/", "measure/"].iter().any(|part| include.starts_with(part));
            let is_own = include.starts_with(&format!("{own}/")) || file.with_file_name("").join(include).exists();
            // Of AppleTalk, which is written as foreign code is, the folders are relative to its own.
            if of_room && !is_own && !room.join(&own).join(include).exists() {
                seen += 1;
                let fits = allowed.iter().any(|part| include.starts_with(&format!("{part}/")));
                assert!(fits, "encapsulation/{path} must not include {include}");
            }
        }
    }
    assert!(seen > 20, "only {seen} inclusions were found");
}

/// The names of the library's layers.
fn layers() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("layers")).expect("the library").flatten();
    folders.filter(|e| e.path().is_dir()).map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

/// `lose` for `Lose`, `set_timer` for `SetTimer`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// A name of a layer that is also an English word may be a word of the language, of the command line or of a saved run.
/// It is then in a table, next to the variant that it denotes. Tables of `syntax`, which reads no layers, contain words
/// alone.
fn is_word(literal: &Literal, path: &str) -> bool {
    let named = || literal.beside.iter().any(|variant| snake(variant) == literal.value);
    literal.in_table && (path.starts_with("compiler/syntax/") || named())
}

/// Compiler, checkers, simulator, runtime and command line, without exception.
#[test]
fn no_tool_knows_a_layer_by_name() {
    let (names, mut wrong, mut words) = (layers(), vec![], 0);
    assert!(names.len() > 10, "the library has layers");
    for source in sources().iter().filter(|source| !source.path.starts_with("benches/")) {
        for literal in literals(&source.tree) {
            // A path, or a name in a text without spaces, counts as well.
            let parts = literal.value.split(|c: char| !c.is_alphanumeric() && c != '_');
            let has_name =
                parts.filter(|_| !literal.value.contains(' ')).any(|part| names.iter().any(|name| name == part));
            if has_name && !is_word(&literal, &source.path) {
                wrong.push(format!("{}:{}: {:?}", source.path, literal.line, literal.value));
            }
            words += usize::from(has_name);
        }
    }
    assert!(wrong.is_empty(), "these name a layer:\n{}", wrong.join("\n"));
    assert!(words > 3, "words that are also names of layers are recognized");
}

#[test]
fn names_of_layers_are_recognized_in_code() {
    let code = "
        const WORDS: [(Fault, &str); 2] = [(Fault::Lose, \"lose\"), (Fault::Late, \"delay\")];
        fn f(name: &str) -> bool { matches!(name, \"pt2pt\") || name == \"floor\" || g(format!(\"{}\", \"frag\")) }
        #[cfg(test)] mod tests { const NAME: &str = \"crc32c\"; }
    ";
    let found = literals(&syn::parse_file(code).expect("it parses"));
    let shown: Vec<(&str, bool)> = found.iter().map(|l| (l.value.as_str(), is_word(l, "checker/src/a.rs"))).collect();
    assert_eq!(
        shown,
        [("lose", true), ("delay", false), ("pt2pt", false), ("floor", false), ("{}", false), ("frag", false)]
    );
}

/// The allowed exceptions: `tests/sizes.txt`. A line is a kind, a path, and the maximum.
fn allowed() -> BTreeMap<(String, String), usize> {
    let text = std::fs::read_to_string(root().join("tests/sizes.txt")).expect("readable");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let entry = |line: &str| {
        let [kind, path, most] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("not an entry: {line}")
        };
        ((kind.to_string(), path.to_string()), most.parse().expect("a number"))
    };
    lines.map(entry).collect()
}

/// The limit of lines of a file; a file that states a reason may have more.
const LINES: usize = 400;
const LINES_WITH_REASON: usize = 500;
/// The prefix of the reason in the head of such a file.
const REASON: &str = "//! Longer than others: ";
const LINES_OF_FUNCTION: usize = 80;
const PARAMETERS: usize = 6;
const COLUMNS: usize = 120;

/// Everything that exceeds the limits of CONTRIBUTING.md.
fn offenders() -> BTreeMap<(String, String), usize> {
    let mut found = BTreeMap::new();
    for Source { path, text, tree } in sources() {
        let mut add = |kind: &str, path: String, amount: usize| {
            if amount > 0 {
                found.insert((kind.to_string(), path), amount);
            }
        };
        let lines = text.lines().count();
        let most = if text.contains(REASON) { LINES_WITH_REASON } else { LINES };
        add("file", path.clone(), if lines > most { lines } else { 0 });
        add("columns", path.clone(), text.lines().filter(|line| line.chars().count() > COLUMNS).count());
        let (functions, undocumented) = functions(&tree);
        for function in functions.iter().filter(|f| f.lines > LINES_OF_FUNCTION && !f.is_table) {
            add("function", format!("{path}:{}", function.name), function.lines);
        }
        for function in functions.iter().filter(|f| f.parameters > PARAMETERS) {
            add("parameters", format!("{path}:{}", function.name), function.parameters);
        }
        add("undocumented", path, undocumented.len());
    }
    found
}

/// The list may only shrink. `BLESS=1` lowers its numbers and removes obsolete entries; it adds nothing.
#[test]
fn sizes_are_within_limits_or_on_the_list_that_shrinks() {
    let (allowed, found) = (allowed(), offenders());
    let over = |(key, amount): (&(String, String), &usize)| {
        let most = allowed.get(key).copied().unwrap_or(0);
        (*amount > most).then(|| format!("{} {}: {amount}, allowed are {most}", key.0, key.1))
    };
    let over: Vec<String> = found.iter().filter_map(over).collect();
    assert!(over.is_empty(), "over the limits of CONTRIBUTING.md (split, shorten or document):\n{}", over.join("\n"));
    if std::env::var_os("BLESS").is_some() {
        let head =
            "# What is over the limits of CONTRIBUTING.md. This list may only shrink: BLESS=1 removes what is done.\n";
        let lines: String = found.iter().map(|((kind, path), amount)| format!("{kind} {path} {amount}\n")).collect();
        std::fs::write(root().join("tests/sizes.txt"), head.to_string() + &lines).expect("writable");
    }
}

#[test]
fn modules_have_a_summary() {
    for file in files(&root().join("compiler"), ".rs").into_iter().filter(|f| f.display().to_string().contains("/src/"))
    {
        let text = std::fs::read_to_string(&file).expect("readable");
        assert!(text.starts_with("//! "), "{} has no module head", file.display());
    }
}
