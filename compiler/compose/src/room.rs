//! Estimates the size of a connection's state; the C compiler decides the exact layout.

use nacre_diagnostics::Diagnostic;
use nacre_stack::*;

use crate::codes;

/// Upper limit of a state's size; more is an error.
const MOST_BYTES: u64 = 256 << 20;

/// The size of a message's reference to its bytes.
const MESSAGE: u64 = 16;

/// Rejects a state above the limit.
pub(crate) fn check(stack: &Stack) -> Option<Diagnostic> {
    let total = state(stack);
    let largest = stack.cells.iter().max_by_key(|c| of(stack, c.layer, &c.ty))?;
    if total <= MOST_BYTES {
        return None;
    }
    let layer = stack.layer(largest.layer);
    let title = format!("the state of one connection has {} MiB; the limit is {} MiB", total >> 20, MOST_BYTES >> 20);
    let label = format!("`{}` takes {} MiB of them", largest.name, of(stack, largest.layer, &largest.ty) >> 20);
    Some(Diagnostic::error(codes::STATE, title).at(layer.span, label).help("lower the capacities of its containers"))
}

/// Bytes of the state of one connection.
pub(crate) fn state(stack: &Stack) -> u64 {
    stack.cells.iter().map(|c| of(stack, c.layer, &c.ty)).fold(0, u64::saturating_add)
}

/// Bytes of a value in the state of a layer.
fn of(stack: &Stack, layer: LayerId, ty: &Type) -> u64 {
    let many = |n: &u32, t: &Type, each: u64| u64::from(*n).saturating_mul(of(stack, layer, t).saturating_add(each));
    match ty {
        Type::Bool => 1,
        Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => u64::from(bits.div_ceil(8)).next_power_of_two(),
        Type::Range(_, high) => u64::from((64 - high.leading_zeros()).div_ceil(8)).max(1).next_power_of_two(),
        Type::Enum(_) => 1,
        Type::Bits(n) => u64::from(n.div_ceil(64)) * 8,
        Type::Addr => 20,
        Type::Duration | Type::Instant | Type::Timer => 8,
        Type::Bytes(n) => u64::from(*n),
        Type::Text(n) => u64::from(*n) + 4,
        Type::Msg | Type::Bounded(_) => message(stack, layer),
        Type::View => 0,
        Type::Option(t) => 1 + of(stack, layer, t),
        Type::Tuple(types) => types.iter().map(|t| of(stack, layer, t)).fold(0, u64::saturating_add),
        Type::Struct(id) => {
            stack.structs[id.index()].fields.iter().map(|f| of(stack, layer, &f.ty)).fold(0, u64::saturating_add)
        }
        Type::Array(t, n) => many(n, t, 0),
        Type::Ring(t, n) | Type::List(t, n) => many(n, t, 0).saturating_add(8),
        Type::Window(t, n, _) => many(n, t, 1).saturating_add(16),
        Type::Pool(t, n) => many(n, t, 1).saturating_add(4),
        Type::Map(k, t, n) => many(n, t, 1).saturating_add(many(n, k, 0)),
    }
}

/// The size of a message that a layer stores: it has at most one header of each layer above.
fn message(stack: &Stack, layer: LayerId) -> u64 {
    let above = (layer.0 + 1..stack.layers.len() as u32).map(LayerId);
    let widest = |layer: LayerId| {
        let own = stack.headers.iter().filter(|h| h.layer == layer);
        own.map(|h| h.fields.iter().map(|f| u64::from(f.bits.div_ceil(8))).sum::<u64>() + 1).max().unwrap_or(0)
    };
    MESSAGE + above.map(widest).sum::<u64>()
}
