//! Runs a handler on kinds of messages instead of messages: what it can emit, store and make.

mod places;
pub(crate) mod run;

use std::collections::BTreeMap;

use nacre_analysis::values::BodyId;
use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::course::{Act, Course, Emission};
use crate::facts::Facts;
use crate::message::{Bag, Size};
use crate::spots::{Spot, SpotRoot, Spots};
use crate::values::{growth, longest};
use crate::world::World;
use run::{Frame, Run};

/// What a handler does with a message of this kind; `parameter` is where it gets it.
pub(crate) fn activate(
    stack: &Stack,
    world: &mut World,
    id: HandlerId,
    message: Option<(LocalId, Bag)>,
) -> (Course, bool) {
    let handler = stack.handler(id);
    let mut locals = Spots::default();
    if let Some((local, bag)) = &message {
        locals.write(&Spot { root: SpotRoot::Local(0, *local), path: vec![] }, bag);
    }
    let before = world.version;
    let taken: Vec<LocalId> = handler.parameters.iter().chain(&handler.fields).copied().collect();
    let strides = world.strides.with_locals(BodyId::Handler(id), &handler.locals, &taken, &handler.body);
    loop {
        let frame = Frame {
            call: 0,
            locals: &handler.locals,
            references: BTreeMap::new(),
            strides: strides.clone(),
            facts: Facts::default(),
            returned: Bag::default(),
        };
        let mut run = Run { stack, world, locals, layer: handler.layer, new: false, calls: 0, frame };
        let course = run.block(&handler.body);
        let again = run.new;
        locals = run.locals;
        if !again {
            return (course, world.version != before);
        }
    }
}

/// Whether a block never goes on to what stands behind it.
fn leaves(block: &Block) -> bool {
    match block.last().map(|s| &s.kind) {
        Some(StatementKind::Return(_) | StatementKind::Break | StatementKind::Reject) => true,
        Some(StatementKind::If { then, otherwise, .. }) => leaves(then) && leaves(otherwise),
        _ => false,
    }
}

/// The condition on which a loop ends, if there is only one place where it does: a bound is never met but by mistake.
fn exit(body: &Block) -> Option<(&Expr, bool)> {
    let is_break = |block: &Block| matches!(block.as_slice(), [Statement { kind: StatementKind::Break, .. }]);
    let found = body.iter().find_map(|statement| match &statement.kind {
        StatementKind::If { condition, then, .. } if is_break(then) => Some((condition, true)),
        StatementKind::If { condition, otherwise, .. } if is_break(otherwise) => Some((condition, false)),
        _ => None,
    });
    found.filter(|_| breaks(body) == 1)
}

/// How many breaks end the loop that a block belongs to.
fn breaks(block: &Block) -> usize {
    let one = |statement: &Statement| match &statement.kind {
        StatementKind::Break => 1,
        StatementKind::If { then, otherwise, .. } => breaks(then) + breaks(otherwise),
        _ => 0,
    };
    block.iter().map(one).sum()
}

impl<'a> Run<'a> {
    fn block(&mut self, block: &'a [Statement]) -> Course {
        let mut done = vec![];
        for (i, statement) in block.iter().enumerate() {
            if let StatementKind::If { condition, then, otherwise, .. } = &statement.kind {
                done.push(self.expr_effects(condition));
                done.push(self.branches(condition, then, otherwise, &block[i + 1..]));
                return Course::sequence(done);
            }
            let course = self.statement(statement);
            done.push(course);
        }
        Course::sequence(done)
    }

