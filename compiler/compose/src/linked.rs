//! Layers connected by links, before the flow of events is known.

use std::collections::{BTreeSet, HashMap, HashSet};

use nacre_stack::*;

/// Port 0 and port 1 of every stack.
pub(crate) const LOWER: PortId = PortId(0);
pub(crate) const UPPER: PortId = PortId(1);

/// A stack of linked layers. The flow through it is not known yet.
pub(crate) struct Linked {
    pub stack: Stack,
    /// For each layer, the events at its two sides.
    pub sides: Vec<Sides>,
    pub accepts: Vec<(EventId, Admission)>,
}

/// The links and events between a layer and its neighbours.
pub(crate) struct Sides {
    /// The links to the neighbours.
    pub below: LinkId,
    pub above: LinkId,
    pub from_below: BTreeSet<EventId>,
    pub to_below: BTreeSet<EventId>,
    pub from_above: BTreeSet<EventId>,
    pub to_above: BTreeSet<EventId>,
    /// The layout of what lies above, if the layer packs.
    pub layout: Option<LayoutId>,
}

impl Sides {
    /// Returns the sides between two links, without events.
    pub fn of(below: LinkId, above: LinkId) -> Sides {
        let none = BTreeSet::new;
        let (from_below, to_below, from_above, to_above) = (none(), none(), none(), none());
        Sides { below, above, from_below, to_below, from_above, to_above, layout: None }
    }
}

/// Two events are one if all of this is equal. Events of a layer's own port belong to that layer alone.
pub(crate) type EventKey = (String, Direction, Vec<Type>, Option<u32>, Option<PortId>);

/// The stack during linking.
pub(crate) struct Linker {
    pub stack: Stack,
    /// Names of layers.
    pub instances: Instances,
    pub events: HashMap<EventKey, EventId>,
    pub sides: Vec<Sides>,
    pub accepts: Vec<(EventId, Admission)>,
}

/// The name, or the first `name_2`, `name_3`... that is not taken.
pub(crate) fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(name) {
        return name.into();
    }
    (2..).map(|n| format!("{name}_{n}")).find(|n| !taken(n)).unwrap_or_default()
}

/// Unique names. Each new name is found in constant time, also if many are alike.
#[derive(Default)]
pub(crate) struct Instances {
    taken: HashSet<String>,
    /// The last number given for each name.
    last: HashMap<String, usize>,
}

impl Instances {
    /// The name, or the first `name_2`, `name_3`... that is not taken.
    pub fn take(&mut self, name: &str) -> String {
        let mut free = name.to_string();
        let number = self.last.entry(free.clone()).or_insert(1);
        while !self.taken.insert(free.clone()) {
            *number += 1;
            free = format!("{name}_{number}");
        }
        free
    }
}

/// Adds an arm to a layer's reactions; for one header, the arm that requires data is tried first.
pub(crate) fn add_arm(layer: &mut Layer, event: EventId, arm: Arm) {
    match layer.reactions.iter_mut().find(|r| r.event == event) {
        Some(reaction) if arm.guard.data => reaction.arms.insert(0, arm),
        Some(reaction) => reaction.arms.push(arm),
        None => layer.reactions.push(Reaction { event, accepts: None, arms: vec![arm] }),
    }
}
