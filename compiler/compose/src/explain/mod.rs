//! Shows a stack to a person: its layers, its frames bit by bit, and what it costs.

mod boxes;
mod diagram;
mod frames;
mod handlers;
mod space;

use nacre_stack::Stack;

/// A drawing of the stack: layers as boxes, frames as in an RFC, the space that it takes. Ends with a line break.
pub fn explain(stack: &Stack) -> String {
    let mut text = format!("{} = {}\n\n", stack.name, stack.description);
    text += &boxes::boxes(stack);
    for layout in 0..stack.layouts.len() {
        text.push('\n');
        text += &frames::frames(stack, layout);
    }
    text.push('\n');
    text += &space::space(stack);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// The text, filled up with spaces.
fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

/// Rows with their columns under each other, indented.
fn table(rows: &[Vec<String>], indent: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        text += &" ".repeat(indent);
        for (cell, width) in row.iter().zip(&widths) {
            text += &padded(cell, width + 2);
        }
        text.push('\n');
    }
    text
}

/// `1 byte`, `8 bytes`.
fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
