//! Frames that are lost because the pool, which other connections share, is full.

use super::{Move, Near, Space, State, Visitor};
use crate::network;

impl Space {
    /// Finds the loss of a frame that an action of the network lets arrive, in the state after that action.
    pub(super) fn lose_in_full_pool(
        &self,
        near: &mut Near,
        after: State,
        (place, action): (usize, &network::Move),
        found: &mut dyn Visitor,
    ) {
        let Some((end, arrival)) = action.arrives().filter(|_| self.left_of_limit(after, self.scarce) > 0) else {
            return;
        };
        let local = self.local_of(after, end);
        if self.endpoints.is_lost_in_full_pool(&mut near.endpoints, end, local, action.step(arrival)) {
            found.found(Move::NoSpace { place }, true, Ok(self.use_limit(after, self.scarce)));
        }
    }
}
