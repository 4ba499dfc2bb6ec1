//! This project: a stack at level `bypass` through the runtime.

use std::net::SocketAddr;
use std::time::Duration;

use nacre_benches::udp::{object, symbol};
use nacre_driver::Level;
use nacre_runtime::{ConnectionId, Error, Event, Keys, Listener, Options, Stack};

use crate::end::{End, Id, Result, Setup, Take};

/// One end, with connections.
pub struct Nacre {
    to: Option<SocketAddr>,
    stack: Stack,
    listener: Listener,
    begun: u64,
    /// Connections of a server that have ended.
    closed: u64,
    message: Vec<u8>,
}

fn told(error: Error) -> String {
    error.to_string()
}

impl Nacre {
    /// A client of the server at `to`, or a server.
    pub fn open(to: Option<SocketAddr>, name: &str, setup: &Setup) -> Result<Nacre> {
        let (file, symbol) = (object(&setup.stacks, name, Level::Bypass), symbol(name, Level::Bypass));
        // SAFETY: the program built this object from a stack of the project; it has no initializers.
        let stack = unsafe { Stack::load(&file, &symbol) }.map_err(told)?;
        let room = setup.connections + 100;
        let options = Options {
            gather: setup.gathers,
            connections: room,
            connections_per_address: room,
            unconfirmed: room,
            unconfirmed_per_address: room,
            keys: Some(Keys::from_bytes(&[if to.is_none() { 1 } else { 2 }; 32])),
            ..Options::default()
        };
        let mut listener = Listener::bind("0.0.0.0:0".parse().expect("an address"), options).map_err(told)?;
        if to.is_none() {
            listener.serve(&stack).map_err(told)?;
        }
        Ok(Nacre { to, stack, listener, begun: 0, closed: 0, message: vec![] })
    }
}

impl End for Nacre {
    fn connect(&mut self) -> Result<Id> {
        let to = self.to.ok_or("a server does not connect")?;
        self.begun += 1;
        let identity = self.begun;
        let id = self.listener.connect_with(to, &self.stack, |config| {
            config.set("floor.identity", identity);
        });
        id.map(ConnectionId::to_number).map_err(told)
    }

    fn send(&mut self, to: Id, message: &[u8]) -> Result<bool> {
        match self.listener.send(ConnectionId::from_number(to), message) {
            Ok(()) => Ok(true),
            Err(Error::Refused) => Ok(false),
            Err(error) => Err(told(error)),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.listener.flush();
        Ok(())
    }

    fn receive(&mut self, wait: Duration, take: &mut Take) -> Result<()> {
        let event = if wait.is_zero() { self.listener.poll() } else { self.listener.wait(Some(wait)).map_err(told)? };
        match event {
            Some(Event::Delivered { connection, message, .. }) => {
                let mut segments = message.segments();
                let first = segments.next().unwrap_or_default();
                match segments.next() {
                    None => take(connection.to_number(), first),
                    Some(second) => {
                        self.message.clear();
                        [first, second].into_iter().chain(segments).for_each(|s| self.message.extend_from_slice(s));
                        take(connection.to_number(), &self.message);
                    }
                }
            }
            Some(Event::Closed { .. }) if self.to.is_none() => self.closed += 1,
            Some(Event::Closed { reason, .. }) => return Err(format!("the connection was closed: {reason}")),
            _ => {}
        }
        Ok(())
    }

    fn port(&self) -> u16 {
        self.listener.local().port()
    }

    fn counters(&self) -> String {
        let mut all = String::new();
        let traffic = self.listener.statistics().traffic;
        for (name, number) in [
            ("frames_out", traffic.frames_out),
            ("frames_in", traffic.frames_in),
            ("dropped", traffic.dropped),
            ("closed", self.closed),
            ("retried", self.listener.statistics().retried),
            ("overflowed", traffic.overflowed),
            ("send_errors", traffic.send_errors),
        ] {
            all += &format!("{name}:{number};");
        }
        let Some(id) = self.listener.connections().into_iter().next() else { return all };
        let Ok(of) = self.listener.statistics_of(id) else { return all };
        for (name, number) in of.counters.into_iter().filter(|(_, number)| *number > 0) {
            all += &format!("{name}:{number};");
        }
        all
    }
}
