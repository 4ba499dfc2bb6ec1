//! Programs of this machine: found, run within a time, and a folder for them to work in.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a program that was told to stop may take to say what it has found.
const TO_STOP: Duration = Duration::from_secs(10);
/// The same when somebody wants an end at once.
const TO_STOP_AT_ONCE: Duration = Duration::from_secs(1);
const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;

extern "C" {
    fn kill(process: i32, signal: i32) -> i32;
}

static END: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Every program that runs is stopped as soon as this is set. Said once.
pub fn end_with(flag: Arc<AtomicBool>) {
    let _ = END.set(flag);
}

fn is_asked_to_end() -> bool {
    END.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// A program by its name, or by its path.
pub fn on_path(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_path_buf());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A folder that goes when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> io::Result<Folder> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("nacre-verify-{}-{number}", std::process::id()));
        // Not recursive: a folder that is there already is somebody else's.
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Folder(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a program said, on both of its outputs.
pub struct Ran {
    pub status: ExitStatus,
    pub words: String,
    /// It did not end by itself.
    pub stopped: bool,
}

/// Runs a program in a folder; it is stopped when the time is over.
pub fn run(command: &mut Command, folder: &Path, limit: Duration) -> io::Result<Ran> {
    // Into a file: a pipe that nobody empties would stop the program.
    let said = folder.join("said");
    let file = File::create(&said)?;
    // In a group of its own: so it is we who stop it, with all that it has begun.
    command.current_dir(folder).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
    dies_with_us(command);
    let mut child = Running(command.spawn()?);
    let ended = child.wait_for(limit)?;
    let status = match ended {
        Some(status) => status,
        None => child.stop()?,
    };
    let words = String::from_utf8_lossy(&fs::read(&said)?).into_owned();
    Ok(Ran { status, words, stopped: ended.is_none() })
}

/// Also where we are killed and can stop nothing any more.
#[cfg(target_os = "linux")]
fn dies_with_us(command: &mut Command) {
    const PR_SET_PDEATHSIG: i32 = 1;
    extern "C" {
        fn prctl(option: i32, argument: std::ffi::c_ulong, ...) -> i32;
    }
    // SAFETY: one system call, which may be made between fork and exec.
    unsafe {
        command.pre_exec(|| {
            prctl(PR_SET_PDEATHSIG, SIGKILL as std::ffi::c_ulong);
            Ok(())
        })
    };
}

#[cfg(not(target_os = "linux"))]
fn dies_with_us(_: &mut Command) {}

/// A process that does not outlive us, whatever happens.
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

    /// Asks it to end, so that it tells how far it came; then ends it.
    fn stop(&mut self) -> io::Result<ExitStatus> {
        self.signal(SIGINT);
        if let Some(status) = self.wait_for(TO_STOP)? {
            return Ok(status);
        }
        self.signal(SIGKILL);
        self.0.wait()
    }

    /// To it and all that it has begun.
    fn signal(&self, signal: i32) {
        // SAFETY: the group of our own child, which has not been waited for.
        unsafe { kill(-(self.0.id() as i32), signal) };
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            self.signal(SIGKILL);
            let _ = self.0.wait();
        }
    }
}
