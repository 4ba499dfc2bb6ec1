//! Breadth-first search of all runs of a world. A counterexample is a shortest one.

use crate::moves::{possible, Move};
use crate::properties::check;
use crate::state::State;
use crate::step::Step;
use crate::views::{Cache, Views};
use crate::violation::Violation;
use crate::world::World;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The states that were visited.
    pub states: usize,
    /// The moves that changed something.
    pub moves: usize,
    /// The number of moves to the last state.
    pub depth: usize,
    /// Whether all states were visited.
    pub is_complete: bool,
    /// How often each rule was applied.
    pub rules: BTreeMap<&'static str, usize>,
    /// How often a frame of each kind was sent, was delivered as sent with an effect, and was forged with an effect.
    pub frames: BTreeMap<&'static str, [usize; 3]>,
    /// The shortest run that violates a property.
    pub violation: Option<(Violation, Vec<Move>)>,
}

/// A visited state: from which one, by which move.
type Trail = Vec<(u32, Option<Move>)>;

struct Search<'a> {
    world: &'a World,
    seen: HashSet<u128>,
    trail: Trail,
    cache: Cache,
    outcome: Outcome,
}

/// A state whose moves are still to be made.
struct Entry {
    number: u32,
    state: State,
    views: Rc<Views>,
}

/// Searches a world, up to a number of states.
pub fn search(world: &World, limit: usize) -> Outcome {
    let outcome = Outcome {
        states: 0,
        moves: 0,
        depth: 0,
        is_complete: false,
        rules: BTreeMap::new(),
        frames: BTreeMap::new(),
        violation: None,
    };
    let mut search = Search { world, seen: HashSet::new(), trail: vec![], cache: Cache::default(), outcome };
    search.run(limit);
    search.outcome.states = search.trail.len();
    search.outcome
}

impl Search<'_> {
    fn run(&mut self, limit: usize) {
        let state = State { lives: vec![0; self.world.members.len()], ..State::default() };
        let mut level = vec![self.visit(u32::MAX, None, state, Cache::first(self.world)).expect("the first state")];
        while !level.is_empty() {
            let mut next = vec![];
            self.cache.clear();
            for entry in level {
                self.expand(&entry, &mut next);
                if self.outcome.violation.is_some() || self.trail.len() > limit {
                    return;
                }
            }
            self.outcome.depth += usize::from(!next.is_empty());
            level = next;
        }
        self.outcome.is_complete = true;
    }

    fn visit(&mut self, from: u32, by: Option<Move>, state: State, views: Rc<Views>) -> Option<Entry> {
        if !self.seen.insert(digest(&state)) {
            return None;
        }
        self.trail.push((from, by));
        Some(Entry { number: self.trail.len() as u32 - 1, state, views })
    }

    fn expand(&mut self, entry: &Entry, next: &mut Vec<Entry>) {
        for action in possible(self.world, &entry.state, &entry.views.now) {
            let step = action.make(self.world, &entry.state);
            if step.rules.is_empty() && step.events.is_empty() && step.state == entry.state {
                continue;
            }
            self.count(&action, &step);
            let views = self.cache.after(self.world, &entry.views, &step.state, &step.new);
            if let Err(violation) = check(self.world, &step, &views) {
                self.outcome.violation = Some((violation, self.run_to(entry.number, action)));
                return;
            }
            next.extend(self.visit(entry.number, Some(action), step.state, views));
        }
    }

    fn count(&mut self, action: &Move, step: &Step<'_>) {
        self.outcome.moves += 1;
        for rule in &step.rules {
            *self.outcome.rules.entry(rule).or_default() += 1;
        }
        for frame in &step.new {
            self.outcome.frames.entry(frame.name()).or_default()[0] += 1;
        }
        if let Move::Receive { frame, is_forged, .. } = action {
            self.outcome.frames.entry(frame.name()).or_default()[1 + usize::from(*is_forged)] += 1;
        }
    }

    fn run_to(&self, mut number: u32, last: Move) -> Vec<Move> {
        let mut moves = vec![last];
        while let (from, Some(by)) = self.trail[number as usize] {
            moves.push(by);
            number = from;
        }
        moves.reverse();
        moves
    }
}

/// 128 bits of a state: two states with the same ones count as one.
fn digest(state: &State) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        state.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}
