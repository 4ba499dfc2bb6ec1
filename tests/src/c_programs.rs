//! Programs in C on the runtime, with stacks of the examples.

use std::path::{Path, PathBuf};
use std::process::Command;

use nacre_driver::{Emitted, Level, Session};
use nacre_runtime::Stack;
use nacre_simulator::toolchain::{Text, Toolchain};

use crate::root;

/// The C of a stack of `examples`.
pub fn emitted(file: &str, name: &str) -> Emitted {
    let mut session = Session::open(&[root().join("examples").join(file)]);
    let stack = session.stack(name).expect("the stack is valid");
    session.emit(&stack, Level::Inline, None)
}

/// The same, compiled and loaded.
pub fn loaded(file: &str, name: &str) -> Stack {
    let Emitted { header, source, .. } = emitted(file, name);
    let (header_name, symbol) = (&format!("{name}.h"), &format!("{name}_stack"));
    let text = Text { header_name, header: &header, source: &source, symbol };
    Toolchain::find().expect("a C compiler").load(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// The library for C programs that cargo made beside this test.
fn library() -> PathBuf {
    std::env::current_exe().expect("a path").with_file_name("libnacre_runtime.a")
}

/// Compiles a program of `tests/tests` with the runtime and a stack, strictly, and runs it: it prints `done`.
pub fn run(program: &str, (file, name): (&str, &str)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Emitted { header, source, .. } = emitted(file, name);
    for (name, text) in [(format!("{name}.h"), &header), (format!("{name}.c"), &source)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let made = folder.path().join("program");
    let path = |path: &Path| path.display().to_string();
    let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    compiler.args(["-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-Dalways_inline=unused", "-Wno-attributes"]);
    compiler.args([format!("-I{}", path(&root().join("runtime/include"))), format!("-I{}", path(folder.path()))]);
    compiler.args([root().join("tests/tests").join(program), folder.path().join(format!("{name}.c"))]);
    compiler.args([&path(&library()), "-lpthread", "-ldl", "-lm", "-o", &path(&made)]);
    let compiled = compiler.output().expect("a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&made).output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.stdout, b"done\n");
}
