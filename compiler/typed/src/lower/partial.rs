//! What can fail: a test, the value if it holds, and the failing path.

use nacre_stack::{BinaryOp, Expr, ExprKind, LocalId, Operate, Operation, Place, Query, StatementKind, Type};

use super::calls::entry;
use super::{not, Lowering};
use crate::tree::{self, Back, NameId, Otherwise, OtherwiseKind, Partial, PartialKind};

/// What has been tried.
pub(super) struct Tried {
    pub failed: Expr,
    /// Zero if there is none.
    pub value: Expr,
    /// The entry of a container that was found, or added.
    pub place: Option<Place>,
    /// The option that holds the value, where it may be a message.
    pub option: Option<Expr>,
    /// Where the message of a failed operation is, if it has no name.
    pub back: Option<LocalId>,
}

impl Lowering<'_> {
    /// Tries what may fail; the outcome is kept, so that it can be asked for when more has happened.
    pub(super) fn tried(&mut self, partial: &Partial) -> Tried {
        self.within(partial.span, |l| {
            let tried = l.outcome(partial);
            match &partial.kind {
                PartialKind::Operate(..) | PartialKind::At(..) => {
                    let done = l.spill(succeeded(tried.failed));
                    Tried { failed: not(done), ..tried }
                }
                _ => tried,
            }
        })
    }

    /// The same, where nothing happens before the test.
    pub(super) fn outcome(&mut self, partial: &Partial) -> Tried {
        match &partial.kind {
            PartialKind::Option(x) => {
                let value = self.expr(x);
                self.option(value)
            }
            PartialKind::Fit(x) => {
                let value = self.expr(x);
                let into = self.temporary(Type::Option(Box::new(partial.ty.clone())));
                self.push(StatementKind::Fit { into, value });
                let option = self.get(into);
                self.option(option)
            }
            PartialKind::Bound(x, most) => self.bound_message(x, *most, partial),
            PartialKind::Divide(op, both) => {
                let [left, right] = self.in_order(both.each_ref());
                let right = self.spill(right);
                let (failed, ty) = (self.is_zero(right.clone()), left.ty.clone());
                let value = self.make(ExprKind::Binary(*op, Box::new(left), Box::new(right)), ty);
                let value = match value.ty == partial.ty {
                    true => value,
                    false => self.make(ExprKind::Convert(Box::new(value)), partial.ty.clone()),
                };
                self.simple(failed, value)
            }
            PartialKind::MulDiv(parts) => {
                let [a, b, c] = self.in_order(parts.each_ref());
                let c = self.spill(c);
                let failed = self.is_zero(c.clone());
                let value = self.make(ExprKind::MulDiv(Box::new(a), Box::new(b), Box::new(c)), partial.ty.clone());
                self.simple(failed, value)
            }
            PartialKind::Operate(operation, place, xs) => self.failing_operation(*operation, place, xs, partial),
            PartialKind::At(place, slot) => {
                let (place, index) = self.place_then(place, |l| l.expr(slot));
                let index = self.spill(index);
                let has = ExprKind::Query(Query::Has, Box::new(place.clone()), vec![index.clone()]);
                let has = self.make(has, Type::Bool);
                let zero = self.make(ExprKind::Zero, partial.ty.clone());
                Tried { place: Some(entry(place, index, partial.ty.clone())), ..self.simple(not(has), zero) }
            }
        }
    }

    fn simple(&self, failed: Expr, value: Expr) -> Tried {
        Tried { failed, value, place: None, option: None, back: None }
    }

    fn option(&mut self, value: Expr) -> Tried {
        let Type::Option(t) = value.ty.clone() else { unreachable!("only an option is tried like this") };
        let held = self.spill(value);
        let there = self.make(ExprKind::IsSome(Box::new(held.clone())), Type::Bool);
        let inside = self.make(ExprKind::Unwrap(Box::new(held.clone())), *t);
        let option = self.linear(&held.ty).then_some(held);
        Tried { option, ..self.simple(not(there), inside) }
    }

    fn is_zero(&self, divisor: Expr) -> Expr {
        let zero = self.make(ExprKind::Const(0), divisor.ty.clone());
        self.make(ExprKind::Binary(BinaryOp::Equal, Box::new(divisor), Box::new(zero)), Type::Bool)
    }

    fn bound_message(&mut self, x: &tree::Expr, most: u32, partial: &Partial) -> Tried {
        let value = self.expr(x);
        let (held, back) = match partial.back {
            Back::Name(_) => (value, None),
            Back::None | Back::Parts(_) => {
                let held = self.spill(value);
                let ExprKind::Local(temporary) = held.kind else { unreachable!("a message is kept in a local") };
                (held, Some(temporary))
            }
        };
        let number = Type::UInt(32);
        let length = self.make(ExprKind::Length(Box::new(held.clone())), number.clone());
        let most_bytes = self.make(ExprKind::Const(u64::from(most)), number);
        let failed = ExprKind::Binary(BinaryOp::Less, Box::new(most_bytes), Box::new(length));
        let value = self.make(held.kind, partial.ty.clone());
        Tried { back, ..self.simple(self.make(failed, Type::Bool), value) }
    }

    fn failing_operation(
        &mut self,
        operation: Operation,
        place: &tree::Place,
        arguments: &[tree::Expr],
        partial: &Partial,
    ) -> Tried {
        let (place, arguments) = self.place_then(place, |l| l.ordered(arguments));
        let into = self.result(&partial.ty);
        let back = match (&partial.back, arguments.last()) {
            (Back::Name(id), _) => Some(self.local(*id)),
            (Back::Parts(_), Some(last)) => Some(self.temporary(last.ty.clone())),
            (Back::None | Back::Parts(_), _) => None,
        };
        let done = self.temporary(Type::Bool);
        let found = match &place.ty {
            Type::Map(_, t, _) | Type::Pool(t, _) => {
                into.map(|slot| entry(place.clone(), self.get(slot), (**t).clone()))
            }
            _ => None,
        };
        let operate = Operate { operation, place, arguments, into, done: Some(done), back };
        self.push(StatementKind::Operate(operate));
        let value = into.map_or_else(|| self.make(ExprKind::Zero, Type::Bool), |id| self.get(id));
        Tried { place: found, back, ..self.simple(not(self.get(done)), value) }
    }

    /// The failing path: `if failed { give back; otherwise }`.
    pub(super) fn fail(&mut self, tried: &Tried, partial: &Partial, otherwise: &Otherwise) {
        self.within(self.at, |l| {
            let (then, ()) = l.block(|l| {
                l.give_back(&partial.back, tried.back);
                l.otherwise(otherwise);
            });
            let condition = tried.failed.clone();
            l.push(StatementKind::If { condition, likely: Some(false), then, otherwise: Vec::new() });
        });
    }

    /// The beginning of the failing path: named messages are held again, all others are dropped.
    pub(super) fn give_back(&mut self, back: &Back, temporary: Option<LocalId>) {
        let (Back::Parts(named), Some(temporary)) = (back, temporary) else { return };
        let value = self.get(temporary);
        self.give_back_parts(value, &mut Vec::new(), named);
    }

    /// The same for the part of the returned value that is at `at`.
    fn give_back_parts(&mut self, value: Expr, at: &mut Vec<u32>, named: &[(Vec<u32>, NameId)]) {
        if let Some((_, name)) = named.iter().find(|(known, _)| known == at) {
            let local = self.local(*name);
            self.push(StatementKind::Let(local, value));
        } else if named.iter().any(|(known, _)| known.starts_with(at)) {
            for (n, part) in (0..).zip(self.parts_of(value)) {
                at.push(n);
                self.give_back_parts(part, at, named);
                at.pop();
            }
        } else if self.linear(&value.ty) {
            self.push(StatementKind::Drop(value));
        }
    }

    /// The parts of a tuple or struct; the value of an option that has one.
    fn parts_of(&self, value: Expr) -> Vec<Expr> {
        let types = match &value.ty {
            Type::Option(ty) => {
                let ty = (**ty).clone();
                return vec![self.make(ExprKind::Unwrap(Box::new(value)), ty)];
            }
            Type::Tuple(types) => types.clone(),
            Type::Struct(id) => self.layer.structs[id.index()].fields.iter().map(|field| field.ty.clone()).collect(),
            _ => Vec::new(),
        };
        let part = |(n, ty)| self.make(ExprKind::Field(Box::new(value.clone()), n), ty);
        (0..).zip(types).map(part).collect()
    }

    fn otherwise(&mut self, o: &Otherwise) {
        match &o.kind {
            OtherwiseKind::Error => unreachable!("a tree with errors is not lowered"),
            OtherwiseKind::Block(block) => self.statements(block),
            OtherwiseKind::Return(value) => {
                let value = value.as_ref().map(|e| self.expr(e));
                self.push(StatementKind::Return(value));
            }
            OtherwiseKind::Break => self.push(StatementKind::Break),
            OtherwiseKind::Reject => self.push(StatementKind::Reject),
            OtherwiseKind::Unreachable { drops, result } => {
                self.push(StatementKind::Unreachable);
                for name in drops {
                    let value = self.get(self.local(*name));
                    self.push(StatementKind::Drop(value));
                }
                let result = result.as_ref().map(|ty| self.make(ExprKind::Zero, ty.clone()));
                self.push(StatementKind::Return(result));
            }
        }
    }
}

/// The opposite of a test for failure.
pub(super) fn succeeded(failed: Expr) -> Expr {
    match failed.kind {
        ExprKind::Unary(nacre_stack::UnaryOp::Not, inner) => *inner,
        kind => not(Expr::new(kind, failed.ty, failed.span)),
    }
}
