//! The program `check-certificates`.

use std::path::Path;
use std::process::Command;

fn run(folders: &[&Path]) -> (Option<i32>, String) {
    let ran = Command::new(env!("CARGO_BIN_EXE_check-certificates")).args(folders).output().expect("it runs");
    (ran.status.code(), String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn all_certificates_of_a_folder_are_checked() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &[u8]| std::fs::write(folder.join(name), text).expect("written");
    assert_eq!(run(&[&folder]), (Some(1), "0 of 0 certificates accepted\n".into()));
    write("a.cnf", b"p cnf 1 2\n1 0\n-1 0\n");
    write("a.drat", b"0\n");
    write("a.smt2", b"not looked at");
    assert_eq!(run(&[&folder]), (Some(0), "1 of 1 certificates accepted\n".into()));
    write("b.cnf", b"p cnf 1 1\n1 0\n");
    write("b.drat", b"0\n");
    write("c.cnf", b"p cnf 1 2\n1 0\n-1 0\n");
    write("d.drat", b"0\n");
    write("e.cnf", b"\xff");
    write("e.drat", b"0\n");
    let (status, out) = run(&[&folder]);
    assert_eq!(status, Some(1));
    assert!(out.ends_with("1 of 5 certificates accepted\n"), "{out}");
    for name in ["b", "c", "d", "e"] {
        assert!(out.contains(&format!("rejected: {name}: ")), "{out}");
    }
    assert_eq!(run(&[]).0, Some(2));
    assert_eq!(run(&[&folder.join("missing")]).0, Some(2));
}
