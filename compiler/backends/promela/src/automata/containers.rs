//! Operations on the containers of automata, each as a loop over its entries.

use nacre_specification::*;

use super::{entry, flat, leaves, Env, Leaf, Result, Translator, Val};
use crate::effects::{guarded, Effect};
use crate::report::{Limit, StopReason};
use crate::term::Term;

/// One row of a container, and the value to store or find.
struct Container<'t> {
    translator: &'t Translator<'t>,
    field: usize,
    row: Term,
    /// The types of an entry's parts.
    parts: Vec<Type>,
    /// The number of parts by which an entry is found: all, or those of a map's key.
    key_parts: usize,
    values: Vec<Leaf>,
    len: String,
    /// Loop counters.
    i: String,
    j: String,
}

impl Translator<'_> {
    pub(super) fn operate(
        &self,
        operation: Operation,
        place: &Place,
        arguments: &[(Val, Term)],
        env: &Env,
        to: &mut Vec<Effect>,
    ) -> Result<()> {
        let (at, mut there) = self.place(place, env)?;
        let Val::Row(field, row, ty) = at else { return Err("a change of what is no container of the state".into()) };
        let mut values = vec![];
        for (value, defined) in arguments {
            there = there.and(defined.clone());
            values.extend(flat(value)?);
        }
        if self.stays_empty(field) {
            return Ok(());
        }
        let parts = leaves(&entry(&ty).ok_or("a change of what is no container")?)?;
        let key_parts = if let Type::Map(k, _) = &ty { leaves(k)?.len() } else { parts.len() };
        let (i, j) = (format!("{}_i", self.prefix), format!("{}_j", self.prefix));
        let len = self.len(field, &row);
        let container = Container { translator: self, field, row, parts, key_parts, values, len, i, j };
        to.extend(guarded(there, container.operate(operation, &ty)?));
        Ok(())
    }
}

impl Container<'_> {
    fn operate(&self, operation: Operation, ty: &Type) -> Result<Vec<Effect>> {
        Ok(match (operation, ty) {
            (Operation::Append, Type::Seq(_)) => {
                let put = self.put(&self.length());
                [self.room(), put, vec![count(&self.len, true)]].concat()
            }
            (Operation::Add, Type::Bag(_)) => self.insert_sorted(),
            (Operation::Add, Type::Set(_)) => self.find(vec![], self.insert_sorted()),
            (Operation::Insert, Type::Map(..)) => self.find(self.put(&Term::atom(&self.i)), self.insert_sorted()),
            (Operation::Remove, _) => self.find(self.close_gap(), vec![]),
            (Operation::Pop, Type::Seq(_)) => {
                let first = [vec![Effect::set(&self.i, Term::Number(0))], self.close_gap()].concat();
                guarded(Term::Number(0).less(self.length()), first)
            }
            (Operation::Clear, _) => self.clear(),
            _ => return Err("an operation that the container has not".into()),
        })
    }

    fn length(&self) -> Term {
        Term::atom(&self.len)
    }

    fn entry(&self, place: &Term) -> Vec<Leaf> {
        let each = self.parts.iter().enumerate();
        each.map(|(part, ty)| (self.translator.at(self.field, part, &self.row, place), ty.clone())).collect()
    }

    fn copy(&self, to: &Term, from: &Term) -> Vec<Effect> {
        self.translator.set_all(&self.entry(to), &self.entry(from))
    }

    fn put(&self, place: &Term) -> Vec<Effect> {
        self.translator.set_all(&self.entry(place), &self.values)
    }

    fn empty(&self, place: &Term) -> Vec<Effect> {
        self.entry(place).iter().map(|(at, ty)| self.translator.clear(&at.to_string(), ty)).collect()
    }

    /// Reports a limit of the model if the container is full.
    fn room(&self) -> Vec<Effect> {
        let full = Term::number(self.translator.capacity).at_most(self.length());
        guarded(full, StopReason::Limit(Limit::Capacity).effects(""))
    }

    /// Searches the entry with the values; runs `then` if there is one, otherwise `otherwise`.
    fn find(&self, then: Vec<Effect>, otherwise: Vec<Effect>) -> Vec<Effect> {
        let i = Term::atom(&self.i);
        let keys = self.entry(&i).into_iter().zip(&self.values).take(self.key_parts);
        let same = Term::all(keys.map(|(entry, value)| self.translator.equal_leaf(&entry, value)));
        let more = i.less(self.length());
        vec![
            Effect::set(&self.i, Term::Number(0)),
            Effect::While(more.clone().and(same.negated()), vec![count(&self.i, true)]),
            Effect::If(vec![(more, then)], otherwise),
        ]
    }

    /// Inserts the values in order and moves the entries after them.
    fn insert_sorted(&self) -> Vec<Effect> {
        let j = Term::atom(&self.j);
        let before = j.clone().minus(Term::Number(1));
        let keys = self.key_parts.min(self.values.len());
        let order = self.translator.before(&self.values[..keys], &self.entry(&before)[..keys]);
        let step = [self.copy(&j, &before), vec![count(&self.j, false)]].concat();
        let begin = vec![Effect::set(&self.j, self.length()), count(&self.len, true)];
        let make_room = Effect::While(Term::Number(0).less(j.clone()).and(order), step);
        [self.room(), begin, vec![make_room], self.put(&j)].concat()
    }

    /// Moves all entries after the one at `i` forward.
    fn close_gap(&self) -> Vec<Effect> {
        let i = Term::atom(&self.i);
        let next = i.clone().plus(Term::Number(1));
        let step = [self.copy(&i, &next), vec![count(&self.i, true)]].concat();
        let moved = vec![Effect::While(next.less(self.length()), step), count(&self.len, false)];
        [moved, self.empty(&self.length())].concat()
    }

    fn clear(&self) -> Vec<Effect> {
        let i = Term::atom(&self.i);
        let step = [self.empty(&i), vec![count(&self.i, true)]].concat();
        let emptied = Effect::While(i.less(self.length()), step);
        vec![Effect::set(&self.i, Term::Number(0)), emptied, Effect::set(&self.len, Term::Number(0))]
    }
}

/// Increments or decrements a variable.
fn count(variable: &str, up: bool) -> Effect {
    Effect::run(format!("{variable}{}", if up { "++" } else { "--" }))
}
