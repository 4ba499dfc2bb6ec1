//! Where values that come from the clock go: a checker may erase them as long as they stay among themselves.
//!
//! A *timing* value is one that depends on `now`. It may be kept in durations and instants, be computed with, decide how long a
//! timer waits, and be counted. Whatever else it reaches (a header, an event, a number, a branch that does more than that) is a
//! *leak*: allowed, but then the behaviour depends on the clock and nothing can be erased.

use crate::*;

/// A place where a timing value leaves its own kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leak {
    pub layer: LayerId,
    /// The handler or function.
    pub code: String,
    /// What it reaches, in words.
    pub into: &'static str,
}

/// All leaks of a stack; none: every layer keeps the clock to its timers.
pub fn leaks(stack: &Stack) -> Vec<Leak> {
    let mut tracker = Tracker {
        cells: vec![false; stack.cells.len()],
        parameters: stack.functions.iter().map(|f| vec![false; f.locals.len()]).collect(),
        results: vec![false; stack.functions.len()],
        leaks: Vec::new(),
        changed: true,
    };
    while tracker.changed {
        tracker.changed = false;
        tracker.leaks.clear();
        for handler in &stack.handlers {
            let mut locals = vec![false; handler.locals.len()];
            let mut code =
                Code { stack, layer: handler.layer, name: &handler.name, function: None, declared: &handler.locals };
            tracker.settle(&mut code, &handler.body, &mut locals);
        }
        for (i, function) in stack.functions.iter().enumerate() {
            let mut locals = tracker.parameters[i].clone();
            let mut code = Code {
                stack,
                layer: function.layer,
                name: &function.name,
                function: Some(i),
                declared: &function.locals,
            };
            tracker.settle(&mut code, &function.body, &mut locals);
        }
    }
    let mut leaks = tracker.leaks;
    leaks.sort();
    leaks.dedup();
    leaks
}

/// The body that is being followed.
struct Code<'a> {
    stack: &'a Stack,
    layer: LayerId,
    name: &'a str,
    function: Option<usize>,
    declared: &'a [Local],
}

struct Tracker {
    cells: Vec<bool>,
    parameters: Vec<Vec<bool>>,
    results: Vec<bool>,
    leaks: Vec<Leak>,
    changed: bool,
}

/// Types that hold times.
fn holds_time(ty: &Type) -> bool {
    matches!(ty, Type::Duration | Type::Instant)
        || matches!(ty, Type::Option(t) | Type::Array(t, _) if holds_time(t))
        || matches!(ty, Type::Tuple(types) if types.iter().any(holds_time))
}

impl Tracker {
    /// Follows a body until its locals do not change any more (loops go round).
    fn settle(&mut self, code: &mut Code, body: &Block, locals: &mut Vec<bool>) {
        loop {
            let before = locals.clone();
            self.block(code, body, locals, false);
            if *locals == before {
                return;
            }
        }
    }

    fn leak(&mut self, code: &Code, into: &'static str) {
        self.leaks.push(Leak { layer: code.layer, code: code.name.into(), into });
    }

    fn block(&mut self, code: &Code, block: &Block, locals: &mut Vec<bool>, guarded: bool) {
        for statement in block {
            self.statement(code, statement, locals, guarded);
        }
    }

