//! What a sender knows of the files and folders that are on their way.

use std::time::Instant;

use super::failure::Failure;
use super::framing::Sum;

/// An entry that is being sent, or waits for its answer.
pub struct Pending {
    /// As it is printed.
    pub name: String,
    /// The bytes that were sent or were there, and those that were there.
    pub bytes: u64,
    pub resumed: u64,
    /// None: a folder, or a file that is still being sent.
    pub sum: Option<Sum>,
    pub is_folder: bool,
    /// The failure is reported already.
    pub is_given_up: bool,
    pub begun: Instant,
}

/// How an entry has ended.
pub enum Ended {
    /// The sum that the receiver reports.
    Stored(Pending, Sum),
    Failed(Failure),
}
