//! Random programs from the command line: prints, examines and shrinks them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use nacre_tests::injected::{inject, seed};
use nacre_tests::programs::plan::Plan;
use nacre_tests::programs::run::{examine, examine_sources, Examination, Verdict};
use nacre_tests::programs::{campaign, digests, generate, shrink, Course};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Use all optimizations, and more events.
    #[arg(long, global = true)]
    thorough: bool,
    /// Examine only the output of the compiler; run nothing.
    #[arg(long, global = true)]
    sources_only: bool,
    /// The limit of processor time for one program, in seconds.
    #[arg(long, global = true, default_value_t = 120)]
    patience: u64,
}

#[derive(Subcommand)]
enum Command {
    /// Prints the program of a seed.
    Print { seed: u64 },
    /// Examines the program in a file; the seed draws compilers and faults.
    Examine {
        file: PathBuf,
        #[arg(long)]
        seed: u64,
    },
    /// Does the same in this process, which the program can crash; libraries are written to the folder of the file.
    #[command(hide = true)]
    ExamineHere {
        file: PathBuf,
        #[arg(long)]
        seed: u64,
    },
    /// Examines the programs of seeds from FIRST up to but not including END.
    Run {
        first: u64,
        end: u64,
        /// Start no program after a failure.
        #[arg(long)]
        until_failure: bool,
        /// Run only programs whose compiler output differs from this file of digests.
        #[arg(long)]
        unlike: Option<PathBuf>,
    },
    /// Prints a digest of the compiler's output for each of these programs.
    Digests { first: u64, end: u64 },
    /// Inserts the bugs of `tools/injected-bugs.txt` into the source in a folder; prints their numbers and names.
    Inject { folder: PathBuf },
    /// Inserts one bug of a list such as `tools/seeded-protocol-bugs.txt` into the source in a folder; prints its file.
    Seed { list: PathBuf, number: usize, folder: PathBuf },
    /// Shrinks the failing program of a seed, and prints it.
    Shrink {
        seed: u64,
        /// The maximum number of programs that are tried.
        #[arg(long, default_value_t = 3000)]
        budget: usize,
    },
}

fn injected(folder: &Path) -> ExitCode {
    match inject(folder) {
        Ok(names) => names.iter().enumerate().for_each(|(number, name)| println!("{number} {name}")),
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn seeded(list: &Path, number: usize, folder: &Path) -> ExitCode {
    match seed(list, number, folder) {
        Ok(bug) => println!("{}", bug.file),
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn examined_here(file: &Path, seed: u64, thorough: bool, sources_only: bool) -> Verdict {
    let text = std::fs::read_to_string(file).expect("a program to read");
    let folder = file.parent().map(PathBuf::from).unwrap_or_default();
    // The library of the sanitizer is loaded; the compilers that this process starts are slower with it.
    std::env::remove_var("LD_PRELOAD");
    // Frames of unoptimized C with a sanitizer are large.
    let examined = std::thread::Builder::new().stack_size(1 << 30).spawn(move || match sources_only {
        true => examine_sources(&text),
        false => examine(&text, &Plan::draw(seed, thorough), &folder),
    });
    examined.expect("a thread").join().expect("panics are caught")
}

fn report(verdict: &Verdict) -> ExitCode {
    let (status, words) = verdict.status();
    print!("{words}");
    ExitCode::from(status as u8)
}

fn main() -> ExitCode {
    let Arguments { command, thorough, sources_only, patience } = Arguments::parse();
    let tool = std::env::current_exe().expect("the tool knows its file");
    let examination = Examination { tool, thorough, sources_only, patience: Duration::from_secs(patience) };
    match command {
        Command::Print { seed } => println!("{}", generate(seed).text()),
        Command::Examine { file, seed } => {
            let text = std::fs::read_to_string(&file).expect("a program to read");
            return report(&examination.of(&text, seed));
        }
        Command::ExamineHere { file, seed } => return report(&examined_here(&file, seed, thorough, sources_only)),
        Command::Digests { first, end } => print!("{}", digests(&(first..end).collect::<Vec<_>>())),
        Command::Run { first, end, until_failure, unlike: known } => {
            let known = known.map(|file| std::fs::read_to_string(file).expect("digests to read")).unwrap_or_default();
            let course = Course { until_failure, known: known.lines().map(str::to_string).collect() };
            let found = campaign(&examination, (first..end).collect(), &course);
            println!("{}", found.summary());
            return ExitCode::from(u8::from(!found.is_clean()));
        }
        Command::Inject { folder } => return injected(&folder),
        Command::Seed { list, number, folder } => return seeded(&list, number, &folder),
        Command::Shrink { seed, budget } => {
            let tree = generate(seed);
            let first = examination.of(&tree.text(), seed);
            println!("// {first:?}\n// {}", Plan::draw(seed, thorough).describe());
            if first == Verdict::Equal {
                return ExitCode::FAILURE;
            }
            let fails = |text: &str| examination.of(text, seed).is_like(&first);
            let small = shrink::shrink(&tree, budget, &fails);
            println!("{}", small.text());
            println!("// {:?}", examination.of(&small.text(), seed));
        }
    }
    ExitCode::SUCCESS
}
