//! Whether the values of settings are of the types of what they set.

use nacre_diagnostics::Diagnostic;
use nacre_specification::members::{Members, MOST_MEMBERS};
use nacre_stack::{Cell, Scope, Stack, Type};

use crate::meaning::{is_settable, Bound, Meaning, Resolved};

/// The widths of sequence numbers in bits.
const NUMBERS: std::ops::RangeInclusive<u64> = 2..=32;

/// Fails with an error at the setting if a value is not one of the cell, argument or bound that it sets.
pub(crate) fn check(stack: &Stack, setting: &Resolved) -> Result<(), Diagnostic> {
    let one = setting.values.first().copied().unwrap_or_default();
    let checked = match &setting.meaning {
        Meaning::Given(name) => {
            let mut cells = stack.cells.iter().filter(|c| is_settable(c) && c.name == *name);
            cells.try_for_each(|cell| check_cell(stack, cell, &setting.values))
        }
        Meaning::Argument { call, name } => {
            let events = stack.interface().into_iter().map(|at| stack.event(at.event)).filter(|e| e.name == *call);
            let mut parameters = events.flat_map(|event| &event.parameters).filter(|p| p.name == *name);
            let what = format!("`{name}` of `{call}`");
            parameters.try_for_each(|p| check_values(stack, &p.ty, &setting.values, &what))
        }
        Meaning::Bound(Bound::Members) if Members::new(one as usize).is_none() => {
            Err(format!("`members` is 2 to {MOST_MEMBERS}"))
        }
        Meaning::Bound(Bound::Numbers) if !NUMBERS.contains(&one) => {
            Err("`numbers` is 2 to 32 (bits of sequence numbers)".into())
        }
        _ => Ok(()),
    };
    checked.map_err(|why| setting.error(why))
}

fn check_cell(stack: &Stack, cell: &Cell, values: &[u64]) -> Result<(), String> {
    let name = format!("`{}`", cell.name);
    let is_same = values.iter().all(|value| *value == values[0]);
    if cell.scope != Scope::Given && !is_same {
        return Err(format!("{name} is no given value: it cannot differ between the endpoints"));
    }
    match cell.ty {
        // What a layer has counted wraps around.
        Type::UInt(_) | Type::Seq(_) if cell.scope != Scope::Given => Ok(()),
        // The value of each byte.
        Type::Bytes(_) => check_values(stack, &Type::UInt(8), values, &name),
        _ => check_values(stack, &cell.ty, values, &name),
    }
}

fn check_values(stack: &Stack, ty: &Type, values: &[u64], what: &str) -> Result<(), String> {
    let limits = match ty {
        Type::Range(low, end) => format!("it is {low} to {}", end - 1),
        Type::Bool => "it is 0 or 1".into(),
        Type::Int(bits) => format!("it has {bits} bits, one of them for the sign"),
        Type::UInt(bits) | Type::Seq(bits) => format!("it has {bits} bits"),
        Type::Enum(id) => {
            let variants = &stack.enums[id.index()].variants;
            let numbers = variants.iter().enumerate().map(|(at, variant)| format!("{at} ({variant})"));
            format!("it is one of {}", numbers.collect::<Vec<_>>().join(", "))
        }
        Type::Duration | Type::Instant => return Ok(()),
        _ => return Err(format!("{what} is no number: a configuration cannot set it")),
    };
    let fits = |value: u64| match ty {
        Type::Int(_) => nacre_typed::fits(i128::from(value as i64), ty),
        Type::Enum(id) => value < stack.enums[id.index()].variants.len() as u64,
        ty => nacre_typed::fits(i128::from(value), ty),
    };
    match values.iter().find(|value| !fits(**value)) {
        Some(wrong) if matches!(ty, Type::Int(_)) => Err(format!("{what} cannot be {}: {limits}", *wrong as i64)),
        Some(wrong) => Err(format!("{what} cannot be {wrong}: {limits}")),
        None => Ok(()),
    }
}
