//! Runs a handler on abstract messages, to find what it can emit, store and make.
//!
//! The dataflow solver ([`nacre_analysis::flow`]) visits the code; its state is the facts known from conditions
//! ([`Facts`]). The possible messages are recorded for each place ([`Spots`]), not for each point of the code. They
//! only grow, and the solver repeats a handler until they are stable; docs/decisions/015 states why they are not part
//! of the solver's state.

mod courses;
mod places;
pub(crate) mod run;

use std::collections::BTreeMap;

use nacre_analysis::flow::{self, Forward};
use nacre_analysis::values::BodyId;
use nacre_stack::visit::{Node, Traverse};
use nacre_stack::Control;
use nacre_stack::*;

use crate::course::{Act, Course, Emission};
use crate::facts::Facts;
use crate::message::{Bag, Size};
use crate::spots::{Spot, SpotRoot, Spots};
use crate::values::{growth, longest};
use crate::world::World;
use courses::Courses;
use run::{Frame, Run};

/// Returns what a handler does with a message of this kind, which it receives in `parameter`.
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
        let courses = Courses::default();
        let mut run =
            Run { stack, world, locals, layer: handler.layer, new: false, calls: 0, visited: 0, courses, frame };
        let course = run.body(&handler.body, Facts::default());
        let again = run.new;
        locals = run.locals;
        if !again {
            return (course, world.version != before);
        }
    }
}

/// Returns the condition on which a loop ends, if it ends at one place only: a correct loop never reaches its bound.
fn exit(body: &Block) -> Option<(&Expr, bool)> {
    let is_break = |block: &Block| matches!(block.as_slice(), [Statement { kind: StatementKind::Break, .. }]);
    let found = body.iter().find_map(|statement| match &statement.kind {
        StatementKind::If { condition, then, .. } if is_break(then) => Some((condition, true)),
        StatementKind::If { condition, otherwise, .. } if is_break(otherwise) => Some((condition, false)),
        _ => None,
    });
    found.filter(|_| breaks(body) == 1)
}

/// Counts the breaks that end the loop of a block.
fn breaks(block: &Block) -> usize {
    let one = |statement: &Statement| match statement.control() {
        Control::Break => 1,
        Control::Branch { then, otherwise, .. } => breaks(then) + breaks(otherwise),
        // A `break` in there ends the inner loop.
        Control::Repeat { .. } | Control::Exit | Control::Next => 0,
    };
    block.iter().map(one).sum()
}

impl Forward for Run<'_> {
    type State = Facts;

    fn statement(&mut self, statement: &Statement, facts: &mut Facts) {
        std::mem::swap(&mut self.frame.facts, facts);
        let mut done = vec![];
        let visited = std::mem::take(&mut self.visited);
        self.run(statement, &mut done);
        debug_assert_eq!(self.visited, expressions(statement), "every expression of {statement:?} has effects");
        self.visited = visited;
        self.courses.add(done);
        std::mem::swap(&mut self.frame.facts, facts);
        if bound(statement).is_some() {
            self.courses.open();
        }
    }

    fn decided(&mut self, condition: &Expr, value: bool, facts: &mut Facts) {
        facts.learn(condition, value);
    }

    fn turn(&mut self, of: &Statement, facts: &mut Facts) {
        self.courses.again();
        of.sets().into_iter().for_each(|local| facts.forget_local(local));
        if let StatementKind::Each { walk, .. } = &of.kind {
            if walk.drain {
                facts.change(&walk.over);
            }
        }
    }

    fn ended(&mut self, of: &Statement, facts: &mut Facts) {
        let body = self.courses.close();
        self.courses.add(bound(of).map(|bound| Course::times(bound, body)));
        if let StatementKind::Loop { body, .. } = &of.kind {
            exit(body).into_iter().for_each(|(condition, holds)| facts.learn(condition, holds));
        }
    }

    fn enter(&mut self, _: &Statement, _: bool) {
        self.courses.open();
    }

    fn leave(&mut self, of: &Statement, then: bool) {
        self.courses.branch(of, then);
    }
}

/// Returns the number of expressions of a statement, without those in its blocks.
fn expressions(statement: &Statement) -> u32 {
    let mut count = 0;
    statement.each_own(|node| count += u32::from(matches!(node, Node::Expr(_))));
    count
}

