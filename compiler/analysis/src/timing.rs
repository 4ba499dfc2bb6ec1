//! Tracks the uses of values that depend on the clock: a checker may erase them if they only influence each other.
//!
//! A *timing* value is one that depends on `now`. It may be kept in durations and instants, be computed with, decide how long a
//! timer waits, and be counted. Whatever else it reaches (a header, an event, a number, a branch that does more than that) is a
//! *leak*: allowed, but then the behaviour depends on the clock and a checker cannot erase times.
//!
//! The same analysis decides whether a checker may erase times ([`erasure`]) and must try random draws ([`draws`]).

use std::collections::BTreeSet;

use nacre_stack::visit::Traverse;
use nacre_stack::*;

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

/// The sources of tracked values.
#[derive(Clone, Copy, Default)]
struct Sources {
    /// `now`.
    clock: bool,
    /// Times in cells.
    kept: bool,
    /// Times from the source or the host.
    constants: bool,
    random: bool,
}

/// The parts of a value that depend on the sources.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mark {
    /// Durations and instants in it.
    times: bool,
    /// Anything else in it.
    others: bool,
    /// Of an option: whether it has a value.
    presence: bool,
}

impl Mark {
    const ALL: Mark = Mark { times: true, others: true, presence: true };

    fn any(self) -> bool {
        self.times || self.others || self.presence
    }

    /// Extends the mark to the whole value.
    fn if_so(depends: bool) -> Mark {
        if depends {
            Mark::ALL
        } else {
            Mark::default()
        }
    }
}

impl Lattice for Mark {
    fn join(&mut self, other: &Mark) -> bool {
        self.times.join(&other.times) | self.others.join(&other.others) | self.presence.join(&other.presence)
    }
}

fn track(stack: &Stack, from: Sources) -> Vec<Leak> {
    let mut tracker = Tracker { stack, from, marks: Values::new(Mark::default()), leaks: BTreeSet::new() };
    for (i, cell) in stack.cells.iter().enumerate() {
        if from.kept || from.constants && cell.scope == Scope::Given {
            let presence = matches!(cell.ty, Type::Option(_)) && tracker.holds_time(&cell.ty);
            let kept = Mark { times: tracker.holds_time(&cell.ty), others: false, presence };
            tracker.marks.raise(Slot::Cell(CellId(i as u32)), &kept);
        }
    }
    loop {
        for (body, cell, initial) in values::initials(stack) {
            tracker.body(body);
            let mark = tracker.mark(body.id, initial);
            let place = Place { root: Root::Cell(cell), path: vec![], ty: stack.cell(cell).ty.clone() };
            Code { tracker: &mut tracker, body }.store(&place, mark);
        }
        values::bodies(stack).for_each(|body| tracker.body(body));
        tracker.said();
        if !tracker.marks.take_grew() {
            return tracker.leaks.into_iter().collect();
        }
    }
}

struct Tracker<'a> {
    stack: &'a Stack,
    from: Sources,
    marks: Values<Mark>,
    leaks: BTreeSet<Leak>,
}

impl<'a> Tracker<'a> {
    fn body(&mut self, body: Body<'a>) {
        control::body(&mut Code { tracker: self, body }, body.block, false);
    }

    /// Invariants and admissions.
    fn said(&mut self) {
        for (i, layer) in self.stack.layers.iter().enumerate() {
            let id = LayerId(i as u32);
            layer.invariants.iter().for_each(|e| self.asked(id, "invariant", e, "an invariant"));
            layer.goals.iter().for_each(|goal| self.asked(id, &goal.name, &goal.holds, "a goal"));
        }
        let inputs = self.stack.ports.iter().flat_map(|port| &port.inputs);
        for (input, admission) in inputs.flat_map(|input| input.admissions.iter().map(move |a| (input, a))) {
            let name = format!("accepts {}", self.stack.event(input.event).name);
            self.asked(admission.layer, &name, &admission.condition, "what is accepted");
        }
    }

    fn asked(&mut self, layer: LayerId, code: &str, e: &Expr, into: &'static str) {
        if self.mark(BodyId::Said(layer), e).any() {
            self.leaks.insert(Leak { layer, code: code.into(), into });
        }
    }

