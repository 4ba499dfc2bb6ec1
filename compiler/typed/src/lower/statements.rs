//! Statements.

use nacre_stack::{Emit, Expr, ExprKind, StatementKind, Type};

use super::{Bound, Lowering};
use crate::fragment::link_of;
use crate::tree::{self, Block, Dropped, PartialKind, Pattern, PatternKind, Statement};

impl Lowering<'_> {
    pub(super) fn statements(&mut self, block: &Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, s: &Statement) {
        let outer = (self.at, self.span);
        (self.at, self.span) = (s.span, s.span);
        self.lower(&s.kind);
        (self.at, self.span) = outer;
    }

    fn lower(&mut self, kind: &tree::StatementKind) {
        use tree::StatementKind as T;
        match kind {
            T::Error { .. } => unreachable!("a tree with errors is not lowered"),
            T::Let { pattern, value } => {
                let value = self.expr(value);
                self.destructure(pattern, value);
            }
            T::Var { name, value } => {
                let value = self.expr(value);
                let local = self.declare(*name);
                self.push(StatementKind::Let(local, value));
            }
            T::Set { name, value } => {
                let value = self.expr(value);
                let local = self.local(*name);
                self.push(StatementKind::Let(local, value));
            }
            T::Ref(name) => self.bind_ref(*name),
            T::TryRef { name, value, otherwise } => {
                let tried = self.tried(value);
                self.fail(&tried, value, otherwise);
                let Some(place) = tried.place else { unreachable!("only an entry is referred to") };
                let place = self.fixed(place);
                self.bound[name.index()] = Some(Bound::Place(place));
            }
            T::Store { place, value } => {
                let mut value = self.expr(value);
                let before = self.out.len();
                let place = self.place(place);
                self.keep_order([&mut value], before);
                self.push(StatementKind::Store(place, value));
            }
            T::Evaluate(e) => {
                self.expr(e);
            }
            T::Attempt { value, otherwise } => self.attempt(value, otherwise),
            T::If(branch) => {
                self.branch(&branch.condition, |l| l.statements(&branch.then), |l| l.statements(&branch.otherwise));
            }
            T::Match { value, arms, exhaustive } => self.match_(value, arms, *exhaustive),
            T::While { condition, bound, body } => self.while_(condition, *bound, body),
            T::For { variable, from, to, bound, body } => self.for_(*variable, [from, to], *bound, body),
            T::Each(each) => self.each(each),
            T::Emit { .. } | T::Pass { .. } => self.emission(kind),
            T::Return(value) => {
                let value = value.as_ref().map(|e| self.expr(e));
                self.push(StatementKind::Return(value));
            }
            T::Break => self.push(StatementKind::Break),
            T::Yield(e) => {
                let byte = self.expr(e);
                self.push(StatementKind::Yield(byte));
            }
            T::Reject => self.push(StatementKind::Reject),
            T::Drop { what, impossible } => self.drop(what, *impossible),
            T::Arm { .. } | T::Cancel(_) | T::Count(_) | T::Assert(..) => self.effect(kind),
        }
    }

    fn effect(&mut self, kind: &tree::StatementKind) {
        use tree::StatementKind as T;
        let made = match kind {
            T::Arm { timer, delay, unless_armed } => {
                let (timer, delay) = self.place_then(timer, |l| l.expr(delay));
                StatementKind::Arm { timer, delay, unless_armed: *unless_armed }
            }
            T::Cancel(timer) => StatementKind::Cancel(self.place(timer)),
            T::Count(id) => StatementKind::Count(*id, self.make(ExprKind::Const(1), Type::UInt(64))),
            T::Assert(e, text) => StatementKind::Assert(self.expr(e), text.clone()),
            _ => unreachable!("not one of these: {kind:?}"),
        };
        self.push(made);
    }

    /// Names for (the parts of) a value, which is moved into them.
    pub(super) fn destructure(&mut self, pattern: &Pattern, value: Expr) {
        match &pattern.kind {
            PatternKind::Error => unreachable!("a tree with errors is not lowered"),
            PatternKind::Name(name) => {
                let local = self.declare(*name);
                self.push(StatementKind::Let(local, value));
            }
            PatternKind::Any => {
                if self.linear(&value.ty) {
                    self.push(StatementKind::Drop(value));
                }
            }
            PatternKind::Tuple(parts) => {
                let whole = self.spill(value);
                for (i, part) in parts.iter().enumerate() {
                    let field = ExprKind::Field(Box::new(whole.clone()), i as u32);
                    self.destructure(part, self.make(field, part.ty.clone()));
                }
            }
        }
    }

    fn attempt(&mut self, value: &tree::Partial, otherwise: &tree::Otherwise) {
        let tried = match value.kind {
            PartialKind::Operate(..) | PartialKind::At(..) => self.within(value.span, |l| l.outcome(value)),
            _ => self.tried(value),
        };
        self.fail(&tried, value, otherwise);
        if let Some(option) = tried.option {
            self.push(StatementKind::Drop(option));
        }
    }

    fn emission(&mut self, kind: &tree::StatementKind) {
        let (side, event, arguments, later, span) = match kind {
            tree::StatementKind::Emit { side, event, arguments, later, span } => {
                (*side, *event, self.ordered(arguments), *later, *span)
            }
            tree::StatementKind::Pass { side, event, parameters, message } => {
                let mut message = message.as_ref().map(|e| self.expr(e));
                let at = self.layer.events[event.index()].message;
                let argument = |(i, id): (usize, &tree::NameId)| {
                    let replaced = if at == Some(i as u32) { message.take() } else { None };
                    replaced.unwrap_or_else(|| self.get(self.local(*id)))
                };
                (*side, *event, parameters.iter().enumerate().map(argument).collect(), false, self.span)
            }
            _ => unreachable!("no emission: {kind:?}"),
        };
        let emit = Emit { link: link_of(side), event, arguments, later, call: false, likely: None };
        self.out.push(StatementKind::Emit(emit).at(span));
    }

    fn drop(&mut self, what: &Dropped, impossible: bool) {
        match what {
            Dropped::Value(e) => {
                let value = self.expr(e);
                self.push(StatementKind::Drop(value));
            }
            Dropped::At(place) => {
                let place = self.place(place);
                let zero = self.make(ExprKind::Zero, place.ty.clone());
                self.push(StatementKind::Store(place, zero));
            }
            Dropped::Nothing => {}
        }
        if impossible {
            self.push(StatementKind::Impossible);
        }
    }
}
