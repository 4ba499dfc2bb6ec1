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

#[test]
fn c_program_talks_through_the_runtime() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = scratch();
    let program = folder.path().join("program");
    let path = |name: &str| root.join(name).display().to_string();
    let (stack, source, include) = (path("tests/stack/window.c"), path("tests/stack/program.c"), path("include"));
    let (include, header) = (format!("-I{include}"), format!("-I{}", header_dir().display()));
    let (library, output) = (library().display().to_string(), program.display().to_string());
    let capture = folder.path().join("program.pcap");
    let define = format!("-DCAPTURE=\"{}\"", capture.display());
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", &define, &include, &header, &source, &stack, &library];
    cc(&[&strict[..], &["-lpthread", "-ldl", "-lm", "-o", &output]].concat());
    let run = Command::new(&program).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.stdout, b"done\n");
    assert!(std::fs::metadata(&capture).unwrap().len() > 500 * (16 + 28 + 8));
}

#[test]
fn c_program_talks_in_secret() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = scratch();
    let program = folder.path().join("secret");
    let path = |name: &str| root.join(name).display().to_string();
    let (stack, source) = (path("tests/stack/window.c"), path("tests/stack/secret.c"));
    let (include, header) = (format!("-I{}", path("include")), format!("-I{}", header_dir().display()));
    let (library, output) = (library().display().to_string(), program.display().to_string());
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-DSECURE", &include, &header, &source, &stack, &library];
    cc(&[&strict[..], &["-lpthread", "-ldl", "-lm", "-o", &output]].concat());
    let run = Command::new(&program).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.stdout, b"done\n");
}

/// C++ programs include the same header.
#[test]
fn header_reads_as_cpp() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/nacre_runtime.h");
    cc(&["-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", &header.display().to_string()]);
}
