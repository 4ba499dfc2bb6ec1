//! How many bytes a filter yields, compared with what it states.

use crate::*;

/// Lengths of what is read for which bytes are counted.
const LENGTHS: [u64; 7] = [0, 1, 2, 3, 4, 64, 1 << 20];

/// Bytes that a filter always yields beyond what it states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    pub read: u64,
    pub made: u64,
    pub stated: u64,
}

impl Filter {
    /// The most bytes that it may make of so many.
    pub fn longest(&self, read: u64) -> u64 {
        let (num, den, add) = self.grows;
        read + read * u64::from(num) / u64::from(den.max(1)) + u64::from(add)
    }

    /// A length of which it always makes more than it states.
    pub fn excess(&self) -> Option<Excess> {
        let (each, end) = (count(&self.body, Least).unwrap_or(0), count(&self.end, Least).unwrap_or(0));
        let made = |read: u64| each.saturating_mul(read.div_ceil(self.unit.size())).saturating_add(end);
        let all = LENGTHS.into_iter().map(|read| Excess { read, made: made(read), stated: self.longest(read) });
        all.filter(|excess| excess.made > excess.stated).min_by_key(|excess| excess.read)
    }

    /// Whether it could make more than it states, as far as the text shows.
    pub fn may_exceed(&self) -> bool {
        let (each, end) = (count(&self.body, Most).unwrap_or(0), count(&self.end, Most).unwrap_or(0));
        let (num, den, add) = self.grows;
        let size = self.unit.size();
        let whole = size * (1 + u64::from(num) / u64::from(den.max(1)));
        // The last unit may be a part of one.
        let part = (each * (size - 1)).div_ceil(size);
        each > whole || end.saturating_add(part) > u64::from(add)
    }
}

impl FilterUnit {
    fn size(self) -> u64 {
        match self {
            FilterUnit::Byte => 1,
            FilterUnit::Word => 4,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Least,
    Most,
}
use Extreme::{Least, Most};

/// Bytes that a block yields at the least or at the most, if it does not reject; none: it always rejects.
fn count(block: &Block, extreme: Extreme) -> Option<u64> {
    let mut sum = 0u64;
    for statement in block {
        sum = sum.saturating_add(match &statement.kind {
            StatementKind::Yield(e) => yielded(e, extreme),
            StatementKind::Reject => return None,
            StatementKind::If { then, otherwise, .. } => match (count(then, extreme), count(otherwise, extreme)) {
                (Some(one), Some(other)) if extreme == Least => one.min(other),
                (Some(one), Some(other)) => one.max(other),
                (one, other) => one.or(other)?,
            },
            StatementKind::Loop { bound, body } | StatementKind::Each { bound, body, .. } => match extreme {
                Least => 0,
                Most => count(body, Most).unwrap_or(0).saturating_mul(u64::from(*bound)),
            },
            StatementKind::For { from, to, bound, body, .. } => {
                count(body, extreme).unwrap_or(0).saturating_mul(turns(from, to, *bound, body, extreme))
            }
            StatementKind::Break if extreme == Least => break,
            _ => 0,
        });
    }
    Some(sum)
}

fn turns(from: &Expr, to: &Expr, bound: u32, body: &Block, extreme: Extreme) -> u64 {
    match (&from.kind, &to.kind, extreme) {
        (_, _, Most) => u64::from(bound),
        (ExprKind::Const(from), ExprKind::Const(to), Least) if !breaks(body) => {
            to.saturating_sub(*from).min(u64::from(bound))
        }
        _ => 0,
    }
}

fn yielded(e: &Expr, extreme: Extreme) -> u64 {
    match (&e.ty, extreme) {
        (Type::Bytes(n), _) => u64::from(*n),
        (Type::Text(_) | Type::View, Least) => 0,
        (Type::Text(n), Most) => u64::from(*n),
        (Type::View, Most) => u64::from(u32::MAX),
        (Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits), _) => u64::from(bits.div_ceil(8)),
        (_, Least) => 1,
        (_, Most) => 8,
    }
}

fn breaks(block: &Block) -> bool {
    block.iter().any(|statement| match &statement.kind {
        StatementKind::Break => true,
        StatementKind::If { then, otherwise, .. } => breaks(then) || breaks(otherwise),
        _ => false,
    })
}
