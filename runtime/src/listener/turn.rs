//! What a listener does in turn: it reads the clock, sends what waits, runs timers, and handles frames.

use super::Listener;
use crate::router::Found;
use std::io;

/// The maximum number of frames of one batch that are handled, or sent, between two readings of the clock.
const SINCE_MAX: u32 = 16;

impl Listener {
    /// Reads the clock for a frame that is to be sent. Frames that are held leave together, so they have one time.
    #[inline]
    pub(super) fn look_at_clock_for_frame(&mut self) {
        match self.router.outbox().holds_some() && self.held < SINCE_MAX {
            true => self.held += 1,
            false => {
                self.look_at_clock();
                self.held = 0;
            }
        }
    }

    /// The next event, after a bounded amount of work.
    #[inline(always)]
    pub(crate) fn find(&mut self) -> Option<Found> {
        self.router.take_back();
        self.is_emptied = false;
        // Enough to pass by a burst of frames that mean nothing, little enough to come back soon.
        for _ in 0..256 {
            let found = self.router.next_event();
            if found.is_some() {
                return found;
            }
            self.router.release();
            if self.router.events().is_empty() && !self.work() {
                return None;
            }
        }
        None
    }

    /// Does one thing; false if there was nothing to do. Within a batch of frames, that is to handle the next one: the
    /// clock and all that depends on the time is looked at once for `SINCE_MAX` of them.
    #[inline]
    pub(crate) fn work(&mut self) -> bool {
        if self.since < SINCE_MAX && self.transport().has_received() && self.router.has_room() {
            self.since += 1;
            return self.take_frame();
        }
        self.turn_once()
    }

    #[inline(never)]
    fn turn_once(&mut self) -> bool {
        self.since = 0;
        self.look_at_clock();
        let mut done = self.send_held();
        done |= self.router.work_before_datagram();
        if self.router.has_room() && self.receive_frame() {
            return true;
        }
        done | self.router.work_without_datagram(self.asked_at)
    }

    /// Sends frames that wait for room in the transport; returns whether any left.
    #[inline]
    fn send_held(&mut self) -> bool {
        let link = self.router.outbox();
        if link.is_idle() || link.goes_on_gathering() {
            return false;
        }
        let flushed = self.router.outbox_mut().flush();
        let moved = flushed.moved;
        self.router.note_flushed(flushed);
        moved
    }

    /// Receives one frame; false if none was there.
    fn receive_frame(&mut self) -> bool {
        if !self.transport().has_received() {
            self.is_emptied |= self.router.outbox_mut().take_emptied();
            if self.is_emptied {
                return false;
            }
            self.asked_at = self.router.time();
        }
        self.take_frame()
    }

    /// The same, whether the transport has frames or must ask the system for them.
    #[inline(always)]
    fn take_frame(&mut self) -> bool {
        let (link, buffer) = self.router.outbox_and_buffer();
        let most = buffer.len();
        match link.receive(buffer) {
            Ok((len, from)) => {
                self.router.receive(from, len.min(most));
                true
            }
            Err(error) => self.note_no_frame(error),
        }
    }

    /// The transport has given no frame; false if it has none.
    #[cold]
    fn note_no_frame(&mut self, error: io::Error) -> bool {
        match error.kind() {
            io::ErrorKind::WouldBlock => {
                self.is_emptied = true;
                return false;
            }
            io::ErrorKind::Interrupted => {}
            _ => {
                let errors = self.router.outbox_mut().explain(error);
                self.router.note_errors(errors);
            }
        }
        true
    }
}
