//! Writes frames to a pcap file that tcpdump and Wireshark read, with IP and UDP headers made up around them.

use crate::transport::{joined, Transport};
use std::io::{self, IoSlice, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::BorrowedFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Classic pcap with nanoseconds.
const MAGIC: u32 = 0xa1b2_3c4d;
/// Frames begin with an IP header, of either version.
const LINKTYPE_RAW: u32 = 101;
const SNAPLEN: u32 = 1 << 18;
const UDP: u8 = 17;

/// A pcap file that is being written.
#[derive(Debug)]
pub struct Pcap<W> {
    to: W,
}

impl<W: Write> Pcap<W> {
    /// Writes the file's head.
    pub fn new(mut to: W) -> io::Result<Pcap<W>> {
        let mut head = Vec::with_capacity(24);
        head.extend(MAGIC.to_le_bytes());
        head.extend(2u16.to_le_bytes());
        head.extend(4u16.to_le_bytes());
        head.extend([0; 8]);
        head.extend(SNAPLEN.to_le_bytes());
        head.extend(LINKTYPE_RAW.to_le_bytes());
        to.write_all(&head)?;
        Ok(Pcap { to })
    }

    /// Writes a frame. `at` counts from the Unix epoch.
    pub fn write(&mut self, at: Duration, from: SocketAddr, dest: SocketAddr, frame: &[u8]) -> io::Result<()> {
        let packet = packet(from, dest, frame);
        let mut record = Vec::with_capacity(16 + packet.len());
        record.extend((at.as_secs() as u32).to_le_bytes());
        record.extend(at.subsec_nanos().to_le_bytes());
        record.extend((packet.len() as u32).to_le_bytes());
        record.extend((packet.len() as u32).to_le_bytes());
        record.extend(packet);
        self.to.write_all(&record)
    }

    /// Flushes the buffer to the system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The IP packet that carried the frame, as far as can be known from here.
fn packet(from: SocketAddr, to: SocketAddr, frame: &[u8]) -> Vec<u8> {
    let udp_len = (8 + frame.len()) as u16;
    let mut udp = Vec::with_capacity(usize::from(udp_len));
    udp.extend(from.port().to_be_bytes());
    udp.extend(to.port().to_be_bytes());
    udp.extend(udp_len.to_be_bytes());
    udp.extend([0, 0]);
    udp.extend_from_slice(frame);
    let (mut ip, pseudo) = match (from.ip().to_canonical(), to.ip().to_canonical()) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            (v4(from.octets(), to.octets(), udp_len), [from.octets(), to.octets()].concat())
        }
        (from, to) => (v6(octets(from), octets(to), udp_len), [octets(from), octets(to)].concat()),
    };
    let seed = sum(&pseudo, u32::from(UDP) + u32::from(udp_len));
    let check = match fold(sum(&udp, seed)) {
        0 => 0xffff,
        check => check,
    };
    udp[6..8].copy_from_slice(&check.to_be_bytes());
    ip.extend(udp);
    ip
}

fn octets(ip: IpAddr) -> [u8; 16] {
    match ip {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
        IpAddr::V6(v6) => v6.octets(),
    }
}

fn v4(from: [u8; 4], to: [u8; 4], udp_len: u16) -> Vec<u8> {
    let mut ip = vec![0x45, 0];
    ip.extend((20 + udp_len).to_be_bytes());
    ip.extend([0, 0, 0x40, 0, 64, UDP, 0, 0]);
    ip.extend(from);
    ip.extend(to);
    let check = fold(sum(&ip, 0));
    ip[10..12].copy_from_slice(&check.to_be_bytes());
    ip
}

fn v6(from: [u8; 16], to: [u8; 16], udp_len: u16) -> Vec<u8> {
    let mut ip = vec![0x60, 0, 0, 0];
    ip.extend(udp_len.to_be_bytes());
    ip.extend([UDP, 64]);
    ip.extend(from);
    ip.extend(to);
    ip
}

/// The ones' complement sum of big-endian 16-bit words.
fn sum(bytes: &[u8], seed: u32) -> u32 {
    bytes
        .chunks(2)
        .fold(seed, |sum, pair| sum + (u32::from(pair[0]) << 8) + pair.get(1).map_or(0, |low| u32::from(*low)))
}

