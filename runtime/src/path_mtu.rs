//! Finds how long a frame may be on the way to a peer, by probes (datagram packetization-layer path MTU discovery,
//! RFC 8899).
//!
//! A probe is a ping that is padded to a length and must not be fragmented; its pong shows that this length arrives. A
//! probe that is lost three times, while the peer is heard otherwise, is too long. What was found is confirmed while
//! frames are sent (a path may change to one that drops long frames silently, a *black hole*), and longer ones are
//! tried from time to time. Reports of routers (ICMP) are not needed, and not believed: they can be forged.

use crate::clock::SECOND;
use crate::ffi::NEVER;

/// What nearly every path carries (BASE_PLPMTU of RFC 8899): stacks with shorter frames need no probes.
const BASE: usize = 1200;
/// What every path carries: 576 bytes less the headers of IP and UDP with options.
const LEAST: usize = 500;
/// The search ends when it is certain to so many bytes.
const GRAIN: usize = 16;
/// Probes of one length before it counts as too long.
const TRIES: u32 = 3;
/// A probe is answered in this time, or is lost. A connection is not probed before it is so old: many are short.
const ANSWER_NS: u64 = SECOND;
/// While the peer is not heard at all, nothing is known of the path, and the time between probes grows up to this.
const ANSWER_MAX_NS: u64 = 16 * SECOND;
/// The path is confirmed so often while frames are sent.
const CONFIRM_NS: u64 = 15 * SECOND;
/// Longer frames are tried so long after the search (PMTU_RAISE_TIMER of RFC 8899).
const RAISE_NS: u64 = 600 * SECOND;

/// The search of one connection. Lengths are bytes of UDP payload.
#[derive(Debug)]
pub(crate) struct PathMtu {
    /// The longest frame of the stack; 0: no search.
    limit: usize,
    /// The longest that arrived; 0: none yet.
    carried: usize,
    /// The shortest that was lost; above the limit: none.
    lost: usize,
    probe: Option<Probe>,
    /// When the next probe leaves if none is under way.
    next_at: u64,
    /// When longer frames are tried again.
    raise_at: u64,
    /// Frames that the connection had sent when the path was confirmed last.
    frames: u64,
}

/// A length that is being tried.
#[derive(Debug)]
struct Probe {
    length: usize,
    token: u64,
    /// Probes that were lost while the peer was heard.
    missed: u32,
    sent_at: u64,
    /// How long an answer is waited for.
    wait: u64,
}

/// The state of the connection that a search looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub now: u64,
    /// When the peer was heard last.
    pub heard_at: u64,
    /// Frames that were sent.
    pub frames: u64,
}

impl PathMtu {
    /// A search for a stack with frames of this length.
    pub(crate) fn new(frame_max: usize) -> PathMtu {
        let limit = if frame_max > BASE { frame_max.min(LONGEST) } else { 0 };
        PathMtu { limit, carried: 0, lost: limit + 1, probe: None, next_at: 0, raise_at: NEVER, frames: 0 }
    }

    /// What the path carries, once that is known.
    pub(crate) fn known(&self) -> Option<usize> {
        (self.carried > 0 && self.is_settled()).then_some(self.carried)
    }

    /// Whether nothing was heard since the last probe: then only an answer to something shorter tells whether the path
    /// is at fault.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.probe.as_ref().is_some_and(|probe| probe.wait > ANSWER_NS)
    }

    /// When [`PathMtu::probe`] is to be called.
    pub(crate) fn deadline(&self) -> u64 {
        match &self.probe {
            _ if self.limit == 0 => NEVER,
            Some(probe) => probe.sent_at.saturating_add(probe.wait),
            None => self.next_at,
        }
    }

    /// Does what is due; returns the length and the token of a probe to send.
    pub(crate) fn probe(&mut self, seen: Seen, token: u64) -> Option<(usize, u64)> {
        if seen.now < self.deadline() {
            return None;
        }
        if self.next_at == 0 {
            self.next_at = seen.now + ANSWER_NS;
            return None;
        }
        if let Some(probe) = &mut self.probe {
            let heard = seen.heard_at >= probe.sent_at;
            probe.missed += u32::from(heard);
            probe.wait = if heard { ANSWER_NS } else { (probe.wait * 2).min(ANSWER_MAX_NS) };
            if probe.missed >= TRIES {
                let length = probe.length;
                self.probe = None;
                self.was_lost(length, seen);
            }
        }
        if self.probe.is_none() {
            let length = self.next_length(seen)?;
            self.probe = Some(Probe { length, token, missed: 0, sent_at: 0, wait: ANSWER_NS });
        }
        let probe = self.probe.as_mut()?;
        probe.sent_at = seen.now;
        Some((probe.length, probe.token))
    }

    /// The peer has answered a probe; whether it was the one under way.
    pub(crate) fn arrived(&mut self, token: u64, seen: Seen) -> bool {
        let Some(probe) = self.probe.take_if(|probe| probe.token == token) else {
            return false;
        };
        self.carried = self.carried.max(probe.length);
        self.lost = self.lost.max(self.carried + 1);
        self.settle(seen);
        true
    }

    /// The system itself knows that the probe under way is too long for the way to the peer.
    pub(crate) fn cannot_leave(&mut self, seen: Seen) {
        if let Some(probe) = self.probe.take() {
            self.was_lost(probe.length, seen);
        }
    }

    fn was_lost(&mut self, length: usize, seen: Seen) {
        self.lost = self.lost.min(length);
        if length <= self.carried {
            // It did arrive once: the path has changed.
            self.carried = 0;
            self.raise_at = NEVER;
        }
        self.settle(seen);
    }

    /// When to go on.
    fn settle(&mut self, seen: Seen) {
        self.next_at = seen.now;
        if self.is_settled() {
            self.frames = seen.frames;
            self.next_at = seen.now + CONFIRM_NS;
            // A path that is merely confirmed does not put it off.
            self.raise_at = match self.raise_at {
                _ if self.carried == self.limit => NEVER,
                NEVER => seen.now + RAISE_NS,
                at => at,
            };
        }
    }

    fn is_settled(&self) -> bool {
        let unknown = self.lost - self.carried.max(LEAST).min(self.lost);
        self.carried == self.limit || unknown <= GRAIN
    }

    /// The length to try now; None: nothing is to be done at present.
    fn next_length(&mut self, seen: Seen) -> Option<usize> {
        if self.is_settled() && seen.now >= self.raise_at {
            self.lost = self.limit + 1;
            self.raise_at = NEVER;
        }
        if !self.is_settled() {
            let from = self.carried.max(LEAST);
            return Some(match self.carried {
                _ if self.lost > self.limit => self.limit,
                0 if self.lost > BASE => BASE,
                _ => from + (self.lost - from) / 2,
            });
        }
        self.next_at = seen.now + CONFIRM_NS;
        (self.carried > 0 && seen.frames != self.frames).then_some(self.carried)
    }
}

