//! Time as stacks know it: nanoseconds from an origin that does not move.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Nanoseconds in a second.
pub const SECOND: u64 = 1_000_000_000;
/// Nanoseconds in a millisecond.
pub const MILLISECOND: u64 = 1_000_000;

/// The nanoseconds of the system's steady clock, and one: never 0.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that may be written. Every Unix has this clock; were it missing, time would stand
    // still.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * SECOND + time.tv_nsec as u64 + 1
}

/// The nanoseconds from 1970 until the time that a clock calls 0.
pub(crate) fn origin(now: u64) -> u64 {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    nanoseconds(wall).saturating_sub(now)
}

/// The duration in nanoseconds; more than 500 years are 500 years.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 2).min(u64::MAX / 2)
}
