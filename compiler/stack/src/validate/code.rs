//! Code: statements agree with the tables, and calls terminate.

use super::problems::Problems;
use crate::visit::Traverse;
use crate::*;

/// What is known while one body is checked.
pub struct Check<'a> {
    pub stack: &'a Stack,
    pub problems: &'a mut Problems,
    pub locals: &'a [Local],
    /// None: a filter, which serves several layers.
    pub layer: Option<LayerId>,
    /// Cells may be changed here.
    pub effects: bool,
    /// This runs once for all sessions of the layer.
    pub outside_sessions: bool,
    filter: bool,
    result: Option<&'a Type>,
    loops: u32,
}

/// Checks the bodies of all handlers, functions, filters and expressions outside of them, and that no call is
/// recursive.
pub fn check(stack: &Stack, problems: &mut Problems) {
    for handler in &stack.handlers {
        problems.at(&handler.name);
        Check::new(stack, problems, &handler.locals, Some(handler.layer), Kind::Code).block(&handler.body);
    }
    for function in &stack.functions {
        problems.at(&function.name);
        let mut check = Check::new(stack, problems, &function.locals, Some(function.layer), Kind::Code);
        check.result = function.result.as_ref();
        check.block(&function.body);
        let ends = function.result.is_none() || leaves(&function.body);
        check.problems.unless(ends, || "it can end without a result".into());
    }
    for filter in &stack.filters {
        problems.at(&filter.name);
        Check::new(stack, problems, &filter.locals, None, Kind::Filter).filter_body(filter);
    }
    for (cell, id) in stack.cells.iter().zip((0..).map(CellId)) {
        problems.at(format!("cell {}", cell.name));
        initial(stack, problems, id);
    }
    for (index, layer) in stack.layers.iter().enumerate() {
        let id = Some(LayerId(index as u32));
        for goal in &layer.goals {
            problems.at(format!("layer {}, goal {}", layer.name, goal.name));
            Check::new(stack, problems, &[], id, Kind::Pure).typed(&goal.holds, &Type::Bool, "a goal");
        }
        problems.at(format!("layer {}, an invariant", layer.name));
        for invariant in &layer.invariants {
            Check::new(stack, problems, &[], id, Kind::Pure).typed(invariant, &Type::Bool, "an invariant");
        }
    }
    for (_, admission) in stack.admissions() {
        problems.at(format!("layer {}, `accepts`", stack.layer(admission.layer).name));
        let mut check = Check::new(stack, problems, &admission.locals, Some(admission.layer), Kind::Pure);
        check.typed(&admission.condition, &Type::Bool, "a condition");
    }
    recursion(stack, problems);
}

fn initial<'a>(stack: &'a Stack, problems: &'a mut Problems, id: CellId) {
    let cell = stack.cell(id);
    let drawn = !cell.draws.is_empty() || !cell.locals.is_empty();
    let may = matches!(cell.scope, Scope::Session | Scope::Lasting) && cell.initial.is_some();
    problems.unless(may || !drawn, || "it cannot be drawn at random".into());
    problems.unless(draws_only(&cell.draws), || "it does more than drawing at random".into());
    let messages = cell.locals.iter().any(|l| l.by_ref || stack.has_message(&l.ty));
    problems.unless(!messages, || "a local of its draws is a message or a reference".into());
    let mut check = Check::new(stack, problems, &cell.locals, Some(cell.layer), Kind::Pure);
    check.outside_sessions = stack.copies(id) == 1;
    check.block(&cell.draws);
    if let Some(initial) = &cell.initial {
        check.typed(initial, &cell.ty, "an initial value");
    }
}

fn draws_only(block: &Block) -> bool {
    use StatementKind::{If, Let, Random};
    !block.any_statement(|statement| !matches!(statement.kind, Let(..) | Random { .. } | If { .. }))
}

/// What code may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Code,
    Filter,
    Pure,
}

