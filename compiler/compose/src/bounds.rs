//! Computes the bounds of a step and of the space from the cost of each step.

use std::collections::{BTreeMap, BTreeSet};

use nacre_diagnostics::Diagnostic;
use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::blocks::{blocks, taken, too_many_blocks, MOST_BYTES};
use crate::codes;
use crate::cost::{Cost, Costs};
use crate::course::Act;
use crate::greatest::stated;
use crate::message::{Bag, Origin};
use crate::shapes::{Flow, Node};

/// Upper limit of the outputs of a step and of its queue; more is an error.
pub const MOST_OUTPUTS: u64 = 65_536;

/// Upper limit of the pieces of joined messages in a step; more is an error. Each takes 20 bytes of the pool.
pub const MOST_PIECES: u32 = 1 << 20;

/// Lower bounds of the sizes of an output and of a segment in the C interface.
const OUTPUT: u64 = 128;
const SEGMENT: u64 = 32;

/// The size of a block where no layer cuts messages: that of an Ethernet frame.
const USUAL_BLOCK: u32 = 1536;
/// Shorter slices do not divide messages into pieces.
const SHORTEST_PIECE: u32 = 64;
/// The maximum growth of messages between the layer that fragments them and those that store them.
const USUAL_GROWTH: u32 = 256;

/// Fills in the bounds of the stack and the needs of its inputs.
pub(crate) fn bound(stack: &mut Stack, flow: &Flow) -> Vec<Diagnostic> {
    let block = block(stack, flow);
    let mut costs = Costs::new(stack, flow, block);
    let by_entry: BTreeMap<Node, Cost> =
        entries(flow).into_iter().map(|node| (node.clone(), costs.of(&node))).collect();
    let worst = by_entry.values().fold(Cost::default(), |most, c| most.or(c));
    let queue = by_entry.values().map(Cost::queue).max().unwrap_or(1);
    let problems = too_much(stack, flow, &by_entry);
    let Some(later) = later(&by_entry).filter(|_| problems.is_empty()) else {
        return if problems.is_empty() { vec![endless(stack, &by_entry)] } else { problems };
    };
    let fits = |n: u64| n.min(u64::from(u32::MAX)) as u32;
    stack.bounds.queue = fits(queue);
    stack.bounds.later = fits(later);
    stack.bounds.outputs = fits(worst.outputs);
    stack.bounds.segments = fits(worst.segments);
    stack.bounds.scratch = fits(worst.scratch);
    stack.bounds.pieces = fits(pieces(stack, flow, &worst));
    stack.bounds.block = block;
    if stack.bounds.pieces > MOST_PIECES {
        return vec![too_many_pieces(stack, &by_entry)];
    }
    if let Some(problem) = too_many_bytes(stack, flow, &by_entry, &worst) {
        return vec![problem];
    }
    needs(stack, &by_entry);
    stack.bounds.blocks = blocks(stack, flow);
    if stack.bounds.blocks == 0 {
        stack.bounds.block = NO_BLOCK;
    }
    too_many_blocks(stack, flow).into_iter().collect()
}

/// The size of a block in a stack that never uses one.
const NO_BLOCK: u32 = 64;

/// All events that can begin a step: inputs of ports, timers, and `later` events.
fn entries(flow: &Flow) -> Vec<Node> {
    let later: Vec<(LayerId, EventId)> = flow
        .courses
        .values()
        .flat_map(|c| c.emissions())
        .filter(|e| e.later)
        .filter_map(|e| if let Target::Layer(layer) = e.target { Some((layer, e.event)) } else { None })
        .collect();
    let begins = |node: &&Node| match node {
        Node::Timer(_) | Node::Event(_, _, None) => true,
        Node::Event(layer, event, Some(kind)) => kind.origin == Origin::Entered || later.contains(&(*layer, *event)),
    };
    flow.courses.keys().filter(begins).cloned().collect()
}

fn too_much(stack: &Stack, flow: &Flow, by_entry: &BTreeMap<Node, Cost>) -> Vec<Diagnostic> {
    let over = by_entry.iter().filter(|(_, c)| c.outputs > MOST_OUTPUTS || c.queue() > MOST_OUTPUTS);
    let Some((node, cost)) = over.max_by_key(|(_, c)| c.queue().max(c.outputs)) else { return vec![] };
    let Some(handler) = flow.handlers.get(node).map(|h| stack.handler(*h)) else { return vec![] };
    let message = format!("a step that `{}` begins can cause more than {MOST_OUTPUTS} events", handler.name);
    let error = Diagnostic::error(codes::TOO_MUCH, message)
        .at(handler.span, format!("up to {} outputs, and a queue of up to {}", cost.outputs, cost.queue()))
        .because("the bounds of nested loops multiply along the path through the layers")
        .help("lower the bounds of its loops, or defer a part with `later`");
    vec![error]
}

