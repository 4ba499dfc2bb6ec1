//! Arguments of the command line.
//!
//! Longer than others: it lists all options of all commands.

pub mod common;
pub mod projects;
pub mod proofs;
pub mod secure;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use nacre_specification::Setting;

use common::{Faults, Which};

use crate::help;
use crate::levels::{EmittedLevel, Machines};
use crate::units::{address, length, members, peer, setting, Peer};

/// Messages of a timed run of `nacre reproduce`.
const TIMED: std::ops::RangeInclusive<u64> = 100..=100_000_000;

#[derive(Parser, Debug)]
#[command(
    name = "nacre",
    version,
    about = "Builds network protocols out of small layers.",
    disable_help_subcommand = true
)]
/// The parsed command line.
#[command(after_help = help::LINE)]
pub struct Line {
    #[command(subcommand)]
    pub verb: Verb,
}

/// The subcommands of `nacre`.
#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Begins a project: a folder with a stack or a layer, its tests, and the commands for it
    #[command(after_help = help::NEW)]
    New(projects::New),
    /// Lists the layers and stacks that come with the program, or prints one
    #[command(after_help = help::LIBRARY)]
    Library(projects::Library),
    /// Installs the runtime for programs in C, C++ and Python
    #[command(after_help = help::RUNTIME)]
    Runtime(projects::Runtime),
    /// Checks files: syntax, types, linear use of messages, and every stack that they declare
    #[command(after_help = help::CHECK)]
    Check(Check),
    /// Formats files in the standard layout
    #[command(after_help = help::FMT)]
    Fmt(Fmt),
    /// Shows a composed stack: layers, frames bit by bit, calls, invariants, counters
    #[command(after_help = help::EXPLAIN)]
    Explain(Explain),
    /// Compiles a stack to C: one header and one source file
    #[command(after_help = help::BUILD)]
    Build(Build),
    /// Transfers files or lines of text over UDP through a stack
    #[command(after_help = help::RUN)]
    Run(Run),
    /// Makes and prints the keys that `nacre run` proves its identity with
    #[command(after_help = help::KEYS)]
    Keys(secure::Keys),
    /// Simulates a stack on a faulty network; each seed is one run
    #[command(after_help = help::SIM)]
    Sim(Sim),
    /// Runs the `test` blocks of files, in the interpreter and in C at every level
    #[command(after_help = help::TEST)]
    Test(Test),
    /// Searches for a run in which a layer or a stack violates its specification
    #[command(after_help = help::VERIFY)]
    Verify(Verify),
    /// Replays a run that `verify` saved, in the interpreter and in the emitted C
    #[command(after_help = help::REPLAY)]
    Replay(Replay),
    /// Proves invariants, assertions and bounds of the layers of a stack, and its bypasses, for all states
    #[command(after_help = help::PROVE)]
    Prove(proofs::Prove),
    /// Records which ways events take through a stack in a simulation, for `nacre build --profile`
    #[command(after_help = help::PROFILE)]
    Profile(proofs::Profile),
    /// Measures the workloads of the papers, and prints our figures beside theirs
    #[command(after_help = help::REPRODUCE)]
    Reproduce(Reproduce),
    /// Compiles protocol code of another system, as it is, to a capsule: a STREAMS module with private data
    #[command(after_help = help::IMPORT)]
    Import(projects::Import),
    /// Writes a dissector for Wireshark (not built yet)
    #[command(after_help = help::DISSECTOR)]
    Dissector(Rest),
}

/// The arguments of a command that is not built yet.
#[derive(Args, Debug)]
pub struct Rest {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub rest: Vec<String>,
}

/// Arguments of `nacre reproduce`.
#[derive(Args, Clone, Debug)]
pub struct Reproduce {
    /// A table or figure, such as `ensemble-1`, or `all`
    #[arg(value_name = "TABLE")]
    pub table: String,
    /// Messages of each timed run; fewer take less time and repeat less well
    #[arg(long, default_value_t = 300_000, value_name = "N", value_parser = clap::value_parser!(u64).range(TIMED))]
    pub messages: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Also write a page with tables and plots
    #[arg(long, value_name = "PATH")]
    pub html: Option<PathBuf>,
}