    /// Types that hold times.
    fn holds_time(&self, ty: &Type) -> bool {
        match ty {
            Type::Duration | Type::Instant => true,
            Type::Struct(id) => self.stack.structs[id.index()].fields.iter().any(|f| self.holds_time(&f.ty)),
            Type::Tuple(types) => types.iter().any(|t| self.holds_time(t)),
            Type::Option(t) | Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) => self.holds_time(t),
            Type::Window(t, _, _) | Type::Pool(t, _) => self.holds_time(t),
            Type::Map(k, t, _) => self.holds_time(k) || self.holds_time(t),
            _ => false,
        }
    }

    /// Types that hold something else.
    fn holds_others(&self, ty: &Type) -> bool {
        match ty {
            Type::Duration | Type::Instant => false,
            Type::Struct(id) => self.stack.structs[id.index()].fields.iter().any(|f| self.holds_others(&f.ty)),
            Type::Tuple(types) => types.iter().any(|t| self.holds_others(t)),
            Type::Option(t) | Type::Array(t, _) => self.holds_others(t),
            _ => true,
        }
    }

    /// The part of a mark that applies to values of the type.
    fn within(&self, mark: Mark, ty: &Type) -> Mark {
        let (times, others) = (self.holds_time(ty), self.holds_others(ty));
        Mark {
            times: times && (mark.times || mark.others && !others),
            others: others && mark.others,
            presence: matches!(ty, Type::Option(_)) && (mark.presence || mark.others),
        }
    }

    /// The mark of a part of that type.
    fn part(&self, mark: Mark, ty: &Type) -> Mark {
        Mark {
            times: mark.times && self.holds_time(ty),
            others: mark.others,
            presence: mark.presence && matches!(ty, Type::Option(_)),
        }
    }

    /// The mark of a computed value: it depends on all operands.
    fn computed(&self, depends: bool, ty: &Type) -> Mark {
        match ty {
            Type::Duration | Type::Instant => Mark { times: depends, ..Mark::default() },
            _ => Mark { others: depends, ..Mark::default() },
        }
    }

    fn place(&self, body: BodyId, place: &Place) -> Mark {
        let mark = self.part(*self.marks.of(values::root(body, place)), &place.ty);
        if self.chosen(body, place) {
            Mark::ALL
        } else {
            mark
        }
    }

    /// Whether the choice of the place depends on the time.
    fn chosen(&self, body: BodyId, place: &Place) -> bool {
        place.path.iter().any(|step| matches!(step, Step::Index(at) if self.mark(body, at).any()))
    }

    /// Whether the presence of an entry or key depends on the time, by comparison with times.
    fn compares(&self, body: BodyId, place: &Place) -> bool {
        let compared = match &place.ty {
            Type::Ring(t, _) | Type::List(t, _) | Type::Map(t, _, _) => self.holds_time(t),
            _ => false,
        };
        compared && self.place(body, place).times
    }

    fn any(&self, body: BodyId, parts: &[Expr]) -> bool {
        parts.iter().any(|e| self.mark(body, e).any())
    }

    /// The mark of an expression's value.
    fn mark(&self, body: BodyId, e: &Expr) -> Mark {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Zero => {
                Mark { times: self.from.constants && self.holds_time(&e.ty), ..Mark::default() }
            }
            ExprKind::Literal(_) | ExprKind::None | ExprKind::Fingerprint | ExprKind::Room | ExprKind::Empty => {
                Mark::default()
            }
            ExprKind::Now => self.computed(self.from.clock, &e.ty),
            ExprKind::Local(id) => *self.marks.of(Slot::Local(body, *id)),
            ExprKind::Load(place) | ExprKind::Borrow(place) => self.place(body, place),
            ExprKind::Struct(parts) | ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                let whole = parts.iter().fold(Mark::default(), |whole, e| whole.joined(&self.mark(body, e)));
                Mark { others: whole.others || whole.presence, presence: false, ..whole }
            }
            ExprKind::Some(inner) => Mark { presence: false, ..self.mark(body, inner) },
            ExprKind::Unwrap(inner) | ExprKind::Field(inner, _) => self.part(self.mark(body, inner), &e.ty),
            ExprKind::Index(of, at) if self.mark(body, at).any() => self.mark(body, of).joined(&Mark::ALL),
            ExprKind::Index(of, _) => self.part(self.mark(body, of), &e.ty),
            ExprKind::IsSome(inner) => {
                let mark = self.mark(body, inner);
                self.computed(mark.presence || mark.others, &e.ty)
            }
            ExprKind::If(condition, a, b) => {
                let depends = Mark::if_so(self.mark(body, condition).any());
                self.mark(body, a).joined(&self.mark(body, b)).joined(&depends)
            }
            ExprKind::Query(query, place, parts) => self.query(body, e, *query, place, parts),
            ExprKind::Unary(_, _)
            | ExprKind::Binary(..)
            | ExprKind::MulDiv(..)
            | ExprKind::Convert(_)
            | ExprKind::Concat(_)
            | ExprKind::Part(..)
            | ExprKind::BytesOf(_)
            | ExprKind::View(_)
            | ExprKind::Through(..)
            | ExprKind::Extern(..)
            | ExprKind::Share(_)
            | ExprKind::Length(_)
            | ExprKind::Push(..)
            | ExprKind::Slice(..)
            | ExprKind::Rest(..)
            | ExprKind::Pack(..)
            | ExprKind::PackView(..) => {
                let parts = e.parts();
                let depends = parts.operands.into_iter().any(|e| self.mark(body, e).any())
                    || parts.places.into_iter().any(|place| self.place(body, place).any());
                self.computed(depends, &e.ty)
            }
        }
    }

    /// The mark of a query: the contents depend on the operations, which depend on no time.
    fn query(&self, body: BodyId, e: &Expr, query: Query, place: &Place, parts: &[Expr]) -> Mark {
        let held = self.place(body, place);
        let depends = held.others || self.chosen(body, place) || self.any(body, parts);
        let told = match query {
            Query::Contains => self.computed(depends || self.compares(body, place), &e.ty),
            Query::Key => self.part(held, &e.ty),
            Query::Len
            | Query::Empty
            | Query::Full
            | Query::Has
            | Query::Low
            | Query::Next
            | Query::High
            | Query::Armed
            | Query::First => Mark::default(),
        };
        told.joined(&self.computed(depends, &e.ty))
    }
}

