//! Expressions of Promela as values. Known conditions are simplified when they are built; text is only printed.
//!
//! Numbers are those of automata: never negative. So nothing is below 0, and a condition that says so is known to be
//! false.

use std::fmt;

/// An expression without side effects; booleans are 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    Number(u64),
    /// A variable, an element of an array, a macro with its arguments, or C: text that needs no parentheses.
    Atom(String),
    Not(Box<Term>),
    Binary(Operator, Box<Term>, Box<Term>),
    /// The second if the first holds, otherwise the third.
    Choice(Box<[Term; 3]>),
}

/// Operators in the order of their precedence, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    Or,
    And,
    Equal,
    Less,
    LessEqual,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl Operator {
    fn text(self) -> &'static str {
        match self {
            Operator::Or => "||",
            Operator::And => "&&",
            Operator::Equal => "==",
            Operator::Less => "<",
            Operator::LessEqual => "<=",
            Operator::Add => "+",
            Operator::Sub => "-",
            Operator::Mul => "*",
            Operator::Div => "/",
            Operator::Rem => "%",
        }
    }

    fn precedence(self) -> u8 {
        match self {
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Equal => 3,
            Operator::Less | Operator::LessEqual => 4,
            Operator::Add | Operator::Sub => 5,
            Operator::Mul | Operator::Div | Operator::Rem => 6,
        }
    }

    /// The value for two known numbers; none: automata have no such number.
    fn of(self, a: u64, b: u64) -> Option<u64> {
        match self {
            Operator::Or => Some(u64::from(a != 0 || b != 0)),
            Operator::And => Some(u64::from(a != 0 && b != 0)),
            Operator::Equal => Some(u64::from(a == b)),
            Operator::Less => Some(u64::from(a < b)),
            Operator::LessEqual => Some(u64::from(a <= b)),
            // A result that does not fit an `int` is left to the model, as for other numbers.
            Operator::Add => a.checked_add(b).filter(|n| *n < 1 << 31),
            Operator::Sub => a.checked_sub(b),
            Operator::Mul => a.checked_mul(b).filter(|n| *n < 1 << 31),
            Operator::Div => a.checked_div(b),
            Operator::Rem => a.checked_rem(b),
        }
    }
}

impl Term {
    /// The condition that always holds.
    pub const TRUE: Term = Term::Number(1);
    /// The condition that never holds.
    pub const FALSE: Term = Term::Number(0);

    /// Returns a term of the highest precedence with an unknown value, such as a name.
    pub fn atom(text: impl Into<String>) -> Term {
        Term::Atom(text.into())
    }

    /// Returns a constant; a negative number becomes `u64::MAX`.
    pub fn number(n: impl TryInto<u64>) -> Term {
        Term::Number(n.try_into().unwrap_or(u64::MAX))
    }

    /// Returns the value of a condition that does not depend on the state.
    pub fn constant(&self) -> Option<bool> {
        match self {
            Term::Number(n) => Some(*n != 0),
            _ => None,
        }
    }

    /// Returns a number that the term does not exceed, if one is known.
    pub fn largest(&self) -> Option<u64> {
        match self {
            Term::Number(n) => Some(*n),
            Term::Atom(_) => None,
            Term::Not(_) => Some(1),
            Term::Choice(parts) => Some(parts[1].largest()?.max(parts[2].largest()?)),
            Term::Binary(operator, a, b) => match operator {
                Operator::Or | Operator::And | Operator::Equal | Operator::Less | Operator::LessEqual => Some(1),
                Operator::Add => a.largest()?.checked_add(b.largest()?),
                Operator::Mul => a.largest()?.checked_mul(b.largest()?),
                Operator::Sub | Operator::Div => a.largest(),
                Operator::Rem => a.largest().into_iter().chain(b.largest()).min(),
            },
        }
    }

    /// Returns whether the term is known to be nonzero.
    pub fn is_true(&self) -> bool {
        self.constant() == Some(true)
    }

    /// Returns whether the term is known to be zero.
    pub fn is_false(&self) -> bool {
        self.constant() == Some(false)
    }

    /// Applies an operator; simplified if operands are known.
    pub fn binary(operator: Operator, a: Term, b: Term) -> Term {
        if let (Term::Number(a), Term::Number(b)) = (&a, &b) {
            if let Some(n) = operator.of(*a, *b) {
                return Term::Number(n);
            }
        }
        match (operator, a.constant(), b.constant()) {
            (Operator::And, Some(true), _) | (Operator::Or, Some(false), _) => b,
            (Operator::And, _, Some(true)) | (Operator::Or, _, Some(false)) => a,
            (Operator::And, Some(false), _) | (Operator::And, _, Some(false)) => Term::FALSE,
            (Operator::Or, Some(true), _) | (Operator::Or, _, Some(true)) => Term::TRUE,
            (Operator::Less, _, Some(false)) => Term::FALSE,
            (Operator::LessEqual, Some(false), _) => Term::TRUE,
            (Operator::Equal | Operator::LessEqual, ..) if a == b => Term::TRUE,
            (Operator::Less, ..) if a == b => Term::FALSE,
            _ => Term::Binary(operator, Box::new(a), Box::new(b)),
        }
    }

