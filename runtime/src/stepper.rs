//! Runs steps of stacks and holds their outputs while they are lent.

use crate::connection::Connection;
use crate::error::Error;
use crate::event::ConnectionId;
use crate::ffi::NacreAddr;
use crate::instance::{Call, Config, Instance, Outcome, QuickDelivery};
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
    active: Option<Active>,
}

struct Active {
    id: ConnectionId,
    /// The next output to look at.
    next: usize,
    /// What a quick entry has delivered of the frame, and whether it has been looked at. Then there are no outputs.
    quick: Option<Range<usize>>,
}

/// Something of the active step that is not a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lent {
    /// The output with this index.
    Output(usize),
    /// A message that a quick entry has delivered.
    Quick,
}

impl Stepper {
    /// No step is active.
    pub(crate) fn new() -> Stepper {
        Stepper { out: Out::new(), buffer: vec![0; DATAGRAM_MAX], active: None }
    }

    /// Where a frame is received, for `Op::Input`. Must not be called while a step is active, whose outputs may lie
    /// there.
    #[inline]
    pub(crate) fn buffer(&mut self) -> &mut [u8] {
        assert!(self.active.is_none(), "outputs of the last step may lie in the buffer");
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
        self.active.as_ref().map(|active| active.id)
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
        self.active = Some(Active { id, next: 0, quick: None });
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
        self.active = Some(Active { id: connection.id, next: 0, quick: None });
        outcome
    }

    /// Gives a stack the first bytes of the buffer by its quick entry; if it takes them, that is the active step. No
    /// step may be active. None: nothing has happened.
    #[inline]
    pub(crate) fn input_quick(
        &mut self,
        connection: &mut Connection,
        pool: &mut Pool,
        now: u64,
        len: usize,
    ) -> Option<QuickDelivery> {
        assert!(self.active.is_none(), "outputs of the last step may lie in the buffer");
        let taken = connection.instance.input_quick(pool, now, &connection.from, &self.buffer[..len])?;
        self.out.clear();
        self.active = Some(Active { id: connection.id, next: 0, quick: Some(taken.message.clone()) });
        Some(taken)
    }

    /// Whether the active step was one of a quick entry, which leaves nothing to settle.
    #[inline]
    pub(crate) fn is_quick(&self) -> bool {
        self.active.as_ref().is_some_and(|active| active.quick.is_some())
    }

    /// What a quick entry has delivered.
    #[inline]
    pub(crate) fn quick_message(&self) -> Message<'_> {
        let range = self.active.as_ref().and_then(|active| active.quick.clone());
        Message::whole(range.and_then(|range| self.buffer.get(range)).unwrap_or_default())
    }

    /// Lets the stack settle after a step whose outputs are no longer needed; whether more came out, which is active
    /// then.
    #[inline]
    pub(crate) fn settle(&mut self, connection: &mut Connection, pool: &mut Pool) -> bool {
        connection.instance.settle_raw(pool, &mut self.out);
        let more = self.out.len() > 0;
        self.active = more.then_some(Active { id: connection.id, next: 0, quick: None });
        more
    }

    /// The outputs of the active step.
    #[inline]
    pub(crate) fn outputs(&self) -> Outputs<'_> {
        if self.active.is_none() {
            return Outputs::none();
        }
        // SAFETY: `active` is set when a step has been run, and unset or replaced before any further call is given its
        // state, its pool or `out`. The frame that it came from stays in the buffer, which is given out only when no
        // step is active. What is named of a caller's message is copied before the router's call returns
        // (`Router::call` releases).
        unsafe { self.out.borrowed() }
    }

    /// The active step's next output that is no frame.
    #[inline]
    pub(crate) fn next_event(&mut self) -> Option<Lent> {
        let active = self.active.as_mut()?;
        if let Some(message) = &active.quick {
            return (std::mem::replace(&mut active.next, 1) == 0 && !message.is_empty()).then_some(Lent::Quick);
        }
        let mut next = active.next;
        let found = loop {
            match self.outputs().get(next) {
                Some(output) if output.is_frame() => next += 1,
                output => break output.map(|_| next),
            }
        };
        if let Some(active) = &mut self.active {
            active.next = found.map_or(next, |at| at + 1);
        }
        found.map(Lent::Output)
    }

    /// No step is active any more.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.active = None;
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
        let seen: Vec<Lent> = std::iter::from_fn(|| stepper.next_event()).collect();
        let wanted = stepper.outputs().iter().enumerate().filter(|(_, output)| !output.is_frame());
        let wanted: Vec<Lent> = wanted.map(|(at, _)| Lent::Output(at)).collect();
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
