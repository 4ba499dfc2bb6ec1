//! The rate of plain UDP sockets, to compare that of a transfer with.

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long it is measured.
const TIME: Duration = Duration::from_millis(200);
/// The longest datagram of IPv4.
const LONGEST: usize = 65_507;

/// What plain sockets carry on this host.
#[derive(Clone, Copy, Debug)]
pub struct Raw {
    /// Bytes of datagrams that arrive, per second.
    pub rate: f64,
    /// The length of each datagram, in bytes.
    pub length: usize,
}

/// Measures how much arrives from one thread at another, with a system call for each datagram and without
/// acknowledgements. None if `peer` is not an address of this host: elsewhere it would take a flood of the network.
pub fn measure(peer: SocketAddr, length: usize) -> Option<Raw> {
    let receiving = UdpSocket::bind((peer.ip(), 0)).ok()?;
    let sending = UdpSocket::bind((peer.ip(), 0)).ok()?;
    sending.connect(receiving.local_addr().ok()?).ok()?;
    receiving.set_read_timeout(Some(TIME / 4)).ok()?;
    let length = length.clamp(1, LONGEST);
    let (over, begun) = (AtomicBool::new(false), Instant::now());
    let bytes = thread::scope(|scope| {
        scope.spawn(|| {
            let datagram = vec![0; length];
            while begun.elapsed() < TIME {
                // What the system has no room for is lost, as on a network.
                let _ = sending.send(&datagram);
            }
            over.store(true, Ordering::Relaxed);
        });
        let (mut buffer, mut bytes) = (vec![0; length], 0u64);
        while !over.load(Ordering::Relaxed) {
            bytes += receiving.recv(&mut buffer).unwrap_or(0) as u64;
        }
        bytes
    });
    (bytes > 0).then(|| Raw { rate: bytes as f64 / begun.elapsed().as_secs_f64(), length })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_host_are_measured() {
        let raw = measure("127.0.0.1:9".parse().unwrap(), 1200).expect("a rate");
        assert!(raw.rate > 0.0 && raw.length == 1200);
        // TEST-NET-1 (RFC 5737) is nobody's.
        assert!(measure("192.0.2.1:9".parse().unwrap(), 1200).is_none());
    }
}
