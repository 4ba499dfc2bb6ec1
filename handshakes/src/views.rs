//! What the attacker knows in a state, and what it would know later.

use crate::attacker::initial;
use crate::frame::Frame;
use crate::knowledge::Knowledge;
use crate::state::State;
use crate::term::Term;
use crate::world::World;
use std::collections::HashMap;
use std::rc::Rc;

/// What the attacker knows of the frames that were sent.
pub struct Views {
    /// Now.
    pub now: Knowledge,
    /// Once it learns all static keys and common secrets.
    pub late: Knowledge,
    /// Once it breaks Diffie-Hellman as well.
    pub broken: Knowledge,
}

/// The knowledge of the states that are searched at present: many have sent the same frames.
#[derive(Default)]
pub struct Cache {
    by_frames: HashMap<Rc<Vec<Frame>>, Rc<Views>>,
}

impl Cache {
    /// What is known at first.
    pub fn first(world: &World) -> Rc<Views> {
        Rc::new(views(world, initial(world)))
    }

    /// What is known once these frames were sent as well.
    pub fn after(&mut self, world: &World, before: &Rc<Views>, state: &State, new: &[Frame]) -> Rc<Views> {
        if new.is_empty() {
            return before.clone();
        }
        let make = || {
            let terms: Vec<Term> = new.iter().flat_map(Frame::terms).collect();
            Rc::new(views(world, before.now.with(&terms)))
        };
        self.by_frames.entry(state.sent.clone()).or_insert_with(make).clone()
    }

    /// Forgets the knowledge of states that were searched.
    pub fn clear(&mut self) {
        self.by_frames.clear();
    }
}

fn views(world: &World, now: Knowledge) -> Views {
    let late = now.with(&world.lasting_secrets());
    let broken = late.without_dh();
    Views { now, late, broken }
}
