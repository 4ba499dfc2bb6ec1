//! The use of messages: each is consumed exactly once on every path.
//!
//! A value that certainly holds a message (a message, a struct or tuple with one) is checked strictly. One that may
//! hold a message (an option, a container) is checked as far as tests decide; the interpreter checks the rest.

mod uses;

use nacre_stack::*;

use uses::{each_operand, holds_unwrap, known, part_of, same_bool, Flow, Part, Use};

use crate::flow::{self, Forward};
use crate::values::{self, Body};
use crate::Lattice;

struct Walker<'a> {
    stack: &'a Stack,
    place: &'a str,
    problems: &'a mut Vec<Problem>,
    locals: &'a [Local],
    flow: Flow,
}

/// Finds messages that are lost, used twice, or used on one path only: errors of the producer of the stack, which must
/// be valid otherwise.
pub fn check(stack: &Stack) -> Vec<Problem> {
    let mut problems = vec![];
    for body in values::bodies(stack).chain(values::bypasses(stack)) {
        let mut walker = Walker::new(stack, &mut problems, body);
        body.parameters.iter().chain(body.fields).for_each(|id| walker.set(*id, Use::Live));
        let begin = std::mem::take(&mut walker.flow);
        if let Some(end) = flow::forward(&mut walker, body.block, begin).falls {
            walker.flow = end;
            walker.leave();
        }
    }
    problems
}

/// Each statement reads the state before it and changes it to the state behind it.
impl Forward for Walker<'_> {
    type State = Flow;

    fn statement(&mut self, statement: &Statement, state: &mut Flow) {
        self.within(state, |walker| walker.step(statement));
    }

    fn decided(&mut self, condition: &Expr, value: bool, state: &mut Flow) {
        self.within(state, |walker| walker.refine(condition, value));
    }

    fn turn(&mut self, of: &Statement, state: &mut Flow) {
        if let StatementKind::Each { walk, .. } = &of.kind {
            self.within(state, |walker| walker.set_some(walk.value, Use::Live));
        }
    }

    fn meet(&mut self, into: &mut Flow, other: &Flow) -> bool {
        for (part, theirs) in &other.uses {
            let differ = matches!((into.uses[part], theirs), (Use::Live, Use::Gone) | (Use::Gone, Use::Live));
            if differ && self.is_certain(part) {
                self.problem(part.0, "is consumed on one path but not on another");
            }
        }
        into.join(other)
    }
}

