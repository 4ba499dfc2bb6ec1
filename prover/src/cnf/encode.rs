//! Goals as formulas.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use nacre_symbolic::terms::{Goal, Node, Op, Sort, Term, Terms};

use super::arrays::{Reads, Words};
use super::equalities::{Equalities, Uses};
use super::gates::{Gates, Lit, FALSE, MOST_CLAUSES, TRUE};
use super::words::{complement, sign, Word};

/// A formula in conjunctive normal form.
#[derive(Debug)]
pub struct Cnf {
    gates: Gates,
    /// The free constants, by name and number, with their bits.
    constants: Vec<(String, Word)>,
}

impl Cnf {
    /// The negation of a goal: the formula has a model whenever the assumptions and the negated claim have one.
    ///
    /// # Errors
    /// Why it cannot be encoded.
    pub fn of_goal(terms: &Terms, goal: &Goal) -> Result<Cnf, String> {
        let mut encoder = Encoder::new(terms, goal);
        encoder.encode_all()?;
        for assumption in &goal.assumptions {
            let holds = encoder.literal(*assumption)?;
            encoder.gates.clause(&[holds]);
        }
        let claimed = encoder.literal(goal.claim)?;
        encoder.gates.clause(&[-claimed]);
        encoder.relate_calls()?;
        encoder.equalities.define(&mut encoder.gates, &mut encoder.reads, (terms, &encoder.words), &encoder.all)?;
        encoder.reads.relate(&mut encoder.gates);
        if encoder.gates.is_full() {
            return Err(format!("its formula has more than {MOST_CLAUSES} clauses"));
        }
        let constants = encoder.constants();
        Ok(Cnf { gates: encoder.gates, constants })
    }

    /// How many clauses it has.
    pub fn clauses(&self) -> usize {
        self.gates.count()
    }

    /// In DIMACS format. Comments name the goal and the variables of the free constants, the lowest bit first.
    pub fn dimacs(&self, name: &str) -> String {
        let mut text = format!("c {}\n", name.replace('\n', " "));
        for (name, bits) in &self.constants {
            if let (Some(first), Some(last)) = (bits.first(), bits.last()) {
                let _ = writeln!(text, "c {}: {first}..{last}", name.replace('\n', " "));
            }
        }
        let _ = writeln!(text, "p cnf {} {}", self.gates.variables(), self.gates.count());
        for lit in self.gates.clauses() {
            let _ = write!(text, "{lit}{}", if *lit == 0 { '\n' } else { ' ' });
        }
        text
    }
}

/// The applications of a function of these sorts.
type Function = (String, Sort, Vec<Sort>);

struct Encoder<'t> {
    terms: &'t Terms,
    /// All terms of the goal, parts before what is made of them.
    all: Vec<Term>,
    /// How formulas are used.
    uses: HashMap<Term, Uses>,
    gates: Gates,
    words: Words,
    reads: Reads,
    equalities: Equalities,
    divisions: HashMap<(bool, Term, Term), (Word, Word)>,
}

