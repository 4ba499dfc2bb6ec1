//! Initial values that a configuration sets: what the host gives to an endpoint, and numbers of the state.

use nacre_driver::is_settable;
use nacre_stack::{mask, Cell, Expr, ExprKind, Scope, Span, Stack, Type};

/// Initial values of a cell, by name: at each endpoint.
pub type Initial = (String, Vec<u64>);

/// Sets initial values that are the same at all endpoints. Returns the others, all of which are given.
///
/// Fails if a value does not fit its cell, or if a cell of the state has two.
pub fn set(stack: &mut Stack, initial: &[Initial]) -> Result<Vec<Initial>, String> {
    for (name, values) in initial {
        for cell in stack.cells.iter_mut().filter(|c| is_settable(c) && c.name == *name) {
            set_cell(cell, values)?;
        }
    }
    Ok(initial.iter().filter(|(_, values)| !is_same(values)).cloned().collect())
}

/// Whether all endpoints have the same value.
pub(crate) fn is_same(values: &[u64]) -> bool {
    values.iter().all(|value| *value == values[0])
}

fn set_cell(cell: &mut Cell, values: &[u64]) -> Result<(), String> {
    let name = &cell.name;
    let mask = match cell.ty {
        Type::Bool => mask(1),
        Type::UInt(bits) | Type::Seq(bits) => mask(u32::from(bits)),
        // The value of each byte.
        Type::Bytes(_) => mask(8),
        _ => return Err(format!("`{name}` has no numbers")),
    };
    if let (Scope::Given, Some(value)) = (cell.scope, values.iter().find(|value| **value > mask)) {
        return Err(format!("`{name}` cannot be {value}"));
    }
    if is_same(values) {
        // What a layer has counted wraps around, as it does in a long run.
        let value = values[0] & mask;
        let kind = match cell.ty {
            Type::Bytes(len) => ExprKind::Literal(vec![value as u8; len as usize]),
            _ => ExprKind::Const(value),
        };
        cell.initial = Some(Expr::new(kind, cell.ty.clone(), Span::default()));
        return Ok(());
    }
    if cell.scope == Scope::Given {
        return Ok(());
    }
    Err(format!("`{name}` is no given value: it cannot differ between the endpoints"))
}
