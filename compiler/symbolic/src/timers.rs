//! Timers: the time at which they are due, or that of none.

use nacre_stack::{Expr, Place};

use crate::execute::Run;
use crate::terms::{Op, Term};
use crate::values::Value;
use crate::Unsupported;

impl Run<'_> {
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
        let last = self.terms.bits(64, u128::from(u64::MAX - 1));
        let (wrapped, late) = (self.terms.less(Op::ULess, at, self.state.now), self.terms.less(Op::ULess, last, at));
        let saturated = self.terms.or(&[wrapped, late]);
        let mut deadline = self.terms.choose(saturated, last, at);
        if unless_armed {
            let armed = self.is_armed(old);
            deadline = self.terms.choose(armed, old, deadline);
        }
        self.store(timer, Value::Term(deadline), guard)
    }
}
