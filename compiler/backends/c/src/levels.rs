//! How an emission reaches its target at each level: through the queue, as a call, or as code in place.

use nacre_stack::*;

use crate::emitted::Level;
use crate::functions::{Callee, Function, Linkage};
use crate::globals::Global;
use crate::plan::Item;
use crate::writer::Writer;

impl Writer<'_> {
    /// The name of a function in C, which will be written.
    pub fn ask(&mut self, item: Item, quick: bool) -> Callee {
        let quick = quick
            && match self.level {
                Level::Queue | Level::Call => false,
                Level::Inline => true,
                Level::Bypass => matches!(item, Item::Bypass(_)),
            };
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
        let quick = quick || !self.level.is_quick();
        let (of, name) = match item {
            Item::Handler(id) => (Global::Handler(id, quick), format!("on_{}", self.handler_names[id.index()])),
            Item::Function(id) => (Global::Function(id, quick), self.function_names[id.index()].clone()),
            Item::Reaction(layer, event) => {
                (Global::Reaction(layer, event, quick), self.event_name(Target::Layer(layer), event))
            }
            Item::Bypass(at) => (Global::Bypass(at), format!("bypass_{at}")),
        };
        self.global(of, format!("{}{name}", if quick { "" } else { "slow_" }))
    }

    /// The functions that are still to be written.
    pub fn next_item(&mut self) -> Option<(Item, bool)> {
        let next = self.plan.waiting.pop()?;
        self.plan.quick = next.1;
        self.calls.in_place = next.1;
        Some(next)
    }

    /// What is written next is an entry, or is called by one.
    pub fn leave_items(&mut self) {
        self.plan.quick = true;
        self.calls.in_place = false;
    }

    /// Returns whether a function is still to be written.
    pub fn is_asked(&self) -> bool {
        !self.plan.waiting.is_empty()
    }

    /// The function that an emission to a layer calls; none: it goes through the queue.
    pub fn called(&mut self, layer: LayerId, emit: &Emit, in_place: bool) -> Option<Callee> {
        let calls = self.level != Level::Queue && emit.call;
        calls.then(|| self.ask(Item::Reaction(layer, emit.event), self.plan.quick && in_place))
    }
}
