//! Layers composed to stacks: those made for these tests, and those of the library.

mod errors;
mod layers;
mod lengths;
mod library;
mod needs;
mod peers;
mod positions;
mod room;
mod stacks;
mod text;
