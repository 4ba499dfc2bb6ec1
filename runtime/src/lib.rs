//! Runs the stacks that Nacre emits: over UDP, in process, from Rust and from C.
//!
//! A [`Stack`] is an emitted stack; a [`Listener`] runs any number of connections of one or several stacks on one
//! [`Transport`](transport::Transport); an [`Endpoint`] is a single connection with calls that wait. Below them,
//! [`instance`] has safe calls of a stack's own functions, for programs that drive it otherwise.
//!
//! A listener belongs to one thread at a time: it is `Send`, and not `Sync`.
//!
//! ```compile_fail
//! fn is_sync<T: Sync>() {}
//! is_sync::<nacre_runtime::Listener>();
//! ```
//!
//! docs/runtime.md is the guide, docs/wire.md states what goes over the wire.

/// Declares the module of a stack that `nacre_build::stack` has compiled in the build script; its function `stack`
/// returns the [`Stack`].
#[macro_export]
macro_rules! stack {
    ($name:ident) => {
        include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
    };
}

#[cfg(test)]
extern crate self as nacre_runtime;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;

mod address;
mod admission;
mod asked;
mod backlog;
mod blocking;
mod budget;
mod c_address;
mod c_calls;
mod c_connect;
pub mod c_interface;
mod c_keys;
mod c_loan;
mod c_names;
mod c_notice;
mod c_options;
mod c_reconnect;
mod c_statistics;
mod c_text;
pub mod capture;
pub mod clock;
mod config;
mod connection;
mod connections;
mod consumption;
mod datagrams;
mod departed;
mod descriptor;
mod endpoint;
mod ends;
mod error;
mod event;
mod event_loop;
mod event_queue;
pub mod faults;
pub mod ffi;
mod handshakes;
pub mod instance;
mod intake;
mod library;
mod link;
mod listener;
mod listener_c;
pub mod memory;
mod options;
mod outbox;
pub mod output;
mod path_mtu;
mod peers;
mod pool;
mod pools;
pub mod random;
mod ration;
pub mod reconnect;
mod refusals;
mod region;
mod retry;
mod router;
pub mod sans_io;
mod secure;
mod secured;
mod security;
mod shard;
#[cfg_attr(not(all(target_os = "linux", target_has_atomic = "64")), path = "shared/unsupported.rs")]
pub mod shared;
mod shares;
mod stack;
mod stacks;
mod statistics;
mod stepper;
mod system;
mod table;
mod timers;
pub mod transport;
pub mod udp;
mod waker;
pub mod wire;

pub use endpoint::Endpoint;
pub use error::{Error, Reason, StackName, Words};
pub use event::{ConnectionId, Event, OtherStack};
pub use library::{C_HEADER, HOST_SOURCE};
pub use listener::{Listener, Prepare};
pub use listener_c::{listener_header, listener_source};
pub use options::{Options, Secret};
pub use output::Message;
pub use ration::{ANSWERS_PER_SECOND, ANSWERS_PER_SECOND_AND_ADDRESS};
pub use secure::keys::{Expect, Keys, Psk, PublicKey};
pub use secure::signature::SigningKey;
pub use stack::{EventInfo, EventRole, Given, GivenRole, Stack};
pub use statistics::{ConnectionStatistics, ListenerStatistics, Traffic};
pub use waker::Waker;
