//! Joins fragments: one numbering for all, unique names, emissions to where they go.

use std::collections::{BTreeSet, HashMap};

use nacre_stack::*;
use nacre_typed::Fragment;

use crate::renumber::Renumber;

/// Port 0 and port 1 of every stack.
pub(crate) const LOWER: PortId = PortId(0);
pub(crate) const UPPER: PortId = PortId(1);

/// A stack whose layers are joined, but of which nothing is known yet about what flows through it.
pub(crate) struct Linked {
    pub stack: Stack,
    /// For each layer, the events at its two sides.
    pub sides: Vec<Sides>,
    pub accepts: Vec<(EventId, Admission)>,
}

/// What a layer speaks with its neighbours.
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
    fn of(below: LinkId, above: LinkId) -> Sides {
        let none = BTreeSet::new;
        let (from_below, to_below, from_above, to_above) = (none(), none(), none(), none());
        Sides { below, above, from_below, to_below, from_above, to_above, layout: None }
    }
}

/// Two events are one if all of this is equal. Events of a layer's own port are nobody else's.
pub(crate) type EventKey = (String, Direction, Vec<Type>, Option<u32>, Option<PortId>);

/// The stack as far as it is joined.
pub(crate) struct Linker {
    pub stack: Stack,
    pub events: HashMap<EventKey, EventId>,
    pub sides: Vec<Sides>,
    pub accepts: Vec<(EventId, Admission)>,
}

/// Joins the fragments, the top first, as their neighbours already fit.
pub(crate) fn link(name: &str, fragments: &[Fragment]) -> Linked {
    let description = fragments.iter().map(|f| f.short.as_str()).collect::<Vec<_>>().join(" / ");
    let mut linker = Linker { stack: empty(name, description), events: HashMap::new(), sides: vec![], accepts: vec![] };
    // All layers stand in their places before the first one is numbered, so that it knows its neighbours.
    let between: Vec<(LinkId, LinkId)> = (0..fragments.len()).map(|i| linker.stand(LayerId(i as u32))).collect();
    for (fragment, between) in fragments.iter().rev().zip(between) {
        linker.add(fragment, between);
    }
    Linked { stack: linker.stack, sides: linker.sides, accepts: linker.accepts }
}

fn empty(name: &str, description: String) -> Stack {
    Stack {
        name: name.into(),
        description,
        layers: vec![],
        links: vec![],
        contexts: vec![],
        structs: vec![],
        enums: vec![],
        events: vec![],
        headers: vec![],
        cells: vec![],
        counters: builtin::NAMES.iter().map(|n| Counter { name: (*n).into(), layer: None }).collect(),
        timers: vec![],
        handlers: vec![],
        functions: vec![],
        filters: vec![],
        externs: vec![],
        ports: vec![Port::lower("below", LayoutId(0)), Port::named("above")],
        layouts: vec![Layout { layer: LayerId(0), form: LayoutForm::Plain, fingerprint: 0, shapes: vec![] }],
        bounds: Bounds::default(),
    }
}

impl Linker {
    /// Puts a layer on top of what stands already; gives the links to its neighbours.
    fn stand(&mut self, layer: LayerId) -> (LinkId, LinkId) {
        let (this, links) = (Target::Layer(layer), &mut self.stack.links);
        let below = match links.iter().position(|link| link.upper == Target::Port(UPPER)) {
            Some(top) => top,
            None => {
                links.push(Link { lower: Target::Port(LOWER), upper: this });
                0
            }
        };
        links[below].upper = this;
        links.push(Link { lower: this, upper: Target::Port(UPPER) });
        (LinkId(below as u32), LinkId(links.len() as u32 - 1))
    }

    fn add(&mut self, fragment: &Fragment, (below, above): (LinkId, LinkId)) {
        let layer = LayerId(self.stack.layers.len() as u32);
        let instance = unique(&fragment.name, |n| self.stack.layers.iter().any(|l| l.name == n));
        let mut sides = Sides::of(below, above);
        if fragment.packs {
            sides.layout = Some(LayoutId(self.stack.layouts.len() as u32));
            self.stack.layouts.push(Layout { layer, form: LayoutForm::Plain, fingerprint: 0, shapes: vec![] });
        }
        self.sides.push(sides);
        let stack = &mut self.stack;
        let ports = stack.ports.len() as u32;
        let links = stack.links.len() as u32;
        for name in &fragment.ports {
            let name = unique(name, |n| stack.ports.iter().any(|p| p.name == n));
            let (lower, port) = (Target::Layer(layer), Target::Port(PortId(stack.ports.len() as u32)));
            stack.links.push(Link { lower, upper: port });
            stack.ports.push(Port::named(name));
        }
        stack.layers.push(Layer {
            name: instance.clone(),
            description: fragment.description.clone(),
            version: fragment.version,
            sessions: 1,
            reactions: vec![],
            invariants: vec![],
            goals: vec![],
            random: None,
            span: fragment.span,
        });
        let (headers, counters) = (stack.headers.len() as u32, stack.counters.len() as u32);
        let (handlers, functions) = (stack.handlers.len() as u32, stack.functions.len() as u32);
        let renumber = Renumber {
            fragment,
            layer,
            links,
            structs: vec![None; fragment.structs.len()],
            enums: vec![],
            cells: vec![],
            headers,
            counters,
            handlers,
            functions,
            filters: vec![],
            externs: vec![],
            ports,
            instance,
            linker: self,
        };
        renumber.all();
    }
}

/// The name, or the first `name_2`, `name_3`... that is not taken.
pub(crate) fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(name) {
        return name.into();
    }
    (2..).map(|n| format!("{name}_{n}")).find(|n| !taken(n)).unwrap_or_default()
}

/// Adds an arm to a layer's reactions; for one header, the arm that asks for data is tried first.
pub(crate) fn add_arm(layer: &mut Layer, event: EventId, arm: Arm) {
    match layer.reactions.iter_mut().find(|r| r.event == event) {
        Some(reaction) if arm.guard.data => reaction.arms.insert(0, arm),
        Some(reaction) => reaction.arms.push(arm),
        None => layer.reactions.push(Reaction { event, arms: vec![arm] }),
    }
}
