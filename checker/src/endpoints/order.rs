//! The order in which timers of an endpoint were armed, for those of which a configuration states which is shorter.

use nacre_stack::interpret::Machine;
use nacre_stack::{Stack, TimerId};
use nacre_worlds::setup::Bounds;

/// The stated pairs, and those that follow from them.
#[derive(Default)]
pub struct Order {
    /// The shorter timer first.
    pairs: Vec<(TimerId, TimerId)>,
}

/// For each pair a bit: both timers are armed, the shorter no later than the longer.
pub type Earlier = u64;

impl Order {
    /// The pairs of a configuration. [`Setup::check`](nacre_worlds::setup::Setup::check) ensures that there are no more
    /// than bits.
    pub fn of(stack: &Stack, bounds: &Bounds) -> Order {
        let id = |name: &String| stack.timers.iter().position(|t| t.name == *name).map(|at| TimerId(at as u32));
        let stated = bounds.all_shorter().into_iter();
        Order { pairs: stated.filter_map(|(timer, than)| Some((id(&timer)?, id(&than)?))).collect() }
    }

    /// Returns the bits after a step.
    pub fn after(&self, before: Earlier, machine: &Machine) -> Earlier {
        if self.pairs.is_empty() {
            return 0;
        }
        let armed = machine.armed();
        let is_armed = |timer: TimerId| armed.iter().any(|a| a.timer == timer);
        let bits = self.pairs.iter().enumerate().filter(|(at, (shorter, longer))| {
            let known = before >> at & 1 == 1;
            // Both were armed at the same time if both were armed in this step.
            let no_later = machine.was_armed(*longer) || known && !machine.was_armed(*shorter);
            is_armed(*shorter) && is_armed(*longer) && no_later
        });
        bits.fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// Whether an armed timer cannot fire before a shorter one has.
    pub fn waits(&self, earlier: Earlier, timer: TimerId) -> bool {
        self.pairs.iter().enumerate().any(|(at, (_, longer))| *longer == timer && earlier >> at & 1 == 1)
    }
}
