//! Clauses, and literals that are defined by them. Each definition is made once, and what is constant is calculated.

use std::collections::HashMap;

/// The number of a variable, from 1; negative: its negation.
pub type Lit = i32;

/// The literal that is true.
pub const TRUE: Lit = 1;
/// The literal that is false.
pub const FALSE: Lit = -1;

/// With more clauses than this, a formula is given up.
pub const MOST_CLAUSES: usize = 6_000_000;
/// The same for its variables, which a checker has a limit on.
pub const MOST_VARIABLES: i32 = 4_000_000;

/// A formula, and the definitions in it.
#[derive(Debug)]
pub struct Gates {
    variables: i32,
    /// Each ends with 0.
    clauses: Vec<Lit>,
    count: usize,
    ands: HashMap<(Lit, Lit), Lit>,
    xors: HashMap<(Lit, Lit), Lit>,
    choices: HashMap<(Lit, Lit, Lit), Lit>,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates::new()
    }
}

impl Gates {
    /// Says only that [`TRUE`] is true.
    pub fn new() -> Gates {
        let (ands, xors, choices) = (HashMap::new(), HashMap::new(), HashMap::new());
        Gates { variables: 1, clauses: vec![TRUE, 0], count: 1, ands, xors, choices }
    }

    /// Whether a limit is reached. From then on clauses are left out, and literals mean nothing.
    pub fn is_full(&self) -> bool {
        self.count >= MOST_CLAUSES || self.variables >= MOST_VARIABLES
    }

    /// How many variables there are.
    pub fn variables(&self) -> i32 {
        self.variables
    }

    /// How many clauses there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The literals of all clauses; each clause ends with 0.
    pub fn clauses(&self) -> &[Lit] {
        &self.clauses
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        if self.is_full() {
            return TRUE;
        }
        self.variables += 1;
        self.variables
    }

    /// Adds a clause: one of the literals is true.
    pub fn clause(&mut self, lits: &[Lit]) {
        let mut clause: Vec<Lit> = lits.iter().copied().filter(|lit| *lit != FALSE).collect();
        clause.sort_unstable();
        clause.dedup();
        let is_true = clause.iter().any(|lit| *lit == TRUE || clause.binary_search(&-lit).is_ok());
        if is_true || self.is_full() {
            return;
        }
        self.clauses.extend(clause);
        self.clauses.push(0);
        self.count += 1;
    }

