//! Random programs from the command line: prints them, examines them, shrinks those that fail.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use nacre_tests::programs::plan::Plan;
use nacre_tests::programs::run::{examine, examine_apart, Verdict};
use nacre_tests::programs::{acceptance, campaign, generate, shrink};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// All optimizations, and more events.
    #[arg(long, global = true)]
    thorough: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Prints the program of a seed.
    Print { seed: u64 },
    /// Examines the program in a file, in this process.
    Examine {
        file: PathBuf,
        #[arg(long)]
        seed: u64,
    },
    /// Compiles the programs of seeds from FIRST up to but not including END; runs none.
    Check { first: u64, end: u64 },
    /// Examines the programs of seeds from FIRST up to but not including END.
    Run { first: u64, end: u64 },
    /// Makes the program of a seed that fails small, and prints it.
    Shrink {
        seed: u64,
        /// Programs that are tried at the most.
        #[arg(long, default_value_t = 3000)]
        budget: usize,
    },
}

fn main() -> ExitCode {
    let Arguments { command, thorough } = Arguments::parse();
    let this = std::env::current_exe().expect("the tool knows its file");
    match command {
        Command::Print { seed } => println!("{}", generate(seed).text()),
        Command::Examine { file, seed } => {
            let text = std::fs::read_to_string(&file).expect("a program to read");
            let folder = file.parent().map(PathBuf::from).unwrap_or_default();
            // Frames of unoptimized C with a sanitizer are large.
            let examined = std::thread::Builder::new()
                .stack_size(1 << 30)
                .spawn(move || examine(&text, &Plan::draw(seed, thorough), &folder));
            let verdict = examined.expect("a thread").join().expect("panics are caught");
            let (status, words) = verdict.status();
            print!("{words}");
            return ExitCode::from(status as u8);
        }
        Command::Check { first, end } => println!("{}", acceptance(first..end).summary()),
        Command::Run { first, end } => {
            let found = campaign(&this, first..end, thorough);
            println!("{}", found.summary());
            return ExitCode::from(u8::from(!found.failures.is_empty()));
        }
        Command::Shrink { seed, budget } => {
            let tree = generate(seed);
            let first = examine_apart(&this, &tree.text(), seed, thorough);
            println!("// {first:?}\n// {}", Plan::draw(seed, thorough).describe());
            if first == Verdict::Equal {
                return ExitCode::FAILURE;
            }
            let fails = |text: &str| examine_apart(&this, text, seed, thorough).is_like(&first);
            let small = shrink::shrink(&tree, budget, &fails);
            println!("{}", small.text());
            println!("// {:?}", examine_apart(&this, &small.text(), seed, thorough));
        }
    }
    ExitCode::SUCCESS
}
