//! The signatures of functions and filters, which code that calls them needs.

use super::types::Ty;

/// A function of a layer.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// By value, or `ref`.
    pub parameters: Vec<(Ty, bool)>,
    /// Its last parameter is a message.
    pub takes_message: bool,
    pub result: Option<Ty>,
    /// Entries of containers come or go in it, or loops go over them.
    pub moves: bool,
}

/// A filter of the file.
#[derive(Clone, Debug)]
pub struct Filter {
    pub name: String,
    /// None: it gives a message.
    pub result: Option<Ty>,
    pub rejects: bool,
}
