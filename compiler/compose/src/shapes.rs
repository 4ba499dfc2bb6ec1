//! Finds the events and messages on each link of the stack, by following every handler to a fixed point.
//!
//! Messages enter at ports without headers; frames that leave by the lower boundary come back from the peer, which
//! runs the same stack.

use std::collections::{BTreeMap, BTreeSet};

use nacre_stack::*;

use crate::activation::activate;
use crate::course::{Course, Emission};
use crate::linked::{Linked, LOWER, UPPER};
use crate::message::{Bag, Kind, Origin, Size};
use crate::passing;
use crate::world::World;

/// The trigger of a handler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    /// An event arrives at a layer; none: it has no message.
    Event(LayerId, EventId, Option<Kind>),
    Timer(TimerId),
}

/// All that can happen in a stack.
#[derive(Default)]
pub(crate) struct Flow {
    /// The messages that arrive at each node.
    pub arrivals: BTreeMap<Node, Size>,
    /// The number of changes of each of them.
    pub changes: BTreeMap<Node, u32>,
    pub courses: BTreeMap<Node, Course>,
    pub handlers: BTreeMap<Node, HandlerId>,
    /// The messages that leave by each port.
    pub outputs: BTreeMap<(PortId, EventId), Bag>,
    pub world: World,
    /// Events with one of the layer's headers for which the layer has no handler.
    pub unhandled: BTreeSet<(LayerId, EventId, HeaderId)>,
    /// Events below the lowest layer that the port does not accept.
    pub lost: BTreeSet<EventId>,
    /// Events with a message that leave by the lower boundary but do not come back there.
    pub one_way: BTreeSet<EventId>,
    /// The greatest length of a frame's data, and of a call's message for which no layer states a limit.
    pub longest_frame: u32,
    pub longest_call: u32,
    /// The longest messages of calls that are limited by what a layer below takes, and that layer.
    pub shorter: BTreeMap<(PortId, EventId), (u32, LayerId)>,
    /// Layers to which longer messages come with an event than they accept, even if all calls have empty ones: the
    /// layer, the event, and the longest message that it accepts.
    pub unfit: Vec<(LayerId, EventId, u32)>,
    /// The emission at which a message outgrows every frame, if calls then have no room for a message.
    pub grown: Option<(LayerId, Span)>,
}

/// Events with different headers on their messages, at all layers together.
const MOST_ARRIVALS: usize = 1 << 14;

impl Flow {
    /// Whether the search was abandoned because of too many combinations of headers.
    pub(crate) fn too_many(&self) -> bool {
        self.arrivals.len() > MOST_ARRIVALS
    }
}

/// Follows everything that can enter the stack. Makes handlers that pass events on where they are needed.
pub(crate) fn follow(linked: &mut Linked, limits: &BTreeMap<(PortId, EventId), u32>, frame: u32, call: u32) -> Flow {
    let mut flow = Flow { longest_frame: frame, longest_call: call, ..Flow::default() };
    flow.world.strides = crate::strides::Strides::of_cells(&linked.stack);
    enter(linked, limits, &mut flow);
    while !flow.too_many() && sweep(linked, &mut flow) {}
    flow
}

/// All events that begin at the host, the lower boundary and the timers.
fn enter(linked: &Linked, limits: &BTreeMap<(PortId, EventId), u32>, flow: &mut Flow) {
    let stack = &linked.stack;
    for (p, port) in stack.ports.iter().enumerate() {
        for input in &port.inputs {
            let message = stack.event(input.event).message.is_some();
            if p == LOWER.index() && message {
                continue;
            }
            let kind = message.then(|| Kind { headers: vec![], data: true, origin: Origin::Entered });
            let size = match limits.get(&(PortId(p as u32), input.event)) {
                _ if !message => Size::NONE,
                Some(limit) => Size::up_to(*limit),
                None => Size::of_call(flow.longest_call),
            };
            flow.arrivals.insert(Node::Event(input.layer, input.event, kind), size);
        }
    }
    for timer in 0..stack.timers.len() {
        flow.arrivals.insert(Node::Timer(TimerId(timer as u32)), Size::NONE);
    }
}

