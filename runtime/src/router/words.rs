//! What applications tell each other when a connection ends: refusals, farewells, and that there is no room.

use super::Router;
use crate::connection::Phase;
use crate::error::{Error, Reason, Words};
use crate::event::ConnectionId;
use crate::outbox::Outbox;
use crate::peers::Peer;
use crate::refusals::Refusal;
use crate::wire::{Control, Ending, Identification, Label, Preamble, WORDS_MAX};
use std::net::SocketAddr;

impl<O: Outbox> Router<O> {
    /// Ends a connection at once, and tells the peer why: now, and in answer to whatever it still sends.
    pub(crate) fn refuse(&mut self, id: ConnectionId, words: Words) -> Result<(), Error> {
        check(&words)?;
        if self.begun(id).is_some() {
            self.discard_handshake(id);
            return Ok(());
        }
        // The last step has nothing to send any more once the keys are taken away.
        self.release();
        let own = Label { cookie: self.connections.cookie(id)?, key: self.get(id)?.key };
        let connection = self.get(id)?;
        connection.usable()?;
        let (peer, to, incarnation) = (connection.peer, connection.label, connection.peer_incarnation);
        let is_proven = connection.confirmed || !connection.arrived;
        self.tell(id, &Control::Ended { to, why: Ending::Refused, words: words.clone() });
        if self.get(id)?.secured.is_some() {
            self.remember_refusal(id, words);
            self.discard(id);
            return Ok(());
        }
        self.discard(id);
        self.refusals.remember(Refusal { peer, incarnation, own, to, is_proven, words }, self.time);
        Ok(())
    }

    /// Closes in order; the peer is told why.
    pub(crate) fn close_with(&mut self, id: ConnectionId, words: Words) -> Result<(), Error> {
        check(&words)?;
        if self.begun(id).is_some() {
            return self.close(id);
        }
        let connection = self.get_mut(id)?;
        connection.usable()?;
        connection.farewell = Some(Box::new(words));
        self.say_farewell(id);
        self.close(id)
    }

    /// Repeats the words of a connection that is being closed: they leave before each of its frames, as these may be
    /// the last that the peer needs.
    pub(super) fn say_farewell(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get(id) else { return };
        if let Some(words) = &connection.farewell {
            let (to, words) = (connection.label, (**words).clone());
            self.tell(id, &Control::Ended { to, why: Ending::Farewell, words });
        }
    }

    /// The stack has said that a connection ended in order; the peer needs not be answered any longer if its stack has
    /// said the same.
    pub(super) fn say_over(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get(id) else { return };
        self.tell(id, &Control::Ended { to: connection.label, why: Ending::Over, words: Words::default() });
    }

    /// Sends a control frame to a peer whose label is known, unless its address may be forged and is sent enough.
    fn tell(&mut self, id: ConnectionId, control: &Control) {
        let Ok(connection) = self.get_mut(id) else { return };
        if connection.secured.is_some() {
            return Self::sealed_form(control).into_iter().for_each(|inner| self.say_sealed(id, &inner));
        }
        let Some(frame) = control.write(usize::MAX).filter(|_| connection.label.cookie != 0) else { return };
        if connection.count_out(frame.len()) {
            let to = connection.peer.address;
            self.statistics.controls_out += 1;
            self.send_plain(Some(id), to, &frame);
        }
    }

    /// The peer says why it ends or ended a connection. That it has no room is believed only before it has answered.
    pub(super) fn ended(&mut self, from: SocketAddr, to: Label, why: Ending, words: Words) -> bool {
        let Some(id) = self.connections.meant(from, to).map(|connection| connection.id) else {
            return why == Ending::Busy && self.doubt(from, to, Reason::Busy, None);
        };
        self.obey_ending(id, why, words)
    }

    /// The same of a connection whose peer has said it.
    pub(super) fn obey_ending(&mut self, id: ConnectionId, why: Ending, words: Words) -> bool {
        let Ok(connection) = self.get_mut(id) else { return false };
        let is_begun = !connection.arrived && !connection.confirmed && connection.peer_incarnation.is_none();
        match why {
            Ending::Busy if is_begun => self.end(id, Reason::Busy),
            Ending::Busy => return false,
            Ending::Refused => {
                connection.peer_words = Some(Box::new(words));
                self.end(id, Reason::Refused);
            }
            Ending::Farewell => connection.peer_words = Some(Box::new(words)),
            Ending::Over => {
                connection.peer_is_over = true;
                if let Phase::Lingering { .. } = connection.phase {
                    self.remove(id);
                }
            }
        }
        true
    }

    /// A first frame for which there is no room (`Busy`), or whose connection the program has refused (`Refused`).
    pub(super) fn answer_ended(&mut self, from: SocketAddr, len: usize, to: Label, why: Ending) {
        let control = Control::Ended { to, why, words: Words::default() };
        if self.may_answer(from) {
            self.answer(from, len, &control);
        }
    }

    /// A frame with a label of a connection that was refused; whether that is the answer.
    pub(super) fn refuse_again(&mut self, from: SocketAddr, len: usize, label: Label) -> bool {
        let found = self.refusals.labelled(from, label, self.time).cloned();
        self.repeat(from, len, found)
    }

    /// The same of a first frame of such a connection.
    pub(super) fn refuse_first_again(&mut self, peer: &Peer, len: usize, who: &Identification) -> bool {
        let found = self.refusals.begun(peer, who.incarnation, self.time).cloned();
        let found = found.map(|refusal| Refusal { to: who.label(), ..refusal });
        self.repeat(peer.address, len, found)
    }

    fn repeat(&mut self, from: SocketAddr, len: usize, refusal: Option<Refusal>) -> bool {
        let Some(Refusal { to, words, is_proven, .. }) = refusal else { return false };
        let is_identified = Preamble::read(self.stepper.frame(len)).is_some_and(|preamble| preamble.identified);
        // As an answer to a short frame the text might be cut; what is answered with *unknown* comes back identified.
        if !is_proven && !is_identified {
            return false;
        }
        let room = if is_proven { usize::MAX } else { len };
        if to.cookie != 0 && self.may_answer(from) {
            self.answer(from, room, &Control::Ended { to, why: Ending::Refused, words });
        }
        true
    }
}

fn check(words: &Words) -> Result<(), Error> {
    match words.text.len() {
        0..=WORDS_MAX => Ok(()),
        len => Err(Error::Invalid(format!("the text has {len} bytes; at most {WORDS_MAX} are sent"))),
    }
}
