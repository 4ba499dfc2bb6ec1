//! Every command in the documents runs as printed, with the output that they show.

mod common;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::*;

/// Commands that are not run here, and why.
const NOT_RUN: [(&str, &str); 8] = [
    ("make demo", "installs packages, compiles a release and sends 64 MiB"),
    ("make test", "installs packages and runs all tests"),
    ("make lint", "compiles the whole workspace"),
    ("make soak", "takes hours"),
    ("make bench", "measures for minutes, and writes docs/performance.md"),
    ("make bench-peers", "measures for an hour, needs root, and writes docs/peers.md"),
    ("make bench-verify", "measures for minutes, and writes docs/verification.md"),
    (
        "nacre runtime --install ~/.local",
        "compiles a release, and writes into the home of the user: cli/tests/install.rs installs elsewhere",
    ),
];

/// A command of a document, and the lines that the document shows as its output.
#[derive(Debug, PartialEq)]
struct Printed {
    command: String,
    output: Vec<String>,
}

/// The blocks of a document in this language.
fn blocks_of(document: &str, word: &str) -> Vec<String> {
    blocks(document).into_iter().filter(|(found, _)| found == word).map(|(_, text)| text).collect()
}

/// Whether a line or a span of code is a command of the project with complete arguments.
fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let complete = || text.split_whitespace().skip(2).any(|word| word.ends_with(".nacre") || word.ends_with(".json"));
    match words.next() {
        Some("make") => words.next().is_some(),
        Some("nacre") => complete(),
        _ => false,
    }
}

/// The commands in a block. After one that begins with `$`, the following lines are its output; otherwise every line is
/// a command.
fn commands(block: &str) -> Vec<Printed> {
    let shows_output = block.starts_with("$ ");
    let mut found: Vec<Printed> = vec![];
    for line in block.lines() {
        let command = if shows_output { line.strip_prefix("$ ") } else { Some(line) };
        match (command, found.last_mut()) {
            (Some(command), _) => {
                let command = command.split(" #").next().unwrap_or_default();
                let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
                found.push(Printed { command, output: vec![] });
            }
            (None, Some(last)) => last.output.push(line.to_string()),
            (None, None) => panic!("output without a command: {line}"),
        }
    }
    found
}

/// The commands in the blocks of a document.
fn in_blocks(document: &str) -> Vec<Printed> {
    blocks_of(document, "sh").iter().flat_map(|block| commands(block)).collect()
}

/// The complete commands between backquotes in the text of a document.
fn in_text(document: &str) -> Vec<String> {
    let mut inside = false;
    let outside = |line: &&str| {
        let fence = line.starts_with("```");
        inside ^= fence;
        !inside && !fence
    };
    let all = text(document);
    let prose: Vec<&str> = all.lines().filter(outside).collect();
    let prose = prose.join("\n");
    let spans = prose.split('`').skip(1).step_by(2).filter(|span| is_command(span));
    spans.map(str::to_string).collect()
}

/// A copy of the files that the commands use.
fn copy_of_checkout() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for part in ["adapters", "examples", "layers", "README.md"] {
        let copied = Command::new("cp").arg("-r").arg(root().join(part)).arg(folder.path()).status().expect("cp runs");
        assert!(copied.success());
    }
    std::fs::create_dir(folder.path().join("docs")).expect("a folder");
    folder
}

/// A command as a shell runs it, with the built program in the path.
fn shell(command: &str, folder: &Path) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_nacre")).parent().expect("it is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec {command}")]).current_dir(folder).env("COLUMNS", "100").env_remove("CC");
    shell.env("PATH", format!("{}:{path}", program.display()));
    // Keys of its own; none where documents show none.
    shell.env("XDG_CONFIG_HOME", if folder == root() { "/dev/null".into() } else { folder.join("config") });
    shell
}

/// Runs a command that must end with this status; returns its output.
fn run(command: &str, folder: &Path, status: i32) -> String {
    let (found, out, err) = ran(&mut shell(command, folder));
    assert_eq!(found, status, "{command}\n{out}\n{err}");
    out + &err
}

/// Compares the output with the document. `...` stands for any lines. Times and rates are ignored, as is the number of
/// states if several threads search.
fn compare(document: &str, shown: &[String], printed: &str) {
    let without_figures = |line: &str| match line.contains(" states, ") || line.contains(" runs, ") {
        true => line
            .replace(" us)", " ms)")
            .replace(" s)", " ms)")
            .chars()
            .filter(|c| !c.is_ascii_digit() && *c != '.')
            .collect(),
        false => line.trim_end().to_string(),
    };
    let mut lines = printed.lines().map(without_figures);
    let mut skips = false;
    for wanted in shown {
        if wanted.trim() == "..." {
            skips = true;
            continue;
        }
        let wanted = without_figures(wanted);
        let found = if skips { lines.find(|line| *line == wanted) } else { lines.next() };
        assert_eq!(found.as_ref(), Some(&wanted), "{document} shows this line; printed was:\n{printed}");
        skips = false;
    }
}

