//! Composes layers of these tests and of the library to stacks.

mod calls;
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
