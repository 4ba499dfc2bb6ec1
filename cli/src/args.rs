//! What may stand on the command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::levels::{EmittedLevel, Machines};
use crate::units::{Probability, Time};

#[derive(Parser, Debug)]
#[command(
    name = "nacre",
    version,
    about = "Builds network protocols out of small layers.",
    disable_help_subcommand = true
)]
#[command(
    after_help = "Exit status: 0 yes, 1 no, 2 wrong usage, 3 could not tell (a tool is missing, or not built yet)."
)]
pub struct Line {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Checks files: syntax, types, the use of messages, and every stack that they declare
    #[command(after_help = "Example:\n  nacre check chat.nacre")]
    Check(Check),
    /// Writes files anew in the one layout
    #[command(after_help = "Example:\n  nacre fmt --check layers/*.nacre")]
    Fmt(Fmt),
    /// Shows what a stack comes to: layers, frames bit by bit, calls, invariants, counters
    #[command(after_help = "Example:\n  nacre explain chat.nacre --stack reliable")]
    Explain(Explain),
    /// Writes a stack as C: one header and one source file
    #[command(after_help = "Example:\n  nacre build chat.nacre --stack reliable -o out\n  gcc -O2 -c out/reliable.c")]
    Build(Build),
    /// Moves files or lines of text over UDP through a stack
    #[command(
        after_help = "Example:\n  nacre run chat.nacre --stack reliable receive --listen [::]:7000 --out copy\n  nacre run chat.nacre --stack reliable send --to [::1]:7000 --file original --loss 5%"
    )]
    Run(Run),
    /// Simulates a stack on a bad network; one seed is one run
    #[command(after_help = "Example:\n  nacre sim chat.nacre --stack reliable --runs 100 --loss 10% --level all")]
    Sim(Sim),
    /// Runs the `test` blocks of files, in the interpreter and as C at every level
    #[command(after_help = "Example:\n  nacre test layers/pt2pt/pt2pt.nacre")]
    Test(Test),
    /// Searches for a run that breaks what layers and stacks promise
    #[command(
        after_help = "Example:\n  nacre verify layers/pt2pt/pt2pt.nacre\n  nacre verify chat.nacre --stack reliable --set send=4,0 --trace run.json\n\nExit status: 0 holds, 1 violated (or mutants that are not found), 3 not everything was searched."
    )]
    Verify(Verify),
    /// Runs a run that `verify` saved again: in the interpreter, and in the emitted C
    #[command(
        after_help = "Example:\n  nacre verify chat.nacre --stack reliable --trace run.json\n  nacre replay run.json --level inline\n  nacre replay run.json --level queue --gdb"
    )]
    Replay(Replay),
    /// Proves the bypass (not built yet)
    #[command(after_help = "Example:\n  nacre prove chat.nacre --stack reliable")]
    Prove(Rest),
    /// Likelihood from runs (not built yet)
    #[command(after_help = "Example:\n  nacre profile chat.nacre --stack reliable")]
    Profile(Rest),
    /// The tables of the papers (not built yet)
    #[command(after_help = "Example:\n  nacre reproduce table-1")]
    Reproduce(Rest),
    /// A dissector for Wireshark (not built yet)
    #[command(after_help = "Example:\n  nacre dissector chat.nacre --stack reliable")]
    Dissector(Rest),
}

/// Whatever follows a verb that is not built yet.
#[derive(Args, Debug)]
pub struct Rest {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub rest: Vec<String>,
}

