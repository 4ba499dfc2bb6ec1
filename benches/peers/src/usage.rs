//! What a process uses: processor time and memory.

use std::time::{Duration, Instant};

/// The processor time of all threads of this process, in user mode and in the kernel.
pub fn processor_time() -> Duration {
    processor_time_of(libc::RUSAGE_SELF)
}

fn processor_time_of(whom: i32) -> Duration {
    // SAFETY: all zero is valid, and the kernel fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(whom, &raw mut usage);
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
    /// Reads it.
    pub fn now() -> Memory {
        Memory { resident: kib("/proc/self/status", "VmRSS:"), kernel: kib("/proc/meminfo", "SUnreclaim:") }
    }
}

/// Processor time until now, in seconds: of the machine, and of this process with those it has started.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    at: Instant,
    machine: f64,
    own: f64,
}

impl Load {
    /// Reads it.
    pub fn now() -> Load {
        // SAFETY: it has no preconditions.
        let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        let spent: Vec<f64> = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
        // All but idle and waiting for a disk, and but guests, which are counted as users already.
        let machine = spent.iter().take(8).sum::<f64>() - spent.iter().skip(3).take(2).sum::<f64>();
        let own = processor_time_of(libc::RUSAGE_SELF) + processor_time_of(libc::RUSAGE_CHILDREN);
        Load { at: Instant::now(), machine: machine / ticks, own: own.as_secs_f64() }
    }

    /// The part of the machine's processors that other processes have used since then.
    pub fn of_others(&self) -> f64 {
        let now = Load::now();
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        let others = (now.machine - self.machine) - (now.own - self.own);
        (others / (now.at - self.at).as_secs_f64() / processors).clamp(0.0, 1.0)
    }
}

fn kib(file: &str, name: &str) -> f64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}
