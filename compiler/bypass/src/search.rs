//! The search for paths.

use nacre_stack::{Entry, Stack, Way};
use nacre_symbolic::guide::Guide;
use nacre_symbolic::Unsupported;

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

/// The path of a way that an event has taken.
///
/// # Errors
/// Why it is none, and in which handler that was found.
pub(crate) fn followed(stack: &Stack, way: &Way) -> Result<Path, (Unsupported, String)> {
    let mut step = Step::new(stack, Guide::following(way.sides.clone()));
    let ran = step.run(way.entry);
    let strayed = step.guide().has_strayed().then(|| Unsupported { what: "another way".into() });
    match ran.err().or(strayed) {
        Some(why) => Err((why, step.place())),
        None => Ok(step.path(way.entry)),
    }
}

/// Searches the ways of an entry in depth, and calls `meet` with each that takes exactly `unlikely` unlikely sides.
/// Ends when `meet` returns false, after `most` ways, or when there are no more. Returns the number of ways it
/// followed, which includes those with fewer unlikely sides.
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
