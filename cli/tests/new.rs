//! Projects that `nacre new` begins, and the library in the program: in empty folders, without the checkout.

mod common;

use std::fs;
use std::net::UdpSocket;
use std::path::Path;
use std::process::Command;

use common::{cargo_run, ran};
use tempfile::TempDir;

/// The program in a folder that has nothing of the checkout.
fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nacre"));
    command.args(arguments).current_dir(folder).env_remove("CC").env("XDG_CONFIG_HOME", "/dev/null");
    command
}

fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let (status, out, words) = ran(&mut program(folder, arguments));
    assert_eq!(status, 0, "{arguments:?}\n{out}\n{words}");
    out
}

/// The commands in the README of a project, without comments.
fn commands(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("README.md")).expect("it has a README");
    let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
    lines.map(|line| line.split(" #").next().unwrap_or("").trim().to_string()).collect()
}

/// Words as a shell reads them; nothing but quotes is special.
fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.trim_matches('\'').to_string()).collect()
}

/// Begins a project and runs each command of its README; returns how many there are.
fn begun(template: &str) -> (TempDir, usize) {
    let empty = TempDir::new().expect("a folder");
    let out = succeeds(empty.path(), &["new", "mine", "--template", template]);
    assert!(out.starts_with("wrote mine/mine.nacre, "), "{out}");
    let folder = empty.path().join("mine");
    succeeds(&folder, &["fmt", "--check", "mine.nacre"]);
    let commands = commands(&folder);
    // The tutorial shows the same.
    if matches!(template, "c" | "cpp" | "rust" | "python") {
        let shown = [format!("nacre new hello --template {template}"), "cd hello".into()];
        let shown = shown.into_iter().chain(commands.iter().map(|line| line.replace("mine", "hello")));
        let shown = shown.collect::<Vec<_>>().join("\n") + "\n";
        let tutorial = common::blocks("docs/tutorial-app.md");
        assert!(tutorial.iter().any(|(word, block)| word == "sh" && *block == shown), "{shown}");
    }
    let port = UdpSocket::bind("[::1]:0").and_then(|socket| socket.local_addr()).expect("a free port").port();
    let mut receiver = None;
    for line in &commands {
        let line = line.replace("7000", &port.to_string());
        let words = words(&line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match &words[..] {
            ["nacre", arguments @ ..] if arguments.contains(&"receive") => {
                receiver = Some(program(&folder, arguments).spawn().expect("it starts"));
            }
            // Not every mistake is detected.
            ["nacre", arguments @ ..] if arguments.contains(&"--mutants") => {
                assert_eq!(ran(&mut program(&folder, arguments)).0, 1);
            }
            // What Cargo made beside this test, instead of compiling it again.
            ["nacre", arguments @ ..] if arguments.contains(&"runtime") => {
                let test = std::env::current_exe().expect("this test");
                let built = test.parent().expect("a folder").display().to_string();
                succeeds(&folder, &[arguments, &["--built", &built]].concat());
            }
            ["nacre", arguments @ ..] => drop(succeeds(&folder, arguments)),
            ["make"] => {
                let nacre = format!("NACRE={}", env!("CARGO_BIN_EXE_nacre"));
                let (status, out, words) = ran(Command::new("make").arg(nacre).current_dir(&folder));
                assert_eq!(status, 0, "{out}{words}");
                let done = ["100 messages of 3000 bytes arrived", "hello -> hello, too"];
                assert!(done.iter().any(|done| out.contains(done)), "{out}");
            }
            ["python3", ..] => {
                let mut python = Command::new("python3");
                let environment = ("NACRE", env!("CARGO_BIN_EXE_nacre"));
                let (status, out, words) =
                    ran(python.args(&words[1..]).env(environment.0, environment.1).current_dir(&folder));
                assert_eq!((status, out.as_str()), (0, "hello -> hello, too\n"), "{words}");
            }
            ["cargo", "run"] => {
                let (status, out, words) = ran(&mut cargo_run(&folder));
                assert_eq!((status, out.as_str()), (0, "hello -> hello, too\n"), "{words}");
            }
            other => panic!("{other:?}"),
        }
    }
    if let Some(mut receiver) = receiver {
        assert!(receiver.wait().expect("it ends").success());
        let [sent, received] = ["README.md", "incoming"].map(|name| fs::read(folder.join(name)).expect(name));
        assert!(sent == received);
    }
    (empty, commands.len())
}

#[test]
fn stack_of_a_new_project_is_checked_verified_built_and_run() {
    let (folder, commands) = begun("stack");
    assert_eq!(commands, 8);
    let text = fs::read_to_string(folder.path().join("mine/out/mine.c")).expect("a file");
    // Whatever its name is, a stack of these layers comes with its proofs: no solver is there, and nothing is left out.
    let mut build = program(&folder.path().join("mine"), &["build", "mine.nacre", "--stack", "mine", "-o", "again"]);
    let (status, _, words) = ran(build.env("PATH", folder.path()).env("XDG_CACHE_HOME", folder.path()));
    assert!(status == 0 && !words.contains("left out"), "{words}");
    assert!(text == fs::read_to_string(folder.path().join("mine/again/mine.c")).expect("a file"));
}

/// The specification of `receipts` says nothing of `open`, which `floor` emits: a layer below may.
#[test]
fn stack_of_a_new_project_with_another_layer_on_top_is_verified() {
    let empty = TempDir::new().expect("a folder");
    succeeds(empty.path(), &["new", "mine"]);
    let folder = empty.path().join("mine");
    let text = fs::read_to_string(folder.join("mine.nacre")).expect("a file");
    let more = text.replace("import \"nacre/frag", "import \"nacre/receipts.nacre\";\nimport \"nacre/frag");
    let more = more.replace("stack mine = frag", "stack mine = receipts / frag").replace("    misuse = true;\n", "");
    assert!(more.contains("receipts / frag") && more.contains("nacre/receipts"), "{more}");
    fs::write(folder.join("mine.nacre"), more).expect("a file");
    let (_, out, words) = ran(&mut program(&folder, &["verify", "mine.nacre", "--configuration", "both_ways"]));
    assert!(out.contains("holds in this configuration"), "{out}{words}");
}

#[test]
fn layer_of_a_new_project_is_checked_verified_and_built() {
    let (folder, commands) = begun("layer");
    assert_eq!(commands, 6);
    assert!(folder.path().join("mine/out/mine_alone.c").is_file());
}

#[test]
fn program_of_a_new_project_runs() {
    assert_eq!(begun("c").1, 3);
    // A header of the system is not hidden by one of the stack.
    let empty = TempDir::new().expect("a folder");
    succeeds(empty.path(), &["new", "stdint", "--template", "c"]);
    let nacre = format!("NACRE={}", env!("CARGO_BIN_EXE_nacre"));
    let (status, out, words) = ran(Command::new("make").arg(nacre).current_dir(empty.path().join("stdint")));
    assert_eq!(status, 0, "{out}{words}");
}

#[test]
fn program_in_cpp_of_a_new_project_runs() {
    assert_eq!(begun("cpp").1, 4);
    let empty = TempDir::new().expect("a folder");
    succeeds(empty.path(), &["new", "same", "--template", "c++"]);
    assert!(empty.path().join("same/main.cpp").is_file());
}

#[test]
fn program_in_rust_of_a_new_project_runs() {
    let (folder, commands) = begun("rust");
    assert_eq!(commands, 3);
    // Cargo compiles the stack again when its source changes.
    let folder = folder.path().join("mine");
    fs::write(folder.join("mine.nacre"), "stack mine = nothing / floor;\n").expect("a file");
    let (status, _, words) = ran(&mut cargo_run(&folder));
    assert!(status != 0 && words.contains("mine.nacre:1"), "{status} {words}");
    let empty = TempDir::new().expect("a folder");
    for name in ["mod", "std", "build", "nacre_runtime"] {
        let (status, _, words) = ran(&mut program(empty.path(), &["new", name, "--template", "rust"]));
        assert_eq!(status, 2, "{name}: {words}");
    }
    let elsewhere = ["new", "mine", "--template", "rust", "--crates", "/"];
    let (status, _, words) = ran(&mut program(empty.path(), &elsewhere));
    assert_eq!(status, 2);
    assert!(words.contains("--crates DIR"), "{words}");
}

#[test]
fn program_in_python_of_a_new_project_runs() {
    assert_eq!(begun("python").1, 4);
}

#[test]
fn name_that_no_stack_can_have_is_refused_and_nothing_is_written() {
    let empty = TempDir::new().expect("a folder");
    for (name, why) in [
        ("Mine", "has to begin with a small letter"),
        ("my-stack", "has to begin with a small letter"),
        ("9p", "has to begin with a small letter"),
        ("worker", "reserved word"),
        ("pt2pt", "something of the library"),
        ("nacre", "a meaning of its own"),
        ("/", "has to begin with a small letter"),
    ] {
        let (status, out, words) = ran(&mut program(empty.path(), &["new", name]));
        assert_eq!((status, out.as_str()), (2, ""), "{name}");
        assert!(words.contains(why), "{name}: {words}");
    }
    assert_eq!(fs::read_dir(empty.path()).expect("a folder").count(), 0);
}

#[test]
fn folder_that_has_something_is_left_alone() {
    let empty = TempDir::new().expect("a folder");
    fs::create_dir(empty.path().join("mine")).expect("a folder");
    fs::write(empty.path().join("mine/mine.nacre"), "kept").expect("a file");
    let (status, _, words) = ran(&mut program(empty.path(), &["new", "mine"]));
    assert_eq!(status, 1);
    assert!(words.contains("is not empty"), "{words}");
    assert_eq!(fs::read_to_string(empty.path().join("mine/mine.nacre")).expect("a file"), "kept");
    // One that is empty takes a project, also as `.`.
    fs::create_dir(empty.path().join("other")).expect("a folder");
    succeeds(&empty.path().join("other"), &["new", "."]);
    assert!(empty.path().join("other/other.nacre").is_file());
}

/// Each file of the library, as an import and on the command line.
#[test]
fn whole_library_is_in_the_program() {
    let folder = TempDir::new().expect("a folder");
    let listed = succeeds(folder.path(), &["library"]);
    let paths: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(paths.len() >= 25, "{listed}");
    for line in listed.lines() {
        assert!(line.split_whitespace().count() > 3, "it says what it is for: {line}");
    }
    for path in &paths {
        succeeds(folder.path(), &["check", path]);
        let text = succeeds(folder.path(), &["library", path]);
        let name = path.strip_prefix("nacre/").expect("as an import states it");
        assert_eq!(text, succeeds(folder.path(), &["library", name]));
        let layers = common::root().join("layers");
        let file = [layers.join(name), layers.join(name.trim_end_matches(".nacre")).join(name)];
        let file = file.into_iter().find(|file| file.is_file()).unwrap_or_else(|| panic!("{path}"));
        assert_eq!(text.trim_end(), fs::read_to_string(file).expect("a file").trim_end());
    }
    let imports: String = paths.iter().enumerate().map(|(at, path)| format!("import \"{path}\" as n{at};\n")).collect();
    fs::write(folder.path().join("all.nacre"), imports).expect("a file");
    succeeds(folder.path(), &["check", "all.nacre"]);
    // However it is spelt, a file is one file.
    let twice = "import \"nacre/pt2pt.nacre\";\nimport \"nacre/pt2pt/pt2pt.nacre\";\n";
    fs::write(folder.path().join("twice.nacre"), twice).expect("a file");
    succeeds(folder.path(), &["check", "twice.nacre"]);
}

#[test]
fn library_is_meant_whatever_lies_beside_a_source() {
    let folder = TempDir::new().expect("a folder");
    fs::create_dir(folder.path().join("nacre")).expect("a folder");
    fs::write(folder.path().join("nacre/pt2pt.nacre"), "import \"nacre/interfaces.nacre\";\nworker own { }\n")
        .expect("a file");
    assert!(succeeds(folder.path(), &["library", "pt2pt.nacre"]).contains("worker pt2pt"));
    let (_, out, words) =
        ran(&mut program(folder.path(), &["verify", "nacre/pt2pt.nacre", "--configuration", "patient"]));
    assert!(out.contains("layer pt2pt"), "{out}{words}");
    assert_eq!(succeeds(folder.path(), &["check", "./nacre/pt2pt.nacre"]), "checked 1 layer, 0 stacks\n");
    assert_eq!(ran(&mut program(folder.path(), &["fmt", "nacre/pt2pt.nacre"])).0, 1);
    let importing = "import \"nacre/pt2pt.nacre\";\nimport \"nacre/floor.nacre\";\nstack mine = pt2pt / floor;\n";
    fs::write(folder.path().join("importing.nacre"), importing).expect("a file");
    let (_, out, words) = ran(&mut program(folder.path(), &["explain", "importing.nacre", "--stack", "mine"]));
    assert!(out.contains("pt2pt"), "{out}{words}");
    // One beside it is imported so.
    let importing = "import \"./nacre/pt2pt.nacre\";\nimport \"nacre/floor.nacre\";\nstack mine = own / floor;\n";
    fs::write(folder.path().join("importing.nacre"), importing).expect("a file");
    succeeds(folder.path(), &["check", "importing.nacre"]);
}

#[test]
fn import_that_the_library_lacks_is_reported_with_what_there_is() {
    let folder = TempDir::new().expect("a folder");
    for missing in ["nacre/nope.nacre", "nacre/", "nacre/../floor.nacre", "nacre/floor"] {
        fs::write(folder.path().join("x.nacre"), format!("import \"{missing}\";\n")).expect("a file");
        let (status, _, words) = ran(&mut program(folder.path(), &["check", "x.nacre"]));
        assert_eq!(status, 1, "{missing}");
        for part in ["the library has no such file", "nacre/floor.nacre", "./nacre/"] {
            assert!(words.contains(part), "{missing}: {part}: {words}");
        }
    }
    let (status, _, words) = ran(&mut program(folder.path(), &["library", "nope.nacre"]));
    assert_eq!(status, 1);
    assert!(words.contains("`nacre/nope.nacre`"), "{words}");
}

/// A violation in a layer of the library is saved, and replayed.
#[test]
fn run_of_a_layer_of_the_library_is_replayed() {
    let folder = TempDir::new().expect("a folder");
    let bad = [
        "verify",
        "nacre/sequencer.nacre",
        "--configuration",
        "wrapping",
        "--set",
        "AGE=9",
        "--set",
        "numbers=3",
        "--trace",
        "run.json",
    ];
    let (status, out, words) = ran(&mut program(folder.path(), &bad));
    assert_eq!(status, 1, "{out}{words}");
    // Also where a file of the same path is another layer.
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir_all(elsewhere.join("nacre")).expect("a folder");
    fs::write(elsewhere.join("nacre/sequencer.nacre"), "worker").expect("a file");
    for folder in [folder.path(), &elsewhere] {
        let mut replay = program(folder, &["replay"]);
        let (status, out, words) = ran(replay.arg(elsewhere.with_file_name("run.json")));
        assert!(status == 0 && out.contains("the same outputs at each"), "{status} {out}{words}");
    }
}
