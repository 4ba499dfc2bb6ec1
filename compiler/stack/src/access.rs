//! Small questions that every consumer of the IR asks.

use super::*;

impl Stack {
    pub fn layer(&self, id: LayerId) -> &Layer {
        &self.layers[id.index()]
    }
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }
    pub fn header(&self, id: HeaderId) -> &Header {
        &self.headers[id.index()]
    }
    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.index()]
    }
    pub fn handler(&self, id: HandlerId) -> &Handler {
        &self.handlers[id.index()]
    }
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The handler for an event at a layer, given this layer's header on its message (if any) and whether it is data.
    pub fn reaction(&self, layer: LayerId, event: EventId, header: Option<HeaderId>, data: bool) -> Option<HandlerId> {
        let reaction = self.layer(layer).reactions.iter().find(|r| r.event == event)?;
        let arm = reaction.arms.iter().find(|a| a.guard.header == header && (data || !a.guard.data))?;
        Some(arm.handler)
    }

    /// Whether values of the type contain messages, so that they are linear.
    pub fn has_message(&self, ty: &Type) -> bool {
        match ty {
            Type::Msg => true,
            Type::Struct(id) => self.structs[id.index()].fields.iter().any(|f| self.has_message(&f.ty)),
            Type::Tuple(types) => types.iter().any(|t| self.has_message(t)),
            Type::Option(t) | Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) => self.has_message(t),
            Type::Window(t, _, _) | Type::Pool(t, _) => self.has_message(t),
            Type::Map(_, t, _) => self.has_message(t),
            _ => false,
        }
    }
}

/// The mask of so many low bits.
pub fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}
