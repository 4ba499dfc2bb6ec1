//! Describes a stack as text: its layers, its frames bit by bit, and its cost.

mod boxes;
mod columns;
mod diagram;
mod frames;
mod handlers;
mod space;

use nacre_stack::Stack;

pub use columns::{folded, COLUMNS};

/// Draws the stack: layers as boxes, frames as in an RFC, the space of a connection. Ends with a line break.
pub fn explain(stack: &Stack) -> String {
    let mut text = format!("{} = {}\n\n", stack.name, stack.description);
    text += &boxes::boxes(stack);
    for layout in 0..stack.layouts.len() {
        text.push('\n');
        text += &frames::frames(stack, layout);
    }
    text.push('\n');
    text += &space::space(stack);
    folded(&text)
}