fn fold(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// A transport whose frames are written to a pcap file as they come and go.
pub struct Captured<T, W> {
    inner: T,
    pcap: Pcap<W>,
    /// The offset from the transport's time to the time since the Unix epoch.
    origin: Duration,
    /// After the first error of the file nothing more is written.
    failed: bool,
    report: Option<io::Error>,
}

impl<T: Transport, W: Write + Send> Captured<T, W> {
    /// Writes the file's head and puts the capture around a transport.
    pub fn new(inner: T, to: W) -> io::Result<Captured<T, W>> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let origin = since.saturating_sub(Duration::from_nanos(inner.now()));
        Ok(Captured { inner, pcap: Pcap::new(to)?, origin, failed: false, report: None })
    }

    fn note(&mut self, from: SocketAddr, to: SocketAddr, frame: &[u8]) {
        if self.failed {
            return;
        }
        let at = self.origin + Duration::from_nanos(self.inner.now());
        let written = self.pcap.write(at, from, to, frame);
        self.check(written);
    }

    fn write_out(&mut self) {
        if !self.failed {
            let flushed = self.pcap.flush();
            self.check(flushed);
        }
    }

    fn check(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed = true;
            self.report = Some(io::Error::new(error.kind(), format!("the capture ends here: {error}")));
        }
    }
}

impl<T: Transport, W: Write + Send> Transport for Captured<T, W> {
    fn local(&self) -> SocketAddr {
        self.inner.local()
    }

    fn now(&self) -> u64 {
        self.inner.now()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        self.inner.send(to, frame)?;
        self.note(self.inner.local(), to, &joined(frame));
        Ok(())
    }

    fn probe(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        self.inner.probe(to, frame)?;
        self.note(self.inner.local(), to, &joined(frame));
        Ok(())
    }

    fn has_common_room(&self) -> bool {
        self.inner.has_common_room()
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let (len, from) = self.inner.receive(buffer)?;
        self.note(from, self.inner.local(), &buffer[..len]);
        Ok((len, from))
    }

    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()> {
        self.write_out();
        self.inner.wait(writable, time)
    }

    fn wait_or(&mut self, bell: BorrowedFd<'_>, writable: bool, time: Option<Duration>) -> io::Result<()> {
        self.write_out();
        self.inner.wait_or(bell, writable, time)
    }

    fn reaches(&self, to: SocketAddr) -> bool {
        self.inner.reaches(to)
    }

    fn deadline(&self) -> u64 {
        self.inner.deadline()
    }

    /// Also says, once, that the file could not be written: an error about this end's own address.
    fn take_error(&mut self) -> Option<(SocketAddr, io::Error)> {
        let local = self.inner.local();
        self.inner.take_error().or_else(|| self.report.take().map(|error| (local, error)))
    }

    fn descriptor(&self) -> Option<i32> {
        self.inner.descriptor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_has_valid_checksums() {
        for (from, to) in [("10.0.0.1:1", "10.0.0.2:2"), ("[::1]:1", "[::1]:2")] {
            let (from, to): (SocketAddr, SocketAddr) = (from.parse().unwrap(), to.parse().unwrap());
            let packet = packet(from, to, b"odd");
            let (head, pseudo) = if from.is_ipv4() { (20, 12..20) } else { (40, 8..40) };
            let udp_len = (packet.len() - head) as u32;
            assert_eq!(fold(sum(&packet[head..], sum(&packet[pseudo], 17 + udp_len))), 0);
            if from.is_ipv4() {
                assert_eq!(fold(sum(&packet[..20], 0)), 0);
            }
            assert_eq!(&packet[head + 8..], b"odd");
        }
    }

    #[test]
    fn file_has_the_head_of_classic_pcap() {
        let mut file = Vec::new();
        let mut pcap = Pcap::new(&mut file).unwrap();
        pcap.write(Duration::new(3, 4), "1.2.3.4:5".parse().unwrap(), "1.2.3.4:6".parse().unwrap(), b"xy").unwrap();
        assert_eq!(&file[..8], &[0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0]);
        assert_eq!(file.len(), 24 + 16 + 20 + 8 + 2);
    }
}
