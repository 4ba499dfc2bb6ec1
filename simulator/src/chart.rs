//! A run as a sequence chart for a terminal: two columns, time downwards, frames as arrows.

use nacre_stack::Stack;

use crate::decode::decode;
use crate::endpoint::Outcome;
use crate::interface::Interface;
use crate::network::{Fault, Item};
use crate::world::{Entry, Happened, BEGIN};

/// The number of columns between the two endpoints.
const WIDTH: usize = 64;

/// The limits of a chart.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The limit of lines; the middle of a longer chart is omitted.
    pub lines: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { lines: 200 }
    }
}

/// Draws the events between two nodes.
pub fn chart(stack: &Stack, trace: &[Entry], pair: [usize; 2], names: [&str; 2], options: Options) -> String {
    let interface = Interface::of(stack);
    let lines: Vec<String> = trace
        .iter()
        .filter_map(|entry| {
            let side = pair.iter().position(|node| *node == entry.node)?;
            line(stack, &interface, entry, side)
        })
        .collect();
    let skipped = lines.len().saturating_sub(options.lines);
    let first = if skipped > 0 { options.lines / 2 } else { 0 };
    let mut text = format!("{:>14}  {:<gap$}{}\n", "time", names[0], names[1], gap = WIDTH);
    for line in &lines[..first] {
        text += line.trim_end();
        text.push('\n');
    }
    if skipped > 0 {
        text += &format!("{:>14}  ({skipped} lines are omitted)\n", "...");
    }
    for line in &lines[first + skipped..] {
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn line(stack: &Stack, interface: &Interface, entry: &Entry, side: usize) -> Option<String> {
    let time = milliseconds(entry.time.saturating_sub(BEGIN));
    let draw = |middle: String, after: &str| Some(format!("{time:>14}  {middle}  {after}"));
    match &entry.what {
        // The host grants after each delivery; only the effects are drawn.
        Happened::Called { event, .. } if interface.event(*event).is_some_and(|e| e.name.starts_with("grant_")) => None,
        Happened::Called { event, arguments, length, outcome } => {
            let text = format!("{}{}", named(interface, *event, arguments, *length), unless_done(*outcome));
            draw(beside(&format!("▶ {text}"), &format!("{text} ◀"), side), "")
        }
        Happened::Came { event, arguments, length } => {
            let text = named(interface, *event, arguments, *length);
            draw(beside(&format!("◀ {text}"), &format!("{text} ▶"), side), "")
        }
        Happened::Fired => draw(beside("⏱ timer", "timer ⏱", side), ""),
        Happened::Noted(text) => draw(beside(text, text, side), ""),
        // Frames are drawn when they arrive; lost frames when they are sent.
        Happened::Sent { arrivals, .. } if !arrivals.is_empty() => None,
        Happened::Sent { number, frame, faults, .. } => {
            draw(arrow(&decode(stack, frame), side, true), &format!("#{number} {}", causes(faults)))
        }
        Happened::Arrived { number, sent, frame, damaged, outcome } => {
            let trip = milliseconds(entry.time - sent);
            let damaged = if *damaged { " damaged" } else { "" };
            let after = format!("#{number} +{}{damaged}{}", trip.trim_start(), unless_done(*outcome));
            // The other side sent it.
            draw(arrow(&decode(stack, frame), 1 - side, false), &after)
        }
    }
}

/// Draws an arrow from one side to the other, or of a lost frame.
fn arrow(label: &str, from: usize, lost: bool) -> String {
    let label = shorten(label, WIDTH - 12);
    let length = WIDTH - 6 - label.chars().count();
    let dashes = if lost { length / 2 } else { length };
    let (line, gap) = ("─".repeat(dashes), " ".repeat(length - dashes));
    match (from, lost) {
        (0, false) => format!("├── {label} {line}▶│"),
        (0, true) => format!("├── {label} {line}×{gap}│"),
        (_, false) => format!("│◀{line} {label} ──┤"),
        (_, true) => format!("│{gap}×{line} {label} ──┤"),
    }
}

/// Draws text at one of the two lifelines.
fn beside(left: &str, right: &str, side: usize) -> String {
    let text = shorten(if side == 0 { left } else { right }, WIDTH - 2);
    let gap = " ".repeat(WIDTH - 2 - text.chars().count());
    if side == 0 {
        format!("│ {text}{gap}│")
    } else {
        format!("│{gap}{text} │")
    }
}

fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{kept}…")
}

fn named(interface: &Interface, event: u16, arguments: &[u64], length: Option<usize>) -> String {
    let Some(event) = interface.event(event) else { return "?".into() };
    let mut parts = event.show(arguments);
    parts.extend(length.map(|length| format!("{length} {}", if length == 1 { "byte" } else { "bytes" })));
    format!("{}({})", event.name, parts.join(", "))
}

fn unless_done(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done | Outcome::Idle => "",
        Outcome::Refused => " refused",
        Outcome::Busy => " busy",
        Outcome::NoSpace => " no space",
        Outcome::Dropped => " dropped",
        Outcome::Invalid => " invalid",
    }
}

fn causes(faults: &[Item]) -> &'static str {
    let has = |fault: Fault| faults.iter().any(|item| matches!(item, Item::Frame(_, _, of) if *of == fault));
    match (has(Fault::Long), has(Fault::Lose)) {
        (true, _) => "too long",
        (_, true) => "lost",
        _ => "partition",
    }
}

fn milliseconds(nanoseconds: u64) -> String {
    format!("{}.{:03} ms", nanoseconds / 1_000_000, nanoseconds / 1000 % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_the_same_width() {
        for from in [0, 1] {
            for text in ["short", &"long".repeat(40)] {
                for drawn in [arrow(text, from, true), arrow(text, from, false), beside(text, text, from)] {
                    assert_eq!(drawn.chars().count(), WIDTH + 1, "{drawn}");
                }
            }
        }
    }
}
