//! Runs steps of stacks and deals with what comes out: frames leave at once, events are lent one by one, and when they are
//! no longer lent the stack settles.

use crate::connection::{Connection, Phase};
use crate::error::Reason;
use crate::event::{ConnectionId, Head, Pending};
use crate::ffi::NacreAddr;
use crate::instance::Outcome;
use crate::listener::{Found, Listener};
use crate::output::{Out, Output, Outputs};
use crate::stack::EventRole;

/// A step whose outputs are in `Listener::out`.
pub(crate) struct Active {
    pub id: ConnectionId,
    /// The next output to look at.
    pub next: usize,
}

impl Active {
    pub(crate) fn new(id: ConnectionId) -> Active {
        Active { id, next: 0 }
    }

    /// The step's outputs.
    pub(crate) fn outputs<'a>(&self, out: &'a Out) -> Outputs<'a> {
        // SAFETY: `Listener::active` is set when a step has been run, and unset or replaced before any further call is
        // given its state, its pool or `out`; the frame that it came from stays in the buffer until then, and what a
        // caller's message is named by is copied before `Listener::call` returns. So the bytes are still lent.
        unsafe { out.lent() }
    }
}

/// What a step begins with.
pub(crate) enum Op<'a> {
    /// The frame is in the listener's buffer.
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

/// What is done when outputs are no longer lent, because it discards.
pub(crate) enum After {
    Confirmed(ConnectionId),
    Ended(ConnectionId, Reason),
}

/// `later` events that one connection may run before others get their turn.
const LATER_MAX: usize = 1000;
impl Listener {
    /// Runs one step of a connection; it is active afterwards.
    pub(crate) fn run(&mut self, id: ConnectionId, op: Op<'_>) -> Outcome {
        // Who is run again is entered into the timers afterwards.
        if let Some(last) = self.end_loan().filter(|last| *last != id) {
            self.reschedule(last);
        }
        self.catch_up(id);
        let outcome = self.step(id, op);
        self.send_frames(id);
        outcome
    }

    fn step(&mut self, id: ConnectionId, op: Op<'_>) -> Outcome {
        let Listener { table, kinds, out, buffer, time, .. } = self;
        let now = *time;
        let Some(connection) = table.get_mut(id.cookie()).filter(|connection| connection.id == id) else {
            return Outcome::Invalid;
        };
        let pool = kinds[connection.kind].pools.at_mut(connection.pool);
        connection.stack_deadline = 0;
        let outcome = match op {
            Op::Input { len } => connection.instance.input_raw(pool, now, &connection.from, &buffer[..len], out),
            Op::Call { event, arguments, address, message } => {
                connection.instance.call_raw(pool, now, event, arguments, address.as_ref(), message, out)
            }
            Op::Tick => connection.instance.tick_raw(pool, now, out),
        };
        self.active = Some(Active::new(id));
        outcome
    }

    /// Runs the `later` events that wait: they come before all others.
    fn catch_up(&mut self, id: ConnectionId) {
        // A deadline that has been looked at since the last step says whether there are any.
        if self.get(id).is_ok_and(|connection| connection.stack_deadline != 0) {
            return;
        }
        for _ in 0..LATER_MAX {
            let waits = self.get_mut(id).is_ok_and(|connection| connection.look_at_stack() == 0);
            if !waits || self.step(id, Op::Tick) != Outcome::Done {
                break;
            }
            self.send_frames(id);
            self.copy_rest();
        }
        self.active = None;
    }

    /// Ends the loan of the active step: what the application has not seen is copied, the stack settles, and what had to
    /// wait for that is done.
    pub(crate) fn release(&mut self) {
        if let Some(id) = self.end_loan() {
            self.reschedule(id);
        }
    }

    /// The same, but for the timers: whose step it was.
    fn end_loan(&mut self) -> Option<ConnectionId> {
        let id = self.active.as_ref().map(|active| active.id)?;
        self.copy_rest();
        self.settle(id);
        self.active = None;
        self.out.clear();
        if !self.after.is_empty() {
            self.do_what_had_to_wait();
        }
        Some(id)
    }

