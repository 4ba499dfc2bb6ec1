//! Runs steps of stacks and holds their outputs while they are lent.

use crate::connection::Connection;
use crate::error::Error;
use crate::event::ConnectionId;
use crate::ffi::NacreAddr;
use crate::instance::{Call, Config, Instance, Outcome};
use crate::output::{Message, Out, Outputs};
use crate::pool::Pool;
use crate::stack::Stack;
use std::ops::Range;

/// The longest datagram of UDP, and of any transport.
const DATAGRAM_MAX: usize = 65_536;

/// The outside event of a step.
pub(crate) enum Op<'a> {
    /// The first bytes of the stepper's buffer are the frame.
    Input {
        len: usize,
    },
    Call {
        event: u16,
        arguments: &'a [u64],
        address: Option<NacreAddr>,
        message: &'a [u8],
    },
    Tick,
}

/// At most one step is active: the last one, until its outputs are no longer needed. They lie in the stack's memory, in
/// the frame that began the step, and in the message of a call.
pub(crate) struct Stepper {
    out: Out,
    buffer: Vec<u8>,
    left: Left,
    /// The connection whose step is active.
    id: ConnectionId,
    /// The next output to look at.
    next: usize,
    /// What a quick entry has delivered last, in the buffer.
    delivered: Range<usize>,
}

/// What the active step has left to look at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// No step is active.
    NoStep,
    /// Outputs, from `next` on.
    Outputs,
    /// What a quick entry has delivered; it leaves no outputs.
    Delivery,
    /// Nothing: a quick entry has run it, and what that has delivered was looked at.
    Nothing,
}

impl Stepper {
    /// No step is active.
    pub(crate) fn new() -> Stepper {
        let (out, buffer, id) = (Out::new(), vec![0; DATAGRAM_MAX], ConnectionId::from_number(0));
        Stepper { out, buffer, left: Left::NoStep, id, next: 0, delivered: 0..0 }
    }

    /// Where a frame is received, for `Op::Input`. Must not be called while a step is active, whose outputs may lie
    /// there.
    #[inline]
    pub(crate) fn buffer(&mut self) -> &mut [u8] {
        assert!(self.left == Left::NoStep, "outputs of the last step may lie in the buffer");
        &mut self.buffer
    }

    /// The frame that was received last.
    #[inline]
    pub(crate) fn frame(&self, len: usize) -> &[u8] {
        &self.buffer[..len]
    }

    /// The connection whose step is active.
    #[inline]
    pub(crate) fn active(&self) -> Option<ConnectionId> {
        (self.left != Left::NoStep).then_some(self.id)
    }

    /// Opens an instance for a connection; its outputs are active.
    ///
    /// Errors: `Invalid` if the stack refuses the config; then no step is active.
    pub(crate) fn open(
        &mut self,
        id: ConnectionId,
        (stack, pool): (&Stack, &mut Pool),
        config: &Config,
        seed: u64,
        now: u64,
    ) -> Result<Instance, Error> {
        self.end();
        let (instance, _) = Instance::open(stack, pool, config, seed, now, &mut self.out)?;
        self.activate(id);
        Ok(instance)
    }

    /// Runs a step, which is active afterwards.
    #[inline]
    pub(crate) fn step(&mut self, connection: &mut Connection, pool: &mut Pool, now: u64, op: Op<'_>) -> Outcome {
        connection.stack_deadline = 0;
        let (instance, out) = (&mut connection.instance, &mut self.out);
        let outcome = match op {
            Op::Input { len } => instance.input_raw(pool, now, &connection.from, &self.buffer[..len], out),
            Op::Call { event, arguments, address, message } => {
                let call = Call { event, arguments, address: address.as_ref(), data: message };
                instance.call_raw(pool, now, call, out)
            }
            Op::Tick => instance.tick_raw(pool, now, out),
        };
        self.activate(connection.id);
        outcome
    }

    #[inline]
    fn activate(&mut self, id: ConnectionId) {
        (self.left, self.id, self.next) = (Left::Outputs, id, 0);
    }

    /// Gives a stack the first bytes of the buffer by its quick entry; if it takes them, that is the active step.
    /// Returns an event that comes before what was delivered, and its number. No step may be active. None: nothing has
    /// happened.
    #[inline(always)]
    pub(crate) fn input_quick(
        &mut self,
        connection: &mut Connection,
        pool: &mut Pool,
        now: u64,
        len: usize,
    ) -> Option<Option<(u16, u16)>> {
        assert!(self.left == Left::NoStep, "outputs of the last step may lie in the buffer");
        let taken = connection.instance.input_quick(pool, now, &connection.from, &self.buffer[..len])?;
        self.out.clear();
        self.left = if taken.message.is_empty() { Left::Nothing } else { Left::Delivery };
        (self.id, self.delivered) = (connection.id, taken.message);
        Some(taken.event)
    }

