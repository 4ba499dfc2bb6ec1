//! The events and datagrams of the hosts, and the rules about single events.

use nacre_runtime::{ConnectionId, Event, Reason};

use crate::half::Half;
use crate::host::Host;
use crate::message::read;
use crate::rule::{Broken, Rule};
use crate::world::{Datagram, World, HOSTS};

/// An event, without what it lends.
enum Seen {
    Arrived(std::net::SocketAddr),
    Opened,
    Delivered(Vec<u8>),
    Writable,
    Closed(Reason),
}

impl World<'_> {
    /// Takes the events and the datagrams of both hosts.
    ///
    /// # Errors
    /// The rule that an event violates.
    pub fn after(&mut self) -> Result<(), Broken> {
        for host in HOSTS {
            let mut opened = vec![];
            while let Some((id, seen)) = self.next_event(host) {
                opened.extend(matches!(seen, Seen::Opened).then_some(id));
                self.event(host, id, seen)?;
            }
            opened.into_iter().try_for_each(|id| self.check_older(host, id))?;
            self.check_shared(host)?;
            self.check_claims(host)?;
            for (to, bytes) in self.hosts[host].core.take_datagrams() {
                let entry = self.trace.sent(self.now, host, self.sent, &bytes);
                self.sent += 1;
                let from = self.hosts[host].address;
                // What is sent to a stranger, or to where nobody is any more, is lost.
                if self.at(to).is_some() {
                    self.datagrams.push(Datagram { to, from, bytes, sent: self.now, arrived: 0, entry });
                }
            }
        }
        Ok(())
    }

    fn next_event(&mut self, host: usize) -> Option<(ConnectionId, Seen)> {
        loop {
            return Some(match self.hosts[host].core.next_event()? {
                Event::Arrived { connection, from, .. } => (connection, Seen::Arrived(from)),
                Event::Opened { connection, .. } => (connection, Seen::Opened),
                Event::Delivered { connection, message, .. } => (connection, Seen::Delivered(message.to_vec())),
                Event::Writable { connection } => (connection, Seen::Writable),
                Event::Closed { connection, reason, .. } => (connection, Seen::Closed(reason)),
                Event::Other { .. } | Event::OtherStack(_) | Event::Error { .. } | Event::Moved { .. } => continue,
            });
        }
    }

    fn event(&mut self, host: usize, id: ConnectionId, seen: Seen) -> Result<(), Broken> {
        let now = self.now;
        if let Seen::Arrived(from) = seen {
            let half = self.arrival(host, id, from);
            let number = half.number;
            self.trace.note(now, host, || format!("◀ connection {number} has arrived"));
            return match self.hosts[host].halves.insert(id, half) {
                Some(_) => Err(Broken { rule: Rule::Known, host, number }),
                None => Ok(()),
            };
        }
        let Host { halves, has_other, .. } = &mut self.hosts[host];
        let Some(half) = halves.get_mut(&id) else { return Err(Broken { rule: Rule::Known, host, number: 0 }) };
        let number = half.number;
        let checked = match seen {
            Seen::Arrived(_) => Ok(()),
            Seen::Writable if half.ended => Err(Rule::End),
            Seen::Writable => Ok(()),
            Seen::Opened => {
                self.trace.note(now, host, || format!("◀ connection {number} is opened"));
                half.opens()
            }
            Seen::Delivered(bytes) => {
                self.looked.messages += 1;
                match read(&bytes) {
                    None if self.subject.service.intact => Err(Rule::Sent),
                    None => Ok(()),
                    Some(tag) => {
                        self.trace.note(now, host, || {
                            let from = format!("message {} of connection {}", tag.position, tag.number);
                            format!("◀ connection {number} delivers {from}")
                        });
                        let has_other = *has_other;
                        let received = half.receives(host, tag, self.subject.service);
                        let half = half.clone();
                        received.and_then(|()| self.check_sender(&half, tag.number, has_other))
                    }
                }
            }
            Seen::Closed(reason) => {
                self.trace.note(now, host, || format!("◀ connection {number} has ended: {reason}"));
                let ended = half.ends();
                let half = half.clone();
                ended.and_then(|()| self.check_end(host, &half, reason))
            }
        };
        checked.map_err(|rule| Broken { rule, host, number })
    }

    /// A message comes from a half with the same stack that does not mean another one.
    fn check_sender(&mut self, half: &Half, from: u16, has_other: bool) -> Result<(), Rule> {
        let Some(origin) = self.origins.get_mut(usize::from(from).wrapping_sub(1)) else { return Err(Rule::Sent) };
        if !half.strange {
            origin.delivered = origin.delivered.max(half.arrived.len() as u8);
        }
        if origin.has_other != has_other {
            return Err(Rule::SameStack);
        }
        let is_meant = origin.peer.is_none_or(|peer| peer == half.number);
        self.origins[usize::from(half.number) - 1].peer.get_or_insert(from);
        match is_meant || !half.is_sure() {
            true => Ok(()),
            false => Err(Rule::Meant),
        }
    }

    /// A half ends in order, or for a reason.
    fn check_end(&self, host: usize, half: &Half, reason: Reason) -> Result<(), Rule> {
        let is_settled = self.settles_at.is_some_and(|at| self.now >= at);
        // What a late first frame has begun is never opened.
        let is_wrong = match reason {
            Reason::Closed if half.closing => return self.check_whole(half),
            Reason::Restarted => !half.strange,
            Reason::Unknown | Reason::OtherStack | Reason::Busy | Reason::Exhausted => half.is_sure(),
            Reason::Timeout => is_settled && half.is_sure(),
            Reason::Closed | Reason::Incomplete | Reason::Refused | Reason::Unreachable => false,
        };
        let mut others = self.hosts[1 - host].live().map(|(_, other)| other);
        let origin = &self.origins[usize::from(half.number) - 1];
        // A host that has moved is silent, and known nowhere.
        let lives = |other: &Half| {
            let is_known = half.peer == Some(other.number) || origin.begun_by == Some(other.number);
            is_known || other.opened && self.are_halves(half.number, other.number)
        };
        match is_wrong && self.moves == 0 && others.any(lives) {
            true => Err(Rule::Unfounded),
            false => Ok(()),
        }
    }

    /// A half that was closed, and whose peer was not, has ended in order: everything that it sent has arrived.
    fn check_whole(&self, half: &Half) -> Result<(), Rule> {
        let origin = &self.origins[usize::from(half.number) - 1];
        match self.subject.service.arrives && !self.is_closed_by_peer(half) && origin.delivered < half.sent {
            true => Err(Rule::Whole),
            false => Ok(()),
        }
    }

    /// Whether the application of the peer has closed the other half.
    fn is_closed_by_peer(&self, half: &Half) -> bool {
        let mut numbers = 1..=self.origins.len() as u16;
        numbers.any(|number| self.origins[usize::from(number) - 1].closed && self.are_halves(number, half.number))
    }

    /// When a connection that the peer began is opened, those from before the peer's restart have ended. One that an
    /// application has closed ends in order, or by silence.
    fn check_older(&self, host: usize, id: ConnectionId) -> Result<(), Broken> {
        let halves = &self.hosts[host].halves;
        let Some(new) = halves.get(&id).filter(|half| half.begun_by_peer) else { return Ok(()) };
        let is_older = |half: &&Half| {
            let same = half.identity == new.identity && half.with == new.with;
            let is_left = half.begun_by_peer && !half.strange && !half.ended && same && half.number < new.number;
            is_left && !half.closing && !self.is_closed_by_peer(half)
        };
        match halves.values().find(is_older) {
            Some(older) => Err(Broken { rule: Rule::Older, host, number: older.number }),
            None => Ok(()),
        }
    }

    /// Two connections of one life of a host do not deliver messages of the same one.
    fn check_shared(&self, host: usize) -> Result<(), Broken> {
        let halves: Vec<&Half> = self.hosts[host].halves.values().filter(|half| !half.strange).collect();
        for (at, one) in halves.iter().enumerate().filter(|(_, half)| half.peer.is_some()) {
            let shares =
                |other: &&&Half| other.peer == one.peer && (other.with == one.with || other.opened && one.opened);
            if let Some(other) = halves[at + 1..].iter().find(shares) {
                return Err(Broken { rule: Rule::Shared, host, number: other.number });
            }
        }
        Ok(())
    }

    /// No claim of a stack is violated at a connection that has not ended.
    fn check_claims(&self, host: usize) -> Result<(), Broken> {
        let Host { core, halves, .. } = &self.hosts[host];
        let names = self.subject.stack.counters();
        let counted = names.iter().enumerate().filter(|(_, name)| ["broken", "bound"].contains(&name.as_str()));
        for (at, _) in counted {
            let is_broken = |id| core.counters(id).is_some_and(|counters| counters[at] > 0);
            if let Some((_, half)) = halves.iter().find(|(id, _)| is_broken(**id)) {
                return Err(Broken { rule: Rule::Claim, host, number: half.number });
            }
        }
        Ok(())
    }
}
