//! Compiles C with gcc, which is found at run time.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use nacre_process::Ran;

/// The folder of the C sources of this crate.
pub fn room() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The warnings that our own C is free of; tests take them as errors.
pub const WARNINGS: [&str; 4] = ["-std=c11", "-Wall", "-Wextra", "-Wshadow"];

/// Finds undefined behaviour, errors of memory and leaks at run time.
pub const SANITIZERS: [&str; 4] =
    ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g"];

const LIMIT: Duration = Duration::from_secs(300);

const GCC: &str = "gcc";

/// Whether gcc is there; otherwise how to install it.
pub fn found() -> Result<(), String> {
    match nacre_process::on_path(Path::new(GCC)) {
        Some(_) => Ok(()),
        None => Err("gcc was not found: install it (Debian: `apt-get install gcc`)".into()),
    }
}

/// Runs gcc in a folder. Returns what it wrote; as an error, if it failed.
pub fn gcc<A: AsRef<OsStr>>(arguments: &[A], folder: &Path) -> Result<String, String> {
    let ran = run(arguments, folder)?;
    if ran.status.success() {
        Ok(ran.words)
    } else {
        Err(ran.words)
    }
}

/// What gcc says of its input, whether it fails or not; an error, if it says nothing of why it failed.
pub fn said<A: AsRef<OsStr>>(arguments: &[A], folder: &Path) -> Result<String, String> {
    let ran = run(arguments, folder)?;
    if ran.status.success() || ran.words.contains("error: ") {
        Ok(ran.words)
    } else {
        Err(format!("gcc: {}: {}", ran.status, ran.words))
    }
}

/// The results for the numbers below `count`, in their order, computed on all processors.
pub fn each<T: Send>(count: usize, one: impl Fn(usize) -> Result<T, String> + Sync) -> Result<Vec<T>, String> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let processors = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                let result = one(number);
                results.lock().unwrap_or_else(|poison| poison.into_inner()).push((number, result));
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|poison| poison.into_inner());
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

fn run<A: AsRef<OsStr>>(arguments: &[A], folder: &Path) -> Result<Ran, String> {
    found()?;
    let mut command = Command::new(GCC);
    // What it says is read: it is not to be in the user's language.
    command.args(arguments).env("LC_ALL", "C.UTF-8").env_remove("LANGUAGE");
    let ran = nacre_process::run(&mut command, folder, LIMIT).map_err(|e| format!("gcc: {e}"))?;
    if ran.stopped {
        return Err(format!("gcc took more than {} s", LIMIT.as_secs()));
    }
    Ok(ran)
}

/// Words as arguments.
pub fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}
