//! Shows a stack to a person: its layers, its frames bit by bit, and what it costs.

mod boxes;
mod columns;
mod diagram;
mod frames;
mod handlers;
mod space;

use nacre_stack::Stack;

pub use columns::{folded, COLUMNS};

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
    folded(&text)
}
