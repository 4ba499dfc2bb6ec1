//! Tracks the uses of values that depend on the clock: a checker may erase them if they only influence each other.
//!
//! A *timing* value is one that depends on `now`. It may be kept in durations and instants, be computed with, decide
//! how long a timer waits, and be counted. Whatever else it reaches (a header, an event, a number, a branch that does
//! more than that) is a *leak*: allowed, but then the behaviour depends on the clock and a checker cannot erase times.
//!
//! The same analysis decides whether a checker may erase times ([`erasure`]) and must try random draws ([`draws`]).

mod marks;

use std::collections::BTreeSet;

use nacre_stack::visit::{Parts, Traverse};
use nacre_stack::*;

use marks::{Mark, Marks, Sources};

use crate::control::{self, Dependent};
use crate::values::{self, Body, BodyId, Slot, Values};
use crate::Lattice;

/// A place where a timing value reaches something else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leak {
    /// The layer.
    pub layer: LayerId,
    /// The handler or function; of an initial value, the cell.
    pub code: String,
    /// A description of what the value reaches.
    pub into: &'static str,
}

/// All leaks of a stack; none: the clock influences only timers.
pub fn leaks(stack: &Stack) -> Vec<Leak> {
    track(stack, Sources { clock: true, ..Sources::default() })
}

/// The uses of all durations, also constants; none: all could be 0, and only the times of timers would change.
pub fn reach(stack: &Stack) -> Vec<Leak> {
    track(stack, Sources { clock: true, constants: true, ..Sources::default() })
}

/// The uses of durations and instants in the state, of any origin; none: two states that differ only in these behave
/// alike while timers may fire at any time. (A waiting time that doubles is no leak; giving up when it is long is.)
pub fn erasure(stack: &Stack) -> Vec<Leak> {
    track(stack, Sources { clock: true, kept: true, ..Sources::default() })
}

/// The uses of random numbers; none: they decide only how long timers wait.
pub fn draws(stack: &Stack) -> Vec<Leak> {
    track(stack, Sources { random: true, ..Sources::default() })
}

/// The uses of random times alone; none: they decide only how long timers wait.
pub fn draws_of_times(stack: &Stack) -> Vec<Leak> {
    track(stack, Sources { random_times: true, ..Sources::default() })
}

fn track(stack: &Stack, from: Sources) -> Vec<Leak> {
    let marks = Marks { stack, from, values: Values::new(Mark::default()) };
    let mut tracker = Tracker { marks, leaks: BTreeSet::new() };
    for (i, cell) in stack.cells.iter().enumerate() {
        if from.kept || from.constants && cell.scope == Scope::Given {
            let presence = matches!(cell.ty, Type::Option(_)) && tracker.marks.holds_time(&cell.ty);
            let kept = Mark { times: tracker.marks.holds_time(&cell.ty), others: false, presence };
            tracker.marks.values.raise(Slot::Cell(CellId(i as u32)), &kept);
        }
    }
    loop {
        for (body, cell, initial) in values::initials(stack) {
            tracker.body(body);
            let mark = tracker.marks.mark(body.id, initial);
            let place = Place { root: Root::Cell(cell), path: vec![], ty: stack.cell(cell).ty.clone() };
            Code { tracker: &mut tracker, body }.store(&place, mark);
        }
        values::bodies(stack).for_each(|body| tracker.body(body));
        tracker.said();
        if !tracker.marks.values.take_grew() {
            return tracker.leaks.into_iter().collect();
        }
    }
}

/// What a loop that may meet its bound reaches.
const LOOP: &str = "how often a loop is repeated";

/// How many numbers a range can have, as far as its ends and their types show.
fn most_between(from: &Expr, to: &Expr) -> u64 {
    let constant = |e: &Expr| if let ExprKind::Const(value) = e.kind { Some(value) } else { None };
    let most = constant(to).unwrap_or(most_of(&to.ty));
    most.saturating_sub(constant(from).unwrap_or(0))
}

