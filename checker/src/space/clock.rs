//! Worlds with a clock: frames take a stated time (`trip`), timers fire at their deadlines, and time passes only when
//! nothing happens any more at the present one.

use std::sync::Arc;

use nacre_specification::violation::Violation;
use nacre_worlds::timing::milliseconds;

use super::{Move, Near, Space, State, Visitor};
use crate::broken::Broken;
use crate::endpoints::{Local, Step};

impl Space {
    /// Calls `found` for the timer of each endpoint that fires now, of several the one that a stack lets fire first; if
    /// nothing has to happen now, for the next time at which something does.
    pub(super) fn in_time(&self, near: &mut Near, from: State, locals: &[Arc<Local>], found: &mut dyn Visitor) {
        let mut pending = locals.iter().any(|local| local.busy) || self.arrives_now(near, from);
        let mut next = self.network.next_arrival(from.network);
        for (end, local) in locals.iter().enumerate() {
            // Those of one deadline are in the order in which they fire.
            let Some((timer, armed)) = local.armed.iter().enumerate().min_by_key(|(_, armed)| armed.deadline) else {
                continue;
            };
            if armed.deadline > local.clock {
                next = Some(next.map_or(armed.deadline, |next| next.min(armed.deadline)));
            } else if !local.busy {
                pending = true;
                self.steps(near, from, end, Step::Timer(timer as u32), found);
            }
        }
        if let (false, Some(until)) = (pending, next) {
            found.found(Move::Wait { until }, false, self.wait(near, from, until));
        }
    }

    /// Whether a frame arrives at the present time.
    fn arrives_now(&self, near: &mut Near, from: State) -> bool {
        let moves = self.network.moves(&mut near.network, &self.endpoints, from.network);
        let left = |limit: Option<usize>| limit.is_none_or(|limit| self.left_of_limit(from, limit) > 0);
        moves.iter().any(|m| m.frame && !m.fault && !m.early && left(m.limit()))
    }

    /// Returns the state at a later time.
    fn wait(&self, near: &mut Near, from: State, until: u64) -> Result<State, Broken> {
        if let Some(within) = self.within {
            let passed = until - self.network.last_call(from.network);
            if passed > within {
                let (within, passed) = (milliseconds(within), milliseconds(passed));
                let why =
                    format!("something happens {passed} after the last call: all is to be at rest after {within}");
                return Err(Broken::new(Violation::Late, why));
            }
        }
        let mut state = State { network: self.network.at(from.network, until), ..from };
        for end in self.members.all() {
            let before = self.local_of(from, end);
            let later = self.endpoints.step(&mut near.endpoints, end, before, Step::Wait(until));
            state.endpoints = self.lists.with(state.endpoints, end, later[0].next);
        }
        Ok(state)
    }
}
