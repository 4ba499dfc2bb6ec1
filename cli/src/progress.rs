//! Progress on a terminal, for work that takes longer than a second.

use std::cell::{Cell, OnceCell};
use std::io::{stderr, IsTerminal, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The delay before progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// The interval of progress lines where standard error is not a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Counts towards a total.
pub struct Progress {
    bar: Option<ProgressBar>,
    total: u64,
    done: u64,
    template: &'static str,
    label: String,
    begun: Instant,
}

impl Progress {
    /// Progress of a transfer, in bytes; none: of unknown length.
    pub fn of_bytes(total: Option<u64>, label: &str) -> Progress {
        match total {
            Some(total) => Progress::new(total, label, "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}"),
            None => Progress::new(0, label, "{msg} {bytes} {bytes_per_sec}"),
        }
    }

    /// Progress of a campaign, in runs.
    pub fn of_runs(total: u64) -> Progress {
        Progress::new(total, "runs", "{pos}/{len} {msg} {wide_bar} {eta}")
    }

    fn new(total: u64, label: &str, template: &'static str) -> Progress {
        Progress { bar: None, total, done: 0, template, label: label.to_string(), begun: Instant::now() }
    }

    /// Adds completed work; the bar appears once the work has taken longer than `PATIENCE`.
    pub fn add(&mut self, count: u64) {
        self.done += count;
        if self.bar.is_none() && self.begun.elapsed() > PATIENCE {
            // On standard error, and hidden where that is no terminal.
            let bar = ProgressBar::new(self.total).with_message(self.label.clone()).with_elapsed(self.begun.elapsed());
            bar.set_style(ProgressStyle::with_template(self.template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Progress of work without a known end.
pub struct Counting {
    begun: Instant,
    bar: OnceCell<ProgressBar>,
    /// Lines that were written, where there is no terminal.
    lines: Cell<u32>,
}

impl Counting {
    /// Starts the clock; nothing is shown yet.
    pub fn begin() -> Counting {
        Counting { begun: Instant::now(), bar: OnceCell::new(), lines: Cell::new(0) }
    }

    /// Shows the text on a terminal; elsewhere prints it as a line, at most once per `BETWEEN_LINES`.
    pub fn show(&self, text: &str) {
        if !stderr().is_terminal() {
            let lines = self.lines.get() + 1;
            if self.begun.elapsed() >= BETWEEN_LINES * lines {
                line(text);
                self.lines.set(lines);
            }
            return;
        }
        if self.begun.elapsed() > PATIENCE {
            self.bar.get_or_init(ProgressBar::new_spinner).set_message(text.to_string());
            self.bar.get().into_iter().for_each(ProgressBar::tick);
        }
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.bar.get().into_iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// Shows what the program waits for, until it is dropped.
pub struct Waiting {
    end: Option<Sender<()>>,
    shows: Option<JoinHandle<()>>,
}

impl Waiting {
    /// Shows the text, from a thread of its own, until the value is dropped.
    pub fn begin(text: String) -> Waiting {
        let (end, ended) = mpsc::channel();
        let shows = std::thread::spawn(move || {
            if !stderr().is_terminal() {
                return lines_until(&ended, &text);
            }
            if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let spinner = ProgressBar::new_spinner().with_message(text);
            spinner.enable_steady_tick(Duration::from_millis(200));
            let _ = ended.recv();
            spinner.finish_and_clear();
        });
        Waiting { end: Some(end), shows: Some(shows) }
    }
}

/// Writes a line of progress, which scripts can distinguish from messages. Ignores a closed pipe.
fn line(text: &str) {
    let _ = writeln!(stderr(), "progress: {text}");
}

/// Writes the awaited task at intervals.
fn lines_until(ended: &Receiver<()>, text: &str) {
    let begun = Instant::now();
    while ended.recv_timeout(BETWEEN_LINES) == Err(RecvTimeoutError::Timeout) {
        line(&format!("{text}: {} s", begun.elapsed().as_secs()));
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(shows) = self.shows.take() {
            let _ = shows.join();
        }
    }
}
