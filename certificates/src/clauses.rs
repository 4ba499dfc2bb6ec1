//! Clauses, and unit propagation with two watched literals.

use std::collections::HashMap;

use crate::files::Literal;

/// A literal as an index: twice the variable, one more if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Lit(u32);

impl Lit {
    fn of(literal: Literal) -> Lit {
        Lit(literal.unsigned_abs() * 2 + u32::from(literal < 0))
    }

    fn negated(self) -> Lit {
        Lit(self.0 ^ 1)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A clause that watches a literal.
#[derive(Clone, Copy, Debug)]
struct Watch {
    clause: u32,
    /// Another literal of it: where it is true, the clause need not be looked at.
    other: Lit,
}

/// A set of clauses, with the literals that propagation makes true.
#[derive(Debug, Default)]
pub struct Clauses {
    /// Of each clause its literals; the first two are watched. Empty: it is deleted, or has been used up.
    clauses: Vec<Vec<Lit>>,
    /// The clauses with these literals, in order, that are not deleted.
    places: HashMap<Vec<Lit>, Vec<u32>>,
    /// By literal: the clauses that watch it.
    watches: Vec<Vec<Watch>>,
    /// By literal: whether it is true.
    holds: Vec<bool>,
    /// The literals that are true, in the order in which they became so.
    trail: Vec<Lit>,
    /// How many of them have been propagated.
    propagated: usize,
    is_contradiction: bool,
}

impl Clauses {
    /// No clauses over variables from 1 to this number.
    pub fn new(variables: usize) -> Clauses {
        let literals = 2 * variables + 2;
        Clauses { watches: vec![vec![]; literals], holds: vec![false; literals], ..Clauses::default() }
    }

    /// Whether propagation has shown that no assignment fulfils all clauses.
    pub fn is_contradiction(&self) -> bool {
        self.is_contradiction
    }

    /// Whether a clause follows by reverse unit propagation: its literals cannot all be false.
    pub fn implies(&mut self, clause: &[Literal]) -> bool {
        if self.is_contradiction {
            return true;
        }
        let before = self.trail.len();
        let follows = clause.iter().any(|literal| !self.make_true(Lit::of(*literal).negated())) || !self.propagate();
        for lit in self.trail.drain(before..) {
            self.holds[lit.index()] = false;
        }
        self.propagated = before;
        follows
    }

    /// Adds a clause, and propagates.
    pub fn add(&mut self, clause: &[Literal]) {
        let mut lits = normal(clause);
        let number = self.clauses.len() as u32;
        self.places.entry(lits.clone()).or_default().push(number);
        // What is true or false here stays so: two literals that are not false are watched, if there are two.
        lits.sort_by_key(|lit| self.holds[lit.negated().index()]);
        let open = lits.iter().filter(|lit| !self.holds[lit.negated().index()]).count();
        match (open, &lits[..]) {
            (0, _) => self.is_contradiction = true,
            (1, [unit, ..]) => {
                let unit = *unit;
                self.is_contradiction |= !self.make_true(unit) || !self.propagate();
            }
            (_, [one, other, ..]) => {
                self.watches[one.index()].push(Watch { clause: number, other: *other });
                self.watches[other.index()].push(Watch { clause: number, other: *one });
            }
            (_, _) => {}
        }
        self.clauses.push(if open > 1 { lits } else { vec![] });
    }

    /// Deletes a clause; false if it is not there. What it has made true stays so: that follows from the formula.
    pub fn delete(&mut self, clause: &[Literal]) -> bool {
        let Some(places) = self.places.get_mut(&normal(clause)) else { return false };
        let Some(place) = places.pop() else { return false };
        self.clauses[place as usize] = vec![];
        true
    }

    /// False if the literal is false.
    fn make_true(&mut self, lit: Lit) -> bool {
        if self.holds[lit.negated().index()] {
            return false;
        }
        if !self.holds[lit.index()] {
            self.holds[lit.index()] = true;
            self.trail.push(lit);
        }
        true
    }

    /// Makes true what unit clauses demand; false on a contradiction.
    fn propagate(&mut self) -> bool {
        while let Some(lit) = self.trail.get(self.propagated).copied() {
            self.propagated += 1;
            if !self.visit(lit.negated()) {
                return false;
            }
        }
        true
    }

    /// Looks at the clauses that watch a literal that is false now.
    fn visit(&mut self, lit: Lit) -> bool {
        let mut watches = std::mem::take(&mut self.watches[lit.index()]);
        let (mut kept, mut consistent) = (0, true);
        for at in 0..watches.len() {
            let watch = watches[at];
            if !consistent || self.holds[watch.other.index()] {
                watches[kept] = watch;
                kept += 1;
                continue;
            }
            let Some(other) = self.move_watch(watch.clause, lit) else { continue };
            watches[kept] = Watch { clause: watch.clause, other };
            kept += 1;
            consistent = self.make_true(other);
        }
        watches.truncate(kept);
        self.watches[lit.index()] = watches;
        consistent
    }

    /// Lets a clause watch another literal that is not false. If it has none: the other watched one, which must be
    /// true. None as well if the clause is deleted.
    fn move_watch(&mut self, number: u32, from: Lit) -> Option<Lit> {
        let clause = &mut self.clauses[number as usize];
        if clause.is_empty() {
            return None;
        }
        if clause[0] == from {
            clause.swap(0, 1);
        }
        let first = clause[0];
        let holds = &self.holds;
        let Some(at) = (2..clause.len()).find(|at| !holds[clause[*at].negated().index()]) else { return Some(first) };
        clause.swap(1, at);
        self.watches[clause[1].index()].push(Watch { clause: number, other: first });
        None
    }
}

/// The literals in order, each once.
fn normal(clause: &[Literal]) -> Vec<Lit> {
    let mut lits: Vec<Lit> = clause.iter().copied().map(Lit::of).collect();
    lits.sort_unstable();
    lits.dedup();
    lits
}