/// Runs each known node once; returns whether anything changed.
fn sweep(linked: &mut Linked, flow: &mut Flow) -> bool {
    let mut new = false;
    let mut pending: Vec<Node> = flow.arrivals.keys().cloned().collect();
    while let Some(node) = pending.pop().filter(|_| !flow.too_many()) {
        let size = flow.arrivals[&node];
        let Some(handler) = handler_of(linked, flow, &node) else { continue };
        let code = linked.stack.handler(handler);
        let message = message_of(&linked.stack, &node, code, size);
        let (course, learnt) = activate(&linked.stack, &mut flow.world, handler, message);
        new |= learnt;
        for emission in course.emissions() {
            new |= carry(linked, flow, emission, &mut pending);
        }
        flow.handlers.insert(node.clone(), handler);
        flow.courses.insert(node, course);
    }
    new
}

/// The handler of a node's event; made if the layer only passes it on.
fn handler_of(linked: &mut Linked, flow: &mut Flow, node: &Node) -> Option<HandlerId> {
    let (layer, event, kind) = match node {
        Node::Timer(timer) => return Some(linked.stack.timers[timer.index()].handler),
        Node::Event(layer, event, kind) => (*layer, *event, kind.as_ref()),
    };
    let own = kind.and_then(|k| own_header(&linked.stack, layer, k));
    let data = kind.is_some_and(|k| k.data);
    let known = linked.stack.reaction(layer, &Met { event, link: None, header: own, data });
    let handler = match (known, own) {
        (Some(handler), _) => handler,
        (None, None) => passing::make(linked, layer, event),
        (None, Some(header)) => {
            flow.unhandled.insert((layer, event, header));
            return None;
        }
    };
    if linked.stack.handler(handler).passes && passing::is_lost(linked, layer, event) {
        flow.lost.insert(event);
    }
    Some(handler)
}

/// The header of a layer on a message that arrives there.
pub(crate) fn own_header(stack: &Stack, layer: LayerId, kind: &Kind) -> Option<HeaderId> {
    kind.headers.first().copied().filter(|h| stack.header(*h).layer == layer)
}

/// The local that contains a node's message, without the layer's own header.
fn message_of(stack: &Stack, node: &Node, code: &Handler, size: Size) -> Option<(LocalId, Bag)> {
    let Node::Event(layer, event, Some(kind)) = node else { return None };
    let local = code.parameters[stack.event(*event).message? as usize];
    let mut kind = kind.clone();
    if own_header(stack, *layer, &kind).is_some() {
        kind.headers.remove(0);
    }
    Some((local, Bag::one(kind, size)))
}

/// Delivers the emissions of a handler to their targets.
fn carry(linked: &Linked, flow: &mut Flow, emission: &Emission, pending: &mut Vec<Node>) -> bool {
    match emission.target {
        Target::Layer(layer) => arrive(flow, layer, emission, pending),
        Target::Port(port) => leave(linked, flow, port, emission, pending),
    }
}

fn arrive(flow: &mut Flow, layer: LayerId, emission: &Emission, pending: &mut Vec<Node>) -> bool {
    let mut new = false;
    for (kind, size) in arriving(emission) {
        new |= meet(flow, Node::Event(layer, emission.event, kind), size, pending);
    }
    new
}

/// The messages that an emission brings to a layer.
pub(crate) fn arriving(emission: &Emission) -> Vec<(Option<Kind>, Size)> {
    match sent(emission) {
        None => vec![(None, Size::NONE)],
        Some(bag) => bag.0.into_iter().map(|(kind, size)| (Some(kind), size)).collect(),
    }
}

/// The messages of an emission when it happens; those of a `later` emission have been kept until then.
pub(crate) fn sent(emission: &Emission) -> Option<Bag> {
    emission.bag.as_ref().map(|bag| if emission.later { bag.kept() } else { bag.clone() })
}