fn too_many_pieces(stack: &Stack, by_entry: &BTreeMap<Node, Cost>) -> Diagnostic {
    let most = by_entry.iter().max_by_key(|(_, cost)| cost.pieces).map(|(node, _)| node);
    let layer = match most {
        Some(Node::Event(layer, ..)) => *layer,
        Some(Node::Timer(_)) | None => LayerId(0),
    };
    let message = format!("a step can join messages of more than {MOST_PIECES} pieces together");
    Diagnostic::error(codes::TOO_MUCH, message)
        .at(stack.layer(layer).span, format!("up to {} in one step that begins here", stack.bounds.pieces))
        .because("the bounds of nested loops multiply along the path through the layers")
        .help("lower the capacity of the joined containers, or the bounds of the loops around the `join`")
}

fn too_many_bytes(stack: &Stack, flow: &Flow, by_entry: &BTreeMap<Node, Cost>, worst: &Cost) -> Option<Diagnostic> {
    let bytes = |cost: &Cost| {
        let outputs = cost.outputs.saturating_mul(OUTPUT);
        outputs.saturating_add(cost.segments.saturating_mul(SEGMENT)).saturating_add(cost.scratch)
    };
    if bytes(worst) <= MOST_BYTES {
        return None;
    }
    let (node, cost) = by_entry.iter().max_by_key(|(_, cost)| bytes(cost))?;
    let message = format!("a step can yield more than {} MiB of frames and other outputs", MOST_BYTES >> 20);
    let span = flow.handlers.get(node).map_or(stack.layer(LayerId(0)).span, |h| stack.handler(*h).span);
    let error = Diagnostic::error(codes::TOO_MUCH, message)
        .at(span, format!("up to {} MiB in one step that begins here", bytes(cost) >> 20))
        .because("the bounds of nested loops multiply along the path through the layers")
        .help("lower the bounds of its loops or the growth of its filters, or defer a part with `later`");
    Some(error)
}

/// Size of the ring of `later` events: those of one step, and those that they cause meanwhile. None: unbounded.
fn later(by_entry: &BTreeMap<Node, Cost>) -> Option<u64> {
    let mut steps: BTreeMap<(Target, EventId), Cost> = BTreeMap::new();
    for (node, cost) in by_entry {
        if let Node::Event(layer, event, _) = node {
            let key = (Target::Layer(*layer), *event);
            let known = steps.remove(&key).unwrap_or_default();
            steps.insert(key, known.or(cost));
        }
    }
    let mut wave = by_entry.values().fold(Cost::default(), |most, c| most.or(c)).later;
    let total = |wave: &Wave| wave.values().sum::<u64>();
    // What is bounded repeats in the end: a wave equals a remembered one, which is replaced after ever more waves.
    let (mut remembered, mut most) = (wave.clone(), 0);
    for number in 1..=MOST_WAVES {
        let next = caused(&wave, &steps);
        most = most.max(total(&wave).saturating_add(total(&next)));
        if most > MOST_OUTPUTS {
            return None;
        }
        if next == remembered {
            return Some(most);
        }
        if number.is_power_of_two() {
            remembered = next.clone();
        }
        wave = next;
    }
    None
}

/// How often each `later` event occurs.
type Wave = BTreeMap<(Target, EventId), u64>;

/// More waves than the limit of the ring: what grows by one event in each exceeds that limit.
const MOST_WAVES: u64 = 2 * MOST_OUTPUTS;

/// The `later` events that those of a wave cause.
fn caused(wave: &Wave, steps: &BTreeMap<(Target, EventId), Cost>) -> Wave {
    let mut next = Wave::new();
    for (key, count) in wave {
        for (caused, n) in steps.get(key).into_iter().flat_map(|c| &c.later) {
            let known = next.entry(*caused).or_default();
            *known = known.saturating_add(n.saturating_mul(*count));
        }
    }
    next
}

fn endless(stack: &Stack, by_entry: &BTreeMap<Node, Cost>) -> Diagnostic {
    let layers = by_entry.values().flat_map(|c| c.later.keys()).filter_map(|(target, event)| match target {
        Target::Layer(layer) => Some((*layer, *event)),
        Target::Port(_) => None,
    });
    let (layer, event) = layers.max().unwrap_or((LayerId(0), EventId(0)));
    let message = format!(
        "the number of `later` events such as `{}` at `{}` can grow without bound",
        stack.event(event).name,
        stack.layer(layer).name
    );
    Diagnostic::error(codes::LATER, message)
        .at(stack.layer(layer).span, "they are handled here")
        .because("each must cause at most one further `later` event, or their queue overflows")
        .help("emit at most one for each that is handled")
}

fn need(cost: &Cost) -> Need {
    let copies = cost.entered.min(1) + cost.copies;
    let fits = |n: u64| n.min(u64::from(u32::MAX)) as u32;
    Need { copies: fits(copies), extra: fits(cost.blocks) }
}

