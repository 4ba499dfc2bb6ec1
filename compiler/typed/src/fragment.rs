//! The result of checking a layer: its part of a stack, as stack IR with numbers of its own.
//!
//! A fragment is one instance of a layer with its parameters filled in. All of it is final except what depends on the
//! stack, which `compose` replaces:
//! - identifiers ([`nacre_stack::CellId`] and so on) count within the fragment; `LayerId(0)` is this layer;
//! - emissions go over the link of one of the layer's sides: [`link_of`] [`BELOW`], [`ABOVE`], or 2 + the index into
//!   `ports`;
//! - `LayoutId(0)` in pack and unpack is the layout of the messages above this layer;
//! - `CounterId`: the built-in ones as they are, then `counters`.
//! - reactions are listed by side; what the layer does not handle, it passes on.

use nacre_diagnostics::Span;
use nacre_stack::visit::Rewriter;
use nacre_stack::{
    builtin, Admission, Bounds, Cell, Counter, Enum, Event, EventId, Expr, Extern, Filter, Function, Goal, Guard,
    Handler, HandlerId, Header, Layer, LayerId, Link, LinkId, Port, PortId, Stack, Struct, Target, Timer,
};

/// The side from which the lower neighbour (or the lower boundary) speaks.
pub const BELOW: PortId = PortId(0);
/// The side of the upper neighbour (or the upper boundary).
pub const ABOVE: PortId = PortId(1);

/// The link of a side in a fragment.
pub fn link_of(side: PortId) -> LinkId {
    LinkId(side.0)
}

/// The side of a link in a fragment.
pub fn side_of(link: LinkId) -> PortId {
    PortId(link.0)
}

/// One instance of a layer, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragment {
    /// The layer's name.
    pub name: String,
    /// With all parameters, as in sources: `pt2pt<W = 16, RTO = 20 ms>`.
    pub description: String,
    /// The short form, with stated parameters only: `pt2pt<16>`.
    pub short: String,
    /// Parameters that both peers must agree on (all except durations).
    pub wire_parameters: Vec<(String, u64)>,
    pub version: u32,
    pub provides: Vec<String>,
    pub requires: Vec<String>,
    pub breaks: Vec<String>,
    /// For each automaton among those, all automata that it extends.
    pub extends: Vec<(String, Vec<String>)>,
    /// Names of the interfaces above and below, for messages.
    pub above: Vec<String>,
    pub below: Vec<String>,
    /// The events of the interfaces above, below and of its ports, whether handled or not.
    pub events: Vec<Event>,
    /// Which events belong to which side: (side, event, whether the side's neighbour may send it to us).
    pub interface: Vec<InterfaceEvent>,
    /// `port name: iface;`, in order.
    pub ports: Vec<String>,
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
    pub headers: Vec<Header>,
    pub cells: Vec<Cell>,
    pub counters: Vec<String>,
    pub timers: Vec<Timer>,
    pub handlers: Vec<Handler>,
    pub functions: Vec<Function>,
    pub filters: Vec<Filter>,
    pub externs: Vec<Extern>,
    pub reactions: Vec<FragmentReaction>,
    pub accepts: Vec<(EventId, Admission)>,
    pub invariants: Vec<Expr>,
    pub goals: Vec<Goal>,
    /// Whether it draws random numbers; `compose` adds the generator's cell.
    pub random: bool,
    /// Whether it uses `pack` or `unpack`.
    pub packs: bool,
    pub span: Span,
}

impl Fragment {
    /// The fragment as a stack of this layer alone, to be printed: it has no layouts, and nothing leads to its
    /// handlers.
    pub fn as_stack(&self) -> Stack {
        let counter = |name: &str, layer| Counter { name: name.into(), layer };
        let own = self.counters.iter().map(|name| counter(name, Some(LayerId(0))));
        let sides = ["below", "above"].into_iter().chain(self.ports.iter().map(String::as_str));
        let layer = Target::Layer(LayerId(0));
        let link = |side: u32| match Target::Port(PortId(side)) {
            port if PortId(side) == BELOW => Link { lower: port, upper: layer },
            port => Link { lower: layer, upper: port },
        };
        Stack {
            name: self.name.clone(),
            description: self.description.clone(),
            layers: vec![Layer {
                name: self.name.clone(),
                description: self.description.clone(),
                version: self.version,
                sessions: 1,
                reactions: Vec::new(),
                invariants: self.invariants.clone(),
                goals: self.goals.clone(),
                random: None,
                span: self.span,
            }],
            contexts: Vec::new(),
            bypasses: Vec::new(),
            links: (0..2 + self.ports.len() as u32).map(link).collect(),
            structs: self.structs.clone(),
            enums: self.enums.clone(),
            events: self.events.clone(),
            headers: self.headers.clone(),
            cells: self.cells.clone(),
            counters: builtin::NAMES.iter().map(|name| counter(name, None)).chain(own).collect(),
            timers: self.timers.clone(),
            handlers: self.handlers.clone(),
            functions: self.functions.clone(),
            filters: self.filters.clone(),
            externs: self.externs.clone(),
            ports: sides.map(Port::named).collect(),
            layouts: Vec::new(),
            bounds: Bounds::default(),
        }
    }

    /// Changes all code, by a rewriter for each declaration.
    pub(crate) fn rewrite<R: Rewriter>(&mut self, rewriter: &mut dyn FnMut(Span) -> R) {
        for handler in &mut self.handlers {
            rewriter(handler.span).block(&mut handler.body);
        }
        for function in &mut self.functions {
            rewriter(function.span).block(&mut function.body);
        }
        for filter in &mut self.filters {
            rewriter(filter.span).block(&mut filter.body);
            rewriter(filter.span).block(&mut filter.end);
            let values = filter.initial.iter_mut().flatten().chain(&mut filter.result);
            values.for_each(|e| rewriter(filter.span).expr(e));
        }
        for cell in &mut self.cells {
            rewriter(self.span).block(&mut cell.draws);
        }
        let initial = self.cells.iter_mut().filter_map(|c| c.initial.as_mut());
        let accepts = self.accepts.iter_mut().map(|(_, a)| &mut a.condition);
        let goals = self.goals.iter_mut().map(|g| &mut g.holds);
        initial.chain(accepts).chain(goals).chain(&mut self.invariants).for_each(|e| rewriter(self.span).expr(e));
    }
}

/// An event of an interface, at one of the layer's sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceEvent {
    pub side: PortId,
    pub event: EventId,
    /// True: this layer receives it from that side; false: this layer may emit it there.
    pub incoming: bool,
}

/// A handler and its trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentReaction {
    pub side: PortId,
    pub event: EventId,
    pub guard: Guard,
    pub handler: HandlerId,
}
