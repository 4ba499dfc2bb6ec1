//! The signatures of functions and filters, and lists that collect messages: what code that uses them needs.

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
    /// How many strings it reads side by side.
    pub inputs: usize,
    /// None: it gives a message.
    pub result: Option<Ty>,
    pub rejects: bool,
}

/// A list of short messages.
#[derive(Clone, Debug)]
pub struct Collection {
    pub name: String,
    /// The most bytes of a message in it.
    pub most: u32,
    /// Of the piece that are its declaration and what uses it.
    pub piece: u32,
}
