//! What one host knows of a connection, and what the connection's events violate.

/// A connection at one host.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// The number that its messages carry: unique in the world.
    pub number: u8,
    pub sent: u8,
    /// The other half, as its messages say, and the number of those that arrived.
    pub peer: Option<u8>,
    pub delivered: u8,
    pub closing: bool,
    pub ended: bool,
    /// The peer has shown that it hears this end.
    pub opened: bool,
    pub begun_by_peer: bool,
    /// It was begun from an address of neither host.
    pub strange: bool,
}

impl Half {
    /// Takes the notice that the peer hears this end, or says what is wrong with it.
    pub fn opens(&mut self) -> &'static str {
        self.opened = true;
        match self.ended {
            true => "an event after its end",
            false if self.strange => "opened, though nothing reached the address that it came from",
            false => "",
        }
    }

    /// Takes a message, or says what is wrong with it.
    pub fn receives(&mut self, host: usize, message: &[u8]) -> &'static str {
        let [from, number, position] = message else { return "a message that nobody sent" };
        if usize::from(*from) == host {
            return "its own message";
        }
        if *self.peer.get_or_insert(*number) != *number {
            return "messages of two connections";
        }
        self.delivered += 1;
        match position + 1 == self.delivered {
            _ if self.ended => "a message after its end",
            true => "",
            false => "a message out of order, twice, or after one that is missing",
        }
    }
}
