//! `check-certificates FOLDER`: checks all certificates in a folder. Exit status: 0 if there are some and all are
//! accepted, 1 if not, 2 for wrong usage or a folder that cannot be read.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use nacre_certificates::folder::check_all;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [folder] = &arguments[..] else {
        eprintln!("usage: check-certificates FOLDER");
        return ExitCode::from(2);
    };
    let all = match check_all(Path::new(folder)) {
        Ok(all) => all,
        Err(error) => {
            eprintln!("{}: {error}", folder.to_string_lossy());
            return ExitCode::from(2);
        }
    };
    let rejected = all.iter().filter_map(|one| Some((&one.name, one.verdict.as_ref().err()?)));
    let rejected: Vec<String> = rejected.map(|(name, why)| format!("rejected: {name}: {why}\n")).collect();
    let (accepted, all) = (all.len() - rejected.len(), all.len());
    if let Err(error) = writeln!(std::io::stdout(), "{}{accepted} of {all} certificates accepted", rejected.concat()) {
        eprintln!("standard output: {error}");
        return ExitCode::from(2);
    }
    ExitCode::from(u8::from(accepted < all || all == 0))
}
