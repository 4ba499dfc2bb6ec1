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
    search(stack, entry, 0, MOST, &mut |way| {
        match way {
            Ok(path) => found.push(path),
            Err(refusal) => refused.push(refusal),
        }
        true
    });
    (found, refused)
}

/// Follows ways of an entry that take so many `unlikely` sides, one after the other, until there are no more, `meet`
/// says no, or `most` have been followed; returns how many were, those that take fewer unlikely sides included.
pub(crate) fn search(
    stack: &Stack,
    entry: Entry,
    unlikely: u32,
    most: usize,
    meet: &mut dyn FnMut(Result<Path, Refusal>) -> bool,
) -> usize {
    let mut ways = 0;
    let mut sides = Some(vec![]);
    while let Some(these) = sides.filter(|_| ways < most) {
        let mut step = Step::new(stack, Guide::new(these, unlikely));
        let ran = step.run(entry);
        sides = step.guide().next();
        ways += 1;
        if step.guide().deviations() != unlikely as usize {
            continue;
        }
        let way = match ran {
            Ok(()) => Ok(step.path(entry)),
            Err(why) => Err(step.refusal(why)),
        };
        if !meet(way) {
            break;
        }
    }
    ways
}
