//! A builder of layers: a stack of one layer, and the interfaces of most layers.

use nacre_stack::samples::build::*;
use nacre_stack::*;
use nacre_typed::{Fragment, FragmentReaction, InterfaceEvent, ABOVE, BELOW};

pub const DOWN: LinkId = LinkId(0);
pub const UP: LinkId = LinkId(1);
pub const LAYER: LayerId = LayerId(0);

pub fn seq(bits: u8) -> Type {
    Type::Seq(bits)
}

/// A layer under construction: a stack of one layer whose ports are its sides.
pub struct Maker {
    pub b: Builder,
    pub interface: Vec<InterfaceEvent>,
    pub fragment: Fragment,
}

/// The events of `channel` that these layers need.
#[derive(Clone, Copy)]
pub struct Channel {
    pub send: EventId,
    pub deliver: EventId,
    pub grant_sends: EventId,
    pub close: EventId,
    pub init: EventId,
}

/// The events of `datagram`.
#[derive(Clone, Copy)]
pub struct Datagram {
    pub send: EventId,
    pub deliver: EventId,
}

impl Maker {
    pub fn new(name: &str, short: &str) -> Maker {
        let mut b = Builder::new(name, short);
        b.layer(name);
        let (name, description, short) = (name.into(), short.into(), short.into());
        let fragment = Fragment { name, description, short, version: 1, ..Fragment::default() };
        Maker { b, interface: vec![], fragment }
    }

    pub fn header(&mut self, name: &str, fields: &[(&str, Type)]) -> HeaderId {
        let fields: Vec<_> = fields.iter().map(|(n, t)| (*n, t.clone(), FieldPlace::Packed)).collect();
        self.b.header(LAYER, name, &fields)
    }

    pub fn cell(&mut self, name: &str, ty: Type) -> Place {
        self.b.cell(LAYER, name, Scope::Session, ty, None)
    }

    pub fn given(&mut self, name: &str, ty: Type) -> Place {
        self.b.cell(LAYER, name, Scope::Given, ty, None)
    }

    pub fn event(&mut self, name: &str, direction: Direction, parameters: &[(&str, Type)]) -> EventId {
        self.b.event(name, direction, parameters)
    }

    /// Adds these events at a side: the layer emits those towards the side, and handles the others.
    pub fn speaks(&mut self, side: PortId, name: &str, events: &[EventId]) {
        let list = if side == ABOVE { &mut self.fragment.above } else { &mut self.fragment.below };
        list.push(name.into());
        for event in events {
            let up = self.b.stack.event(*event).direction == Direction::Up;
            self.interface.push(InterfaceEvent { side, event: *event, incoming: up == (side == BELOW) });
        }
    }

    pub fn channel(&mut self) -> Channel {
        let m = ("m", Type::Msg);
        Channel {
            send: self.event("send", Direction::Down, std::slice::from_ref(&m)),
            deliver: self.event("deliver", Direction::Up, &[m]),
            grant_sends: self.event("grant_sends", Direction::Up, &[("n", Type::UInt(16))]),
            close: self.event("close", Direction::Down, &[]),
            init: self.event("init", Direction::Up, &[]),
        }
    }

    pub fn channel_above(&mut self, c: Channel) {
        self.speaks(ABOVE, "channel", &[c.send, c.deliver, c.grant_sends, c.close, c.init]);
    }

    pub fn channel_below(&mut self, c: Channel) {
        self.speaks(BELOW, "channel", &[c.send, c.deliver, c.grant_sends, c.close, c.init]);
    }

    pub fn datagram_below(&mut self) -> Datagram {
        let m = ("m", Type::Msg);
        let send = self.event("send", Direction::Down, &[("to", Type::Addr), m.clone()]);
        let deliver = self.event("deliver", Direction::Up, &[("from", Type::Addr), m]);
        self.speaks(BELOW, "datagram", &[send, deliver]);
        Datagram { send, deliver }
    }

    pub fn on(&mut self, event: EventId, header: Option<HeaderId>, body: impl FnOnce(&mut Locals, &[Expr]) -> Block) {
        self.b.handler(LAYER, event, header, body);
    }

    pub fn done(self) -> Fragment {
        let stack = self.b.stack;
        let side = |event: EventId| if stack.event(event).direction == Direction::Up { BELOW } else { ABOVE };
        let mut reactions = vec![];
        for reaction in &stack.layers[0].reactions {
            for arm in &reaction.arms {
                reactions.push(FragmentReaction {
                    side: side(reaction.event),
                    event: reaction.event,
                    guard: arm.guard,
                    handler: arm.handler,
                });
            }
        }
        Fragment {
            events: stack.events,
            interface: self.interface,
            structs: stack.structs,
            enums: stack.enums,
            headers: stack.headers,
            cells: stack.cells,
            counters: stack.counters.into_iter().skip(builtin::NAMES.len()).map(|c| c.name).collect(),
            timers: stack.timers,
            handlers: stack.handlers,
            functions: stack.functions,
            filters: stack.filters,
            externs: stack.externs,
            goals: stack.layers[0].goals.clone(),
            invariants: stack.layers.into_iter().next().expect("one layer").invariants,
            reactions,
            ..self.fragment
        }
    }
}