    /// Returns `self && other`, simplified.
    pub fn and(self, other: Term) -> Term {
        Term::binary(Operator::And, self, other)
    }

    /// Returns `self || other`, simplified.
    pub fn or(self, other: Term) -> Term {
        Term::binary(Operator::Or, self, other)
    }

    /// Returns `self == other`.
    pub fn equals(self, other: Term) -> Term {
        Term::binary(Operator::Equal, self, other)
    }

    /// Returns `self < other`.
    pub fn less(self, other: Term) -> Term {
        Term::binary(Operator::Less, self, other)
    }

    /// Returns `self <= other`.
    pub fn at_most(self, other: Term) -> Term {
        Term::binary(Operator::LessEqual, self, other)
    }

    /// Returns `self + other`.
    pub fn plus(self, other: Term) -> Term {
        Term::binary(Operator::Add, self, other)
    }

    /// The difference; it must not be negative.
    pub fn minus(self, other: Term) -> Term {
        Term::binary(Operator::Sub, self, other)
    }

    /// Returns `!self`, simplified.
    pub fn negated(self) -> Term {
        match self {
            Term::Number(n) => Term::Number(u64::from(n == 0)),
            Term::Not(of) => *of,
            other => Term::Not(Box::new(other)),
        }
    }

    /// Returns the conditional expression; only one branch if the condition is known or both are equal.
    pub fn choice(condition: Term, then: Term, otherwise: Term) -> Term {
        match condition.constant() {
            Some(true) => then,
            Some(false) => otherwise,
            None if then == otherwise => then,
            None => Term::Choice(Box::new([condition, then, otherwise])),
        }
    }

    /// Returns the conjunction of terms.
    pub fn all(terms: impl IntoIterator<Item = Term>) -> Term {
        terms.into_iter().fold(Term::TRUE, Term::and)
    }

    /// Returns the disjunction of terms.
    pub fn any(terms: impl IntoIterator<Item = Term>) -> Term {
        terms.into_iter().fold(Term::FALSE, Term::or)
    }

    fn precedence(&self) -> u8 {
        match self {
            Term::Binary(operator, ..) => operator.precedence(),
            _ => u8::MAX,
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Term::Number(n) => write!(f, "{n}"),
            Term::Atom(text) => f.write_str(text),
            Term::Not(of) => write!(f, "!({of})"),
            Term::Binary(operator, a, b) => {
                let (own, text) = (operator.precedence(), operator.text());
                // Associative operators need no parentheses on the right either.
                let right = own + u8::from(!matches!(operator, Operator::And | Operator::Or));
                match a.precedence() < own {
                    true => write!(f, "({a}) {text} ")?,
                    false => write!(f, "{a} {text} ")?,
                }
                match b.precedence() < right {
                    true => write!(f, "({b})"),
                    false => write!(f, "{b}"),
                }
            }
            Term::Choice(parts) => write!(f, "({} -> {} : {})", parts[0], parts[1], parts[2]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Term {
        Term::atom("x")
    }

    #[test]
    fn expression_of_constants_is_constant() {
        let never = x().less(Term::FALSE);
        assert!(never.is_false(), "nothing is below 0");
        assert_eq!(never.clone().or(x().equals(Term::number(1))).to_string(), "x == 1");
        assert!(x().equals(Term::number(1)).and(never.clone()).is_false());
        assert!(never.negated().is_true() && Term::FALSE.at_most(x()).is_true());
        assert_eq!(x().and(Term::TRUE), x());
        assert_eq!(Term::choice(x(), Term::number(2), Term::number(2)), Term::number(2));
        assert_eq!(Term::number(1).minus(Term::number(2)).constant(), None, "it does not wrap");
        assert_eq!(Term::binary(Operator::Div, Term::number(1), Term::number(0)).constant(), None);
    }

    #[test]
    fn parentheses_follow_precedence() {
        let (a, b) = (Term::atom("a"), Term::atom("b"));
        let sum = a.clone().plus(b.clone());
        assert_eq!(Term::binary(Operator::Mul, sum.clone(), x()).to_string(), "(a + b) * x");
        assert_eq!(x().minus(sum.clone()).to_string(), "x - (a + b)");
        assert_eq!(x().less(sum).and(a.clone().or(b.clone())).to_string(), "x < a + b && (a || b)");
        assert_eq!(a.clone().and(b.clone()).and(x()), a.clone().and(b.clone()).and(x()));
        assert_eq!(a.clone().and(b.clone().and(x())).to_string(), "a && b && x");
        assert_eq!(a.equals(b.equals(x())).negated().to_string(), "!(a == (b == x))");
    }
}
