//! Counts the blocks of one connection's pool: in a pool of that many no step is ever refused for lack of room.
//!
//! A step is admitted if the pool has room for all that it stores, before it removes anything. What it removes may be
//! the only way to get room, so a pool has room for a step beside all that the containers can hold. A call needs less
//! by the room that its conditions require to be free.

use std::collections::BTreeMap;

use nacre_diagnostics::Diagnostic;
use nacre_stack::*;

use crate::codes;
use crate::linked::LOWER;
use crate::message::Bag;
use crate::shapes::Flow;
use crate::spots::{Spot, SpotRoot};

/// Upper limit of the bytes of one step's outputs and of one connection's pool: the runtime loads no stack that needs
/// more.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// A lower bound of the size of a block without its bytes in the C interface.
const BLOCK: u64 = 16;

/// The blocks that a connection can need: for its containers, the ring of `later` events, and a step beside them.
/// Requires the needs of the steps.
pub(crate) fn blocks(stack: &Stack, flow: &Flow) -> u32 {
    let cells = (0..stack.cells.len()).map(|i| cell_held(stack, flow, CellId(i as u32))).fold(0, u64::saturating_add);
    let mut ring = Bag::default();
    for emission in flow.courses.values().flat_map(|c| c.emissions()).filter(|e| e.later) {
        emission.bag.iter().for_each(|bag| _ = ring.join(bag));
    }
    let waiting = u64::from(stack.bounds.later) * u64::from(ring.size().blocks(stack.bounds.block));
    let total = cells.saturating_add(waiting).saturating_add(largest_step(stack, flow));
    total.min(u64::from(u32::MAX)) as u32
}

/// The maximum number of blocks that a step can take beyond those that are free when it begins, for any stored
/// messages.
fn largest_step(stack: &Stack, flow: &Flow) -> u64 {
    let block = stack.bounds.block;
    let limits = nacre_analysis::lengths::longest_calls(stack);
    let frame = stack.layouts[0].shapes.iter().map(|s| s.data_max).max().unwrap_or(0);
    let mut most = [stack.bounds.open, stack.bounds.timer].map(|need| taken(need, 0, block)).into_iter().max();
    for (p, port) in stack.ports.iter().enumerate() {
        let lower = p == LOWER.index();
        for input in &port.inputs {
            let limit = limits.get(&(PortId(p as u32), input.event)).copied().unwrap_or(0);
            let need = taken(input.need, if lower { frame } else { limit }, block);
            most = most.max(Some(need.saturating_sub(free(stack, flow, input))));
        }
    }
    most.unwrap_or(0)
}

/// The blocks that a step with a message of a length takes.
pub(crate) fn taken(need: Need, length: u32, block: u32) -> u64 {
    u64::from(need.copies) * u64::from(length.div_ceil(block)) + u64::from(need.extra)
}

/// The blocks of containers that are free whenever the conditions of an input hold.
fn free(stack: &Stack, flow: &Flow, input: &PortInput) -> u64 {
    let mut cells = BTreeMap::new();
    for admission in &input.admissions {
        vacant(&admission.condition, true, &mut |place, all| {
            let Root::Cell(cell) = place.root else { return };
            let path = place.path.iter().filter_map(|step| if let Step::Field(n) = step { Some(*n) } else { None });
            let mut spot = Spot { root: SpotRoot::Cell(cell), path: path.collect() };
            let ty = if all { &place.ty } else { element(&place.ty) };
            let room = held(stack, flow, ty, &mut spot);
            // Two conditions can speak of the same room.
            cells.entry(cell).and_modify(|known: &mut u64| *known = room.max(*known)).or_insert(room);
        });
    }
    cells.into_values().fold(0, u64::saturating_add)
}

/// Calls `seen` with each place that is empty, or has room for one more, when the condition has this outcome.
fn vacant<'a>(condition: &'a Expr, holds: bool, seen: &mut impl FnMut(&'a Place, bool)) {
    match &condition.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => vacant(inner, !holds, seen),
        ExprKind::Binary(BinaryOp::Both, a, b) if holds => [a, b].into_iter().for_each(|e| vacant(e, true, seen)),
        ExprKind::Binary(BinaryOp::Either, a, b) if !holds => [a, b].into_iter().for_each(|e| vacant(e, false, seen)),
        ExprKind::Query(Query::Empty, place, _) if holds => seen(place, true),
        ExprKind::Query(Query::Full, place, _) if !holds => seen(place, false),
        ExprKind::IsSome(option) if !holds => match &option.kind {
            ExprKind::Load(place) | ExprKind::Borrow(place) => seen(place, true),
            _ => {}
        },
        _ => {}
    }
}

/// The type of the entries of a container.
fn element(ty: &Type) -> &Type {
    match ty {
        Type::Ring(t, _) | Type::List(t, _) | Type::Window(t, ..) | Type::Pool(t, _) | Type::Map(_, t, _) => t,
        _ => ty,
    }
}

fn cell_held(stack: &Stack, flow: &Flow, cell: CellId) -> u64 {
    held(stack, flow, &stack.cell(cell).ty, &mut Spot { root: SpotRoot::Cell(cell), path: vec![] })
}

/// The most blocks that a value of a type can hold.
fn held(stack: &Stack, flow: &Flow, ty: &Type, spot: &mut Spot) -> u64 {
    match ty {
        Type::Msg => u64::from(flow.world.cells.read(spot).size().blocks(stack.bounds.block)),
        Type::Option(t) => held(stack, flow, t, spot),
        Type::Array(t, n)
        | Type::Ring(t, n)
        | Type::List(t, n)
        | Type::Window(t, n, _)
        | Type::Pool(t, n)
        | Type::Map(_, t, n) => u64::from(*n).saturating_mul(held(stack, flow, t, spot)),
        Type::Struct(id) => fields_held(stack, flow, stack.structs[id.index()].fields.iter().map(|f| &f.ty), spot),
        Type::Tuple(types) => fields_held(stack, flow, types.iter(), spot),
        _ => 0,
    }
}

fn fields_held<'a>(stack: &Stack, flow: &Flow, types: impl Iterator<Item = &'a Type>, spot: &mut Spot) -> u64 {
    let mut total = 0u64;
    for (i, ty) in types.enumerate() {
        spot.path.push(i as u32);
        total = total.saturating_add(held(stack, flow, ty, spot));
        spot.path.pop();
    }
    total
}

/// Checks that 16 bits can number all blocks and that their total size is within the limit.
pub(crate) fn too_many_blocks(stack: &Stack, flow: &Flow) -> Option<Diagnostic> {
    let Bounds { blocks, block, .. } = stack.bounds;
    let most = (MOST_BYTES / (u64::from(block) + BLOCK)).min(u16::MAX.into());
    if u64::from(blocks) <= most {
        return None;
    }
    let of_cell = |i: &usize| cell_held(stack, flow, CellId(*i as u32));
    let largest = (0..stack.cells.len()).max_by_key(of_cell)?;
    let cell = &stack.cells[largest];
    let layer = stack.layer(cell.layer);
    let title = format!("one connection can need {blocks} blocks of messages; a pool has at most {most}");
    let label = format!("`{}` can hold {} blocks of {block} bytes", cell.name, of_cell(&largest));
    let error = Diagnostic::error(codes::POOL, title).at(layer.span, label);
    Some(error.help("lower its capacity, or put a layer above it that fragments long messages"))
}
