//! Code that affects more than timing: the values and statements that a mutant may change.
//!
//! A value is *decisive* if it can reach a condition, an index, a bound of a loop, a message, a header field, an
//! argument of an event, an operation on a container, an invariant, a goal or a condition of `accepts`. A statement
//! *acts* if its omission is observable: it emits, drops, arms, changes a container or a decisive value, ends a block
//! that acts, or is a loop, whose bound is a claim. A condition matters only for the statements that it guards, so one
//! whose branches do not act makes no value decisive. All other values feed only waiting times and counters (for
//! example the measurement of a round trip), which no specification observes.
//!
//! Both properties are least fixpoints over the whole stack: initially no value is decisive.

use nacre_analysis::values::{self, BodyId, Slot, Values};
use nacre_stack::visit::Traverse;
use nacre_stack::*;

/// The values of a stack that affect more than times and counters.
pub struct Decisive<'a> {
    stack: &'a Stack,
    /// Which cells, locals, results and fields are decisive, and which bodies act.
    known: Values<bool>,
}

impl<'a> Decisive<'a> {
    /// Analyzes a stack.
    pub fn of(stack: &'a Stack) -> Decisive<'a> {
        let mut found = Decisive { stack, known: Values::new(false) };
        loop {
            found.said();
            for body in values::bodies(stack) {
                found.block(body.id, body.block);
            }
            if !found.known.take_grew() {
                return found;
            }
        }
    }

    /// Reads the invariants, goals and `accepts` conditions of the layers.
    fn said(&mut self) {
        for layer in &self.stack.layers {
            let goals = layer.goals.iter().map(|g| &g.holds);
            layer.invariants.iter().chain(goals).for_each(|e| self.read(None, e, true));
        }
        let inputs = self.stack.ports.iter().flat_map(|p| &p.inputs);
        inputs.flat_map(|i| &i.admissions).for_each(|a| self.read(None, &a.condition, true));
    }

    fn is(&self, slot: Slot) -> bool {
        *self.known.of(slot)
    }

    fn set(&mut self, slot: Slot) {
        self.known.raise(slot, &true);
    }

    /// Whether a local of a body is decisive.
    pub fn local(&self, body: BodyId, local: LocalId) -> bool {
        self.is(Slot::Local(body, local))
    }

    /// Whether a field of a struct is decisive.
    pub fn field(&self, of: StructId, field: u32) -> bool {
        self.is(Slot::Field(of, field))
    }

    /// Whether a parameter of a function is decisive.
    pub fn parameter(&self, function: FunctionId, parameter: LocalId) -> bool {
        self.local(BodyId::Function(function), parameter)
    }

    /// Whether the result of a function is decisive.
    pub fn result(&self, body: BodyId) -> bool {
        matches!(body, BodyId::Function(function) if self.is(Slot::Result(function)))
    }

    /// Whether a store to the place is observable.
    pub fn place(&self, body: BodyId, place: &Place) -> bool {
        self.stored(body, place)
    }

    /// Whether any statement of a block acts.
    pub fn block_acts(&self, body: BodyId, block: &Block) -> bool {
        block.iter().any(|s| self.acts(body, s))
    }

    /// Whether the contents of a cell are observable.
    pub fn cell(&self, cell: CellId) -> bool {
        !is_plain(self.stack, &self.stack.cell(cell).ty) || self.is(Slot::Cell(cell))
    }

    /// Whether a statement acts.
    pub fn acts(&self, body: BodyId, statement: &Statement) -> bool {
        let any = |block: &Block| block.iter().any(|s| self.acts(body, s));
        match &statement.kind {
            StatementKind::Let(local, e) => self.local(body, *local) || self.stack.has_message(&e.ty),
            StatementKind::Store(place, _) => self.stored(body, place),
            StatementKind::If { then, otherwise, .. } => any(then) || any(otherwise),
            // The number of iterations is a claim.
            StatementKind::Loop { .. } | StatementKind::For { .. } | StatementKind::Break => true,
            StatementKind::Each { walk, body: inner, .. } => walk.drain || any(inner),
            StatementKind::Return(_) => self.is(Slot::Effect(body)) || self.result(body),
            StatementKind::Call { into, function, .. } => {
                let acts = self.is(Slot::Effect(BodyId::Function(*function)));
                acts || into.is_some_and(|l| self.local(body, l))
            }
            StatementKind::Fit { into, .. } => self.local(body, *into),
            StatementKind::Count(..) => false,
            StatementKind::CallExtern { .. }
            | StatementKind::Operate(_)
            | StatementKind::Emit(_)
            | StatementKind::Drop(_)
            | StatementKind::Arm { .. }
            | StatementKind::Cancel(_)
            | StatementKind::Assert(..)
            | StatementKind::Impossible
            | StatementKind::Unreachable
            | StatementKind::Random { .. }
            | StatementKind::Filter { .. }
            | StatementKind::Yield(_)
            | StatementKind::Reject
            | StatementKind::Unpack { .. }
            | StatementKind::Join { .. }
            | StatementKind::Take { .. } => true,
        }
    }

    fn stored(&self, body: BodyId, place: &Place) -> bool {
        let root = match place.root {
            Root::Cell(cell) => self.is(Slot::Cell(cell)),
            Root::Local(local) => self.local(body, local),
        };
        let fields = fields_on(self.stack, &self.root_type(body, place), &place.path);
        let inside = match &place.ty {
            Type::Struct(id) => (0..self.stack.structs[id.index()].fields.len()).any(|at| self.field(*id, at as u32)),
            _ => true,
        };
        !is_plain(self.stack, &place.ty) || root && inside && fields.iter().all(|(of, at)| self.field(*of, *at))
    }

    fn root_type(&self, body: BodyId, place: &Place) -> Type {
        match place.root {
            Root::Cell(cell) => self.stack.cell(cell).ty.clone(),
            Root::Local(local) => match body {
                BodyId::Handler(id) => self.stack.handler(id).locals[local.index()].ty.clone(),
                BodyId::Function(id) => self.stack.function(id).locals[local.index()].ty.clone(),
                BodyId::Bypass(at) => self.stack.bypasses[at].locals[local.index()].ty.clone(),
                BodyId::Initial(_) | BodyId::Said(_) => place.ty.clone(),
            },
        }
    }

    // ---- propagation of decisive values

    fn block(&mut self, body: BodyId, block: &[Statement]) {
        for statement in block {
            self.statement(body, statement);
            if self.acts_besides_ending(body, statement) {
                self.set(Slot::Effect(body));
            }
        }
    }

    /// Like [`Self::acts`], without statements that only end the body: they act if another statement in it
    /// does.
    fn acts_besides_ending(&self, body: BodyId, statement: &Statement) -> bool {
        let any = |block: &Block| block.iter().any(|s| self.acts_besides_ending(body, s));
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => any(then) || any(otherwise),
            StatementKind::Each { walk, body: inner, .. } => walk.drain || any(inner),
            StatementKind::Return(_) => false,
            // A local is not an effect of the body.
            StatementKind::Let(_, e) => self.stack.has_message(&e.ty),
            StatementKind::Fit { .. } => false,
            StatementKind::Call { function, .. } => self.is(Slot::Effect(BodyId::Function(*function))),
            _ => self.acts(body, statement),
        }
    }

