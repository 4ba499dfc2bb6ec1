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
    search(stack, entry, 0)
}

/// The paths that take just one unlikely side.
pub fn detours(stack: &Stack, entry: Entry) -> Vec<Path> {
    search(stack, entry, 1).0
}

fn search(stack: &Stack, entry: Entry, unlikely: u32) -> (Vec<Path>, Vec<Refusal>) {
    let (mut found, mut refused, mut ways) = (vec![], vec![], 0);
    let mut sides = Some(vec![]);
    while let Some(these) = sides.filter(|_| ways < MOST) {
        let mut step = Step::new(stack, Guide::new(these, unlikely));
        let ran = step.run(entry);
        sides = step.guide().next();
        ways += 1;
        let taken = step.guide().deviations() == unlikely as usize;
        match ran {
            Ok(()) if taken => found.push(step.path(entry)),
            Err(why) if taken => refused.push(step.refusal(why)),
            Ok(()) | Err(_) => {}
        }
    }
    (found, refused)
}
