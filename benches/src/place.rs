//! Where this crate is.

use std::path::Path;

/// The folder of this crate.
pub fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
