//! The verbs on small inputs, valid and invalid: status, output, messages.

mod common;

use std::io::Read;
use std::process::Stdio;

use common::*;

#[test]
fn help_is_as_on_file() {
    for verb in [
        "runtime", "new", "library", "check", "fmt", "explain", "build", "run", "keys", "sim", "test", "verify",
        "import", "prove",
    ] {
        let (status, out, _) = ran(&mut nacre(&[verb, "--help"]));
        assert_eq!(status, 0);
        assert!(out.contains("Example:"), "{verb} shows an example");
        golden(&format!("help-{verb}.txt"), &out);
    }
    golden("help.txt", &ran(&mut nacre(&["--help"])).1);
}

#[test]
fn files_are_checked_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "import \"nacre/floor.nacre\";\nworker one { down send(m) { pass m; } }\nstack s = one / floor;\n";
    let files = ["x.nacre", "y.nacre"].map(|name| folder.path().join(name));
    files.iter().for_each(|file| std::fs::write(file, source).expect("written"));
    let files = files.map(|file| file.display().to_string());
    let (status, out, err) = ran(&mut nacre(&["check", &files[0], &files[1]]));
    // Two of each, and `floor` once.
    assert_eq!((status, out.as_str()), (0, "checked 3 layers, 2 stacks\n"), "{err}");
}

#[test]
fn good_file_is_checked() {
    let (status, out, err) = ran(&mut nacre(&["check", SMALL]));
    assert_eq!((status, out.as_str()), (0, "checked 3 layers, 2 stacks\n"), "{err}");
}

#[test]
fn invalid_file_is_reported_on_standard_error() {
    let (status, out, err) = ran(&mut nacre(&["check", WRONG]));
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("wrong.nacre") && err.contains("1 error"), "{err}");
    assert!(!err.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn check_speaks_json() {
    let (status, out, _) = ran(&mut nacre(&["check", "--json", WRONG]));
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, value["ok"].as_bool()), (1, Some(false)));
    assert!(value["diagnostics"][0]["code"].is_string(), "{out}");
}

#[test]
fn missing_files_and_stacks_are_reported() {
    let (status, _, err) = ran(&mut nacre(&["check", "no/such.nacre"]));
    assert!(status == 1 && err.contains("no/such.nacre"), "{err}");
    let (status, _, err) = ran(&mut nacre(&["explain", SMALL, "--stack", "large"]));
    assert!(status == 2 && err.contains("known are: `small`, `sure`"), "{err}");
}

#[test]
fn wrong_usage_ends_with_2() {
    for wrong in [&["sim", SMALL][..], &["frobnicate"], &["sim", SMALL, "--stack", "small", "--loss", "5"], &[]] {
        assert_eq!(ran(&mut nacre(wrong)).0, 2, "{wrong:?}");
    }
    let (status, _, err) = ran(&mut nacre(&["build", SMALL, "--stack", "small", "--level", "fast", "-o", "x"]));
    assert!(status == 2 && err.contains("queue, call, inline, bypass"), "{err}");
}

#[test]
fn unbuilt_verb_is_reported() {
    let (status, out, err) = ran(&mut nacre(&["dissector", "anything", "--at", "all"]));
    assert_eq!((status, out.as_str()), (3, ""));
    assert_eq!(err, "error: `nacre dissector` is not built yet\n");
}

#[test]
fn noise_is_no_program_and_no_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let noise =
        [b"".to_vec(), vec![0xff; 99], b"worker ".repeat(500), b"{[(<".repeat(5000), b"stack s = s / s;".to_vec()];
    for (n, bytes) in noise.iter().enumerate() {
        let path = folder.path().join(format!("{n}.nacre"));
        std::fs::write(&path, bytes).expect("written");
        let path = path.to_str().expect("a path in UTF-8");
        for arguments in
            [&["check", path][..], &["fmt", "--check", path], &["test", path], &["explain", path, "--stack", "s"]]
        {
            let (status, _, err) = ran(&mut nacre(arguments));
            let answered = (0..=1).contains(&status) || err == "error: there is no stack `s`; there are none\n";
            assert!(answered && !err.contains("internal error"), "{arguments:?}: {err}");
        }
    }
}

#[test]
fn formatting_is_checked_and_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.nacre");
    std::fs::write(&path, "worker   w{down send(m){pass m;}}").expect("written");
    let file = path.to_str().expect("a path in UTF-8");
    assert_eq!(ran(&mut nacre(&["fmt", "--check", file])).0, 1);
    assert_eq!(ran(&mut nacre(&["fmt", file])).0, 0);
    assert_eq!(ran(&mut nacre(&["fmt", "--check", file])).0, 0);
    assert!(std::fs::read_to_string(&path).expect("there").starts_with("worker w {"));
}

