//! What leaves by a bypass, if it is little enough for registers: then a quick entry returns it, and nobody writes
//! outputs or reads them (docs/c-interface.md, "Quick entries").
//!
//! A call may leave one frame, whose data is the message of the call. A frame may leave its data as the delivery, an
//! event with a small number in front of it, both or nothing.

use std::collections::{BTreeMap, BTreeSet};

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

/// The port at which the frames of quick entries come and go.
pub const FRAMES: PortId = PortId(0);
/// Bits of the number of an event that leaves in front of a delivery.
const BITS: u32 = 16;

/// What leaves by a bypass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// By that of a call: a frame.
    Frame(Sent),
    /// By that of a frame: what comes of it.
    Delivery {
        /// Whether an event leaves in front.
        event: bool,
        /// Whether the data is delivered.
        data: bool,
    },
}

/// How a frame leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The event by which it leaves.
    pub event: EventId,
    /// The cell with the address to which it goes, if it has one.
    pub to: Option<CellId>,
}

/// The event that delivers messages: the only one of that role.
pub fn delivery(stack: &Stack) -> Option<PortEvent> {
    let interface = stack.interface().into_iter();
    let mut all = interface.filter(|e| e.input.is_none() && stack.event(e.event).role == EventRole::Delivery);
    all.next().filter(|_| all.next().is_none())
}

