//! A transport with the frames that are held to be sent together, and those that wait for room.

use crate::backlog::Backlog;
use crate::datagrams::Batch;
use crate::outbox::{Flow, Flushed, Outbox, Sent};
use crate::transport::{joined, Transport};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::time::Duration;

/// Sends frames at once, several together, or when the transport has room again.
pub(crate) struct Link {
    transport: Box<dyn Transport>,
    backlog: Backlog,
    batch: Batch,
    /// Frames are held until `flush`.
    gathers: bool,
    /// Frames are held until `let_go`.
    holds: bool,
    /// What became of frames that were sent since `flush`.
    flushed: Flushed,
}

/// The result of handing a frame to the transport.
enum Handed {
    Sent,
    NoRoom,
    Failed(io::Error),
}

/// Whether the system says that a frame is too long for the way to its receiver.
pub(crate) fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EMSGSIZE)
}

/// The function of the transport that takes a frame.
type How = fn(&mut (dyn Transport + 'static), SocketAddr, &[IoSlice<'_>]) -> io::Result<()>;

impl Link {
    /// Makes a link whose backlog holds at most `backlog_max` bytes; `gathers`: frames are held until `flush`.
    pub(crate) fn new(transport: Box<dyn Transport>, backlog_max: usize, gathers: bool) -> Link {
        let (backlog, batch) = (Backlog::new(backlog_max), Batch::default());
        Link { transport, backlog, batch, gathers, holds: gathers, flushed: Flushed::default() }
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

    /// Whether no frame is held, and none waits for room.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.batch.is_empty() && self.backlog.is_empty()
    }

    /// Whether frames are held that may go on being so: more frames are here that may lead to others.
    #[inline]
    pub(crate) fn goes_on_gathering(&self) -> bool {
        self.gathers && self.backlog.is_empty() && self.transport.has_received()
    }

    /// Whether frames are held.
    #[inline]
    pub(crate) fn holds_some(&self) -> bool {
        !self.batch.is_empty()
    }

    /// As of `Transport`.
    #[inline]
    pub(crate) fn take_emptied(&mut self) -> bool {
        self.transport.take_emptied()
    }

    /// Sends frames that wait, of each connection in turn, until the transport has no room; then those that are held.
    pub(crate) fn flush(&mut self) -> Flushed {
        let mut flushed = std::mem::take(&mut self.flushed);
        self.send_waiting(&mut flushed);
        self.send_batch(&mut flushed);
        flushed
    }

    fn send_waiting(&mut self, flushed: &mut Flushed) {
        while let Some((flow, to, frame)) = self.backlog.pop() {
            let (handed, reported) = self.hand_over(Transport::send, to, &[IoSlice::new(&frame)]);
            flushed.reported.extend(reported);
            match handed {
                Handed::Sent => {}
                Handed::NoRoom => {
                    self.backlog.put_back(flow, to, frame);
                    break;
                }
                Handed::Failed(error) => flushed.failed.push((flow, to, error)),
            }
            flushed.moved = true;
        }
    }

    /// Sends what is held; what the transport has no room for waits.
    fn send_batch(&mut self, flushed: &mut Flushed) {
        let mut batch = std::mem::take(&mut self.batch);
        while !batch.rest().is_empty() {
            let (sent, result) = match self.backlog.is_empty() {
                true => self.transport.send_all(batch.rest()),
                false => (0, Err(io::ErrorKind::WouldBlock.into())),
            };
            batch.pass(sent);
            let (Some((flow, to, frame)), Err(error)) = (batch.first(), result) else { break };
            let (handed, reported) = match error.kind() {
                io::ErrorKind::WouldBlock => (Handed::NoRoom, vec![]),
                _ => self.hand_over_again(Transport::send, (to, &[IoSlice::new(frame)]), error),
            };
            flushed.reported.extend(reported);
            match handed {
                Handed::Sent => {}
                Handed::NoRoom if self.backlog.push(flow, to, frame.to_vec()) => {}
                Handed::NoRoom => flushed.overflowed.push(flow),
                Handed::Failed(error) => flushed.failed.push((flow, to, error)),
            }
            batch.pass(1);
        }
        batch.clear();
        self.batch = batch;
    }

