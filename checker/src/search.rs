//! Breadth-first search, and running what it found again.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use nacre_stack::Stack;

use crate::world::{Action, Bounds, Observer, World};

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A shortest run, and what its last step broke.
    Violated { run: Vec<Action>, why: String },
    /// Every state within the bounds was visited.
    Holds,
    /// The limit came first.
    NotFound,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    pub verdict: Verdict,
    /// Distinct states, the first among them.
    pub states: usize,
    /// Steps from the first state to the farthest that was reached.
    pub depth: u32,
}

/// How a state was reached first.
struct Reached {
    parent: u32,
    action: Option<Action>,
    depth: u32,
}

/// Visits states breadth-first, at most so many.
pub fn search(stack: &Arc<Stack>, bounds: &Bounds, observer: Observer, limit: usize) -> Result<Searched, String> {
    let (first, broken) = World::open(stack, bounds, observer)?;
    let mut reached = vec![Reached { parent: 0, action: None, depth: 0 }];
    let mut known: HashMap<u128, ()> = HashMap::from([(digest(&first), ())]);
    let mut waiting = VecDeque::from([(0u32, first)]);
    let ended = |reached: &[Reached], verdict| {
        let depth = reached.last().map_or(0, |r| r.depth);
        Ok(Searched { verdict, states: reached.len(), depth })
    };
    if let Some(why) = broken {
        return ended(&reached, Verdict::Violated { run: vec![], why });
    }
    while let Some((from, world)) = waiting.pop_front() {
        if world.is_stuck(bounds, observer) {
            let why = "messages are outstanding, and nothing can happen any more".into();
            return ended(&reached, Verdict::Violated { run: run_to(&reached, from, None), why });
        }
        for action in world.actions(bounds) {
            let mut next = world.clone();
            if let Some(why) = next.act(action, bounds, observer) {
                return ended(&reached, Verdict::Violated { run: run_to(&reached, from, Some(action)), why });
            }
            if known.insert(digest(&next), ()).is_some() {
                continue;
            }
            if reached.len() >= limit {
                return ended(&reached, Verdict::NotFound);
            }
            let depth = reached[from as usize].depth + 1;
            waiting.push_back((reached.len() as u32, next));
            reached.push(Reached { parent: from, action: Some(action), depth });
        }
    }
    ended(&reached, Verdict::Holds)
}

/// Runs the actions again; what the last one broke, and none where the run breaks nothing or cannot be run.
pub fn replay(
    stack: &Arc<Stack>,
    bounds: &Bounds,
    observer: Observer,
    run: &[Action],
) -> Result<Option<String>, String> {
    let (mut world, mut broken) = World::open(stack, bounds, observer)?;
    for (step, action) in run.iter().enumerate() {
        if let Some(why) = broken {
            return Err(format!("already broken before step {}: {why}", step + 1));
        }
        if !world.actions(bounds).contains(action) {
            return Err(format!("step {} is not possible: {action}", step + 1));
        }
        broken = world.act(*action, bounds, observer);
    }
    let stuck = || "messages are outstanding, and nothing can happen any more".to_string();
    Ok(broken.or_else(|| world.is_stuck(bounds, observer).then(stuck)))
}

fn run_to(reached: &[Reached], mut at: u32, last: Option<Action>) -> Vec<Action> {
    let mut run: Vec<Action> = last.into_iter().collect();
    while let Some(action) = reached[at as usize].action {
        run.push(action);
        at = reached[at as usize].parent;
    }
    run.reverse();
    run
}

/// 128 bits of the state's bytes: two states are taken for one with a chance of about states squared over 2^129.
fn digest(world: &World) -> u128 {
    let bytes = world.bytes();
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(salt);
        hasher.write(&bytes);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}
