//! Breadth-first search over all states within the bounds, on several threads.
//!
//! States are distributed by hash over one shard for each thread. Each thread expands the states of its shard, then
//! inserts the successors that all threads found for it; threads share only the results of local steps. Each level of
//! the search is completed before the next, so the first violation is a shortest one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nacre_specification::violation::Violation;

use crate::broken::Broken;
use crate::goals::Goals;
pub use crate::searched::{Path, Progress, Searched, Verdict};
use crate::shard::{shard_of, Candidate, Follower, Known, Shard, BITS_OF_A_STATE, CHUNK, FAULT};
use crate::space::{Near, Space, Successor};

/// With fewer states, starting threads costs more than it saves.
const FEW: usize = 512;

/// The states of a shard that are expanded at once even if memory is short.
const LEAST: usize = 64;

/// The options of a search.
pub struct Options<'a> {
    pub threads: usize,
    /// The limit of states.
    pub states: usize,
    /// The approximate memory limit of the process, in bytes.
    pub memory: usize,
    /// None: exact; otherwise bitstate hashing with this many bytes, in which states can be missed.
    pub bits: Option<usize>,
    /// Whether goals are checked (not with `bits`).
    pub goals: bool,
    /// Ends the search when set.
    pub stop: &'a AtomicBool,
    /// Called periodically with the progress.
    pub progress: &'a dyn Fn(&Progress),
}

/// The limit of states when the state space is known to be infinite.
const WITHOUT_BOUND: u64 = 20_000;

/// What a run to a state without a way to a goal is said to break, before the name of the goal.
pub const UNMET: &str = "this goal cannot be met any more: ";

/// Why a search ends that was asked to.
const INTERRUPTED: &str = "it was interrupted";

/// How many successors a state has on average.
fn branching(progress: &Progress) -> u64 {
    (progress.moves / progress.states.max(1)).clamp(1, 8)
}

/// Visits all states.
pub fn explore(space: &Space, first: &[Successor], options: &Options) -> Searched {
    let bits = options.bits.unwrap_or(0);
    if Vec::<u8>::new().try_reserve_exact(bits).is_err() {
        let why = format!("{} MiB for bitstate hashing cannot be allocated", bits >> 20);
        return Searched { verdict: Verdict::Incomplete(why), progress: Progress::default(), locals: 0, networks: 0 };
    }
    let mut search = Search::new(space, options);
    search.begin(first);
    let verdict = search.run();
    let progress = search.progress();
    Searched { verdict, progress, locals: space.endpoints.locals.len(), networks: space.network.states() }
}

struct Search<'a> {
    space: &'a Space,
    options: &'a Options<'a>,
    shards: Vec<Shard>,
    depth: u32,
    /// The number of states of each shard at the end of each level.
    levels: Vec<Vec<usize>>,
    begun: Instant,
    told: Instant,
    first_broken: Option<Broken>,
}

