//! Commands that documents show, and comparison of their output with what the documents print.

use std::path::Path;
use std::process::Command;

use super::{blocks, ran, root, text};

/// A command of a document, and the lines that the document shows as its output.
#[derive(Debug, PartialEq)]
pub struct Printed {
    pub command: String,
    pub output: Vec<String>,
}

/// The blocks of a document in this language.
pub fn blocks_of(document: &str, word: &str) -> Vec<String> {
    blocks(document).into_iter().filter(|(found, _)| found == word).map(|(_, text)| text).collect()
}

/// Whether a line or a span of code is a command of the project with complete arguments.
pub fn is_command(text: &str) -> bool {
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
pub fn commands(block: &str) -> Vec<Printed> {
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
pub fn in_blocks(document: &str) -> Vec<Printed> {
    blocks_of(document, "sh").iter().flat_map(|block| commands(block)).collect()
}

/// The complete commands between backquotes in the text of a document.
pub fn in_text(document: &str) -> Vec<String> {
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
pub fn copy_of_checkout() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for part in ["adapters", "examples", "layers", "README.md"] {
        let copied = Command::new("cp").arg("-r").arg(root().join(part)).arg(folder.path()).status().expect("cp runs");
        assert!(copied.success());
    }
    std::fs::create_dir(folder.path().join("docs")).expect("a folder");
    folder
}

/// A command as a shell runs it, with the built program in the path.
pub fn shell(command: &str, folder: &Path) -> Command {
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
pub fn run(command: &str, folder: &Path, status: i32) -> String {
    let (found, out, err) = ran(&mut shell(command, folder));
    assert_eq!(found, status, "{command}\n{out}\n{err}");
    out + &err
}

/// A line without times and rates, and without the number of states, which depends on the order in which threads search.
fn without_figures(line: &str) -> String {
    if line.contains(" states, ") || line.contains(" runs, ") {
        let line = line.replace(" us)", " ms)").replace(" s)", " ms)");
        return line.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect();
    }
    let tested = line.contains("; interpreter ") || line.contains(" failed (");
    let kept = if tested { line.rsplit_once(" (").map_or(line, |(kept, _)| kept) } else { line };
    kept.trim_end().to_string()
}

/// Compares the output with the document. `...` stands for any lines.
pub fn compare(document: &str, shown: &[String], printed: &str) {
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
