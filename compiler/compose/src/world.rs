//! What flows through the whole stack, as far as it is known.

use std::collections::{BTreeMap, BTreeSet};

use nacre_stack::*;

use crate::message::Bag;
use crate::spots::Spots;
use crate::strides::Strides;

/// What handlers share, and what grows until nothing new is learnt.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub cells: Spots,
    /// For each layout of a packing layer, the messages that are packed.
    pub packed: BTreeMap<LayoutId, Bag>,
    /// Layouts of which messages are unpacked.
    pub unpacked: BTreeSet<LayoutId>,
    /// Mistakes that only the flow shows, told once each.
    pub doubled: BTreeSet<(LayerId, HeaderId)>,
    pub strides: Strides,
    /// Counts what has been learnt.
    pub version: u64,
}