impl<'a> Search<'a> {
    fn new(space: &'a Space, options: &'a Options<'a>) -> Search<'a> {
        let count = options.threads.clamp(1, 64);
        let goals = space.goal_names().len();
        let shard = |_| Shard::new(count, options.bits, goals);
        let (begun, told) = (Instant::now(), Instant::now());
        Search {
            space,
            options,
            shards: (0..count).map(shard).collect(),
            depth: 0,
            levels: vec![],
            begun,
            told,
            first_broken: None,
        }
    }

    fn wants_goals(&self) -> bool {
        self.options.goals && self.options.bits.is_none()
    }

    fn begin(&mut self, first: &[Successor]) {
        let count = self.shards.len();
        for (ordinal, led) in first.iter().enumerate() {
            match led {
                Err(broken) => self.first_broken = self.first_broken.take().or(Some(broken.clone())),
                Ok(state) => {
                    let candidate = Candidate { state: *state, parent: u32::MAX, ordinal: ordinal as u16 };
                    let (space, goals) = (self.space, self.wants_goals());
                    self.shards[shard_of(state, count)].take(space, [candidate].into_iter(), goals);
                }
            }
        }
    }

    fn run(&mut self) -> Verdict {
        if let Some(broken) = &self.first_broken {
            let why = broken.at_opening();
            return Verdict::Violated { run: vec![], why, violation: broken.violation };
        }
        loop {
            // The level consists of the states known now; successors found meanwhile belong to the next.
            let ends: Vec<usize> = self.shards.iter().map(|s| s.base + s.states.len()).collect();
            if self.shards.iter().zip(&ends).all(|(s, end)| s.at == *end) {
                break;
            }
            self.levels.push(ends.clone());
            while self.shards.iter().zip(&ends).any(|(s, end)| s.at < *end) {
                self.chunk(&ends);
                if let Some(why) = self.reason_to_end() {
                    return self.violation().unwrap_or(Verdict::Incomplete(why));
                }
            }
            if let Some(violated) = self.violation() {
                return violated;
            }
            self.depth += 1;
            if self.options.bits.is_some() {
                for (shard, end) in self.shards.iter_mut().zip(&ends) {
                    shard.states.drain(..end - shard.base);
                    shard.base = *end;
                }
            }
        }
        if let Some(why) = self.space.lost() {
            return Verdict::Incomplete(why.clone());
        }
        if self.levels.is_empty() {
            let why = "every opening violates an assertion, so nothing was searched (`detects`)";
            return Verdict::Incomplete(why.into());
        }
        // The last level found nothing new.
        self.depth = self.depth.saturating_sub(1);
        if let Some(words) = self.missed() {
            return Verdict::Incomplete(words);
        }
        if self.wants_goals() {
            self.unmet()
        } else {
            Verdict::Complete
        }
    }

    /// Checks the goals, once every state is known.
    fn unmet(&mut self) -> Verdict {
        let (space, count) = (self.space, self.shards.len());
        let nears: Vec<Near> = self.shards.iter_mut().map(|shard| std::mem::take(&mut shard.near)).collect();
        let shards = &self.shards;
        let marks = shards.iter().map(|shard| &shard.goals).collect();
        let goals = Goals { marks, count: space.goal_names().len(), stop: self.options.stop };
        self.lead_back(&goals);
        let mut followers: Vec<Follower> = nears.into_iter().map(|near| Follower { space, shards, near }).collect();
        let depth = |state: u32| {
            let (shard, at) = (state as usize % count, state as usize / count);
            self.levels.partition_point(|ends| ends[shard] <= at) as u32
        };
        match goals.first_without(&mut followers, &depth) {
            Err(()) => Verdict::Incomplete(INTERRUPTED.into()),
            Ok(None) => Verdict::Complete,
            Ok(Some((state, goal))) => {
                let name = &space.goal_names()[goal];
                let (shard, at) = (state as usize % count, state as usize / count);
                let stuck = space.stuck(&mut Near::default(), shards[shard].states[at], goal);
                let stuck = if stuck.is_empty() { stuck } else { format!(": {stuck}") };
                Verdict::Violated {
                    run: self.run_to(state, count),
                    why: format!("{UNMET}{name}{stuck}"),
                    violation: Violation::Goal,
                }
            }
        }
    }

    /// Passes goals on along the moves that led to each state first, from the last state back.
    fn lead_back(&self, goals: &Goals) {
        for level in (0..self.levels.len()).rev() {
            for (me, shard) in self.shards.iter().enumerate() {
                let begin = level.checked_sub(1).map_or(0, |before| self.levels[before][me]);
                for at in begin..self.levels[level][me] {
                    if shard.ordinals[at] & FAULT == 0 && shard.parents[at] != u32::MAX {
                        goals.lead(shard.parents[at], (at * self.shards.len() + me) as u32);
                    }
                }
            }
        }
    }

    /// The states of each shard to expand next: half of those that fit before the memory reaches its limit, if their
    /// successors are as large, and as many, as those before.
    fn affordable(&self, progress: &Progress) -> usize {
        let each = progress.memory / progress.states.max(1) * branching(progress);
        let left = (self.options.memory as u64).saturating_sub(progress.memory);
        ((left / each.max(1) / 2) as usize / self.shards.len()).clamp(LEAST, CHUNK)
    }

    /// The bytes that tables allocate if the next states make them grow.
    fn growth(&self, progress: &Progress) -> u64 {
        let each = 2 * self.affordable(progress) * branching(progress) as usize;
        let shards: usize = self.shards.iter().map(|shard| shard.growth(each)).sum();
        (shards + self.space.growth(each * self.shards.len())) as u64
    }

    fn chunk(&mut self, ends: &[usize]) {
        let (space, count, goals) = (self.space, self.shards.len(), self.wants_goals());
        let todo: usize = self.shards.iter().zip(ends).map(|(s, end)| end - s.at).sum();
        let single = count == 1 || todo < FEW;
        let most = self.affordable(&self.progress());
        let expand = |(me, (shard, end)): (usize, (&mut Shard, &usize))| shard.expand(space, (me, count), *end, most);
        if single {
            self.shards.iter_mut().zip(ends).enumerate().for_each(expand);
        } else {
            std::thread::scope(|scope| {
                for work in self.shards.iter_mut().zip(ends).enumerate() {
                    scope.spawn(move || expand(work));
                }
            });
        }
        let mut found: Vec<Vec<Vec<Candidate>>> = (0..count).map(|_| vec![]).collect();
        for shard in &mut self.shards {
            for (owner, candidates) in shard.found.iter_mut().enumerate() {
                found[owner].push(std::mem::take(candidates));
            }
        }
        let take = |(shard, found): (&mut Shard, Vec<Vec<Candidate>>)| {
            shard.take(space, found.into_iter().flatten(), goals);
        };
        if single {
            self.shards.iter_mut().zip(found).for_each(take);
        } else {
            std::thread::scope(|scope| {
                for work in self.shards.iter_mut().zip(found) {
                    scope.spawn(move || take(work));
                }
            });
        }
        if self.told.elapsed() > Duration::from_millis(200) {
            self.told = Instant::now();
            (self.options.progress)(&self.progress());
        }
    }

    fn reason_to_end(&self) -> Option<String> {
        let progress = self.progress();
        if self.options.stop.load(Ordering::Relaxed) {
            return Some(INTERRUPTED.into());
        }
        if let Some(why) = self.space.lost() {
            return Some(why.clone());
        }
        if self.shards.iter().any(|s| s.crowded) {
            return Some(format!("in one state more than {FAULT} moves are possible"));
        }
        // A short counterexample may still exist.
        if let Some(why) = self.space.unbounded().filter(|_| progress.states >= WITHOUT_BOUND) {
            return Some(why.clone());
        }
        if progress.states >= self.options.states as u64 {
            return Some(format!("the limit of {} states was reached", self.options.states));
        }
        if progress.memory + self.growth(&progress) >= self.options.memory as u64 {
            return Some(format!("the limit of {} MiB was reached", self.options.memory >> 20));
        }
        None
    }

    /// Estimates what bitstate hashing may have missed: a new state is mistaken for a known one if others have set all
    /// of its bits. At the end, with a fraction `f` of all bits set, that is one state in `f^-BITS_OF_A_STATE`.
    fn missed(&self) -> Option<String> {
        self.options.bits?;
        let (mut set, mut all) = (0u64, 0u64);
        for shard in &self.shards {
            if let Known::Bits(bits) = &shard.known {
                set += bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                all += bits.len() as u64 * 64;
            }
        }
        let share = set as f64 / all as f64;
        let missed = share.powi(BITS_OF_A_STATE as i32);
        let rate = match missed * (self.progress().states as f64) {
            few if few < 0.5 => "it is likely that none was missed".to_string(),
            _ => format!("at the end one new state in {:.0} was taken for a known one", 1.0 / missed),
        };
        Some(format!(
            "states were known by {BITS_OF_A_STATE} bits each, of which {:.2} % were set ({rate}); goals were not \
             checked",
            100.0 * share
        ))
    }

    fn violation(&self) -> Option<Verdict> {
        let first = self.shards.iter().filter_map(|s| s.broken.as_ref()).min_by_key(|b| (b.parent, b.ordinal))?;
        let mut run = self.run_to(first.parent, self.shards.len());
        run.push(Path { ordinal: first.ordinal });
        let Broken { violation, why, .. } = &first.broken;
        Some(Verdict::Violated { run, why: why.to_string(), violation: *violation })
    }

    fn run_to(&self, mut state: u32, count: usize) -> Vec<Path> {
        let mut run = vec![];
        while state != u32::MAX {
            let (shard, at) = (state as usize % count, state as usize / count);
            run.push(Path { ordinal: usize::from(self.shards[shard].ordinals[at] & !FAULT) });
            state = self.shards[shard].parents[at];
        }
        run.reverse();
        run
    }

    fn progress(&self) -> Progress {
        let sum = |f: &dyn Fn(&Shard) -> u64| self.shards.iter().map(f).sum();
        Progress {
            states: sum(&|s| s.parents.len() as u64),
            moves: sum(&|s| s.moves),
            depth: self.depth,
            waiting: sum(&|s| (s.base + s.states.len() - s.at) as u64),
            memory: memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64),
            time: self.begun.elapsed(),
        }
    }
}
