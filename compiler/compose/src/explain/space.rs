//! Describes the space of a connection: its state, its pool, and the bounds of a step.

use nacre_analysis::timing::leaks;
use nacre_diagnostics::counted;
use nacre_stack::*;

use super::columns::table;
use crate::room;
use crate::words::Named;

pub(crate) fn space(stack: &Stack) -> String {
    let bounds = &stack.bounds;
    let mut text = String::from("state of a connection\n\n");
    text += &table(&cells(stack), 2);
    text += "\nspace\n\n";
    let pool = u64::from(bounds.block) * u64::from(bounds.blocks);
    let held = match bounds.blocks {
        0 => "none: no layer keeps messages".into(),
        n => format!(
            "at most {} of {}: {}",
            counted(u64::from(n), "block"),
            counted(u64::from(bounds.block), "byte"),
            bytes(pool)
        ),
    };
    let mut rows =
        vec![row("state", format!("about {} for a connection, without messages", bytes(room::state(stack))))];
    rows.push(row("message pool", held));
    rows.extend(calls(stack));
    rows.push(row("frames", format!("data of up to {} is accepted", counted(u64::from(bounds.frame_data), "byte"))));
    let step = [
        counted(u64::from(bounds.outputs), "output"),
        counted(u64::from(bounds.segments), "segment"),
        format!("{} of headers and made messages", bytes(u64::from(bounds.scratch))),
        format!("a queue of {}", bounds.queue),
    ];
    rows.push(row("one step", format!("at most {}", step.join(", "))));
    if bounds.later > 0 {
        rows.push(row("later", format!("room for {}", counted(u64::from(bounds.later), "event"))));
    }
    for (name, need) in needs(stack) {
        rows.push(row(&name, need));
    }
    text += &table(&rows, 2);
    text + "\ntiming\n\n" + &table(&timing(stack), 2)
}

/// The longest message that each call accepts.
fn calls(stack: &Stack) -> Vec<Vec<String>> {
    let row_of = |((port, event), most): ((PortId, EventId), u32)| {
        let name = format!("{} at {}", stack.event(event).name, stack.ports[port.index()].name);
        let most = match most {
            0 => "only empty messages are accepted".to_string(),
            most => format!("messages of up to {} are accepted", counted(u64::from(most), "byte")),
        };
        row(&name, most)
    };
    nacre_analysis::lengths::longest_calls(stack).into_iter().filter(|((port, _), _)| port.0 > 0).map(row_of).collect()
}

/// Lists where values that depend on the clock reach more than timers.
fn timing(stack: &Stack) -> Vec<Vec<String>> {
    let found = leaks(stack);
    if found.is_empty() {
        return vec![vec![
            "stays among durations, instants and timers: no field, event or number depends on the clock".into(),
        ]];
    }
    found.into_iter().map(|leak| row(&leak.code, format!("lets it into {}", leak.into))).collect()
}

fn row(name: &str, value: String) -> Vec<String> {
    vec![name.into(), value]
}

fn cells(stack: &Stack) -> Vec<Vec<String>> {
    let scope = |cell: &Cell| match cell.scope {
        Scope::Session => "",
        Scope::Shared => "shared",
        Scope::Lasting => "lasting",
        Scope::Given => "given",
        Scope::Derived => "derived",
    };
    let one = |cell: &Cell| {
        let mut words = vec![];
        if cell.secret {
            words.push("secret");
        }
        words.extend(Some(scope(cell)).filter(|s| !s.is_empty()));
        vec![format!("{}.{}", stack.layer(cell.layer).name, cell.name), Named::of(stack).ty(&cell.ty), words.join(" ")]
    };
    stack.cells.iter().rev().map(one).collect::<Vec<_>>().into_iter().rev().collect()
}

/// The free blocks that each event needs.
fn needs(stack: &Stack) -> Vec<(String, String)> {
    let mut rows = vec![];
    let mut add = |name: String, need: Need| {
        let copies = match need.copies {
            0 => None,
            1 => Some("room for its message".to_string()),
            n => Some(format!("{n} times room for its message")),
        };
        let extra = (need.extra > 0).then(|| counted(u64::from(need.extra), "block"));
        let parts: Vec<String> = [copies, extra].into_iter().flatten().collect();
        if !parts.is_empty() {
            rows.push((name, format!("needs {} in the pool", parts.join(" and "))));
        }
    };
    for (p, port) in stack.ports.iter().enumerate() {
        for input in &port.inputs {
            let event = stack.event(input.event);
            let name = if p == 0 && event.message.is_some() {
                "a frame".into()
            } else {
                format!("{} at {}", event.name, port.name)
            };
            add(name, input.need);
        }
    }
    add("timers and later".into(), stack.bounds.timer);
    rows
}

/// `812 bytes`, `1.4 KiB`.
fn bytes(n: u64) -> String {
    match n {
        0..10_240 => counted(n, "byte"),
        10_240..10_485_760 => format!("{}.{} KiB", n / 1024, n % 1024 * 10 / 1024),
        _ => format!("{}.{} MiB", n / 1_048_576, n % 1_048_576 * 10 / 1_048_576),
    }
}