/// Returns the maximum number of iterations of a loop.
fn bound(statement: &Statement) -> Option<u32> {
    match statement.control() {
        Control::Repeat { bound, .. } => Some(bound),
        Control::Branch { .. } | Control::Break | Control::Exit | Control::Next => None,
    }
}

impl<'a> Run<'a> {
    /// Returns the effects of the body of a handler or function.
    fn body(&mut self, body: &[Statement], facts: Facts) -> Course {
        self.courses.open();
        flow::forward(self, body, facts);
        self.courses.close()
    }

    /// Adds the effects of a statement itself, without the blocks in it.
    fn run(&mut self, statement: &Statement, done: &mut Vec<Course>) {
        self.within(statement.places(), done);
        match &statement.kind {
            StatementKind::Let(local, e) => {
                let bag = self.expr(e, done);
                self.set(*local, &bag);
                self.frame.facts.define(*local, e);
            }
            StatementKind::Store(place, e) => {
                let bag = self.expr(e, done);
                self.store(place, &bag, self.messages([e]), done);
            }
            StatementKind::Each { walk, .. } => {
                walk.from.iter().chain(&walk.to).for_each(|end| _ = self.expr(end, done));
                let entries = self.locals_or_cells(&walk.over);
                if let Some(value) = walk.value {
                    self.set(value, &entries);
                }
            }
            StatementKind::Return(Some(e)) => {
                let bag = self.expr(e, done);
                self.frame.returned.join(&bag);
            }
            StatementKind::Call { into, function, arguments } => done.push(self.call(*into, *function, arguments)),
            StatementKind::CallExtern { into, function, arguments } => {
                self.call_extern(*into, *function, arguments, done)
            }
            StatementKind::Operate(operate) => self.operate(operate, done),
            StatementKind::Emit(emit) => self.emit(emit, statement.span, done),
            StatementKind::Filter { into, filter, input } => self.filter(*into, *filter, input, done),
            StatementKind::Unpack { into, layout, message } => {
                let bag = self.expr(message, done);
                crate::values::cut(&bag, done);
                self.world.unpacked.insert(*layout);
                let unpacked = self.unpacked(*layout, &bag);
                self.set(*into, &unpacked);
                self.frame.facts.forget_local(*into);
            }
            StatementKind::Join { into, parts, last } => {
                let last = self.expr(last, done);
                let whole = self.joined(parts, &last);
                done.push(Course::Act(match self.spot(parts).root {
                    SpotRoot::Cell(cell) => Act::Join(last.size().pieces.max(1), Some(cell)),
                    SpotRoot::Local(..) => Act::Join(whole.size().pieces, None),
                }));
                self.set(*into, &whole);
                self.frame.facts.forget_local(*into);
            }
            StatementKind::Take { into, place } => {
                let bag = self.locals_or_cells(place);
                self.set(*into, &bag);
                self.changed(place);
                self.frame.facts.forget_local(*into);
            }
            StatementKind::Fit { into, value } => {
                self.expr(value, done);
                let ty = self.frame.locals[into.index()].ty.clone();
                let some = Expr::new(ExprKind::Some(Box::new(value.clone())), ty, value.span);
                self.frame.facts.define(*into, &some);
            }
            _ => {
                for e in statement.operands() {
                    self.expr(e, done);
                }
                statement.sets().into_iter().for_each(|l| self.frame.facts.forget_local(l));
            }
        }
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
        let none = Facts::default();
        let frame = Frame { call, locals: &callee.locals, references, strides, facts: none, returned: Bag::default() };
        let caller = std::mem::replace(&mut self.frame, frame);
        done.push(self.body(&callee.body, facts));
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
                false => self.remade(&given, |size| size.grown(|_| grows), done),
            };
            self.set(into, &made);
        }
    }

    fn filter(&mut self, into: LocalId, filter: FilterId, input: &Expr, done: &mut Vec<Course>) {
        let read = self.viewed(input, done);
        let stack = self.stack;
        let grown = |size: Size| size.grown(|read| growth(stack, filter, read));
        let made = match read.is_empty() {
            true => self.made(grown(Size::up_to(longest(input, &read))), done),
            false => self.remade(&read, grown, done),
        };
        self.set(into, &made);
        self.frame.facts.forget_local(into);
    }
}
