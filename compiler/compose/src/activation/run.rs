//! The knowledge of a run over a handler: the world so far, and the values of locals.

use std::collections::BTreeMap;

use nacre_stack::*;

use super::courses::Courses;
use crate::facts::Facts;
use crate::message::Bag;
use crate::spots::{Spot, Spots};
use crate::strides::Strides;
use crate::world::World;

/// One run over a handler.
pub(crate) struct Run<'a> {
    pub stack: &'a Stack,
    pub world: &'a mut World,
    pub locals: Spots,
    pub layer: LayerId,
    /// Whether this run has added anything to the world.
    pub new: bool,
    /// The number of calls followed.
    pub calls: u32,
    /// The number of expressions of the current statement that were visited.
    pub visited: u32,
    /// What has been done so far.
    pub courses: Courses,
    pub frame: Frame<'a>,
}

/// The handler or function whose code is examined.
#[derive(Clone)]
pub(crate) struct Frame<'a> {
    pub call: u32,
    pub locals: &'a [Local],
    pub references: BTreeMap<LocalId, Spot>,
    pub strides: Strides,
    /// The facts that hold at the current statement.
    pub facts: Facts,
    pub returned: Bag,
}

impl Run<'_> {
    pub(crate) fn learnt(&mut self, new: bool) {
        self.new |= new;
        self.world.version += u64::from(new);
    }

    pub(super) fn set(&mut self, local: LocalId, bag: &Bag) {
        let spot = self.local_spot(local);
        self.new |= self.locals.write(&spot, bag);
    }

    /// Upper bounds of the messages that values hold.
    pub(super) fn messages<'e>(&self, values: impl IntoIterator<Item = &'e Expr>) -> u32 {
        let all: u64 = values.into_iter().map(|value| self.stack.messages_in(&value.ty)).sum();
        u32::try_from(all).unwrap_or(u32::MAX)
    }
}