#[test]
fn library_and_examples_are_formatted() {
    let listed = |folder: &std::path::Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    };
    let folders = listed(&root().join("layers")).into_iter().filter(|path| path.is_dir());
    let files: Vec<_> =
        folders.chain([root().join("layers"), root().join("examples")]).flat_map(|f| listed(&f)).collect();
    let sources = files.iter().filter(|path| path.extension().is_some_and(|e| e == "nacre"));
    let sources: Vec<&str> = sources.map(|path| path.to_str().expect("a path in UTF-8")).collect();
    assert!(sources.len() >= 30, "{sources:?}");
    for source in sources {
        let (status, out, err) = ran(&mut nacre(&["fmt", "--check", source]));
        assert_eq!(status, 0, "{source}: {out}{err}");
    }
}

#[test]
fn build_writes_a_header_and_a_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("c");
    let arguments =
        ["build", SMALL, "--stack", "small", "--level", "queue", "--name", "tiny", "-o", to.to_str().expect("UTF-8")];
    let (status, out, err) = ran(&mut nacre(&arguments));
    assert_eq!((status, out.lines().count()), (0, 2), "{err}");
    let source = std::fs::read_to_string(to.join("tiny.c")).expect("the source");
    assert!(source.contains("#include \"tiny.h\"") && to.join("tiny.h").exists());
    let (status, _, err) = ran(&mut nacre(&["build", SMALL, "--stack", "small", "--name", "a b", "-o", "x"]));
    assert!(status == 2 && err.contains("prefix"), "{err}");
}

#[test]
fn listener_is_written_for_stacks_without_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().to_str().expect("UTF-8");
    let build = |file: &str, stack: &str, more: &[&str]| {
        let arguments = ["build", file, "--stack", stack, "--level", "call", "-o", to, "--with-listener"];
        ran(&mut nacre(&[&arguments[..], more].concat()))
    };
    let (status, out, err) = build(SMALL, "small", &["--json"]);
    assert_eq!(status, 0, "{err}");
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(value["files"].as_array().map(Vec::len), Some(4), "{out}");
    let header = std::fs::read_to_string(folder.path().join("nacre_listener.h")).expect("the header");
    assert!(header.contains("struct nacre_stack {") && !header.contains("#include \"nacre.h\""));
    assert!(folder.path().join("nacre_listener.c").exists());
    let secure = root().join("examples/secure.nacre").display().to_string();
    let (status, _, err) = build(&secure, "secure", &[]);
    assert!(status == 1 && err.contains("has keys (`sealing`)") && !folder.path().join("secure.c").exists(), "{err}");
    let (status, _, err) = build(SMALL, "small", &["--name", "nacre_listener"]);
    assert!(status == 2 && err.contains("the prefix `nacre_` is reserved for `nacre.h`"), "{err}");
}

#[test]
fn explain_shows_layers_frames_and_calls() {
    let (status, out, err) = ran(&mut nacre(&["explain", SMALL, "--stack", "small"]));
    assert_eq!(status, 0, "{err}");
    for part in ["sequencer", "frames:", "calls:"] {
        assert!(out.contains(part), "{part} is missing:\n{out}");
    }
}

/// The stages, each with a text that only its output contains.
const STAGES: [(&str, &str); 17] = [
    ("tokens", "Name(import)"),
    ("syntax", "Import {"),
    ("typed", "session credit: u16"),
    ("fragments", "from above: "),
    ("composed", "bounds queue"),
    ("pass_over", "bounds queue"),
    ("release_low", "release_low"),
    ("calls", "bounds queue"),
    ("inline", "in_place"),
    ("bypass", "bypass frame below 0"),
    ("c-queue", "at level queue"),
    ("c-call", "at level call"),
    ("c-inline", "at level inline"),
    ("c-bypass", "at level bypass"),
    ("paths", "linear: floor.up.deliver.Short"),
    ("invariants", "inferred  "),
    ("promela", "proctype"),
];

