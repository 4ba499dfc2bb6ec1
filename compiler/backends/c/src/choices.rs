//! Which of several bypasses takes an event: a tree of their conditions, in which what several of them ask is asked
//! once.

use crate::code::Code;

/// A bypass, and the parts of its condition in C.
pub type Candidate = (usize, Vec<String>);

/// A step of the choice. Steps stand in a row; the first that leads to a bypass decides.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    /// This bypass takes the event.
    Take(usize),
    /// Where all of these hold, it goes on with others.
    If(Vec<String>, Vec<Choice>),
}

/// Whether a part is among others.
fn has(parts: &[String], part: &str) -> bool {
    parts.iter().any(|one| one == part)
}

/// The choice of the first candidate whose condition holds. Its parts have no effects, so they may be asked in any
/// order.
fn choose(mut candidates: &[Candidate]) -> Vec<Choice> {
    let mut row = vec![];
    while let Some((first, parts)) = candidates.first() {
        // Of the parts of the first, the one that most of those behind it have as well.
        let shared = |part: &String| candidates.iter().take_while(|(_, other)| has(other, part)).count();
        let Some(most) = parts.iter().map(shared).max() else {
            row.push(Choice::Take(*first));
            break;
        };
        let asked: Vec<String> = parts.iter().filter(|part| shared(part) == most).cloned().collect();
        let rest = |(at, other): &Candidate| {
            let left = other.iter().filter(|part| !has(&asked, part)).cloned().collect();
            (*at, left)
        };
        let (behind, others) = (&candidates[..most], &candidates[most..]);
        row.push(Choice::If(asked.clone(), choose(&behind.iter().map(rest).collect::<Vec<_>>())));
        candidates = others;
    }
    row
}

/// Writes code that chooses the first candidate whose condition holds; it goes on if none does. `likely`: the macro for
/// conditions that are expected to hold. `take`: writes what is done then, once for each candidate.
pub fn write(candidates: &[Candidate], likely: &str, code: &mut Code, take: &dyn Fn(usize, &mut Code)) {
    write_row(&choose(candidates), likely, code, take);
}

fn write_row(row: &[Choice], likely: &str, code: &mut Code, take: &dyn Fn(usize, &mut Code)) {
    for choice in row {
        match choice {
            Choice::Take(at) => take(*at, code),
            Choice::If(parts, then) => {
                code.open(format!("if ({likely}({})) {{", parts.join(" && ")));
                write_row(then, likely, code, take);
                code.close("}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: u32 = 4;

    fn candidates(sets: &[u32]) -> Vec<Candidate> {
        let parts = |set: u32| (0..PARTS).filter(|part| set >> part & 1 == 1).map(|part| part.to_string()).collect();
        sets.iter().enumerate().map(|(at, set)| (at, parts(*set))).collect()
    }

    fn holds(part: &str, true_parts: u32) -> bool {
        true_parts >> part.parse::<u32>().expect("a number") & 1 == 1
    }

    fn chosen(row: &[Choice], true_parts: u32) -> Option<usize> {
        row.iter().find_map(|choice| match choice {
            Choice::Take(at) => Some(*at),
            Choice::If(parts, then) if parts.iter().all(|part| holds(part, true_parts)) => chosen(then, true_parts),
            Choice::If(..) => None,
        })
    }

    /// All sequences of three conditions of four parts, where each part holds or not.
    #[test]
    fn the_first_whose_condition_holds_is_chosen() {
        let mut taken = 0;
        for code in 0..1u32 << (3 * PARTS) {
            let sets: Vec<u32> = (0..3).map(|at| code >> (at * PARTS) & ((1 << PARTS) - 1)).collect();
            let tree = choose(&candidates(&sets));
            for true_parts in 0..1 << PARTS {
                let first = sets.iter().position(|set| set & !true_parts == 0);
                assert_eq!(chosen(&tree, true_parts), first, "{sets:?} where {true_parts:b} holds");
                taken += usize::from(first.is_some());
            }
        }
        assert!(taken > 1000);
    }

    #[test]
    fn what_is_shared_is_asked_once() {
        let tree = choose(&candidates(&[0b0111, 0b1011, 0b0011]));
        let asked = |part: u32| {
            fn count(row: &[Choice], name: &str) -> usize {
                let of = |choice: &Choice| match choice {
                    Choice::Take(_) => 0,
                    Choice::If(parts, then) => parts.iter().filter(|p| *p == name).count() + count(then, name),
                };
                row.iter().map(of).sum()
            }
            count(&tree, &part.to_string())
        };
        assert_eq!((0..PARTS).map(asked).collect::<Vec<_>>(), [1, 1, 1, 1]);
    }
}
