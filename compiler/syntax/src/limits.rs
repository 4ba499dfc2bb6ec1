//! How large a source may be.

/// Longer files are refused (in bytes).
pub const LONGEST: usize = 64 << 20;

/// How deeply statements may be nested, and expressions in them.
pub const DEEPEST: u32 = 100;
