//! A C program uses the runtime through its header, linked with the static library.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{cc, header_dir, scratch};

/// The static library that cargo made beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let deps = test.parent().unwrap();
    // `cargo build` leaves a copy one folder above, which may be older.
    deps.join("libnacre_runtime.a")
}

/// Compiles a program of `tests/stack` with the runtime and a stack, strictly, and runs it.
fn run(program: &str, defines: &[&str]) -> tempfile::TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = scratch();
    let output = folder.path().join("program");
    let path = |name: &str| root.join(name).display().to_string();
    let capture = format!("-DCAPTURE=\"{}\"", folder.path().join("program.pcap").display());
    let (source, stack) = (path(&format!("tests/stack/{program}.c")), path("tests/stack/window.c"));
    let (include, header) = (format!("-I{}", path("include")), format!("-I{}", header_dir().display()));
    let (library, made) = (library().display().to_string(), output.display().to_string());
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", &capture, &include, &header, &source, &stack, &library];
    cc(&[defines, &strict[..], &["-lpthread", "-ldl", "-lm", "-o", &made]].concat());
    let run = Command::new(&output).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.stdout, b"done\n");
    folder
}

#[test]
fn c_program_talks_through_the_runtime() {
    let folder = run("program", &[]);
    assert!(std::fs::metadata(folder.path().join("program.pcap")).unwrap().len() > 500 * (16 + 28 + 8));
}

#[test]
fn c_program_talks_in_secret() {
    run("secret", &["-DSECURE"]);
}

/// What a notice lends is overwritten by the next call in builds with debug assertions, so that a test of a program
/// finds it if it reads too late.
#[test]
fn c_program_uses_names_wakers_signals_and_pointers() {
    let overwrites: &[&str] = if cfg!(debug_assertions) { &["-DOVERWRITES"] } else { &[] };
    run("more", overwrites);
}

/// The header declares what the library has, and nothing else.
#[test]
fn header_declares_every_function() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(root.join("include/nacre_runtime.h")).unwrap();
    let mut declared: Vec<&str> = header
        .lines()
        .filter(|line| !line.trim_start().starts_with(['*', '/']))
        .filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("nacre_"))
        .collect();
    declared.sort_unstable();
    let mut defined = Vec::new();
    for entry in std::fs::read_dir(root.join("src")).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("c_")) {
            let source = std::fs::read_to_string(path).unwrap();
            let names = source.split("extern \"C\" fn ").skip(1).filter_map(|rest| rest.split('(').next());
            defined.extend(names.filter(|name| name.starts_with("nacre_")).map(str::to_string));
        }
    }
    defined.sort_unstable();
    assert!(defined.len() > 40, "{defined:?}");
    assert_eq!(declared, defined);
}

/// C++ programs include the same header.
#[test]
fn header_reads_as_cpp() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/nacre_runtime.h");
    cc(&["-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", &header.display().to_string()]);
}
