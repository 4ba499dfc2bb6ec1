//! Limits of sources.

/// The longest source, in bytes.
pub const LONGEST: usize = 64 << 20;

/// The depth limit for nested statements, and for expressions in them.
pub const DEEPEST: u32 = 100;
