//! What a process uses: processor time and memory.

use std::time::Duration;

/// The processor time of all threads of this process, in user mode and in the kernel.
pub fn processor_time() -> Duration {
    // SAFETY: all zero is valid, and the kernel fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let of = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    of(usage.ru_utime) + of(usage.ru_stime)
}

/// KiB of memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Resident memory of this process.
    pub resident: f64,
    /// The kernel's own objects that it cannot take back, for instance sockets; of the whole machine.
    pub kernel: f64,
}

impl Memory {
    pub fn now() -> Memory {
        Memory { resident: kib("/proc/self/status", "VmRSS:"), kernel: kib("/proc/meminfo", "SUnreclaim:") }
    }
}

fn kib(file: &str, name: &str) -> f64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}
