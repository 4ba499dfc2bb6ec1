//! The messages that are known to flow through the whole stack.

use std::collections::{BTreeMap, BTreeSet};

use nacre_stack::*;

use crate::message::Bag;
use crate::spots::Spots;
use crate::strides::Strides;

/// The knowledge shared by all handlers; it grows to a fixed point.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub cells: Spots,
    /// For each layout of a packing layer, the messages that are packed.
    pub packed: BTreeMap<LayoutId, Bag>,
    /// Layouts of which messages are unpacked.
    pub unpacked: BTreeSet<LayoutId>,
    /// Errors that the flow reveals, each reported once.
    pub doubled: BTreeSet<(LayerId, HeaderId)>,
    pub strides: Strides,
    /// Counts the changes.
    pub version: u64,
}
