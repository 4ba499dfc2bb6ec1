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
fn example_of_the_page_is_the_one_that_is_imported() {
    let imports = root().join("encapsulation/stacks/appletalk/imports");
    let mut compared = 0;
    for (kind, text) in blocks("docs/encapsulation.md").into_iter().filter(|(kind, _)| kind != "sh") {
        let file = fs::read_to_string(imports.join(format!("both.{kind}"))).expect("a file of the example");
        assert!(file.contains(text.trim_end()), "{kind}");
        compared += 1;
    }
    assert_eq!(compared, 2);
}

#[test]
fn what_is_missing_is_reported() {
    let folder = tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let code = "#include <sys/mbuf.h>\n\
                struct overlay { char *next; short length; };\n\
                int f(m) struct mbuf *m; { return no_such_service(m, mtod(m, struct overlay *)->length); }\n";
    fs::write(path("a.c"), code).expect("a file");
    let (tree, out) = (folder.path().display().to_string(), path("out"));
    let words = ["import", &tree, "--environment", "bsd44", "--name", "a", "-o", &out];
    let (status, printed, err) = ran(&mut nacre(&words));
    assert_eq!(status, 1, "{printed}{err}");
    assert!(printed.contains("no_such_service (a.c)") && printed.contains("bsd_description"), "{printed}");
    let line =
        "struct overlay (a.c:3): next has 64 bits; 16 bytes instead of 8; behind, used: length at 8 instead of 4";
    assert!(printed.contains(line), "{printed}");
    assert!(err.contains("cannot be imported"), "{err}");
    assert!(!folder.path().join("out/a.so").exists());
    let (status, printed, _) = ran(nacre(&words).arg("--json"));
    let report: serde_json::Value = serde_json::from_str(&printed).expect("one object");
    assert_eq!((status, &report["capsule"]), (1, &serde_json::Value::Null));
    assert!(report["missing_services"]["no_such_service"].is_array(), "{report}");
    let overlay = serde_json::json!([{
        "name": "struct overlay", "place": "a.c:3", "functions": 1, "size": 16, "narrow_size": 8,
        "wide": [{"member": "next", "offset": 0, "is_pointer": true}],
        "displaced": [{"member": "length", "offset": 8, "narrow_offset": 4, "is_used": true}],
    }]);
    assert_eq!(report["overlays"], overlay);
}

/// Words of the compiler are read in one language, and paths of the user may have any letters.
#[test]
fn language_and_folders_of_the_user_change_nothing() {
    let folder = tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for name in ["tree", "bin", "a, b"] {
        fs::create_dir(path(name)).expect("a folder");
    }
    fs::write(path("tree/a.c"), "#include <no_such.h>\n").expect("a file");
    let compiler = "#!/bin/sh\ncase \"$LC_ALL$LANGUAGE\" in C*) ;; *) echo Fehler; exit 1;; esac\n\
                    PATH=${PATH#*:}\nexec gcc \"$@\"\n";
    fs::write(path("bin/gcc"), compiler).expect("a file");
    ran(Command::new("chmod").args(["+x", &path("bin/gcc")]));
    let programs = format!("{}:{}", path("bin"), std::env::var("PATH").expect("programs"));
    let words = ["import", &path("tree"), "--environment", "bsd44", "--name", "a", "-o", &path("out")];
    let import = |text: &str| {
        fs::write(path("tree/a.c"), text).expect("a file");
        let variables = [("PATH", programs.as_str()), ("LC_ALL", "de_DE.UTF-8"), ("LANGUAGE", "de")];
        ran(nacre(&words).envs(variables).env("TMPDIR", path("a, b")))
    };
    let (status, printed, err) = import("#include <no_such.h>\n");
    assert_eq!(status, 1, "{err}");
    assert!(printed.contains("headers that are missing: 1\n  no_such.h (a.c)"), "{printed}");
    let (status, printed, err) = import("int f() { return no_such(); }\n");
    assert_eq!(status, 1, "{err}");
    assert!(printed.contains("no_such (a.c)"), "{printed}");
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
