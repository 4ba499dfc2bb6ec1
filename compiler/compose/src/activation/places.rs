//! Tracks the places of messages while a handler runs: in its locals and in the state.

use nacre_stack::*;

use super::run::Run;
use crate::course::{Act, Course};
use crate::message::Bag;
use crate::spots::{Spot, SpotRoot};

impl Run<'_> {
    /// Puts up to `most` messages at a place. Messages in the state are in the pool, and so is what a function stores
    /// through a reference: it can be one to the state.
    pub(super) fn store(&mut self, place: &Place, bag: &Bag, most: u32, done: &mut Vec<Course>) {
        let spot = self.spot(place);
        let is_kept = matches!(spot.root, SpotRoot::Cell(_)) || self.is_reference(place);
        if is_kept && !bag.is_empty() {
            let keep = Course::Act(Act::Keep(bag.clone()));
            done.push(if most > 1 { Course::Times(most, Box::new(keep)) } else { keep });
        }
        let stored = if is_kept { &bag.kept() } else { bag };
        match spot.root {
            SpotRoot::Cell(_) => {
                let new = self.world.cells.write(&spot, stored);
                self.learnt(new);
            }
            SpotRoot::Local(..) => self.new |= self.locals.write(&spot, stored),
        }
        self.changed(place);
    }

    fn is_reference(&self, place: &Place) -> bool {
        matches!(place.root, Root::Local(local) if self.frame.references.contains_key(&local))
    }

    pub(crate) fn changed(&mut self, place: &Place) {
        self.frame.facts.change(place);
    }

    pub(crate) fn local_spot(&self, local: LocalId) -> Spot {
        let own = || Spot { root: SpotRoot::Local(self.frame.call, local), path: vec![] };
        self.frame.references.get(&local).cloned().unwrap_or_else(own)
    }

    pub(super) fn spot(&self, place: &Place) -> Spot {
        let mut spot = match place.root {
            Root::Cell(cell) => Spot { root: SpotRoot::Cell(cell), path: vec![] },
            Root::Local(local) => self.local_spot(local),
        };
        let fields = place.path.iter().filter_map(|s| if let Step::Field(n) = s { Some(*n) } else { None });
        spot.path.extend(fields);
        spot
    }

    pub(crate) fn locals_or_cells(&self, place: &Place) -> Bag {
        let spot = self.spot(place);
        match spot.root {
            SpotRoot::Cell(_) => self.world.cells.read(&spot),
            SpotRoot::Local(..) => self.locals.read(&spot),
        }
    }
}