/// What leaves by a bypass; none: more than fits, or it has an opening, which bypasses share.
pub fn left_by(stack: &Stack, bypass: &Bypass) -> Option<Left> {
    if bypass.opening().is_some() {
        return None;
    }
    let given = stack.event(bypass.entry.event(stack)?);
    let message = bypass.parameters[given.message? as usize];
    let out = emissions(stack, bypass, message)?;
    match bypass.entry {
        Entry::Call(..) if given.parameters.len() == 1 => match out[..] {
            [ref one] => sent(stack, one).map(Left::Frame),
            _ => None,
        },
        Entry::Frame(FRAMES, _) => match &out[..] {
            [] => Some(Left::Delivery { event: false, data: false }),
            [one] if is_data(stack, one) => Some(Left::Delivery { event: false, data: true }),
            [one] if is_small(stack, one) => Some(Left::Delivery { event: true, data: false }),
            [one, two] if is_small(stack, one) && is_data(stack, two) => {
                Some(Left::Delivery { event: true, data: true })
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a bypass has bytes in hand that are in no message yet. Such code is long, so it slows the other bypasses of
/// its entry, and needs space for these bytes.
pub fn handles_bytes(bypass: &Bypass) -> bool {
    let handles = |node: Node| {
        let has_bytes = |e: &Expr| matches!(e.ty, Type::Bytes(_) | Type::Text(_) | Type::View);
        let makes = payload::reads(node).is_some();
        makes || matches!(node, Node::Expr(e) if has_bytes(e) || matches!(e.kind, ExprKind::Pack(..)))
    };
    bypass.body.any(handles) || bypass.condition.any(handles)
}

/// An event that leaves the stack.
struct Emission<'a> {
    port: PortId,
    event: EventId,
    arguments: &'a [Expr],
    /// Its message has the data of the message that came, all of it.
    whole: bool,
    /// The cell whose value its address is.
    to: Option<CellId>,
}

/// What leaves by a bypass, in order; none: some of it cannot be followed.
fn emissions<'a>(stack: &Stack, bypass: &'a Bypass, message: LocalId) -> Option<Vec<Emission<'a>>> {
    let mut whole = BTreeSet::from([message]);
    let mut addresses: BTreeMap<LocalId, CellId> = BTreeMap::new();
    let mut out = vec![];
    for statement in &bypass.body {
        if let StatementKind::Emit(emit) = &statement.kind {
            match (stack.target(emit), emit.later) {
                (_, true) => {}
                (Target::Layer(_), false) => return None,
                (Target::Port(port), false) => {
                    let declared = stack.event(emit.event);
                    let data = declared.message.and_then(|at| emit.arguments.get(at as usize));
                    let to = emit.arguments.iter().find(|e| e.ty == Type::Addr);
                    out.push(Emission {
                        port,
                        event: emit.event,
                        arguments: &emit.arguments,
                        whole: data.is_some_and(|data| is_whole(data, &whole)),
                        to: to.and_then(|e| cell_of(e, &addresses)),
                    });
                }
            }
        }
        let (mut data, mut address) = (None, None);
        if let StatementKind::Let(local, e) = &statement.kind {
            data = is_whole(e, &whole).then_some(*local);
            address = cell_of(e, &addresses).map(|cell| (*local, cell));
        }
        let mut set = statement.sets();
        // What is written through a name for a place is not followed.
        statement.each(|node| {
            if let Node::Place(Place { root: Root::Local(local), .. }) = node {
                set.push(*local);
            }
        });
        whole.retain(|local| !set.contains(local));
        addresses.retain(|local, _| !set.contains(local));
        whole.extend(data);
        addresses.extend(address);
    }
    // An address in a cell that changes is not there any more when the entry returns.
    let stays = |cell: CellId| !bypass.body.iter().any(|statement| changes(statement, cell));
    out.iter().all(|emission| emission.to.is_none_or(stays)).then_some(out)
}

/// Whether a message has all the data of that which came.
fn is_whole(mut e: &Expr, whole: &BTreeSet<LocalId>) -> bool {
    loop {
        match &e.kind {
            ExprKind::Local(local) => return whole.contains(local),
            ExprKind::Push(inner, ..) | ExprKind::Share(inner) => e = inner,
            _ => return false,
        }
    }
}

fn cell_of(e: &Expr, addresses: &BTreeMap<LocalId, CellId>) -> Option<CellId> {
    match &e.kind {
        ExprKind::Local(local) => addresses.get(local).copied(),
        ExprKind::Load(place) if e.ty == Type::Addr && place.path.is_empty() => match place.root {
            Root::Cell(cell) => Some(cell),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a statement may change a cell with an address: only stores do.
fn changes(statement: &Statement, cell: CellId) -> bool {
    matches!(&statement.kind, StatementKind::Store(place, _) if place.root == Root::Cell(cell))
}

/// Whether an event leaves as a frame with nothing but the message that came, and its address.
fn sent(stack: &Stack, emission: &Emission) -> Option<Sent> {
    let Emission { port, event, arguments, whole, to } = *emission;
    let layout = stack.ports.get(port.index())?.frames?;
    // A head of no bytes would mean that nothing was sent.
    let has_heads = stack.layouts[layout.index()].shapes.iter().all(|shape| shape.size > 0);
    let others = arguments.iter().filter(|e| !matches!(e.ty, Type::Msg | Type::Addr)).count();
    let addresses = arguments.iter().filter(|e| e.ty == Type::Addr).count();
    let fits = port == FRAMES && has_heads && whole && others == 0 && addresses == usize::from(to.is_some());
    fits.then_some(Sent { event, to })
}

/// Whether an event is the delivery of the data that came.
fn is_data(stack: &Stack, emission: &Emission) -> bool {
    let is_it = |found: PortEvent| (found.port, found.event) == (emission.port, emission.event);
    delivery(stack).is_some_and(is_it) && emission.whole && emission.arguments.len() == 1
}

/// Whether an event fits in front of a delivery.
fn is_small(stack: &Stack, emission: &Emission) -> bool {
    let fits = |e: &Expr| match &e.ty {
        Type::Bool => true,
        Type::UInt(bits) => u32::from(*bits) <= BITS,
        Type::Range(_, end) => *end <= 1 << BITS,
        Type::Enum(id) => stack.enums[id.index()].variants.len() <= 1 << BITS,
        _ => false,
    };
    let beside = delivery(stack).is_some_and(|found| found.port == emission.port);
    let session = stack.event(emission.event).session.is_some();
    beside && !session && emission.arguments.len() <= 1 && emission.arguments.iter().all(fits)
}
