//! Puts Nacre beside other transports (docs/peers.md): latency, rates and memory, over loopback and over a network with
//! delay and loss.

mod end;
mod ends;
mod figures;
mod java;
mod job;
mod namespaces;
mod plan;
mod plot;
mod process;
mod relay;
mod report;
mod run;
mod usage;
mod versions;
mod workloads;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use end::Result;
use job::{Figures, Job};
use nacre_benches::udp::{load, object};
use nacre_driver::Level;
use plan::{Scale, PEERS};
use relay::Link;

const USAGE: &str = "usage: nacre-peers run [--quick] [--rounds N] [--relayed ROUNDS] [--only PEER,...] [DOCUMENT]
       nacre-peers render DOCUMENT
       nacre-peers one PEER WORKLOAD NUMBER WARM_UP_MS WINDOW_MS [LOSS_% DELAY_MS [SEED]]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match &words[..] {
        ["server", ..] => server(&arguments[1..]),
        ["client", .., to] => client(&arguments[1..arguments.len() - 1], to),
        ["run", rest @ ..] => run_all(rest),
        ["render", document] => render(document),
        ["one", rest @ ..] if rest.len() >= 5 => one(rest),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // What the ends print is for the process that started them.
            match words.first() {
                Some(&("server" | "client")) => println!("failed {why}"),
                _ => eprintln!("{why}"),
            }
            ExitCode::FAILURE
        }
    }
}

/// Whatever happens, this process ends after the limit; until then it may open many sockets.
fn bound(job: &Job) {
    let many = libc::rlimit { rlim_cur: 100_000, rlim_max: 100_000 };
    // SAFETY: the first sets a timer of this process, whose signal ends it; the second reads the limit.
    unsafe {
        libc::alarm(job.limit().as_secs() as u32 + 5);
        libc::setrlimit(libc::RLIMIT_NOFILE, &raw const many);
    }
}

fn server(arguments: &[String]) -> Result<()> {
    let job = Job::parse(arguments)?;
    bound(&job);
    let before = usage::Memory::now();
    let mut end = ends::open(&job.peer, None, &job.setup())?;
    println!("ready {}", end.port());
    workloads::serve(&job, &mut *end, before, &mut |figures| println!("{}", figures.line()))?;
    // The client may still send; this process is ended when the client has measured.
    loop {
        end.receive(Duration::from_millis(10), &mut |_, _| {})?;
    }
}

fn client(arguments: &[String], to: &str) -> Result<()> {
    let job = Job::parse(arguments)?;
    bound(&job);
    let to = to.parse().map_err(|e| format!("{to}: {e}"))?;
    let mut end = ends::open(&job.peer, Some(to), &job.setup())?;
    let figures = workloads::drive(&job, &mut *end)?;
    println!("{}", figures.line());
    Ok(())
}

/// Prints one measurement with all counters.
fn one(words: &[&str]) -> Result<()> {
    let stacks = folder()?;
    compile(&stacks, false)?;
    let [peer, workload, number, warm_up, window, link @ ..] = words else { return Err(USAGE.into()) };
    let stacks = stacks.display().to_string();
    let job = Job::parse(&[peer, workload, number, warm_up, window, &stacks[..]].map(|word| word.to_string()))?;
    let number = |text: &str| text.parse::<f64>().map_err(|e| format!("{text}: {e}"));
    let (link, seed) = match link {
        [] => (None, 1.0),
        [loss, delay, seed @ ..] => {
            let delay = Duration::from_secs_f64(number(delay)? / 1e3);
            let link = Link { loss: number(loss)? / 100.0, delay, rate: 25e6, queue: 1e6 };
            (Some(link), seed.first().map_or(Ok(1.0), |seed| number(seed))?)
        }
        _ => return Err(USAGE.into()),
    };
    let outcome = process::measure(&job, link, seed as u64)?;
    let print = |who: &str, figures: &Figures| println!("{who}: {}", figures.line());
    print("client", &outcome.client);
    print("server", &outcome.server);
    println!("relay: forwarded {}, lost {}, overflowed {}", outcome.relay[0], outcome.relay[1], outcome.relay[2]);
    Ok(())
}

/// Measures everything and writes the document.
fn run_all(words: &[&str]) -> Result<()> {
    let (mut scale, mut only, mut document) = (Scale { rounds: 3, relayed: 3, is_quick: false }, vec![], None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--quick" => scale = Scale { rounds: 1, relayed: 1, is_quick: true },
            "--rounds" => scale.rounds = count(words.next())?,
            "--relayed" => scale.relayed = count(words.next())?,
            "--only" => only = words.next().ok_or(USAGE)?.split(',').collect(),
            path => document = Some(PathBuf::from(path)),
        }
    }
    let folder = folder()?;
    if let Some(document) = &document {
        run::writable(document)?;
    }
    compile(&folder, true)?;
    let results = run::run(scale, &only, &folder, &folder.join("results.txt"))?;
    finish(&results, document, scale)
}

fn count(word: Option<&&str>) -> Result<usize> {
    word.and_then(|n| n.parse().ok()).ok_or(USAGE.into())
}

/// Writes the document; a quick run only says whether all peers took part.
fn finish(results: &run::Results, document: Option<PathBuf>, scale: Scale) -> Result<()> {
    match document {
        Some(document) => report::write(results, &document)?,
        None => println!("{} measurements", results.outcomes.len()),
    }
    match results.failures.len() {
        failed @ 1.. if scale.is_quick => Err(format!("{failed} measurements failed")),
        _ => Ok(()),
    }
}

/// Writes the document from the last run.
fn render(document: &str) -> Result<()> {
    report::write(&run::read(&folder()?.join("results.txt"))?, Path::new(document))
}

/// The folder of compiled stacks and of the results, beside this program.
fn folder() -> Result<PathBuf> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let folder = program.parent().unwrap_or(Path::new(".")).join("peers");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// Compiles the stacks; `anew`: also those that are there.
fn compile(folder: &Path, anew: bool) -> Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("stacks.nacre");
    for stack in PEERS.iter().filter_map(|peer| peer.key.strip_prefix("nacre-")) {
        if anew || !object(folder, stack, Level::Bypass).exists() {
            eprintln!("compiling the stack {stack}");
            load(folder, &file, stack, Level::Bypass)?;
        }
    }
    java::prepare(folder)
}
