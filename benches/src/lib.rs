//! Costs of emitted stacks: instructions, nanoseconds, rates, bytes. The program `nacre-benches` writes them into the
//! documents; `nacre reproduce` puts them beside those of papers.

pub mod active;
pub mod callgrind;
pub mod encryption;
pub mod frame_path;
pub mod handshakes;
pub mod harness;
pub mod papers;
pub mod place;
pub mod shares;
pub mod table;
pub mod udp;
pub mod verification;
