//! What the application says of the messages that it is given: how many it takes, and how many it has taken.

use crate::error::Error;
use crate::event::ConnectionId;
use crate::listener::Listener;

impl Listener {
    /// Whether the listener grants deliveries to the stack as messages are taken (the default). If not, the application
    /// calls `grant`, and so slows down the peer of one connection alone.
    pub fn set_grants_by_itself(&mut self, id: ConnectionId, by_itself: bool) -> Result<(), Error> {
        self.router.by_itself(id)?.grants = by_itself;
        Ok(())
    }

    /// Whether the listener tells a stack that counts them (one with an input `taken`) which messages were taken: each
    /// as soon as the listener is used again (the default). If not, the application calls `note_taken`, such as when a
    /// message has left a queue of its own, or was stored.
    pub fn set_takes_by_itself(&mut self, id: ConnectionId, by_itself: bool) -> Result<(), Error> {
        self.router.by_itself(id)?.takes = by_itself;
        Ok(())
    }

    /// Tells the stack that the application has taken this many more messages, the oldest ones. A stack that does not
    /// count them needs no call.
    pub fn note_taken(&mut self, id: ConnectionId, messages: u16) -> Result<(), Error> {
        self.look_at_clock();
        self.router.note_taken(id, messages)
    }

    /// Whether frames of a connection reach its stack (the default). Otherwise they are dropped and counted as
    /// `no_space`, as if the network had lost them, acknowledgements included: for messages that come faster than they
    /// are consumed, from a peer that no grants slow down. It sends them again if its stack is reliable, and gives up
    /// after as many attempts as its stack makes.
    ///
    /// Errors: `NoConnection`, also while a handshake goes on.
    pub fn set_receives(&mut self, id: ConnectionId, receives: bool) -> Result<(), Error> {
        self.router.get_mut(id)?.receives = receives;
        Ok(())
    }

    /// Grants a number of deliveries to the stack.
    pub fn grant(&mut self, id: ConnectionId, messages: u16) -> Result<(), Error> {
        self.look_at_clock();
        self.router.grant(id, messages)
    }
}
