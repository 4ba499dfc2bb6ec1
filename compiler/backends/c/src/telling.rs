//! Which bytes of the state are told.

/// Which bytes are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telling {
    #[default]
    Whole,
    /// Timers are armed or not, and nothing more; `times`: durations and instants take no bytes.
    Abstract { times: bool },
}
