//! Candidates for invariants of a layer: clauses of its atoms that hold in all states that were observed.
//!
//! A clause of two or three literals is a candidate only if observations refute each shorter part of it: what a part
//! implies adds nothing. A candidate that is not inductive is made weaker by one more literal ([`weaker`]).

use std::collections::BTreeSet;

use nacre_stack::{BinaryOp, Expr, ExprKind, Span, Type, UnaryOp};

use crate::atoms::{compare, Atom};

/// The most candidates of each form.
const MOST_UNITS: usize = 120;
const MOST_SAME: usize = 40;
const MOST_PAIRS: usize = 160;
const MOST_TRIPLES: usize = 80;
/// The most that are weaker ones of others.
const MOST_WEAKER: usize = 160;

/// An atom by its place, and whether it holds.
type Literal = (usize, bool);

/// A condition that may be an invariant.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub holds: Expr,
    /// In source terms.
    pub text: String,
    /// The literals of a clause; two clauses where it says that two atoms are the same.
    clauses: Vec<BTreeSet<Literal>>,
}

/// The atoms of a layer with what was observed of them.
struct Candidates<'a> {
    atoms: &'a [Atom],
    /// By atom: the states in which it holds.
    columns: Vec<States>,
    states: usize,
    found: Vec<Candidate>,
}

/// A set of observed states.
#[derive(Clone)]
struct States(Vec<u64>);

impl States {
    fn of(bits: impl Iterator<Item = bool>, count: usize) -> States {
        let mut words = vec![0; count.div_ceil(64)];
        bits.enumerate().filter(|(_, bit)| *bit).for_each(|(at, _)| words[at / 64] |= 1 << (at % 64));
        States(words)
    }

    fn or(&self, other: &States) -> States {
        States(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }
}

/// The candidates of a layer: `observed` has the truth of each atom in each state. None if nothing was observed.
pub fn of_atoms(atoms: &[Atom], observed: &BTreeSet<Vec<bool>>) -> Vec<Candidate> {
    if observed.is_empty() {
        return vec![];
    }
    let column = |at: usize| States::of(observed.iter().map(|state| state.get(at) == Some(&true)), observed.len());
    let columns = (0..atoms.len()).map(column).collect();
    let mut candidates = Candidates { atoms, columns, states: observed.len(), found: vec![] };
    candidates.units();
    candidates.pairs();
    candidates.triples();
    candidates.found
}

impl Candidates<'_> {
    fn column(&self, (at, positive): Literal) -> States {
        match positive {
            true => self.columns[at].clone(),
            false => States::of(
                (0..self.states).map(|state| self.columns[at].0[state / 64] >> (state % 64) & 1 == 0),
                self.states,
            ),
        }
    }

    fn is_all(&self, states: &States) -> bool {
        states.0.iter().map(|word| word.count_ones() as usize).sum::<usize>() == self.states
    }

    /// The literals that are sometimes true and sometimes false, with their states.
    fn literals(&self) -> Vec<(Literal, States)> {
        let atoms = (0..self.atoms.len()).filter(|at| self.atoms[*at].is_literal);
        let literals = atoms.flat_map(|at| [(at, true), (at, false)]).map(|literal| (literal, self.column(literal)));
        literals
            .filter(|(literal, states)| !self.is_all(states) && !self.is_all(&self.column((literal.0, !literal.1))))
            .collect()
    }

    /// What always held alone. Of the bounds of a number, the two closest ones.
    fn units(&mut self) {
        let mut bounds: Vec<(usize, bool, usize)> = vec![];
        let mut order: Vec<usize> = (0..self.atoms.len()).collect();
        // Close upper bounds are small, and close lower ones large.
        order.sort_by_key(|at| {
            self.atoms[*at].bound.map(|(number, upper, k)| (number, if upper { k } else { u64::MAX - k }))
        });
        let mut found = vec![];
        for at in order {
            for literal in [(at, true), (at, false)] {
                let atom = &self.atoms[at];
                if !(literal.1 || atom.is_literal) || !self.is_all(&self.column(literal)) {
                    continue;
                }
                if let Some((number, upper, _)) = atom.bound {
                    match bounds.iter_mut().find(|(other, side, _)| (*other, *side) == (number, upper)) {
                        Some((_, _, count)) if *count >= 2 => continue,
                        Some((_, _, count)) => *count += 1,
                        None => bounds.push((number, upper, 1)),
                    }
                }
                found.push(clause(self.atoms, &[literal]));
            }
        }
        found.truncate(MOST_UNITS);
        self.found.extend(found);
    }

