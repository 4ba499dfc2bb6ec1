//! Connections of Nacre for programs that use tokio.
//!
//! ```no_run
//! # async fn example(stack: nacre_runtime::Stack) -> Result<(), Box<dyn std::error::Error>> {
//! let listener = nacre_tokio::Listener::bind("[::]:7000".parse()?, Default::default())?;
//! listener.serve(&stack)?;
//! loop {
//!     let connection = listener.accept().await?;
//!     tokio::spawn(async move {
//!         while let Ok(message) = connection.recv().await {
//!             let _ = connection.send(&message).await;
//!         }
//!     });
//! }
//! # }
//! ```
//!
//! A [`Listener`] hands out [`Connection`]s, which are `Send` and `Sync`. A task drives it: it waits until the
//! descriptor is readable, until the next deadline, or until a call has changed either. It ends when all handles were
//! dropped and the connections are closed. If the tokio runtime is shut down before, connections end without notifying
//! their peers, and calls return [`Ended::Stopped`].
//!
//! # A lock, not a channel
//!
//! The runtime's listener is behind a lock, and calls of handles use it directly; the task receives. The alternative, a
//! task that owns the listener and obeys commands from a channel, copies each message that is sent once more, takes two
//! changes of tasks for each call, and cannot say whether a call that is cancelled was obeyed. With the lock, `send`
//! hands the message to the stack in the step in which it returns: a cancelled one has not sent. A received message is
//! copied once, out of the memory that the stack lends.
//!
//! The lock is held for one call, or for 64 events; nothing is awaited, and no waker runs, while it is held, and the
//! locks of connections are only taken inside of it or alone. So nothing can wait in a circle. Frames are sent under
//! the lock: for more processors, use several listeners (`nacre_runtime::Listener::bind_shards`).
//!
//! # Times
//!
//! Stacks have the time of the system. tokio's timers have a resolution of a millisecond, so what a stack does after a
//! time is up to a millisecond late. tokio's paused clock (`tokio::time::pause`) does not stop stacks.
//!
//! # Back-pressure
//!
//! [`Connection::send`] waits while the stack refuses the message. [`Limits`] says what happens to a connection that
//! is not read.
#![forbid(unsafe_code)]

mod connection;
mod core;
mod driver;
mod error;
mod limits;
mod listener;
mod reconnect;
mod shared;
mod slot;
mod sorter;

pub use connection::Connection;
pub use error::{Ended, Error};
pub use limits::Limits;
pub use listener::{connect, Listener};
pub use reconnect::{Change, Reconnecting};
pub use slot::Incoming;
pub use sorter::Notice;
