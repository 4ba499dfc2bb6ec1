//! The runtime that `nacre runtime` installs, for programs in C, C++ and Python: in empty folders, without the checkout.
//! What is installed is the library that Cargo made beside these tests; that `nacre runtime` compiles it itself is a
//! long campaign.

mod common;

use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use common::{blocks, cargo_run, ran, root, Running};
use tempfile::TempDir;

/// The folder with the library that Cargo made beside this test.
fn built() -> PathBuf {
    std::env::current_exe().expect("this test").parent().expect("a folder").to_path_buf()
}

fn nacre() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nacre"));
    command.env("XDG_CONFIG_HOME", "/dev/null");
    command
}

/// Runs a command that succeeds; returns its standard output.
fn succeeds(command: &mut Command) -> String {
    let (status, out, words) = ran(command);
    assert_eq!(status, 0, "{command:?}\n{out}\n{words}");
    out
}

/// What that program runs.
const STACK: &str = "import \"nacre/pt2pt.nacre\";\nimport \"nacre/floor.nacre\";\nstack mine = pt2pt<8> / floor;\n";

/// A program that sends itself a message; C++ reads it, too.
const PROGRAM: &str = r#"
#include <nacre_runtime.h>
#include <stdio.h>
#include "mine.h"

int main(void) {
    struct nacre_listener *server = nacre_listen("localhost", 0, NULL), *client = nacre_listen(NULL, 0, NULL);
    uint64_t connection;
    if (!server || !client || nacre_serve(server, &mine_stack) != NACRE_RUN_OK) return 1;
    if (nacre_connect(client, "localhost", nacre_local_port(server), &mine_stack, &connection) != NACRE_RUN_OK ||
        nacre_send(client, connection, "hello", 5) != NACRE_RUN_OK) {
        puts(nacre_error(client));
        return 1;
    }
    struct nacre_notice notice;
    for (int turn = 0; turn < 10000; turn++) {
        while (nacre_poll(client, 0, &notice) == NACRE_RUN_OK) {}
        if (nacre_poll(server, 1, &notice) != NACRE_RUN_OK || notice.kind != NACRE_NOTICE_DELIVERED) continue;
        printf("%.*s\n", (int)notice.len, (const char *)notice.data);
        nacre_listener_free(client);
        nacre_listener_free(server);
        return 0;
    }
    return 1;
}
"#;

#[test]
fn programs_in_c_and_cpp_are_linked_with_what_is_installed() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("main.c"), PROGRAM).expect("written");
    fs::write(at("main.cpp"), PROGRAM).expect("written");
    fs::write(at("mine.nacre"), STACK).expect("written");
    // Twice: it takes the place of an older one.
    for _ in 0..2 {
        let install = ["runtime", "--install", "prefix", "--built"];
        let out = succeeds(nacre().args(install).arg(built()).current_dir(&folder));
        assert_eq!(out.lines().count(), 9, "{out}");
    }
    let build = ["build", "mine.nacre", "--stack", "mine", "-o", ".", "--level", "inline", "--name", "mine"];
    succeeds(nacre().args(build).current_dir(&folder));
    let pkg_config = |wanted: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.args(wanted).arg("nacre-runtime").env("PKG_CONFIG_PATH", at("prefix/lib/pkgconfig"));
        succeeds(&mut command).split_whitespace().map(str::to_string).collect::<Vec<_>>()
    };
    let (shared, all) = (pkg_config(&["--cflags", "--libs"]), pkg_config(&["--cflags", "--libs", "--static"]));
    assert_eq!(pkg_config(&["--modversion"]), [env!("CARGO_PKG_VERSION")]);
    let archive = at("prefix/lib/libnacre_runtime.a");
    let (object, strict) = (at("mine.o"), ["-Wall", "-Wextra", "-Werror", "-O1"]);
    succeeds(Command::new("cc").args(["-std=c11", "-O1", "-c", &at("mine.c"), "-o", &object]));
    for (compiler, source) in [("cc", "main.c"), ("c++", "main.cpp")] {
        let program = at(&format!("shared-{source}"));
        let mut link = Command::new(compiler);
        link.args(strict).args([&at(source), &object]).args(&shared).args(["-o", &program]);
        succeeds(&mut link);
        assert_eq!(succeeds(Command::new(&program).env("LD_LIBRARY_PATH", at("prefix/lib"))), "hello\n");
        let program = at(&format!("static-{source}"));
        let libraries = all.iter().map(|flag| if flag == "-lnacre_runtime" { &archive } else { flag });
        let mut link = Command::new(compiler);
        link.args(strict).args([&at(source), &object]).args(libraries).args(["-o", &program]);
        succeeds(&mut link);
        assert_eq!(succeeds(&mut Command::new(&program)), "hello\n");
    }
}