fn meet(flow: &mut Flow, node: Node, size: Size, pending: &mut Vec<Node>) -> bool {
    let known = flow.arrivals.get(&node).copied();
    let times = flow.changes.entry(node.clone()).or_default();
    let joined = known.map_or(size, |known| known.join(size).widened(known, *times));
    if known == Some(joined) {
        return false;
    }
    *times += 1;
    flow.arrivals.insert(node.clone(), joined);
    pending.push(node);
    true
}

fn leave(linked: &Linked, flow: &mut Flow, port: PortId, emission: &Emission, pending: &mut Vec<Node>) -> bool {
    let known = flow.outputs.entry((port, emission.event)).or_default();
    let new = emission.bag.as_ref().is_some_and(|bag| known.join(bag));
    let (true, Some(bag)) = (port == LOWER, &emission.bag) else { return new };
    let Some((_, layer)) = linked.stack.neighbour_of(port) else { return new };
    let Some(event) = returning(linked, emission.event) else {
        flow.one_way.insert(emission.event);
        return new;
    };
    let mut any = new;
    let longest = flow.longest_frame;
    for (kind, size) in &bag.0 {
        let kind = Kind { origin: Origin::Entered, ..kind.clone() };
        let size = Size { min: size.min, ..Size::of_peer(size.max.min(longest)) };
        any |= meet(flow, Node::Event(layer, event, Some(kind)), size, pending);
    }
    any
}

/// The event with which the peer receives this one: for `sending` the delivery, if there is a choice, otherwise the
/// event of the same name. The lower boundary brings up all frames by one event, the first of its inputs that has a
/// message.
pub(crate) fn returning(linked: &Linked, sent: EventId) -> Option<EventId> {
    let stack = &linked.stack;
    let name = &stack.event(sent).name;
    let lowest = stack.neighbour_of(LOWER).map_or(0, |(_, layer)| layer.index());
    let said = linked.sides[lowest].to_below.iter().filter(|e| stack.event(**e).message.is_some()).count();
    let inputs = stack.ports[LOWER.index()].inputs.iter().map(|i| i.event);
    let with_message: Vec<EventId> = inputs.filter(|e| stack.event(*e).message.is_some()).collect();
    if said <= 1 && with_message.len() == 1 {
        return with_message.first().copied();
    }
    let delivery = |e: &EventId| stack.event(*e).role == EventRole::Delivery;
    let delivered =
        with_message.iter().copied().find(delivery).filter(|_| stack.event(sent).role == EventRole::Sending);
    let same = || with_message.iter().copied().find(|e| stack.event(*e).name == *name);
    delivered.or_else(same).filter(|event| with_message.first() == Some(event))
}

/// Fills in the inputs of the two boundaries: the events of the interfaces, and the opening event.
pub(crate) fn boundaries(linked: &mut Linked) {
    let [Some(bottom), Some(top)] = [LOWER, UPPER].map(|port| linked.stack.neighbour_of(port)) else { return };
    let mut from_below: Vec<EventId> =
        linked.sides[bottom.1.index()].from_below.iter().copied().chain(opening(&linked.stack)).collect();
    from_below.sort_by_key(|e| linked.stack.event(*e).role != EventRole::Delivery);
    let from_above: Vec<EventId> = linked.sides[top.1.index()].from_above.iter().copied().collect();
    for (port, (link, layer), events) in [(LOWER, bottom, from_below), (UPPER, top, from_above)] {
        for event in events {
            let known = linked.stack.ports[port.index()].inputs.iter().any(|i| i.event == event);
            if !known && passing::is_wanted(linked, port, event) {
                let input = PortInput { event, link, layer, admissions: vec![], need: Need::default() };
                linked.stack.ports[port.index()].inputs.push(input);
            }
        }
    }
}

/// The opening event, if a layer knows one.
fn opening(stack: &Stack) -> Option<EventId> {
    stack.events.iter().position(|e| e.role == EventRole::Opening).map(|i| EventId(i as u32))
}
