//! The sources of `layers/`, for programs that compile stacks: they give them to `nacre_driver::library::provide`.

/// The files by their paths in the library, with their texts; `build.rs` collects them.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));
