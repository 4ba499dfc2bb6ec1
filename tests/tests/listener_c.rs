//! The emitted listener as C: strict compilers accept it, it has no globals and needs no library, and frames of an
//! attacker do not make it leave its memory.

use std::path::Path;
use std::process::Command;

use nacre_backend_c::INTERFACE;
use nacre_driver::Level;
use nacre_runtime::{listener_header, listener_source};
use nacre_tests::library::find;
use nacre_tests::machines::Machines;
use nacre_tests::{root, soaking};

const STRICT: [&str; 8] =
    ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-ffreestanding"];
const COMPILERS: [&str; 2] = ["gcc", "clang"];

/// A folder with the listener and a stack, as `nacre build --with-listener` writes them.
fn emitted(stack: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    let text = Machines::new(&find(stack)).text(Level::Call);
    write(&format!("{stack}.h"), &text.header);
    write(&format!("{stack}.c"), &text.source);
    write("nacre_listener.h", &listener_header(INTERFACE));
    write("nacre_listener.c", &listener_source());
    write("stack.h", &format!("#include \"{stack}.h\"\n#define STACK {stack}_stack\n"));
    folder
}

/// Runs a program in a folder; returns what it printed.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let ran = Command::new(program).current_dir(folder).args(arguments).output().expect("the program is there");
    let words = [ran.stdout, ran.stderr].concat();
    let words = String::from_utf8_lossy(&words).into_owned();
    if ran.status.success() {
        Ok(words)
    } else {
        Err(words)
    }
}

fn compile(folder: &Path, compiler: &str, arguments: &[&str]) {
    run(folder, compiler, arguments).unwrap_or_else(|words| panic!("{compiler} {arguments:?}: {words}"));
}

#[test]
fn strict_compilers_accept_it() {
    let folder = emitted("reliable");
    for compiler in COMPILERS {
        for level in ["-Os", "-O2"] {
            let arguments = [&STRICT[..], &[level, "-c", "nacre_listener.c", "-o", "listener.o"]].concat();
            compile(folder.path(), compiler, &arguments);
        }
    }
    // A compiler of C++ reads the header, twice and beside that of a stack.
    let text = "#include \"nacre_listener.h\"\n#include \"reliable.h\"\n#include \"nacre_listener.h\"\n\
                size_t size(const nacre_listener_options *o) { return nacre_listener_size(o); }\n";
    std::fs::write(folder.path().join("both.cc"), text).expect("written");
    for compiler in ["g++", "clang++"] {
        let strict = ["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", "both.cc", "-o", "both.o"];
        compile(folder.path(), compiler, &strict);
    }
}

#[test]
fn processors_of_32_bits_can_run_it() {
    let folder = emitted("reliable");
    // The system may have no headers of C for this processor; the listener uses three functions.
    let text = "#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t);\nvoid *memset(void *, int, size_t);\n\
                int memcmp(const void *, const void *, size_t);\n";
    std::fs::create_dir(folder.path().join("libc")).expect("a folder");
    std::fs::write(folder.path().join("libc/string.h"), text).expect("written");
    for compiler in COMPILERS {
        let more = ["-m32", "-Ilibc", "-Os", "-c", "nacre_listener.c", "-o", "listener.o"];
        compile(folder.path(), compiler, &[&STRICT[..], &more].concat());
    }
}

#[test]
fn it_has_no_globals_and_calls_three_functions() {
    let folder = emitted("reliable");
    compile(folder.path(), "gcc", &[&STRICT[..], &["-Os", "-c", "nacre_listener.c", "-o", "listener.o"]].concat());
    let symbols = run(folder.path(), "nm", &["listener.o"]).expect("symbols");
    for line in symbols.lines() {
        let mut words = line.split_whitespace().rev();
        let (name, kind) = (words.next().expect("a name"), words.next().expect("a kind"));
        match kind {
            "t" | "r" => {}
            "T" => assert!(name.starts_with("nacre_listener_"), "{line}"),
            "U" => {
                assert!(["memcpy", "memset", "memcmp", "memmove", "_GLOBAL_OFFSET_TABLE_"].contains(&name), "{line}")
            }
            _ => panic!("{line}"),
        }
    }
}

/// Random frames, old frames, frames with mistakes, from any address; calls at any time.
#[test]
fn attackers_do_not_make_it_leave_its_memory() {
    for (stack, compilers) in [("reliable", &COMPILERS[..1]), ("check_fifo_good", &COMPILERS)] {
        let folder = emitted(stack);
        let source = root().join("tests/c/listener.c").display().to_string();
        let file = format!("{stack}.c");
        for compiler in compilers {
            let sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
            let more = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I.", "-o", "attacked"];
            let files = [source.as_str(), &file, "nacre_listener.c"];
            compile(folder.path(), compiler, &[&sanitize[..], &more, &files].concat());
            let (seeds, steps) = if soaking() { (200, "50000") } else { (3, "5000") };
            for seed in 1..=seeds {
                let ran = run(folder.path(), "./attacked", &[&seed.to_string(), steps]);
                ran.unwrap_or_else(|words| panic!("{stack}, {compiler}, seed {seed}: {words}"));
            }
        }
    }
}
