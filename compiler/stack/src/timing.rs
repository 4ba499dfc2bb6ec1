//! Where values that come from the clock go: a checker may erase them as long as they stay among themselves.
//!
//! A *timing* value is one that depends on `now`. It may be kept in durations and instants, be computed with, decide how long a
//! timer waits, and be counted. Whatever else it reaches (a header, an event, a number, a branch that does more than that) is a
//! *leak*: allowed, but then the behaviour depends on the clock and nothing can be erased.
//!
//! The same tracking, from other sources, tells whether a checker may leave times out of what it compares ([`erasure`]), and
//! whether it must try what is drawn at random ([`draws`]).

use crate::*;

/// A place where a timing value leaves its own kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leak {
    pub layer: LayerId,
    /// The handler or function, or the cell for what it begins with.
    pub code: String,
    /// What it reaches, in words.
    pub into: &'static str,
}

/// All leaks of a stack; none: every layer keeps the clock to its timers.
pub fn leaks(stack: &Stack) -> Vec<Leak> {
    track(stack, Sources { clock: true, kept: false, random: false })
}

/// Where any duration or instant that is kept goes, wherever it came from; none: two states that differ in these alone behave
/// alike while timers may fire at any time. (A waiting time that doubles is no leak; giving up when it is long is one.)
pub fn erasure(stack: &Stack) -> Vec<Leak> {
    track(stack, Sources { clock: true, kept: true, random: false })
}

/// Where numbers drawn at random go; none: they only decide how long timers wait.
pub fn draws(stack: &Stack) -> Vec<Leak> {
    track(stack, Sources { clock: false, kept: false, random: true })
}

/// What is followed.
struct Sources {
    clock: bool,
    kept: bool,
    random: bool,
}

