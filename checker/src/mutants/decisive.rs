//! What decides more than times: the values and statements that a mutant may change.
//!
//! A value is *decisive* if it can reach a condition, an index, a bound of a loop, a message, a header field, an argument of an
//! event, an operation on a container, an invariant, a goal or what `accepts` asks. A statement *acts* if leaving it out could
//! be seen: it emits, drops, arms, changes a container or a decisive value, ends what acts, or is a loop, whose bound is a claim.
//! A condition is asked only for
//! the sake of what it guards, so one whose branches do not act makes nothing decisive. What is left feeds nothing but waiting
//! times and counters (the measurement of a round trip, say), and those no specification sees.
//!
//! Both are least fixpoints over the whole stack: nothing is decisive until something needs it.

use std::collections::BTreeSet;

use nacre_stack::*;

/// A body: of a handler or of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    Handler(usize),
    Function(usize),
}

pub struct Decisive<'a> {
    stack: &'a Stack,
    cells: Vec<bool>,
    fields: BTreeSet<(StructId, u32)>,
    /// By body, its locals; handlers first.
    locals: Vec<Vec<bool>>,
    /// By body, whether anything in it acts.
    acts: Vec<bool>,
    /// By function.
    results: Vec<bool>,
    changed: bool,
}

impl<'a> Decisive<'a> {
    pub fn of(stack: &'a Stack) -> Decisive<'a> {
        let locals = stack.handlers.iter().map(|h| &h.locals).chain(stack.functions.iter().map(|f| &f.locals));
        let locals: Vec<Vec<bool>> = locals.map(|l| vec![false; l.len()]).collect();
        let mut found = Decisive {
            stack,
            cells: vec![false; stack.cells.len()],
            fields: BTreeSet::new(),
            acts: vec![false; locals.len()],
            locals,
            results: vec![false; stack.functions.len()],
            changed: true,
        };
        while found.changed {
            found.changed = false;
            found.said();
            for (at, handler) in stack.handlers.iter().enumerate() {
                found.block(at, &handler.body);
            }
            for (at, function) in stack.functions.iter().enumerate() {
                found.block(stack.handlers.len() + at, &function.body);
            }
        }
        found
    }

    /// What layers say of themselves, and when they take something.
    fn said(&mut self) {
        for layer in &self.stack.layers {
            let goals = layer.goals.iter().map(|g| &g.holds);
            layer.invariants.iter().chain(goals).for_each(|e| self.read(None, e, true));
        }
        let inputs = self.stack.ports.iter().flat_map(|p| &p.inputs);
        inputs.flat_map(|i| &i.admissions).for_each(|a| self.read(None, &a.condition, true));
    }

    fn number(&self, body: Body) -> usize {
        match body {
            Body::Handler(at) => at,
            Body::Function(at) => self.stack.handlers.len() + at,
        }
    }

    pub fn local(&self, body: Body, local: LocalId) -> bool {
        self.locals[self.number(body)][local.index()]
    }

    pub fn field(&self, of: StructId, field: u32) -> bool {
        self.fields.contains(&(of, field))
    }

    pub fn parameter(&self, function: FunctionId, parameter: LocalId) -> bool {
        self.local(Body::Function(function.index()), parameter)
    }

    pub fn result(&self, body: Body) -> bool {
        matches!(body, Body::Function(at) if self.results[at])
    }

    /// Whether a store there could be seen.
    pub fn place(&self, body: Body, place: &Place) -> bool {
        self.stored(self.number(body), place)
    }

    /// Whether anything in a block acts.
    pub fn block_acts(&self, body: Body, block: &Block) -> bool {
        let at = self.number(body);
        block.iter().any(|s| self.statement_acts(at, s))
    }

    fn statement_acts(&self, body: usize, statement: &Statement) -> bool {
        let any = |block: &Block| block.iter().any(|s| self.statement_acts(body, s));
        match &statement.kind {
            StatementKind::Let(local, e) => self.locals[body][local.index()] || self.stack.has_message(&e.ty),
            StatementKind::Store(place, _) => self.stored(body, place),
            StatementKind::If { then, otherwise, .. } => any(then) || any(otherwise),
            // How often it runs is a claim.
            StatementKind::Loop { .. } | StatementKind::For { .. } | StatementKind::Break => true,
            StatementKind::Each { walk, body: inner, .. } => walk.drain || any(inner),
            StatementKind::Return(_) => {
                let result = body.checked_sub(self.stack.handlers.len()).is_some_and(|f| self.results[f]);
                self.acts[body] || result
            }
            StatementKind::Call { into, function, .. } => {
                let acts = self.acts[self.stack.handlers.len() + function.index()];
                acts || into.is_some_and(|l| self.locals[body][l.index()])
            }
            StatementKind::Fit { into, .. } => self.locals[body][into.index()],
            StatementKind::Count(..) => false,
            _ => true,
        }
    }

    fn stored(&self, body: usize, place: &Place) -> bool {
        let root = match place.root {
            Root::Cell(cell) => self.cells[cell.index()],
            Root::Local(local) => self.locals[body][local.index()],
        };
        let fields = fields_on(self.stack, &self.root_type(body, place), &place.path);
        let inside = match &place.ty {
            Type::Struct(id) => self.fields.iter().any(|(of, _)| of == id),
            _ => true,
        };
        !is_plain(self.stack, &place.ty) || root && inside && fields.iter().all(|f| self.fields.contains(f))
    }

    fn root_type(&self, body: usize, place: &Place) -> Type {
        match place.root {
            Root::Cell(cell) => self.stack.cell(cell).ty.clone(),
            Root::Local(local) => match body.checked_sub(self.stack.handlers.len()) {
                None => self.stack.handlers[body].locals[local.index()].ty.clone(),
                Some(function) => self.stack.functions[function].locals[local.index()].ty.clone(),
            },
        }
    }

    // ---- what makes something decisive

    fn block(&mut self, body: usize, block: &Block) {
        for statement in block {
            self.statement(body, statement);
            if !self.acts[body] && self.acts_besides_ending(body, statement) {
                self.acts[body] = true;
                self.changed = true;
            }
        }
    }

    /// As [`Self::statement_acts`], without what only ends the body: that acts if something else in it does.
    fn acts_besides_ending(&self, body: usize, statement: &Statement) -> bool {
        let any = |block: &Block| block.iter().any(|s| self.acts_besides_ending(body, s));
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => any(then) || any(otherwise),
            StatementKind::Each { walk, body: inner, .. } => walk.drain || any(inner),
            StatementKind::Return(_) => false,
            // A local is no effect of the body.
            StatementKind::Let(_, e) => self.stack.has_message(&e.ty),
            StatementKind::Fit { .. } => false,
            StatementKind::Call { function, .. } => self.acts[self.stack.handlers.len() + function.index()],
            _ => self.statement_acts(body, statement),
        }
    }

