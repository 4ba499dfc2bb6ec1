//! How an emission reaches its target at each level: through the queue, as a call, or as code in place.

use std::collections::{HashMap, HashSet};

use nacre_stack::*;

use crate::calls::{Callee, Function, Linkage};
use crate::writer::Writer;
use crate::Level;

/// Statements and expressions that the code in place of one outside event may grow to.
const MOST_IN_PLACE: u64 = 6000;
/// The same for one emission.
const MOST_FOR_ONE: u64 = 3000;

/// A function in C that is made of a part of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    Handler(HandlerId),
    Function(FunctionId),
    Reaction(LayerId, EventId),
}

/// What has been asked for, and what has been found out about the sizes of reactions.
///
/// At level `inline` there are two kinds of each function: the quick one is put in place along the likely ways of the common
/// outside events; the slow one is called, by everything else.
#[derive(Default)]
pub struct Plan {
    sizes: HashMap<(LayerId, EventId), u64>,
    asked: HashSet<(Item, bool)>,
    waiting: Vec<(Item, bool)>,
    /// Whether the quick kind is being written.
    pub quick: bool,
    /// What stands in place in the function that is being written.
    here: u64,
}

impl Writer<'_> {
    /// The name of a function in C, which will be written.
    pub fn ask(&mut self, item: Item, quick: bool) -> Callee {
        let quick = quick && self.level == Level::Inline;
        if self.plan.asked.insert((item, quick)) {
            self.plan.waiting.push((item, quick));
        }
        Callee { name: self.item_name(item, quick), in_place: quick }
    }

    /// The head of a part that is being written, without its parameters.
    pub fn item_function(&self, item: Item) -> Function {
        let linkage = if self.plan.quick { Linkage::InPlace } else { Linkage::Plain };
        Function { linkage, ..Function::plain(self.item_name(item, self.plan.quick), vec![]) }
    }

    fn item_name(&self, item: Item, quick: bool) -> String {
        let name = match item {
            Item::Handler(id) => format!("on_{}", self.handler_names[id.index()]),
            Item::Function(id) => self.function_names[id.index()].clone(),
            Item::Reaction(layer, event) => self.event_name(Target::Layer(layer), event),
        };
        let slow = if self.level == Level::Inline && !quick { "slow_" } else { "" };
        format!("{}_{slow}{name}", self.prefix)
    }

    /// What is still to be written.
    pub fn next_item(&mut self) -> Option<(Item, bool)> {
        let next = self.plan.waiting.pop()?;
        self.plan.quick = next.1;
        self.calls.in_place = next.1;
        self.plan.here = 0;
        Some(next)
    }

    /// What is written next is an entry, or is called by one.
    pub fn leave_items(&mut self) {
        self.plan.quick = true;
        self.calls.in_place = false;
    }

    pub fn is_asked(&self) -> bool {
        !self.plan.waiting.is_empty()
    }

    /// The function that an emission to a layer calls; none: it goes through the queue.
    pub fn called(&mut self, layer: LayerId, emit: &Emit, likely: bool) -> Option<Callee> {
        if self.level == Level::Queue || !emit.call {
            return None;
        }
        let size = self.size_of(layer, emit.event, 0);
        let quick = self.plan.quick && likely && size <= MOST_FOR_ONE && self.plan.here + size <= MOST_IN_PLACE;
        if quick {
            self.plan.here += size;
        }
        Some(self.ask(Item::Reaction(layer, emit.event), quick))
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

    /// The likely part of a block; what is unlikely counts as a call.
    fn size_of_block(&mut self, block: &[Statement], depth: usize) -> u64 {
        let stack = self.stack;
        let mut size = 0;
        for statement in block {
            statement.each_own(|_| size += 1);
            size += 1;
            size += match &statement.kind {
                StatementKind::If { likely: Some(true), then, otherwise, .. } => {
                    self.size_of_block(then, depth) + otherwise.len().min(1) as u64 * 10
                }
                StatementKind::If { likely: Some(false), otherwise, .. } => 10 + self.size_of_block(otherwise, depth),
                StatementKind::Emit(emit @ Emit { call: true, later: false, .. }) => match stack.target(emit) {
                    Target::Port(_) => 0,
                    Target::Layer(_) if emit.likely == Some(false) => 5,
                    Target::Layer(layer) => self.size_of(layer, emit.event, depth + 1),
                },
                StatementKind::Call { function, .. } if depth < 64 => {
                    self.size_of_block(&stack.function(*function).body, depth + 1)
                }
                _ => statement.blocks().into_iter().map(|b| self.size_of_block(b, depth)).sum(),
            };
        }
        size
    }
}
