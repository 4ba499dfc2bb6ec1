//! Many programs, each in its own process, and their results.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use super::generate;
use super::run::{digest, Examination, Verdict};
use crate::in_parallel;

/// Progress is printed after this number of programs.
const EACH: usize = 20;

/// The results of many programs.
#[derive(Clone, Debug, Default)]
pub struct Campaign {
    pub programs: usize,
    /// Programs that `check` rejected: the seed and the diagnostics.
    pub rejected: Vec<(u64, String)>,
    pub failures: Vec<(u64, Verdict)>,
}

/// The digests of programs by seed, one line each.
pub fn digests(seeds: &[u64]) -> String {
    in_parallel(seeds, |seed| digest_line(*seed) + "\n").concat()
}

fn digest_line(seed: u64) -> String {
    format!("{seed} {:?}", digest(&generate(seed).text()))
}

/// The options of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Start no program after a failure.
    pub until_failure: bool,
    /// Lines of [`digests`]: programs with unchanged compiler output do not run.
    pub known: BTreeSet<String>,
}

/// Examines the programs of some seeds. Failures are printed at once to standard error.
pub fn campaign(examination: &Examination, seeds: Vec<u64>, course: &Course) -> Campaign {
    let (failed, progress) = (AtomicBool::new(false), Progress::new(seeds.len()));
    let verdicts = in_parallel(&seeds, |seed| {
        let over = course.until_failure && failed.load(Ordering::Relaxed);
        if over || (!course.known.is_empty() && course.known.contains(&digest_line(*seed))) {
            return Verdict::Equal;
        }
        let verdict = examination.of(&generate(*seed).text(), *seed);
        failed.fetch_or(verdict.is_failure(), Ordering::Relaxed);
        progress.print(*seed, &verdict);
        verdict
    });
    gather(seeds, verdicts)
}

/// Prints the progress of a campaign.
struct Progress {
    all: usize,
    done: AtomicUsize,
    begun: Instant,
}

impl Progress {
    fn new(all: usize) -> Progress {
        Progress { all, done: AtomicUsize::new(0), begun: Instant::now() }
    }

    fn print(&self, seed: u64, verdict: &Verdict) {
        let done = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        match verdict {
            Verdict::Equal => {}
            Verdict::Rejected(words) => eprintln!("program {seed} is rejected: {}", title(words)),
            verdict => eprintln!("{}", failure(seed, verdict)),
        }
        if done % EACH == 0 {
            eprintln!("{done} of {} programs in {} s", self.all, self.begun.elapsed().as_secs());
        }
    }
}

/// Returns the title of the first error of `check`.
fn title(words: &str) -> &str {
    words.lines().find(|line| line.contains("] Error: ")).unwrap_or("no error")
}

fn gather(seeds: Vec<u64>, verdicts: Vec<Verdict>) -> Campaign {
    let mut found = Campaign { programs: seeds.len(), ..Campaign::default() };
    for (seed, verdict) in seeds.into_iter().zip(verdicts) {
        match verdict {
            Verdict::Equal => {}
            Verdict::Rejected(words) => found.rejected.push((seed, words)),
            failure => found.failures.push((seed, failure)),
        }
    }
    found
}

/// Formats a failure, and the command that shrinks it.
fn failure(seed: u64, verdict: &Verdict) -> String {
    let words: String = format!("{verdict:?}").chars().take(600).collect();
    format!("program {seed}: {words}\n  cargo run -p nacre-tests --bin programs -- shrink {seed}")
}

impl Campaign {
    /// Whether no tool was at fault, and `check` accepted 97 of 100 programs. (The others mostly exceed a bound on the
    /// events of a step, which the generator does not compute.)
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty() && self.rejected.len() * 100 <= 3 * self.programs
    }

    /// Returns statistics, and the diagnostics of rejected programs by frequency.
    pub fn summary(&self) -> String {
        let mut titles: Vec<(usize, &str, u64)> = Vec::new();
        for (seed, words) in &self.rejected {
            let title = title(words);
            match titles.iter_mut().find(|(_, known, _)| *known == title) {
                Some(known) => known.0 += 1,
                None => titles.push((1, title, *seed)),
            }
        }
        titles.sort_by(|one, other| other.cmp(one));
        let lines = titles.iter().take(40).map(|(n, title, seed)| format!("\n{n:5} {title} (seed {seed})"));
        let (programs, rejected, failed) = (self.programs, self.rejected.len(), self.failures.len());
        let lines: String = lines.collect();
        let failures = self.failures.iter().take(20);
        let failures: String = failures.map(|(seed, verdict)| format!("\n{}", failure(*seed, verdict))).collect();
        format!("{programs} programs, {rejected} rejected, {failed} failed{lines}{failures}")
    }
}
