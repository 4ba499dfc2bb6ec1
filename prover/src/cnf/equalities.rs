//! Equalities of arrays. One that is false has a witness: an index at which the elements differ. Where it is true, the
//! elements at all indices of this and connected arrays are equal.

use std::collections::{BTreeSet, HashMap};

use nacre_symbolic::terms::{Node, Op, Sort, Term, Terms};

use super::arrays::{Index, Reads, Words};
use super::gates::{Gates, Lit, FALSE, TRUE};

/// Where the truth of an equality is used. What is not used needs no clauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// A model could need it to be true.
    pub positive: bool,
    /// A model could need it to be false.
    pub negative: bool,
}

/// The equalities of arrays in a formula.
#[derive(Debug, Default)]
pub struct Equalities {
    pairs: Vec<(Term, Term)>,
    known: HashMap<(Term, Term), (Lit, Uses)>,
}

impl Equalities {
    /// The literal of an equality, which is used so.
    pub fn literal(&mut self, gates: &mut Gates, a: Term, b: Term, uses: Uses) -> Lit {
        let pair = (a.min(b), a.max(b));
        let (literal, all) = self.known.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            (gates.fresh(), Uses::default())
        });
        all.positive |= uses.positive;
        all.negative |= uses.negative;
        *literal
    }

    /// Adds the clauses of all equalities. `arrays` are all terms of the formula; their parts are encoded.
    ///
    /// # Errors
    /// An array cannot be read.
    pub fn define(
        &self,
        gates: &mut Gates,
        reads: &mut Reads,
        known: (&Terms, &Words),
        all: &[Term],
    ) -> Result<(), String> {
        let mut groups = Groups::of(known.0, all, &self.pairs);
        let mut indices = indices(reads, known, all, &mut groups);
        for pair in &self.pairs {
            let (literal, uses) = self.known[pair];
            let Sort::Array(index, _) = known.0.sort(pair.0) else { continue };
            if uses.negative {
                let witness = reads.index(gates.fresh_word(index));
                indices.entry(groups.head(pair.0)).or_default().insert(witness);
                let (one, other) =
                    (reads.read(gates, known, pair.0, witness)?, reads.read(gates, known, pair.1, witness)?);
                let same = gates.equal(&one, &other);
                gates.clause(&[literal, -same]);
            }
        }
        for pair in self.pairs.iter().filter(|pair| self.known[pair].1.positive) {
            let literal = self.known[pair].0;
            for index in indices.get(&groups.head(pair.0)).into_iter().flatten() {
                let (one, other) =
                    (reads.read(gates, known, pair.0, *index)?, reads.read(gates, known, pair.1, *index)?);
                gates.equal_if(literal, &one, &other);
            }
        }
        Ok(())
    }
}

/// The indices that occur, by the group of their arrays.
fn indices(
    reads: &mut Reads,
    (terms, words): (&Terms, &Words),
    all: &[Term],
    groups: &mut Groups,
) -> HashMap<Term, BTreeSet<Index>> {
    let mut found: HashMap<Term, BTreeSet<Index>> = HashMap::new();
    for term in all {
        match terms.node(*term) {
            Node::Apply(Op::Select | Op::Store, parts) => {
                if let Some(word) = words.get(&parts[1]) {
                    found.entry(groups.head(parts[0])).or_default().insert(reads.index(word.clone()));
                }
            }
            // No other index may be left at which its element stands: where there are few, all of them count.
            Node::Filled(width @ ..=FEW, _) => {
                for index in 0..1u32 << width {
                    let bits = (0..*width).map(|bit| if index >> bit & 1 == 1 { TRUE } else { FALSE });
                    found.entry(groups.head(*term)).or_default().insert(reads.index(bits.collect()));
                }
            }
            _ => {}
        }
    }
    found
}

/// The width of an index of which there are few.
const FEW: u32 = 3;

/// Arrays that are made of one another, or compared: each has a head.
struct Groups(HashMap<Term, Term>);

impl Groups {
    fn of(terms: &Terms, all: &[Term], pairs: &[(Term, Term)]) -> Groups {
        let mut groups = Groups(HashMap::new());
        for term in all.iter().filter(|term| matches!(terms.sort(**term), Sort::Array(..))) {
            match terms.node(*term) {
                Node::Apply(Op::Store, parts) => groups.join(*term, parts[0]),
                Node::Apply(Op::If, parts) => {
                    groups.join(*term, parts[1]);
                    groups.join(*term, parts[2]);
                }
                _ => {}
            }
        }
        pairs.iter().for_each(|(a, b)| groups.join(*a, *b));
        groups
    }

    fn head(&mut self, term: Term) -> Term {
        let mut head = term;
        while let Some(next) = self.0.get(&head) {
            head = *next;
        }
        if head != term {
            self.0.insert(term, head);
        }
        head
    }

    fn join(&mut self, a: Term, b: Term) {
        let (a, b) = (self.head(a), self.head(b));
        if a != b {
            self.0.insert(a.max(b), a.min(b));
        }
    }
}