    /// Both.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            _ if a == FALSE || b == FALSE || a == -b => return FALSE,
            _ if a == TRUE || a == b => return b,
            _ if b == TRUE => return a,
            _ => {}
        }
        if let Some(both) = self.ands.get(&(a, b)) {
            return *both;
        }
        let both = self.fresh();
        self.clause(&[-both, a]);
        self.clause(&[-both, b]);
        self.clause(&[both, -a, -b]);
        self.ands.insert((a, b), both);
        both
    }

    /// One of them, or both.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        -self.and(-a, -b)
    }

    /// All of them.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        let mut parts: Vec<Lit> = lits.iter().copied().filter(|lit| *lit != TRUE).collect();
        parts.sort_unstable();
        parts.dedup();
        if parts.iter().any(|lit| *lit == FALSE || parts.binary_search(&-lit).is_ok()) {
            return FALSE;
        }
        // In order, so that equal parts of conjunctions are defined once.
        parts.into_iter().fold(TRUE, |all, part| self.and(all, part))
    }

    /// At least one of them.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|lit| -lit).collect();
        -self.all(&negated)
    }

    /// Exactly one of them.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let sign = if (a < 0) == (b < 0) { 1 } else { -1 };
        let (a, b) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        match (a, b) {
            _ if a == b => return FALSE * sign,
            (TRUE, _) => return -b * sign,
            _ => {}
        }
        if let Some(differ) = self.xors.get(&(a, b)) {
            return *differ * sign;
        }
        let differ = self.fresh();
        for (x, y, both) in [(a, b, -differ), (-a, -b, -differ), (a, -b, differ), (-a, b, differ)] {
            self.clause(&[x, y, both]);
        }
        self.xors.insert((a, b), differ);
        differ * sign
    }

    /// Whether they are equal.
    pub fn same(&mut self, a: Lit, b: Lit) -> Lit {
        -self.xor(a, b)
    }

    /// `a` if the condition holds, otherwise `b`.
    pub fn choose(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        match () {
            () if condition == TRUE || a == b => return a,
            () if condition == FALSE => return b,
            () if a == -b => return self.same(condition, a),
            () if a == TRUE || a == condition => return self.or(condition, b),
            () if a == FALSE || a == -condition => return self.and(-condition, b),
            () if b == TRUE || b == -condition => return self.or(-condition, a),
            () if b == FALSE || b == condition => return self.and(condition, a),
            () => {}
        }
        let (condition, a, b) = if condition < 0 { (-condition, b, a) } else { (condition, a, b) };
        if let Some(chosen) = self.choices.get(&(condition, a, b)) {
            return *chosen;
        }
        let chosen = self.fresh();
        let clauses =
            [[-condition, -a, chosen], [-condition, a, -chosen], [condition, -b, chosen], [condition, b, -chosen]];
        clauses.iter().for_each(|clause| self.clause(clause));
        // These follow, and let more be seen by propagation.
        self.clause(&[-a, -b, chosen]);
        self.clause(&[a, b, -chosen]);
        self.choices.insert((condition, a, b), chosen);
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of each variable, where the clauses have exactly one model with these values of the first variables.
    fn model(gates: &Gates, values: &[bool]) -> Vec<bool> {
        let rest = gates.variables() as usize - 1 - values.len();
        let model = |bits: u32| {
            let rest = (0..rest).map(|at| bits >> at & 1 == 1);
            [true].into_iter().chain(values.iter().copied()).chain(rest).collect::<Vec<bool>>()
        };
        let holds = |model: &[bool], lit: Lit| model[lit.unsigned_abs() as usize - 1] == (lit > 0);
        let clauses: Vec<&[Lit]> = gates.clauses().split(|lit| *lit == 0).filter(|clause| !clause.is_empty()).collect();
        let fulfils = |model: &Vec<bool>| clauses.iter().all(|clause| clause.iter().any(|lit| holds(model, *lit)));
        let all: Vec<Vec<bool>> = (0..1 << rest).map(model).filter(fulfils).collect();
        assert_eq!(all.len(), 1, "{values:?}");
        all[0].clone()
    }

    /// All operands: constants, the same literal twice, and negations.
    #[test]
    fn literals_are_what_they_are_defined_to_be() {
        let operands = [TRUE, FALSE, 2, -2, 3, -3, 4, -4];
        for a in operands {
            for b in operands {
                for c in operands {
                    let mut gates = Gates::new();
                    (0..3).for_each(|_| assert!(gates.fresh() > 1));
                    let made = [gates.and(a, b), gates.or(a, b), gates.xor(a, b), gates.choose(c, a, b)];
                    let more = [gates.all(&[a, b, c]), gates.any(&[a, b, c])];
                    for bits in 0..8 {
                        let model = model(&gates, &[0, 1, 2].map(|at| bits >> at & 1 == 1));
                        let value = |lit: Lit| model[lit.unsigned_abs() as usize - 1] == (lit > 0);
                        let (x, y, z) = (value(a), value(b), value(c));
                        let wanted = [x && y, x || y, x != y, if z { x } else { y }];
                        assert_eq!(made.map(value), wanted, "{a} {b} {c}: {x} {y} {z}");
                        assert_eq!(more.map(value), [x && y && z, x || y || z], "{a} {b} {c}: {x} {y} {z}");
                    }
                }
            }
        }
    }
}