impl Encoder<'_> {
    fn new<'t>(terms: &'t Terms, goal: &Goal) -> Encoder<'t> {
        let (mut open, mut seen) = (goal.assumptions.clone(), BTreeSet::new());
        open.push(goal.claim);
        while let Some(term) = open.pop() {
            if seen.insert(term) {
                open.extend(terms.node(term).parts());
            }
        }
        // A term is made after its parts, and terms are in the order in which they were made.
        let all: Vec<Term> = seen.into_iter().collect();
        Encoder {
            terms,
            uses: uses(terms, goal, &all),
            all,
            gates: Gates::new(),
            words: HashMap::new(),
            reads: Reads::default(),
            equalities: Equalities::default(),
            divisions: HashMap::new(),
        }
    }

    fn encode_all(&mut self) -> Result<(), String> {
        for term in self.all.clone() {
            let sort = self.terms.sort(term);
            let width = match sort {
                Sort::Bool => 1,
                Sort::Bits(width) => width as usize,
                Sort::Array(..) => continue,
            };
            let word = self.encoded(term)?;
            if word.len() != width {
                return Err(format!("a term of {width} bits became {}", word.len()));
            }
            if self.gates.is_full() {
                return Err(format!("its formula has more than {MOST_CLAUSES} clauses"));
            }
            self.words.insert(term, word);
        }
        Ok(())
    }

    fn word(&self, term: Term) -> Result<&Word, String> {
        self.words.get(&term).ok_or_else(|| "a term is used before it is encoded".into())
    }

    fn literal(&self, term: Term) -> Result<Lit, String> {
        self.word(term)?.first().copied().ok_or_else(|| "a formula has no bits".into())
    }

    /// The word of a term whose parts have been encoded.
    fn encoded(&mut self, term: Term) -> Result<Word, String> {
        let terms = self.terms;
        Ok(match terms.node(term) {
            Node::Truth(value) => vec![constant(*value)],
            Node::Bits(width, value) => (0..*width).map(|at| constant(at < 128 && value >> at & 1 == 1)).collect(),
            Node::Free(..) | Node::Call(..) => self.gates.fresh_word(terms.width(term).max(1)),
            Node::Filled(..) => return Err("an array has no word".into()),
            Node::Apply(Op::Select, parts) => {
                let index = self.word(parts[1])?.clone();
                let index = self.reads.index(index);
                self.reads.read(&mut self.gates, (terms, &self.words), parts[0], index)?
            }
            Node::Apply(Op::Equal, parts) if matches!(terms.sort(parts[0]), Sort::Array(..)) => {
                let uses = self.uses.get(&term).copied().unwrap_or_default();
                vec![self.equalities.literal(&mut self.gates, parts[0], parts[1], uses)]
            }
            Node::Apply(op @ (Op::UDiv | Op::URem | Op::SDiv | Op::SRem), parts) => {
                let (quotient, rest) = self.divided(matches!(op, Op::SDiv | Op::SRem), parts[0], parts[1])?;
                if matches!(op, Op::UDiv | Op::SDiv) {
                    quotient
                } else {
                    rest
                }
            }
            Node::Apply(op, parts) => {
                let words =
                    parts.iter().map(|part| self.word(*part).cloned()).collect::<Result<Vec<Word>, String>>()?;
                applied(&mut self.gates, *op, &words)?
            }
        })
    }

    /// A division and its remainder are encoded once.
    fn divided(&mut self, signed: bool, a: Term, b: Term) -> Result<(Word, Word), String> {
        if let Some(found) = self.divisions.get(&(signed, a, b)) {
            return Ok(found.clone());
        }
        let (left, right) = (self.word(a)?.clone(), self.word(b)?.clone());
        let result = match signed {
            true => self.gates.divide_signed(&left, &right),
            false => self.gates.divide(&left, &right),
        };
        self.divisions.insert((signed, a, b), result.clone());
        Ok(result)
    }

    /// Adds clauses: equal operands of a function give equal results.
    fn relate_calls(&mut self) -> Result<(), String> {
        let mut functions: BTreeMap<String, Vec<(Term, Vec<Term>)>> = BTreeMap::new();
        for term in &self.all {
            if let Node::Call(name, result, arguments) = self.terms.node(*term) {
                let sorts = arguments.iter().map(|argument| self.terms.sort(*argument)).collect();
                let function: Function = (name.clone(), *result, sorts);
                functions.entry(format!("{function:?}")).or_default().push((*term, arguments.clone()));
            }
        }
        for calls in functions.values() {
            for (at, one) in calls.iter().enumerate() {
                for other in &calls[..at] {
                    self.relate(one, other)?;
                }
            }
        }
        Ok(())
    }

    fn relate(&mut self, one: &(Term, Vec<Term>), other: &(Term, Vec<Term>)) -> Result<(), String> {
        if self.gates.is_full() {
            return Ok(());
        }
        let mut same = vec![];
        for (a, b) in one.1.iter().zip(&other.1).filter(|(a, b)| a != b) {
            let is_equal = match self.terms.sort(*a) {
                Sort::Array(..) => {
                    let uses = Uses { positive: false, negative: true };
                    self.equalities.literal(&mut self.gates, *a, *b, uses)
                }
                Sort::Bool | Sort::Bits(_) => {
                    let (a, b) = (self.word(*a)?.clone(), self.word(*b)?.clone());
                    self.gates.equal(&a, &b)
                }
            };
            if is_equal == FALSE {
                return Ok(());
            }
            same.push(is_equal);
        }
        let same = self.gates.all(&same);
        match self.terms.sort(one.0) {
            Sort::Array(..) => {
                let uses = Uses { positive: true, negative: false };
                let equal = self.equalities.literal(&mut self.gates, one.0, other.0, uses);
                self.gates.clause(&[-same, equal]);
            }
            Sort::Bool | Sort::Bits(_) => {
                let (a, b) = (self.word(one.0)?.clone(), self.word(other.0)?.clone());
                self.gates.equal_if(same, &a, &b);
            }
        }
        Ok(())
    }

    fn constants(&self) -> Vec<(String, Word)> {
        let constant = |term: &Term| match self.terms.node(*term) {
            Node::Free(name, number, _) => Some((format!("{name}@{number}"), self.words.get(term)?.clone())),
            _ => None,
        };
        self.all.iter().filter_map(constant).collect()
    }
}

