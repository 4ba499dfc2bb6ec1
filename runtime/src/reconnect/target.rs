//! Where a connection goes, each time it is begun.

use crate::error::Error;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{channel, Receiver};
use std::thread;

/// Where a connection goes.
pub enum Target {
    Address(SocketAddr),
    /// The name of a host, or an address of one, and a port. Each attempt takes the next of its addresses.
    Name(String, u16),
    /// A function that returns addresses, called where the reconnector is used.
    Function(Box<dyn FnMut() -> io::Result<Vec<SocketAddr>> + Send>),
}

/// Addresses that are there, or are being looked for in a thread.
pub(super) enum Addresses {
    Found(Result<Vec<SocketAddr>, Error>),
    Sought(Receiver<Result<Vec<SocketAddr>, Error>>),
}

impl Target {
    /// The addresses, however long it takes.
    pub(super) fn find(&mut self) -> Result<Vec<SocketAddr>, Error> {
        let found = match self {
            Target::Address(address) => Ok(vec![*address]),
            Target::Name(name, port) => look_up(name, *port),
            Target::Function(function) => function(),
        };
        found.map_err(Error::io("cannot find the host's address"))
    }

    /// The same, without waiting for names.
    pub(super) fn seek(&mut self) -> Addresses {
        let Target::Name(name, port) = self else { return Addresses::Found(self.find()) };
        let ((sender, receiver), (name, port)) = (channel(), (name.clone(), *port));
        let look = move || {
            // The connection may have been closed meanwhile.
            let _ = sender.send(look_up(&name, port).map_err(Error::io("cannot find the host's address")));
        };
        match thread::Builder::new().spawn(look) {
            Ok(_) => Addresses::Sought(receiver),
            Err(error) => Addresses::Found(Err(Error::io("cannot begin a thread")(error))),
        }
    }
}

fn look_up(name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    (name, port).to_socket_addrs().map(Iterator::collect)
}