/// The greatest value of a type.
fn most_of(ty: &Type) -> u64 {
    match ty {
        Type::Range(_, end) => end.saturating_sub(1),
        Type::UInt(bits) if *bits < 64 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

/// The number of entries that a container can have.
fn entries(ty: &Type) -> u32 {
    match ty {
        Type::Array(_, n) | Type::Ring(_, n) | Type::List(_, n) | Type::Window(_, n, _) | Type::Pool(_, n) => *n,
        Type::Map(_, _, n) | Type::Bits(n) => *n,
        _ => u32::MAX,
    }
}

struct Tracker<'a> {
    marks: Marks<'a>,
    leaks: BTreeSet<Leak>,
}

impl<'a> Tracker<'a> {
    fn body(&mut self, body: Body<'a>) {
        control::body(&mut Code { tracker: self, body }, body.block, false);
    }

    /// Invariants and admissions.
    fn said(&mut self) {
        for (i, layer) in self.marks.stack.layers.iter().enumerate() {
            let id = LayerId(i as u32);
            layer.invariants.iter().for_each(|e| self.asked(id, "invariant", e, "an invariant"));
            layer.goals.iter().for_each(|goal| self.asked(id, &goal.name, &goal.holds, "a goal"));
        }
        for (event, admission) in self.marks.stack.admissions() {
            let name = format!("accepts {}", self.marks.stack.event(event).name);
            self.asked(admission.layer, &name, &admission.condition, "what is accepted");
        }
    }

    fn asked(&mut self, layer: LayerId, code: &str, e: &Expr, into: &'static str) {
        if self.marks.mark(BodyId::Said(layer), e).any() {
            self.leaks.insert(Leak { layer, code: code.into(), into });
        }
    }
}

/// The body being analyzed.
struct Code<'t, 'a> {
    tracker: &'t mut Tracker<'a>,
    body: Body<'a>,
}

impl Code<'_, '_> {
    fn returned(&mut self, value: Option<&Expr>, under: bool) {
        if let (Some(e), BodyId::Function(function)) = (value, self.body.id) {
            let mark = self.tracker.marks.within(self.mark(e).joined(&Mark::if_so(under)), &e.ty);
            self.tracker.marks.values.raise(Slot::Result(function), &mark);
        } else {
            self.leak_if(under, "the way a message takes");
        }
    }

    fn leak(&mut self, into: &'static str) {
        self.tracker.leaks.insert(Leak { layer: self.body.layer, code: self.body.name.into(), into });
    }

    fn leak_if(&mut self, leaks: bool, into: &'static str) {
        if leaks {
            self.leak(into);
        }
    }

    fn mark(&self, e: &Expr) -> Mark {
        self.tracker.marks.mark(self.body.id, e)
    }

    fn place(&self, place: &Place) -> Mark {
        self.tracker.marks.place(self.body.id, place)
    }

    fn chosen(&self, place: &Place) -> bool {
        self.tracker.marks.chosen(self.body.id, place)
    }

    fn set(&mut self, local: LocalId, mark: Mark) {
        let mark = self.tracker.marks.within(mark, &self.body.locals[local.index()].ty);
        self.tracker.marks.values.raise(Slot::Local(self.body.id, local), &mark);
    }

    /// Assigns to a part of a place. Cells may keep times; other values that depend on them leak there.
    fn store(&mut self, place: &Place, mark: Mark) {
        let by_ref = |local: LocalId| self.body.locals[local.index()].by_ref;
        let kept = match place.root {
            Root::Cell(_) => true,
            Root::Local(local) => by_ref(local),
        };
        let mark = self.tracker.marks.within(mark, &place.ty);
        let whole = place.path.is_empty();
        if kept {
            self.leak_if(mark.others, "a value that is not a time");
        }
        let inside = Mark { others: mark.others || !whole && mark.presence, presence: whole && mark.presence, ..mark };
        self.tracker.marks.values.raise(values::root(self.body.id, place), &inside);
    }

    /// What is put into a container.
    fn put_into(&mut self, place: &Place, mark: Mark) {
        let inside = Mark { others: mark.others || mark.presence, presence: false, ..mark };
        self.leak_if(inside.others, "a value that is not a time");
        self.tracker.marks.values.raise(values::root(self.body.id, place), &inside);
    }

    fn call(&mut self, into: Option<LocalId>, function: FunctionId, arguments: &[Argument], depends: Mark) {
        let called = BodyId::Function(function);
        let parameters = &self.tracker.marks.stack.function(function).parameters;
        for (argument, parameter) in arguments.iter().zip(parameters) {
            let slot = Slot::Local(called, *parameter);
            match argument {
                Argument::Value(e) => {
                    let mark = self.tracker.marks.within(self.mark(e), &e.ty);
                    self.tracker.marks.values.raise(slot, &mark);
                }
                // The reference names the place: a change of either changes both.
                Argument::Reference(place) => {
                    let (given, left) = (self.place(place), *self.tracker.marks.values.of(slot));
                    self.tracker.marks.values.raise(slot, &given);
                    if left.any() {
                        self.store(place, left);
                    }
                }
            }
        }
        if let Some(into) = into {
            let result = *self.tracker.marks.values.of(Slot::Result(function));
            self.set(into, result.joined(&depends));
        }
        self.leak_if(depends.any(), "a call that depends on the time");
    }

    fn operate(&mut self, operate: &Operate, under: bool) {
        let Operate { operation, place, arguments, into, done, back } = operate;
        for argument in arguments {
            let mark = self.mark(argument);
            self.put_into(place, mark);
        }
        let compares = match operation {
            Operation::Remove => !matches!(place.ty, Type::Map(..)) && self.tracker.marks.compares(self.body.id, place),
            Operation::Insert | Operation::Find | Operation::Entry => self.tracker.marks.compares(self.body.id, place),
            Operation::Push
            | Operation::Pop
            | Operation::Put
            | Operation::TakeNext
            | Operation::Read
            | Operation::Release
            | Operation::ReleaseLow
            | Operation::Raise
            | Operation::SkipTo
            | Operation::PassOver
            | Operation::Hole
            | Operation::NewHole
            | Operation::Clear
            | Operation::ClearUndelivered
            | Operation::Add => false,
        };
        let depends = under || compares || self.chosen(place);
        self.leak_if(depends, "a container that changes depending on the time");
        let held = self.place(place);
        for local in [into, done, back].into_iter().flatten() {
            let ty = &self.body.locals[local.index()].ty;
            let times = held.times && self.tracker.marks.holds_time(ty);
            let mark = Mark { times, others: held.others, presence: false };
            self.set(*local, mark.joined(&Mark::if_so(depends)));
        }
    }

    /// A loop over numbers; `under`: it runs depending on the time.
    fn count_up(&mut self, variable: LocalId, (from, to): (&Expr, &Expr), bound: u32, under: bool) {
        let mark = self.mark(from).joined(&self.mark(to)).joined(&Mark::if_so(under));
        self.leak_if(mark.any() && most_between(from, to) > u64::from(bound), LOOP);
        self.set(variable, mark);
    }

    /// A loop over a container; `depends`: it runs, or over what, depending on the time.
    fn walk(&mut self, walk: &Walk, bound: u32, depends: bool, under: bool) {
        self.leak_if(depends && entries(&walk.over.ty) > bound, LOOP);
        let held = self.place(&walk.over);
        for local in [walk.index, walk.key, walk.value].into_iter().flatten() {
            let part = self.tracker.marks.part(held, &self.body.locals[local.index()].ty);
            self.set(local, part.joined(&Mark::if_so(under)));
        }
        self.leak_if(walk.drain && under, "a container that changes depending on the time");
    }
}

impl Dependent for Code<'_, '_> {
    /// The condition, the ends of the range, or the container that is gone over: which one it is, or what is in it.
    fn decides(&mut self, statement: &Statement) -> bool {
        let Parts { operands, places, .. } = statement.parts();
        let differs = |place: &Place| self.chosen(place) || self.place(place).others;
        operands.into_iter().any(|e| self.mark(e).any()) || places.into_iter().any(differs)
    }

    fn statement(&mut self, statement: &Statement, under: bool) {
        let depends = Mark::if_so(under);
        match &statement.kind {
            StatementKind::Let(id, e) => {
                let mark = self.mark(e);
                self.set(*id, mark.joined(&depends));
            }
            StatementKind::Store(place, e) => {
                let chosen = Mark::if_so(self.chosen(place));
                let mark = self.mark(e).joined(&chosen);
                self.store(place, mark.joined(&depends));
            }
            StatementKind::If { .. } => {}
            StatementKind::Loop { .. } => self.leak_if(under, LOOP),
            StatementKind::For { variable, from, to, bound, .. } => self.count_up(*variable, (from, to), *bound, under),
            StatementKind::Each { walk, bound, .. } => {
                let depends = under || self.decides(statement);
                self.walk(walk, *bound, depends, under)
            }
            StatementKind::Return(value) => self.returned(value.as_ref(), under),
            StatementKind::Call { into, function, arguments } => self.call(*into, *function, arguments, depends),
            StatementKind::CallExtern { into, arguments, .. } => {
                if let Some(into) = into {
                    self.set(*into, Mark::if_so(under || self.tracker.marks.any(self.body.id, arguments)));
                }
            }
            StatementKind::Operate(operate) => self.operate(operate, under),
            StatementKind::Emit(emit) => {
                let depends = under || self.tracker.marks.any(self.body.id, &emit.arguments);
                self.leak_if(depends, "an event");
            }
            StatementKind::Drop(_)
            | StatementKind::Break
            | StatementKind::Yield(_)
            | StatementKind::Reject
            | StatementKind::Impossible
            | StatementKind::Unreachable => self.leak_if(under, "the way a message takes"),
            StatementKind::Arm { timer, .. } | StatementKind::Cancel(timer) => {
                let chosen = self.chosen(timer);
                self.leak_if(under || chosen, "whether a timer is armed");
            }
            StatementKind::Count(..) => {}
            StatementKind::Assert(e, _) => {
                let depends = under || self.mark(e).any();
                self.leak_if(depends, "an assertion");
            }
            StatementKind::Fit { into, value } => {
                let depends = under || self.mark(value).any();
                self.set(*into, Mark::if_so(depends));
            }
            StatementKind::Random { into, below } => {
                let ty = self.body.locals[into.index()].ty.clone();
                let from = self.tracker.marks.from;
                let is_source = from.random || from.random_times && matches!(ty, Type::Duration);
                let drawn = under || is_source || self.mark(below).any();
                let mark = self.tracker.marks.computed(drawn, &ty);
                self.set(*into, mark);
            }
            StatementKind::Filter { into, input: e, .. } | StatementKind::Unpack { into, message: e, .. } => {
                let depends = under || self.mark(e).any();
                self.set(*into, Mark::if_so(depends));
            }
            StatementKind::Join { into, parts, last } => {
                let depends = under || self.mark(last).any() || self.place(parts).others || self.chosen(parts);
                self.leak_if(under || self.chosen(parts), "a container that changes depending on the time");
                self.set(*into, Mark::if_so(depends));
            }
            StatementKind::Take { into, place } => {
                let chosen = self.chosen(place);
                let mark = self.place(place);
                self.leak_if(under || chosen, "a container that changes depending on the time");
                self.set(*into, mark.joined(&depends));
            }
        }
    }
}
