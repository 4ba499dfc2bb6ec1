//! Initial values that a configuration sets: given values of an endpoint, and numbers, flags and enums of the state.

use nacre_driver::is_settable;
use nacre_stack::{mask, Cell, Expr, ExprKind, Span, Stack, Type};

/// Initial values of a cell, by name: at each endpoint.
pub type Initial = (String, Vec<u64>);

/// Sets initial values that are the same at all endpoints. Returns the others, all of which are given.
pub fn set(stack: &mut Stack, initial: &[Initial]) -> Vec<Initial> {
    for (name, values) in initial.iter().filter(|(_, values)| is_same(values)) {
        for cell in stack.cells.iter_mut().filter(|c| is_settable(c) && c.name == *name) {
            cell.initial = Some(constant(cell, values[0]));
        }
    }
    initial.iter().filter(|(_, values)| !is_same(values)).cloned().collect()
}

/// Whether all endpoints have the same value.
pub(crate) fn is_same(values: &[u64]) -> bool {
    values.iter().all(|value| *value == values[0])
}

fn constant(cell: &Cell, value: u64) -> Expr {
    let kind = match cell.ty {
        Type::Bytes(len) => ExprKind::Literal(vec![value as u8; len as usize]),
        // What a layer has counted wraps around, as it does in a long run.
        Type::UInt(bits) | Type::Seq(bits) | Type::Int(bits) => ExprKind::Const(value & mask(u32::from(bits))),
        _ => ExprKind::Const(value),
    };
    Expr::new(kind, cell.ty.clone(), Span::default())
}
