//! The spots where messages can be: parts of the state and of locals.

use std::collections::BTreeMap;

use nacre_stack::*;

use crate::message::Bag;

/// A part of the state or of a local, by the path of its fields; elements of containers are one spot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub root: SpotRoot,
    pub path: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SpotRoot {
    Cell(CellId),
    /// A local of the handler (call 0) or of a function that it called.
    Local(u32, LocalId),
}

/// The messages that can be at each spot, and the number of changes there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spots(BTreeMap<Spot, (Bag, u32)>);

impl Spots {
    /// The messages at a spot, in what contains it, and in what it contains.
    pub fn read(&self, spot: &Spot) -> Bag {
        let mut found = Bag::default();
        let first = Spot { root: spot.root, path: vec![] };
        for (key, (bag, _)) in self.0.range(first..).take_while(|(key, _)| key.root == spot.root) {
            if key.path.starts_with(&spot.path) || spot.path.starts_with(&key.path) {
                found.join(bag);
            }
        }
        found
    }

    /// Adds to a spot; returns whether it changed.
    pub fn write(&mut self, spot: &Spot, bag: &Bag) -> bool {
        if bag.is_empty() {
            return false;
        }
        let (known, times) = self.0.entry(spot.clone()).or_default();
        let new = known.join_after(bag, *times);
        *times += u32::from(new);
        new
    }
}

/// The capacity of a container.
pub(crate) fn capacity(ty: &Type) -> u32 {
    match ty {
        Type::Ring(_, n) | Type::List(_, n) | Type::Window(_, n, _) | Type::Pool(_, n) | Type::Map(_, _, n) => *n,
        Type::Array(_, n) => *n,
        _ => 1,
    }
}
