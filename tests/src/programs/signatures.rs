//! The signatures of functions and filters, for their callers.

use super::types::Ty;

/// A function of a layer.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// The parameters: type, and whether it is `ref`.
    pub parameters: Vec<(Ty, bool)>,
    /// Whether its last parameter is a message.
    pub takes_message: bool,
    pub result: Option<Ty>,
    /// Whether it adds or removes entries of containers, or iterates over them.
    pub moves: bool,
}

/// A filter of the file.
#[derive(Clone, Debug)]
pub struct Filter {
    pub name: String,
    /// None: it yields bytes.
    pub result: Option<Ty>,
    pub rejects: bool,
}
