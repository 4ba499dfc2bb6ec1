//! Measures `nacre verify` for docs/verification.md: the costs of searching the library, and the explorer compared with
//! SPIN.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::place::here;

/// The heading of the section of docs/verification.md that [`measure`] writes.
const BEGIN: &str = "## Figures\n";

/// A world that the explorer and SPIN both search.
struct Race {
    file: &'static str,
    /// The option of `nacre verify` for the kind of subject, and its name.
    subject: [&'static str; 2],
    configuration: &'static str,
    /// Settings besides those of the configuration.
    set: &'static [&'static str],
}

const PT2PT: Race =
    Race { file: "layers/pt2pt/pt2pt.nacre", subject: ["--layer", "pt2pt"], configuration: "large", set: &[] };
const RELIABLE: Race = Race {
    file: "examples/reliable.nacre",
    subject: ["--stack", "reliable"],
    configuration: "large_closing",
    set: &[],
};
/// Worlds that are large enough for a rate to mean something.
const RACES: [Race; 4] = [
    PT2PT,
    Race { configuration: "both_ways", set: &["TRIES=20"], ..PT2PT },
    Race { subject: ["--stack", "reliable_plain"], ..RELIABLE },
    RELIABLE,
];
/// Runs of a race; the fastest counts.
const RUNS: usize = 2;

/// One search, as `nacre verify --json` reports it.
#[derive(Clone)]
struct Search {
    subject: String,
    configuration: String,
    engine: String,
    verdict: String,
    states: u64,
    moves: u64,
    depth: u64,
    seconds: f64,
    memory_mib: f64,
}

impl Search {
    fn rate(&self) -> f64 {
        self.states as f64 / self.seconds.max(0.001)
    }

    /// Returns the bytes for each state; `fixed`: MiB that are used before the first state.
    fn bytes_per_state(&self, fixed: f64) -> f64 {
        (self.memory_mib - fixed) * f64::from(1 << 20) / self.states.max(1) as f64
    }
}

/// Verifies the library and races the engines, and writes each row into the section `Figures` of a file as soon
/// as it is measured. Only files of the library whose paths contain one of `chosen` are verified, and only worlds
/// of theirs are raced; all of them if `chosen` is empty.
pub fn measure(report: &str, chosen: &[&str]) -> Result<(), String> {
    let program = program()?;
    let root = here().join("..");
    let has = |file: &Path, part: &str| file.to_string_lossy().contains(part);
    let is_chosen = |file: &Path| chosen.is_empty() || chosen.iter().any(|part| has(file, part));
    let mut fixed = f64::INFINITY;
    for file in files(&root)?.iter().filter(|file| is_chosen(file)) {
        eprintln!("verifying {}", file.display());
        let mut engines = vec![];
        // SPIN searches only the configurations that run by default.
        for (engine, more) in [("explorer", &["--all", "--threads", "1"][..]), ("spin", &[]), ("spin-c", &[])] {
            let arguments = [&["--engine", engine], more].concat();
            engines.push(verify(&program, &root, file, &arguments)?);
        }
        let on_c = engines[2].iter().filter(|s| s.verdict == "holds");
        fixed = on_c.map(|s| s.memory_mib).fold(fixed, f64::min);
        let rows: Vec<Row> = engines[0].iter().map(|one| row(one, &engines[1..])).collect();
        let of: BTreeSet<&str> = engines[0].iter().map(|one| one.subject.as_str()).collect();
        update(report, LIBRARY, &rows, |subject| of.contains(subject))?;
    }
    for race in RACES.iter().filter(|race| is_chosen(Path::new(race.file))) {
        eprintln!("racing on {} {}", race.subject[1], race.configuration);
        let row = race.run(&program, &root, fixed)?;
        update(report, RACE, std::slice::from_ref(&row), |world| world == row.0)?;
    }
    Ok(())
}

/// What the first cell of a row of a table says, and the row.
type Row = (String, String);