fn constant(value: bool) -> Lit {
    if value {
        TRUE
    } else {
        FALSE
    }
}

/// An operation on words that needs no more than these.
fn applied(gates: &mut Gates, op: Op, words: &[Word]) -> Result<Word, String> {
    let bits = |words: &[Word]| words.iter().flatten().copied().collect::<Vec<Lit>>();
    Ok(match (op, words) {
        (Op::And, parts) => vec![gates.all(&bits(parts))],
        (Op::Or, parts) => vec![gates.any(&bits(parts))],
        (Op::Not | Op::BvNot, [a]) => complement(a),
        (Op::BvNeg, [a]) => gates.negate(a),
        (Op::Count, [a]) => gates.count_ones(a),
        (Op::Extract(high, low), [a]) => a.get(low as usize..=high as usize).ok_or("bits beyond a word")?.to_vec(),
        (Op::ZeroExtend(by), [a]) => extended(a, by, FALSE),
        (Op::SignExtend(by), [a]) => extended(a, by, sign(a)),
        (Op::If, [condition, a, b]) => gates.choose_word(*condition.first().ok_or("a formula has no bits")?, a, b),
        (Op::Concat, [a, b]) => b.iter().chain(a).copied().collect(),
        (op, [a, b]) if a.len() == b.len() => pairwise(gates, op, a, b)?,
        _ => return Err(format!("an operation of unknown form: {op:?}")),
    })
}

/// An operation on two words of one width.
fn pairwise(gates: &mut Gates, op: Op, a: &[Lit], b: &[Lit]) -> Result<Word, String> {
    let pairs = || a.iter().zip(b);
    Ok(match op {
        Op::Equal => vec![gates.equal(a, b)],
        Op::BvAnd => pairs().map(|(a, b)| gates.and(*a, *b)).collect(),
        Op::BvOr => pairs().map(|(a, b)| gates.or(*a, *b)).collect(),
        Op::BvXor => pairs().map(|(a, b)| gates.xor(*a, *b)).collect(),
        Op::Add => gates.add(a, b),
        Op::Sub => gates.subtract(a, b),
        Op::Mul => gates.multiply(a, b),
        Op::Shl => gates.shift_left(a, b),
        Op::LShr => gates.shift_right(a, b, FALSE),
        Op::AShr => gates.shift_right(a, b, sign(a)),
        Op::ULess => vec![gates.less(a, b)],
        Op::SLess => vec![gates.less_signed(a, b)],
        _ => return Err(format!("an operation of unknown form: {op:?}")),
    })
}

fn extended(a: &[Lit], by: u32, fill: Lit) -> Word {
    a.iter().copied().chain(std::iter::repeat_n(fill, by as usize)).collect()
}

/// How each formula is used in a goal: where its truth, and where its falsehood, could make the negated goal true.
fn uses(terms: &Terms, goal: &Goal, all: &[Term]) -> HashMap<Term, Uses> {
    const BOTH: Uses = Uses { positive: true, negative: true };
    let mut found: HashMap<Term, Uses> = HashMap::new();
    let note = |found: &mut HashMap<Term, Uses>, term: Term, uses: Uses| {
        let all = found.entry(term).or_default();
        all.positive |= uses.positive;
        all.negative |= uses.negative;
    };
    goal.assumptions.iter().for_each(|term| note(&mut found, *term, Uses { positive: true, negative: false }));
    note(&mut found, goal.claim, Uses { positive: false, negative: true });
    for term in all.iter().rev() {
        let here = found.get(term).copied().unwrap_or_default();
        match terms.node(*term) {
            Node::Apply(Op::Not, parts) => {
                note(&mut found, parts[0], Uses { positive: here.negative, negative: here.positive });
            }
            Node::Apply(Op::And | Op::Or, parts) => parts.iter().for_each(|part| note(&mut found, *part, here)),
            node => node.parts().into_iter().for_each(|part| note(&mut found, part, BOTH)),
        }
    }
    found
}
