use super::*;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// A transport whose sends end as scripted, and succeed afterwards; and what it has sent.
#[derive(Clone, Default)]
struct Scripted {
    results: Arc<Mutex<VecDeque<io::ErrorKind>>>,
    reported: Arc<Mutex<VecDeque<SocketAddr>>>,
    sent: Arc<Mutex<Vec<Vec<u8>>>>,
    /// The ports of receivers that have no room, where each has room of its own.
    full: Option<Arc<Mutex<Vec<u16>>>>,
}

impl Transport for Scripted {
    fn local(&self) -> SocketAddr {
        address(1)
    }

    fn now(&self) -> u64 {
        0
    }

    fn has_common_room(&self) -> bool {
        self.full.is_none()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        if self.full.as_ref().is_some_and(|full| full.lock().unwrap().contains(&to.port())) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
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

fn overflows(sent: &Sent) -> bool {
    sent.as_ref().is_err_and(|problem| matches!(**problem, Problem::Overflowed(_)))
}

fn send(link: &mut Link, byte: u8) -> Sent {
    link.send(None, address(2), &[IoSlice::new(&[byte; 6]), IoSlice::new(&[byte; 4])])
}

#[test]
fn frames_wait_in_order_until_there_is_room() {
    let (mut link, transport) = link(&[io::ErrorKind::WouldBlock; 2], 100);
    (0..5).for_each(|byte| assert!(send(&mut link, byte).is_ok()));
    assert!(!link.flush().moved, "no room yet");
    assert_eq!(transport.sent.lock().unwrap().len(), 0);
    assert!(link.flush().moved && link.is_idle());
    assert!(send(&mut link, 5).is_ok());
    let sent: Vec<u8> = transport.sent.lock().unwrap().iter().map(|frame| frame[9]).collect();
    assert_eq!(sent, [0, 1, 2, 3, 4, 5]);
}

fn first_bytes(transport: &Scripted) -> Vec<u8> {
    transport.sent.lock().unwrap().iter().map(|frame| frame[0]).collect()
}

#[test]
fn frames_of_a_step_leave_when_it_is_over() {
    let (mut link, transport) = link(&[], 100);
    link.hold();
    (0..3).for_each(|byte| assert!(send(&mut link, byte).is_ok()));
    assert!(first_bytes(&transport).is_empty() && link.holds_some() && !link.is_idle());
    let flushed = link.let_go();
    assert!(flushed.failed.is_empty() && link.is_idle());
    assert!(send(&mut link, 3).is_ok());
    assert_eq!(first_bytes(&transport), [0, 1, 2, 3]);
}

#[test]
fn gathered_frames_leave_when_flushed_when_they_are_many_and_at_the_end() {
    let (mut link, transport) = link(&[], 100);
    (link.gathers, link.holds) = (true, true);
    (0..3).for_each(|byte| drop(send(&mut link, byte)));
    link.hold();
    link.let_go();
    assert!(first_bytes(&transport).is_empty());
    link.flush();
    assert_eq!(first_bytes(&transport), [0, 1, 2]);
    (0..=255).for_each(|byte| drop(send(&mut link, byte)));
    assert_eq!(first_bytes(&transport).len(), 3);
    assert!(send(&mut link, 7).is_ok());
    assert_eq!(first_bytes(&transport).len(), 3 + 256);
    drop(link);
    assert_eq!(first_bytes(&transport).last(), Some(&7));
}

#[test]
fn held_frames_meet_the_same_errors_as_others() {
    use io::ErrorKind::{PermissionDenied, WouldBlock};
    let (mut link, transport) = link(&[PermissionDenied, WouldBlock], 25);
    link.hold();
    (0..5).for_each(|byte| drop(send(&mut link, byte)));
    let flushed = link.let_go();
    let failed: Vec<_> = flushed.failed.iter().map(|(_, to, error)| (*to, error.kind())).collect();
    assert_eq!(failed, [(address(2), PermissionDenied)], "the first");
    assert_eq!(flushed.overflowed.len(), 3, "the second waits, and takes all that one may");
    assert!(link.flush().moved);
    assert_eq!(first_bytes(&transport), [1]);
}

#[test]
fn held_frame_that_meets_the_error_of_another_is_sent_again() {
    let (mut link, transport) = link(&[io::ErrorKind::ConnectionRefused], 100);
    transport.reported.lock().unwrap().push_back(address(9));
    link.hold();
    (0..2).for_each(|byte| drop(send(&mut link, byte)));
    let flushed = link.let_go();
    assert_eq!((flushed.failed.len(), flushed.reported.len()), (0, 1));
    assert_eq!(first_bytes(&transport), [0, 1]);
}

#[test]
fn frames_beyond_the_backlog_are_lost_and_reported_so() {
    let (mut link, _) = link(&[io::ErrorKind::WouldBlock], 100);
    let lost = (0..9).filter(|byte| overflows(&send(&mut link, *byte))).count();
    assert_eq!(lost, 4, "one connection takes half");
    assert!(link.is_congested(None));
    link.discard(None);
    assert!(link.is_idle() && !link.is_congested(None));
}

#[test]
fn frame_that_the_system_rejects_does_not_keep_others_back() {
    use io::ErrorKind::{Other, WouldBlock};
    let (mut link, transport) = link(&[WouldBlock, Other], 100);
    (0..3).for_each(|byte| assert!(send(&mut link, byte).is_ok()));
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
    assert!(send(&mut link, 7).is_ok());
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
    let Problem::Failed(None, others) = *send(&mut link, 7).unwrap_err() else { panic!("it was sent at last") };
    assert_eq!(others[0].0, address(9));
    assert_eq!(transport.sent.lock().unwrap().len(), 1);
}

#[test]
fn error_of_a_frame_is_its_own_if_none_is_reported() {
    let (mut link, transport) = link(&[io::ErrorKind::PermissionDenied], 100);
    let Problem::Failed(Some(error), others) = *send(&mut link, 7).unwrap_err() else { panic!("it was not sent") };
    assert_eq!((error.kind(), others.len()), (io::ErrorKind::PermissionDenied, 0));
    assert!(transport.sent.lock().unwrap().is_empty() && link.is_idle());
}

#[test]
fn receivers_with_room_of_their_own_do_not_wait_for_others() {
    for gathers in [false, true] {
        let full = Arc::new(Mutex::new(vec![2]));
        let transport = Scripted { full: Some(full.clone()), ..Scripted::default() };
        let mut link = Link::new(Box::new(transport.clone()), 100, gathers);
        let flow = |n: u64| Some(crate::event::ConnectionId::from_number(n));
        for byte in 0..12 {
            let port = [2, 3, 4][byte % 3];
            let sent = link.send(flow(port), address(port as u16), &[IoSlice::new(&[byte as u8])]);
            assert!(sent.is_ok(), "{byte}");
        }
        link.flush();
        assert_eq!(first_bytes(&transport), [1, 2, 4, 5, 7, 8, 10, 11], "{gathers}");
        full.lock().unwrap().push(3);
        assert!(link.send(flow(3), address(3), &[IoSlice::new(&[12])]).is_ok());
        assert!(!link.flush().moved && !link.is_idle());
        full.lock().unwrap().retain(|port| *port == 2);
        link.flush();
        full.lock().unwrap().clear();
        assert!(link.flush().moved && link.is_idle());
        assert_eq!(first_bytes(&transport)[8..], [12, 0, 3, 6, 9], "in order: {gathers}");
        full.lock().unwrap().push(5);
        let sent = link.send(None, address(5), &[IoSlice::new(&[13])]);
        let lost = link.flush().overflowed;
        assert!(overflows(&sent) || lost == [None], "the router's own wait for none");
        assert!(link.is_idle());
    }
}
