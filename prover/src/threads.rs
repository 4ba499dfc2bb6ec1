//! Work on two threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

/// Calls `each` with every index below `count`, on two threads; returns the results in the order of the indices.
pub fn in_parallel<T: Send>(count: usize, each: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= count {
            break;
        }
        let result = each(at);
        found.lock().expect("no thread panics").push((at, result));
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let mut found = found.into_inner().expect("no thread panics");
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, result)| result).collect()
}
