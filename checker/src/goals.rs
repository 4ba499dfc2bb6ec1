//! Liveness: from every state that is not excused, moves other than faults lead to a state in which the goal holds.
//!
//! In a finite world, this is equivalent to "infinitely often" under strong fairness: a move other than a fault that is
//! enabled infinitely often is made infinitely often. A run that visits a state infinitely often then makes the first
//! move of a path from it to the goal infinitely often, then the second, and so on. So it suffices that each state has
//! such a path. If states are excused (the layer may give up the connection), a fair run reaches either an excused
//! state or the goal infinitely often.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// How many states a thread visits before it looks whether the search was ended.
const CHUNK: usize = 1 << 12;
/// With fewer states, starting threads costs more than it saves.
const FEW: usize = 1 << 10;

/// Enumerates the successors of a state by moves other than faults.
pub trait Follow: Send {
    /// Calls `each` with the number of every successor, until it returns true.
    fn follow(&mut self, from: u32, each: &mut dyn FnMut(u32) -> bool);
}

/// What is known of the goals of one shard's states, in as few bytes as they need.
#[derive(Default)]
pub struct Marks {
    /// The bytes of a state in each of the others, of eight goals each.
    width: usize,
    /// The goal holds, or is reached by moves other than faults.
    met: Vec<AtomicU8>,
    excused: Vec<u8>,
}

impl Marks {
    /// Marks of states with this many goals: 32 at most.
    pub fn of(goals: usize) -> Marks {
        Marks { width: goals.div_ceil(8), met: vec![], excused: vec![] }
    }

    /// Adds a state. Two bits for each goal. Low half: it holds; high half: it is excused.
    pub fn push(&mut self, bits: u64) {
        let [met, excused] = [bits, bits >> 32].map(|half| (half as u32).to_le_bytes());
        self.met.extend(met[..self.width].iter().map(|byte| AtomicU8::new(*byte)));
        self.excused.extend(&excused[..self.width]);
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.met.len() / self.width.max(1)
    }

    /// The bits of a state, as in [`Marks::push`].
    fn of_state(&self, at: usize) -> u64 {
        let places = at * self.width..(at + 1) * self.width;
        let all = |byte: &dyn Fn(usize) -> u8| places.clone().rev().fold(0, |all, at| all << 8 | u64::from(byte(at)));
        all(&|at| self.met[at].load(Ordering::Relaxed)) | all(&|at| self.excused[at]) << 32
    }

    /// Notes that goals of a state are met.
    fn meet(&self, at: usize, goals: u64) {
        for (byte, met) in goals.to_le_bytes()[..self.width].iter().zip(&self.met[at * self.width..]) {
            met.fetch_or(*byte, Ordering::Relaxed);
        }
    }
}

/// The goals of all states, which are numbered over the shards in turn.
pub struct Goals<'a> {
    pub marks: Vec<&'a Marks>,
    pub count: usize,
    /// Ends the search when set.
    pub stop: &'a AtomicBool,
}

/// States that a thread visits, in this order.
type Visit<'a> = Box<dyn ExactSizeIterator<Item = u32> + Send + 'a>;

/// The open goals of a state, by its bits.
type Open = fn(u64) -> u64;

/// The states of which a goal stays open after a visit, and whether it found a goal for some state.
type Left = (Vec<u32>, bool);