/// Arguments of `nacre verify`.
#[derive(Args, Clone, Debug)]
pub struct Verify {
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Verify this layer, over the automaton that it requires [default: all layers and configured stacks of the file]
    #[arg(long, value_name = "NAME", conflicts_with = "stack")]
    pub layer: Option<String>,
    /// Verify this stack
    #[arg(long, value_name = "NAME")]
    pub stack: Option<String>,
    /// Verify only this configuration of the source
    #[arg(long, value_name = "NAME")]
    pub configuration: Option<String>,
    /// Also verify configurations declared `on request`, which take long
    #[arg(long, conflicts_with = "configuration")]
    pub all: bool,
    /// Add a setting to the configuration, or replace one: W=2, pt2pt.W=2, send=3,0, size=1,2, RTO=5ms, numbers=8,
    /// first=254
    #[arg(long, value_name = "KEY=VALUE[,VALUE]", value_parser = setting)]
    pub set: Vec<Setting>,
    /// The engine: explorer (built in), spin (on a Promela model), spin-c (SPIN on the emitted C), all of these; or
    /// router: crashes, restarts and strangers, in runs of the emitted C on the runtime's router core
    #[arg(long, default_value = "explorer", value_name = "ENGINE")]
    pub engine: Engine,
    /// The level of the C that spin-c or router runs: queue, call, inline, bypass (repeatable) [default: all; of
    /// router: call]
    #[arg(long, value_name = "LEVEL")]
    pub level: Vec<EmittedLevel>,
    /// Repeat one run of router, as a violation prints it
    #[arg(long, value_delimiter = ',', value_name = "CHOICE,...")]
    pub choices: Vec<nacre_hosts::Choice>,
    /// Explore every order of a step's events that keeps each link in order, not only the interpreter's
    #[arg(long)]
    pub any_order: bool,
    /// Run mutation testing: report which small changes of the source the specification detects
    #[arg(long, conflicts_with_all = ["trace", "svg", "brief"])]
    pub mutants: bool,
    /// Report which lines the configurations execute, and which operands of conditions never decide
    #[arg(long, conflicts_with_all = ["trace", "svg", "brief", "mutants"])]
    pub coverage: bool,
    /// Propose configurations that hold within --states states [default: 200000], and execute code or detect mutants
    /// that the others do not; with --mutants, try more of them
    #[arg(
        long,
        conflicts_with_all = ["configuration", "all", "set", "any_order", "coverage", "threads", "seconds", "bits"]
    )]
    pub propose: bool,
    /// Threads of the explorer [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub threads: Option<u16>,
    /// Stop after N states
    #[arg(long, value_name = "N")]
    pub states: Option<usize>,
    /// Memory limit of the process, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub memory: u32,
    /// Time limit of each engine in each configuration [default: 600 s for SPIN, none for the explorer]
    #[arg(long, value_name = "SECONDS")]
    pub seconds: Option<u64>,
    /// Use bitstate hashing with MIB MiB: larger state spaces, but states can be missed
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub bits: Option<u32>,
    /// Save the counterexample, for `nacre replay`
    #[arg(long, value_name = "PATH")]
    pub trace: Option<PathBuf>,
    /// Draw the counterexample as SVG
    #[arg(long, value_name = "PATH")]
    pub svg: Option<PathBuf>,
    /// Draw counterexamples without handlers and state
    #[arg(long)]
    pub brief: bool,
    /// Print verdicts as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `nacre replay`.
#[derive(Args, Debug)]
pub struct Replay {
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The source, if it has moved
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Also replay in the emitted C at this level: queue, call, inline, bypass (repeatable)
    #[arg(long, value_name = "LEVEL")]
    pub level: Vec<EmittedLevel>,
    /// Stop at each step of the emitted C under gdb, with the lines of the layers
    #[arg(long, requires = "level")]
    pub gdb: bool,
    /// Draw the run without handlers and state
    #[arg(long)]
    pub brief: bool,
}

/// The model checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    Explorer,
    Spin,
    SpinC,
    All,
    Router,
}

