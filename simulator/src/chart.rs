//! A run as a sequence chart for a terminal: a column for each endpoint, time downwards, frames as arrows.

use nacre_stack::Stack;

use crate::decode::decode;
use crate::endpoint::Outcome;
use crate::interface::Interface;
use crate::network::{Fault, Item};
use crate::world::{Entry, Happened, BEGIN};

/// The number of columns between two endpoints, and between neighbours if there are more.
const WIDTH: usize = 64;
const NARROW: usize = 44;

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

/// Draws the events between nodes.
pub fn chart(stack: &Stack, trace: &[Entry], nodes: &[usize], names: &[&str], options: Options) -> String {
    let page = Page::of(nodes);
    let interface = Interface::of(stack);
    let lines: Vec<String> = trace
        .iter()
        .filter_map(|entry| {
            let side = nodes.iter().position(|node| *node == entry.node)?;
            page.line(stack, &interface, entry, side)
        })
        .collect();
    let skipped = lines.len().saturating_sub(options.lines);
    let first = if skipped > 0 { options.lines / 2 } else { 0 };
    let mut text = format!("{:>14}  {}\n", "time", page.head(names));
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

/// The columns of a chart.
struct Page<'a> {
    /// The nodes, from left to right.
    nodes: &'a [usize],
    gap: usize,
}

impl Page<'_> {
    fn of(nodes: &[usize]) -> Page<'_> {
        Page { nodes, gap: if nodes.len() > 2 { NARROW } else { WIDTH } }
    }

    fn width(&self) -> usize {
        (self.nodes.len() - 1) * self.gap + 1
    }

    fn head(&self, names: &[&str]) -> String {
        let (last, others) = names.split_last().expect("there are endpoints");
        let others: String = others.iter().map(|name| format!("{name:<gap$}", gap = self.gap)).collect();
        others + last
    }

    fn line(&self, stack: &Stack, interface: &Interface, entry: &Entry, side: usize) -> Option<String> {
        let time = milliseconds(entry.time.saturating_sub(BEGIN));
        let draw = |middle: String, after: &str| Some(format!("{time:>14}  {middle}  {after}"));
        // A node that is not drawn is taken for a neighbour.
        let known = |node: &usize| self.nodes.iter().position(|known| known == node).filter(|place| *place != side);
        let place = |node: &usize| known(node).unwrap_or(usize::from(side == 0));
        match &entry.what {
            // The host grants after each delivery; only the effects are drawn.
            Happened::Called { event, .. } if interface.event(*event).is_some_and(|e| e.name.starts_with("grant_")) => {
                None
            }
            Happened::Called { event, arguments, length, outcome } => {
                let text = format!("{}{}", named(interface, *event, arguments, *length), unless_done(*outcome));
                draw(self.beside(&format!("▶ {text}"), &format!("{text} ◀"), side), "")
            }
            Happened::Came { event, arguments, length } => {
                let text = named(interface, *event, arguments, *length);
                draw(self.beside(&format!("◀ {text}"), &format!("{text} ▶"), side), "")
            }
            Happened::Fired => draw(self.beside("⏱ timer", "timer ⏱", side), ""),
            Happened::Noted(text) => draw(self.beside(text, text, side), ""),
            // Frames are drawn when they arrive; lost frames when they are sent.
            Happened::Sent { arrivals, .. } if !arrivals.is_empty() => None,
            Happened::Sent { number, to, frame, faults, .. } => {
                let to = place(to);
                draw(self.arrow(&decode(stack, frame), (side, to), true), &format!("#{number} {}", causes(faults)))
            }
            Happened::Arrived { number, from, sent, frame, damaged, outcome } => {
                let trip = milliseconds(entry.time - sent);
                let damaged = if *damaged { " damaged" } else { "" };
                let after = format!("#{number} +{}{damaged}{}", trip.trim_start(), unless_done(*outcome));
                let from = place(from);
                draw(self.arrow(&decode(stack, frame), (from, side), false), &after)
            }
        }
    }

    /// A line with nothing but the lifelines.
    fn empty(&self) -> Vec<char> {
        let mut cells = vec![' '; self.width()];
        cells.iter_mut().step_by(self.gap).for_each(|cell| *cell = '│');
        cells
    }

    /// Draws an arrow from one side to another, or of a lost frame.
    fn arrow(&self, label: &str, (from, to): (usize, usize), lost: bool) -> String {
        let span = from.abs_diff(to) * self.gap;
        let label = shorten(label, span - 12);
        let length = span - 6 - label.chars().count();
        let dashes = if lost { length / 2 } else { length };
        let (line, tip) = (
            "─".repeat(dashes),
            if lost {
                "×"
            } else if from < to {
                "▶"
            } else {
                "◀"
            },
        );
        let mut cells = self.empty();
        let drawn = match from < to {
            true => format!("├── {label} {line}{tip}"),
            false => format!("{tip}{line} {label} ──┤"),
        };
        let start = from * self.gap - if from < to { 0 } else { drawn.chars().count() - 1 };
        for (cell, letter) in cells[start..].iter_mut().zip(drawn.chars()) {
            *cell = if *cell == '│' && letter == '─' { '┼' } else { letter };
        }
        cells.into_iter().collect()
    }

    /// Draws text at one of the lifelines: of the last one on its left.
    fn beside(&self, right: &str, left: &str, side: usize) -> String {
        let is_last = side + 1 == self.nodes.len();
        let text = shorten(if is_last { left } else { right }, self.gap - 2);
        let start = if is_last { self.width() - 2 - text.chars().count() } else { side * self.gap + 2 };
        let mut cells = self.empty();
        cells[start..].iter_mut().zip(text.chars()).for_each(|(cell, letter)| *cell = letter);
        cells.into_iter().collect()
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
    let named = [(Fault::Long, "too long"), (Fault::Full, "queue full"), (Fault::Lose, "lost")];
    named.iter().find(|(fault, _)| has(*fault)).map_or("partition", |(_, cause)| cause)
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
                let page = Page::of(&[0, 1]);
                let ends = (from, 1 - from);
                for drawn in
                    [page.arrow(text, ends, true), page.arrow(text, ends, false), page.beside(text, text, from)]
                {
                    assert_eq!(drawn.chars().count(), WIDTH + 1, "{drawn}");
                }
            }
        }
    }

    #[test]
    fn arrows_cross_the_lifelines_between_their_ends() {
        let page = Page::of(&[4, 5, 6]);
        let over = page.arrow("frame", (2, 0), false);
        let columns: Vec<char> = over.chars().collect();
        assert_eq!((columns[0], columns[1], columns[NARROW], columns[2 * NARROW]), ('│', '◀', '┼', '┤'), "{over}");
        let lost = page.arrow("frame", (1, 2), true);
        let columns: Vec<char> = lost.chars().collect();
        assert!(columns[0] == '│' && columns[NARROW] == '├' && columns[2 * NARROW] == '│', "{lost}");
        assert!(lost.contains('×'), "{lost}");
    }
}
