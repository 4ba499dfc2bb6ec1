//! `nacre import`.

mod common;
#[path = "../../encapsulation/tests/world/packages.rs"]
mod packages;

use std::fs;
use std::process::Command;

use common::*;
use tempfile::tempdir;

/// The words of the command of the page, without the folder for what it writes.
fn command() -> Vec<String> {
    let (_, text) = blocks("docs/encapsulation.md").into_iter().find(|(kind, _)| kind == "sh").expect("a command");
    let words = text.replace("\\\n", " ");
    words.split_whitespace().skip(1).take_while(|word| *word != "-o").map(str::to_string).collect()
}

#[test]
fn command_of_the_page_imports() {
    let folder = tempdir().expect("a folder");
    let words = command();
    let words: Vec<&str> =
        words.iter().map(String::as_str).chain(["-o", folder.path().to_str().expect("UTF-8")]).collect();
    let (status, out, err) = ran(nacre(&words).current_dir(root()));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("12 sources") && out.contains("SHA-256"), "{out}");
    for file in ["appletalk.so", "libnacre_streams.so", "libnacre_streams.so.1", "include/streams/host.h"] {
        assert!(folder.path().join(file).exists(), "{file} is written");
    }
    let (status, out, err) = ran(nacre(&words).arg("--json").current_dir(root()));
    let report: serde_json::Value = serde_json::from_str(&out).expect("one object");
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(report["capsule"].as_str().is_some_and(|path| path.ends_with("appletalk.so")));
    assert_eq!(report["missing_services"], serde_json::json!({}));
}

#[test]
fn what_is_missing_is_reported() {
    let folder = tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("a.c"), "#include <sys/mbuf.h>\nint f(m) struct mbuf *m; { return no_such_service(m); }\n")
        .expect("a file");
    let (tree, out) = (folder.path().display().to_string(), path("out"));
    let words = ["import", &tree, "--environment", "bsd44", "--name", "a", "-o", &out];
    let (status, printed, err) = ran(&mut nacre(&words));
    assert_eq!(status, 1, "{printed}{err}");
    assert!(printed.contains("no_such_service (a.c)") && printed.contains("bsd_description"), "{printed}");
    assert!(err.contains("cannot be imported"), "{err}");
    assert!(!folder.path().join("out/a.so").exists());
    let (status, printed, _) = ran(nacre(&words).arg("--json"));
    let report: serde_json::Value = serde_json::from_str(&printed).expect("one object");
    assert_eq!((status, &report["capsule"]), (1, &serde_json::Value::Null));
    assert!(report["missing_services"]["no_such_service"].is_array(), "{report}");
}

#[test]
fn wrong_arguments_end_with_status_2() {
    for words in [
        ["import", "/no/such", "--environment", "lwip", "--name", "x"],
        ["import", ".", "--environment", "plan9", "--name", "x"],
        ["import", ".", "--environment", "lwip", "--name", "../x"],
        ["import", ".", "--environment", "lwip", "--name", "x"],
    ] {
        let folder = tempdir().expect("a folder");
        let (status, out, err) = ran(nacre(&words).current_dir(&folder));
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        assert!(err.starts_with("error: ") && err.lines().count() == 1, "{err}");
    }
}

#[test]
fn example_in_c_loads_lwip_twice() {
    let folder = tempdir().expect("a folder");
    let build = folder.path().display().to_string();
    let lwip = packages::source(&root().join("encapsulation"), "lwip", "lwip").display().to_string();
    let variables = [
        format!("NACRE={}", env!("CARGO_BIN_EXE_nacre")),
        format!("LWIP={lwip}"),
        format!("BUILD={build}"),
        "CFLAGS=-std=c11 -O1 -Wall -Wextra -Werror".to_string(),
    ];
    let (status, out, err) = ran(Command::new("make").args(variables).current_dir(root().join("examples/c-capsule")));
    assert_eq!(status, 0, "{out}{err}");
    let capsule = folder.path().join("tcpip.so");
    let (status, out, err) = ran(Command::new(folder.path().join("hello")).arg(&capsule));
    assert_eq!((status, out.as_str(), err.as_str()), (0, "hello from port 5000\n", ""));
    let (status, _, err) = ran(Command::new(folder.path().join("hello")).arg("/no/such"));
    assert_eq!((status, err.as_str()), (1, "/no/such: No such file or directory\n"));
}
