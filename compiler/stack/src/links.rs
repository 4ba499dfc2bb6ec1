//! Links: who is whose neighbour.
//!
//! A link has a lower and an upper end. An event that goes up over it arrives at the upper end, one that goes down at
//! the lower end. So the links of a layer are those that end at it, and no two tables can disagree about them.

use serde::{Deserialize, Serialize};

use crate::*;

/// Joins a layer with a layer or a port above or below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// What stands below.
    pub lower: Target,
    /// What stands above.
    pub upper: Target,
}

/// An end of a link: what an event arrives at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Target {
    /// A layer.
    Layer(LayerId),
    /// The host.
    Port(PortId),
}

impl Link {
    /// Where events of a direction arrive.
    pub fn end(&self, direction: Direction) -> Target {
        match direction {
            Direction::Up => self.upper,
            Direction::Down => self.lower,
        }
    }

    /// Where events of a direction come from.
    pub fn begin(&self, direction: Direction) -> Target {
        match direction {
            Direction::Up => self.lower,
            Direction::Down => self.upper,
        }
    }

    /// Whether it ends there, above or below.
    pub fn meets(&self, end: Target) -> bool {
        self.lower == end || self.upper == end
    }
}

impl Stack {
    /// Returns a link of the table.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.index()]
    }

    /// Returns what an emission arrives at.
    pub fn target(&self, emit: &Emit) -> Target {
        self.arrives(emit.link, emit.event)
    }

    /// Returns what an event arrives at that goes over a link.
    pub fn arrives(&self, link: LinkId, event: EventId) -> Target {
        self.link(link).end(self.event(event).direction)
    }

    /// Returns the links of which this is the end in a direction's way: those on which events of the direction can be
    /// put.
    pub fn links_from(&self, begin: Target, direction: Direction) -> impl Iterator<Item = LinkId> + '_ {
        let links = self.links.iter().enumerate().filter(move |(_, link)| link.begin(direction) == begin);
        links.map(|(index, _)| LinkId(index as u32))
    }

    /// Returns the link of a port; a valid stack has exactly one for each.
    pub fn link_of(&self, port: PortId) -> Option<LinkId> {
        self.links.iter().position(|link| link.meets(Target::Port(port))).map(|index| LinkId(index as u32))
    }

    /// Returns the link of a port, and the layer at its other end.
    pub fn neighbour_of(&self, port: PortId) -> Option<(LinkId, LayerId)> {
        let id = self.link_of(port)?;
        let link = self.link(id);
        let ends = [link.lower, link.upper];
        let layer = ends.into_iter().find_map(|end| match end {
            Target::Layer(layer) => Some(layer),
            Target::Port(_) => None,
        })?;
        Some((id, layer))
    }

    /// Whether messages leave and arrive at a port as frames: the stack is above it.
    pub fn is_lower(&self, port: PortId) -> bool {
        self.links.iter().any(|link| link.lower == Target::Port(port))
    }
}