/// The row of a search by the explorer, with what the other engines found in the same world.
fn row(one: &Search, others: &[Vec<Search>]) -> Row {
    let other = |engine: &str| {
        let same = |s: &&Search| s.subject == one.subject && s.configuration == one.configuration;
        let found = others.iter().flatten().filter(same).find(|s| s.engine == engine);
        found.map_or("-".to_string(), |s| match s.verdict.as_str() {
            "holds" => format!("{} ({:.1} s, {:.0} MiB)", s.states, s.seconds, s.memory_mib),
            _ => "-".to_string(),
        })
    };
    let Search { subject, configuration, states, moves, depth, seconds, memory_mib, .. } = one;
    let (model, goals, on_c) = (other("spin"), other("spin, goals"), other("spin-c at level inline"));
    let figures = format!("{states} | {moves} | {depth} | {seconds:.2} | {memory_mib:.0} | {model} | {goals} | {on_c}");
    (subject.clone(), format!("| {subject} | {configuration} | {figures} |\n"))
}

/// Replaces the rows of a table of the section `Figures` whose first cells are among those that `is_old` accepts,
/// which are neighbours, or adds rows at its end. `head`: the text up to the first row.
fn update(path: &str, head: &str, rows: &[Row], is_old: impl Fn(&str) -> bool) -> Result<(), String> {
    let failed = |why: &str| format!("{path}: {why}");
    let old = std::fs::read_to_string(path).map_err(|why| failed(&why.to_string()))?;
    let (text, figures) = old.split_once(&format!("\n{BEGIN}\n")).ok_or_else(|| failed("no section `Figures`"))?;
    let (before, table) = match figures.split_once(head) {
        Some(parts) => parts,
        None => return Err(failed("a table of `Figures` has another head than in benches/src/verification.rs")),
    };
    let end = table.lines().take_while(|line| line.starts_with('|')).map(|line| line.len() + 1).sum();
    let (table, after) = table.split_at(end);
    let mut lines: Vec<&str> = table.split_inclusive('\n').collect();
    let cell = |line: &str| line.trim_start_matches("| ").split(" | ").next().unwrap_or_default().to_string();
    let place = lines.iter().position(|line| is_old(&cell(line))).unwrap_or(lines.len());
    lines.retain(|line| !is_old(&cell(line)));
    lines.splice(place..place, rows.iter().map(|row| row.1.as_str()));
    let text = format!("{text}\n{BEGIN}\n{before}{head}{}{after}", lines.concat());
    std::fs::write(path, text).map_err(|why| failed(&why.to_string()))
}

impl Race {
    /// Returns the row of the table; `fixed`: MiB that SPIN uses before the first state.
    fn run(&self, program: &Path, root: &Path, fixed: f64) -> Result<Row, String> {
        let Race { file, subject: [kind, subject], configuration, set } = self;
        let mut world = vec![*kind, subject, "--configuration", configuration];
        set.iter().for_each(|s| world.extend(["--set", s]));
        let [spin, one, two] = fastest(program, root, Path::new(file), &world)?;
        let set = if set.is_empty() { String::new() } else { format!(", {}", set.join(", ")) };
        let cell = |s: &Search| format!("{:.2} | {:.0}", s.seconds, s.rate());
        let world = format!("{subject}, {configuration}{set}");
        let row = format!(
            "| {world} | {} | {} | {} | {} | **{:.2}** | **{:.2}** | {:.0} | {:.0} |\n",
            spin.states,
            cell(&spin),
            cell(&one),
            cell(&two),
            one.rate() / spin.rate(),
            two.rate() / spin.rate(),
            spin.bytes_per_state(fixed),
            one.bytes_per_state(0.0),
        );
        Ok((world, row))
    }
}

