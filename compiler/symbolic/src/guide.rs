//! Which side of each branch a run takes, and what the conditions tell.

use nacre_stack::Span;

use crate::terms::{Known, Term};

/// A branch whose condition was not decided by those before.
#[derive(Clone, Debug)]
pub struct Branch {
    pub span: Span,
    /// What holds on the path.
    pub holds: Term,
    /// Whether the condition holds, as it was written.
    pub taken: bool,
    pub why: Why,
    /// The side that is tried first; None: the other one is not tried.
    pub(crate) first: Option<bool>,
}

/// Why a side was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The layer marks it as likely, or the other one as unlikely.
    Marked,
    /// It is marked as unlikely, or the other one as likely.
    Unlikely,
    /// The other side drops a message.
    OtherDrops,
    /// The other side begins a loop.
    OtherLoops,
    /// It is no branch: the event would not be taken otherwise.
    Required,
    /// Nothing tells: both sides are paths.
    Either,
    /// The way that is followed takes it.
    Followed,
}

/// The sides that a run takes.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// The sides at the first branches of which both are tried; at later ones it is the first one.
    sides: Vec<bool>,
    /// How many of these branches there were.
    met: usize,
    /// How many unlikely sides it may still take.
    unlikely: u32,
    /// The branches so far.
    pub branches: Vec<Branch>,
    /// What their conditions tell.
    pub known: Known,
    /// The sides of the branches to come, on a way that is followed.
    way: Option<std::vec::IntoIter<bool>>,
    /// Whether the way cannot be followed: a branch is decided otherwise, or there are other branches.
    strays: bool,
    /// What always holds: at least one formula of each of these.
    pub(crate) clauses: Vec<Vec<Term>>,
    /// Whether what is known must decide each branch.
    checks: bool,
    /// Of such a guide: what was decided.
    pub decided: Vec<Term>,
    /// Of such a guide: the first branch that was not, and its condition.
    pub undecided: Option<(Span, Term)>,
}

impl Guide {
    /// A guide for one path of a search. `sides` decides the first branches of which both sides are tried: those where
    /// nothing tells, and marked ones until the path has taken `unlikely` unlikely sides.
    pub fn new(sides: Vec<bool>, unlikely: u32) -> Guide {
        Guide { sides, unlikely, ..Guide::default() }
    }

    /// A guide along the way of an event: the sides of all branches of the code.
    pub fn following(way: Vec<bool>) -> Guide {
        Guide { way: Some(way.into_iter()), ..Guide::default() }
    }

    /// Whether the run took another way than the one that it was to follow.
    pub fn has_strayed(&self) -> bool {
        self.strays || self.way.as_ref().is_some_and(|left| left.len() > 0)
    }

    /// The side of the next branch of the code, on a way that is followed.
    pub(crate) fn followed(&mut self) -> Option<bool> {
        let way = self.way.as_mut()?;
        let next = way.next();
        self.strays |= next.is_none();
        next
    }

    /// A branch that is followed had this side, and took that one.
    pub(crate) fn took(&mut self, side: bool, taken: bool) {
        self.strays |= side != taken;
    }

    /// Takes the sides that what is known decides, and these ones at the first branches at which it does not. What
    /// was decided either way is for others to show.
    pub fn checking(sides: Vec<bool>) -> Guide {
        Guide { checks: true, sides, ..Guide::default() }
    }

    /// The side of the next branch that what is known does not decide.
    pub(crate) fn told(&mut self) -> Option<bool> {
        self.met += 1;
        self.sides.get(self.met - 1).copied()
    }

    /// Whether what is known must decide each branch.
    pub(crate) fn is_checking(&self) -> bool {
        self.checks
    }

    /// At least one of these formulas always holds.
    pub fn always(&mut self, clause: Vec<Term>) {
        self.clauses.push(clause);
    }

    /// The side of a branch: which one, why, and which one is tried first if both are. `tells`: what tells that a side
    /// is the common one.
    pub(crate) fn choose(&mut self, tells: Option<(bool, Why)>) -> (bool, Why, Option<bool>) {
        let first = match tells {
            None => true,
            Some((likely, Why::Marked)) if self.unlikely > 0 => likely,
            Some((side, why)) => return (side, why, None),
        };
        self.met += 1;
        let taken = self.sides.get(self.met - 1).copied().unwrap_or(first);
        let why = match tells {
            None => Why::Either,
            Some(_) if taken == first => Why::Marked,
            Some(_) => {
                self.unlikely -= 1;
                Why::Unlikely
            }
        };
        (taken, why, Some(first))
    }

    /// How many unlikely sides the branches so far took.
    pub fn deviations(&self) -> usize {
        self.branches.iter().filter(|branch| branch.why == Why::Unlikely).count()
    }

    /// The sides of the next path after this one, in the order of a search in depth.
    pub fn next(&self) -> Option<Vec<bool>> {
        let both = self.branches.iter().filter_map(|branch| Some((branch.taken, branch.first?)));
        let mut sides: Vec<(bool, bool)> = both.collect();
        loop {
            let (taken, first) = sides.pop()?;
            if taken == first {
                let before = sides.iter().map(|(taken, _)| *taken);
                return Some(before.chain([!first]).collect());
            }
        }
    }
}