impl<'a> Walker<'a> {
    fn new(stack: &'a Stack, problems: &'a mut Vec<Problem>, body: Body<'a>) -> Walker<'a> {
        let mut walker = Walker { stack, place: body.name, problems, locals: body.locals, flow: Flow::default() };
        for (index, local) in body.locals.iter().enumerate() {
            for (path, _) in walker.parts_of(&local.ty) {
                let by_ref = if local.by_ref { Use::Maybe } else { Use::Gone };
                walker.flow.uses.insert((LocalId(index as u32), path), by_ref);
            }
        }
        walker
    }

    fn within(&mut self, state: &mut Flow, act: impl FnOnce(&mut Self)) {
        std::mem::swap(&mut self.flow, state);
        act(self);
        std::mem::swap(&mut self.flow, state);
    }

    /// The parts of a type that hold messages, and whether they certainly do.
    fn parts_of(&self, ty: &Type) -> Vec<(Vec<u32>, bool)> {
        let fields: Vec<&Type> = match ty {
            Type::Msg => return vec![(vec![], true)],
            Type::Struct(id) => self.stack.structs[id.index()].fields.iter().map(|f| &f.ty).collect(),
            Type::Tuple(types) => types.iter().collect(),
            ty if self.stack.has_message(ty) => return vec![(vec![], false)],
            _ => return vec![],
        };
        let mut parts = vec![];
        for (index, field) in fields.into_iter().enumerate() {
            for (path, certain) in self.parts_of(field) {
                parts.push(([vec![index as u32], path].concat(), certain));
            }
        }
        parts
    }

    fn is_certain(&self, part: &Part) -> bool {
        let parts = self.parts_of(&self.locals[part.0.index()].ty);
        parts.iter().any(|(path, certain)| *path == part.1 && *certain)
    }

    fn problem(&mut self, id: LocalId, text: &str) {
        let text = format!("`{}` {text}", self.locals[id.index()].name);
        let problem = Problem { place: self.place.into(), text };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// The parts of a local under a path.
    fn under(&self, id: LocalId, path: &[u32]) -> Vec<Part> {
        self.flow
            .uses
            .keys()
            .filter(|(i, p)| *i == id && (p.starts_with(path) || path.starts_with(p)))
            .cloned()
            .collect()
    }

    fn set(&mut self, id: LocalId, used: Use) {
        let about = |u: &mut Use| {
            if matches!(u, Use::If(d, _) if *d == id) {
                *u = Use::Maybe;
            }
        };
        self.flow.uses.values_mut().for_each(about);
        self.flow.aliases.retain(|alias, (of, _)| *alias != id && *of != id);
        if self.locals[id.index()].by_ref {
            return;
        }
        for part in self.under(id, &[]) {
            let certain = self.is_certain(&part);
            if certain && self.flow.uses[&part] == Use::Live {
                self.problem(id, "is set while it holds a message");
            }
            self.flow.uses.insert(part, used);
        }
    }

    fn set_some(&mut self, id: Option<LocalId>, used: Use) {
        if let Some(id) = id {
            self.set(id, used);
        }
    }

    fn take(&mut self, id: LocalId, path: &[u32], left: Use) {
        for part in self.under(id, path) {
            match self.flow.uses[&part] {
                Use::Gone => self.problem(id, "is used after it was consumed, or before it is set"),
                _ if self.locals[id.index()].by_ref => self.problem(id, "is moved out of the caller's place"),
                _ => _ = self.flow.uses.insert(part, left),
            }
        }
    }

    fn look(&mut self, id: LocalId, path: &[u32]) {
        for part in self.under(id, path) {
            if self.flow.uses[&part] == Use::Gone {
                self.problem(id, "is used after it was consumed, or before it is set");
            }
        }
    }

    /// Checks the end of the body: no message may be left.
    fn leave(&mut self) {
        let left: Vec<Part> = self.flow.uses.iter().filter(|(_, u)| **u == Use::Live).map(|(p, _)| p.clone()).collect();
        for part in left {
            if self.is_certain(&part) {
                self.problem(part.0, "is lost");
            }
        }
    }

    /// Joins both branches, which begin in the same state.
    fn either(&mut self, one: impl FnOnce(&mut Self), other: impl FnOnce(&mut Self)) {
        let before = self.flow.clone();
        one(self);
        let after = std::mem::replace(&mut self.flow, before);
        other(self);
        let mut both = std::mem::take(&mut self.flow);
        self.meet(&mut both, &after);
        self.flow = both;
    }

    /// Applies the outcome of a condition.
    fn refine(&mut self, condition: &Expr, truth: bool) {
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.refine(a, !truth),
            ExprKind::Binary(BinaryOp::Both, a, b) if truth => {
                self.refine(a, true);
                self.refine(b, true);
            }
            ExprKind::Binary(BinaryOp::Either, a, b) if !truth => {
                self.refine(a, false);
                self.refine(b, false);
            }
            ExprKind::Local(id) => {
                let (of, same) = self.flow.aliases.get(id).copied().unwrap_or((*id, true));
                let truth = truth == same;
                for used in self.flow.uses.values_mut() {
                    if let Use::If(done, when) = *used {
                        if done == of {
                            *used = if when == truth { Use::Live } else { Use::Gone };
                        }
                    }
                }
            }
            ExprKind::IsSome(a) if !truth => {
                if let Some((id, path)) = part_of(a) {
                    for part in self.under(id, &path) {
                        if self.flow.uses[&part] == Use::Live && !self.is_certain(&part) {
                            self.flow.uses.insert(part, Use::Maybe);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Moves the value of an expression.
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Local(_) | ExprKind::Field(..) | ExprKind::Unwrap(_) => {
                match (part_of(e), self.stack.has_message(&e.ty)) {
                    (Some((id, path)), true) => {
                        // The parts of an option's value may be moved one by one.
                        let left = if matches!(&e.kind, ExprKind::Field(a, _) if holds_unwrap(a)) {
                            Use::Maybe
                        } else {
                            Use::Gone
                        };
                        self.take(id, &path, left);
                    }
                    (Some(_), false) => {}
                    (None, _) => each_operand(e, &mut |a| self.expr(a)),
                }
            }
            ExprKind::IsSome(a)
            | ExprKind::Share(a)
            | ExprKind::Length(a)
            | ExprKind::Head(a, _)
            | ExprKind::View(a)
            | ExprKind::PackView(_, a) => self.borrow(a),
            ExprKind::Index(a, b) => {
                self.borrow(a);
                self.expr(b);
            }
            ExprKind::Slice(a, b, c) => {
                self.borrow(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::If(condition, a, b) => {
                self.expr(condition);
                self.either(
                    |w| {
                        w.refine(condition, true);
                        w.expr(a);
                    },
                    |w| {
                        w.refine(condition, false);
                        w.expr(b);
                    },
                );
            }
            _ => each_operand(e, &mut |a| self.expr(a)),
        }
    }

    /// Borrows an operand.
    fn borrow(&mut self, e: &Expr) {
        match part_of(e) {
            Some((id, path)) => self.look(id, &path),
            None => self.expr(e),
        }
    }

    fn place(&mut self, place: &Place) {
        for step in &place.path {
            if let Step::Index(index) = step {
                self.expr(index);
            }
        }
    }

    /// Checks a statement; of one with blocks, only the expressions evaluated before them.
    fn step(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let(id, value) => {
                self.expr(value);
                self.set(*id, known(value));
                if let Some((of, same)) = same_bool(value) {
                    let (of, first) = self.flow.aliases.get(&of).copied().unwrap_or((of, true));
                    if of != *id {
                        self.flow.aliases.insert(*id, (of, first == same));
                    }
                }
            }
            StatementKind::Store(place, value) => {
                self.expr(value);
                self.place(place);
                self.stored(place);
            }
            StatementKind::If { condition, .. } => self.expr(condition),
            StatementKind::Loop { .. } | StatementKind::Break => {}
            StatementKind::For { from, to, .. } => {
                self.expr(from);
                self.expr(to);
            }
            StatementKind::Each { walk, .. } => {
                self.place(&walk.over);
                walk.from.iter().chain(&walk.to).for_each(|e| self.expr(e));
            }
            StatementKind::Return(value) => {
                value.iter().for_each(|v| self.expr(v));
                self.leave();
            }
            StatementKind::Call { into, arguments, .. } => {
                for argument in arguments {
                    match argument {
                        Argument::Value(value) => self.expr(value),
                        Argument::Reference(place) => {
                            self.place(place);
                            self.stored(place);
                        }
                    }
                }
                self.set_some(*into, Use::Live);
            }
            StatementKind::CallExtern { into, arguments, .. } => {
                arguments.iter().for_each(|a| self.expr(a));
                self.set_some(*into, Use::Live);
            }
            StatementKind::Operate(operate) => self.operate(operate),
            StatementKind::Emit(emit) => emit.arguments.iter().for_each(|a| self.expr(a)),
            StatementKind::Drop(value) => self.expr(value),
            StatementKind::Arm { timer, delay, .. } => {
                self.place(timer);
                self.expr(delay);
            }
            StatementKind::Cancel(timer) => self.place(timer),
            StatementKind::Count(_, value) | StatementKind::Assert(value, _) => self.expr(value),
            StatementKind::Impossible | StatementKind::Unreachable | StatementKind::Reject => {}
            StatementKind::Yield(value) => self.expr(value),
            StatementKind::Fit { into, value } | StatementKind::Random { into, below: value } => {
                self.expr(value);
                self.set(*into, Use::Live);
            }
            StatementKind::Filter { into, input, .. } => {
                Filter::operands(input).iter().for_each(|part| self.borrow(part));
                self.set(*into, Use::Live);
            }
            StatementKind::Unpack { into, message, .. } => {
                self.expr(message);
                self.set(*into, Use::Live);
            }
            StatementKind::Join { into, parts, last } => {
                self.expr(last);
                self.place(parts);
                self.set(*into, Use::Live);
            }
            StatementKind::Take { into, place } => {
                self.place(place);
                self.stored(place);
                self.set(*into, Use::Live);
            }
        }
    }

    fn operate(&mut self, operate: &Operate) {
        operate.arguments.iter().for_each(|a| self.expr(a));
        self.place(&operate.place);
        self.set_some(operate.into, Use::Live);
        self.set_some(operate.done, Use::Gone);
        let back = operate.done.map_or(Use::Gone, |done| Use::If(done, false));
        self.set_some(operate.back, back);
    }

    /// Records a change of a part of a local, which is unknown afterwards.
    fn stored(&mut self, place: &Place) {
        let Root::Local(id) = place.root else { return };
        let fields = place.path.iter().map_while(|s| if let Step::Field(i) = s { Some(*i) } else { None });
        let path: Vec<u32> = fields.collect();
        for part in self.under(id, &path) {
            self.flow.uses.insert(part, Use::Maybe);
        }
    }
}
