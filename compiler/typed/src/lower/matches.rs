//! `match`: a few arms are a chain of branches. Of many, the number of the arm is found first, and its block by that
//! number: both by halves, so that the code is no deeper than the logarithm of the number of arms.

use nacre_stack::{BinaryOp, Block, Expr, ExprKind, LocalId, StatementKind, Type};

use super::Lowering;
use crate::tree::{self, Arm};

/// Arms in a chain, at the most. Each is nested in the one before.
const CHAIN: usize = 16;

/// The type of the number of an arm.
const NUMBER: Type = Type::UInt(32);

impl Lowering<'_> {
    /// Compared in order; `_` takes the rest. Of an exhaustive one the last arm is not tested.
    pub(super) fn match_(&mut self, value: &tree::Expr, arms: &[Arm], exhaustive: bool) {
        let value = self.expr(value);
        let value = self.spill(value);
        let tested = match arms.split_last() {
            Some((_, before)) if exhaustive => before,
            _ => arms,
        };
        let last = if exhaustive { arms.last() } else { None };
        if arms.len() <= CHAIN {
            return self.chain(&value, tested, last);
        }
        let number = self.arm_number(&value, tested);
        let number = self.get(number);
        let (block, ()) = self.block(|l| l.dispatch(&number, 0, arms));
        if exhaustive {
            return self.out.extend(block);
        }
        let condition = self.is_below(&number, arms.len());
        self.push(StatementKind::If { condition, likely: None, then: block, otherwise: Vec::new() });
    }

    fn chain(&mut self, value: &Expr, tested: &[Arm], last: Option<&Arm>) {
        let Some((arm, rest)) = tested.split_first() else {
            last.into_iter().for_each(|arm| self.statements(&arm.body));
            return;
        };
        let condition = self.is_of(value, arm);
        let span = condition.span;
        let (then, ()) = self.block(|l| l.statements(&arm.body));
        let (otherwise, ()) = self.block(|l| l.chain(value, rest, last));
        self.out.push(StatementKind::If { condition, likely: None, then, otherwise }.at(span));
    }

    /// Whether an arm takes the value.
    fn is_of(&mut self, value: &Expr, arm: &Arm) -> Expr {
        let Some(with) = &arm.value else { unreachable!("`_` stands last") };
        let with = self.expr(with);
        let span = with.span;
        Expr::new(ExprKind::Binary(BinaryOp::Equal, Box::new(value.clone()), Box::new(with)), Type::Bool, span)
    }

    /// The number of the arm that takes the value, or how many are tested.
    fn arm_number(&mut self, value: &Expr, tested: &[Arm]) -> LocalId {
        let number = self.temporary(NUMBER);
        self.set_number(number, tested.len());
        match sorted(tested, &value.ty) {
            Some(sorted) => {
                let value = self.in_a_row(value);
                self.search(&value, &sorted, number);
            }
            None => self.one_by_one(value, tested, number),
        }
        number
    }

    fn set_number(&mut self, number: LocalId, to: usize) {
        let to = self.make(ExprKind::Const(to as u64), NUMBER);
        self.push(StatementKind::Let(number, to));
    }

    /// The value as a number whose order is that of its bits.
    fn in_a_row(&self, value: &Expr) -> Expr {
        let ty = match value.ty {
            Type::Seq(bits) => Type::UInt(bits),
            Type::Enum(_) => NUMBER,
            _ => return value.clone(),
        };
        self.make(ExprKind::Convert(Box::new(value.clone())), ty)
    }

    /// By halves, among values in ascending order.
    fn search(&mut self, value: &Expr, sorted: &[(u64, usize)], number: LocalId) {
        let compare = |l: &Self, op, with| {
            let with = Expr::new(ExprKind::Const(with), value.ty.clone(), l.span);
            l.make(ExprKind::Binary(op, Box::new(value.clone()), Box::new(with)), Type::Bool)
        };
        match sorted {
            [] => {}
            [(with, arm)] => {
                let condition = compare(self, BinaryOp::Equal, *with);
                let (then, ()) = self.block(|l| l.set_number(number, *arm));
                self.push(StatementKind::If { condition, likely: None, then, otherwise: Vec::new() });
            }
            _ => {
                let (low, high) = sorted.split_at(sorted.len() / 2);
                let condition = compare(self, BinaryOp::Less, high[0].0);
                let (then, ()) = self.block(|l| l.search(value, low, number));
                let (otherwise, ()) = self.block(|l| l.search(value, high, number));
                self.push(StatementKind::If { condition, likely: None, then, otherwise });
            }
        }
    }

    /// Values that are no constants are compared as long as none was the same.
    fn one_by_one(&mut self, value: &Expr, tested: &[Arm], number: LocalId) {
        for (at, arm) in tested.iter().enumerate() {
            let (then, ()): (Block, ()) = self.block(|l| {
                let condition = l.is_of(value, arm);
                let (then, ()) = l.block(|l| l.set_number(number, at));
                l.push(StatementKind::If { condition, likely: None, then, otherwise: Vec::new() });
            });
            let none = self.make(ExprKind::Const(tested.len() as u64), NUMBER);
            let so_far = self.get(number);
            let condition = self.make(ExprKind::Binary(BinaryOp::Equal, Box::new(so_far), Box::new(none)), Type::Bool);
            self.push(StatementKind::If { condition, likely: None, then, otherwise: Vec::new() });
        }
    }

    fn is_below(&self, number: &Expr, limit: usize) -> Expr {
        let limit = self.make(ExprKind::Const(limit as u64), NUMBER);
        self.make(ExprKind::Binary(BinaryOp::Less, Box::new(number.clone()), Box::new(limit)), Type::Bool)
    }

    /// The arm of a number among these, of which the first has the number `from`.
    fn dispatch(&mut self, number: &Expr, from: usize, arms: &[Arm]) {
        if let [arm] = arms {
            return self.statements(&arm.body);
        }
        let (low, high) = arms.split_at(arms.len() / 2);
        let middle = from + low.len();
        let condition = self.is_below(number, middle);
        let (then, ()) = self.block(|l| l.dispatch(number, from, low));
        let (otherwise, ()) = self.block(|l| l.dispatch(number, middle, high));
        self.push(StatementKind::If { condition, likely: None, then, otherwise });
    }
}

/// The constants of arms with their numbers, in ascending order of the type; None: they are no constants.
fn sorted(arms: &[Arm], ty: &Type) -> Option<Vec<(u64, usize)>> {
    let is_number = matches!(ty, Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Enum(_));
    if !is_number && !matches!(ty, Type::Duration) {
        return None;
    }
    let constant = |arm: &Arm| if let tree::ExprKind::Const(n) = arm.value.as_ref()?.kind { Some(n) } else { None };
    let values = arms.iter().enumerate().map(|(at, arm)| Some((constant(arm)?, at)));
    let mut values: Vec<(u64, usize)> = values.collect::<Option<_>>()?;
    match ty {
        Type::Int(_) => values.sort_by_key(|(value, _)| *value as i64),
        _ => values.sort(),
    }
    Some(values)
}