    /// Whether the active step was one of a quick entry, which leaves nothing to settle.
    #[inline]
    pub(crate) fn is_quick(&self) -> bool {
        matches!(self.left, Left::Delivery | Left::Nothing)
    }

    /// Whether the active step was one of another entry.
    #[inline]
    pub(crate) fn has_outputs(&self) -> bool {
        self.left == Left::Outputs
    }

    /// Whether the active step was one of a quick entry, and what it has delivered has been looked at.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.left == Left::Nothing
    }

    /// The connection to which a quick entry has delivered a message that has not been looked at. Says so once.
    #[inline]
    pub(crate) fn take_quick(&mut self) -> Option<ConnectionId> {
        if self.left != Left::Delivery {
            return None;
        }
        self.left = Left::Nothing;
        Some(self.id)
    }

    /// What a quick entry has delivered.
    #[inline]
    pub(crate) fn quick_message(&self) -> Message<'_> {
        Message::whole(self.buffer.get(self.delivered.clone()).unwrap_or_default())
    }

    /// Lets the stack settle after a step whose outputs are no longer needed; whether more came out, which is active
    /// then.
    #[inline]
    pub(crate) fn settle(&mut self, connection: &mut Connection, pool: &mut Pool) -> bool {
        connection.instance.settle_raw(pool, &mut self.out);
        let more = self.out.len() > 0;
        self.left = Left::NoStep;
        if more {
            self.activate(connection.id);
        }
        more
    }

    /// The outputs of the active step.
    #[inline]
    pub(crate) fn outputs(&self) -> Outputs<'_> {
        if self.left != Left::Outputs {
            return Outputs::none();
        }
        // SAFETY: `left` says so after a step was run, and is changed before any further call is given its state, its
        // pool or `out`. The frame that it came from stays in the buffer, which is given out only when no
        // step is active. What is named of a caller's message is copied before the router's call returns
        // (`Router::call` releases).
        unsafe { self.out.borrowed() }
    }

    /// The active step's next output that is no frame.
    #[inline]
    pub(crate) fn next_event(&mut self) -> Option<usize> {
        let mut next = self.next;
        let found = loop {
            match self.outputs().get(next) {
                Some(output) if output.is_frame() => next += 1,
                output => break output.map(|_| next),
            }
        };
        self.next = found.map_or(next, |at| at + 1);
        found
    }

    /// No step is active any more.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.left = Left::NoStep;
        self.out.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Peer;
    use crate::support::window;

    fn opened() -> (Stepper, Connection, Pool) {
        let (stack, mut stepper) = (window(), Stepper::new());
        let mut pool = Pool::new(&stack, 64).unwrap();
        let peer = Peer { address: ([10, 0, 0, 2], 7000).into(), identity: 0, fingerprint: stack.fingerprint() };
        let config = Config::filled(&stack, peer.address.into(), 77);
        let id = ConnectionId::new(1, 77);
        let instance = stepper.open(id, (&stack, &mut pool), &config, 1, 1).unwrap();
        (stepper, Connection::new(id, (0, Default::default()), instance, peer, 1), pool)
    }

    fn send(connection: &Connection) -> Op<'static> {
        let event = connection.instance.stack().known().send.unwrap();
        Op::Call { event, arguments: &[], address: Some(connection.from), message: b"hello" }
    }

    #[test]
    fn outputs_last_as_long_as_the_step_is_active() {
        let (mut stepper, mut connection, mut pool) = opened();
        stepper.end();
        while stepper.step(&mut connection, &mut pool, 1, Op::Tick) == Outcome::Done {}
        let call = send(&connection);
        assert_eq!(stepper.step(&mut connection, &mut pool, 1, call), Outcome::Done);
        assert_eq!(stepper.active(), Some(connection.id));
        assert!(stepper
            .outputs()
            .iter()
            .any(|output| output.is_frame() && output.message().to_vec().ends_with(b"hello")));
        stepper.end();
        assert!(stepper.outputs().is_empty() && stepper.active().is_none() && stepper.next_event().is_none());
    }

    #[test]
    fn events_are_found_once_and_frames_are_passed_by() {
        let (mut stepper, mut connection, mut pool) = opened();
        let seen: Vec<usize> = std::iter::from_fn(|| stepper.next_event()).collect();
        let wanted = stepper.outputs().iter().enumerate().filter(|(_, output)| !output.is_frame());
        let wanted: Vec<usize> = wanted.map(|(at, _)| at).collect();
        assert!(seen == wanted);
        assert!(stepper.next_event().is_none());
        let deadline = connection.instance.deadline();
        assert_eq!(stepper.step(&mut connection, &mut pool, deadline, Op::Tick), Outcome::Done);
        assert_eq!(connection.stack_deadline, 0, "it is to be looked at again");
    }

    #[test]
    #[should_panic(expected = "outputs of the last step may lie in the buffer")]
    fn buffer_is_not_given_out_while_outputs_may_lie_in_it() {
        let (mut stepper, _connection, _pool) = opened();
        stepper.buffer();
    }
}
