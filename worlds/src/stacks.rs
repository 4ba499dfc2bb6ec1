//! The stacks of the endpoints are alike: they differ in numbers alone.

use std::sync::Arc;

use nacre_stack::visit::Traverse;
use nacre_stack::{NodeId, Stack};

use crate::setup::Setup;

impl Setup {
    /// Checks that the stacks differ in nothing but numbers, so that events, timers and places of the code are the
    /// same.
    pub(crate) fn check_stacks(&self) -> Result<(), String> {
        if !self.differ() {
            return Ok(());
        }
        if self.below.actions.iter().any(|action| action.makes_up()) {
            return Err(format!("`{}` makes up frames of one stack, but the endpoints have several", self.below.name));
        }
        let a = self.stack();
        let mut others = self.members().all().map(|end| self.stack_of(end));
        if others.any(|b| named(a) != named(b) || code(a) != code(b) || events(a) != events(b)) {
            return Err("the parameters of the endpoints make stacks that differ in more than numbers".into());
        }
        Ok(())
    }
}

/// Each of the endpoints' stacks once.
pub fn distinct(stacks: &[Arc<Stack>]) -> impl Iterator<Item = &Stack> {
    let new = |end: &usize| !stacks[..*end].iter().any(|before| Arc::ptr_eq(before, &stacks[*end]));
    (0..stacks.len()).filter(new).map(|end| &*stacks[end])
}

/// The names of layers, goals, timers, handlers and functions, in order.
fn named(stack: &Stack) -> Vec<&str> {
    let layers = stack.layers.iter().flat_map(|layer| layer.goals.iter().map(|g| &g.name).chain([&layer.name]));
    let timers = stack.timers.iter().map(|timer| &timer.name);
    let code = stack.handlers.iter().map(|h| &h.name).chain(stack.functions.iter().map(|f| &f.name));
    layers.chain(timers).chain(code).map(String::as_str).collect()
}

/// The statements, in order.
fn code(stack: &Stack) -> Vec<NodeId> {
    let mut all = vec![];
    stack.each_statement(|statement| all.push(statement.id));
    all
}

/// The events outside: their ports and numbers, names and number of parameters.
fn events(stack: &Stack) -> Vec<(u32, u32, &str, usize)> {
    let outside = stack.interface().into_iter().map(|outside| {
        let event = stack.event(outside.event);
        (outside.port.0, outside.event.0, event.name.as_str(), event.parameters.len())
    });
    outside.collect()
}
