//! The signatures of functions and filters, and lists that collect messages, for the code that uses them.

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
    /// The number of strings that it reads in parallel.
    pub inputs: usize,
    /// None: the result is a message.
    pub result: Option<Ty>,
    pub rejects: bool,
}

/// A list of short messages.
#[derive(Clone, Debug)]
pub struct Collection {
    pub name: String,
    /// The limit of a message in it, in bytes.
    pub most: u32,
    /// The number of the piece that consists of its declaration and its uses.
    pub piece: u32,
}