#[derive(Args, Clone, Debug)]
pub struct Verify {
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// This layer, by itself over what it requires [default: all layers and configured stacks that the file declares]
    #[arg(long, value_name = "NAME", conflicts_with = "stack")]
    pub layer: Option<String>,
    /// This stack
    #[arg(long, value_name = "NAME")]
    pub stack: Option<String>,
    /// Only this configuration of the source
    #[arg(long, value_name = "NAME")]
    pub configuration: Option<String>,
    /// Also configurations whose name begins with `large`, which take long
    #[arg(long, conflicts_with = "configuration")]
    pub all: bool,
    /// A setting besides those of the configuration, or instead: W=2, pt2pt.W=2, send=3,0, size=1,2, numbers=8,
    /// first=254
    #[arg(long, value_name = "KEY=N[,N]", value_parser = setting)]
    pub set: Vec<(Vec<String>, Vec<u64>)>,
    /// Who searches: explorer (built in), spin (a model in Promela), spin-c (the emitted C), all
    #[arg(long, default_value = "explorer", value_name = "ENGINE")]
    pub engine: Engine,
    /// The levels of the C that spin-c searches: queue, call, inline (may be said more than once) [default: all]
    #[arg(long, value_name = "LEVEL")]
    pub level: Vec<EmittedLevel>,
    /// Every order of a step's events that keeps each link in order, not only the reference's
    #[arg(long)]
    pub any_order: bool,
    /// Seed every small mistake of a fixed set, and tell which ones the specification finds
    #[arg(long)]
    pub mutants: bool,
    /// Threads of the explorer [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub threads: Option<u16>,
    /// Visit at most so many states
    #[arg(long, value_name = "N")]
    pub states: Option<usize>,
    /// Limit of the process's memory, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub memory: u32,
    /// Let SPIN search at most so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub seconds: u64,
    /// Know states only by bits in a field of so many MiB: larger worlds, but some states can be missed
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub bits: Option<u32>,
    /// Save the run of a violation, for `nacre replay`
    #[arg(long, value_name = "PATH")]
    pub trace: Option<PathBuf>,
    /// Draw the run of a violation as SVG
    #[arg(long, value_name = "PATH")]
    pub svg: Option<PathBuf>,
    /// Draw runs without the handlers and the state
    #[arg(long)]
    pub brief: bool,
    /// Verdicts as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Replay {
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The source, if it is not where it was
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Also in the emitted C at this level: queue, call, inline (may be said more than once)
    #[arg(long, value_name = "LEVEL")]
    pub level: Vec<EmittedLevel>,
    /// Stop at each step of the emitted C under gdb, with the lines of the layers
    #[arg(long, requires = "level")]
    pub gdb: bool,
    /// Without the handlers and the state
    #[arg(long)]
    pub brief: bool,
}

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    Explorer,
    Spin,
    SpinC,
    All,
}

/// `pt2pt.W=2`, `send=3,0`
fn setting(text: &str) -> Result<(Vec<String>, Vec<u64>), String> {
    let (key, values) = text.split_once('=').ok_or("write KEY=NUMBER or KEY=NUMBER,NUMBER")?;
    let values: Result<Vec<u64>, _> = values.split(',').map(|v| v.trim().parse::<u64>()).collect();
    let values = values.map_err(|_| format!("`{text}`: what follows `=` are numbers"))?;
    Ok((key.trim().split('.').map(str::to_string).collect(), values))
}

#[derive(Args, Debug)]
pub struct Check {
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Diagnostics as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Fmt {
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Change nothing; say which files would change, and end with 1 if any would
    #[arg(long)]
    pub check: bool,
}

/// One stack of one file.
#[derive(Args, Debug)]
pub struct Which {
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which stack of the file
    #[arg(long, value_name = "NAME")]
    pub stack: String,
}

#[derive(Args, Debug)]
pub struct Explain {
    #[command(flatten)]
    pub which: Which,
    /// The composed stack IR as JSON
    #[arg(long, conflicts_with = "stage")]
    pub json: bool,
    /// What the compiler makes of the stack at a stage: tokens, syntax, typed, fragments, composed, the name of a pass,
    /// c-queue, c-call, c-inline, promela
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<String>,
    /// With a stage that is stack IR: the span of each statement and expression, as file:start..end in bytes
    #[arg(long, requires = "stage")]
    pub spans: bool,
}

#[derive(Args, Debug)]
pub struct Build {
    #[command(flatten)]
    pub which: Which,
    /// How events become calls: queue, call, inline
    #[arg(long, default_value = "inline", value_name = "LEVEL")]
    pub level: EmittedLevel,
    /// The folder to write to; it is made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Name of the files, and prefix of all symbols [default: the stack's name]
    #[arg(long, value_name = "PREFIX")]
    pub name: Option<String>,
    /// What was written, as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Run {
    #[command(flatten)]
    pub which: Which,
    #[command(subcommand)]
    pub what: Transfer,
}

#[derive(Subcommand, Debug)]
pub enum Transfer {
    /// Takes files from any number of senders
    #[command(
        after_help = "Example:\n  nacre run chat.nacre --stack reliable receive --listen 0.0.0.0:7000 --out received/"
    )]
    Receive(Receive),
    /// Sends a file
    #[command(
        after_help = "Example:\n  nacre run chat.nacre --stack reliable send --to 10.0.0.2:7000 --file original"
    )]
    Send(Send),
    /// Sends the lines of standard input, and prints those of the peer; ends when both inputs have ended, or by Ctrl-C
    #[command(
        after_help = "Example:\n  nacre run chat.nacre --stack reliable chat --listen [::1]:7000\n  nacre run chat.nacre --stack reliable chat --to [::1]:7000"
    )]
    Chat(Chat),
}

