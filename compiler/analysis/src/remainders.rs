//! Filters that calculate the remainder of a polynomial (a CRC), so that a back end may take several bytes at a time,
//! or an instruction.
//!
//! It does not matter how the filter is written: bit by bit, or with a table. Its code for one byte is executed with
//! bits that are sums, modulo 2, of bits of its state and of the byte. Where up to eight such bits decide what happens,
//! all cases are executed, and must together be such sums again. It is a remainder if the state `r` then becomes
//! `r >> 8 ^ T[(r ^ byte) & 255]`.

use std::cell::Cell;
use std::collections::HashMap;

use nacre_stack::*;

use crate::constants::width;

/// A sum of bits: one bit for each bit of the state, from 0, and for each of the byte, from `BYTE`; `ONE` is the
/// constant.
type Sum = u128;
const BYTE: u32 = 64;
const ONE: Sum = 1 << 127;
/// Bits of the state.
const STATE: u32 = 32;
/// The most bits that may decide what happens.
const DECIDING: usize = 8;
/// The longest loop that is followed.
const TURNS: u64 = 64;
/// The most statements that are executed, in all cases together.
const STATEMENTS: u32 = 20_000;

/// A number, bit by bit from the lowest.
type Number = Vec<Sum>;
type Locals = HashMap<LocalId, Number>;

/// The table `T` of a filter that calculates a remainder of 32 bits, lowest bit first; none: it does not, or is not
/// seen to.
pub fn table(filter: &Filter) -> Option<Box<[u32; 256]>> {
    let ([state], [byte]) = (&filter.state[..], &filter.inputs[..]) else { return None };
    if state.ty != Type::UInt(STATE as u8) || filter.unit != FilterUnit::Byte || filter.rejects {
        return None;
    }
    let own = LocalId(0);
    let given = |from: u32, count: u32| (from..from + count).map(|at| 1 << at).collect::<Number>();
    let mut locals = Locals::from([(own, given(0, STATE)), (*byte, given(BYTE, 8))]);
    let execution = Execution { filter, left: Cell::new(STATEMENTS) };
    execution.block(&filter.body, &mut locals)?;
    let after = locals.remove(&own)?;
    let mut table = Box::new([0; 256]);
    for (at, sum) in (0..STATE).zip(after) {
        let above = if at + 8 < STATE { 1 << (at + 8) } else { 0 };
        let (of_state, of_byte) = ((sum ^ above) & 255, sum >> BYTE & 255);
        if sum != above ^ of_state ^ (of_byte << BYTE) || of_state != of_byte {
            return None;
        }
        for (index, entry) in table.iter_mut().enumerate() {
            *entry |= ((index as Sum & of_byte).count_ones() & 1) << at;
        }
    }
    Some(table)
}

struct Execution<'a> {
    filter: &'a Filter,
    /// As many statements may still be executed.
    left: Cell<u32>,
}

