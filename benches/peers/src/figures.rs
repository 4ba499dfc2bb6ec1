//! Medians over the rounds, and their spread, as text.

use crate::plan::{Cell, Peer};
use crate::process::Outcome;
use crate::run::Results;

/// A figure of one outcome.
pub type Pick = fn(&Outcome) -> Option<f64>;

/// Microseconds.
pub const MEDIAN: Pick = |outcome| outcome.client.get("median_us");
/// Microseconds.
pub const P99: Pick = |outcome| outcome.client.get("p99_us");
/// Milliseconds.
pub const MEDIAN_MS: Pick = |outcome| Some(outcome.client.get("median_us")? / 1e3);
/// Milliseconds.
pub const P99_MS: Pick = |outcome| Some(outcome.client.get("p99_us")? / 1e3);
/// Messages per second.
pub const RATE: Pick = |outcome| outcome.server.get("rate");
/// MiB per second.
pub const MIB: Pick = |outcome| Some(outcome.server.get("bytes")? / f64::from(1 << 20));
/// Nanoseconds of processor time, of both ends, for a byte.
pub const PER_BYTE: Pick = |outcome| {
    let used = outcome.server.get("processor")? + outcome.client.get("processor")?;
    Some(used * 1e9 / outcome.server.get("bytes")?)
};
/// KiB of memory of a connection in the server's process.
pub const RESIDENT: Pick = |outcome| outcome.server.get("resident");
/// KiB of memory of a connection in the kernel, for one of its two ends.
pub const KERNEL: Pick = |outcome| Some(outcome.server.get("kernel")?.max(0.0) / 2.0);

/// The median over the rounds, the least and the greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

/// Summarizes a figure of a peer; None if there is none.
pub fn summary(results: &Results, cell: Cell, peer: &Peer, pick: Pick) -> Option<Summary> {
    let mut values: Vec<f64> = results.of(cell, peer).into_iter().filter_map(pick).filter(|v| !v.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    let (least, most) = (*values.first()?, *values.last()?);
    let half = values.len() / 2;
    let median = if values.len() % 2 == 1 { values[half] } else { (values[half - 1] + values[half]) / 2.0 };
    Some(Summary { median, least, most })
}

/// Three digits that count, as `1,230,000`, `12.3` or `0.0123`.
pub fn short(value: f64) -> String {
    if value.is_infinite() {
        return "never".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let digits = value.abs().log10().floor() as i32;
    let unit = 10f64.powi(digits - 2);
    let rounded = (value / unit).round() * unit;
    let places = (2 - digits).max(0) as usize;
    grouped(&format!("{rounded:.places$}"))
}

/// Commas between thousands.
fn grouped(number: &str) -> String {
    let (whole, rest) = number.find('.').map_or((number, ""), |at| number.split_at(at));
    let mut text = String::new();
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

impl Summary {
    /// The median, and the least and the greatest if they differ from it.
    pub fn shown(self) -> String {
        let [median, least, most] = [self.median, self.least, self.most].map(short);
        if least == most {
            median
        } else {
            format!("{median} ({least}-{most})")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let shown = [1_234_567.0, 12.345, 0.012_345, 999.6, 0.0, 100.0].map(short);
        assert_eq!(shown, ["1,230,000", "12.3", "0.0123", "1,000", "0", "100"]);
    }

    #[test]
    fn spread_is_shown_where_rounds_differ() {
        let same = Summary { median: 5.0, least: 5.0, most: 5.0 };
        assert_eq!(same.shown(), "5.00");
        assert_eq!(Summary { median: 5.0, least: 4.0, most: 6.5 }.shown(), "5.00 (4.00-6.50)");
    }
}
