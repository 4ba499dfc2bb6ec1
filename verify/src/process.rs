//! Programs of this machine: found, run within a time, and a folder for them to work in.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a program that was told to stop may take to say what it has found.
const TO_STOP: Duration = Duration::from_secs(10);
const SIGINT: i32 = 2;

extern "C" {
    fn kill(process: i32, signal: i32) -> i32;
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
    command.current_dir(folder).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let mut child = Running(command.spawn()?);
    let ended = child.wait_for(limit)?;
    let status = match ended {
        Some(status) => status,
        None => child.stop()?,
    };
    let words = String::from_utf8_lossy(&fs::read(&said)?).into_owned();
    Ok(Ran { status, words, stopped: ended.is_none() })
}

/// A process that does not outlive us, whatever happens.
struct Running(Child);

impl Running {
    fn wait_for(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let (begin, mut pause) = (Instant::now(), Duration::from_millis(1));
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            if begin.elapsed() >= limit {
                return Ok(None);
            }
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Asks it to end, so that it tells how far it came; then ends it.
    fn stop(&mut self) -> io::Result<ExitStatus> {
        // SAFETY: our own child, which has not been waited for.
        unsafe { kill(self.0.id() as i32, SIGINT) };
        if let Some(status) = self.wait_for(TO_STOP)? {
            return Ok(status);
        }
        self.0.kill()?;
        self.0.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
