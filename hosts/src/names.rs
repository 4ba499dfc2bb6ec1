//! The two hosts and their names.

/// The client: its application connects to the server.
pub const CLIENT: usize = 0;
/// The peer that it connects to.
pub const SERVER: usize = 1;
/// The names of the hosts in output.
pub const NAMES: [&str; 2] = ["a", "b"];