#[test]
fn every_command_of_every_document_is_run_by_a_test_here() {
    let run: BTreeSet<String> = [README, LANGUAGE, VERIFICATION, SIMULATION, RUN, C_INTERFACE]
        .iter()
        .flat_map(|d| in_blocks(d))
        .map(|p| p.command)
        .collect();
    let also = [CHECK_MINE, TEST_MINE, REPLAY].map(str::to_string);
    let not_run: Vec<&str> = NOT_RUN.iter().map(|(command, _)| *command).collect();
    let makefile = text("Makefile");
    let mut seen = 0;
    let mut documents =
        vec![README.to_string(), "CONTRIBUTING.md".into(), "ARCHITECTURE.md".into(), "layers/README.md".into()];
    for entry in std::fs::read_dir(root().join("docs")).expect("docs/").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        documents.extend(name.ends_with(".md").then(|| format!("docs/{name}")));
    }
    for document in documents {
        for command in in_blocks(&document).into_iter().map(|p| p.command).chain(in_text(&document)) {
            seen += 1;
            if let Some(target) = command.strip_prefix("make ") {
                assert!(not_run.contains(&command.as_str()), "{document}: {command}");
                assert!(makefile.contains(&format!("\n{target}:")), "{document}: the Makefile has no {target}");
            } else {
                let known = run.contains(&command) || also.contains(&command);
                assert!(known, "{document}: no test runs `{command}`");
            }
        }
        // Blocks of another kind have no commands.
        let other = blocks(&document).into_iter().filter(|(word, _)| word != "sh");
        for (_, block) in other {
            let hidden = block.lines().find(|line| is_command(line.trim_start_matches("$ ")));
            assert_eq!(hidden, None, "{document}: a command in a block that is not marked `sh`");
        }
    }
    assert!(seen > 15, "only {seen} commands were found");
}

const README: &str = "README.md";
const LANGUAGE: &str = "docs/language.md";
const VERIFICATION: &str = "docs/verification.md";
const SIMULATION: &str = "docs/simulation.md";
const RUN: &str = "docs/run.md";
const C_INTERFACE: &str = "docs/c-interface.md";
const CHECK_MINE: &str = "nacre check mine.nacre";
const TEST_MINE: &str = "nacre test mine_test.nacre";
const REPLAY: &str = "nacre replay run.json --level inline";