impl Execution<'_> {
    /// None: something is not a sum.
    fn block(&self, block: &Block, locals: &mut Locals) -> Option<()> {
        block.iter().try_for_each(|statement| self.statement(statement, locals))
    }

    fn statement(&self, statement: &Statement, locals: &mut Locals) -> Option<()> {
        self.left.set(self.left.get().checked_sub(1)?);
        match &statement.kind {
            StatementKind::Let(local, e) => {
                let value = self.value(e, locals)?;
                locals.insert(*local, value);
                Some(())
            }
            StatementKind::If { condition, then, otherwise, .. } => match self.decided(condition, locals)? {
                Decided::Known(true) => self.block(then, locals),
                Decided::Known(false) => self.block(otherwise, locals),
                Decided::By(sums) => self.all_cases(statement, &sums, locals),
            },
            StatementKind::For { variable, from, to, bound, body } => {
                let [from, to] = [from, to].map(|e| self.value(e, locals).and_then(|number| known(&number)));
                let turns = from?..to?;
                (turns.clone().count() as u64 <= TURNS.min(u64::from(*bound))).then_some(())?;
                let width = self.width(*variable);
                turns.into_iter().try_for_each(|turn| {
                    locals.insert(*variable, constant(turn, width));
                    self.block(body, locals)
                })
            }
            _ => None,
        }
    }

    /// The result of a comparison with a constant, or the bits on which it depends.
    fn decided(&self, condition: &Expr, locals: &Locals) -> Option<Decided> {
        let ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), a, b) = &condition.kind else {
            return None;
        };
        let (left, right) = (self.value(a, locals)?, known(&self.value(b, locals)?)?);
        Some(match known(&left) {
            Some(left) => Decided::Known((left == right) == (*op == BinaryOp::Equal)),
            None => Decided::By(left.into_iter().filter(|sum| sum & !ONE != 0).collect()),
        })
    }

    /// Executes a statement for all values of some sums; what it leaves must be a sum of these and of others.
    fn all_cases(&self, statement: &Statement, open: &[Sum], locals: &mut Locals) -> Option<()> {
        (open.len() <= DECIDING).then_some(())?;
        let case = |values: usize| {
            let mut case = locals.clone();
            let mut given = open.to_vec();
            for at in 0..given.len() {
                // A bit in this sum follows from the others: it is replaced by them everywhere.
                let none = given[at] ^ if values >> at & 1 == 1 { ONE } else { 0 };
                let follows = 1 << (none & !ONE != 0).then(|| none.trailing_zeros())?;
                let replace = |sum: &mut Sum| {
                    if *sum & follows != 0 {
                        *sum ^= none;
                    }
                };
                given.iter_mut().for_each(replace);
                case.values_mut().flatten().for_each(replace);
            }
            self.statement(statement, &mut case)?;
            Some(case)
        };
        let cases: Vec<Locals> = (0..1 << open.len()).map(case).collect::<Option<_>>()?;
        for (id, first) in &cases[0] {
            let differ = |at: usize| -> Option<Number> {
                let other = cases[1 << at].get(id)?;
                Some(other.iter().zip(first).map(|(a, b)| a ^ b).collect())
            };
            let differences: Vec<Number> = (0..open.len()).map(differ).collect::<Option<_>>()?;
            differences.iter().flatten().all(|sum| sum & !ONE == 0).then_some(())?;
            // The value in a case: that of the first, and what each sum that is 1 changes.
            let value = |place: usize, one: &dyn Fn(usize) -> Sum| {
                let changes = (0..open.len()).filter(|at| differences[*at][place] != 0);
                changes.fold(first[place], |sum, at| sum ^ one(at))
            };
            for (values, case) in cases.iter().enumerate() {
                let one = |at: usize| if values >> at & 1 == 1 { ONE } else { 0 };
                let found = case.get(id).filter(|found| found.len() == first.len())?;
                found.iter().enumerate().all(|(place, sum)| *sum == value(place, &one)).then_some(())?;
            }
            locals.insert(*id, (0..first.len()).map(|place| value(place, &|at| open[at])).collect());
        }
        Some(())
    }

    fn value(&self, e: &Expr, locals: &Locals) -> Option<Number> {
        let width = width(&e.ty) as usize;
        let is_number = matches!(e.ty, Type::UInt(_) | Type::Range(..));
        is_number.then_some(())?;
        match &e.kind {
            ExprKind::Const(n) => Some(constant(*n, width)),
            ExprKind::Zero => Some(constant(0, width)),
            ExprKind::Local(local) => locals.get(local).cloned().filter(|number| number.len() == width),
            ExprKind::Convert(inner) => {
                let mut number = self.value(inner, locals)?;
                number.resize(width, 0);
                Some(number)
            }
            ExprKind::Binary(op @ (BinaryOp::Shl | BinaryOp::Shr), a, b) => {
                let (number, by) = (self.value(a, locals)?, known(&self.value(b, locals)?)?);
                (by < width as u64).then_some(())?;
                let from = |at: usize| match op {
                    BinaryOp::Shl => at.checked_sub(by as usize),
                    _ => at.checked_add(by as usize),
                };
                Some((0..width).map(|at| from(at).and_then(|at| number.get(at).copied()).unwrap_or(0)).collect())
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a, locals)?, self.value(b, locals)?);
                a.iter().zip(&b).map(|(a, b)| combined(*op, *a, *b)).collect()
            }
            _ => None,
        }
    }

    fn width(&self, local: LocalId) -> usize {
        width(&self.filter.locals[local.index()].ty) as usize
    }
}

enum Decided {
    Known(bool),
    By(Vec<Sum>),
}

/// One bit of the result of an operator.
fn combined(op: BinaryOp, a: Sum, b: Sum) -> Option<Sum> {
    match (op, a, b) {
        (BinaryOp::Xor, a, b) => Some(a ^ b),
        (BinaryOp::And, 0, _) | (BinaryOp::And, _, 0) => Some(0),
        (BinaryOp::And, ONE, other) | (BinaryOp::And, other, ONE) => Some(other),
        (BinaryOp::Or, 0, other) | (BinaryOp::Or, other, 0) => Some(other),
        (BinaryOp::Or, ONE, _) | (BinaryOp::Or, _, ONE) => Some(ONE),
        _ => None,
    }
}

fn constant(n: u64, width: usize) -> Number {
    (0..width).map(|at| if at < 64 && n >> at & 1 == 1 { ONE } else { 0 }).collect()
}

fn known(number: &Number) -> Option<u64> {
    let bit = |n: u64, sum: &Sum| match *sum {
        0 => Some(n << 1),
        ONE => Some(n << 1 | 1),
        _ => None,
    };
    number.iter().rev().try_fold(0, bit)
}
