//! Queries of containers and timers as terms.

use nacre_stack::{Expr, Place, Query, Type};

use crate::execute::Run;
use crate::terms::{Op, Sort, Term};
use crate::values::{Row, Value, Window};
use crate::Unsupported;

impl Run<'_> {
    /// The answer to a query of a container or timer.
    pub(crate) fn query(&mut self, query: Query, place: &Place, arguments: &[Expr]) -> Result<Term, Unsupported> {
        let container = self.load(place)?;
        let argument = arguments.first().map(|argument| self.value(argument)).transpose()?;
        match (&container, argument) {
            (Value::Term(timer), _) if place.ty == Type::Timer => Ok(self.is_armed(*timer)),
            (Value::Term(set), argument) if matches!(place.ty, Type::Bits(_)) => self.of_set(query, *set, argument),
            (Value::Window(window), argument) => self.of_window(query, window, argument, &place.ty),
            (Value::Row(row), argument) => self.of_row(query, row, argument, &place.ty),
            _ => Err(Unsupported::new(format!("the query {query:?}"))),
        }
    }

    fn of_set(&mut self, query: Query, set: Term, argument: Option<Value>) -> Result<Term, Unsupported> {
        let nothing = self.terms.bits(self.terms.width(set), 0);
        match (query, argument) {
            (Query::Empty, _) => Ok(self.terms.equal(set, nothing)),
            (Query::Len, _) => Ok(self.terms.ones(set)),
            (Query::First, _) => Ok(self.first(set)),
            _ => Err(Unsupported::new(format!("the query {query:?} of a set"))),
        }
    }

    /// The lowest element, in 64 bits; 0 if there is none.
    fn first(&mut self, set: Term) -> Term {
        (0..self.terms.width(set)).rev().fold(self.terms.bits(64, 0), |rest, at| {
            let bit = self.terms.extract(set, at, at);
            let one = self.terms.bits(1, 1);
            let (there, number) = (self.terms.equal(bit, one), self.terms.bits(64, u128::from(at)));
            self.terms.choose(there, number, rest)
        })
    }

    fn of_window(
        &mut self,
        query: Query,
        window: &Window,
        argument: Option<Value>,
        ty: &Type,
    ) -> Result<Term, Unsupported> {
        Ok(match query {
            Query::Low => window.low,
            Query::Next => window.next,
            Query::High => window.high,
            Query::Empty => self.terms.equal(window.low, window.high),
            Query::Full => {
                let span = self.terms.binary(Op::Sub, window.high, window.low);
                let most = self.capacity(window, ty);
                self.terms.equal(span, most)
            }
            Query::Len => self.terms.ones(window.used),
            Query::Has | Query::Contains => match argument {
                Some(Value::Term(number)) => self.has(window, number),
                _ => return Err(Unsupported::new("the query of a window".into())),
            },
            Query::Key | Query::Armed | Query::First => {
                return Err(Unsupported::new(format!("the query {query:?} of a window")));
            }
        })
    }

    /// The capacity of a window in the width of its numbers.
    pub(crate) fn capacity(&mut self, window: &Window, ty: &Type) -> Term {
        let Type::Window(_, n, _) = ty else { unreachable!("a window") };
        self.terms.bits(self.terms.width(window.low), u128::from(*n))
    }

    /// Whether an entry with a number is there.
    pub(crate) fn has(&mut self, window: &Window, number: Term) -> Term {
        let offset = self.terms.binary(Op::Sub, number, window.low);
        self.is_used(window, offset)
    }

    /// Whether the entry at an offset from `low` is there.
    pub(crate) fn is_used(&mut self, window: &Window, offset: Term) -> Term {
        self.terms.has(window.used, offset)
    }

    /// The entry with a number.
    pub(crate) fn entry_of(&mut self, window: &Window, number: Term) -> Value {
        let index = self.terms.resize(number, window.entries.index);
        window.entries.get(&mut self.terms, index)
    }

    /// The entry of a ring or list at a place counted from the oldest.
    pub(crate) fn entry_at(&mut self, row: &Row, at: Term) -> Value {
        let at = self.terms.resize(at, 32);
        let index = self.terms.binary(Op::Add, row.start, at);
        let index = self.terms.resize(index, row.entries.index);
        row.entries.get(&mut self.terms, index)
    }

    fn of_row(&mut self, query: Query, row: &Row, argument: Option<Value>, ty: &Type) -> Result<Term, Unsupported> {
        let (Type::Ring(_, n) | Type::List(_, n)) = ty else { unreachable!("a row") };
        match (query, argument) {
            (Query::Len, _) => Ok(row.len),
            (Query::Empty, _) => {
                let zero = self.terms.bits(32, 0);
                Ok(self.terms.equal(row.len, zero))
            }
            (Query::Full, _) => {
                let most = self.terms.bits(32, u128::from(*n));
                Ok(self.terms.equal(row.len, most))
            }
            (Query::Has, Some(Value::Term(at))) => {
                let at = self.terms.resize(at, 64);
                let len = self.terms.resize(row.len, 64);
                Ok(self.terms.less(Op::ULess, at, len))
            }
            // What a search for an equal entry finds is not known.
            (Query::Contains, _) => Ok(self.fresh("found", Sort::Bool)),
            _ => Err(Unsupported::new(format!("the query {query:?} of a row"))),
        }
    }
}
