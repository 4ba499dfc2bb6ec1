//! Work on files that takes long: complete ones are brought to the disk and read back, those that may be continued are
//! read. Each by a thread of its own: a large file keeps no other transfer waiting.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// Work with a result.
pub struct Job<T> {
    /// None: its end was waited for.
    worker: Option<JoinHandle<io::Result<T>>>,
    stop: Arc<AtomicBool>,
}

impl<T: Send + 'static> Job<T> {
    /// Begins work that ends early once the flag is set.
    pub fn begin(work: impl FnOnce(&AtomicBool) -> io::Result<T> + Send + 'static) -> io::Result<Job<T>> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let worker = Builder::new().name("store".into()).spawn(move || work(&stopped))?;
        Ok(Job { worker: Some(worker), stop })
    }

    /// Whether it has ended.
    pub fn is_done(&self) -> bool {
        self.worker.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Requests an early end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits until it has ended.
    pub fn end(mut self) -> io::Result<T> {
        let joined = self.worker.take().map(JoinHandle::join);
        joined.and_then(Result::ok).unwrap_or_else(|| Err(io::Error::other("internal error")))
    }
}

impl<T> Drop for Job<T> {
    /// Nobody waits for the result.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
