//! Small questions that every consumer of the IR asks.

use super::*;

impl Stack {
    /// Returns the layer with this id; panics if the id is not of this stack, as do the lookups below.
    pub fn layer(&self, id: LayerId) -> &Layer {
        &self.layers[id.index()]
    }
    /// Returns the event with this id.
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }
    /// Returns the header variant with this id.
    pub fn header(&self, id: HeaderId) -> &Header {
        &self.headers[id.index()]
    }
    /// Returns the state cell with this id.
    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.index()]
    }
    /// Returns the handler with this id.
    pub fn handler(&self, id: HandlerId) -> &Handler {
        &self.handlers[id.index()]
    }
    /// Returns the function with this id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The events that opening puts into the queue, in order: at the lower ports.
    pub fn openings(&self) -> impl Iterator<Item = &PortInput> {
        let lower = self.ports.iter().filter(|port| port.frames.is_some()).flat_map(|port| &port.inputs);
        lower.filter(|input| self.event(input.event).role == EventRole::Opening)
    }

    /// The same, once for each session that they can name.
    pub fn opened(&self) -> impl Iterator<Item = (&PortInput, u32)> {
        self.openings().flat_map(|input| (0..self.sessions_of(input.event)).map(move |session| (input, session)))
    }

    /// Its number among equal events, from 1, which makes its name unique where events were copied for links.
    pub fn occurrence(&self, event: EventId) -> usize {
        let declared = self.event(event);
        1 + self.events[..event.index()].iter().filter(|other| *other == declared).count()
    }

    /// Whether a layer's reaction to an event depends on the link.
    pub fn is_asked_by_link(&self, at: Target, event: EventId) -> bool {
        let Target::Layer(layer) = at else { return false };
        let reactions = self.layer(layer).reactions.iter().filter(|r| r.event == event);
        reactions.flat_map(|r| &r.arms).any(|arm| arm.guard.link.is_some())
    }

    /// Whether state other than the generators outlives a view.
    pub fn has_views(&self) -> bool {
        let drawn = |id: CellId| self.layers.iter().any(|layer| layer.random == Some(id));
        let mut cells = self.cells.iter().zip((0..).map(CellId));
        cells.any(|(cell, id)| cell.scope == Scope::Lasting && !drawn(id))
    }

    /// The event that comes back when this one is emitted over a link.
    pub fn turn(&self, link: LinkId, event: EventId) -> Option<&Turn> {
        let Target::Port(port) = self.arrives(link, event) else { return None };
        self.ports[port.index()].turns.iter().find(|turn| turn.event == event)
    }

    /// The input that takes the frames of a lower port, and their layout.
    pub fn frames_at(&self, port: PortId) -> Option<(&PortInput, LayoutId)> {
        let port = self.ports.get(port.index())?;
        let input = port.inputs.iter().find(|input| self.event(input.event).message.is_some())?;
        Some((input, port.frames?))
    }

    /// The handler for an event that reaches a layer.
    pub fn reaction(&self, layer: LayerId, met: &Met) -> Option<HandlerId> {
        self.arms(layer, met.link, met.event).find(|arm| arm.guard.fits(met)).map(|arm| arm.handler)
    }

    /// The alternatives of a layer for an event that comes over a link, in the order in which they are tried.
    pub fn arms(&self, layer: LayerId, link: Option<LinkId>, event: EventId) -> impl Iterator<Item = &Arm> {
        let reaction = self.layer(layer).reactions.iter().find(move |r| r.event == event);
        let arms = reaction.map(|reaction| reaction.arms.as_slice()).unwrap_or_default();
        arms.iter().filter(move |arm| arm.guard.link.is_none() || arm.guard.link == link)
    }

    /// The condition under which a layer takes an event from another layer.
    pub fn acceptance(&self, layer: LayerId, event: EventId) -> Option<&Admission> {
        self.layer(layer).reactions.iter().find(|r| r.event == event)?.accepts.as_ref()
    }

    /// All conditions of `accepts`, with their events: those of layers, and those of ports.
    pub fn admissions(&self) -> impl Iterator<Item = (EventId, &Admission)> {
        let reactions = self.layers.iter().flat_map(|layer| &layer.reactions);
        let of_layers = reactions.flat_map(|r| r.accepts.iter().map(|a| (r.event, a)));
        let inputs = self.ports.iter().flat_map(|port| &port.inputs);
        of_layers.chain(inputs.flat_map(|i| i.admissions.iter().map(|a| (i.event, a))))
    }

    /// Whether the target of an emission accepts it. `from`: the layer that emits.
    pub fn is_taken(&self, from: Option<LayerId>, emit: &Emit) -> bool {
        let Some(link) = self.links.get(emit.link.index()) else { return false };
        let direction = self.event(emit.event).direction;
        match link.end(direction) {
            Target::Port(port) => self.ports.get(port.index()).is_some_and(|p| {
                let turned = p.turns.iter().any(|turn| turn.event == emit.event && !turn.leaves);
                turned || p.outputs.contains(&emit.event)
            }),
            Target::Layer(layer) => self.layers.get(layer.index()).is_some_and(|target| {
                let reaction = target.reactions.iter().find(|r| r.event == emit.event);
                // A message from above carries no header of this layer yet; one from below has one if the peer added
                // it.
                let from_above = direction == Direction::Down && from.is_some();
                let fits = |guard: &Guard| {
                    guard.link.is_none_or(|link| link == emit.link) && (!from_above || guard.header.is_none())
                };
                reaction.is_some_and(|r| r.arms.iter().any(|a| fits(&a.guard)))
            }),
        }
    }

    /// Whether values of the type contain messages, so that they are linear.
    pub fn has_message(&self, ty: &Type) -> bool {
        has_message(&self.structs, ty)
    }

    /// The abilities of values of the type.
    pub fn capabilities(&self, ty: &Type) -> Capabilities {
        Capabilities::of(&self.structs, ty)
    }

    /// How many messages a value of the type can hold at most.
    pub fn messages_in(&self, ty: &Type) -> u64 {
        let all = |types: &mut dyn Iterator<Item = &Type>| {
            types.fold(0, |sum: u64, t| sum.saturating_add(self.messages_in(t)))
        };
        match ty {
            Type::Msg | Type::Bounded(_) => 1,
            Type::Struct(id) => all(&mut self.structs[id.index()].fields.iter().map(|f| &f.ty)),
            Type::Tuple(types) => all(&mut types.iter()),
            Type::Option(t) => self.messages_in(t),
            Type::Array(t, n) | Type::Ring(t, n) | Type::List(t, n) | Type::Pool(t, n) => {
                self.messages_in(t).saturating_mul(u64::from(*n))
            }
            Type::Window(t, n, _) | Type::Map(_, t, n) => self.messages_in(t).saturating_mul(u64::from(*n)),
            _ => 0,
        }
    }

    /// Bits of a value of the type inside a header field; see [`wire_bits`].
    pub fn wire_bits(&self, ty: &Type) -> Option<u32> {
        wire_bits(&self.structs, &self.enums, ty)
    }

    /// The host's view of the ports: for each port in order its inputs, then its outputs. A call names its event by
    /// the index in this list.
    pub fn interface(&self) -> Vec<PortEvent> {
        let mut list = vec![];
        for (index, port) in self.ports.iter().enumerate() {
            let id = PortId(index as u32);
            list.extend(port.inputs.iter().enumerate().map(|(i, input)| PortEvent {
                port: id,
                event: input.event,
                input: Some(i as u32),
            }));
            list.extend(port.outputs.iter().map(|event| PortEvent { port: id, event: *event, input: None }));
        }
        list
    }
}