/// The longest payload of UDP over IPv4.
const LONGEST: usize = 65_507;

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets time pass over a path that carries frames up to a length; the peer is heard every second if it is `there`.
    /// Returns the number of probes.
    fn passes(search: &mut PathMtu, now: &mut u64, path: usize, seconds: u64, there: bool) -> u32 {
        let (end, mut probes) = (*now + seconds * SECOND, 0);
        while *now < end {
            let heard_at = if there { *now } else { 0 };
            let seen = Seen { now: *now, heard_at, frames: *now };
            if let Some((length, token)) = search.probe(seen, *now) {
                probes += 1;
                if length <= path && there {
                    search.arrived(token, seen);
                }
            }
            *now += SECOND / 4;
        }
        probes
    }

    #[test]
    fn length_of_every_path_is_found_to_a_few_bytes() {
        for limit in [1201, 1452, 1472, 9000, 65_507] {
            for path in (LEAST + 20..limit + 100).step_by(61) {
                let (mut search, mut now) = (PathMtu::new(limit), 1);
                let probes = passes(&mut search, &mut now, path, 120, true);
                let known = search.known().unwrap_or_else(|| panic!("nothing is known of {path}"));
                assert!(known <= path.min(limit) && known + GRAIN >= path.min(limit), "{known} of {path}, {limit}");
                assert!(probes <= 50, "{probes} probes for {path} of {limit}");
                if path >= limit {
                    assert_eq!((known, probes <= 9), (limit, true), "{probes}");
                }
            }
        }
    }

    #[test]
    fn short_frames_are_not_probed() {
        let (mut search, mut now) = (PathMtu::new(BASE), 1);
        assert_eq!(passes(&mut search, &mut now, 100, 1000, true), 0);
        assert_eq!((search.known(), search.deadline()), (None, NEVER));
    }

    #[test]
    fn path_that_drops_long_frames_later_is_noticed_and_one_that_recovers_too() {
        let (mut search, mut now) = (PathMtu::new(1452), 1);
        passes(&mut search, &mut now, 1500, 60, true);
        assert_eq!(search.known(), Some(1452));
        passes(&mut search, &mut now, 1300, 60, true);
        let known = search.known().expect("it is found again");
        assert!((1300 - GRAIN..=1300).contains(&known), "{known}");
        passes(&mut search, &mut now, 1500, 300, true);
        assert_eq!(search.known(), Some(known), "not tried yet");
        passes(&mut search, &mut now, 1500, 400, true);
        assert_eq!(search.known(), Some(1452));
    }

    #[test]
    fn silence_of_the_peer_says_nothing_of_the_path() {
        let (mut search, mut now) = (PathMtu::new(1452), 1);
        passes(&mut search, &mut now, 1500, 10, true);
        let probes = passes(&mut search, &mut now, 1500, 600, false);
        assert_eq!(search.known(), Some(1452));
        assert!((10..60).contains(&probes), "{probes}");
        passes(&mut search, &mut now, 1500, 60, true);
        assert_eq!(search.known(), Some(1452));
    }

    #[test]
    fn idle_connections_are_not_probed_again_and_others_answers_are_ignored() {
        let mut search = PathMtu::new(1452);
        let seen = |now: u64| Seen { now: now * SECOND, heard_at: now * SECOND, frames: 7 };
        assert_eq!(search.probe(seen(1), 1), None, "a new connection");
        assert_eq!(search.probe(seen(2), 2), Some((1452, 2)));
        assert!(!search.arrived(3, seen(2)) && search.arrived(2, seen(2)) && !search.arrived(2, seen(2)));
        for now in 3..2000 {
            assert_eq!(search.probe(seen(now), now), None);
        }
    }
}