impl<'a> Check<'a> {
    /// Nothing has been checked.
    pub fn new(
        stack: &'a Stack,
        problems: &'a mut Problems,
        locals: &'a [Local],
        layer: Option<LayerId>,
        kind: Kind,
    ) -> Check<'a> {
        let (effects, filter) = (kind == Kind::Code, kind == Kind::Filter);
        Check { stack, problems, locals, layer, effects, outside_sessions: false, filter, result: None, loops: 0 }
    }

    fn filter_body(&mut self, filter: &'a Filter) {
        for (state, initial) in filter.state.iter().zip(&filter.initial) {
            if let Some(initial) = initial {
                self.typed(initial, &state.ty, "an initial value");
            }
        }
        self.block(&filter.body);
        self.block(&filter.end);
        filter.result.iter().for_each(|r| self.expr(r));
    }
}

impl<'a> Check<'a> {
    /// The type of a local.
    pub fn local_type(&mut self, id: LocalId) -> Option<&'a Type> {
        let ty = self.locals.get(id.index()).map(|l| &l.ty);
        self.problems.unless(ty.is_some(), || format!("no local {}", id.0));
        ty
    }

    /// A local that receives a value of a type.
    pub fn receives(&mut self, id: LocalId, want: &Type, what: &str) {
        if let Some(ty) = self.local_type(id) {
            self.same(ty, want, what);
        }
    }

    /// Checks the statements of a block.
    pub fn block(&mut self, block: &'a [Statement]) {
        block.iter().for_each(|s| self.statement(s));
    }

    fn bounded(&mut self, bound: u32, body: &'a Block) {
        self.problems.unless(bound > 0, || "a loop without a bound".into());
        self.loops += 1;
        self.block(body);
        self.loops -= 1;
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Let(id, value) => {
                self.expr(value);
                self.receives(*id, &value.ty, "a local that is set");
                if value.ty == Type::View {
                    self.problems.add("a view is kept in a local");
                }
            }
            StatementKind::Store(place, value) => {
                self.changed(place);
                self.typed(value, &place.ty, "what is stored");
            }
            StatementKind::If { condition, then, otherwise, .. } => {
                self.typed(condition, &Type::Bool, "a condition");
                self.block(then);
                self.block(otherwise);
            }
            StatementKind::Loop { bound, body } => self.bounded(*bound, body),
            StatementKind::For { variable, from, to, bound, body } => {
                match self.local_type(*variable) {
                    // The end of a range is no value of it: the ends have the type of the numbers around it.
                    Some(Type::Range(..)) => {
                        let ends = from.ty.clone();
                        self.typed(from, &ends, "where a loop begins");
                        self.typed(to, &ends, "where a loop ends");
                    }
                    Some(ty) => {
                        self.typed(from, ty, "where a loop begins");
                        self.typed(to, ty, "where a loop ends");
                    }
                    None => {}
                }
                self.bounded(*bound, body);
            }
            StatementKind::Each { walk, bound, body } => {
                self.walk(walk);
                self.bounded(*bound, body);
            }
            StatementKind::Break => self.problems.unless(self.loops > 0, || "`break` outside of a loop".into()),
            StatementKind::Return(value) => match (value, self.result) {
                (Some(value), Some(want)) => self.typed(value, want, "the result"),
                (None, None) => {}
                _ => self.problems.add("a result where none is wanted, or none where one is"),
            },
            StatementKind::Call { into, function, arguments } => self.call(*into, *function, arguments),
            StatementKind::CallExtern { into, function, arguments } => {
                self.extern_arguments(*function, arguments);
                let result = self.stack.externs.get(function.index()).and_then(|f| f.result.as_ref());
                if let (Some(into), Some(result)) = (into, result) {
                    self.receives(*into, result, "the result of an extern");
                }
            }
            StatementKind::Operate(operate) => self.operate(operate),
            StatementKind::Emit(emit) => self.emit(emit),
            StatementKind::Drop(value) => {
                self.expr(value);
                self.problems.unless(self.stack.has_message(&value.ty), || "what is dropped holds no message".into());
            }
            StatementKind::Arm { timer, delay, .. } => {
                self.changed(timer);
                self.same(&timer.ty, &Type::Timer, "what is armed");
                self.typed(delay, &Type::Duration, "a delay");
            }
            StatementKind::Cancel(timer) => {
                self.changed(timer);
                self.same(&timer.ty, &Type::Timer, "what is cancelled");
            }
            StatementKind::Count(counter, n) => {
                self.problems
                    .unless(counter.index() < self.stack.counters.len(), || format!("no counter {}", counter.0));
                self.number(n, "what is counted");
            }
            StatementKind::Assert(condition, _) => self.typed(condition, &Type::Bool, "a condition"),
            StatementKind::Impossible | StatementKind::Unreachable => {}
            StatementKind::Fit { into, value } => {
                self.number(value, "what is fitted");
                let fits = self
                    .local_type(*into)
                    .is_none_or(|t| matches!(t, Type::Option(t) if operations::Kind::of(t).is_number()));
                self.problems.unless(fits, || "what is fitted goes into no option of a number".into());
            }
            StatementKind::Random { into, below } => {
                self.number(below, "a bound of chance");
                if let Some(layer) = self.layer {
                    self.problems
                        .unless(self.stack.layer(layer).random.is_some(), || "the layer has no generator".into());
                }
                self.receives(*into, &below.ty, "a random number");
            }
            StatementKind::Filter { into, filter, input } => {
                self.read_by(*filter, input);
                self.filter(*into, *filter);
            }
            StatementKind::Yield(value) => {
                self.expr(value);
                self.problems.unless(self.filter, || "`yield` outside of a filter".into());
            }
            StatementKind::Reject => self.problems.unless(self.filter, || "`reject` outside of a filter".into()),
            StatementKind::Unpack { into, layout, message } => {
                self.typed(message, &Type::Msg, "what is unpacked");
                self.layout(*layout);
                self.receives(*into, &Type::Option(Box::new(Type::Msg)), "what is unpacked");
            }
            StatementKind::Join { into, parts, last } => {
                self.changed(parts);
                let list = matches!(&parts.ty, Type::List(t, _) | Type::Ring(t, _) if **t == Type::Msg);
                self.problems.unless(list, || format!("{:?} is joined", parts.ty));
                self.typed(last, &Type::Msg, "the last part");
                self.receives(*into, &Type::Msg, "what is joined");
            }
            StatementKind::Take { into, place } => {
                self.changed(place);
                self.problems.unless(matches!(place.ty, Type::Option(_)), || format!("{:?} is taken", place.ty));
                self.receives(*into, &place.ty, "what is taken");
            }
        }
    }

    fn call(&mut self, into: Option<LocalId>, id: FunctionId, arguments: &'a [Argument]) {
        let Some(function) = self.stack.functions.get(id.index()) else {
            return self.problems.add(format!("no function {}", id.0));
        };
        let several = self.stack.layer(function.layer).sessions > 1;
        self.problems.unless(self.layer.is_some() || !several, || "a filter calls into a session".into());
        let own = self.layer.is_none_or(|layer| layer == function.layer);
        self.problems.unless(own, || format!("`{}` of another layer is called", function.name));
        let count = function.parameters.len();
        self.problems.unless(arguments.len() == count, || format!("{} of {count} arguments", arguments.len()));
        for (argument, parameter) in arguments.iter().zip(&function.parameters) {
            let parameter = &function.locals[parameter.index()];
            match argument {
                Argument::Value(value) => self.typed(value, &parameter.ty, "an argument"),
                Argument::Reference(place) => {
                    self.changed(place);
                    self.same(&place.ty, &parameter.ty, "an argument");
                }
            }
            let by_ref = matches!(argument, Argument::Reference(_));
            self.problems.unless(by_ref == parameter.by_ref, || format!("`{}`: a place, or not", parameter.name));
        }
        match (into, &function.result) {
            (Some(into), Some(result)) => self.receives(into, result, "the result of a function"),
            (Some(_), None) => self.problems.add("the result of a function that has none"),
            (None, Some(result)) => {
                self.problems.unless(!self.stack.has_message(result), || "a result with messages is lost".into())
            }
            (None, None) => {}
        }
    }

    fn filter(&mut self, into: LocalId, id: FilterId) {
        let Some(filter) = self.stack.filters.get(id.index()) else {
            return self.problems.add(format!("no filter {}", id.0));
        };
        let option = Type::Option(Box::new(Type::Msg));
        let fits = match self.local_type(into) {
            Some(ty) if filter.rejects => *ty == option,
            Some(ty) => *ty == Type::Msg || *ty == option,
            None => true,
        };
        self.problems.unless(fits, || format!("what `{}` makes goes into no message", filter.name));
        self.problems.unless(filter.result.is_none(), || format!("`{}` yields nothing", filter.name));
    }

    fn walk(&mut self, walk: &'a Walk) {
        if walk.drain {
            self.changed(&walk.over);
        } else {
            self.place(&walk.over);
        }
        let bits = Type::UInt(8);
        let index = match &walk.over.ty {
            Type::Window(_, _, b) => Some(Type::Seq(*b)),
            _ => None,
        };
        let entry = match &walk.over.ty {
            Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) | Type::Pool(t, _) => Some(&**t),
            Type::Window(t, ..) | Type::Map(_, t, _) => Some(&**t),
            Type::Bytes(_) => Some(&bits),
            Type::Bits(_) => None,
            ty => return self.problems.add(format!("a walk over {ty:?}")),
        };
        if let (Some(value), Some(entry)) = (walk.value, entry) {
            self.receives(value, entry, "an entry");
            let moved = walk.drain || !self.stack.has_message(entry);
            self.problems.unless(moved, || "an entry with messages is copied".into());
        }
        if let (Some(local), Some(ty)) = (walk.index, &index) {
            self.receives(local, ty, "an index");
        } else if let Some(ty) = walk.index.and_then(|local| self.local_type(local)) {
            self.problems.unless(operations::Kind::of(ty).is_number(), || "an index is not a number".into());
        }
        if let Some(key) = walk.key {
            match &walk.over.ty {
                Type::Map(k, ..) => self.receives(key, k, "a key"),
                _ => self.problems.add("a key of what has none"),
            }
        }
        for limit in walk.from.iter().chain(&walk.to) {
            match &index {
                Some(ty) => self.typed(limit, ty, "a limit"),
                None => self.problems.add("a limit on what has no numbers"),
            }
        }
    }
}

