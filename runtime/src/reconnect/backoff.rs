//! How long to wait before a connection is begun again, and how often.

use crate::clock::nanoseconds;
use crate::error::{Reason, Words};
use crate::random::Random;
use std::time::Duration;

/// How long and how often a lost connection is begun again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The first pause. Each further one is twice as long. Half of a pause is drawn at random, so that the clients of a
    /// server that has restarted do not come back together.
    pub first: Duration,
    /// The longest pause.
    pub most: Duration,
    /// The number of attempts after which the connection is given up; None: no limit. A connection that is lost again
    /// within the last pause, such as one that is refused each time, counts as an attempt that has failed.
    pub tries: Option<u32>,
    /// The time since the first loss of these after which no attempt is begun any more; None: no limit.
    pub total: Option<Duration>,
    /// Codes of refusals that are not final. Any other refusal is.
    pub again_on: Vec<u32>,
}

impl Default for Backoff {
    /// From half a second to half a minute, without end.
    fn default() -> Backoff {
        let (first, most) = (Duration::from_millis(500), Duration::from_secs(30));
        Backoff { first, most, tries: None, total: None, again_on: Vec::new() }
    }
}

impl Backoff {
    /// Whether a connection that has ended so is begun again.
    pub fn is_lost(&self, reason: Reason, words: Option<&Words>) -> bool {
        match reason {
            Reason::Unreachable
            | Reason::Unknown
            | Reason::Timeout
            | Reason::Restarted
            | Reason::Exhausted
            | Reason::Busy => true,
            Reason::Refused => words.is_some_and(|words| self.again_on.contains(&words.code)),
            Reason::Closed | Reason::OtherStack | Reason::Incomplete => false,
        }
    }
}

/// The next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// 1 for the first one.
    pub attempt: u32,
    /// In nanoseconds.
    pub length: u64,
}

/// The attempts since a loss. Times are those of any one clock, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Retries {
    /// Attempts, and so pauses, since the connection was open for longer than the last pause.
    attempts: u32,
    last: u64,
    lost_at: u64,
    opened_at: Option<u64>,
}

impl Retries {
    /// A connection was opened.
    pub fn note_opened(&mut self, now: u64) {
        self.opened_at = Some(now);
    }

    /// The connection was lost, or an attempt has failed: the next one. None: no more.
    pub fn next(&mut self, backoff: &Backoff, now: u64, random: &mut Random) -> Option<Pause> {
        if let Some(opened_at) = self.opened_at.take() {
            // A server that opens connections and loses them at once is not asked more and more often.
            if now.saturating_sub(opened_at) > self.last {
                self.attempts = 0;
            }
        }
        if self.attempts == 0 {
            self.lost_at = now;
        }
        let whole =
            nanoseconds(backoff.first).saturating_mul(1 << self.attempts.min(40)).min(nanoseconds(backoff.most));
        let length = whole - random.below(whole / 2 + 1);
        let is_late = |total| (now - self.lost_at).saturating_add(length) > nanoseconds(total);
        if backoff.tries.is_some_and(|tries| self.attempts >= tries) || backoff.total.is_some_and(is_late) {
            return None;
        }
        self.attempts = self.attempts.saturating_add(1);
        self.last = length;
        Some(Pause { attempt: self.attempts, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn lengths(backoff: &Backoff, count: usize) -> Vec<u64> {
        let (mut retries, mut random) = (Retries::default(), Random::new(1));
        let pauses = (0..count).map_while(|_| retries.next(backoff, 0, &mut random));
        pauses.map(|pause| pause.length).collect()
    }

    #[test]
    fn pauses_grow_to_the_longest_and_half_of_each_is_drawn() {
        let backoff = Backoff { first: Duration::from_secs(1), most: Duration::from_secs(9), ..Backoff::default() };
        let found = lengths(&backoff, 100);
        for (length, most) in found.iter().zip([1, 2, 4, 8, 9, 9].into_iter().chain(std::iter::repeat(9))) {
            assert!((most * SECOND / 2..=most * SECOND).contains(length), "{length} of {most} s");
        }
        assert_ne!(found[50], found[51]);
    }

    #[test]
    fn tries_and_total_time_are_limits() {
        let few = Backoff { tries: Some(3), ..Backoff::default() };
        assert_eq!(lengths(&few, 100).len(), 3);
        assert_eq!(lengths(&Backoff { tries: Some(0), ..Backoff::default() }, 100).len(), 0);
        let mut retries = Retries::default();
        let short = Backoff { total: Some(Duration::from_secs(10)), ..Backoff::default() };
        let mut random = Random::new(1);
        assert!(retries.next(&short, 5 * SECOND, &mut random).is_some());
        assert!(retries.next(&short, 10 * SECOND, &mut random).is_some());
        assert!(retries.next(&short, 15 * SECOND, &mut random).is_none());
        retries.note_opened(20 * SECOND);
        assert!(retries.next(&short, 21 * SECOND, &mut random).is_some_and(|pause| pause.attempt == 1));
    }

    #[test]
    fn connection_that_is_lost_at_once_again_does_not_shorten_the_pause() {
        let backoff = Backoff { first: Duration::from_secs(1), ..Backoff::default() };
        let (mut retries, mut random) = (Retries::default(), Random::new(1));
        let mut now = 0;
        for n in 0..4 {
            let pause = retries.next(&backoff, now, &mut random).expect("no limit");
            assert!(pause.length >= SECOND << n >> 1 && pause.attempt == n + 1);
            now += pause.length;
            retries.note_opened(now);
            now += 1;
        }
        now += 60 * SECOND;
        let pause = retries.next(&backoff, now, &mut random).expect("no limit");
        assert!(pause.length <= SECOND && pause.attempt == 1);
        // The limits count such attempts.
        let few = Backoff { tries: Some(3), ..backoff };
        let (mut retries, mut attempts) = (Retries::default(), 0);
        while let Some(pause) = retries.next(&few, now, &mut random) {
            now += pause.length;
            retries.note_opened(now);
            now += 1;
            attempts += 1;
        }
        assert_eq!(attempts, 3);
    }

    #[test]
    fn orders_of_the_peer_are_final() {
        let backoff = Backoff { again_on: vec![7], ..Backoff::default() };
        let words = |code| Words { code, text: String::new() };
        for reason in [Reason::Timeout, Reason::Unknown, Reason::Restarted, Reason::Unreachable, Reason::Busy] {
            assert!(backoff.is_lost(reason, None), "{reason}");
        }
        for reason in [Reason::Closed, Reason::OtherStack, Reason::Incomplete, Reason::Refused] {
            assert!(!backoff.is_lost(reason, Some(&words(1))), "{reason}");
        }
        assert!(backoff.is_lost(Reason::Refused, Some(&words(7))));
    }
}
