//! The end of a run: the network loses nothing any more, and everything settles.

use nacre_runtime::ConnectionId;

use crate::half::Half;
use crate::names::{CLIENT, SERVER};
use crate::rule::{Broken, Rule};
use crate::world::{World, HOSTS, SECOND};

/// Within these seconds of a network that works, each end knows whether the other has lost the connection.
const NOTICED: u64 = 15;
/// Within these more, a connection that nobody confirmed has ended, and one whose peer is silent.
const FORGOTTEN: u64 = 45;
/// Within these seconds, a message arrives.
const REACHED: u64 = 40;
/// Seconds in which a host sends so that its peer shows itself, where not everything arrives.
const CHAT: u64 = 10;

impl World<'_> {
    /// Lets everything settle.
    ///
    /// # Errors
    /// The rule that what remains violates.
    pub fn settle(&mut self) -> Result<(), Broken> {
        self.trace.note(self.now, CLIENT, || "the network loses nothing any more".into());
        let other = HOSTS.into_iter().find(|host| self.hosts[*host].has_other && !self.hosts[1 - *host].has_other);
        if let Some(host) = other {
            self.quiet(NOTICED + FORGOTTEN)?;
            HOSTS.into_iter().try_for_each(|host| self.check_ended(host))?;
            self.restart(host, false);
        }
        self.settles_at = Some(self.now + NOTICED * SECOND);
        self.quiet(NOTICED)?;
        if self.moves == 0 {
            HOSTS.into_iter().try_for_each(|host| self.check_halves(host, |half| half.opened))?;
        }
        self.quiet(FORGOTTEN)?;
        if !self.subject.service.arrives {
            self.chat()?;
        }
        HOSTS.into_iter().try_for_each(|host| self.check_halves(host, |_| true))?;
        self.reach()
    }

    /// No connection of hosts with different stacks remains.
    fn check_ended(&self, host: usize) -> Result<(), Broken> {
        let remains = |half: &&Half| half.opened || half.sent > 0 || half.peer.is_some();
        match self.hosts[host].live().map(|(_, half)| half).find(remains) {
            Some(half) => Err(Broken { rule: Rule::Incompatible, host, number: half.number }),
            None => Ok(()),
        }
    }

    /// The connections that have not ended have another half, which everything has reached that was sent.
    fn check_halves(&self, host: usize, which: impl Fn(&Half) -> bool) -> Result<(), Broken> {
        for (_, half) in self.hosts[host].live().filter(|(_, half)| which(half)) {
            let broken = |rule| Err(Broken { rule, host, number: half.number });
            if half.strange {
                return broken(Rule::Stranger);
            }
            // A half that has sent nothing does not know whether there is a peer.
            if half.sent == 0 && half.peer.is_none() && !half.begun_by_peer {
                continue;
            }
            let mut others = self.hosts[1 - host].live().map(|(_, other)| other).filter(|other| !other.strange);
            let Some(other) = others.find(|other| self.are_halves(half.number, other.number)) else {
                return broken(Rule::Half);
            };
            if self.subject.service.arrives && other.arrived.len() < usize::from(half.sent) {
                return broken(Rule::Arrival);
            }
        }
        Ok(())
    }

    /// Both hosts send on each connection, so that each half shows itself to the other one.
    fn chat(&mut self) -> Result<(), Broken> {
        for _ in 0..CHAT {
            for host in HOSTS {
                let open = self.hosts[host].live().filter(|(_, half)| half.is_open());
                for id in open.map(|(id, _)| id).collect::<Vec<_>>() {
                    self.send(host, id);
                }
            }
            self.quiet(1)?;
        }
        Ok(())
    }

    /// The client sends another message to the server, on its connection or on a new one.
    fn reach(&mut self) -> Result<(), Broken> {
        let broken = |number| Err(Broken { rule: Rule::Reach, host: CLIENT, number });
        let open = |world: &World| {
            let mut live = world.hosts[CLIENT].live();
            live.find(|(_, half)| half.is_open()).map(|(id, half)| (id, half.number))
        };
        if open(self).is_none() {
            // What is still closing is left alone.
            self.hosts[CLIENT].halves.values_mut().for_each(|half| half.ended = true);
            if self.connect().is_err() {
                return broken(0);
            }
        }
        let Some((id, number)) = open(self) else { return broken(0) };
        let (before, arrives) = (self.arrived(number), self.subject.service.arrives);
        let mut accepted = false;
        for _ in 0..REACHED {
            self.quiet(1)?;
            let sent =
                |world: &World, id: &ConnectionId| world.hosts[CLIENT].halves.get(id).map_or(0, |half| half.sent);
            if !accepted || !arrives {
                let earlier = sent(self, &id);
                self.send(CLIENT, id);
                accepted |= sent(self, &id) > earlier;
                self.after()?;
            }
            if self.arrived(number) > before {
                return Ok(());
            }
        }
        // A stack that accepts nothing waits for grants, and one that promises no arrival may lose everything.
        match accepted && (arrives || self.looked.messages > 0) {
            true => broken(number),
            false => Ok(()),
        }
    }

    /// The messages of a connection that have arrived at the server.
    fn arrived(&self, number: u16) -> usize {
        let halves = self.hosts[SERVER].halves.values();
        halves.filter(|half| half.peer == Some(number)).map(|half| half.arrived.len()).max().unwrap_or(0)
    }

    /// Seconds of a network that loses nothing: each datagram arrives once, in order, unless it has arrived.
    fn quiet(&mut self, seconds: u64) -> Result<(), Broken> {
        let until = self.now + seconds * SECOND;
        loop {
            self.after()?;
            match self.datagrams.iter().position(|datagram| datagram.arrived == 0 && self.at(datagram.to).is_some()) {
                Some(at) => self.deliver(at),
                None if self.now >= until => return Ok(()),
                None => {
                    self.datagrams.clear();
                    self.advance(until);
                }
            }
        }
    }
}
