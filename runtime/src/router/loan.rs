//! The loan of events to the application, one at a time: those that wait, then those of the active step.

use super::handed_out::{Delivery, Found};
use super::Router;
use crate::event::{ConnectionId, Event, Head, Pending};
use crate::outbox::Outbox;
use crate::output::Message;

impl<O: Outbox> Router<O> {
    /// The next event that is there, if any: those that wait come first, then those of the active step.
    #[inline(always)]
    pub(crate) fn next_event(&mut self) -> Option<Found> {
        if !self.events.is_empty() {
            return self.next_pending();
        }
        if self.stepper.has_outputs() {
            return self.next_output();
        }
        let connection = self.stepper.take_quick()?;
        let Delivery { is_proven, counts } = self.handed_out.quick;
        self.handed_out.by = counts.then_some(connection);
        Some(Found::Quick { connection, is_proven })
    }

    #[inline(never)]
    fn next_pending(&mut self) -> Option<Found> {
        let Pending { head, bytes } = self.events.pop()?;
        self.handed_out.message = bytes;
        Some(self.hand_out(head, Found::Copied))
    }

    #[inline]
    fn next_output(&mut self) -> Option<Found> {
        let (head, index) = self.next_of_active()?;
        Some(self.hand_out(head, Found::Output(index)))
    }

    fn hand_out(&mut self, head: Head, found: Found) -> Found {
        self.handed_out.by = head.delivered_to();
        self.handed_out.head = Some(head);
        found
    }

    /// The application no longer holds the event that it was given last: a message is owed to the stack.
    #[inline]
    pub(crate) fn take_back(&mut self) {
        if let Some(id) = self.handed_out.by.take() {
            self.owe(id);
        }
    }

    /// The application has taken a message of a connection.
    #[inline(never)]
    pub(crate) fn owe(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        let (known, by_itself) = (connection.instance.stack().known(), connection.by_itself);
        let owes = known.grant_delivers.is_some() && by_itself.grants;
        let tells = known.taken.is_some() && by_itself.takes;
        connection.owed += u64::from(owes);
        connection.untold += u64::from(tells);
        if owes || tells {
            self.wait_for_stack(id);
        }
    }

    /// The event that was found, as the application sees it.
    #[inline]
    pub(crate) fn lend(&mut self, found: Option<Found>) -> Option<Event<'_>> {
        match found? {
            Found::Quick { connection, is_proven } => {
                let message = self.stepper.quick_message();
                Some(Event::Delivered { connection, from: None, is_proven, message })
            }
            Found::Copied => self.lend_kept(None),
            Found::Output(index) => self.lend_kept(Some(index)),
        }
    }

    /// The same of one that is kept. `output`: where its message is, if it was not copied.
    #[inline(never)]
    fn lend_kept(&mut self, output: Option<usize>) -> Option<Event<'_>> {
        let head = self.handed_out.head.take()?;
        let message = output.map_or(Message::whole(&self.handed_out.message), |index| self.lent(index));
        Some(head.with(message))
    }

    /// An event that was found and not yet lent, without its message; none of a quick delivery.
    pub(crate) fn head_of(&self, found: Found) -> Option<&Head> {
        self.handed_out.head.as_ref().filter(|_| !matches!(found, Found::Quick { .. }))
    }
}
