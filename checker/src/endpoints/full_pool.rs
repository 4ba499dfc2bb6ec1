//! Steps for which a shared pool has no room.

use nacre_stack::interpret::Outcome;

use super::{Arrival, Endpoints, NearEndpoints, Step};

impl Endpoints {
    /// Returns whether an arrival is lost if other connections hold all free blocks: it is a frame whose step may need
    /// some, or the deferred event (`later`) before which nothing enters does. Whoever makes a call makes it again.
    pub fn is_lost_in_full_pool(&self, near: &mut NearEndpoints, end: usize, from: u32, arrival: Step) -> bool {
        let (Step::Arrival(number) | Step::MadeUp(number)) = arrival else { return false };
        if !matches!(&*self.arrivals.value(number), Arrival::Frame { .. }) {
            return false;
        }
        let busy = self.local(near, from).busy;
        self.is_kept(near, end, from, if busy { Step::Later } else { arrival })
    }

    fn is_kept(&self, near: &mut NearEndpoints, end: usize, from: u32, step: Step) -> bool {
        self.kept.get(&mut near.kept, (from, step), || {
            let local = self.locals.value(from);
            let mut machine = local.machine.clone();
            machine.fill_pool();
            let outcome = self.run(&mut machine, end, &local, step);
            let kept = outcome == Outcome::NoSpace;
            let unchanged = || machine.canonical_bytes() == local.machine.canonical_bytes();
            debug_assert!(!kept || unchanged() && machine.outputs().is_empty(), "a step without room has an effect");
            kept
        })
    }
}
