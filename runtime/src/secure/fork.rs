//! Detects that this process is a copy of the one in which something was made (`fork`): keys and numbers that both
//! would use must not be used by either copy but the first.
//!
//! On Linux a page is wiped in each copy (`MADV_WIPEONFORK`), so that looking costs one load. Elsewhere, and where the
//! kernel refuses, the number of the process tells.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

/// Counts generations: each process that notices to be a copy begins another one.
static LAST: AtomicU64 = AtomicU64::new(0);

/// A page that is 0 in a new copy; none: there is no such page.
fn page() -> Option<&'static AtomicU64> {
    static PAGE: OnceLock<Option<&'static AtomicU64>> = OnceLock::new();
    *PAGE.get_or_init(wiped_on_fork)
}

#[cfg(target_os = "linux")]
fn wiped_on_fork() -> Option<&'static AtomicU64> {
    const LEN: usize = 4096;
    let (rights, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, which is never removed; it is zero, and aligned to a page.
    unsafe {
        let at = libc::mmap(std::ptr::null_mut(), LEN, rights, kind, -1, 0);
        if at == libc::MAP_FAILED {
            return None;
        }
        if libc::madvise(at, LEN, libc::MADV_WIPEONFORK) != 0 {
            libc::munmap(at, LEN);
            return None;
        }
        Some(&*at.cast::<AtomicU64>())
    }
}

#[cfg(not(target_os = "linux"))]
fn wiped_on_fork() -> Option<&'static AtomicU64> {
    None
}

/// The process in which something was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process(u64);

impl Process {
    /// This one.
    pub(crate) fn this() -> Process {
        let Some(page) = page() else {
            return Process(std::process::id().into());
        };
        if page.load(Ordering::Relaxed) == 0 {
            let next = LAST.fetch_add(1, Ordering::Relaxed) + 1;
            // Another thread may have been faster.
            let _ = page.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed);
        }
        Process(page.load(Ordering::Relaxed))
    }

    /// Whether this process is not that one.
    #[inline]
    pub(crate) fn is_another(self) -> bool {
        match page() {
            Some(page) => page.load(Ordering::Relaxed) != self.0,
            None => u64::from(std::process::id()) != self.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_of_a_process_is_another_one() {
        let made = Process::this();
        assert!(!made.is_another() && made == Process::this());
        // SAFETY: the copy calls nothing that other threads could hold, and ends at once.
        let status = unsafe {
            match libc::fork() {
                0 => {
                    let own = Process::this();
                    libc::_exit(i32::from(!(made.is_another() && own != made && !own.is_another())));
                }
                child => {
                    let mut status = 0;
                    assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                    status
                }
            }
        };
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{status}");
        assert!(!made.is_another());
    }
}
