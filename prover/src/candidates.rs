//! Candidates for invariants of a layer: clauses of its atoms that hold in all states that were observed.
//!
//! A clause of two or three literals is a candidate only if observations refute each shorter part of it: what a part
//! implies adds nothing. A candidate that is not inductive is made weaker by one more literal ([`weaker`]).

use std::collections::{BTreeMap, BTreeSet};

use nacre_stack::{BinaryOp, Expr, ExprKind, Span, Type, UnaryOp};

use crate::atoms::{compare, Atom, Form};

/// The most candidates of each form.
const MOST_UNITS: usize = 60;
const MOST_SAME: usize = 20;
const MOST_PAIRS: usize = 60;
const MOST_TRIPLES: usize = 30;
/// The most that are weaker ones of others.
const MOST_WEAKER: usize = 100;
/// How many literals make one candidate weaker.
const EXCEPTIONS: usize = 6;

/// An atom by its place, and whether it holds.
type Literal = (usize, bool);
/// Literals of which one holds.
type Clause = BTreeSet<Literal>;

/// A condition that may be an invariant.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub holds: Expr,
    /// In source terms.
    pub text: String,
    /// The literals of a clause; two clauses where it says that two atoms are the same.
    clauses: Vec<Clause>,
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

    /// What always held alone.
    fn units(&mut self) {
        let all = (0..self.atoms.len()).flat_map(|at| [(at, true), (at, false)]);
        let held: Vec<Literal> = all
            .filter(|(at, positive)| *positive || self.atoms[*at].is_literal)
            .filter(|literal| self.is_all(&self.column(*literal)))
            .collect();
        let mut closest = Closest::default();
        let found = held.iter().filter(|(at, _)| closest.adds(self.atoms, &held, *at));
        let mut found: Vec<Candidate> = found.map(|literal| clause(self.atoms, &[*literal])).collect();
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
            for (at, atom) in self.atoms.iter().enumerate() {
                let is_new = match atom.form {
                    Form::Bound(number, upper, _) => !bounds.contains(&(number, upper)),
                    Form::Same(..) => true,
                    Form::Flag | Form::Order(..) | Form::Distance(..) => false,
                };
                let column = &self.columns[at];
                if is_new && !self.is_all(column) && self.is_all(&states.or(column)) {
                    if let Form::Bound(number, upper, _) = atom.form {
                        bounds.insert((number, upper));
                    }
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

/// The comparisons that are candidates so far.
#[derive(Default)]
struct Closest {
    bounds: BTreeMap<(usize, bool), u32>,
    distances: BTreeMap<(usize, usize), u32>,
    /// The second of two equal numbers.
    copies: BTreeSet<usize>,
}

impl Closest {
    /// The most constants that one number, or one distance, is compared with.
    const MOST: u32 = 2;

    /// Whether an atom that held is a candidate: not if it follows from another one of a simpler form.
    fn adds(&mut self, atoms: &[Atom], held: &[Literal], at: usize) -> bool {
        let count = |count: &mut u32| {
            *count += 1;
            *count <= Closest::MOST
        };
        match atoms[at].form {
            Form::Flag => true,
            Form::Bound(number, upper, _) => count(self.bounds.entry((number, upper)).or_default()),
            Form::Same(a, b) => {
                let is_new = !self.copies.contains(&a);
                self.copies.insert(b);
                is_new
            }
            Form::Order(a, b) => !self.copies.contains(&a) && !self.copies.contains(&b),
            Form::Distance(a, b, _) => {
                let is_order = |(other, _): &Literal| atoms[*other].form == Form::Order(b, a);
                let is_copy = self.copies.contains(&a) || self.copies.contains(&b);
                !is_copy && held.iter().any(is_order) && count(self.distances.entry((a, b)).or_default())
            }
        }
    }
}

/// Weaker forms of candidates that are not inductive: with one literal more, unless one that is kept implies it. The
/// literals that rarely held are exceptions, so they come first.
pub fn weaker(
    atoms: &[Atom],
    observed: &BTreeSet<Vec<bool>>,
    refuted: &[Candidate],
    kept: &[Candidate],
) -> Vec<Candidate> {
    let is_implied = |clause: &Clause| kept.iter().flat_map(|one| &one.clauses).any(|other| other.is_subset(clause));
    let flags = (0..atoms.len()).filter(|at| atoms[*at].is_literal);
    let mut literals: Vec<Literal> = flags.flat_map(|at| [(at, true), (at, false)]).collect();
    literals.sort_by_key(|(at, holds)| observed.iter().filter(|state| state.get(*at) == Some(holds)).count());
    let mut clauses: Vec<&Clause> = refuted.iter().flat_map(|one| &one.clauses).filter(|one| one.len() < 3).collect();
    // Two flags are the usual form.
    clauses.sort_by_key(|clause| (clause.len() != 2, clause.iter().any(|(at, _)| !atoms[*at].is_literal)));
    let mut found: Vec<Candidate> = vec![];
    for old in clauses {
        let others = literals.iter().filter(|(at, _)| !old.iter().any(|(other, _)| other == at));
        for literal in others.take(EXCEPTIONS) {
            let new: Vec<Literal> = old.iter().chain([literal]).copied().collect();
            let new = clause(atoms, &new);
            if !is_implied(&new.clauses[0]) && !found.iter().any(|other| other.clauses == new.clauses) {
                found.push(new);
            }
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