    fn statement(&mut self, body: usize, statement: &Statement) {
        let acts = self.statement_acts(body, statement);
        let at = Some(body);
        match &statement.kind {
            StatementKind::Let(_, e) if acts => self.read(at, e, true),
            StatementKind::Store(place, e) if acts => {
                self.indices(at, place);
                self.read(at, e, true);
            }
            StatementKind::If { condition, then, otherwise, .. } => {
                if acts {
                    self.read(at, condition, true);
                }
                self.block(body, then);
                self.block(body, otherwise);
            }
            StatementKind::Loop { body: inner, .. } => self.block(body, inner),
            StatementKind::For { from, to, body: inner, .. } => {
                self.read(at, from, true);
                self.read(at, to, true);
                self.block(body, inner);
            }
            StatementKind::Each { walk, body: inner, .. } => {
                if acts {
                    self.mark(at, &walk.over, true);
                    walk.from.iter().chain(&walk.to).for_each(|e| self.read(at, e, true));
                }
                self.block(body, inner);
            }
            StatementKind::Return(Some(e)) => {
                let function = body.checked_sub(self.stack.handlers.len());
                if function.is_some_and(|f| self.results[f]) || self.stack.has_message(&e.ty) {
                    self.read(at, e, true);
                }
            }
            StatementKind::Call { into, function, arguments } => self.call(body, *into, *function, arguments),
            StatementKind::CallExtern { arguments, .. } => arguments.iter().for_each(|e| self.read(at, e, true)),
            StatementKind::Operate(o) => {
                self.mark(at, &o.place, true);
                o.arguments.iter().for_each(|e| self.read(at, e, true));
            }
            StatementKind::Emit(emit) => emit.arguments.iter().for_each(|e| self.read(at, e, true)),
            // How long it waits is not seen.
            StatementKind::Arm { timer, .. } | StatementKind::Cancel(timer) => self.indices(at, timer),
            StatementKind::Drop(e) | StatementKind::Assert(e, _) | StatementKind::Yield(e) => self.read(at, e, true),
            StatementKind::Fit { value, .. } if acts => self.read(at, value, true),
            StatementKind::Random { below: e, .. } | StatementKind::Filter { input: e, .. } => self.read(at, e, true),
            StatementKind::Unpack { message, .. } => self.read(at, message, true),
            StatementKind::Join { parts, last, .. } => {
                self.mark(at, parts, true);
                self.read(at, last, true);
            }
            StatementKind::Take { place, .. } => self.mark(at, place, true),
            _ => {}
        }
    }

    fn call(&mut self, body: usize, into: Option<LocalId>, function: FunctionId, arguments: &[Argument]) {
        if into.is_some_and(|l| self.locals[body][l.index()]) && !self.results[function.index()] {
            self.results[function.index()] = true;
            self.changed = true;
        }
        let called = self.stack.handlers.len() + function.index();
        let parameters = &self.stack.functions[function.index()].parameters;
        for (argument, parameter) in arguments.iter().zip(parameters) {
            match argument {
                Argument::Value(e) if self.locals[called][parameter.index()] || self.stack.has_message(&e.ty) => {
                    self.read(Some(body), e, true);
                }
                Argument::Value(_) => {}
                // It stands for the place, so each is decisive if the other is.
                Argument::Reference(place) => {
                    self.indices(Some(body), place);
                    if self.locals[called][parameter.index()] {
                        self.mark(Some(body), place, false);
                    } else if self.stored(body, place) {
                        self.locals[called][parameter.index()] = true;
                        self.changed = true;
                    }
                }
            }
        }
    }

