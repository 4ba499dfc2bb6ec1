//! A short way for filters that only calculate with unsigned numbers, as sums and hashes do: they run for each byte of
//! each frame, and would take most of a campaign's time. What it gives is what
//! [`Run::execute`](super::run::Run::execute) gives.

use std::cmp::Ordering;

use crate::operations::numbers::bits;
use crate::operations::operators::{Order, Pair, Run};
use crate::*;

/// Loops longer than this take the usual way.
const LONGEST_LOOP: u64 = 64;
/// Values below this have a place in the table of a choice.
const SMALL: u64 = 256;

/// A comparison of two numbers, and its consequence.
enum Compare {
    Equality(bool),
    Order(fn(Ordering) -> bool),
    Choice(fn(Order) -> bool),
}

/// A filter's body on numbers alone.
pub struct Quick(Vec<Step>);

enum Step {
    Let(usize, Number),
    If(Number, Vec<Step>, Vec<Step>),
    /// One of several blocks, by the value of a local: which one for each small value, and which for all others.
    Choose(usize, Vec<usize>, usize, Vec<Vec<Step>>),
    /// A loop: its variable takes this many numbers from the first on.
    For(usize, u64, u64, Vec<Step>),
}

enum Number {
    Const(u64),
    Local(usize),
    /// An operator, the width of its operands and of its result.
    Binary(fn(Pair) -> u64, Box<Number>, Box<Number>, u32),
    Compare(Compare, Box<Number>, Box<Number>),
    Cut(Box<Number>, u64),
}

impl Quick {
    /// None: it does more than to calculate.
    pub fn of(filter: &Filter) -> Option<Quick> {
        filter.locals.iter().all(|local| width(&local.ty).is_some()).then(|| steps(&filter.body))?.map(Quick)
    }

    /// Runs the code on the values of the locals; `slots` is indexed by local.
    pub fn run(&self, slots: &mut [u64]) {
        run(&self.0, slots);
    }
}

/// The mask of a type of unsigned numbers.
fn width(ty: &Type) -> Option<u64> {
    matches!(ty, Type::UInt(_) | Type::Bool | Type::Range(..)).then(|| mask(bits(ty)))
}

fn steps(block: &Block) -> Option<Vec<Step>> {
    block.iter().map(step).collect()
}

fn step(statement: &Statement) -> Option<Step> {
    Some(match &statement.kind {
        StatementKind::Let(local, value) => Step::Let(local.index(), number(value)?),
        StatementKind::If { condition, then, otherwise, .. } => match cases(statement) {
            (local, cases, rest) if cases.len() > 2 => choice(local, &cases, rest)?,
            _ => Step::If(number(condition)?, steps(then)?, steps(otherwise)?),
        },
        StatementKind::For { variable, from, to, bound, body } => {
            let (ExprKind::Const(from), ExprKind::Const(to)) = (&from.kind, &to.kind) else { return None };
            let count = to.saturating_sub(*from);
            if count > u64::from(*bound).min(LONGEST_LOOP) {
                return None;
            }
            Step::For(variable.index(), *from, count, steps(body)?)
        }
        _ => return None,
    })
}

/// What a chain of tests whether a local equals a constant does for each constant, and for all others.
fn cases(statement: &Statement) -> (LocalId, Vec<(u64, &Block)>, &[Statement]) {
    let (mut of, mut cases, mut rest) = (LocalId(0), vec![], std::slice::from_ref(statement));
    while let [Statement { kind: StatementKind::If { condition, then, otherwise, .. }, .. }] = rest {
        let ExprKind::Binary(BinaryOp::Equal, local, value) = &condition.kind else { break };
        let (ExprKind::Local(local), ExprKind::Const(value)) = (&local.kind, &value.kind) else { break };
        if (!cases.is_empty() && *local != of) || *value >= SMALL {
            break;
        }
        of = *local;
        cases.push((*value, then));
        rest = otherwise;
    }
    (of, cases, rest)
}

fn choice(local: LocalId, cases: &[(u64, &Block)], rest: &[Statement]) -> Option<Step> {
    let mut blocks = cases.iter().map(|(_, block)| steps(block)).collect::<Option<Vec<_>>>()?;
    let other = blocks.len();
    blocks.push(rest.iter().map(step).collect::<Option<_>>()?);
    let most = cases.iter().map(|(value, _)| *value).max().unwrap_or(0);
    // The first of equal cases is taken.
    let place = |of: u64| cases.iter().position(|(value, _)| *value == of).unwrap_or(other);
    Some(Step::Choose(local.index(), (0..=most).map(place).collect(), other, blocks))
}

fn number(expr: &Expr) -> Option<Number> {
    let mask = width(&expr.ty)?;
    Some(match &expr.kind {
        ExprKind::Const(n) => Number::Const(n & mask),
        ExprKind::Zero => Number::Const(0),
        ExprKind::Local(id) => Number::Local(id.index()),
        ExprKind::Convert(a) => Number::Cut(Box::new(number(a)?), mask),
        ExprKind::Binary(op, a, b) => {
            let (left, right) = (number(a)?, number(b)?);
            let compare = match op.row(&a.ty)?.run {
                Run::Numbers(run) => return Some(Number::Binary(run, Box::new(left), Box::new(right), bits(&a.ty))),
                Run::Equality(equal) => Compare::Equality(equal),
                Run::Order(run) => Compare::Order(run),
                Run::Choice(right) => Compare::Choice(right),
                Run::Words(_) | Run::Subset | Run::Member | Run::Moved(_) => return None,
            };
            Number::Compare(compare, Box::new(left), Box::new(right))
        }
        _ => return None,
    })
}

fn run(steps: &[Step], slots: &mut [u64]) {
    for step in steps {
        match step {
            Step::Let(local, value) => slots[*local] = value.of(slots),
            Step::If(condition, then, otherwise) => run(if condition.of(slots) != 0 { then } else { otherwise }, slots),
            Step::Choose(local, table, other, blocks) => {
                let block = table.get(slots[*local] as usize).unwrap_or(other);
                run(&blocks[*block], slots);
            }
            Step::For(variable, from, count, body) => {
                for i in 0..*count {
                    slots[*variable] = from + i;
                    run(body, slots);
                }
            }
        }
    }
}

impl Number {
    fn of(&self, slots: &[u64]) -> u64 {
        match self {
            Number::Const(n) => *n,
            Number::Local(local) => slots[*local],
            Number::Cut(a, mask) => a.of(slots) & mask,
            Number::Binary(run, a, b, bits) => {
                let (a, b) = (a.of(slots), b.of(slots));
                run(Pair { a, b, left: a as i64, right: b as i64, bits: *bits }) & mask(*bits)
            }
            Number::Compare(compare, a, b) => {
                let (a, b) = (a.of(slots), b.of(slots));
                match compare {
                    Compare::Equality(equal) => u64::from((a == b) == *equal),
                    Compare::Order(run) => u64::from(run(a.cmp(&b))),
                    Compare::Choice(right) if right(Order { left: a.cmp(&b), right: b.cmp(&a) }) => b,
                    Compare::Choice(_) => a,
                }
            }
        }
    }
}