    /// Both ways of an `if`, and what follows it on the ways that go on.
    fn branches(&mut self, condition: &Expr, then: &'a Block, otherwise: &'a Block, rest: &'a [Statement]) -> Course {
        let before = self.frame.facts.clone();
        self.frame.facts.learn(condition, true);
        let first = self.block(then);
        let after_first = std::mem::replace(&mut self.frame.facts, before);
        self.frame.facts.learn(condition, false);
        let second = self.block(otherwise);
        match (leaves(then), leaves(otherwise)) {
            (true, true) => Course::either(vec![first, second]),
            (true, false) => {
                let rest = self.block(rest);
                Course::either(vec![first, Course::sequence(vec![second, rest])])
            }
            (false, true) => {
                self.frame.facts = after_first;
                let rest = self.block(rest);
                Course::either(vec![Course::sequence(vec![first, rest]), second])
            }
            (false, false) => {
                self.frame.facts.meet(&after_first);
                let rest = self.block(rest);
                Course::sequence(vec![Course::either(vec![first, second]), rest])
            }
        }
    }

    fn repeated(&mut self, bound: u32, body: &'a Block) -> Course {
        self.frame.facts.forget_places();
        body.each_statement(|s| s.sets().into_iter().for_each(|l| self.frame.facts.forget_local(l)));
        let before = self.frame.facts.clone();
        let course = Course::times(bound, self.block(body));
        self.frame.facts = before;
        course
    }

    fn statement(&mut self, statement: &'a Statement) -> Course {
        let mut done = vec![];
        match &statement.kind {
            StatementKind::Let(local, e) => {
                let bag = self.expr(e, &mut done);
                self.set(*local, &bag);
                self.frame.facts.define(*local, e);
            }
            StatementKind::Store(place, e) => {
                let bag = self.expr(e, &mut done);
                self.store(place, &bag, self.messages([e]), &mut done);
            }
            StatementKind::Loop { bound, body } => {
                done.push(self.repeated(*bound, body));
                if let Some((condition, holds)) = exit(body) {
                    self.frame.facts.learn(condition, holds);
                }
            }
            StatementKind::For { from, to, bound, body, .. } => {
                self.expr(from, &mut done);
                self.expr(to, &mut done);
                done.push(self.repeated(*bound, body));
            }
            StatementKind::Each { walk, bound, body } => {
                let entries = self.locals_or_cells(&walk.over);
                if let Some(value) = walk.value {
                    self.set(value, &entries);
                }
                done.push(self.repeated(*bound, body));
            }
            StatementKind::Return(Some(e)) => {
                let bag = self.expr(e, &mut done);
                self.frame.returned.join(&bag);
            }
            StatementKind::Call { into, function, arguments } => done.push(self.call(*into, *function, arguments)),
            StatementKind::CallExtern { into, function, arguments } => {
                self.call_extern(*into, *function, arguments, &mut done)
            }
            StatementKind::Operate(operate) => self.operate(operate, &mut done),
            StatementKind::Emit(emit) => self.emit(emit, statement.span, &mut done),
            StatementKind::Filter { into, filter, input } => self.filter(*into, *filter, input, &mut done),
            StatementKind::Unpack { into, layout, message } => {
                let bag = self.expr(message, &mut done);
                crate::values::cut(&bag, &mut done);
                self.world.unpacked.insert(*layout);
                let unpacked = self.unpacked(*layout, &bag);
                self.set(*into, &unpacked);
            }
            StatementKind::Join { into, parts, last } => {
                let last = self.expr(last, &mut done);
                let whole = self.joined(parts, &last);
                done.push(Course::Act(match self.spot(parts).root {
                    SpotRoot::Cell(cell) => Act::Join(last.size().pieces.max(1), Some(cell)),
                    SpotRoot::Local(..) => Act::Join(whole.size().pieces, None),
                }));
                self.set(*into, &whole);
            }
            StatementKind::Take { into, place } => {
                let bag = self.locals_or_cells(place);
                self.set(*into, &bag);
                self.changed(place);
            }
            StatementKind::Fit { into, value } => {
                self.expr(value, &mut done);
                let ty = self.frame.locals[into.index()].ty.clone();
                let some = Expr::new(ExprKind::Some(Box::new(value.clone())), ty, value.span);
                self.frame.facts.define(*into, &some);
            }
            _ => {
                for e in statement.operands() {
                    self.expr(e, &mut done);
                }
                statement.sets().into_iter().for_each(|l| self.frame.facts.forget_local(l));
            }
        }
        Course::sequence(done)
    }

