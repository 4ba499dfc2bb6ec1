//! The reference interpreter: the semantics of a stack, step by step.
//!
//! A [`Machine`] is one connection. Whatever else runs stacks (the emitted C at every level, the explorer, the prover)
//! must give the same outputs, deadlines and [`Machine::canonical_bytes`] for the same outside events.
//!
//! The interpreter fixes these details that the head of the IR leaves open:
//!
//! - **Pool.** Bytes of the outside event (of a frame: its data) are kept at most once a step, as a whole: ceil(length
//!   / block) blocks, of which a kept slice holds those that it touches. Each segment that was made takes ceil(length /
//!   block) blocks of its own, for every store; what `Pack` gives is one segment that was made, head and data. A block
//!   that nothing refers to at a step's end is free; within a step none is taken twice.
//! - **Random numbers.** SplitMix64 for each layer; its state begins as seed + (layer + 1) * 0x9E3779B97F4A7C15.
//!   A number below n is the high half of the 128-bit product.
//! - **Timers** due at once fire by (deadline, layer, place in [`Stack::timers`](crate::Stack::timers), indices), one a
//!   tick, after all `later` events. `arm` saturates one below [`NEVER`].
//! - **Frames** that no shape allows are counted before space is checked; for calls see the head of the IR. A tick
//!   without space has no effect and is counted.

mod arguments;
mod bypass;
pub mod canonical;
mod choices;
mod conditions;
mod covered;
mod discard;
mod evaluate;
mod execute;
mod filter;
mod found;
mod machine;
mod message;
mod observe;
mod opening;
mod places;
mod pool;
mod quick;
mod random;
mod report;
mod run;
mod state;
mod timers;
mod value;
mod walk;
mod ways;
mod wire;

pub use choices::{Choices, Points};
pub use covered::Covered;
pub use machine::{Config, Machine, Outcome};
pub use random::{mix, SplitMix64, GOLDEN};
pub use report::{show, show_addr, show_length, show_message, show_payload, Report, Rule, TraceEntry, TracedEmission};
pub use state::{lacks, Externs, NoExterns, Output, Schedule};
pub use timers::Armed;
pub use value::{Addr, Message, Origin, Segment, Value, NEVER};
pub use wire::Parsed;

pub use crate::operations::window::Window;
