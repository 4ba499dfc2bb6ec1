//! Arguments of the commands that begin projects and provide for them.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `nacre new`.
#[derive(Args, Debug)]
pub struct New {
    /// The folder to make; its name is that of the stack or layer
    #[arg(value_name = "NAME")]
    pub folder: PathBuf,
    /// What to begin with: stack, layer, or a stack and a program in c, cpp, rust or python
    #[arg(long, default_value = "stack", value_name = "TEMPLATE")]
    pub template: Template,
    /// Where the crates of Nacre are, for rust [default: where this program was built]
    #[arg(long, value_name = "DIR")]
    pub crates: Option<PathBuf>,
}

/// What `nacre new` begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Template {
    Stack,
    Layer,
    C,
    #[value(alias = "c++")]
    Cpp,
    Rust,
    Python,
}

/// Arguments of `nacre library`.
#[derive(Args, Debug)]
pub struct Library {
    /// The file to print: `pt2pt.nacre`, or `nacre/pt2pt.nacre` as an import states it
    #[arg(value_name = "FILE")]
    pub file: Option<String>,
}

/// Arguments of `nacre runtime`.
#[derive(Args, Debug)]
pub struct Runtime {
    /// Install the library (static and shared), the header, and what pkg-config and CMake need, below PREFIX
    #[arg(long, value_name = "PREFIX", required_unless_present = "python")]
    pub install: Option<PathBuf>,
    /// Install the Python package into DIR: a virtual environment, or a folder on Python's path
    #[arg(long, value_name = "DIR")]
    pub python: Option<PathBuf>,
    /// Install the library of this folder (libnacre_runtime.a and .so) instead of compiling it
    #[arg(long, value_name = "DIR")]
    pub built: Option<PathBuf>,
    /// Where the crates of Nacre are [default: where this program was built]
    #[arg(long, value_name = "DIR")]
    pub crates: Option<PathBuf>,
}

/// Arguments of `nacre import`.
#[derive(Args, Debug)]
pub struct Import {
    /// The folder of the foreign source; nothing in it is changed
    #[arg(value_name = "DIR")]
    pub tree: PathBuf,
    /// The system that it was written for: bsd44, sunos4, xkernel, streams, lwip, usrsctp, nacre
    #[arg(long, value_name = "NAME")]
    pub environment: String,
    /// The name of the capsule
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// A description of the source: its files, headers, macros and glue [default: the environment's usual places]
    #[arg(long, value_name = "FILE")]
    pub description: Option<PathBuf>,
    /// The folder for the capsule and what programs need to load it
    #[arg(short, long, default_value = ".", value_name = "DIR")]
    pub output: PathBuf,
    /// A further flag of the compiler, such as -g
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub flag: Vec<String>,
    /// Each instance runs in a process of its own: a crash or an endless loop ends the instance alone
    #[arg(long)]
    pub isolate: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