#[derive(Args, Debug)]
pub struct Receive {
    /// Where to listen: `0.0.0.0:7000`, `[::]:7000` (IPv4 too); port 0 takes any
    #[arg(long, value_name = "ADDR")]
    pub listen: SocketAddr,
    /// A file; or a folder, where each sender's file gets its own name
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
    /// End after the first file (the default if PATH is a file)
    #[arg(long, conflicts_with = "serve")]
    pub once: bool,
    /// Go on after the first file (the default if PATH is a folder); further files become PATH-1, PATH-2, ...
    #[arg(long)]
    pub serve: bool,
    #[command(flatten)]
    pub net: Net,
}

#[derive(Args, Debug)]
pub struct Send {
    /// The receiver: `10.0.0.2:7000`, `[::1]:7000`
    #[arg(long, value_name = "ADDR")]
    pub to: SocketAddr,
    #[arg(long, value_name = "PATH")]
    pub file: PathBuf,
    #[command(flatten)]
    pub net: Net,
}

#[derive(Args, Debug)]
pub struct Chat {
    #[arg(long, value_name = "ADDR", conflicts_with = "to", required_unless_present = "to")]
    pub listen: Option<SocketAddr>,
    #[arg(long, value_name = "ADDR")]
    pub to: Option<SocketAddr>,
    #[command(flatten)]
    pub net: Net,
}

/// How bad frames have it, both those that leave here and those that arrive.
#[derive(Args, Debug, Clone)]
pub struct Faults {
    /// Frames that are lost
    #[arg(long, default_value = "0%", value_name = "PERCENT")]
    pub loss: Probability,
    /// Frames that arrive twice
    #[arg(long, default_value = "0%", value_name = "PERCENT")]
    pub duplicate: Probability,
    /// Frames that are overtaken by later ones
    #[arg(long, default_value = "0%", value_name = "PERCENT")]
    pub reorder: Probability,
    /// Frames in which bits are flipped
    #[arg(long, default_value = "0%", value_name = "PERCENT")]
    pub corrupt: Probability,
    /// What every frame takes: `5ms`
    #[arg(long, default_value = "0ms", value_name = "TIME")]
    pub delay: Time,
    /// What a frame may take more
    #[arg(long, default_value = "0ms", value_name = "TIME")]
    pub jitter: Time,
}

#[derive(Args, Debug)]
pub struct Net {
    #[command(flatten)]
    pub faults: Faults,
    /// Seed of the faults
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Record all frames into a file that Wireshark and tcpdump read
    #[arg(long, value_name = "PATH")]
    pub pcap: Option<PathBuf>,
    /// queue, call, inline (the fastest, but slow to compile the first time)
    #[arg(long, default_value = "call", value_name = "LEVEL")]
    pub level: EmittedLevel,
    /// The result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Sim {
    #[command(flatten)]
    pub which: Which,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many seeds
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,
    /// Messages from each end
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub messages: u32,
    /// Longest message in bytes; what the stack accepts may be less
    #[arg(long, default_value_t = 20_000, value_name = "BYTES")]
    pub largest: usize,
    #[command(flatten)]
    pub faults: Faults,
    /// Times at which nothing gets through: `2s/300ms`, 300 ms in every 2 s
    #[arg(long, value_name = "EVERY/LASTS", value_parser = crate::units::partition)]
    pub partition: Option<nacre_simulator::network::Partition>,
    /// What runs: interpreter, queue, call, inline; `all`: all in lockstep; `queue/inline`: one for each end
    #[arg(long, default_value = "interpreter", value_name = "LEVEL")]
    pub level: Machines,
    /// The interpreter handles the events of a step in any order that layers must bear
    #[arg(long)]
    pub any_order: bool,
    /// Promises to check [default: all of complete,once,order,intact,quiet,unbroken,space]
    #[arg(long, value_delimiter = ',', value_name = "CHECK,...")]
    pub check: Vec<nacre_simulator::checks::Check>,
    /// Draw the run
    #[arg(long)]
    pub trace: bool,
    /// Of the run only these messages and faults, as a failure prints them
    #[arg(long, value_delimiter = ',', value_name = "ITEM,...")]
    pub keep: Option<Vec<nacre_simulator::network::Item>>,
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Test {
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Only tests whose names contain this
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    #[arg(long)]
    pub json: bool,
}