impl Goals<'_> {
    /// Returns the first state (of least depth) from which a goal cannot be reached, and the goal; an error if the
    /// search was ended. `followers`: one for each shard.
    ///
    /// Edges are not stored, as they would take more memory than the states: successors are computed again, for the
    /// states of which a goal is open. Most moves lead to states found later, so the first sweep, which begins with
    /// the last state, decides nearly all. Each further sweep visits what is left, in the opposite order.
    pub fn first_without(
        &self,
        followers: &mut [impl Follow],
        depth: &dyn Fn(u32) -> u32,
    ) -> Result<Option<(u32, usize)>, ()> {
        // Ways through states that are excused themselves are rarely needed, and often there is none.
        if self.open_states(followers, |bits| !(bits | bits >> 32))?.is_empty() {
            return Ok(None);
        }
        let open = self.open_states(followers, |bits| !bits)?.into_iter();
        let missed = open.filter_map(|state| {
            let bits = self.of(state);
            let missed = !(bits | bits >> 32) & self.all();
            (missed != 0).then(|| (state, missed.trailing_zeros() as usize))
        });
        Ok(missed.min_by_key(|(state, goal)| (depth(*state), *goal, *state)))
    }

    /// Visits the states of which a goal is open, until nothing changes; returns those of which one stays open.
    fn open_states(&self, followers: &mut [impl Follow], open: Open) -> Result<Vec<u32>, ()> {
        let shards = self.marks.len();
        let numbers = |shard: usize| (0..self.marks[shard].len()).rev().map(move |at| (at * shards + shard) as u32);
        let mut visits: Vec<Visit> = (0..shards).map(|shard| Box::new(numbers(shard)) as Visit).collect();
        loop {
            let left = self.sweep(followers, visits, open);
            if self.stop.load(Ordering::Relaxed) {
                return Err(());
            }
            if !left.iter().any(|(_, changed)| *changed) {
                return Ok(left.into_iter().flat_map(|(open, _)| open).collect());
            }
            visits = left.into_iter().map(|(open, _)| Box::new(open.into_iter().rev()) as Visit).collect();
        }
    }

    /// Notes that a move other than a fault leads from one state to another; returns whether a goal became known to be
    /// reached from one more state.
    pub fn lead(&self, from: u32, to: u32) -> bool {
        let reached = self.of(to) & self.all();
        let new = reached & !self.of(from) != 0;
        if new {
            self.marks[from as usize % self.marks.len()].meet(from as usize / self.marks.len(), reached);
        }
        new
    }

    /// Every goal.
    fn all(&self) -> u64 {
        u64::MAX >> (64 - self.count.clamp(1, 32))
    }

    fn of(&self, state: u32) -> u64 {
        self.marks[state as usize % self.marks.len()].of_state(state as usize / self.marks.len())
    }

    /// Visits states of all shards.
    fn sweep(&self, followers: &mut [impl Follow], visits: Vec<Visit>, open: Open) -> Vec<Left> {
        let few = visits.iter().map(|states| states.len()).sum::<usize>() < FEW;
        let work = followers.iter_mut().zip(visits);
        if few {
            return work.map(|(follower, states)| self.visit(follower, states, open)).collect();
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                work.map(|(follower, states)| scope.spawn(move || self.visit(follower, states, open))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
        })
    }

    fn visit(&self, follower: &mut impl Follow, states: Visit, open: Open) -> Left {
        let (all, mut left, mut changed) = (self.all(), vec![], false);
        let is_open = |state: u32| all & open(self.of(state)) != 0;
        for (step, state) in states.enumerate() {
            if step % CHUNK == 0 && self.stop.load(Ordering::Relaxed) {
                break;
            }
            if is_open(state) {
                follower.follow(state, &mut |to| {
                    changed |= self.lead(state, to);
                    !is_open(state)
                });
                if is_open(state) {
                    left.push(state);
                }
            }
        }
        (left, changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Edges<'a>(&'a [(u32, u32)]);

    impl Follow for Edges<'_> {
        fn follow(&mut self, from: u32, each: &mut dyn FnMut(u32) -> bool) {
            let _ = self.0.iter().filter(|edge| edge.0 == from).any(|(_, to)| each(*to));
        }
    }

    /// The first state without a way to a goal in a graph.
    fn first(goals: &[&[u64]], edges: &[(u32, u32)], count: usize, depth: fn(u32) -> u32) -> Option<(u32, usize)> {
        let marks = goals.iter().map(|bits| {
            let mut marks = Marks::of(count);
            bits.iter().for_each(|bits| marks.push(*bits));
            marks
        });
        let marks: Vec<Marks> = marks.collect();
        let stop = AtomicBool::new(false);
        let goals = Goals { marks: marks.iter().collect(), count, stop: &stop };
        let mut followers: Vec<Edges> = goals.marks.iter().map(|_| Edges(edges)).collect();
        goals.first_without(&mut followers, &depth).expect("nobody ends it")
    }

    #[test]
    fn marks_of_a_state_are_its_own() {
        for count in 1..=32 {
            let mut marks = Marks::of(count);
            let all = u64::MAX >> (64 - count);
            let pushed = [0, all, all << 32, 1 | 1 << 32, 1 << (count - 1), 0];
            pushed.iter().for_each(|bits| marks.push(*bits));
            assert_eq!(marks.len(), pushed.len());
            assert!(pushed.iter().enumerate().all(|(at, bits)| marks.of_state(at) == *bits), "{count} goals");
            marks.meet(2, all);
            marks.meet(5, 1 << (count - 1));
            let met = [0, all, all << 32 | all, 1 | 1 << 32, 1 << (count - 1), 1 << (count - 1)];
            assert!(met.iter().enumerate().all(|(at, bits)| marks.of_state(at) == *bits), "{count} goals");
        }
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
    fn ways_through_excused_states_count() {
        let goals: &[u64] = &[0, 1 << 32, 1];
        assert_eq!(first(&[goals], &[(0, 1), (1, 2)], 1, |s| s), None);
        assert_eq!(first(&[goals], &[(0, 1)], 1, |s| s), Some((0, 0)));
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