/// A child process that ends with the test, also if the test fails.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the port in the document is free.
fn wait_for_port(port: u16) {
    let until = Instant::now() + Duration::from_secs(120);
    while let Err(error) = std::net::UdpSocket::bind(("::", port)) {
        assert!(Instant::now() < until, "port {port}: {error}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Runs the commands of a document, one after the other; a receiver is there until its sender has ended, and has then
/// stored what was sent. Returns what they print.
fn run_all(document: &str, folder: &Path, port: u16) -> String {
    let (mut receiver, mut printed) = (None, String::new());
    for Printed { command, .. } in in_blocks(document) {
        if NOT_RUN.iter().any(|(known, _)| *known == command) {
            continue;
        }
        if command.contains(" receive ") {
            wait_for_port(port);
            let child = shell(&command, folder).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
            let mut child = Ending(child.expect("it starts"));
            let messages = BufReader::new(child.0.stderr.take().expect("piped"));
            let mut lines = messages.lines().map(|line| line.expect("UTF-8"));
            assert!(lines.any(|line| line.starts_with("listening on ")), "{command}");
            // What it prints later is not read, but it must not fail for that.
            receiver = Some((child, lines));
            continue;
        }
        printed += &run(&command, folder, 0);
        if command.contains(" send ") {
            assert!(receiver.take().is_some(), "someone receives");
            let sent = std::fs::read(folder.join("README.md")).expect("it was sent");
            let received = std::fs::read(folder.join("incoming")).expect("it was received");
            assert_eq!(sent, received);
            std::fs::remove_file(folder.join("incoming")).expect("removed");
        }
    }
    printed
}

#[test]
fn commands_of_the_readme_run() {
    let folder = copy_of_checkout();
    run_all(README, folder.path(), 7000);
    let formatted = std::fs::read(folder.path().join(RELIABLE)).expect("readable");
    assert_eq!(
        formatted,
        std::fs::read(root().join(RELIABLE)).expect("readable"),
        "examples are in the standard layout"
    );
}

#[test]
fn commands_of_the_page_of_transfers_run() {
    let folder = copy_of_checkout();
    let printed = run_all(RUN, folder.path(), 7001);
    for words in ["first contact with", "; encrypted", "has the same secret; encrypted", "not encrypted"] {
        assert!(printed.contains(words), "`{words}` in {printed}");
    }
}

/// The example for C, with the stack, the configuration and the commands of the page.
#[test]
fn stack_of_the_page_of_the_c_interface_encrypts() {
    let folder = copy_of_checkout();
    let [declared, configuration] = <[String; 2]>::try_from(blocks_of(C_INTERFACE, "c")).expect("two blocks of C");
    let [before, after] = configuration.split("...\n").collect::<Vec<_>>()[..] else { panic!("{configuration}") };
    let example = text("examples/c-embed/main.c").replace("reliable", "secure").replace("RELIABLE", "SECURE");
    let changes = [
        ("#include \"secure.h\"\n", format!("#include <sodium.h>\n#include \"out/secure.h\"\n{declared}")),
        ("static void begin(", "static uint8_t both[2][64];\n\nstatic int begin(".into()),
        ("    struct secure_config config;\n", format!("    {VALUES}\n{before}")),
        ("    STACK->config_default(&config);\n", String::new()),
        (
            "    pass_on(self, peer);\n}\n\nint main",
            format!("{after}    pass_on(self, peer);\n    return 0;\n}}\n\nint main"),
        ),
        ("    begin(&a, &b, \"a\", 11);\n", format!("    {KEYS}\n    begin(&a, &b, \"a\", 11);\n")),
    ];
    let program = changes.iter().fold(example, |program, (old, new)| {
        assert!(program.contains(old), "{old}");
        program.replacen(old, new, 1)
    });
    std::fs::write(folder.path().join("program.c"), program).expect("written");
    for Printed { command, .. } in in_blocks(C_INTERFACE) {
        run(&command, folder.path(), 0);
    }
    let printed = run("./program", folder.path(), 0);
    assert!(printed.starts_with("100 messages of 3000 bytes arrived"), "{printed}");
}

/// What the hosts of the page have agreed on.
const VALUES: &str = "uint32_t their_cookie = 33 - cookie, their_key = 1000 + their_cookie;
    const uint8_t *keys = both[cookie == 11];";
const KEYS: &str = "memset(both[0], 1, 32);
    memset(both[0] + 32, 2, 32);
    memcpy(both[1], both[0] + 32, 32);
    memcpy(both[1] + 32, both[0], 32);";

#[test]
fn first_layer_of_the_readme_works_as_documented() {
    let folder = copy_of_checkout();
    let [layer, test] = <[String; 2]>::try_from(blocks_of(README, "nacre")).expect("a layer and its test");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    assert!(in_text(README).contains(&CHECK_MINE.to_string()) && in_text(README).contains(&TEST_MINE.to_string()));
    write("mine.nacre", &layer);
    run(CHECK_MINE, folder.path(), 0);
    write("mine_test.nacre", &test);
    let tested = run(TEST_MINE, folder.path(), 0);
    assert!(tested.contains("1 test, 0 failed"), "{tested}");
    let without = layer.replace("            drop m;\n", "");
    assert_ne!(without, layer);
    write("mine.nacre", &without);
    let found = run(CHECK_MINE, folder.path(), 1);
    assert!(found.contains("is lost") && found.contains("mine.nacre:") && found.contains("Help"), "{found}");
}

#[test]
fn first_layer_of_the_language_reference_works_as_documented() {
    let folder = copy_of_checkout();
    let docs = folder.path().join("docs");
    let layer = blocks_of(LANGUAGE, "nacre").swap_remove(0);
    std::fs::write(docs.join("newest.nacre"), layer).expect("written");
    let commands = in_blocks(LANGUAGE);
    assert!(commands.len() >= 4, "{commands:?}");
    for Printed { command, .. } in commands {
        run(&command, &docs, 0);
    }
    assert!(docs.join("out/newest_only.c").is_file());
}

#[test]
fn simulations_print_what_their_page_shows() {
    let shown = in_blocks(SIMULATION);
    assert_eq!(shown.len(), 2);
    for (Printed { command, output }, status) in shown.into_iter().zip([1, 0]) {
        let printed = run(&command, &root(), status);
        compare(SIMULATION, &output, &printed);
        assert_eq!(printed.lines().count(), output.len(), "{command}\n{printed}");
    }
}

#[test]
fn the_bug_of_the_verification_page_is_found_as_shown() {
    let folder = copy_of_checkout();
    let layers = folder.path().join("layers/pt2pt");
    let source = std::fs::read_to_string(layers.join("pt2pt.nacre")).expect("readable");
    let wrong = source.replace("number == got.low && got.empty", "got.empty");
    assert_ne!(source, wrong);
    std::fs::write(layers.join("pt2pt.nacre"), wrong).expect("written");
    let [shown, hosts] = <[Printed; 2]>::try_from(in_blocks(VERIFICATION)).expect("two commands");
    run(&hosts.command, &root(), 0);
    let printed = run(&shown.command, &layers, 1);
    compare(VERIFICATION, &shown.output, &printed);
    assert!(in_text(VERIFICATION).contains(&REPLAY.to_string()));
    let replayed = run(REPLAY, &layers, 0);
    assert!(
        replayed.contains("interpreter: 3 steps") && replayed.contains("C at level inline: the same"),
        "{replayed}"
    );
}
