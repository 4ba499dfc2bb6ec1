//! The validator: checks that a stack is well-formed, so that its readers need no checks. It runs after every pass.

mod bypasses;
mod code;
mod contexts;
mod cycles;
mod expressions;
mod in_place;
mod layouts;
mod links;
mod methods;
mod numbers;
mod places;
mod problems;
mod sessions;
mod tables;

use crate::Stack;
use problems::Problems;

pub use problems::Problem;

/// Checks a stack, except the use of messages (`nacre_analysis::linear`). Later checks rely on earlier ones, so
/// they run only if those found nothing.
pub fn validate(stack: &Stack) -> Result<(), Vec<Problem>> {
    let mut problems = Problems::default();
    for check in [
        tables::check,
        sessions::check,
        contexts::check,
        code::check,
        cycles::check,
        layouts::check,
        in_place::check,
        bypasses::check,
        numbers::check,
    ] {
        check(stack, &mut problems);
        if !problems.found.is_empty() {
            return Err(problems.found);
        }
    }
    Ok(())
}
