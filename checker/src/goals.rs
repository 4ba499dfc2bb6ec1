//! Liveness: from every state that is not excused, moves other than faults lead to a state in which the goal holds.
//!
//! In a finite world, this is equivalent to "infinitely often" under strong fairness: a move other than a fault that is
//! enabled infinitely often is made infinitely often. A run that visits a state infinitely often then makes the first
//! move of a path from it to the goal infinitely often, then the second, and so on. So it suffices that each state has
//! such a path. If states are excused (the layer may give up the connection), a fair run reaches either an excused
//! state or the goal infinitely often.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How many edges a thread follows before it looks whether the search was ended.
const CHUNK: usize = 1 << 18;
/// With fewer edges, starting threads costs more than it saves.
const FEW: usize = 1 << 12;

/// An edge to a state, by the numbers of both.
pub type Edge = (u32, u32);

/// The goals of all states, which are numbered over the shards in turn.
pub struct Goals<'a> {
    /// Two bits for each goal of each shard's states. Low half: the goal holds, or is reached by moves other than
    /// faults; high half: it is excused.
    pub bits: Vec<&'a [AtomicU64]>,
    pub count: usize,
    /// Ends the search when set.
    pub stop: &'a AtomicBool,
}

impl Goals<'_> {
    /// Returns the first state (of least depth) from which a goal cannot be reached, and the goal; an error if the
    /// search was ended. `edges`: the moves other than faults, in the order of the search, in lists followed in
    /// parallel. Most lead to states found later, so that the first sweep, which begins with the last, decides nearly
    /// all; lists of the predecessors of each state would take more memory than the states.
    pub fn first_without(&self, edges: &[&[Edge]], depth: &dyn Fn(u32) -> u32) -> Result<Option<(u32, usize)>, ()> {
        let mut backward = true;
        while self.sweep(edges, backward) {
            backward = !backward;
        }
        if self.stop.load(Ordering::Relaxed) {
            return Err(());
        }
        let shards = self.bits.len() as u32;
        let states = self.bits.iter().zip(0..).flat_map(|(bits, shard)| {
            bits.iter().zip(0..).map(move |(bits, at): (_, u32)| (at * shards + shard, bits.load(Ordering::Relaxed)))
        });
        let missed = states.filter_map(|(state, bits)| {
            let missed = !(bits | bits >> 32) & self.all();
            (missed != 0).then(|| (state, missed.trailing_zeros() as usize))
        });
        Ok(missed.min_by_key(|(state, goal)| (depth(*state), *goal, *state)))
    }

    /// Every goal.
    fn all(&self) -> u64 {
        u64::MAX >> (64 - self.count.clamp(1, 32))
    }

    fn of(&self, state: u32) -> &AtomicU64 {
        &self.bits[state as usize % self.bits.len()][state as usize / self.bits.len()]
    }

    /// Follows each edge back. Returns whether a goal became known to be reached from one more state.
    fn sweep(&self, edges: &[&[Edge]], backward: bool) -> bool {
        if edges.iter().map(|edges| edges.len()).sum::<usize>() < FEW {
            return edges.iter().fold(false, |changed, edges| self.sweep_list(edges, backward) | changed);
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = edges.iter().map(|edges| scope.spawn(|| self.sweep_list(edges, backward))).collect();
            threads.into_iter().fold(false, |changed, thread| match thread.join() {
                Ok(now) => changed | now,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    fn sweep_list(&self, edges: &[Edge], backward: bool) -> bool {
        let (all, mut changed) = (self.all(), false);
        for step in 0..edges.len() {
            if step % CHUNK == 0 && self.stop.load(Ordering::Relaxed) {
                return false;
            }
            let (from, to) = edges[if backward { edges.len() - 1 - step } else { step }];
            let reached = self.of(to).load(Ordering::Relaxed) & all;
            if reached & !self.of(from).load(Ordering::Relaxed) != 0 {
                self.of(from).fetch_or(reached, Ordering::Relaxed);
                changed = true;
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first state without a way to a goal in a graph.
    fn first(goals: &[&[u64]], edges: &[(u32, u32)], count: usize, depth: fn(u32) -> u32) -> Option<(u32, usize)> {
        let bits: Vec<Vec<AtomicU64>> =
            goals.iter().map(|bits| bits.iter().map(|bits| AtomicU64::new(*bits)).collect()).collect();
        let stop = AtomicBool::new(false);
        let goals = Goals { bits: bits.iter().map(|bits| &bits[..]).collect(), count, stop: &stop };
        let (odd, even): (Vec<Edge>, Vec<Edge>) = edges.iter().partition(|(from, _)| from % 2 == 1);
        goals.first_without(&[&odd, &even], &depth).expect("nobody ends it")
    }

    #[test]
    fn a_state_without_a_way_to_the_goal_is_found() {
        // 0 -> 1 -> 2 (goal) -> 0, and 1 -> 3.
        let goals: &[u64] = &[0, 0, 1, 0];
        let edges = [(0, 1), (1, 2), (2, 0), (1, 3)];
        assert_eq!(first(&[goals], &edges, 1, |s| s), Some((3, 0)));
        let edges = [(0, 1), (1, 2), (2, 0), (1, 3), (3, 2)];
        assert_eq!(first(&[goals], &edges, 1, |s| s), None);
        // Over two shards: 0 and 2 belong to the first shard.
        assert_eq!(first(&[&[0, 1], &[0, 0]], &[(0, 1), (1, 2), (2, 0)], 1, |s| s), Some((3, 0)));
    }

    #[test]
    fn the_nearest_state_is_reported() {
        let goals: &[u64] = &[0, 0, 0, 0];
        assert_eq!(first(&[goals], &[(0, 1)], 1, |s| 10 - s), Some((3, 0)));
        // Two goals: the first holds everywhere except in 1, the second everywhere except in 2, which is nearer.
        let goals: &[u64] = &[3, 2, 1, 3];
        assert_eq!(first(&[goals], &[], 2, |s| 10 - s), Some((2, 1)));
        // Excused.
        let goals: &[u64] = &[3, 2, 1 | 2 << 32, 3];
        assert_eq!(first(&[goals], &[], 2, |s| 10 - s), Some((1, 0)));
    }

    #[test]
    fn ways_are_found_whatever_the_order_of_their_states() {
        // Every order of a path through five states, the goal at its end.
        fn orders(left: &[u32], taken: &[u32], each: &mut dyn FnMut(&[u32])) {
            if left.is_empty() {
                return each(taken);
            }
            for one in left {
                let left: Vec<u32> = left.iter().copied().filter(|other| other != one).collect();
                orders(&left, &[taken, &[*one]].concat(), each);
            }
        }
        let mut seen = 0;
        orders(&[0, 1, 2, 3, 4], &[], &mut |path| {
            let mut goals = [0; 5];
            goals[path[4] as usize] = 1;
            let edges: Vec<(u32, u32)> = path.windows(2).map(|pair| (pair[0], pair[1])).collect();
            assert_eq!(first(&[&goals], &edges, 1, |s| s), None, "{path:?}");
            assert_eq!(first(&[&goals], &edges[..3], 1, |s| s).map(|(_, goal)| goal), Some(0), "{path:?}");
            seen += 1;
        });
        assert_eq!(seen, 120);
    }

    #[test]
    fn many_states_are_shared_by_threads() {
        // Each state leads to one of another shard, before or behind it; the last one of the first shard is the goal.
        let size = 4000;
        let mut bits = [vec![0; size], vec![0; size]];
        bits[0][size - 1] = 1;
        let edges: Vec<(u32, u32)> =
            (0..2 * size as u32 - 2).map(|at| (at, if at % 3 == 2 { at - 2 } else { at + 2 })).collect();
        let shown = first(&[&bits[0], &bits[1]], &edges, 1, |s| s);
        let mut reaches = vec![false; 2 * size];
        reaches[2 * (size - 1)] = true;
        while let Some((from, _)) = edges.iter().find(|(from, to)| !reaches[*from as usize] && reaches[*to as usize]) {
            reaches[*from as usize] = true;
        }
        assert_eq!(shown, reaches.iter().position(|reaches| !reaches).map(|state| (state as u32, 0)));
    }
}
