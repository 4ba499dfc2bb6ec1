//! `nacre prove --certificate`.

mod common;

use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};

use common::{nacre, ran, root};
use nacre_certificates::folder::check_all;

const FILE: &str = "layers/sequencer/tests.nacre";

/// Runs the program with a folder for certificates. `path`: where it finds other programs.
fn proved(file: &str, stack: &str, folder: &Path, path: Option<&Path>) -> (i32, String, String) {
    let mut command = nacre(&["prove", file, "--stack", stack, "--certificate"]);
    command.arg(folder);
    if let Some(path) = path {
        command.env("PATH", path);
    }
    ran(&mut command)
}

/// A folder of programs: the solvers, and this in place of CaDiCaL.
fn programs(folder: &Path, cadical: Option<&str>) -> PathBuf {
    let programs = folder.join("programs");
    std::fs::create_dir(&programs).expect("a folder");
    for name in ["z3", "cvc5"] {
        let solver = nacre_process::on_path(Path::new(name)).expect("an installed solver");
        symlink(solver, programs.join(name)).expect("a link");
    }
    if let Some(text) = cadical {
        let file = programs.join("cadical");
        std::fs::write(&file, text).expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("executable");
    }
    programs
}

fn files(folder: &Path, kind: &str) -> Vec<String> {
    let all = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let mut names: Vec<String> = all
        .filter(|path| path.extension().is_some_and(|found| found == kind))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn certificates_of_all_claims_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("new").join("certificates");
    let (status, out, err) = proved(FILE, "sequencer_alone", &to, None);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let names = files(&to, "cnf");
    assert!(out.contains(&format!("certificates: {0} of {0} written and checked", names.len())), "{out}");
    assert!(names.iter().any(|name| name.starts_with("floor.") && name.contains(".invariant.")), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("bypass-1.") && name.ends_with(".sides")), "{names:?}");
    assert!(names == files(&to, "drat") && names == files(&to, "smt2"));
    // The files alone are enough.
    let checked = check_all(&to).expect("the folder");
    assert!(checked.len() == names.len() && checked.iter().all(|one| one.verdict.is_ok()), "{checked:?}");
    // Files of another run would be among those of this one.
    let (status, out, err) = proved(FILE, "sequencer_alone", &to, None);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("is not empty"), "{err}");
}

#[test]
fn missing_solver_is_reported_before_anything_is_proved() {
    let folder = tempfile::tempdir().expect("a folder");
    let programs = programs(folder.path(), None);
    let (status, out, err) = proved(FILE, "sequencer_alone", &folder.path().join("to"), Some(&programs));
    assert_eq!((status, out.as_str()), (3, ""));
    assert!(err.contains("apt-get install cadical") && err.lines().count() == 1, "{err}");
}

/// A solver that says what is wanted proves nothing.
#[test]
fn wrong_proofs_of_the_solver_are_rejected() {
    for (script, why) in [
        ("#!/bin/sh\nfor last; do :; done\necho 0 >\"$last\"\nexit 20\n", "the checker rejects the proof"),
        ("#!/bin/sh\nexit 20\n", "cannot read"),
        ("#!/bin/sh\nexit 10\n", "has a model"),
        ("#!/bin/sh\nexit 0\n", "gave up (limit: 1000000 conflicts)"),
        ("#!/bin/sh\necho a reason\nexit 1\n", "CaDiCaL failed: a reason"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let (to, programs) = (folder.path().join("to"), programs(folder.path(), Some(script)));
        let (status, out, _) = proved(FILE, "sequencer_alone", &to, Some(&programs));
        assert_eq!(status, 3, "{out}");
        assert!(out.contains(why) && out.contains(" without a certificate\n"), "{out}");
        let checked = check_all(&to).expect("the folder");
        assert!(checked.iter().all(|one| one.verdict.is_ok()), "only what is accepted remains: {checked:?}");
    }
}

#[test]
fn claims_that_are_wrong_have_no_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wrong.nacre");
    let library = root().join("layers");
    let source = format!(
        "import {:?};\nimport {:?};\n
        worker counting {{
            state {{ n: u32 }}
            invariant n < 10;
            down send(m) {{ if n < MOST {{ n += 1; }} pass m; }}
            up deliver(m) {{ pass m; }}
        }}
        stack counted = counting / floor;\n",
        library.join("interfaces.nacre"),
        library.join("floor/floor.nacre")
    );
    for (most, holds) in [("9", true), ("10", false)] {
        std::fs::write(&file, source.replace("MOST", most)).expect("written");
        let to = folder.path().join(most);
        let (status, out, err) = proved(file.to_str().expect("UTF-8"), "counted", &to, None);
        let of_counting =
            files(&to, "cnf").into_iter().filter(|name| name.starts_with("counting.") && name.contains("send")).count();
        assert_eq!((status, of_counting), if holds { (0, 1) } else { (3, 0) }, "{out}{err}");
    }
}
