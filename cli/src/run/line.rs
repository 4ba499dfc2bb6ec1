//! The socket of a transfer, with the requested faults and capture.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use nacre_runtime::capture::Captured;
use nacre_runtime::faults::{Direction, FaultHandle, Faulty};
use nacre_runtime::udp::Udp;
use nacre_runtime::{Listener, Options, Stack};

use super::protection::Protection;
use crate::args::Net;
use crate::console::warn;
use crate::units::Peer;

/// A listener on a socket with faults; the capture has the frames of the wire.
pub struct Line {
    /// On the socket.
    pub listener: Listener,
    /// None: no faults.
    pub faults: Option<FaultHandle>,
}

impl Line {
    /// Binds a socket. The options get the keys.
    pub fn open(at: SocketAddr, net: &Net, options: Options, protection: &Protection) -> Result<Line, String> {
        let place = (at.port() != 0).then(|| at.to_string());
        let options = protection.give(options, place.as_deref());
        let udp = Udp::bind(at).map_err(|error| format!("cannot bind {at}: {error}"))?;
        match &net.pcap {
            None => Ok(Line::over(udp, net, options)),
            Some(path) => {
                let captured = Captured::new(udp, Capture::create(path)?);
                let captured = captured.map_err(|error| format!("{}: {error}", path.display()))?;
                Ok(Line::over(captured, net, options))
            }
        }
    }

    /// Binds a socket from which a peer can be reached; also returns the peer, with the addresses that can be.
    pub fn towards(to: &Peer, net: &Net, options: Options, protection: &Protection) -> Result<(Line, Peer), String> {
        let v4 = SocketAddr::from(([0, 0, 0, 0], 0));
        if to.addresses.iter().all(SocketAddr::is_ipv4) {
            return Ok((Line::open(v4, net, options, protection)?, to.clone()));
        }
        // It carries IPv4 too.
        match Line::open(SocketAddr::from(([0u16; 8], 0)), net, options.clone(), protection) {
            Ok(line) => Ok((line, to.clone())),
            // A host without IPv6.
            Err(error) => match to.over_ipv4() {
                Some(to) => Ok((Line::open(v4, net, options, protection)?, to)),
                None => Err(error),
            },
        }
    }

    fn over(transport: impl nacre_runtime::transport::Transport + 'static, net: &Net, options: Options) -> Line {
        let faults = faults(net);
        let bad =
            nacre_runtime::faults::Faults { seed: 0, ..faults.clone() } != nacre_runtime::faults::Faults::default();
        if !bad {
            return Line { listener: Listener::new(transport, options), faults: None };
        }
        let faulty = Faulty::new(transport, faults, Direction::Both);
        let handle = faulty.handle();
        Line { listener: Listener::new(faulty, options), faults: Some(handle) }
    }
}

/// The file of a capture. If it cannot be written to its end, that is said once, and the transfer goes on.
struct Capture {
    to: BufWriter<File>,
    path: PathBuf,
    is_cut: bool,
}

impl Capture {
    fn create(path: &Path) -> Result<Capture, String> {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Capture { to: BufWriter::new(file), path: path.into(), is_cut: false })
    }

    /// Does something with the file, unless the capture has ended.
    fn on_file<T>(&mut self, work: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>, cut: T) -> T {
        if self.is_cut {
            return cut;
        }
        work(&mut self.to).unwrap_or_else(|error| {
            self.is_cut = true;
            warn(&format!("{}: the capture ends here: {error}", self.path.display()));
            cut
        })
    }
}

impl Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.on_file(|to| to.write_all(bytes).map(|()| bytes.len()), bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.on_file(BufWriter::flush, ());
        Ok(())
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.on_file(BufWriter::flush, ());
    }
}

fn faults(net: &Net) -> nacre_runtime::faults::Faults {
    nacre_runtime::faults::Faults {
        loss: net.faults.loss.0,
        duplicate: net.faults.duplicate.0,
        reorder: net.faults.reorder.0,
        corrupt: net.faults.corrupt.0,
        delay: net.faults.delay.0,
        jitter: net.faults.jitter.0,
        seed: net.seed,
        ..nacre_runtime::faults::Faults::default()
    }
}

/// Describes the stack, which both endpoints must have; printed first.
pub fn introduce(stack: &Stack) -> String {
    format!("{} ({}, fingerprint {:016x})", stack.description(), stack.level(), stack.fingerprint())
}
