//! How connections are begun.

use crate::instance::Config;
use crate::secure::keys::Expect;
use std::net::SocketAddr;

/// Sets givens of the stack of each connection that is begun.
pub type PrepareAgain = Box<dyn FnMut(&mut Config, SocketAddr) + Send>;

/// How connections are begun, besides the back-off.
#[derive(Default)]
pub struct How {
    /// Whom connections of a secure stack expect. None: the first as `Listener::connect` does, and those that take its
    /// place the key that the peer of the first has proven to have. With `Expect::Any` any key, each time.
    pub expect: Option<Expect>,
    pub prepare: Option<PrepareAgain>,
    /// Where the first attempt goes instead, if the program has looked up the name itself.
    pub first: Option<SocketAddr>,
}
