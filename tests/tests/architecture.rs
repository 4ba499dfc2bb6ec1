//! Who may import whom, and other promises about the source itself.

use nacre_tests::{files, root};

/// The crates of ours that a crate depends on, from its manifest.
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
fn rooms_import_only_what_the_architecture_allows() {
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
        ("simulator/Cargo.toml", &["runtime", "stack"]),
        ("worlds/Cargo.toml", &["analysis", "diagnostics", "driver", "specification", "stack", "syntax"]),
        ("mutants/Cargo.toml", &["analysis", "stack"]),
        ("process/Cargo.toml", &[]),
        ("prover/Cargo.toml", &["process"]),
        ("checker/Cargo.toml", &["analysis", "specification", "stack", "worlds"]),
        (
            "spin/Cargo.toml",
            &[
                "analysis",
                "backend-c",
                "backend-promela",
                "checker",
                "optimize",
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

#[test]
fn the_compiler_knows_no_layer_by_name() {
    let names: Vec<String> = std::fs::read_dir(root().join("layers"))
        .expect("the library")
        .flatten()
        .filter(|e| e.path().is_dir())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        // Words of English and of the language that are also names of layers.
        .filter(|n| {
            !["drop", "delay", "credit", "floor", "duplicate", "reorder", "corrupt", "checksum"].contains(&n.as_str())
        })
        .collect();
    assert!(!names.is_empty(), "the library has layers");
    for file in files(&root().join("compiler"), ".rs") {
        let path = file.display().to_string();
        if path.contains("/tests/") || path.contains("samples") || path.contains("examples") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("readable");
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        for line in code.lines().filter(|l| !l.trim_start().starts_with("//")) {
            for name in &names {
                assert!(!line.contains(&format!("\"{name}\"")), "{path} names the layer `{name}`: {line}");
            }
        }
    }
}

#[test]
fn no_file_grows_beyond_one_sitting() {
    let long: Vec<String> = files(&root(), ".rs")
        .into_iter()
        .filter_map(|f| {
            let lines = std::fs::read_to_string(&f).ok()?.lines().count();
            (lines > 950).then(|| format!("{} ({lines} lines)", f.display()))
        })
        .collect();
    assert!(long.is_empty(), "split these: {}", long.join(", "));
}

#[test]
fn modules_say_what_they_are() {
    for file in files(&root().join("compiler"), ".rs").into_iter().filter(|f| f.display().to_string().contains("/src/"))
    {
        let text = std::fs::read_to_string(&file).expect("readable");
        assert!(text.starts_with("//! "), "{} has no module head", file.display());
    }
}
