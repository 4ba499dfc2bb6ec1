//! Runs steps of stacks and deals with what comes out: frames leave at once, events are lent one by one, and when they are
//! no longer lent the stack settles.

use crate::connection::Phase;
use crate::error::Reason;
use crate::event::{ConnectionId, Head, Pending};
use crate::ffi::NacreAddr;
use crate::instance::Outcome;
use crate::listener::{Found, Kind, Listener};
use crate::output::{Out, Output, Outputs};
use std::net::SocketAddr;

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

/// An event's parts without its message.
#[derive(Clone, Copy)]
struct Parts {
    event: u16,
    arguments: [u64; 4],
    address: Option<SocketAddr>,
}

impl Parts {
    fn of(output: &Output<'_>) -> Parts {
        Parts { event: output.event(), arguments: output.arguments(), address: output.address() }
    }
}

/// `later` events that one connection may run before others get their turn.
const LATER_MAX: usize = 1000;
impl Listener {
    /// Runs one step of a connection; it is active afterwards.
    pub(crate) fn run(&mut self, id: ConnectionId, op: Op<'_>) -> Outcome {
        self.release();
        self.catch_up(id);
        let outcome = self.step(id, op);
        self.send_frames(id);
        outcome
    }

    fn step(&mut self, id: ConnectionId, op: Op<'_>) -> Outcome {
        let now = self.transport.now();
        let Listener { table, kinds, out, buffer, .. } = self;
        let Some(connection) = table.get_mut(id.cookie()).filter(|connection| connection.id == id) else {
            return Outcome::Invalid;
        };
        let pool = &mut kinds[connection.kind].pool;
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
        for _ in 0..LATER_MAX {
            let waits = self.get(id).is_ok_and(|connection| connection.instance.deadline() == 0);
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
        let Some(id) = self.active.as_ref().map(|active| active.id) else {
            return;
        };
        self.copy_rest();
        self.settle(id);
        self.active = None;
        self.out.clear();
        for after in std::mem::take(&mut self.after) {
            match after {
                After::Confirmed(id) => self.replace_older(id),
                After::Ended(id, reason) => self.linger_or_remove(id, reason),
            }
        }
        self.reschedule(id);
    }

    fn settle(&mut self, id: ConnectionId) {
        let Listener { table, kinds, out, .. } = self;
        let Some(connection) = table.get_mut(id.cookie()).filter(|connection| connection.id == id) else {
            return;
        };
        let Kind { pool, .. } = &mut kinds[connection.kind];
        connection.instance.settle_raw(pool, out);
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
        loop {
            let active = self.active.as_mut()?;
            let (id, index) = (active.id, active.next);
            let parts = active.outputs(&self.out).get(index).map(|output| (output.is_frame(), Parts::of(&output)));
            let (is_frame, parts) = parts?;
            active.next += 1;
            if is_frame {
                continue;
            }
            if let Some(head) = self.translate(id, parts) {
                return Some((head, index));
            }
        }
    }

    fn translate(&mut self, id: ConnectionId, parts: Parts) -> Option<Head> {
        let Ok(connection) = self.get_mut(id) else {
            return None;
        };
        let known = *connection.instance.stack().known();
        let event = Some(parts.event);
        if let Phase::Lingering { .. } = connection.phase {
            return None;
        }
        if event == known.deliver {
            return Some(Head::Delivered { connection: id, from: parts.address });
        }
        if event == known.grant_sends {
            return None;
        }
        if event == known.opened {
            let peer = connection.peer.address;
            self.after.push(After::Confirmed(id));
            return Some(Head::Opened { connection: id, peer });
        }
        if event == known.closed {
            let reason = Reason::from_number(parts.arguments[0]);
            self.after.push(After::Ended(id, reason));
            return Some(Head::Closed { connection: id, reason });
        }
        let info = connection.instance.stack().events().get(usize::from(parts.event))?;
        if info.name == "init" {
            return None;
        }
        let Parts { event, arguments, address } = parts;
        Some(Head::Other { connection: id, event, arguments, address })
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