/// Of docs/runtime.md, in this language.
fn of_the_guide(word: &str) -> String {
    let found: Vec<String> =
        blocks("docs/runtime.md").into_iter().filter(|(own, _)| own == word).map(|(_, text)| text).collect();
    assert_eq!(found.len(), 1, "docs/runtime.md has one block of {word}");
    found.concat()
}

#[test]
fn cmake_of_the_guide_finds_what_is_installed() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let install = ["runtime", "--install", "prefix", "--built"];
    succeeds(nacre().args(install).arg(built()).current_dir(&folder));
    fs::write(at("main.c"), PROGRAM.replace("mine", "chat")).expect("written");
    let stack = STACK.replace("mine", "chat");
    fs::write(at("chat.nacre"), &stack).expect("written");
    let guide = of_the_guide("cmake");
    let both = format!(
        "cmake_minimum_required(VERSION 3.18)\nproject(mine CXX)\nadd_executable(program main.c)\n{guide}\n\
         add_executable(static main.c)\ntarget_link_libraries(static chat Nacre::runtime_static)\n"
    );
    let configure = |version: &str| {
        let text = both.replace("NacreRuntime REQUIRED", &format!("NacreRuntime {version} REQUIRED"));
        fs::write(at("CMakeLists.txt"), text).expect("written");
        let mut command = Command::new("cmake");
        command.args(["-S", ".", "-B", "made"]).current_dir(&folder).env("CMAKE_PREFIX_PATH", at("prefix"));
        command.arg(format!("-DNACRE={}", env!("CARGO_BIN_EXE_nacre")));
        command
    };
    succeeds(&mut configure("0.1"));
    succeeds(Command::new("cmake").args(["--build", "made"]).current_dir(&folder));
    for program in ["program", "static"] {
        assert_eq!(succeeds(&mut Command::new(at("made").join(program))), "hello\n");
    }
    // The stack is compiled again when its source changes.
    fs::write(at("chat.nacre"), stack.replace("pt2pt<8>", "nothing")).expect("written");
    let (status, out, words) = ran(Command::new("cmake").args(["--build", "made"]).current_dir(&folder));
    assert!(status != 0 && (out + &words).contains("chat.nacre:3"), "{words}");
    let (status, _, words) = ran(&mut configure("9.0"));
    assert!(status != 0 && words.contains("9.0"), "{words}");
}

#[test]
fn python_of_the_guide_runs() {
    let folder = TempDir::new().expect("a folder");
    let install = ["runtime", "--python", ".", "--built"];
    succeeds(nacre().args(install).arg(built()).current_dir(&folder));
    let mut program = Command::new("python3");
    program.args(["-c", &of_the_guide("python")]).current_dir(root()).env("PYTHONPATH", folder.path());
    assert_eq!(succeeds(program.env("NACRE", env!("CARGO_BIN_EXE_nacre"))), "b'hello'\n");
}

#[test]
fn clients_of_the_tutorial_have_ten_lines_and_say_hello() {
    let examples = root().join("examples");
    for (word, file) in
        [("rust", "rust-embed/src/bin/client.rs"), ("c", "c-runtime/client.c"), ("python", "python-embed/client.py")]
    {
        let program = fs::read_to_string(examples.join(file)).expect("an example");
        assert!(program.lines().count() <= 10, "{file}");
        let shown = |(own, text): &(String, String)| own == word && text.trim() == program.trim();
        assert!(blocks("docs/tutorial-app.md").iter().any(shown), "{file} is not the client of the tutorial");
    }
    let folder = TempDir::new().expect("a folder");
    for install in ["--install", "--python"] {
        succeeds(nacre().args(["runtime", install, "prefix", "--built"]).arg(built()).current_dir(&folder));
    }
    let (prefix, made) = (folder.path().join("prefix"), folder.path().join("made"));
    let mut make = Command::new("make");
    make.current_dir(examples.join("c-runtime")).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    make.arg(format!("BUILD={}", made.display())).arg(format!("NACRE={}", env!("CARGO_BIN_EXE_nacre")));
    succeeds(make.arg("CFLAGS=-std=c11 -O1 -Wall -Wextra -Werror"));
    // The documents name one port.
    let until = Instant::now() + Duration::from_secs(120);
    while let Err(error) = UdpSocket::bind("[::]:7000") {
        assert!(Instant::now() < until, "port 7000: {error}");
        std::thread::sleep(Duration::from_millis(100));
    }
    let _server = Running(Command::new(made.join("server")).spawn().expect("a server"));
    assert_eq!(succeeds(&mut Command::new(made.join("client"))), "hello\n");
    let mut python = Command::new("python3");
    python.arg(examples.join("python-embed/client.py")).current_dir(&examples).env("PYTHONPATH", &prefix);
    assert_eq!(succeeds(python.env("NACRE", env!("CARGO_BIN_EXE_nacre"))), "hello\n");
    assert_eq!(succeeds(cargo_run(&examples.join("rust-embed")).args(["--bin", "client"])), "hello\n");
}

