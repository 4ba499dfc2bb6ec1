//! How an emission reaches its target at each level: through the queue, as a call, or as code in place.

use std::collections::HashMap;

use nacre_stack::*;

use crate::visit::{self, Node};
use crate::writer::Writer;
use crate::Level;

/// Statements and expressions that the code in place of one outside event may grow to.
const MOST_IN_PLACE: u64 = 6000;
/// The same for one emission.
const MOST_FOR_ONE: u64 = 3000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    /// At the end of the queue.
    Queue,
    /// The reaction's code stands here.
    Inline,
    /// A call.
    Apart,
    /// A call that seldom happens.
    Cold,
}

/// What has been found out about the sizes of reactions.
#[derive(Default)]
pub struct Plan {
    sizes: HashMap<(LayerId, EventId), u64>,
    /// (target, event) that are called out of line, and of these the cold ones.
    pub apart: Vec<(LayerId, EventId)>,
    pub cold: Vec<(LayerId, EventId)>,
    /// What stands in place in the handler that is being written.
    here: u64,
}

impl Writer<'_> {
    /// How an emission to a layer is made. `in_handler`: not in a function, which may be called from several places.
    pub fn how(&mut self, layer: LayerId, emit: &Emit, cold: bool, in_handler: bool) -> How {
        if self.level == Level::Queue || !emit.call {
            return How::Queue;
        }
        let target = (layer, emit.event);
        if self.level == Level::Call {
            push(&mut self.plan.apart, target);
            return How::Apart;
        }
        if cold {
            push(&mut self.plan.cold, target);
            return How::Cold;
        }
        let size = self.size_of(layer, emit.event, 0);
        let _ = in_handler;
        if size > MOST_FOR_ONE || self.plan.here + size > MOST_IN_PLACE {
            push(&mut self.plan.apart, target);
            return How::Apart;
        }
        self.plan.here += size;
        How::Inline
    }

    /// A new handler or function is begun.
    pub fn begin_body(&mut self) {
        self.plan.here = 0;
    }

    /// How much code a reaction is, with all that it calls.
    fn size_of(&mut self, layer: LayerId, event: EventId, depth: usize) -> u64 {
        if let Some(size) = self.plan.sizes.get(&(layer, event)) {
            return *size;
        }
        if depth > self.stack.layers.len() * 2 + 4 {
            return MOST_IN_PLACE;
        }
        let stack = self.stack;
        let arms = stack.layer(layer).reactions.iter().filter(|r| r.event == event).flat_map(|r| &r.arms);
        let mut size = 10;
        for arm in arms {
            size += self.size_of_block(&stack.handler(arm.handler).body, depth);
        }
        self.plan.sizes.insert((layer, event), size);
        size
    }

    fn size_of_block(&mut self, block: &[Statement], depth: usize) -> u64 {
        let stack = self.stack;
        let (mut size, mut inner, mut functions) = (0, vec![], vec![]);
        visit::block(block, &mut |node| {
            size += 1;
            match node {
                Node::Statement(Statement::Emit(Emit { target: Target::Layer(layer), event, call: true, later: false, likely, .. })) => {
                    if *likely != Some(false) {
                        inner.push((*layer, *event));
                    }
                }
                Node::Statement(Statement::Call { function, .. }) => functions.push(*function),
                _ => {}
            }
        });
        for (layer, event) in inner {
            size += self.size_of(layer, event, depth + 1);
        }
        for function in functions {
            size += self.size_of_block(&stack.function(function).body, depth + 1);
        }
        size
    }

    /// The word in front of a function of a layer: small ones, and those that are called once, stand where they are called.
    pub fn function_word(&self, id: FunctionId) -> &'static str {
        if self.level != Level::Inline {
            return "_PLAIN";
        }
        let mut size = 0;
        visit::block(&self.stack.function(id).body, &mut |_| size += 1);
        let mut calls = 0;
        let mut count = |node: Node| {
            if let Node::Statement(Statement::Call { function, .. }) = node {
                calls += (*function == id) as u32;
            }
        };
        self.stack.handlers.iter().for_each(|h| visit::block(&h.body, &mut count));
        self.stack.functions.iter().for_each(|f| visit::block(&f.body, &mut count));
        if calls <= 1 || size < 60 || (calls <= 3 && size < 300) { "_INLINE" } else { "_PLAIN" }
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}