fn track(stack: &Stack, from: Sources) -> Vec<Leak> {
    let mut tracker = Tracker {
        stack,
        cells: vec![from.kept; stack.cells.len()],
        from,
        parameters: stack.functions.iter().map(|f| vec![false; f.locals.len()]).collect(),
        results: vec![false; stack.functions.len()],
        leaks: Vec::new(),
        changed: true,
    };
    while tracker.changed {
        tracker.changed = false;
        tracker.leaks.clear();
        for (i, cell) in stack.cells.iter().enumerate() {
            tracker.initial(CellId(i as u32), cell);
        }
        for handler in &stack.handlers {
            let mut locals = Locals::new(vec![false; handler.locals.len()]);
            let mut code =
                Code { stack, layer: handler.layer, name: &handler.name, function: None, declared: &handler.locals };
            tracker.settle(&mut code, &handler.body, &mut locals);
        }
        for (i, function) in stack.functions.iter().enumerate() {
            let mut locals = Locals::new(tracker.parameters[i].clone());
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

/// What is known of the locals of a body.
#[derive(Clone, PartialEq)]
struct Locals {
    /// Something in it depends on the time.
    timed: Vec<bool>,
    /// Of an option: whether there is something depends on the time.
    presence: Vec<bool>,
}

impl Locals {
    fn new(timed: Vec<bool>) -> Locals {
        Locals { presence: timed.clone(), timed }
    }

    fn taint(&mut self, id: LocalId, timed: bool) {
        self.timed[id.index()] |= timed;
        self.presence[id.index()] |= timed;
    }
}

struct Tracker<'a> {
    stack: &'a Stack,
    from: Sources,
    cells: Vec<bool>,
    parameters: Vec<Vec<bool>>,
    results: Vec<bool>,
    leaks: Vec<Leak>,
    changed: bool,
}

impl Tracker<'_> {
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

    /// Whether what an operation does to a container depends on the time: it compares entries or keys.
    fn compares(&self, operation: Operation, place: &Place, locals: &Locals) -> bool {
        let compared = match (&place.ty, operation) {
            (Type::Ring(t, _) | Type::List(t, _), Operation::Remove) => self.holds_time(t),
            (Type::Map(key, _, _), Operation::Insert | Operation::Find | Operation::Entry) => self.holds_time(key),
            _ => false,
        };
        compared && self.place_timed(place, locals)
    }

    /// Whether it depends on the time that an entry or key is in a container.
    fn contains(&self, place: &Place, locals: &Locals) -> bool {
        let compared = match &place.ty {
            Type::Ring(t, _) | Type::List(t, _) | Type::Map(t, _, _) => self.holds_time(t),
            _ => false,
        };
        compared && self.place_timed(place, locals)
    }

    /// Follows a body until its locals do not change any more (loops go round).
    fn settle(&mut self, code: &mut Code, body: &Block, locals: &mut Locals) {
        loop {
            let before = locals.clone();
            self.block(code, body, locals, false);
            if *locals == before {
                return;
            }
        }
    }

    /// What a cell begins with, and what is drawn for it.
    fn initial(&mut self, id: CellId, cell: &Cell) {
        let Some(initial) = &cell.initial else { return };
        let mut locals = Locals::new(vec![false; cell.locals.len()]);
        let mut code =
            Code { stack: self.stack, layer: cell.layer, name: &cell.name, function: None, declared: &cell.locals };
        self.settle(&mut code, &cell.draws, &mut locals);
        let place = Place { root: Root::Cell(id), path: vec![], ty: cell.ty.clone() };
        let timed = self.timed(initial, &locals);
        self.store(&code, &place, timed, &mut locals);
    }

    fn leak(&mut self, code: &Code, into: &'static str) {
        self.leaks.push(Leak { layer: code.layer, code: code.name.into(), into });
    }

    /// Gives whether the code behind it runs or not depending on the time.
    fn block(&mut self, code: &Code, block: &Block, locals: &mut Locals, mut guarded: bool) -> bool {
        let before = guarded;
        for statement in block {
            guarded |= self.statement(code, statement, locals, guarded);
        }
        guarded && !before
    }

    fn statement(&mut self, code: &Code, s: &Statement, locals: &mut Locals, guarded: bool) -> bool {
        match &s.kind {
            StatementKind::Let(id, e) => {
                let (timed, presence) = (self.timed(e, locals), self.presence(e, locals));
                locals.timed[id.index()] |= guarded || timed;
                locals.presence[id.index()] |= guarded || presence;
            }
            StatementKind::Store(place, e) => {
                let timed = self.timed(e, locals) || self.chosen(place, locals);
                self.store(code, place, guarded || timed, locals);
            }
            StatementKind::If { condition, then, otherwise, .. } => {
                let inside = guarded || self.timed(condition, locals);
                let left = self.block(code, then, locals, inside) | self.block(code, otherwise, locals, inside);
                return left || (inside && (returns(then) || returns(otherwise)));
            }
            StatementKind::Loop { body, .. } => return self.block(code, body, locals, guarded),
            StatementKind::For { variable, from, to, body, .. } => {
                let timed = self.timed(from, locals) || self.timed(to, locals);
                locals.taint(*variable, timed);
                return self.block(code, body, locals, guarded || timed);
            }
            StatementKind::Each { walk, body, .. } => {
                for local in [walk.value, walk.key].into_iter().flatten() {
                    let time = self.holds_time(&code.declared[local.index()].ty);
                    let timed = time && self.place_timed(&walk.over, locals);
                    locals.taint(local, timed);
                }
                return self.block(code, body, locals, guarded);
            }
            StatementKind::Return(Some(e)) => {
                if let Some(i) = code.function {
                    let timed = guarded || self.timed(e, locals);
                    self.changed |= timed && !self.results[i];
                    self.results[i] |= timed;
                }
            }
            StatementKind::Call { into, function, arguments } => {
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
                    locals.taint(*into, self.results[function.index()]);
                }
                if guarded {
                    self.leak(code, "a call that depends on the time");
                }
            }
            StatementKind::Emit(emit) if guarded || emit.arguments.iter().any(|e| self.timed(e, locals)) => {
                self.leak(code, "an event")
            }
            StatementKind::Operate(operate) => {
                for argument in &operate.arguments {
                    self.put_into(code, &operate.place, argument, locals);
                }
                if guarded || self.compares(operate.operation, &operate.place, locals) {
                    self.leak(code, "a container that changes depending on the time");
                }
                if let Some(into) = operate.into {
                    let time = self.holds_time(&code.declared[into.index()].ty);
                    // Whether there was something depends on what was done to the container, and that on no time.
                    locals.timed[into.index()] |= time && self.place_timed(&operate.place, locals);
                    locals.presence[into.index()] |= guarded;
                }
            }
            StatementKind::Take { into, place } => {
                let timed = self.place_timed(place, locals);
                locals.taint(*into, timed);
            }
            StatementKind::Fit { into, value } => {
                let timed = guarded || self.timed(value, locals);
                locals.taint(*into, timed);
            }
            StatementKind::Random { into, .. } => locals.taint(*into, guarded || self.from.random),
            StatementKind::Assert(e, _) if self.timed(e, locals) => self.leak(code, "an assertion"),
            StatementKind::Arm { .. } | StatementKind::Cancel(_) if guarded => {
                self.leak(code, "whether a timer is armed")
            }
            StatementKind::Drop(_) | StatementKind::Break | StatementKind::Return(None) | StatementKind::Yield(_)
                if guarded =>
            {
                self.leak(code, "the way a message takes");
            }
            _ => {}
        }
        false
    }

    fn store(&mut self, code: &Code, place: &Place, timed: bool, locals: &mut Locals) {
        if !timed {
            return;
        }
        if !self.holds_time(&place.ty) {
            self.leak(code, "a value that is not a time");
        }
        match place.root {
            Root::Cell(id) => {
                self.changed |= !self.cells[id.index()];
                self.cells[id.index()] = true;
            }
            Root::Local(id) => locals.taint(id, true),
        }
    }

    /// Times inside what is stored stay times; anything else that depends on the clock leaks.
    fn put_into(&mut self, code: &Code, place: &Place, e: &Expr, locals: &mut Locals) {
        let parts: Vec<&Expr> = match &e.kind {
            ExprKind::Tuple(parts) | ExprKind::Struct(parts) => parts.iter().collect(),
            _ => vec![e],
        };
        for part in parts {
            if self.timed(part, locals) {
                if !self.holds_time(&part.ty) {
                    self.leak(code, "a value that is not a time");
                }
                if let Root::Cell(id) = place.root {
                    self.changed |= !self.cells[id.index()];
                    self.cells[id.index()] = true;
                }
            }
        }
    }

    fn place_timed(&self, place: &Place, locals: &Locals) -> bool {
        match place.root {
            Root::Cell(id) => self.cells[id.index()],
            Root::Local(id) => locals.timed[id.index()],
        }
    }

    /// Whether it depends on the time which place it is.
    fn chosen(&self, place: &Place, locals: &Locals) -> bool {
        place.path.iter().any(|step| matches!(step, Step::Index(at) if self.timed(at, locals)))
    }

    /// Whether it depends on the clock that an option holds something.
    fn presence(&self, e: &Expr, locals: &Locals) -> bool {
        match &e.kind {
            ExprKind::Local(id) => locals.presence[id.index()],
            ExprKind::Some(_) | ExprKind::None => false,
            ExprKind::If(c, a, b) => self.timed(c, locals) || self.presence(a, locals) || self.presence(b, locals),
            _ => self.timed(e, locals),
        }
    }

    /// Whether a value depends on the clock.
    fn timed(&self, e: &Expr, locals: &Locals) -> bool {
        let any = |es: &[Expr]| es.iter().any(|e| self.timed(e, locals));
        match &e.kind {
            ExprKind::Now => self.from.clock,
            ExprKind::Local(id) => locals.timed[id.index()],
            // A container may hold times beside other things; only what is read as a time is one.
            ExprKind::Load(place) => {
                self.chosen(place, locals) || (self.holds_time(&place.ty) && self.place_timed(place, locals))
            }
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Some(a) | ExprKind::Unwrap(a) => {
                self.timed(a, locals)
            }
            ExprKind::Field(a, _) => self.holds_time(&e.ty) && self.timed(a, locals),
            ExprKind::BytesOf(a) | ExprKind::Through(_, a) => self.timed(a, locals),
            ExprKind::IsSome(a) => self.presence(a, locals),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => self.timed(a, locals) || self.timed(b, locals),
            ExprKind::If(a, b, c) | ExprKind::MulDiv(a, b, c) => [a, b, c].iter().any(|x| self.timed(x, locals)),
            ExprKind::Struct(es) | ExprKind::Tuple(es) | ExprKind::Array(es) | ExprKind::Concat(es) => any(es),
            ExprKind::Query(query, place, es) => {
                let compares = *query == Query::Contains && self.contains(place, locals);
                let key = *query == Query::Key && self.holds_time(&e.ty) && self.place_timed(place, locals);
                compares || key || self.chosen(place, locals) || any(es)
            }
            ExprKind::Extern(_, es) => any(es),
            ExprKind::Push(m, _, fields) => self.timed(m, locals) || any(fields),
            ExprKind::Slice(m, a, b) => [m, a, b].iter().any(|x| self.timed(x, locals)),
            ExprKind::Rest(m, a) => self.timed(m, locals) || self.timed(a, locals),
            _ => false,
        }
    }
}

/// Whether a function can end inside.
fn returns(block: &Block) -> bool {
    block.iter().any(|s| match &s.kind {
        StatementKind::Return(Some(_)) => true,
        StatementKind::If { then, otherwise, .. } => returns(then) || returns(otherwise),
        StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
            returns(body)
        }
        _ => false,
    })
}
