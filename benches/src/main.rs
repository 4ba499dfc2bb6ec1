//! Measures what docs/performance.md shows: `nacre-benches [FILE]` prints the tables, or writes them to FILE.

mod callgrind;
mod harness;
mod table;
mod udp;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary folder");
    match report(folder.path()) {
        Ok(text) => match std::env::args().nth(1) {
            Some(path) => match std::fs::write(&path, text) {
                Ok(()) => ExitCode::SUCCESS,
                Err(why) => fail(&format!("{path}: {why}")),
            },
            None => {
                print!("{text}");
                ExitCode::SUCCESS
            }
        },
        Err(why) => fail(&why),
    }
}

fn fail(why: &str) -> ExitCode {
    eprintln!("nacre-benches: {why}");
    ExitCode::FAILURE
}

/// The folder of this crate.
fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn report(folder: &Path) -> Result<String, String> {
    let stacks: PathBuf = here().join("stacks.nacre");
    let mut text = table::head();
    text += &table::instructions(&harness::measure_stacks(folder, &stacks)?);
    text += &table::network(&udp::measure(folder, &stacks)?);
    Ok(text)
}
