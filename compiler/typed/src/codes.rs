//! Every error that this stage tells, with its title.

/// Codes in order. Each has a golden case in `tests/errors`.
pub const CODES: &[(&str, &str)] = &[
];