/// Whether a block never runs to its end.
pub fn leaves(block: &Block) -> bool {
    block.iter().any(|statement| match statement.control() {
        Control::Exit | Control::Break => true,
        Control::Branch { then, otherwise, .. } => leaves(then) && leaves(otherwise),
        Control::Repeat { .. } | Control::Next => matches!(statement.kind, StatementKind::Unreachable),
    })
}

/// Checks that the calls of functions have no cycles.
fn recursion(stack: &Stack, problems: &mut Problems) {
    let calls: Vec<Vec<usize>> = stack.functions.iter().map(|f| called(&f.body)).collect();
    // Functions that call only terminating ones, until no more are found.
    let mut ends = vec![false; calls.len()];
    loop {
        let next = (0..calls.len()).find(|f| !ends[*f] && calls[*f].iter().all(|c| ends.get(*c) == Some(&true)));
        match next {
            Some(f) => ends[f] = true,
            None => break,
        }
    }
    for (function, ends) in stack.functions.iter().zip(ends) {
        problems.at(&function.name);
        problems.unless(ends, || "it calls itself".into());
    }
}

fn called(block: &Block) -> Vec<usize> {
    let mut found = vec![];
    block.each_statement(|statement| {
        if let StatementKind::Call { function, .. } = &statement.kind {
            found.push(function.index());
        }
    });
    found
}
