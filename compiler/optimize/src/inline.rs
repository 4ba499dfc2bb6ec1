//! Decides which code is inlined along the likely paths of common outside events; the rest is outlined.
//!
//! The pass marks calls of functions, emissions that are calls (see [`crate::calls`]), outputs
//! ([`Statement::in_place`]) and shapes of frames ([`Shape::in_place`]). An entry for a call, or for a frame of a
//! marked shape, puts the reaction to its event in place; what is in place puts in place what its marked statements
//! call, and calls everything else. So each handler and function is one piece of code along the likely ways, and
//! another one that everything else calls.
//!
//! **Why behaviour is unchanged.** A mark decides only where code stands: what is called does the same in both
//! places, with the same arguments, before the next statement begins. The interpreter therefore ignores marks. An
//! output in place does not check for room: the entry has compared the room with [`Bounds::outputs`], which
//! holds for every step.
//!
//! **Why it ends.** Calls do not form cycles ([`crate::calls`] ensures it, and functions do not call
//! themselves), so what is in place is finite; [`MOST_FOR_ONE`] and [`MOST_IN_PLACE`] keep it small.
//!
//! **What is likely.** A branch or an emission that is marked as unlikely is not; everything else is. In loops no
//! output is put in place: its code would not be executed often enough to be worth its size.

use std::collections::{BTreeSet, HashMap};

use nacre_stack::visit::{rewrite_stack, ChangeStatements};
use nacre_stack::Control;
use nacre_stack::*;

use crate::calls::Decision;
use crate::sites::is_unlikely;

/// The limit of statements and expressions that are inlined into one handler.
const MOST_IN_PLACE: u64 = 6000;
/// The same for one emission.
const MOST_FOR_ONE: u64 = 3000;
/// The number of common shapes of frames.
const COMMON_SHAPES: usize = 2;
/// The size of a call, and of an emission that stays in the queue.
const CALL: u64 = 10;
const UNLIKELY_EMISSION: u64 = 5;

/// Marks the emissions to inline. There is no report: the marks are in the text of the stack IR.
pub fn mark(stack: &mut Stack) -> Vec<Decision> {
    number(stack);
    let mut search = Search { stack, sizes: HashMap::new(), marked: BTreeSet::new(), here: 0 };
    for body in stack.handlers.iter().map(|h| &h.body).chain(stack.functions.iter().map(|f| &f.body)) {
        search.here = 0;
        search.block(body, true, false);
    }
    let marked = search.marked;
    let mark = |statement: &mut Statement| statement.in_place = marked.contains(&statement.id);
    rewrite_stack(&mut ChangeStatements(mark), stack);
    mark_shapes(stack);
    vec![]
}

/// Marks the first shapes that carry data and do not identify their connection: those are most of the frames.
fn mark_shapes(stack: &mut Stack) {
    let Some(layout) = stack.layouts.first_mut() else { return };
    // The number of a common shape takes one byte, which is compared before the rest is read.
    let numbers = match layout.form {
        LayoutForm::Preamble => 126,
        LayoutForm::Plain => 255,
    };
    layout.shapes.iter_mut().for_each(|shape| shape.in_place = false);
    let common = layout.shapes.iter_mut().filter(|s| s.data && !s.identified && s.number < numbers);
    common.take(COMMON_SHAPES).for_each(|shape| shape.in_place = true);
}

struct Search<'s> {
    stack: &'s Stack,
    /// The sizes of reactions, with all that they call along the likely path.
    sizes: HashMap<(LayerId, EventId), u64>,
    marked: BTreeSet<NodeId>,
    /// The size of the code inlined into the current body so far.
    here: u64,
}

impl Search<'_> {
    fn block(&mut self, block: &Block, likely: bool, in_loop: bool) {
        for statement in block {
            match statement.control() {
                Control::Branch { then, otherwise, .. } => {
                    self.block(then, likely && !is_unlikely(statement, true), in_loop);
                    self.block(otherwise, likely && !is_unlikely(statement, false), in_loop);
                }
                Control::Repeat { body, .. } => self.block(body, likely, true),
                Control::Break | Control::Exit | Control::Next => {
                    if likely && self.is_put_in_place(statement, in_loop) {
                        self.marked.insert(statement.id);
                    }
                }
            }
        }
    }

    fn is_put_in_place(&mut self, statement: &Statement, in_loop: bool) -> bool {
        match statement.reaches() {
            Reaches::Function(_) => true,
            Reaches::Event(emit) if emit.later || emit.likely == Some(false) => false,
            Reaches::Event(emit) => match self.stack.target(emit) {
                Target::Port(_) => !in_loop,
                Target::Layer(layer) => emit.call && self.has_room(layer, emit.event),
            },
            Reaches::Nothing => false,
        }
    }

    /// Whether a reaction may be inlined; if so, its size is added.
    fn has_room(&mut self, layer: LayerId, event: EventId) -> bool {
        let size = self.size_of(layer, event, 0);
        let fits = size <= MOST_FOR_ONE && self.here + size <= MOST_IN_PLACE;
        self.here += if fits { size } else { 0 };
        fits
    }

    /// The size of a reaction, with all that it calls along the likely path.
    fn size_of(&mut self, layer: LayerId, event: EventId, depth: usize) -> u64 {
        if let Some(size) = self.sizes.get(&(layer, event)) {
            return *size;
        }
        if depth > self.stack.layers.len() * 2 + 4 {
            return MOST_IN_PLACE;
        }
        let stack = self.stack;
        let arms = stack.layer(layer).reactions.iter().filter(|r| r.event == event).flat_map(|r| &r.arms);
        let bodies = arms.map(|arm| &stack.handler(arm.handler).body);
        let size = CALL + bodies.map(|body| self.size_of_block(body, depth)).sum::<u64>();
        self.sizes.insert((layer, event), size);
        size
    }

    /// The likely part of a block; unlikely parts count as calls.
    fn size_of_block(&mut self, block: &[Statement], depth: usize) -> u64 {
        block.iter().map(|statement| self.size_of_statement(statement, depth)).sum()
    }

    fn size_of_statement(&mut self, statement: &Statement, depth: usize) -> u64 {
        let mut size = 1;
        statement.each_own(|_| size += 1);
        size + match &statement.kind {
            StatementKind::If { likely: Some(true), then, otherwise, .. } => {
                self.size_of_block(then, depth) + otherwise.len().min(1) as u64 * CALL
            }
            StatementKind::If { likely: Some(false), otherwise, .. } => CALL + self.size_of_block(otherwise, depth),
            StatementKind::Emit(emit @ Emit { call: true, later: false, .. }) => match self.stack.target(emit) {
                Target::Port(_) => 0,
                Target::Layer(_) if emit.likely == Some(false) => UNLIKELY_EMISSION,
                Target::Layer(layer) => self.size_of(layer, emit.event, depth + 1),
            },
            StatementKind::Call { function, .. } if depth < 64 => {
                self.size_of_block(&self.stack.function(*function).body, depth + 1)
            }
            _ => statement.blocks().into_iter().map(|block| self.size_of_block(block, depth)).sum(),
        }
    }
}