#[test]
fn python_package_passes_its_own_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python");
    let folder = TempDir::new().expect("a folder");
    let install = ["runtime", "--python", ".", "--built"];
    succeeds(nacre().args(install).arg(built()).current_dir(&folder));
    let mut tests = Command::new("python3");
    tests.args(["-X", "dev", "-W", "error", "-m", "unittest", "discover", "-s"]).arg(root.join("tests"));
    tests.env("PYTHONPATH", folder.path()).env("NACRE", env!("CARGO_BIN_EXE_nacre"));
    let (status, _, words) = ran(tests.env("PYTHONDONTWRITEBYTECODE", "1"));
    assert!(status == 0 && words.contains("Ran 43 tests"), "{words}");
    // What it has is what the program installs.
    let mut names: Vec<_> =
        fs::read_dir(root.join("nacre")).expect("a folder").map(|one| one.expect("one").path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    for path in names {
        let installed = folder.path().join("nacre").join(path.file_name().expect("a name"));
        assert!(fs::read(&path).expect("a module") == fs::read(&installed).expect("it is installed"), "{path:?}");
    }
}

#[test]
fn python_package_is_typed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python");
    let cache = TempDir::new().expect("a folder");
    let mut mypy = Command::new("mypy");
    mypy.args(["--strict", "nacre", "tests", "--cache-dir"]).arg(cache.path()).current_dir(root);
    let (status, out, words) = ran(&mut mypy);
    assert_eq!(status, 0, "{out}{words}");
}

/// Into a virtual environment; `pip` knows it, and removes all of it.
#[test]
fn python_package_goes_into_a_virtual_environment() {
    let folder = TempDir::new().expect("a folder");
    succeeds(Command::new("python3").args(["-m", "venv", "--without-pip", "env"]).current_dir(&folder));
    let install = ["runtime", "--python", "env", "--built"];
    succeeds(nacre().args(install).arg(built()).current_dir(&folder));
    let program = "import importlib.metadata, nacre; print(importlib.metadata.version('nacre'), nacre.Keys.generate())";
    let python = folder.path().join("env/bin/python3");
    let out = succeeds(Command::new(&python).args(["-c", program]).current_dir("/"));
    assert!(out.starts_with(concat!(env!("CARGO_PKG_VERSION"), " <nacre.Keys ")), "{out}");
    let files = "import importlib.metadata as m; print(all(f.locate().is_file() for f in m.files('nacre')), len(m.files('nacre')))";
    assert_eq!(succeeds(Command::new(&python).args(["-c", files]).current_dir("/")), "True 20\n");
}

#[test]
fn what_cannot_be_installed_is_said() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("file"), "").expect("written");
    let fails = |arguments: &[&str], wanted: i32, why: &str| {
        let (status, out, words) = ran(nacre().args(arguments).current_dir(&folder).env("HOME", folder.path()));
        assert!(status == wanted && out.is_empty() && words.contains(why), "{arguments:?}: {status} {out}{words}");
    };
    fails(&["runtime"], 2, "--install <PREFIX>");
    fails(&["runtime", "--install", "prefix", "--crates", "/"], 3, "--crates DIR");
    fails(&["runtime", "--install", "prefix", "--built", "/"], 1, "libnacre_runtime.a");
    fails(&["runtime", "--install", "file", "--built", "/"], 1, "file/lib");
    fails(&["runtime", "--python", "file", "--built", "/"], 1, "file/nacre");
}

/// Compiles the runtime as `nacre runtime` does without `--built`: a minute or two.
#[test]
#[ignore = "a long campaign"]
fn runtime_is_compiled_with_the_name_that_programs_are_linked_with() {
    let folder = TempDir::new().expect("a folder");
    let prefix = folder.path().join("prefix");
    succeeds(nacre().args(["runtime", "--install"]).arg(&prefix).env("XDG_CACHE_HOME", folder.path()));
    let dynamic = succeeds(Command::new("readelf").arg("-d").arg(prefix.join("lib/libnacre_runtime.so")));
    assert!(dynamic.contains("soname: [libnacre_runtime.so.0.1]"), "{dynamic}");
    assert!(prefix.join("lib/libnacre_runtime.so.0.1").is_symlink());
}
