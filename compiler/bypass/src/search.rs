//! The search for paths.

use nacre_stack::{Entry, Stack};
use nacre_symbolic::guide::Guide;

use crate::path::{Path, Refusal};
use crate::step::Step;

/// The most paths of one entry that are searched.
pub const MOST: usize = 64;

/// The common paths of an entry, in the order of a search in depth, and the ways that are none; at most [`MOST`]
/// together.
pub fn paths(stack: &Stack, entry: Entry) -> (Vec<Path>, Vec<Refusal>) {
    let (mut found, mut refused) = (vec![], vec![]);
    let mut sides = Some(vec![]);
    while let Some(these) = sides.filter(|_| found.len() + refused.len() < MOST) {
        let mut step = Step::new(stack, Guide::new(these));
        let ran = step.run(entry);
        sides = step.guide().next();
        match ran {
            Ok(()) => found.push(step.path(entry)),
            Err(why) => refused.push(step.refusal(why)),
        }
    }
    (found, refused)
}