/// Arguments of `nacre check`.
#[derive(Args, Debug)]
pub struct Check {
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print diagnostics as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `nacre fmt`.
#[derive(Args, Debug)]
pub struct Fmt {
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Change nothing; list the files that would change, and exit with 1 if there are any
    #[arg(long)]
    pub check: bool,
}

/// Arguments of `nacre explain`.
#[derive(Args, Debug)]
pub struct Explain {
    #[command(flatten)]
    pub which: Which,
    /// Print the composed stack IR as JSON
    #[arg(long, conflicts_with = "stage")]
    pub json: bool,
    /// Print the output of a compiler stage: tokens, syntax, typed, fragments, composed, the name of a pass, c-queue,
    /// c-call, c-inline, c-bypass, paths, invariants, promela
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<String>,
    /// With a stage that is stack IR: print the span of each statement and expression, as file:start..end in bytes
    #[arg(long, requires = "stage")]
    pub spans: bool,
}

/// Arguments of `nacre build`.
#[derive(Args, Debug)]
pub struct Build {
    #[command(flatten)]
    pub which: Which,
    /// Optimization level: queue (no optimization), call (events become calls), inline (calls are inlined), bypass
    /// (common events do what all layers do at once, as far as that is proved)
    #[arg(long, default_value = "bypass", value_name = "LEVEL")]
    pub level: EmittedLevel,
    /// The output folder; it is created if missing
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Base name of the files and prefix of all symbols [default: the name of the stack]
    #[arg(long, value_name = "PREFIX")]
    pub name: Option<String>,
    /// A file of `nacre profile`: what it counts most often is tried first (level bypass)
    #[arg(long, value_name = "PATH")]
    pub profile: Option<PathBuf>,
    /// Compile the C, too, to a shared object that the runtime loads: for Python, and for programs that load stacks
    #[arg(long)]
    pub shared: bool,
    /// Write `nacre_listener.h` and `nacre_listener.c`, too: connections with many peers over one socket, without the
    /// runtime, for stacks without keys
    #[arg(long)]
    pub with_listener: bool,
    /// Print the names of the written files as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `nacre run`.
#[derive(Args, Debug)]
pub struct Run {
    #[command(flatten)]
    pub which: Which,
    #[command(subcommand)]
    pub what: Transfer,
}

/// The subcommands of `nacre run`.
#[derive(Subcommand, Debug)]
pub enum Transfer {
    /// Receives files from any number of senders
    #[command(after_help = help::RECEIVE)]
    Receive(Receive),
    /// Sends files and folders
    #[command(after_help = help::SEND)]
    Send(Send),
    /// Sends the lines of standard input and prints those of the peer, until both inputs end or Ctrl-C
    #[command(after_help = help::CHAT)]
    Chat(Chat),
}

/// Arguments of `nacre run receive`.
#[derive(Args, Debug)]
pub struct Receive {
    /// Local address: `0.0.0.0:7000`, `[::]:7000` (IPv4 too); port 0: any free port
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub listen: SocketAddr,
    /// The output file; or a folder, in which each received file gets its own name
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
    /// Exit after the first sender that is done (the default if PATH is a file)
    #[arg(long, conflicts_with = "serve")]
    pub once: bool,
    /// Keep receiving (the default if PATH is a folder); later files are PATH-1, PATH-2, ...
    #[arg(long)]
    pub serve: bool,
    /// Keep files that are not complete, and continue them when the same peer sends them again
    #[arg(long)]
    pub resume: bool,
    /// Replace existing files (without it, PATH must not exist, and files whose names are taken get numbers)
    #[arg(long)]
    pub overwrite: bool,
    #[command(flatten)]
    pub allowed: secure::Allowed,
    #[command(flatten)]
    pub net: Net,
}

/// Arguments of `nacre run send`.
#[derive(Args, Debug)]
pub struct Send {
    /// The receiver: `10.0.0.2:7000`, `[::1]:7000`, `[fe80::1%eth0]:7000`, `example.org:7000`
    #[arg(long, value_name = "ADDR", value_parser = peer)]
    pub to: Peer,
    /// The files to send (repeatable); `-`: standard input; with `-r` folders, too
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub file: Vec<PathBuf>,
    /// Send folders with everything below; symbolic links there are reported and not followed
    #[arg(short, long)]
    pub recursive: bool,
    /// The name at the receiver, of standard input or of the only file
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    #[command(flatten)]
    pub expected: secure::Expected,
    #[command(flatten)]
    pub net: Net,
}

/// Arguments of `nacre run chat`.
#[derive(Args, Debug)]
pub struct Chat {
    /// Wait for a peer at this local address
    #[arg(long, value_name = "ADDR", conflicts_with = "to", required_unless_present = "to", value_parser = address)]
    pub listen: Option<SocketAddr>,
    /// Connect to the peer at this address
    #[arg(long, value_name = "ADDR", value_parser = peer)]
    pub to: Option<Peer>,
    #[command(flatten)]
    pub expected: secure::Expected,
    #[command(flatten)]
    pub allowed: secure::Allowed,
    #[command(flatten)]
    pub net: Net,
}

/// Network arguments of all transfers.
#[derive(Args, Debug)]
pub struct Net {
    #[command(flatten)]
    pub protection: secure::Protection,
    #[command(flatten)]
    pub faults: Faults,
    /// Seed of the random faults
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Capture all frames in a pcap file, for Wireshark and tcpdump
    #[arg(long, value_name = "PATH")]
    pub pcap: Option<PathBuf>,
    /// Optimization level: queue, call, inline, bypass (the last two are fast, but take some seconds to compile)
    #[arg(long, default_value = "bypass", value_name = "LEVEL")]
    pub level: EmittedLevel,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `nacre sim`.
#[derive(Args, Debug)]
pub struct Sim {
    #[command(flatten)]
    pub which: Which,
    /// The seed of the first run
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of runs; each has the next seed
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,
    /// Number of endpoints; a frame that names no peer goes to all others
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = members)]
    pub members: usize,
    /// Messages from each endpoint, at most 1000000 (more: `--runs`)
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub messages: u32,
    /// Length of the longest message in bytes, at most 16777216; the stack may accept less
    #[arg(long, default_value_t = 20_000, value_name = "BYTES", value_parser = length)]
    pub largest: u32,
    #[command(flatten)]
    pub faults: Faults,
    /// Periodic partition: `2s/300ms` drops all frames for 300 ms in every 2 s
    #[arg(long, value_name = "EVERY/LASTS", value_parser = crate::units::partition)]
    pub partition: Option<nacre_simulator::network::Partition>,
    /// Longest frame in bytes; longer ones are lost. An Ethernet takes 1472 over IPv4, 1452 over IPv6
    #[arg(long, value_name = "BYTES")]
    pub mtu: Option<u32>,
    /// Rate of the link from each endpoint, in kbit/s; 0: no limit
    #[arg(long, default_value_t = 0, value_name = "KBIT/S")]
    pub rate: u64,
    /// Bytes that such a link holds; what exceeds that is lost
    #[arg(long, value_name = "BYTES", requires = "rate")]
    pub queue: Option<u64>,
    /// What runs: interpreter, queue, call, inline, bypass; `all`: all of them in lockstep; `queue/inline`: one for
    /// each endpoint
    #[arg(long, default_value = "interpreter", value_name = "LEVEL")]
    pub level: Machines,
    /// Let the interpreter handle the events of a step in any order that keeps each link in order
    #[arg(long)]
    pub any_order: bool,
    /// Properties to check [default: all seven, which a reliable stack has]
    #[arg(long, value_delimiter = ',', value_name = "CHECK,...")]
    pub check: Vec<nacre_simulator::checks::Check>,
    /// Draw the run as a sequence chart
    #[arg(long)]
    pub trace: bool,
    /// Restrict the run to these messages and faults, as a failure prints them; to none of them without a value
    #[arg(long, value_delimiter = ',', num_args = 0..=1, value_name = "ITEM,...")]
    pub keep: Option<Vec<nacre_simulator::network::Item>>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `nacre test`.
#[derive(Args, Debug)]
pub struct Test {
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Run only tests whose names contain TEXT
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
}
