//! The passes of each level over the stack IR, each followed by the validator.

use nacre_backend_c::Level;
use nacre_bypass::Made;
use nacre_optimize::calls::Decision;
use nacre_stack::{Stack, Way};

/// A pass over the stack IR.
pub struct Pass {
    /// Its name in goldens and tools.
    pub name: &'static str,
    /// Changes the stack; returns the decisions about its emissions.
    pub run: fn(&mut Stack) -> Vec<Decision>,
}

const PASS_OVER: Pass = Pass { name: "pass_over", run: nacre_optimize::pass_over::fuse };
const RELEASE_LOW: Pass = Pass { name: "release_low", run: nacre_optimize::release_low::split };
const BYPASS: Pass = Pass { name: "bypass", run: bypass };
const CALLS: Pass = Pass { name: "calls", run: nacre_optimize::calls::decide };

/// The passes of a level, in order.
pub fn passes(level: Level) -> &'static [Pass] {
    match level {
        Level::Queue => &[PASS_OVER, RELEASE_LOW],
        Level::Call => &[PASS_OVER, RELEASE_LOW, CALLS],
        Level::Inline => &[PASS_OVER, RELEASE_LOW, CALLS, Pass { name: "inline", run: nacre_optimize::inline::mark }],
        Level::Bypass => &[PASS_OVER, RELEASE_LOW, CALLS, BYPASS],
    }
}

fn bypass(stack: &mut Stack) -> Vec<Decision> {
    nacre_bypass::add_bypasses(stack);
    vec![]
}

/// Runs the passes of a level, each followed by the validator.
pub fn optimize(stack: &mut Stack, level: Level) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for pass in passes(level) {
        decisions.extend(run_pass(stack, pass));
    }
    decisions
}

/// The same as at level bypass, with bypasses of ways that events have taken: those of the stack after the passes of
/// level queue.
pub fn optimize_for(stack: &mut Stack, ways: &[Way]) -> Vec<Made> {
    for pass in passes(Level::Bypass).iter().filter(|pass| pass.name != BYPASS.name) {
        run_pass(stack, pass);
    }
    let made = nacre_bypass::add_bypasses_of(stack, ways);
    validate(stack);
    made
}

/// Runs one pass, numbers the nodes again and validates the stack.
pub(crate) fn run_pass(stack: &mut Stack, pass: &Pass) -> Vec<Decision> {
    let decisions = (pass.run)(stack);
    nacre_stack::number(stack);
    validate(stack);
    decisions
}

/// Our own mistakes are asserted.
pub(crate) fn validate(stack: &Stack) {
    let problems = nacre_stack::validate(stack).err().unwrap_or_else(|| nacre_analysis::linear::check(stack));
    assert!(problems.is_empty(), "the stack `{}` is invalid after a pass:\n{problems:#?}", stack.name);
}