/// The need of a call with a message of up to `limit` bytes. If only shorter ones are stored, it does not depend on the
/// length: longer ones need no more.
fn need_of_call(cost: &Cost, limit: u32, block: u32) -> Need {
    let need = need(cost);
    if cost.stored >= u64::from(limit) {
        return need;
    }
    let extra = taken(need, cost.stored as u32, block);
    Need { copies: 0, extra: extra.min(u64::from(u32::MAX)) as u32 }
}

fn needs(stack: &mut Stack, by_entry: &BTreeMap<Node, Cost>) {
    let limits = nacre_analysis::lengths::longest_calls(stack);
    let block = stack.bounds.block;
    for (p, port) in stack.ports.iter_mut().enumerate() {
        for input in &mut port.inputs {
            let here = by_entry.iter().filter(|(node, _)| match node {
                Node::Event(l, e, kind) => {
                    *l == input.layer && *e == input.event && kind.as_ref().is_none_or(|k| k.origin == Origin::Entered)
                }
                Node::Timer(_) => false,
            });
            let cost = here.fold(Cost::default(), |most, (_, c)| most.or(c));
            let limit = limits.get(&(PortId(p as u32), input.event));
            input.need = limit.map_or_else(|| need(&cost), |limit| need_of_call(&cost, *limit, block));
        }
    }
    let most = |a: Need, b: Need| Need { copies: a.copies.max(b.copies), extra: a.extra.max(b.extra) };
    stack.bounds.open = stack.openings().map(|i| i.need).fold(Need::default(), most);
    let others = by_entry.iter().filter(|(node, _)| match node {
        Node::Timer(_) => true,
        Node::Event(_, _, kind) => kind.as_ref().is_none_or(|k| k.origin != Origin::Entered),
    });
    stack.bounds.timer = others.map(|(_, c)| need(c)).fold(Need::default(), most);
}

/// Pieces of joined messages in one step: those in the joined cells, and those made in the step.
fn pieces(stack: &Stack, flow: &Flow, worst: &Cost) -> u64 {
    let mut cells = BTreeSet::new();
    let mut joins = false;
    for course in flow.courses.values() {
        course.acts(&mut |act| {
            if let Act::Join(_, cell) = act {
                joins = true;
                cells.extend(*cell);
            }
        });
    }
    let lay = cells.iter().map(|c| messages(stack, &stack.cells[c.index()].ty)).fold(0, u64::saturating_add);
    if joins {
        lay.saturating_add(worst.pieces)
    } else {
        0
    }
}

/// The most messages that a value of a type can hold.
fn messages(stack: &Stack, ty: &Type) -> u64 {
    let all = |types: &mut dyn Iterator<Item = &Type>| types.map(|t| messages(stack, t)).fold(0, u64::saturating_add);
    match ty {
        Type::Msg => 1,
        Type::Option(t) => messages(stack, t),
        Type::Array(t, n)
        | Type::Ring(t, n)
        | Type::List(t, n)
        | Type::Window(t, n, _)
        | Type::Pool(t, n)
        | Type::Map(_, t, n) => u64::from(*n).saturating_mul(messages(stack, t)),
        Type::Struct(id) => all(&mut stack.structs[id.index()].fields.iter().map(|f| &f.ty)),
        Type::Tuple(types) => all(&mut types.iter()),
        _ => 0,
    }
}

/// All bags of stored messages.
fn kept(flow: &Flow) -> Vec<&Bag> {
    let mut found = vec![];
    for course in flow.courses.values() {
        course.acts(&mut |act| match act {
            Act::Keep(bag) => found.push(bag),
            Act::Emit(e) if e.later => found.extend(&e.bag),
            _ => {}
        });
    }
    found
}

/// The size of a block: that of the longest piece that layers below the cutting layer can store.
fn block(stack: &Stack, flow: &Flow) -> u32 {
    let lengths = || kept(flow).into_iter().flat_map(|bag| bag.0.values()).map(|size| size.piece);
    let longest = lengths().max().unwrap_or(USUAL_BLOCK);
    let size = match longest_slice(stack) {
        Some(slice) => lengths().filter(|l| *l <= slice + USUAL_GROWTH).max().unwrap_or(0).max(slice),
        None => longest.min(USUAL_BLOCK),
    };
    size.min(longest.max(1)).max(64).next_multiple_of(8)
}

/// The longest stated length of a slice in any layer.
fn longest_slice(stack: &Stack) -> Option<u32> {
    let mut longest = None;
    let mut see = |e: &Expr| {
        if let ExprKind::Slice(_, _, length) = &e.kind {
            let length = stated(length)
                .and_then(|n| u32::try_from(n).ok())
                .filter(|n| (SHORTEST_PIECE..=crate::layout::TRANSPORT_MAX).contains(n));
            longest = longest.max(length);
        }
    };
    stack.handlers.iter().for_each(|h| h.body.each_expr(&mut see));
    stack.functions.iter().for_each(|f| f.body.each_expr(&mut see));
    longest
}
