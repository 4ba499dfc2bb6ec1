//! Every command in the documents runs as printed, with the output that they show.

mod common;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::printed::*;
use common::*;

/// Commands that are not run here, and why.
const NOT_RUN: [(&str, &str); 9] = [
    ("make demo", "installs packages, compiles a release and sends 64 MiB"),
    ("make test", "installs packages and runs all tests"),
    ("make lint", "compiles the whole workspace"),
    ("make book", "installs mkdocs; tests/tests/book.rs builds the book"),
    ("make soak", "takes hours"),
    ("make bench", "measures for minutes, and writes docs/performance.md"),
    ("make bench-peers", "measures for an hour, needs root, and writes docs/peers.md"),
    ("make bench-verify", "measures for minutes, and writes docs/verification.md"),
    (
        "nacre runtime --install ~/.local",
        "compiles a release, and writes into the home of the user: cli/tests/install.rs installs elsewhere",
    ),
];

#[test]
fn every_command_of_every_document_is_run_by_a_test_here() {
    let run: BTreeSet<String> = [
        README,
        LANGUAGE,
        VERIFICATION,
        SIMULATION,
        RUN,
        C_INTERFACE,
        EMITTED_LISTENER,
        COOKBOOK,
        TUTORIAL,
        TUTORIAL_APP,
        // imports.rs
        "docs/encapsulation.md",
    ]
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
            if let Some(target) = command.strip_prefix("make ").filter(|target| !target.starts_with('-')) {
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
const EMITTED_LISTENER: &str = "docs/emitted-listener.md";
const COOKBOOK: &str = "docs/cookbook.md";
const TUTORIAL: &str = "docs/tutorial-layer.md";
const TUTORIAL_APP: &str = "docs/tutorial-app.md";
const CHECK_MINE: &str = "nacre check mine.nacre";
const TEST_MINE: &str = "nacre test mine_test.nacre";
const REPLAY: &str = "nacre replay run.json --level inline";

/// Waits until the port in the document is free.
fn wait_for_port(port: u16) {
    let until = Instant::now() + Duration::from_secs(120);
    while let Err(error) = std::net::UdpSocket::bind(("::", port)) {
        assert!(Instant::now() < until, "port {port}: {error}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Starts a receiver, and waits until it listens. What it prints later is not read, but it must not fail for that.
fn receiving(command: &str, folder: &Path, port: u16) -> (Running, impl Iterator<Item = String>) {
    wait_for_port(port);
    let child = shell(command, folder).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = Running(child.expect("it starts"));
    let messages = BufReader::new(child.0.stderr.take().expect("piped"));
    let mut lines = messages.lines().map(|line| line.expect("UTF-8"));
    assert!(lines.any(|line| line.starts_with("listening on ")), "{command}");
    (child, lines)
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
            receiver = Some(receiving(&command, folder, port));
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
            "    pass_on(self, peer);\n}\n\nstatic void end",
            format!("{after}    pass_on(self, peer);\n    return 0;\n}}\n\nstatic void end"),
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

#[test]
fn listener_of_its_page_is_built() {
    let folder = copy_of_checkout();
    for Printed { command, .. } in in_blocks(EMITTED_LISTENER) {
        run(&command, folder.path(), 0);
    }
    assert!(folder.path().join("nacre_listener.o").exists());
}

/// What the hosts of the page have agreed on.
const VALUES: &str = "uint32_t their_cookie = 33 - cookie, their_key = 1000 + their_cookie;
    const uint8_t *keys = both[cookie == 11];";
const KEYS: &str = "memset(both[0], 1, 32);
    memset(both[0] + 32, 2, 32);
    memcpy(both[1], both[0] + 32, 32);
    memcpy(both[1] + 32, both[0], 32);";

/// Its projects are begun and run by cli/tests/new.rs.
#[test]
fn tutorial_for_applications_is_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let [stacks] = <[String; 1]>::try_from(blocks_of(TUTORIAL_APP, "nacre")).expect("one block");
    std::fs::write(folder.path().join("stacks.nacre"), stacks).expect("written");
    assert!(run("nacre check stacks.nacre", folder.path(), 0).starts_with("checked 10 layers, 8 stacks"));
    run("nacre new hello", folder.path(), 0);
    let (project, file) = (folder.path().join("hello"), folder.path().join("hello/hello.nacre"));
    let source = std::fs::read_to_string(&file).expect("readable");
    let broken = source.replace("frag<1400> / pt2pt<64, FRIENDLY = true>", "pt2pt<64, FRIENDLY = true> / frag<1400>");
    assert_ne!(source, broken);
    std::fs::write(&file, broken).expect("written");
    let shown =
        in_blocks(TUTORIAL_APP).into_iter().find(|printed| !printed.output.is_empty()).expect("one shows output");
    let printed = run(&shown.command, &project, 1);
    compare(TUTORIAL_APP, &shown.output, &printed);
    let rust = blocks_of(TUTORIAL_APP, "rust");
    let built = rust.iter().find(|block| block.contains("nacre_build")).expect("a build script");
    let built = built.replace("hello", "reliable");
    assert!(text("examples/rust-embed/build.rs").replace("../", "").contains(built.trim()), "{built}");
}

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

/// The layer of the tutorial, which its blocks make and change.
fn changed(layer: &str, change: usize, lines: &str) -> String {
    let before = |place: &str| {
        assert_eq!(layer.matches(place).count(), 1, "{place}");
        layer.replace(place, &format!("{lines}{place}"))
    };
    match change {
        0 => before("            count duplicates;\n"),
        1 => before("    accepts send(m)"),
        2 => layer.replace("u1 }", "u32 }").replace("u1,       ", "u32,      "),
        3 => before("    down send(m)"),
        _ => panic!("a change that nothing makes:\n{lines}"),
    }
}

#[test]
fn tutorial_leads_from_an_empty_folder_to_a_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(at(name), text).expect("written");
    let read = |name: &str| std::fs::read_to_string(at(name)).expect("readable");
    let mut commands = in_blocks(TUTORIAL).into_iter();
    let (mut files, mut changes, mut receiver) = (0, 0, None);
    for (word, block) in blocks(TUTORIAL) {
        match word.as_str() {
            "nacre" => {
                files += 1;
                match files {
                    1 => write("abp.nacre", &block),
                    2 => write("abp_test.nacre", &block),
                    3 | 4 => write("abp.nacre", &format!("{}\n{block}", read("abp.nacre"))),
                    _ => write("hello/hello.nacre", &block),
                }
            }
            "nacre-lines" => {
                write("abp.nacre", &changed(&read("abp.nacre"), changes, &block));
                assert!(block.lines().all(|line| read("abp.nacre").contains(line)), "{block}");
                changes += 1;
            }
            _ => {
                let shown = block.lines().filter(|line| line.starts_with("$ ") || line.starts_with("nacre ")).count();
                for Printed { command, output } in commands.by_ref().take(shown) {
                    if command.contains(" receive ") {
                        receiver = Some(receiving(&command, folder.path(), 7002));
                        continue;
                    }
                    let fails = changes == 0 || command.contains("--trace") || command.contains("--mutants");
                    let printed = run(&command, folder.path(), i32::from(fails));
                    compare(TUTORIAL, &output, &printed);
                    if command.contains(" send ") {
                        assert!(receiver.take().is_some(), "someone receives");
                        assert_eq!(read("incoming"), read("abp.nacre"));
                    }
                }
            }
        }
    }
    assert_eq!((files, changes), (5, 4));
    let formatted = ["fmt", "--check", &at("abp.nacre").display().to_string()].map(str::to_string);
    assert_eq!(ran(&mut nacre(&formatted.each_ref().map(String::as_str))).0, 0);
}
