//! Numbers about a connection or a listener, as a C program gets them.

use crate::statistics::{ConnectionStatistics, Traffic};

/// `struct nacre_statistics`.
#[repr(C)]
#[derive(Default)]
pub struct CStatistics {
    pub frames_in: u64,
    pub bytes_in: u64,
    pub frames_out: u64,
    pub bytes_out: u64,
    pub dropped: u64,
    pub no_space: u64,
    pub refused: u64,
    pub send_errors: u64,
    pub overflowed: u64,
    pub withheld: u64,
    pub connections: u64,
    pub retransmitted: u64,
    pub round_trip_ns: u64,
    pub path_mtu: u64,
}

/// The numbers about a connection.
pub(crate) fn of_connection(one: &ConnectionStatistics) -> CStatistics {
    CStatistics {
        connections: 1,
        retransmitted: one.retransmitted.unwrap_or(0),
        round_trip_ns: one.round_trip_ns.unwrap_or(0),
        path_mtu: one.path_mtu.unwrap_or(0) as u64,
        ..in_numbers(&one.traffic)
    }
}

pub(crate) fn in_numbers(traffic: &Traffic) -> CStatistics {
    CStatistics {
        frames_in: traffic.frames_in,
        bytes_in: traffic.bytes_in,
        frames_out: traffic.frames_out,
        bytes_out: traffic.bytes_out,
        dropped: traffic.dropped,
        no_space: traffic.no_space,
        refused: traffic.refused,
        send_errors: traffic.send_errors,
        overflowed: traffic.overflowed,
        withheld: traffic.withheld,
        ..CStatistics::default()
    }
}
