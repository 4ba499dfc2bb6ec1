//! Timers: every one that is armed, and which is due first.

use super::state::State;
use super::value::{Value, NEVER};
use crate::*;

/// An armed timer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Armed {
    pub deadline: u64,
    pub layer: LayerId,
    pub timer: TimerId,
    /// One for each `Each` of its path.
    pub indices: Vec<u64>,
}

/// The armed timer that fires first: by deadline, layer, declaration, indices.
pub fn first(stack: &Stack, state: &State) -> Option<Armed> {
    let mut first: Option<Armed> = None;
    each(stack, state, &mut |armed| {
        if first.as_ref().is_none_or(|f| armed < *f) {
            first = Some(armed);
        }
    });
    first
}

/// Every armed timer, in the order in which they fire.
pub fn all(stack: &Stack, state: &State) -> Vec<Armed> {
    let mut all = vec![];
    each(stack, state, &mut |armed| all.push(armed));
    all.sort();
    all
}

fn each(stack: &Stack, state: &State, found: &mut dyn FnMut(Armed)) {
    for (index, timer) in stack.timers.iter().enumerate() {
        visit(&state.cells[timer.cell.index()], &stack.timer_path(timer), &mut vec![], &mut |deadline, indices| {
            if deadline != NEVER {
                let (timer_id, indices) = (TimerId(index as u32), indices.to_vec());
                found(Armed { deadline, layer: timer.layer, timer: timer_id, indices });
            }
        });
    }
}

fn visit(value: &Value, path: &[TimerStep], indices: &mut Vec<u64>, found: &mut dyn FnMut(u64, &[u64])) {
    let Some((step, rest)) = path.split_first() else {
        if let Value::Timer(deadline) = value {
            found(*deadline, indices);
        }
        return;
    };
    match (step, value) {
        (TimerStep::Field(i), Value::Tuple(parts)) => {
            if let Some(part) = parts.get(*i as usize) {
                visit(part, rest, indices, found);
            }
        }
        (TimerStep::Field(_), _) => {}
        (TimerStep::Each, Value::Option(Some(inner))) => visit(inner, rest, indices, found),
        (TimerStep::Each, value) => {
            let mut enter = |index: u64, part: &Value| {
                indices.push(index);
                visit(part, rest, indices, found);
                indices.pop();
            };
            match value {
                Value::Tuple(parts) => parts.iter().enumerate().for_each(|(i, p)| enter(i as u64, p)),
                Value::Row(row) => row.iter().enumerate().for_each(|(i, p)| enter(i as u64, p)),
                Value::Pool(slots) => {
                    slots.iter().enumerate().for_each(|(i, p)| p.iter().for_each(|p| enter(i as u64, p)))
                }
                Value::Map(slots) => {
                    slots.iter().enumerate().for_each(|(i, p)| p.iter().for_each(|(_, p)| enter(i as u64, p)))
                }
                Value::Window(w) => (0..w.span()).map(|o| w.number(o)).for_each(|n| {
                    if let Some(part) = w.get(n) {
                        enter(n, part)
                    }
                }),
                _ => {}
            }
        }
    }
}

/// Puts a timer out.
pub fn disarm(stack: &Stack, state: &mut State, armed: &Armed) {
    let timer = &stack.timers[armed.timer.index()];
    let mut indices = armed.indices.iter().copied();
    let mut place = Some(&mut state.cells[timer.cell.index()]);
    for step in stack.timer_path(timer).iter() {
        place = match (step, place) {
            (TimerStep::Field(i), Some(Value::Tuple(parts))) => parts.get_mut(*i as usize),
            (TimerStep::Each, Some(Value::Option(inner))) => inner.as_deref_mut(),
            (TimerStep::Each, Some(value)) => {
                let n = indices.next().unwrap_or(0);
                match value {
                    Value::Tuple(parts) => parts.get_mut(n as usize),
                    Value::Row(row) => row.get_mut(n as usize),
                    Value::Pool(slots) => slots.get_mut(n as usize).and_then(Option::as_mut),
                    Value::Map(slots) => slots.get_mut(n as usize).and_then(Option::as_mut).map(|(_, v)| v),
                    Value::Window(window) => window.get_mut(n),
                    _ => None,
                }
            }
            _ => None,
        };
    }
    if let Some(place) = place {
        *place = Value::Timer(NEVER);
    }
}
