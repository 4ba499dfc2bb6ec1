//! Paths as text.

use std::fmt::Write;

use nacre_stack::*;
use nacre_symbolic::guide::{Branch, Why};
use nacre_symbolic::values::Value;

use crate::path::{Form, Output, Path, Refusal};
use crate::search::{followed, paths, MOST};

/// The most paths of one entry, and the most ways that are none, that are shown.
pub const SHOWN: usize = 4;

/// The common paths of all entries of a stack. `source`: the place and the text of a span.
pub fn show(stack: &Stack, source: &dyn Fn(Span) -> String) -> String {
    let mut text = String::new();
    for entry in Entry::all(stack) {
        let (found, refused) = paths(stack, entry);
        let count = match found.len() {
            // The search has ended at its limit.
            n if n + refused.len() == MOST => format!("at least {n} paths"),
            1 => "one path".to_string(),
            n => format!("{n} paths"),
        };
        let ways = match refused.len() {
            0 => String::new(),
            1 => ", one way that is none".to_string(),
            n => format!(", {n} ways that are none"),
        };
        let _ = writeln!(text, "{}: {count}{ways}", name(stack, entry));
        found.iter().take(SHOWN).for_each(|path| text += &show_path(stack, path, source));
        refused.iter().take(SHOWN).for_each(|refusal| text += &show_refusal(refusal, source));
        let hidden = found.len().saturating_sub(SHOWN) + refused.len().saturating_sub(SHOWN);
        if hidden > 0 {
            let _ = writeln!(text, "  and {hidden} more");
        }
    }
    text
}

/// Ways that events have taken, each with how many of all steps did. The stack is one after the passes of level queue.
pub fn show_ways(stack: &Stack, ways: &[(Way, u64)], steps: u64, source: &dyn Fn(Span) -> String) -> String {
    let mut text = String::new();
    for (way, count) in ways {
        let share = 100.0 * *count as f64 / steps.max(1) as f64;
        let _ = writeln!(text, "{}: {share:.1} % of the calls and frames", name(stack, way.entry));
        match followed(stack, way) {
            Ok(path) => text += &show_path(stack, &path, source),
            Err((why, place)) if place.is_empty() => _ = writeln!(text, "  none: {why}"),
            Err((why, place)) => _ = writeln!(text, "  none: {why}, in {place}"),
        }
    }
    text
}

fn name(stack: &Stack, entry: Entry) -> String {
    match entry {
        Entry::Call(port, at) => {
            let port = &stack.ports[port.index()];
            format!("{} at {}", stack.event(port.inputs[at].event).name, port.name)
        }
        Entry::Frame(port, at) => {
            let port = &stack.ports[port.index()];
            let shape = port.frames.map(|layout| &stack.layouts[layout.index()].shapes[at]);
            let headers = shape.map(|shape| shape.headers.iter().map(|header| header_name(stack, *header)));
            let headers: Vec<String> = headers.into_iter().flatten().collect();
            let headers = if headers.is_empty() { "no headers".into() } else { headers.join(" ") };
            format!("frame at {}: {headers}", port.name)
        }
        Entry::Timer(at) => format!("timer: {}", stack.handler(stack.timers[at].handler).name),
    }
}

fn header_name(stack: &Stack, id: HeaderId) -> String {
    let header = stack.header(id);
    format!("{}.{}", stack.layer(header.layer).name, header.name)
}

fn show_path(stack: &Stack, path: &Path, source: &dyn Fn(Span) -> String) -> String {
    let form = match path.form {
        Form::Linear => "linear",
        Form::Bouncing => "bouncing",
        Form::Splitting => "splitting",
    };
    let handlers: Vec<&str> = path.handlers.iter().map(|id| stack.handler(*id).name.as_str()).collect();
    let mut text = format!("  {form}: {}\n", handlers.join(", "));
    text += &show_branches(&path.branches, source);
    let changed = path.changed.iter().map(|id| stack.cell(*id));
    let changed: Vec<String> = changed.map(|cell| format!("{}.{}", stack.layer(cell.layer).name, cell.name)).collect();
    if !changed.is_empty() {
        let _ = writeln!(text, "    changes {}", changed.join(", "));
    }
    for output in &path.outputs {
        let _ = writeln!(text, "    out     {}", show_output(stack, path, output));
    }
    if let Err(why) = crate::bypass(stack, path) {
        let _ = writeln!(text, "    no bypass: {why}");
    }
    if path.later > 0 {
        let _ = writeln!(text, "    later   {}", path.later);
    }
    text
}

fn show_output(stack: &Stack, path: &Path, output: &Output) -> String {
    let port = output.port(stack).map_or("", |port| &stack.ports[port.index()].name);
    let headers = output.arguments.iter().filter_map(|argument| match argument {
        Value::Message(message) => Some(&message.kinds),
        _ => None,
    });
    let headers = headers.flatten().filter_map(|kind| path.terms.value_of(*kind)).filter(|kind| *kind > 0);
    let headers: Vec<String> = headers.map(|kind| header_name(stack, HeaderId(kind as u32 - 1))).collect();
    let with = if headers.is_empty() { String::new() } else { format!(" with {}", headers.join(" ")) };
    format!("{} at {port}{with}", stack.event(output.event).name)
}

fn show_branches(branches: &[Branch], source: &dyn Fn(Span) -> String) -> String {
    let mut text = String::new();
    for branch in branches {
        let why = match branch.why {
            Why::Marked => "marked as likely",
            Why::Unlikely => "marked as unlikely",
            Why::OtherDrops => "otherwise a message is dropped",
            Why::OtherLoops => "otherwise it loops",
            Why::Required => "required",
            Why::Either => "one of two",
            Why::Followed => "as simulated",
        };
        let holds = if branch.taken { "holds" } else { "fails" };
        let _ = writeln!(text, "    {holds}   {} ({why})", source(branch.span));
    }
    text
}

fn show_refusal(refusal: &Refusal, source: &dyn Fn(Span) -> String) -> String {
    format!("  none: {}\n{}", refusal.why, show_branches(&refusal.branches, source))
}