/// An event as it reaches a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// Which event.
    pub event: EventId,
    /// Over which link it comes; none: over one for which no guard asks.
    pub link: Option<LinkId>,
    /// This layer's header on its message, if it has one.
    pub header: Option<HeaderId>,
    /// Whether the message is data.
    pub data: bool,
}

impl Guard {
    /// A guard that only requires that the message has no header of the layer.
    pub const NONE: Guard = Guard { link: None, header: None, data: false };

    /// Whether it lets an event in.
    pub fn fits(&self, met: &Met) -> bool {
        self.header == met.header && (met.data || !self.data) && (self.link.is_none() || self.link == met.link)
    }
}

/// An event at a port, as the host sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortEvent {
    pub port: PortId,
    pub event: EventId,
    /// Index into [`Port::inputs`], if the host may put it in.
    pub input: Option<u32>,
}

/// Whether values of the type contain messages, so that they are linear.
pub fn has_message(structs: &[Struct], ty: &Type) -> bool {
    match ty {
        Type::Msg | Type::Bounded(_) => true,
        Type::Struct(id) => structs[id.index()].fields.iter().any(|f| has_message(structs, &f.ty)),
        Type::Tuple(types) => types.iter().any(|t| has_message(structs, t)),
        Type::Option(t) | Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) => has_message(structs, t),
        Type::Window(t, _, _) | Type::Pool(t, _) | Type::Map(_, t, _) => has_message(structs, t),
        _ => false,
    }
}

/// Bits of a value of the type inside a header field; None: it has no form on the wire. (A field of a range may be
/// given more bits than needed: [`HeaderField::bits`] holds for the field itself, this for what is nested.)
pub fn wire_bits(structs: &[Struct], enums: &[Enum], ty: &Type) -> Option<u32> {
    let sum = |types: &[&Type]| types.iter().try_fold(0u32, |sum, t| sum.checked_add(wire_bits(structs, enums, t)?));
    Some(match ty {
        Type::Bool => 1,
        Type::UInt(b) | Type::Int(b) | Type::Seq(b) => u32::from(*b),
        Type::Range(_, high) => bits_below(*high),
        Type::Enum(id) => bits_below(enums[id.index()].variants.len() as u64),
        Type::Bits(n) => *n,
        Type::Duration | Type::Instant => 64,
        Type::Bytes(n) => n.checked_mul(8)?,
        Type::Addr => 160,
        Type::Array(t, n) => wire_bits(structs, enums, t)?.checked_mul(*n)?,
        Type::Tuple(types) => sum(&types.iter().collect::<Vec<_>>())?,
        Type::Struct(id) => sum(&structs[id.index()].fields.iter().map(|f| &f.ty).collect::<Vec<_>>())?,
        Type::Option(t) => wire_bits(structs, enums, t)?.checked_add(1)?,
        _ => return None,
    })
}

/// Bits that numbers below this one need.
pub fn bits_below(high: u64) -> u32 {
    64 - high.saturating_sub(1).leading_zeros()
}

/// The maximum number of entries of a window whose numbers have this many bits: the distance from `low` to the number
/// behind the last entry must still be positive.
pub fn longest_window(bits: u8) -> u64 {
    mask(u32::from(bits) - 1)
}

/// A mask of the lowest `bits` bits.
pub fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

impl Filter {
    /// The strings of bytes in the operand of a filter, one for each of [`Filter::inputs`].
    pub fn operands(operand: &Expr) -> &[Expr] {
        match &operand.kind {
            ExprKind::Tuple(parts) => parts,
            _ => std::slice::from_ref(operand),
        }
    }
}
