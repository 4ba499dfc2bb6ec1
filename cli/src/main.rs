//! The command line.

mod args;
mod build;
mod check;
mod console;
mod explain;
mod format;
mod help;
mod import;
mod install;
mod interrupt;
mod keys;
mod levels;
mod library;
mod new;
mod output;
mod profile;
mod program;
mod progress;
mod prove;
mod replay;
mod reproduce;
mod run;
mod sim;
mod sources;
mod test;
mod trace;
mod units;
mod user_folders;
mod verify;

use std::panic;
use std::process::ExitCode;

use args::{Line, Verb};
use clap::Parser;
use console::Exit;

fn main() -> ExitCode {
    let line = match Line::try_parse() {
        Ok(line) => line,
        Err(error) => return usage(&error),
    };
    // An internal error is reported in one line; RUST_BACKTRACE=1 prints the panic with its backtrace.
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        panic::set_hook(Box::new(|_| {}));
    }
    // Deeply nested sources need more stack than a main thread has on some systems.
    let worker =
        std::thread::Builder::new().name("nacre".into()).stack_size(64 << 20).spawn(move || dispatch(line.verb));
    let ended = match worker {
        Ok(worker) => worker.join(),
        Err(error) => {
            console::complain(&format!("cannot start a thread: {error}"));
            return Exit::Unknown.into();
        }
    };
    match ended {
        Ok(exit) => exit.into(),
        Err(panicked) => {
            let words = panicked.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panicked.downcast_ref::<&str>().map(|words| words.to_string()));
            console::complain(&format!("internal error, please report it: {}", words.unwrap_or_default()));
            Exit::Unknown.into()
        }
    }
}

/// Prints an error of the command line, or the requested help.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    match printed {
        _ if error.use_stderr() => {
            run::report_usage(&error.to_string());
            Exit::Usage.into()
        }
        Ok(()) => Exit::Yes.into(),
        Err(error) => ExitCode::from(console::unprinted(&error)),
    }
}

fn dispatch(verb: Verb) -> Exit {
    nacre_driver::library::provide(nacre_library::FILES);
    if is_verdict(&verb) {
        console::judge();
    }
    match verb {
        Verb::New(args) => new::new(&args),
        Verb::Library(args) => library::library(&args),
        Verb::Runtime(args) => install::runtime(&args),
        Verb::Check(args) => check::check(&args),
        Verb::Fmt(args) => format::format(&args),
        Verb::Explain(args) => explain::explain(&args),
        Verb::Build(args) => build::build(&args),
        Verb::Run(args) => run::run(&args),
        Verb::Keys(args) => keys::keys(&args),
        Verb::Sim(args) => sim::sim(&args),
        Verb::Test(args) => test::test(&args),
        Verb::Verify(args) => verify::verify(&args),
        Verb::Replay(args) => replay::replay(&args),
        Verb::Prove(args) => prove::prove(&args),
        Verb::Profile(args) => profile::profile(&args),
        Verb::Reproduce(args) => reproduce::reproduce(&args),
        Verb::Import(args) => import::import(&args),
        Verb::Dissector(_) => not_built("dissector"),
    }
}

/// Whether the exit status of a command is a verdict, which is void if the results could not be printed.
fn is_verdict(verb: &Verb) -> bool {
    match verb {
        Verb::Check(_) | Verb::Sim(_) | Verb::Test(_) | Verb::Verify(_) | Verb::Replay(_) | Verb::Prove(_) => true,
        Verb::Fmt(args) => args.check,
        _ => false,
    }
}

fn not_built(verb: &str) -> Exit {
    console::complain(&format!("`nacre {verb}` is not built yet"));
    Exit::Unknown
}
