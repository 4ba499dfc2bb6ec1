//! Who is whose neighbour in a stack, by its links.

use crate::*;

impl Stack {
    /// Returns a link of the table.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.index()]
    }

    /// Returns the target of an emission.
    pub fn target(&self, emit: &Emit) -> Target {
        self.arrives(emit.link, emit.event)
    }

    /// Returns the target of an event on a link.
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
