//! Time as stacks know it: nanoseconds from an origin that does not move.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Nanoseconds in a second.
pub const SECOND: u64 = 1_000_000_000;
/// Nanoseconds in a millisecond.
pub const MILLISECOND: u64 = 1_000_000;

/// The nanoseconds since this process first asked, and one: never 0.
pub fn now() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    let origin = *ORIGIN.get_or_init(Instant::now);
    nanoseconds(origin.elapsed()) + 1
}

/// The duration in nanoseconds; more than 500 years are 500 years.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 2).min(u64::MAX / 2)
}