/// The body being analyzed.
struct Code<'t, 'a> {
    tracker: &'t mut Tracker<'a>,
    body: Body<'a>,
}

impl Code<'_, '_> {
    fn leak(&mut self, into: &'static str) {
        self.tracker.leaks.insert(Leak { layer: self.body.layer, code: self.body.name.into(), into });
    }

    fn leak_if(&mut self, leaks: bool, into: &'static str) {
        if leaks {
            self.leak(into);
        }
    }

    fn mark(&self, e: &Expr) -> Mark {
        self.tracker.mark(self.body.id, e)
    }

    fn place(&self, place: &Place) -> Mark {
        self.tracker.place(self.body.id, place)
    }

    fn chosen(&self, place: &Place) -> bool {
        self.tracker.chosen(self.body.id, place)
    }

    fn set(&mut self, local: LocalId, mark: Mark) {
        let mark = self.tracker.within(mark, &self.body.locals[local.index()].ty);
        self.tracker.marks.raise(Slot::Local(self.body.id, local), &mark);
    }

    /// Assigns to a part of a place. Cells may keep times; other values that depend on them leak there.
    fn store(&mut self, place: &Place, mark: Mark) {
        let by_ref = |local: LocalId| self.body.locals[local.index()].by_ref;
        let kept = match place.root {
            Root::Cell(_) => true,
            Root::Local(local) => by_ref(local),
        };
        let mark = self.tracker.within(mark, &place.ty);
        let whole = place.path.is_empty();
        if kept {
            self.leak_if(mark.others, "a value that is not a time");
        }
        let inside = Mark { others: mark.others || !whole && mark.presence, presence: whole && mark.presence, ..mark };
        self.tracker.marks.raise(values::root(self.body.id, place), &inside);
    }