    fn pairs(&mut self) {
        let literals = self.literals();
        let (mut same, mut pairs) = (vec![], vec![]);
        for (at, (one, states)) in literals.iter().enumerate() {
            for (other, others) in literals[at + 1..].iter().filter(|(other, _)| other.0 != one.0) {
                if !self.is_all(&states.or(others)) {
                    continue;
                }
                let back = self.column((one.0, !one.1)).or(&self.column((other.0, !other.1)));
                match self.is_all(&back) {
                    // Each pair of literals is met in both forms.
                    true if one.1 => same.push(self.same(*one, (other.0, !other.1))),
                    true => {}
                    false => pairs.push(clause(self.atoms, &[*one, *other])),
                }
            }
        }
        for (one, states) in &literals {
            let mut bounds = BTreeSet::new();
            for at in (0..self.atoms.len()).filter(|at| !self.atoms[*at].is_literal) {
                let holds = !self.is_all(&self.columns[at]) && self.is_all(&states.or(&self.columns[at]));
                if holds && self.atoms[at].bound.is_none_or(|(number, upper, _)| bounds.insert((number, upper))) {
                    pairs.push(clause(self.atoms, &[*one, (at, true)]));
                }
            }
        }
        same.truncate(MOST_SAME);
        pairs.truncate(MOST_PAIRS);
        self.found.extend(same);
        self.found.extend(pairs);
    }

    fn triples(&mut self) {
        let literals = self.literals();
        let mut triples = vec![];
        for (at, (one, states)) in literals.iter().enumerate() {
            for (next, (other, others)) in literals.iter().enumerate().skip(at + 1) {
                let both = states.or(others);
                if one.0 == other.0 || self.is_all(&both) {
                    continue;
                }
                for (third, more) in literals[next + 1..].iter().filter(|(third, _)| third.0 != other.0) {
                    let is_shorter = self.is_all(&states.or(more)) || self.is_all(&others.or(more));
                    if !is_shorter && self.is_all(&both.or(more)) {
                        triples.push(clause(self.atoms, &[*one, *other, *third]));
                    }
                }
            }
        }
        triples.truncate(MOST_TRIPLES);
        self.found.extend(triples);
    }

    fn same(&self, one: Literal, other: Literal) -> Candidate {
        let grouped = |literal| match text(self.atoms, literal) {
            text if text.contains(' ') => format!("({text})"),
            text => text,
        };
        let sides = [one, other].map(|literal| expr(self.atoms, literal));
        let [a, b] = sides;
        let not = |(at, positive): Literal| (at, !positive);
        Candidate {
            holds: compare(BinaryOp::Equal, a, b),
            text: format!("{} == {}", grouped(one), grouped(other)),
            clauses: vec![BTreeSet::from([one, not(other)]), BTreeSet::from([not(one), other])],
        }
    }
}

/// Weaker forms of candidates that are not inductive: with one literal more, unless one that is kept implies it.
pub fn weaker(atoms: &[Atom], refuted: &[&Candidate], kept: &[&Candidate]) -> Vec<Candidate> {
    let is_implied =
        |clause: &BTreeSet<Literal>| kept.iter().flat_map(|one| &one.clauses).any(|other| other.is_subset(clause));
    let mut found: Vec<Candidate> = vec![];
    for old in refuted.iter().flat_map(|one| &one.clauses).filter(|clause| clause.len() < 3) {
        for at in (0..atoms.len()).filter(|at| atoms[*at].is_literal && !old.iter().any(|(other, _)| other == at)) {
            for literal in [(at, true), (at, false)] {
                let mut new: Vec<Literal> = old.iter().copied().collect();
                new.insert(0, literal);
                let new = clause(atoms, &new);
                if !is_implied(&new.clauses[0]) && !found.iter().any(|other| other.clauses == new.clauses) {
                    found.push(new);
                }
            }
        }
        if found.len() >= MOST_WEAKER {
            break;
        }
    }
    found.truncate(MOST_WEAKER);
    found
}

fn clause(atoms: &[Atom], literals: &[Literal]) -> Candidate {
    let parts = literals.iter().map(|literal| expr(atoms, *literal));
    let either = |a, b| compare(BinaryOp::Either, a, b);
    let holds = parts.reduce(either).expect("a clause has literals");
    let texts: Vec<String> = literals.iter().map(|literal| text(atoms, *literal)).collect();
    Candidate { holds, text: texts.join(" || "), clauses: vec![literals.iter().copied().collect()] }
}

fn expr(atoms: &[Atom], (at, positive): Literal) -> Expr {
    let holds = atoms[at].holds.clone();
    match positive {
        true => holds,
        false => Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(holds)), Type::Bool, Span::default()),
    }
}

fn text(atoms: &[Atom], (at, positive): Literal) -> String {
    if positive { &atoms[at].text } else { &atoms[at].negated }.clone()
}
