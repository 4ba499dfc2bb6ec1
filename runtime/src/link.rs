//! A transport with the frames that wait for room in it.

use crate::outbox::{Outbox, Sent};
use crate::transport::{joined, Transport};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::time::Duration;

/// Frames in the backlog from which on calls are refused.
const CONGESTED: usize = 64;

/// Sends frames at once, or when the transport has room again.
pub(crate) struct Link {
    transport: Box<dyn Transport>,
    backlog: VecDeque<(SocketAddr, Vec<u8>)>,
    backlog_bytes: usize,
    backlog_max: usize,
}

impl Link {
    /// Makes a link whose backlog holds at most `backlog_max` bytes.
    pub(crate) fn new(transport: Box<dyn Transport>, backlog_max: usize) -> Link {
        Link { transport, backlog: VecDeque::new(), backlog_bytes: 0, backlog_max }
    }

    /// The transport itself.
    pub(crate) fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    /// Receives a frame.
    #[inline]
    pub(crate) fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.transport.receive(buffer)
    }

    /// Waits for a frame; for room too, if frames wait for it.
    pub(crate) fn wait(&mut self, time: Option<Duration>) -> io::Result<()> {
        self.transport.wait(!self.backlog.is_empty(), time)
    }

    /// The network's reports about frames; `error` if there are none.
    pub(crate) fn explain(&mut self, error: io::Error) -> Vec<(SocketAddr, io::Error)> {
        let reported = self.take_errors();
        if reported.is_empty() {
            return vec![(self.transport.local(), error)];
        }
        reported
    }

    fn take_errors(&mut self) -> Vec<(SocketAddr, io::Error)> {
        std::iter::from_fn(|| self.transport.take_error()).collect()
    }

    /// Whether no frame waits for room.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Sends waiting frames; returns whether any left, and the errors.
    pub(crate) fn flush(&mut self) -> (bool, Vec<(SocketAddr, io::Error)>) {
        let (mut moved, mut errors) = (false, Vec::new());
        while let Some((to, frame)) = self.backlog.front() {
            match self.transport.send(*to, &[IoSlice::new(frame)]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => errors.push((*to, error)),
                Ok(()) => {}
            }
            moved = true;
            self.backlog_bytes -= frame.len();
            self.backlog.pop_front();
        }
        (moved, errors)
    }

    /// Keeps a frame for which there was no room.
    fn keep(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent {
        let bytes = joined(frame);
        if self.backlog_bytes + bytes.len() > self.backlog_max {
            return Sent::Overflowed;
        }
        self.backlog_bytes += bytes.len();
        self.backlog.push_back((to, bytes));
        Sent::Done
    }

    /// The system may report an earlier frame's error when this one is sent; this one is then sent again.
    fn send_again(&mut self, to: SocketAddr, frame: &[IoSlice<'_>], error: io::Error) -> Sent {
        let others = self.take_errors();
        let sent = if others.is_empty() { Err(error) } else { self.transport.send(to, frame) };
        match sent {
            Ok(()) => Sent::Failed(None, others),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => match self.keep(to, frame) {
                Sent::Done => Sent::Failed(None, others),
                overflowed => overflowed,
            },
            Err(error) => Sent::Failed(Some(error), others),
        }
    }
}

impl Outbox for Link {
    #[inline]
    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent {
        if !self.backlog.is_empty() {
            return self.keep(to, frame);
        }
        match self.transport.send(to, frame) {
            Ok(()) => Sent::Done,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.keep(to, frame),
            Err(error) => self.send_again(to, frame, error),
        }
    }

    #[inline]
    fn is_congested(&self) -> bool {
        self.backlog.len() >= CONGESTED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// A transport whose sends end as scripted, and succeed afterwards; and what it has sent.
    #[derive(Clone, Default)]
    struct Scripted {
        results: Arc<Mutex<VecDeque<io::ErrorKind>>>,
        reported: Arc<Mutex<VecDeque<SocketAddr>>>,
        sent: Arc<Mutex<Vec<Vec<u8>>>>,
    }

    impl Transport for Scripted {
        fn local(&self) -> SocketAddr {
            address(1)
        }

        fn now(&self) -> u64 {
            0
        }

        fn send(&mut self, _: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
            match self.results.lock().unwrap().pop_front() {
                Some(kind) => Err(kind.into()),
                None => {
                    self.sent.lock().unwrap().push(joined(frame));
                    Ok(())
                }
            }
        }

        fn receive(&mut self, _: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
            Err(io::ErrorKind::WouldBlock.into())
        }

        fn wait(&mut self, _: bool, _: Option<Duration>) -> io::Result<()> {
            Ok(())
        }

        fn take_error(&mut self) -> Option<(SocketAddr, io::Error)> {
            let about = self.reported.lock().unwrap().pop_front()?;
            Some((about, io::ErrorKind::ConnectionRefused.into()))
        }
    }

    fn address(n: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], n))
    }

    fn link(results: &[io::ErrorKind], backlog: usize) -> (Link, Scripted) {
        let transport = Scripted::default();
        transport.results.lock().unwrap().extend(results);
        (Link::new(Box::new(transport.clone()), backlog), transport)
    }

    fn send(link: &mut Link, byte: u8) -> Sent {
        link.send(address(2), &[IoSlice::new(&[byte; 6]), IoSlice::new(&[byte; 4])])
    }

    #[test]
    fn frames_wait_in_order_until_there_is_room() {
        let (mut link, transport) = link(&[io::ErrorKind::WouldBlock; 2], 100);
        (0..5).for_each(|byte| assert!(matches!(send(&mut link, byte), Sent::Done)));
        assert!(!link.flush().0, "no room yet");
        assert_eq!(transport.sent.lock().unwrap().len(), 0);
        assert!(link.flush().0 && link.is_idle());
        assert!(matches!(send(&mut link, 5), Sent::Done));
        let sent: Vec<u8> = transport.sent.lock().unwrap().iter().map(|frame| frame[9]).collect();
        assert_eq!(sent, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn backlog_is_bounded_and_congestion_comes_before_its_end() {
        let (mut link, _) = link(&[io::ErrorKind::WouldBlock], 10 * CONGESTED + 15);
        for n in 0..=CONGESTED {
            assert_eq!(link.is_congested(), n >= CONGESTED);
            assert!(matches!(send(&mut link, 0), Sent::Done));
        }
        assert!(matches!(send(&mut link, 0), Sent::Overflowed));
        assert_eq!(link.backlog_bytes, 10 * (CONGESTED + 1));
    }

    #[test]
    fn frame_that_met_the_error_of_another_is_sent_again() {
        let (mut link, transport) = link(&[io::ErrorKind::ConnectionRefused], 100);
        transport.reported.lock().unwrap().push_back(address(9));
        let Sent::Failed(None, others) = send(&mut link, 7) else { panic!("it was sent at last") };
        assert_eq!(others[0].0, address(9));
        assert_eq!(transport.sent.lock().unwrap().len(), 1);
    }

    #[test]
    fn error_of_a_frame_is_its_own_if_none_is_reported() {
        let (mut link, transport) = link(&[io::ErrorKind::PermissionDenied], 100);
        let Sent::Failed(Some(error), others) = send(&mut link, 7) else { panic!("it was not sent") };
        assert_eq!((error.kind(), others.len()), (io::ErrorKind::PermissionDenied, 0));
        assert!(transport.sent.lock().unwrap().is_empty() && link.is_idle());
    }
}
