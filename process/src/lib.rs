//! Runs programs of this machine, each within a time limit.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{kill_process_group, Pid, Signal};

/// The time that a program has to report its results after it was asked to stop.
const TO_STOP: Duration = Duration::from_secs(10);
/// The same if it must stop at once.
const TO_STOP_AT_ONCE: Duration = Duration::from_secs(1);

static END: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Sets the flag that stops every running program. Only the first call has an effect.
pub fn end_with(flag: Arc<AtomicBool>) {
    let _ = END.set(flag);
}

/// Whether [`end_with`] was given a flag that is set.
pub fn is_asked_to_end() -> bool {
    END.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// Returns the path of a program by its name or path.
pub fn on_path(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_path_buf());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The output of a program, standard output and standard error.
pub struct Ran {
    pub status: ExitStatus,
    pub words: String,
    /// Whether it was stopped.
    pub stopped: bool,
}

/// Runs a program in a folder, and stops it at the time limit.
pub fn run(command: &mut Command, folder: &Path, limit: Duration) -> io::Result<Ran> {
    // Into a file: a full pipe without a reader would block the program.
    let output = folder.join("output");
    let file = File::create(&output)?;
    // In a separate process group, so that its children are stopped with it.
    command.current_dir(folder).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
    dies_with_us(command);
    let mut child = Running(command.spawn()?);
    let ended = child.wait_for(limit)?;
    let status = match ended {
        Some(status) => status,
        None => child.stop()?,
    };
    let words = String::from_utf8_lossy(&std::fs::read(&output)?).into_owned();
    Ok(Ran { status, words, stopped: ended.is_none() })
}

/// Lets the system kill the program when this process dies, even by a signal that cannot be caught.
#[cfg(target_os = "linux")]
fn dies_with_us(command: &mut Command) {
    let ask = || Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?);
    // SAFETY: one system call, which may be made between fork and exec.
    unsafe { command.pre_exec(ask) };
}

#[cfg(not(target_os = "linux"))]
fn dies_with_us(_: &mut Command) {}

/// A process that ends before this one in every case.
struct Running(Child);

impl Running {
    fn wait_for(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let (begin, mut pause) = (Instant::now(), Duration::from_millis(1));
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            if begin.elapsed() >= limit || is_asked_to_end() && begin.elapsed() >= TO_STOP_AT_ONCE.min(limit) {
                return Ok(None);
            }
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Asks the process to end, so that it can report its results; then kills it.
    fn stop(&mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::INT);
        if let Some(status) = self.wait_for(TO_STOP)? {
            return Ok(status);
        }
        self.signal(Signal::KILL);
        self.0.wait()
    }

    /// Sends a signal to the process and its children.
    fn signal(&self, signal: Signal) {
        // The group exists: its leader is a child of this process and has not been waited for.
        let _ = kill_process_group(Pid::from_child(&self.0), signal);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            self.signal(Signal::KILL);
            let _ = self.0.wait();
        }
    }
}
