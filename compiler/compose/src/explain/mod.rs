//! Shows a stack to a person: its layers, its frames bit by bit, and what it costs.

use nacre_stack::Stack;

/// A drawing of the stack.
pub fn explain(stack: &Stack) -> String {
    stack.description.clone()
}