#[test]
fn explain_prints_each_stage() {
    for (stage, mark) in STAGES {
        // Those of large layers take minutes.
        let (file, stack) = if stage == "invariants" { (SMALL, "small") } else { (RELIABLE, "reliable_plain") };
        let (status, out, err) = ran(&mut nacre(&["explain", file, "--stack", stack, "--stage", stage]));
        assert_eq!(status, 0, "{stage}: {err}");
        assert!(out.contains(mark), "{stage} prints {mark}: {}", &out[..out.len().min(400)]);
    }
    let (status, out, err) = ran(&mut nacre(&["explain", SMALL, "--stack", "small", "--stage", "machine"]));
    assert_eq!((status, out.as_str()), (2, ""));
    let all: Vec<&str> = STAGES.iter().map(|(stage, _)| *stage).collect();
    assert!(err.contains(&all.join(", ")), "{err}");
}

#[test]
fn explain_is_at_most_100_columns_wide() {
    for (file, stack) in [(SMALL, "sure"), (RELIABLE, "reliable"), (RELIABLE, "reliable_plain")] {
        let (status, out, err) = ran(&mut nacre(&["explain", file, "--stack", stack]));
        let wide: Vec<&str> = out.lines().filter(|line| line.chars().count() > 100).collect();
        assert!(status == 0 && wide.is_empty(), "{wide:#?}{err}");
    }
}

#[test]
fn closed_reader_is_not_an_error() {
    let mut child =
        nacre(&["explain", SMALL, "--stack", "sure", "--json"]).stdout(Stdio::piped()).spawn().expect("starts");
    let mut some = [0; 16];
    child.stdout.take().expect("piped").read_exact(&mut some).expect("some output");
    let done = child.wait().expect("ends");
    assert_eq!(done.code(), Some(0));
}

#[test]
fn a_stack_that_is_not_there_is_a_mistake_of_the_command_line() {
    for verb in [&["explain"][..], &["sim"], &["build", "--output", "nowhere"], &["verify"]] {
        let (status, out, err) = ran(nacre(verb).args([RELIABLE, "--stack", "reliabel"]));
        assert_eq!((status, out.as_str()), (2, ""), "{verb:?}: {err}");
        assert!(err.contains("there is no stack `reliabel`; did you mean `reliable`?"), "{verb:?}: {err}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty.nacre");
    std::fs::write(&empty, "").expect("written");
    for verb in [&["explain"][..], &["sim"], &["build", "--output", "nowhere"], &["verify"]] {
        let (status, out, err) = ran(nacre(verb).args([empty.to_str().expect("UTF-8"), "--stack", "reliable"]));
        assert_eq!((status, out.as_str()), (2, ""), "{verb:?}: {err}");
        assert_eq!(err, "error: there is no stack `reliable`; there are none\n", "{verb:?}");
    }
}

#[test]
fn error_in_a_layer_does_not_hide_errors_of_other_stacks() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("two.nacre");
    let text = "worker wrong over channel { down send(m) { nothing; } }\nstack other = missing / also_missing;\n";
    std::fs::write(&file, text).expect("written");
    let (status, _, err) = ran(&mut nacre(&["check", file.to_str().expect("UTF-8")]));
    assert!(status == 1 && err.contains("two.nacre:1:") && err.contains("two.nacre:2:"), "{err}");
}

/// Solvers prove the bypasses once; without solvers and without kept proofs there are none, and the level is inline. The
/// stacks of the examples need no solver.
#[test]
fn only_proved_bypasses_are_built() {
    let folder = tempfile::tempdir().expect("a folder");
    let build_of = |file: &str, stack: &str, cache: &str, path: Option<&str>| {
        let mut command = nacre(&["build", file, "--stack", stack, "--level", "bypass", "--json"]);
        command.arg("--output").arg(folder.path()).env("XDG_CACHE_HOME", folder.path().join(cache));
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let (status, out, err) = ran(&mut command);
        assert_eq!(status, 0, "{err}");
        let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        (value["bypasses"].as_u64().expect("a number"), value["level"].as_str().expect("a level").to_string(), err)
    };
    let build = |cache: &str, path| build_of(SMALL, "small", cache, path);
    let (proved, level, err) = build("kept", None);
    assert!(proved > 0 && level == "bypass" && err.is_empty(), "{proved}: {err}");
    assert_eq!(build("kept", Some("/nonexistent")), (proved, level, String::new()));
    let (none, level, err) = build("empty", Some("/nonexistent"));
    assert!(none == 0 && err.contains("left out") && err.contains("apt-get install z3"), "{none}: {err}");
    assert!(level == "inline" && err.contains("the level is inline"), "{level}: {err}");
    let (shipped, level, err) = build_of(RELIABLE, "reliable", "empty", Some("/nonexistent"));
    assert!(shipped > 10 && level == "bypass" && err.is_empty(), "{shipped}: {err}");
}