/// Returns the fastest searches of a world: by SPIN on C, by the explorer on one thread, and on two.
fn fastest(program: &Path, root: &Path, file: &Path, world: &[&str]) -> Result<[Search; 3], String> {
    let runners: [&[&str]; 3] = [
        &["--engine", "spin-c", "--level", "inline"],
        &["--engine", "explorer", "--threads", "1"],
        &["--engine", "explorer", "--threads", "2"],
    ];
    let mut best: [Option<Search>; 3] = [None, None, None];
    for _ in 0..RUNS {
        for (best, runner) in best.iter_mut().zip(runners) {
            let searches = verify(program, root, file, &[world, runner].concat())?;
            let mine = |s: &&Search| s.engine == "explorer" || s.engine.ends_with("inline");
            let Some(now) = searches.iter().find(mine) else { return Err(format!("{}: no verdict", world.join(" "))) };
            if best.as_ref().is_none_or(|b| now.seconds < b.seconds) {
                *best = Some(now.clone());
            }
        }
    }
    let [Some(spin), Some(one), Some(two)] = best else { return Err("nothing was measured".into()) };
    Ok([spin, one, two])
}

/// Returns the path of `nacre`, which is in the folder of this program.
fn program() -> Result<PathBuf, String> {
    let me = std::env::current_exe().map_err(|why| why.to_string())?;
    let path = me.with_file_name("nacre");
    match path.is_file() {
        true => Ok(path),
        false => Err(format!("{} does not exist: run `cargo build --release --package nacre`", path.display())),
    }
}

fn files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let folders = std::fs::read_dir(root.join("layers")).map_err(|why| why.to_string())?;
    let names = folders.flatten().filter(|f| f.path().is_dir()).map(|f| f.file_name().to_string_lossy().into_owned());
    let mut files: Vec<PathBuf> = names.map(|name| PathBuf::from(format!("layers/{name}/{name}.nacre"))).collect();
    files.sort();
    files.push("examples/reliable.nacre".into());
    Ok(files)
}

fn verify(program: &Path, root: &Path, file: &Path, arguments: &[&str]) -> Result<Vec<Search>, String> {
    let mut command = Command::new(program);
    command.current_dir(root).arg("verify").arg(file).args(arguments).args(["--json", "--memory", "12000"]);
    let output = command.output().map_err(|why| why.to_string())?;
    let failed = || format!("{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|_| failed())?;
    let mut found = vec![];
    for verdict in report["verdicts"].as_array().ok_or_else(failed)? {
        for engine in verdict["engines"].as_array().ok_or_else(failed)? {
            let text = |of: &Value, key: &str| of[key].as_str().unwrap_or_default().to_string();
            let number = |key: &str| engine[key].as_f64().unwrap_or_default();
            found.push(Search {
                subject: text(verdict, "subject"),
                configuration: text(verdict, "configuration"),
                engine: text(engine, "engine"),
                verdict: text(engine, "verdict"),
                states: number("states") as u64,
                moves: number("moves") as u64,
                depth: number("depth") as u64,
                seconds: number("seconds"),
                memory_mib: number("memory_mib"),
            });
        }
    }
    Ok(found)
}

const LIBRARY: &str = "\
Written by `make bench-verify` (release build, on a machine with two cores that was also used for other work: compare \
states, not
seconds).

The columns up to *MiB* are those of the explorer on one thread. The other columns have the number of states of the \
SPIN engines, with
the seconds and the memory of the search alone, without those of `spin` and `gcc`. *-*: not checked by that engine \
(its output states
why), or a configuration on request, which only the explorer ran. *SPIN, goals* is the search of the model for fair \
runs. The other
SPIN searches check safety alone, the explorer checks safety and goals. The figures of `--engine spin-c` are for \
level inline; `queue`
and `call` have the same states.

| subject | configuration | states | moves | depth | s | MiB | SPIN, model | SPIN, goals | SPIN, C |
|---|---|---|---|---|---|---|---|---|---|
";

const RACE: &str = "
### The explorer and SPIN

The engines search the same worlds alternately; the faster of two runs counts. SPIN is `--engine spin-c` at level \
inline (exact,
depth-first, one thread, safety alone); the explorer checks safety and goals. *Ratio* compares states per second. \
SPIN's bytes are
those that pan reports, less the smallest amount for any world above (its table and its stack), and without the local \
states that the
harness stores.

| world | states | SPIN, s | states/s | explorer, s | states/s | two threads, s | states/s | ratio | on two threads | \
bytes per state: SPIN | explorer |
|---|---|---|---|---|---|---|---|---|---|---|---|
";