    fn statement(&mut self, body: BodyId, statement: &Statement) {
        let acts = self.acts(body, statement);
        let at = Some(body);
        match &statement.kind {
            StatementKind::Let(..) | StatementKind::Store(..) | StatementKind::Fit { .. } if !acts => {}
            StatementKind::Let(_, e) | StatementKind::Fit { value: e, .. } => self.read(at, e, true),
            StatementKind::Store(place, e) => {
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
                if self.result(body) || self.stack.has_message(&e.ty) {
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
            // The waiting time is not observable.
            StatementKind::Arm { timer, .. } | StatementKind::Cancel(timer) => self.indices(at, timer),
            StatementKind::Drop(e) | StatementKind::Assert(e, _) | StatementKind::Yield(e) => self.read(at, e, true),
            StatementKind::Random { below: e, .. } | StatementKind::Filter { input: e, .. } => self.read(at, e, true),
            StatementKind::Unpack { message, .. } => self.read(at, message, true),
            StatementKind::Join { parts, last, .. } => {
                self.mark(at, parts, true);
                self.read(at, last, true);
            }
            StatementKind::Take { place, .. } => self.mark(at, place, true),
            StatementKind::Break
            | StatementKind::Return(None)
            | StatementKind::Count(..)
            | StatementKind::Impossible
            | StatementKind::Unreachable
            | StatementKind::Reject => {}
        }
    }

    fn call(&mut self, body: BodyId, into: Option<LocalId>, function: FunctionId, arguments: &[Argument]) {
        if into.is_some_and(|l| self.local(body, l)) {
            self.set(Slot::Result(function));
        }
        let parameters = &self.stack.functions[function.index()].parameters;
        for (argument, parameter) in arguments.iter().zip(parameters) {
            match argument {
                Argument::Value(e) if self.parameter(function, *parameter) || self.stack.has_message(&e.ty) => {
                    self.read(Some(body), e, true);
                }
                Argument::Value(_) => {}
                // The local is an alias of the place, so each is decisive if the other is.
                Argument::Reference(place) => {
                    self.indices(Some(body), place);
                    if self.parameter(function, *parameter) {
                        self.mark(Some(body), place, false);
                    } else if self.stored(body, place) {
                        self.set(Slot::Local(BodyId::Function(function), *parameter));
                    }
                }
            }
        }
    }

    /// Marks all fields of structs in a type.
    fn set_fields(&mut self, ty: &Type) {
        let stack = self.stack;
        match ty {
            Type::Struct(id) => {
                for (at, field) in stack.structs[id.index()].fields.iter().enumerate() {
                    self.set(Slot::Field(*id, at as u32));
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

    fn indices(&mut self, body: Option<BodyId>, place: &Place) {
        for step in &place.path {
            if let Step::Index(e) = step {
                self.read(body, e, true);
            }
        }
    }

    fn local_decides(&mut self, body: Option<BodyId>, local: LocalId) {
        if let Some(body) = body {
            self.set(Slot::Local(body, local));
        }
    }

    /// Marks the value at a place as decisive; `whole`: with all its fields.
    fn mark(&mut self, body: Option<BodyId>, place: &Place, whole: bool) {
        self.indices(body, place);
        match place.root {
            Root::Cell(cell) => self.set(Slot::Cell(cell)),
            Root::Local(local) => self.local_decides(body, local),
        }
        let root = match (place.root, body) {
            (Root::Cell(cell), _) => self.stack.cell(cell).ty.clone(),
            (Root::Local(_), Some(body)) => self.root_type(body, place),
            (Root::Local(_), None) => return,
        };
        for (of, field) in fields_on(self.stack, &root, &place.path) {
            self.set(Slot::Field(of, field));
        }
        if whole {
            self.set_fields(&place.ty);
        }
    }

    /// Records that a value is decisive. `body`: the body of its locals; none: a declaration of the layer.
    fn read(&mut self, body: Option<BodyId>, e: &Expr, whole: bool) {
        match &e.kind {
            ExprKind::Local(local) => {
                self.local_decides(body, *local);
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
                    self.set(Slot::Field(id, *field));
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
            _ => e.operands().into_iter().for_each(|part| self.read(body, part, true)),
        }
    }
}

/// Whether values of the type are times.
pub fn is_time(ty: &Type) -> bool {
    matches!(ty, Type::Duration | Type::Instant)
}

/// Returns the fields of structs on the path from a root to a place.
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

/// Whether a type contains no messages, timers or containers, so that only reads observe a store.
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