    fn statement(&mut self, code: &Code, s: &Statement, locals: &mut Vec<bool>, guarded: bool) {
        match s {
            Statement::Let(id, e) => locals[id.index()] |= guarded || self.timed(e, locals),
            Statement::Store(place, e) => {
                let timed = self.timed(e, locals);
                self.store(code, place, guarded || timed, locals);
            }
            Statement::If { condition, then, otherwise, .. } => {
                let guarded = guarded || self.timed(condition, locals);
                self.block(code, then, locals, guarded);
                self.block(code, otherwise, locals, guarded);
            }
            Statement::Loop { body, .. } => self.block(code, body, locals, guarded),
            Statement::For { variable, from, to, body, .. } => {
                let timed = self.timed(from, locals) || self.timed(to, locals);
                locals[variable.index()] |= timed;
                self.block(code, body, locals, guarded || timed);
            }
            Statement::Each { walk, body, .. } => {
                if let Some(value) = walk.value {
                    let time = holds_time(&code.declared[value.index()].ty);
                    locals[value.index()] |= time && self.place_timed(&walk.over, locals);
                }
                self.block(code, body, locals, guarded);
            }
            Statement::Return(Some(e)) => {
                if let Some(i) = code.function {
                    let timed = guarded || self.timed(e, locals);
                    self.changed |= timed && !self.results[i];
                    self.results[i] |= timed;
                }
            }
            Statement::Call { into, function, arguments } => {
                let parameters = code.stack.functions[function.index()].parameters.clone();
                for (argument, parameter) in arguments.iter().zip(parameters) {
                    let timed = match argument {
                        Argument::Value(e) => self.timed(e, locals),
                        Argument::Reference(place) => self.place_timed(place, locals),
                    };
                    let known = &mut self.parameters[function.index()][parameter.index()];
                    self.changed |= timed && !*known;
                    *known |= timed;
                }
                if let Some(into) = into {
                    locals[into.index()] |= self.results[function.index()];
                }
                if guarded {
                    self.leak(code, "a call that depends on the time");
                }
            }
            Statement::Emit(emit) if guarded || emit.arguments.iter().any(|e| self.timed(e, locals)) => {
                self.leak(code, "an event")
            }
            Statement::Operate(operate) => {
                for argument in &operate.arguments {
                    self.put_into(code, &operate.place, argument, locals);
                }
                if guarded {
                    self.leak(code, "a container that changes depending on the time");
                }
                if let Some(into) = operate.into {
                    let time = holds_time(&code.declared[into.index()].ty);
                    locals[into.index()] |= time && self.place_timed(&operate.place, locals);
                }
            }
            Statement::Take { into, place } => locals[into.index()] |= self.place_timed(place, locals),
            Statement::Fit { into, value } => locals[into.index()] |= guarded || self.timed(value, locals),
            Statement::Assert(e, _) if self.timed(e, locals) => self.leak(code, "an assertion"),
            Statement::Arm { .. } | Statement::Cancel(_) if guarded => self.leak(code, "whether a timer is armed"),
            Statement::Drop(_) | Statement::Break | Statement::Return(None) | Statement::Yield(_) if guarded => {
                self.leak(code, "the way a message takes");
            }
            _ => {}
        }
    }

    fn store(&mut self, code: &Code, place: &Place, timed: bool, locals: &mut [bool]) {
        if !timed {
            return;
        }
        if !holds_time(&place.ty) {
            self.leak(code, "a value that is not a time");
        }
        match place.root {
            Root::Cell(id) => {
                self.changed |= !self.cells[id.index()];
                self.cells[id.index()] = true;
            }
            Root::Local(id) => locals[id.index()] = true,
        }
    }

    /// Times inside what is stored stay times; anything else that depends on the clock leaks.
    fn put_into(&mut self, code: &Code, place: &Place, e: &Expr, locals: &mut [bool]) {
        let parts: Vec<&Expr> = match &e.kind {
            ExprKind::Tuple(parts) | ExprKind::Struct(parts) => parts.iter().collect(),
            _ => vec![e],
        };
        for part in parts {
            if self.timed(part, locals) {
                if !holds_time(&part.ty) {
                    self.leak(code, "a value that is not a time");
                }
                if let Root::Cell(id) = place.root {
                    self.changed |= !self.cells[id.index()];
                    self.cells[id.index()] = true;
                }
            }
        }
    }

    fn place_timed(&self, place: &Place, locals: &[bool]) -> bool {
        match place.root {
            Root::Cell(id) => self.cells[id.index()],
            Root::Local(id) => locals[id.index()],
        }
    }

    /// Whether a value depends on the clock.
    fn timed(&self, e: &Expr, locals: &[bool]) -> bool {
        let any = |es: &[Expr]| es.iter().any(|e| self.timed(e, locals));
        match &e.kind {
            ExprKind::Now => true,
            ExprKind::Local(id) => locals[id.index()],
            // A container may hold times beside other things; only what is read as a time is one.
            ExprKind::Load(place) => holds_time(&place.ty) && self.place_timed(place, locals),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Some(a) | ExprKind::Unwrap(a) => {
                self.timed(a, locals)
            }
            ExprKind::Field(a, _) => holds_time(&e.ty) && self.timed(a, locals),
            ExprKind::BytesOf(a) | ExprKind::Through(_, a) | ExprKind::IsSome(a) => self.timed(a, locals),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => self.timed(a, locals) || self.timed(b, locals),
            ExprKind::If(a, b, c) | ExprKind::MulDiv(a, b, c) => [a, b, c].iter().any(|x| self.timed(x, locals)),
            ExprKind::Struct(es) | ExprKind::Tuple(es) | ExprKind::Array(es) | ExprKind::Concat(es) => any(es),
            ExprKind::Extern(_, es) | ExprKind::Query(_, _, es) => any(es),
            ExprKind::Push(m, _, fields) => self.timed(m, locals) || any(fields),
            ExprKind::Slice(m, a, b) => [m, a, b].iter().any(|x| self.timed(x, locals)),
            ExprKind::Rest(m, a) => self.timed(m, locals) || self.timed(a, locals),
            _ => false,
        }
    }
}
