//! Whether the values of settings are of the types of what they set.

use nacre_diagnostics::Diagnostic;
use nacre_specification::members::{Members, MOST_MEMBERS};
use nacre_specification::ValueKind;
use nacre_stack::{Cell, Scope, Stack, Type};
use nacre_syntax::ast;

use crate::meaning::{is_settable, Bound, Meaning, Resolved};
use crate::session::Session;

/// The widths of sequence numbers in bits.
const NUMBERS: std::ops::RangeInclusive<u64> = 2..=32;

/// Fails with an error at the setting if a value is not one of the cell, argument or bound that it sets.
pub(crate) fn check(stack: &Stack, setting: &Resolved) -> Result<(), Diagnostic> {
    let is_parameter =
        matches!(setting.meaning, Meaning::Parameter { .. } | Meaning::Network(_) | Meaning::Specification(_));
    if !is_parameter {
        check_kind(kind_expected(stack, &setting.meaning), setting).map_or(Ok(()), Err)?;
    }
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

/// Reports a value that is not written as what the parameter is. Those of automata are numbers.
pub(crate) fn check_parameter(session: &Session, subject: &str, setting: &Resolved) -> Option<Diagnostic> {
    let layers = session.program.layers_under(subject);
    let declared = match &setting.meaning {
        Meaning::Parameter { layer, name } => {
            let of = layers.into_iter().find(|l| l.name.name == *layer);
            of.and_then(|l| l.parameters.iter().find(|p| p.name.name == *name))
        }
        _ => None,
    };
    let kind = match declared.map(|parameter| &parameter.ty.kind) {
        Some(ast::TypeKind::Name(ty, _)) if ty.name == "duration" => ValueKind::Duration,
        Some(ast::TypeKind::Name(ty, _)) if ty.name == "bool" => ValueKind::Flag,
        _ => ValueKind::Number,
    };
    check_kind(kind, setting)
}

/// Reports a value that is not written as what it sets: a number for a duration would be nanoseconds.
fn check_kind(expected: ValueKind, setting: &Resolved) -> Option<Diagnostic> {
    let is_flag = |value: &u64| matches!(value, 0 | 1);
    let mut written = setting.kinds.iter().zip(&setting.values);
    let (kind, value) = written.find(|(kind, value)| match expected {
        ValueKind::Flag => **kind == ValueKind::Duration || !is_flag(value),
        other => **kind != other,
    })?;
    let name = &setting.name;
    let found = match kind {
        ValueKind::Number => "a number",
        ValueKind::Duration => "a duration",
        ValueKind::Flag => "`true` or `false`",
    };
    let why = match expected {
        ValueKind::Flag => return Some(setting.error(format!("`{name}` is `true` or `false`"))),
        ValueKind::Number => return Some(setting.error(format!("`{name}` is a number, not {found}"))),
        ValueKind::Duration => format!("`{name}` is a duration, not {found}"),
    };
    let help = match value {
        0..=99_999 if *kind == ValueKind::Number => format!("write the unit: `{value} ms`"),
        _ => "write it with its unit: `5 ms`".into(),
    };
    Some(setting.error(why).help(help))
}

/// How values of a type are written.
fn kind_of(ty: &Type) -> ValueKind {
    match ty {
        Type::Bool => ValueKind::Flag,
        Type::Duration | Type::Instant => ValueKind::Duration,
        _ => ValueKind::Number,
    }
}

/// How the values of a setting are written that is no parameter.
fn kind_expected(stack: &Stack, meaning: &Meaning) -> ValueKind {
    match meaning {
        Meaning::Given(name) => {
            let cell = stack.cells.iter().find(|c| is_settable(c) && c.name == *name);
            cell.map_or(ValueKind::Number, |cell| kind_of(&cell.ty))
        }
        Meaning::Argument { call, name } => {
            let events = stack.interface().into_iter().map(|at| stack.event(at.event)).filter(|e| e.name == *call);
            let parameter = events.flat_map(|event| &event.parameters).find(|p| p.name == *name);
            parameter.map_or(ValueKind::Number, |parameter| kind_of(&parameter.ty))
        }
        Meaning::Bound(Bound::Trip | Bound::Within) => ValueKind::Duration,
        Meaning::Bound(Bound::AnyOrder | Bound::AtOnce | Bound::Misuse | Bound::Detects) => ValueKind::Flag,
        _ => ValueKind::Number,
    }
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
