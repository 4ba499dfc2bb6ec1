//! Compares the number of bytes that a filter can yield with its stated growth.

use crate::*;

impl Filter {
    /// The most bytes that it may yield for `read` bytes.
    pub fn longest(&self, read: u64) -> u64 {
        let (num, den, add) = self.grows;
        read + read * u64::from(num) / u64::from(den.max(1)) + u64::from(add)
    }

    /// Whether it could make more than it states, as far as the text shows.
    pub fn may_exceed(&self) -> bool {
        let (each, end) = (count(&self.body).unwrap_or(0), count(&self.end).unwrap_or(0));
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

/// The most bytes that a block yields, if it does not reject; none: it always rejects.
fn count(block: &Block) -> Option<u64> {
    let mut sum = 0u64;
    for statement in block {
        sum = sum.saturating_add(match statement.control() {
            Control::Branch { then, otherwise, .. } => match (count(then), count(otherwise)) {
                (Some(one), Some(other)) => one.max(other),
                (one, other) => one.or(other)?,
            },
            Control::Repeat { bound, body } => count(body).unwrap_or(0).saturating_mul(u64::from(bound)),
            Control::Exit if matches!(statement.kind, StatementKind::Reject) => return None,
            Control::Next | Control::Break | Control::Exit => match &statement.kind {
                StatementKind::Yield(e) => yielded(e),
                _ => 0,
            },
        });
    }
    Some(sum)
}

fn yielded(e: &Expr) -> u64 {
    match &e.ty {
        Type::Bytes(n) | Type::Text(n) => u64::from(*n),
        Type::View => u64::from(u32::MAX),
        Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => u64::from(bits.div_ceil(8)),
        _ => 8,
    }
}