    fn do_what_had_to_wait(&mut self) {
        for after in std::mem::take(&mut self.after) {
            match after {
                After::Confirmed(id) => self.replace_older(id),
                After::Ended(id, reason) => self.linger_or_remove(id, reason),
            }
        }
    }

    fn settle(&mut self, id: ConnectionId) {
        let Listener { table, kinds, out, .. } = self;
        let Some(connection) = table.get_mut(id.cookie()).filter(|connection| connection.id == id) else {
            return;
        };
        let pool = kinds[connection.kind].pools.at_mut(connection.pool);
        connection.instance.settle_raw(pool, out);
        if out.len() == 0 {
            return;
        }
        self.active = Some(Active::new(id));
        self.send_frames(id);
        self.copy_rest();
    }

    /// Copies the events of the active step that were not handed out.
    fn copy_rest(&mut self) {
        while let Some((head, index)) = self.next_of_active() {
            let Some(active) = &self.active else { return };
            let message = active.outputs(&self.out).get(index).map(|output| output.message().to_vec());
            let bytes = message.unwrap_or_default();
            self.enqueue(Pending { head, bytes });
        }
    }

    /// The next event of the active step that concerns the application, and its index.
    fn next_of_active(&mut self) -> Option<(Head, usize)> {
        let Listener { active, out, table, after, .. } = self;
        let active = active.as_mut()?;
        let id = active.id;
        while let Some(output) = active.outputs(out).get(active.next) {
            let index = active.next;
            active.next += 1;
            if output.is_frame() {
                continue;
            }
            let connection = table.get(id.cookie()).filter(|connection| connection.id == id)?;
            if let Some(head) = translate(connection, &output, after) {
                return Some((head, index));
            }
        }
        None
    }

    /// The next event, after a bounded amount of work.
    pub(crate) fn find(&mut self) -> Option<Found> {
        if let Some(id) = self.taken.take() {
            self.owe(id);
        }
        // Enough to pass by a burst of frames that mean nothing, little enough to come back soon.
        for _ in 0..256 {
            if let Some(pending) = self.pending.pop_front() {
                self.pending_bytes -= pending.cost();
                self.taken = pending.head.delivered_to();
                return Some(Found::Owned(pending));
            }
            if let Some((head, index)) = self.next_of_active() {
                self.taken = head.delivered_to();
                return Some(Found::Lent(head, index));
            }
            self.release();
            if self.pending.is_empty() && !self.work() {
                return None;
            }
        }
        None
    }

    pub(crate) fn owe(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        if connection.grants_by_itself && connection.instance.stack().known().grant_delivers.is_some() {
            connection.owed += 1;
            self.wait_for_stack(id);
        }
    }
}

/// What an output means to the application.
fn translate(connection: &Connection, output: &Output<'_>, after: &mut Vec<After>) -> Option<Head> {
    let (id, stack) = (connection.id, connection.instance.stack());
    let (known, event) = (stack.known(), Some(output.event()));
    if let Phase::Lingering { .. } = connection.phase {
        return None;
    }
    let info = stack.events().get(usize::from(output.event()))?;
    let address = if info.has_address { output.address() } else { None };
    if event == known.deliver {
        return Some(Head::Delivered { connection: id, from: address });
    }
    if event == known.grant_sends {
        return None;
    }
    if event == known.opened {
        after.push(After::Confirmed(id));
        return Some(Head::Opened { connection: id, peer: connection.peer.address });
    }
    if event == known.closed {
        let reason = Reason::from_number(output.arguments()[0]);
        after.push(After::Ended(id, reason));
        return Some(Head::Closed { connection: id, reason });
    }
    if info.role == EventRole::Opening {
        return None;
    }
    Some(Head::Other { connection: id, event: output.event(), arguments: output.arguments(), address })
}
