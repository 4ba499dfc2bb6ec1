//! Numbers about connections and listeners; they only grow.

/// Frames and bytes of a connection, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub frames_in: u64,
    pub bytes_in: u64,
    pub frames_out: u64,
    pub bytes_out: u64,
    /// Frames that the stack rejected; its counters have the causes.
    pub dropped: u64,
    /// Frames dropped because the message pool was full, or because it is scarce and the peer's network has its share.
    pub no_space: u64,
    /// Calls that the stack refused.
    pub refused: u64,
    /// Frames that the system rejected. They are lost, and `Event::Error` reports the cause.
    pub send_errors: u64,
    /// Frames lost here: the socket had no room and the backlog was full.
    pub overflowed: u64,
    /// Frames not sent: the peer has not confirmed the connection, and they would exceed three times what came from it.
    pub withheld: u64,
    /// Calls of `send` and frames that the stack took by its quick entries (level bypass), and all that it took.
    pub quick: u64,
    pub taken: u64,
}

impl Traffic {
    pub(crate) fn add(&mut self, other: &Traffic) {
        self.frames_in += other.frames_in;
        self.bytes_in += other.bytes_in;
        self.frames_out += other.frames_out;
        self.bytes_out += other.bytes_out;
        self.dropped += other.dropped;
        self.no_space += other.no_space;
        self.refused += other.refused;
        self.send_errors += other.send_errors;
        self.overflowed += other.overflowed;
        self.withheld += other.withheld;
        self.quick += other.quick;
        self.taken += other.taken;
    }
}

/// A connection.
#[derive(Clone, Debug, Default)]
pub struct ConnectionStatistics {
    pub traffic: Traffic,
    /// The stack's counters, by name.
    pub counters: Vec<(String, u64)>,
    /// The sum of the counters whose names end in `.retransmitted`; None if the stack has none.
    pub retransmitted: Option<u64>,
    /// The last ping's time there and back, in nanoseconds.
    pub round_trip_ns: Option<u64>,
    /// How many bytes of a frame the path to the peer carries, found by probes (RFC 8899); no more than the stack's
    /// longest frame. None: not known yet, or the stack's frames have 1,200 bytes at most.
    pub path_mtu: Option<usize>,
    /// Whether the peer has shown that it hears this end.
    pub confirmed: bool,
}

pub(crate) fn retransmitted(counters: &[(String, u64)]) -> Option<u64> {
    let counted = counters.iter().filter(|(name, _)| name.ends_with(".retransmitted"));
    counted.map(|(_, count)| *count).reduce(|a, b| a + b)
}

/// A listener.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListenerStatistics {
    /// Of all connections, also those that have ended.
    pub traffic: Traffic,
    pub connections: usize,
    /// Connections that peers began and that were accepted, and that this end began.
    pub arrived: u64,
    pub connected: u64,
    /// First frames that were dropped by the stack they name, so that no connection came of them.
    pub not_accepted: u64,
    /// Frames too short for what they claim to be, and control frames of another version or kind.
    pub malformed: u64,
    /// Frames with a cookie of no connection with their sender.
    pub unknown_cookies: u64,
    /// First frames with a fingerprint that is not served.
    pub other_stack: u64,
    /// First frames of connections that have ended.
    pub late: u64,
    /// Unconfirmed connections that were ended to make room for others.
    pub evicted: u64,
    /// First frames whose senders were asked to show that they receive frames at their address.
    pub retried: u64,
    /// First frames for which there was no room: every connection, or every one with the same address, is confirmed.
    pub limited: u64,
    /// Connections that were replaced because their peer restarted.
    pub restarted: u64,
    /// Connections that moved to another address of their peer.
    pub moved: u64,
    /// Key agreements with peers that began a secure connection: each costs processor time.
    pub agreements: u64,
    /// Frames of handshakes and sealed control frames that were forged, damaged or repeated.
    pub forged: u64,
    /// Frames that a secure stack's peers do not send: identified ones.
    pub insecure: u64,
    /// Control frames received and sent.
    pub controls_in: u64,
    pub controls_out: u64,
    /// Control frames that change nothing: of no connection, or too late to be believed.
    pub controls_ignored: u64,
    /// Answers not sent: the ration was used up, or they would have been larger than their cause.
    pub answers_withheld: u64,
}
