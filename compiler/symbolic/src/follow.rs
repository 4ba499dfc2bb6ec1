//! One path through code: of each branch that is not decided one side runs, and its condition is known from then on.

use nacre_stack::*;

use crate::execute::Run;
use crate::guide::{Branch, Guide, Why};
use crate::terms::Term;
use crate::values::{self, Value};
use crate::Unsupported;

/// The most iterations of a loop on a path.
const ITERATIONS: u32 = 4;

impl Run<'_> {
    /// The side that a guided run takes at a branch: whether the condition holds.
    pub(crate) fn guided(&mut self, span: Span, condition: Term, likely: Option<bool>, sides: [&Block; 2]) -> bool {
        let tells = match (likely, sides.map(drops)) {
            (Some(likely), _) => Some((likely, Why::Marked)),
            (None, [true, false]) => Some((false, Why::OtherDrops)),
            (None, [false, true]) => Some((true, Why::OtherDrops)),
            _ => None,
        };
        self.branch(span, condition, tells)
    }

    /// The side that a guided run takes where a loop that counts begins: whether it has any iteration.
    pub(crate) fn enters(&mut self, span: Span, condition: Term) -> bool {
        self.branch(span, condition, Some((false, Why::OtherLoops)))
    }

    /// The side that a guided run takes where a condition decides whether a handler takes an event.
    pub fn side(&mut self, span: Span, condition: Term) -> bool {
        self.branch(span, condition, None)
    }

    /// The side at a branch: the one of the way that is followed, if there is one.
    fn branch(&mut self, span: Span, condition: Term, tells: Option<(bool, Why)>) -> bool {
        let Some(side) = self.guide.as_mut().expect("a guided run").followed() else {
            return self.take_side(span, condition, tells);
        };
        let taken = self.take_side(span, condition, Some((side, Why::Followed)));
        self.guide.as_mut().expect("a guided run").took(side, taken);
        taken
    }

    /// Adds a condition of the path that is no branch.
    pub fn require(&mut self, span: Span, condition: Term) -> Result<(), Unsupported> {
        if self.guide.as_ref().is_some_and(Guide::is_checking) {
            self.assume(condition);
            self.learn(condition);
            return Ok(());
        }
        match self.take_side(span, condition, Some((true, Why::Required))) {
            true => Ok(()),
            false => Err(Unsupported::new("a condition that never holds".into())),
        }
    }

    fn take_side(&mut self, span: Span, condition: Term, tells: Option<(bool, Why)>) -> bool {
        let guide = self.guide.as_mut().expect("a guided run");
        let decided = self.terms.replace(condition, &guide.known);
        if let Some(taken) = self.terms.truth_of(decided) {
            if guide.is_checking() && self.terms.truth_of(condition).is_none() {
                let claimed = if taken { condition } else { self.terms.not(condition) };
                guide.decided.push(claimed);
            }
            return taken;
        }
        if guide.is_checking() {
            let Some(taken) = guide.told() else {
                guide.undecided.get_or_insert((span, condition));
                return true;
            };
            let claimed = if taken { condition } else { self.terms.not(condition) };
            guide.decided.push(claimed);
            self.learn(claimed);
            return taken;
        }
        let (taken, why, first) = guide.choose(tells);
        let holds = if taken { decided } else { self.terms.not(decided) };
        guide.branches.push(Branch { span, holds, taken, why, first });
        self.terms.learn(&mut guide.known, decided, taken);
        // As it was before other conditions simplified it.
        self.terms.learn(&mut guide.known, condition, taken);
        self.conclude();
        taken
    }

    /// Knows that a formula holds, and what follows.
    pub fn learn(&mut self, formula: Term) {
        if let Some(guide) = &mut self.guide {
            self.terms.learn(&mut guide.known, formula, true);
            self.conclude();
        }
    }

    /// Learns what follows: where all formulas of a clause but one are false, that one is true.
    fn conclude(&mut self) {
        let guide = self.guide.as_mut().expect("a guided run");
        let clauses = std::mem::take(&mut guide.clauses);
        let (mut open, mut more) = (clauses, true);
        while std::mem::take(&mut more) {
            let mut left = vec![];
            for clause in open {
                let formulas: Vec<Term> = clause.iter().map(|f| self.terms.replace(*f, &guide.known)).collect();
                let formulas: Vec<Term> =
                    formulas.into_iter().filter(|f| self.terms.truth_of(*f) != Some(false)).collect();
                match formulas[..] {
                    [only] if self.terms.truth_of(only) != Some(true) => {
                        self.terms.learn(&mut guide.known, only, true);
                        more = true;
                    }
                    [_, _, ..] => left.push(clause),
                    _ => {}
                }
            }
            open = left;
        }
        guide.clauses = open;
    }

    /// Iterations, one after the other, until one leaves the loop.
    pub(crate) fn follow(&mut self, bound: u32, body: &Block, guard: Term) -> Result<Term, Unsupported> {
        for _ in 0..bound.min(ITERATIONS) {
            let never = self.terms.truth(false);
            self.breaks.push(never);
            let ran = self.block(body, guard);
            let broken = self.breaks.pop().expect("pushed above");
            let again = ran?;
            if self.terms.truth_of(broken) == Some(true) {
                return Ok(guard);
            }
            if self.terms.truth_of(again) == Some(false) {
                return Ok(again);
            }
        }
        Err(Unsupported::new("a loop of many iterations".into()))
    }

    /// A value, simplified by what is known of the path.
    pub fn simplified(&mut self, value: &Value) -> Value {
        let Some(guide) = &self.guide else { return value.clone() };
        values::zip(value, value, &mut |term, _| self.terms.replace(term, &guide.known))
    }
}

/// Whether a block drops a message.
fn drops(block: &Block) -> bool {
    block.iter().any(|statement| matches!(statement.kind, StatementKind::Drop(_)))
}
