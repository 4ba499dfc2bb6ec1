//! The first state of a connection.

use super::random::SplitMix64;
use super::run::{Frame, Run};
use super::value::Value;
use crate::*;

/// The generators from the seed, then givens, then all other cells in order.
pub fn set_cells(run: &mut Run, mut givens: Vec<Option<Value>>, seed: u64) {
    let stack = run.stack;
    for (index, layer) in stack.layers.iter().enumerate() {
        if let Some(cell) = layer.random {
            run.state.cells[cell.index()] = Value::Num(SplitMix64::of_layer(seed, index as u32).0);
        }
    }
    for scope_is_given in [true, false] {
        for (index, cell) in stack.cells.iter().enumerate() {
            if (cell.scope == Scope::Given) != scope_is_given {
                continue;
            }
            let value = match (givens[index].take(), &cell.initial) {
                (Some(value), _) => value,
                (None, Some(initial)) => {
                    run.frames.push(Frame::new(&cell.locals, cell.layer));
                    run.execute(&cell.draws);
                    let mut value = run.evaluate(initial);
                    run.frames.pop();
                    run.state.pool.keep(&mut value);
                    value
                }
                (None, None) => continue,
            };
            run.state.cells[index] = value;
        }
    }
}

/// Adds to every sequence number inside.
pub fn renumber(stack: &Stack, ty: &Type, value: &mut Value, by: u64) {
    match (ty, value) {
        (Type::Seq(bits), Value::Num(n)) => *n = n.wrapping_add(by) & mask(u32::from(*bits)),
        (Type::Window(t, _, bits), Value::Window(window)) => {
            for n in [&mut window.low, &mut window.next, &mut window.high, &mut window.reported] {
                *n = n.wrapping_add(by) & mask(u32::from(*bits));
            }
            window.entries.iter_mut().flatten().for_each(|v| renumber(stack, t, v, by));
        }
        (Type::Struct(id), Value::Tuple(parts)) => {
            let fields = &stack.structs[id.index()].fields;
            fields.iter().zip(parts).for_each(|(f, v)| renumber(stack, &f.ty, v, by));
        }
        (Type::Tuple(types), Value::Tuple(parts)) => {
            types.iter().zip(parts).for_each(|(t, v)| renumber(stack, t, v, by));
        }
        (Type::Array(t, _), Value::Tuple(parts)) => parts.iter_mut().for_each(|v| renumber(stack, t, v, by)),
        (Type::Option(t), Value::Option(Some(inner))) => renumber(stack, t, inner, by),
        (Type::Ring(t, _) | Type::List(t, _), Value::Row(row)) => {
            row.iter_mut().for_each(|v| renumber(stack, t, v, by));
        }
        _ => {}
    }
}