    fn set(&mut self, cell: Option<CellId>, local: Option<(usize, LocalId)>) {
        if let Some(cell) = cell {
            self.changed |= !self.cells[cell.index()];
            self.cells[cell.index()] = true;
        }
        if let Some((body, local)) = local {
            self.changed |= !self.locals[body][local.index()];
            self.locals[body][local.index()] = true;
        }
    }

    fn set_field(&mut self, of: StructId, field: u32) {
        self.changed |= self.fields.insert((of, field));
    }

    /// All fields of structs in a type.
    fn set_fields(&mut self, ty: &Type) {
        let stack = self.stack;
        match ty {
            Type::Struct(id) => {
                for (at, field) in stack.structs[id.index()].fields.iter().enumerate() {
                    self.set_field(*id, at as u32);
                    self.set_fields(&field.ty);
                }
            }
            Type::Tuple(types) => types.iter().for_each(|t| self.set_fields(t)),
            Type::Option(t) | Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) => self.set_fields(t),
            Type::Window(t, _, _) | Type::Pool(t, _) => self.set_fields(t),
            Type::Map(k, t, _) => {
                self.set_fields(k);
                self.set_fields(t);
            }
            _ => {}
        }
    }

    fn indices(&mut self, body: Option<usize>, place: &Place) {
        for step in &place.path {
            if let Step::Index(e) = step {
                self.read(body, e, true);
            }
        }
    }

    /// What is at a place decides; `whole`: all of it does.
    fn mark(&mut self, body: Option<usize>, place: &Place, whole: bool) {
        self.indices(body, place);
        match place.root {
            Root::Cell(cell) => self.set(Some(cell), None),
            Root::Local(local) => self.set(None, body.map(|b| (b, local))),
        }
        let root = match (place.root, body) {
            (Root::Cell(cell), _) => self.stack.cell(cell).ty.clone(),
            (Root::Local(_), Some(body)) => self.root_type(body, place),
            (Root::Local(_), None) => return,
        };
        for (of, field) in fields_on(self.stack, &root, &place.path) {
            self.set_field(of, field);
        }
        if whole {
            self.set_fields(&place.ty);
        }
    }

    /// A value decides. `body`: whose locals it names; none: those of what is said of a layer.
    fn read(&mut self, body: Option<usize>, e: &Expr, whole: bool) {
        match &e.kind {
            ExprKind::Local(local) => {
                self.set(None, body.map(|b| (b, *local)));
                if whole {
                    self.set_fields(&e.ty);
                }
            }
            ExprKind::Load(place) | ExprKind::Borrow(place) => self.mark(body, place, whole),
            ExprKind::Query(_, place, parts) => {
                self.mark(body, place, true);
                parts.iter().for_each(|e| self.read(body, e, true));
            }
            ExprKind::Field(of, field) => {
                if let Type::Struct(id) = of.ty {
                    self.set_field(id, *field);
                    if whole {
                        self.set_fields(&e.ty);
                    }
                    self.read(body, of, false);
                } else {
                    self.read(body, of, whole);
                }
            }
            ExprKind::Struct(parts) => {
                let Type::Struct(id) = e.ty else { return };
                if whole {
                    self.set_fields(&e.ty);
                }
                for (at, part) in parts.iter().enumerate() {
                    if self.field(id, at as u32) {
                        self.read(body, part, true);
                    }
                }
            }
            _ => operands(e).0.into_iter().for_each(|part| self.read(body, part, true)),
        }
    }
}

/// The fields of structs on the way from a root to a place.
fn fields_on(stack: &Stack, root: &Type, path: &[Step]) -> Vec<(StructId, u32)> {
    let (mut ty, mut found) = (root.clone(), vec![]);
    for step in path {
        ty = match (step, ty) {
            (Step::Field(at), Type::Struct(id)) => {
                found.push((id, *at));
                stack.structs[id.index()].fields[*at as usize].ty.clone()
            }
            (Step::Field(at), Type::Tuple(types)) => types[*at as usize].clone(),
            (Step::Index(_), Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _)) => *t,
            (Step::Index(_), Type::Window(t, _, _) | Type::Pool(t, _) | Type::Map(_, t, _)) => *t,
            (Step::Unwrap, Type::Option(t)) => *t,
            (_, other) => other,
        };
    }
    found
}

/// No messages, timers or containers in it: writing it is seen only by who reads it.
fn is_plain(stack: &Stack, ty: &Type) -> bool {
    match ty {
        Type::Msg | Type::View | Type::Timer => false,
        Type::Ring(..) | Type::List(..) | Type::Window(..) | Type::Pool(..) | Type::Map(..) => false,
        Type::Option(t) | Type::Array(t, _) => is_plain(stack, t),
        Type::Tuple(types) => types.iter().all(|t| is_plain(stack, t)),
        Type::Struct(id) => stack.structs[id.index()].fields.iter().all(|f| is_plain(stack, &f.ty)),
        _ => true,
    }
}
