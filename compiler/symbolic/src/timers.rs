//! Timers: the time at which they are due, or that of none.

use nacre_stack::{Expr, Place};

use crate::execute::Run;
use crate::terms::{Node, Op, Term};
use crate::values::Value;
use crate::Unsupported;

/// The latest deadline; the number after it says that a timer is not armed.
const LAST: u128 = u64::MAX as u128 - 1;

impl Run<'_> {
    /// Whether a timer is armed. One that has just been armed is, whatever the time.
    pub(crate) fn is_armed(&mut self, timer: Term) -> Term {
        let Node::Apply(Op::If, parts) = self.terms.node(timer).clone() else {
            let never = self.terms.bits(64, u128::from(u64::MAX));
            let off = self.terms.equal(timer, never);
            return self.terms.not(off);
        };
        let [condition, then, otherwise] = [parts[0], parts[1], parts[2]];
        if self.terms.value_of(then) == Some(LAST) && self.saturated(otherwise) == condition {
            return self.terms.truth(true);
        }
        let [then, otherwise] = [then, otherwise].map(|time| self.is_armed(time));
        self.terms.choose(condition, then, otherwise)
    }

    /// Whether a sum with the present time exceeds the last deadline.
    fn saturated(&mut self, at: Term) -> Term {
        let last = self.terms.bits(64, LAST);
        let (wrapped, late) = (self.terms.less(Op::ULess, at, self.state.now), self.terms.less(Op::ULess, last, at));
        self.terms.or(&[wrapped, late])
    }

    /// Whether a timer is armed and due.
    pub fn is_due(&mut self, timer: Term) -> Term {
        let (armed, late) = (self.is_armed(timer), self.terms.less(Op::ULess, self.state.now, timer));
        let due = self.terms.not(late);
        self.terms.and(&[armed, due])
    }

    pub(crate) fn arm(
        &mut self,
        timer: &Place,
        delay: &Expr,
        unless_armed: bool,
        guard: Term,
    ) -> Result<(), Unsupported> {
        let (delay, old) = (self.term(delay)?, self.load(timer)?.term()?);
        let at = self.terms.binary(Op::Add, self.state.now, delay);
        let (last, saturated) = (self.terms.bits(64, LAST), self.saturated(at));
        let mut deadline = self.terms.choose(saturated, last, at);
        if unless_armed {
            let armed = self.is_armed(old);
            deadline = self.terms.choose(armed, old, deadline);
        }
        self.store(timer, Value::Term(deadline), guard)
    }
}
