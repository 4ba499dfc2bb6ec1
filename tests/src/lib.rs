//! Shared code of the project's tests: paths, golden files, and the parts of campaigns.

pub mod c_listener;
pub mod c_programs;
pub mod dialogue;
pub mod functions;
pub mod fuzzing;
pub mod injected;
pub mod keyed;
pub mod library;
pub mod line_numbers;
pub mod machines;
pub mod mutants;
pub mod mutation;
pub mod pair;
pub mod paths;
pub mod primitives;
pub mod programs;
pub mod rows;
pub mod source;
pub mod storm;
pub mod terms;
pub mod values;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The root of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the checkout").to_path_buf()
}

/// Returns every file below a folder with this ending, sorted, except build output.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                found.extend(files(&path, ending));
            }
        } else if name.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Compares with the file; with BLESS=1 in the environment, writes the file instead.
pub fn golden(path: &Path, actual: &str) -> Result<(), String> {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, actual).map_err(|e| format!("{}: {e}", path.display()))?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    if expected == actual {
        return Ok(());
    }
    let line = expected.lines().zip(actual.lines()).position(|(one, two)| one != two);
    let at = line.unwrap_or(expected.lines().count().min(actual.lines().count()));
    let from = |text: &str| text.lines().skip(at.saturating_sub(2)).take(12).collect::<Vec<_>>().join("\n");
    let (expected, actual) = (from(&expected), from(actual));
    let path = path.display();
    Err(format!("{path}:{} differs (BLESS=1 writes it anew)\n--- expected\n{expected}\n--- actual\n{actual}", at + 1))
}

/// Whether long campaigns are requested (`make soak`).
pub fn soaking() -> bool {
    std::env::var_os("NACRE_SOAK").is_some()
}

/// Applies a function to each item, on one thread per processor; results are in the order of the items.
pub fn in_parallel<I: Sync, R: Send>(items: &[I], work: impl Fn(&I) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(items.len().max(1));
    let next = AtomicUsize::new(0);
    let share = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return done;
            };
            done.push((at, work(item)));
        }
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(share)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}