    /// What is put into a container.
    fn put_into(&mut self, place: &Place, mark: Mark) {
        let inside = Mark { others: mark.others || mark.presence, presence: false, ..mark };
        self.leak_if(inside.others, "a value that is not a time");
        self.tracker.marks.raise(values::root(self.body.id, place), &inside);
    }

    fn call(&mut self, into: Option<LocalId>, function: FunctionId, arguments: &[Argument], depends: Mark) {
        let called = BodyId::Function(function);
        let parameters = &self.tracker.stack.function(function).parameters;
        for (argument, parameter) in arguments.iter().zip(parameters) {
            let slot = Slot::Local(called, *parameter);
            match argument {
                Argument::Value(e) => {
                    let mark = self.tracker.within(self.mark(e), &e.ty);
                    self.tracker.marks.raise(slot, &mark);
                }
                // The reference names the place: a change of either changes both.
                Argument::Reference(place) => {
                    let (given, left) = (self.place(place), *self.tracker.marks.of(slot));
                    self.tracker.marks.raise(slot, &given);
                    if left.any() {
                        self.store(place, left);
                    }
                }
            }
        }
        if let Some(into) = into {
            let result = *self.tracker.marks.of(Slot::Result(function));
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
            Operation::Remove => !matches!(place.ty, Type::Map(..)) && self.tracker.compares(self.body.id, place),
            Operation::Insert | Operation::Find | Operation::Entry => self.tracker.compares(self.body.id, place),
            Operation::Push
            | Operation::Pop
            | Operation::Put
            | Operation::TakeNext
            | Operation::Read
            | Operation::Release
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
            let times = held.times && self.tracker.holds_time(ty);
            let mark = Mark { times, others: held.others, presence: false };
            self.set(*local, mark.joined(&Mark::if_so(depends)));
        }
    }
}

impl Dependent for Code<'_, '_> {
    fn decides(&mut self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::If { condition, .. } => self.mark(condition).any(),
            StatementKind::For { from, to, .. } => self.mark(from).any() || self.mark(to).any(),
            StatementKind::Each { walk, .. } => {
                walk.from.iter().chain(&walk.to).any(|e| self.mark(e).any()) || self.chosen(&walk.over)
            }
            _ => false,
        }
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
            StatementKind::If { .. } | StatementKind::Loop { .. } => {}
            StatementKind::For { variable, from, to, .. } => {
                let mark = self.mark(from).joined(&self.mark(to));
                self.set(*variable, mark.joined(&depends));
            }
            StatementKind::Each { walk, .. } => {
                let held = self.place(&walk.over);
                for local in [walk.index, walk.key, walk.value].into_iter().flatten() {
                    let part = self.tracker.part(held, &self.body.locals[local.index()].ty);
                    self.set(local, part.joined(&depends));
                }
                self.leak_if(walk.drain && under, "a container that changes depending on the time");
            }
            StatementKind::Return(value) => {
                if let (Some(e), BodyId::Function(function)) = (value, self.body.id) {
                    let mark = self.tracker.within(self.mark(e).joined(&depends), &e.ty);
                    self.tracker.marks.raise(Slot::Result(function), &mark);
                } else {
                    self.leak_if(under, "the way a message takes");
                }
            }
            StatementKind::Call { into, function, arguments } => self.call(*into, *function, arguments, depends),
            StatementKind::CallExtern { into, arguments, .. } => {
                if let Some(into) = into {
                    self.set(*into, Mark::if_so(under || self.tracker.any(self.body.id, arguments)));
                }
            }
            StatementKind::Operate(operate) => self.operate(operate, under),
            StatementKind::Emit(emit) => {
                let depends = under || self.tracker.any(self.body.id, &emit.arguments);
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
                let depends = self.mark(e).any();
                self.leak_if(depends, "an assertion");
            }
            StatementKind::Fit { into, value } => {
                let depends = under || self.mark(value).any();
                self.set(*into, Mark::if_so(depends));
            }
            StatementKind::Random { into, below } => {
                let drawn = under || self.tracker.from.random || self.mark(below).any();
                let ty = self.body.locals[into.index()].ty.clone();
                let mark = self.tracker.computed(drawn, &ty);
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
