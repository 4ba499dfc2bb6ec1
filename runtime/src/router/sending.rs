//! Sends the frames of a step, straight from where the stack has them.

use super::Router;
use crate::connection::{Connection, Phase};
use crate::event::ConnectionId;
use crate::outbox::{Flow, Flushed, Outbox, Problem, Sent};
use crate::output::{Message, Output};
use crate::statistics::Traffic;
use std::io::{self, IoSlice};
use std::net::SocketAddr;

/// Pieces of a frame that are sent without a copy.
const PIECES: usize = 8;

impl<O: Outbox> Router<O> {
    /// Sends the frames of the active step; those of a tentative connection are held back.
    pub(crate) fn send_frames(&mut self, id: ConnectionId) {
        if self.get(id).is_ok_and(|connection| connection.farewell.is_some()) {
            self.say_farewell(id);
        }
        let Router { connections, stepper, outbox, errors, .. } = self;
        let outputs = stepper.outputs();
        let frames = outputs.iter().filter(Output::is_frame).count();
        if frames == 0 {
            return;
        }
        let Ok(connection) = connections.get_mut(id) else {
            return;
        };
        if frames > 1 {
            outbox.hold();
        }
        for output in outputs.iter().filter(Output::is_frame) {
            let (to, frame) = (receiver(connection, &output), output.message());
            if connection.phase == Phase::Tentative {
                connection.held.push((to, frame.to_vec()));
                continue;
            }
            if !connection.count_out(frame.len()) {
                continue;
            }
            let sent = transmit(outbox, (Some(id), to), &frame);
            note_sent(&mut connection.traffic, to, sent, errors);
        }
        if frames > 1 {
            let flushed = outbox.let_go();
            self.note_flushed(flushed);
        }
    }

    /// Counts what became of frames that had waited or were held, and keeps errors to be reported.
    pub(crate) fn note_flushed(&mut self, flushed: Flushed) {
        self.errors.extend(flushed.reported);
        for flow in flushed.overflowed {
            self.traffic_of(flow).overflowed += 1;
        }
        for (flow, to, error) in flushed.failed {
            self.traffic_of(flow).send_errors += 1;
            self.errors.push((to, error));
        }
    }

    fn traffic_of(&mut self, flow: Flow) -> &mut Traffic {
        let Router { connections, statistics, .. } = self;
        match flow.and_then(|id| connections.get_mut(id).ok()) {
            Some(connection) => &mut connection.traffic,
            None => &mut statistics.traffic,
        }
    }

    /// Sends a frame that no stack made, or that was held back.
    pub(crate) fn send_plain(&mut self, flow: Flow, to: SocketAddr, frame: &[u8]) {
        let sent = self.outbox.send(flow, to, &[IoSlice::new(frame)]);
        note_sent(&mut self.statistics.traffic, to, sent, &mut self.errors);
    }
}

/// Counts what became of a frame, and keeps errors.
#[inline(always)]
pub(super) fn note_sent(traffic: &mut Traffic, to: SocketAddr, sent: Sent, errors: &mut Vec<(SocketAddr, io::Error)>) {
    if let Err(problem) = sent {
        note_problem(traffic, to, *problem, errors);
    }
}

#[cold]
fn note_problem(traffic: &mut Traffic, to: SocketAddr, problem: Problem, errors: &mut Vec<(SocketAddr, io::Error)>) {
    match problem {
        Problem::Overflowed(others) => {
            traffic.overflowed += 1;
            errors.extend(others);
        }
        Problem::Failed(own, others) => {
            traffic.send_errors += u64::from(own.is_some());
            errors.extend(own.map(|error| (to, error)).into_iter().chain(others));
        }
    }
}

/// The stack's address has no scope, the connection's may have.
fn receiver(connection: &Connection, output: &Output<'_>) -> SocketAddr {
    match output.is_for(&connection.from) {
        true => connection.peer.address,
        false => output.address().unwrap_or(connection.peer.address),
    }
}

#[inline]
fn transmit(outbox: &mut impl Outbox, (flow, to): (Flow, SocketAddr), frame: &Message<'_>) -> Sent {
    let mut slices = [IoSlice::new(&[]); PIECES];
    if frame.pieces() > PIECES {
        return outbox.send(flow, to, &[IoSlice::new(&frame.to_vec())]);
    }
    frame.segments().zip(&mut slices).for_each(|(piece, slice)| *slice = IoSlice::new(piece));
    outbox.send(flow, to, &slices[..frame.pieces()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, Reason};
    use crate::options::Options;
    use crate::support::window;

    fn address(end: u8) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, end], 7000))
    }

    /// An outbox that never has room, and whose datagrams were dropped.
    #[derive(Default)]
    struct Stuck(Vec<Flow>);

    impl Outbox for Stuck {
        fn send(&mut self, _: Flow, _: SocketAddr, _: &[IoSlice<'_>]) -> Sent {
            Problem::overflow(vec![])
        }

        fn probe(&mut self, _: SocketAddr, _: &[u8]) -> Sent {
            Problem::overflow(vec![])
        }

        fn is_congested(&self, _: Flow) -> bool {
            true
        }

        fn discard(&mut self, flow: Flow) {
            self.0.push(flow);
        }
    }

    #[test]
    fn congestion_refuses_calls_without_effect() {
        let mut router = Router::new(Stuck::default(), Options { seed: Some(1), ..Options::default() }, 1);
        let id = router.connect(address(1), &window(), |_| {}).unwrap();
        assert!(!router.accepts(id, 5));
        assert!(matches!(router.send(id, b"hello"), Err(Error::Refused)));
        let traffic = router.statistics().traffic;
        assert_eq!((traffic.refused, traffic.frames_out, traffic.overflowed), (1, 1, 1), "the greeting");
    }

    #[test]
    fn frames_of_a_connection_that_did_not_end_in_order_wait_no_longer() {
        let mut router = Router::new(Stuck::default(), Options { seed: Some(1), ..Options::default() }, 1);
        let ids = [1, 2, 3].map(|end| router.connect(address(end), &window(), |_| {}).unwrap());
        router.discard(ids[0]);
        router.end(ids[1], Reason::Timeout);
        router.end(ids[2], Reason::Closed);
        assert_eq!(router.outbox().0, [Some(ids[0]), Some(ids[1])]);
    }
}