    fn emit(&mut self, emit: &Emit, span: Span, done: &mut Vec<Course>) {
        let message = self.stack.event(emit.event).message;
        let mut bag = None;
        for (i, argument) in emit.arguments.iter().enumerate() {
            let carried = self.expr(argument, done);
            if message == Some(i as u32) {
                bag = Some(carried);
            }
        }
        let emission = Emission { target: self.stack.target(emit), event: emit.event, later: emit.later, bag, span };
        done.push(Course::Act(Act::Emit(emission)));
    }

    fn operate(&mut self, operate: &Operate, done: &mut Vec<Course>) {
        let mut bag = Bag::default();
        for argument in &operate.arguments {
            bag.join(&self.expr(argument, done));
        }
        self.store(&operate.place, &bag, self.messages(&operate.arguments), done);
        if let Some(into) = operate.into {
            if self.stack.has_message(&self.frame.locals[into.index()].ty) {
                let found = self.locals_or_cells(&operate.place);
                self.set(into, &found);
            }
            self.frame.facts.forget_local(into);
        }
        if let Some(back) = operate.back {
            self.set(back, &bag);
        }
    }

    fn call(&mut self, into: Option<LocalId>, function: FunctionId, arguments: &[Argument]) -> Course {
        let mut done = vec![];
        let callee: &'a Function = self.stack.function(function);
        self.calls += 1;
        let call = self.calls;
        let mut references = BTreeMap::new();
        for (parameter, argument) in callee.parameters.iter().zip(arguments) {
            match argument {
                Argument::Value(e) => {
                    let bag = self.expr(e, &mut done);
                    let spot = Spot { root: SpotRoot::Local(call, *parameter), path: vec![] };
                    self.new |= self.locals.write(&spot, &bag);
                }
                Argument::Reference(place) => {
                    references.insert(*parameter, self.spot(place));
                    if let Root::Local(local) = place.root {
                        self.frame.facts.forget_local(local);
                    }
                }
            }
        }
        let strides = {
            let body = BodyId::Function(function);
            self.world.strides.with_locals(body, &callee.locals, &callee.parameters, &callee.body)
        };
        let facts = Facts::new(references.keys().copied());
        let frame = Frame { call, locals: &callee.locals, references, strides, facts, returned: Bag::default() };
        let caller = std::mem::replace(&mut self.frame, frame);
        done.push(self.block(&callee.body));
        let callee = std::mem::replace(&mut self.frame, caller);
        self.frame.facts.forget_places();
        if let Some(into) = into {
            self.set(into, &callee.returned);
            self.frame.facts.forget_local(into);
        }
        Course::sequence(done)
    }

    fn call_extern(&mut self, into: Option<LocalId>, function: ExternId, arguments: &[Expr], done: &mut Vec<Course>) {
        let mut given = Bag::default();
        for argument in arguments {
            given.join(&self.flat(argument, done));
        }
        let grows = self.stack.externs[function.index()].grows;
        let Some(into) = into else { return };
        self.frame.facts.forget_local(into);
        if self.stack.has_message(&self.frame.locals[into.index()].ty) {
            let made = match given.is_empty() {
                true => self.made(Size::up_to(grows), done),
                false => self.remade(&given, |size| size.grown(grows), done),
            };
            self.set(into, &made);
        }
    }

    fn filter(&mut self, into: LocalId, filter: FilterId, input: &Expr, done: &mut Vec<Course>) {
        let read = self.viewed(input, done);
        let stack = self.stack;
        let grown = |size: Size| size.grown(growth(stack, filter, size.max));
        let made = match read.is_empty() {
            true => self.made(grown(Size::up_to(longest(input, &read))), done),
            false => self.remade(&read, grown, done),
        };
        self.set(into, &made);
        self.frame.facts.forget_local(into);
    }
}