    /// Gives a frame to the transport. The system may report an earlier frame's error when another one is sent; that
    /// one is then sent again.
    #[inline]
    fn hand_over(&mut self, how: How, to: SocketAddr, frame: &[IoSlice<'_>]) -> (Handed, Vec<(SocketAddr, io::Error)>) {
        match how(&mut *self.transport, to, frame) {
            Ok(()) => (Handed::Sent, vec![]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => (Handed::NoRoom, vec![]),
            Err(error) => self.hand_over_again(how, (to, frame), error),
        }
    }

    fn hand_over_again(
        &mut self,
        how: How,
        (to, frame): (SocketAddr, &[IoSlice<'_>]),
        error: io::Error,
    ) -> (Handed, Vec<(SocketAddr, io::Error)>) {
        let others = self.take_errors();
        let sent = if others.is_empty() { Err(error) } else { how(&mut *self.transport, to, frame) };
        let handed = match sent {
            Ok(()) => Handed::Sent,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Handed::NoRoom,
            Err(error) => Handed::Failed(error),
        };
        (handed, others)
    }
}

impl Outbox for Link {
    #[inline]
    fn send(&mut self, flow: Flow, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent {
        if self.holds {
            if self.batch.is_full() {
                let mut flushed = std::mem::take(&mut self.flushed);
                self.send_batch(&mut flushed);
                self.flushed = flushed;
            }
            self.batch.push(flow, to, frame);
            return Sent::Done;
        }
        let (handed, reported) = match self.backlog.is_empty() {
            true => self.hand_over(Transport::send, to, frame),
            false => (Handed::NoRoom, vec![]),
        };
        let error = match handed {
            Handed::Sent => None,
            Handed::NoRoom if self.backlog.push(flow, to, joined(frame)) => None,
            Handed::NoRoom => return Sent::Overflowed(reported),
            Handed::Failed(error) => Some(error),
        };
        match error.is_none() && reported.is_empty() {
            true => Sent::Done,
            false => Sent::Failed(error, reported),
        }
    }

    fn probe(&mut self, to: SocketAddr, frame: &[u8]) -> Sent {
        if !self.backlog.is_empty() {
            return Sent::Overflowed(vec![]);
        }
        let (handed, mut reported) = self.hand_over(Transport::probe, to, &[IoSlice::new(frame)]);
        // The system also keeps what it has just returned, for later; over IPv4 without the port.
        reported.extend(self.take_errors());
        let is_own = |about: SocketAddr| about.ip() == to.ip() && [0, to.port()].contains(&about.port());
        reported.retain(|(about, error)| !is_own(*about) || !is_too_long(error));
        match handed {
            Handed::Sent => Sent::Failed(None, reported),
            Handed::NoRoom => Sent::Overflowed(reported),
            Handed::Failed(error) => Sent::Failed(Some(error), reported),
        }
    }

    #[inline]
    fn hold(&mut self) {
        self.holds = true;
    }

    fn let_go(&mut self) -> Flushed {
        self.holds = self.gathers;
        let mut flushed = std::mem::take(&mut self.flushed);
        if !self.gathers {
            self.send_batch(&mut flushed);
        }
        flushed
    }

    #[inline]
    fn is_congested(&self, flow: Flow) -> bool {
        !self.backlog.is_empty() && self.backlog.is_congested(flow)
    }

    fn discard(&mut self, flow: Flow) {
        self.backlog.discard(flow);
    }
}

impl Drop for Link {
    /// Nothing that was accepted is kept back.
    fn drop(&mut self) {
        if !self.batch.is_empty() {
            self.send_batch(&mut Flushed::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
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
        (Link::new(Box::new(transport.clone()), backlog, false), transport)
    }

    fn send(link: &mut Link, byte: u8) -> Sent {
        link.send(None, address(2), &[IoSlice::new(&[byte; 6]), IoSlice::new(&[byte; 4])])
    }

    #[test]
    fn frames_wait_in_order_until_there_is_room() {
        let (mut link, transport) = link(&[io::ErrorKind::WouldBlock; 2], 100);
        (0..5).for_each(|byte| assert!(matches!(send(&mut link, byte), Sent::Done)));
        assert!(!link.flush().moved, "no room yet");
        assert_eq!(transport.sent.lock().unwrap().len(), 0);
        assert!(link.flush().moved && link.is_idle());
        assert!(matches!(send(&mut link, 5), Sent::Done));
        let sent: Vec<u8> = transport.sent.lock().unwrap().iter().map(|frame| frame[9]).collect();
        assert_eq!(sent, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn frames_beyond_the_backlog_are_lost_and_reported_so() {
        let (mut link, _) = link(&[io::ErrorKind::WouldBlock], 100);
        let lost = (0..9).filter(|byte| matches!(send(&mut link, *byte), Sent::Overflowed(_))).count();
        assert_eq!(lost, 4, "one connection takes half");
        assert!(link.is_congested(None));
        link.discard(None);
        assert!(link.is_idle() && !link.is_congested(None));
    }

    #[test]
    fn frame_that_the_system_rejects_does_not_keep_others_back() {
        use io::ErrorKind::{Other, WouldBlock};
        let (mut link, transport) = link(&[WouldBlock, Other], 100);
        (0..3).for_each(|byte| assert!(matches!(send(&mut link, byte), Sent::Done)));
        let flushed = link.flush();
        assert_eq!(
            flushed.failed.iter().map(|(_, to, error)| (*to, error.kind())).collect::<Vec<_>>(),
            [(address(2), Other)]
        );
        assert!(link.is_idle());
        assert_eq!(transport.sent.lock().unwrap().iter().map(|frame| frame[0]).collect::<Vec<u8>>(), [1, 2]);
    }

    #[test]
    fn waiting_frame_that_meets_the_error_of_another_is_sent_again() {
        use io::ErrorKind::{ConnectionRefused, WouldBlock};
        let (mut link, transport) = link(&[WouldBlock, ConnectionRefused, WouldBlock], 100);
        send(&mut link, 7);
        transport.reported.lock().unwrap().push_back(address(9));
        let flushed = link.flush();
        assert_eq!((flushed.moved, flushed.failed.len(), flushed.reported.len()), (false, 0, 1));
        assert!(link.flush().moved);
        assert_eq!(transport.sent.lock().unwrap().len(), 1);
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
