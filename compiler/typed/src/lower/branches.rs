//! Branches: `if`, `if let`.

use nacre_stack::{BinaryOp, Expr, ExprKind, StatementKind, Type};

use super::partial::succeeded;
use super::Lowering;
use crate::tree::{Condition, ConditionKind, NameId, Partial, Pattern, Place};

impl Lowering<'_> {
    /// Tests a condition, and branches.
    pub(super) fn branch(
        &mut self,
        condition: &Condition,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        match &condition.kind {
            ConditionKind::Test(e) => {
                let test = self.expr(e);
                self.both(test, condition.likely, then, otherwise);
            }
            ConditionKind::Let { pattern, value } if condition.and.is_empty() => {
                self.branch_let(condition, (pattern, value), then, otherwise);
            }
            ConditionKind::Let { pattern, value } => {
                let test = self.test_let(condition, pattern, value);
                self.both(test, condition.likely, then, otherwise);
            }
            ConditionKind::Present { option, name } => {
                let test = self.present(option, *name);
                let test = self.further(test, condition);
                self.both(test, condition.likely, then, otherwise);
            }
            ConditionKind::Entry { value, name } => {
                let test = self.entry_there(value, *name);
                let test = self.further(test, condition);
                self.both(test, condition.likely, then, otherwise);
            }
        }
    }

    fn both(
        &mut self,
        condition: Expr,
        likely: Option<bool>,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let (then, ()) = self.block(then);
        let (otherwise, ()) = self.block(otherwise);
        self.push(StatementKind::If { condition, likely, then, otherwise });
    }

    fn branch_let(
        &mut self,
        condition: &Condition,
        (pattern, value): (&Pattern, &Partial),
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let tried = self.tried(value);
        let test = succeeded(tried.failed);
        self.both(
            test,
            condition.likely,
            |l| {
                l.destructure(pattern, tried.value);
                then(l);
            },
            |l| {
                l.give_back(&value.back, tried.back);
                if let Some(option) = tried.option {
                    l.push(StatementKind::Drop(option));
                }
                otherwise(l);
            },
        );
    }

    /// `let pattern = value && more`: the names are set where the value is there, and then more is tested.
    fn test_let(&mut self, condition: &Condition, pattern: &Pattern, value: &Partial) -> Expr {
        let tried = self.tried(value);
        let test = succeeded(tried.failed);
        let (mut block, more) = self.block(|l| {
            l.destructure(pattern, tried.value);
            let mut tests = condition.and.iter();
            let first = tests.next().map(|e| l.expr(e));
            tests.fold(first, |so_far, e| so_far.map(|so_far| l.and(so_far, e)))
        });
        let more = more.unwrap_or_else(|| self.make(ExprKind::Const(1), Type::Bool));
        let all = self.temporary(Type::Bool);
        block.push(StatementKind::Let(all, more).at(self.span));
        let test = self.spill(test);
        let no = self.make(ExprKind::Const(0), Type::Bool);
        self.push(StatementKind::Let(all, no));
        self.push(StatementKind::If { condition: test, likely: condition.likely, then: block, otherwise: Vec::new() });
        self.get(all)
    }

    fn and(&mut self, left: Expr, right: &crate::tree::Expr) -> Expr {
        let kind = self.short(BinaryOp::Both, left, right);
        self.make(kind, Type::Bool)
    }

    fn further(&mut self, test: Expr, condition: &Condition) -> Expr {
        condition.and.iter().fold(test, |test, e| self.and(test, e))
    }

    /// `if let m = last { ... share m ... }`: the message stays where it is.
    fn present(&mut self, option: &Place, name: Option<NameId>) -> Expr {
        let place = self.place(option);
        let place = self.fixed(place);
        name.into_iter().for_each(|name| self.bind_inside(name, &place, option.path.len(), None));
        let ty = place.ty.clone();
        let option = self.make(ExprKind::Borrow(Box::new(place)), ty);
        self.make(ExprKind::IsSome(Box::new(option)), Type::Bool)
    }

    /// `if let call = calls.at(slot)`
    fn entry_there(&mut self, value: &Partial, name: Option<NameId>) -> Expr {
        let tried = self.within(value.span, |l| l.outcome(value));
        if let (Some(name), Some(place)) = (name, tried.place) {
            self.bound[name.index()] = Some(super::Bound::Place(place));
        }
        succeeded(tried.failed)
    }
}
