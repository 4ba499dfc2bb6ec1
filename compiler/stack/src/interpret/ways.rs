//! The ways of the steps of a run, counted.

use std::collections::BTreeMap;

use crate::{Entry, Way};

/// A step with more branches is not counted.
const MOST_BRANCHES: usize = 4_096;
/// The most different ways that are counted.
const MOST_WAYS: usize = 65_536;

/// How many steps took each way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ways {
    pub counts: BTreeMap<Way, u64>,
    /// That of the present step, so far.
    now: Option<Way>,
}

impl Ways {
    pub(super) fn begin(&mut self, entry: Entry) {
        self.now = Some(Way { entry, sides: vec![] });
    }

    pub(super) fn branch(&mut self, holds: bool) {
        self.now.iter_mut().for_each(|way| way.sides.push(holds));
        self.now.take_if(|way| way.sides.len() > MOST_BRANCHES);
    }

    /// What runs now is not code of handlers, until [`Ways::resume`].
    pub(super) fn pause(&mut self) -> Option<Way> {
        self.now.take()
    }

    pub(super) fn resume(&mut self, way: Option<Way>) {
        self.now = way;
    }

    pub(super) fn end(&mut self) {
        let Some(way) = self.now.take() else { return };
        if self.counts.len() < MOST_WAYS || self.counts.contains_key(&way) {
            *self.counts.entry(way).or_default() += 1;
        }
    }
}
