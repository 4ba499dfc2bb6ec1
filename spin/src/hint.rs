//! The hints by which the explorer repeats a step that a model reported.

use nacre_backend_promela::report::Step;
use nacre_checker::retrace::Hint;

/// Returns the hint for a step; none: the explorer's initial state has both endpoints open.
pub fn hint(step: &Step) -> Option<Hint> {
    Some(match step.clone() {
        Step::Opened { .. } => return None,
        Step::Later { end } => Hint::Later { end },
        Step::Call { end, name, number } => Hint::Call { end, name, number },
        Step::TimerAt { end, place } => Hint::TimerAt { end, place },
        Step::Timer { end, name } => Hint::Timer { end, name },
        Step::Network { name, end } => Hint::Network { name, end },
    })
}
