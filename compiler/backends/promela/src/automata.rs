//! Automata in Promela: state as arrays, actions as options of a loop, inputs as inlines.
//!
//! A field under k `per member` becomes arrays of 2^k elements; a container becomes an array for each part of its
//! entries, of a fixed capacity, and one of lengths. Bags, sets and maps are sorted, so that equal states are equal
//! bytes. A guard that binds each entry of a container is unrolled: one transition for each entry. The caller defines
//! the representation of messages ([`Messages`]).

mod containers;
mod expressions;
mod reads;
mod statements;
mod transitions;

use std::fmt::Write;

use nacre_specification::*;

use crate::effects::Effect;
use crate::term::{Operator, Term};

/// The number of participants.
pub(crate) const MEMBERS: u64 = 2;

/// The representation of messages.
pub trait Messages {
    /// The type that declares a message.
    fn declared(&self) -> &str;
    /// Whether a message is a number, which a conditional expression can select.
    fn is_number(&self) -> bool;
    fn copy(&self, to: &str, from: &Term) -> Effect;
    fn equal(&self, a: &Term, b: &Term) -> Term;
    /// The order in which containers are sorted.
    fn before(&self, a: &Term, b: &Term) -> Term;
    fn clear(&self, at: &str) -> Effect;
    /// The variable that holds a damaged message; none: messages cannot be damaged.
    fn damaged(&self) -> Option<&str>;
}

/// Messages represented as numbers, 0 for none.
pub struct Numbers;

impl Messages for Numbers {
    fn declared(&self) -> &str {
        "int"
    }
    fn is_number(&self) -> bool {
        true
    }
    fn copy(&self, to: &str, from: &Term) -> Effect {
        Effect::set(to, from.clone())
    }
    fn equal(&self, a: &Term, b: &Term) -> Term {
        a.clone().equals(b.clone())
    }
    fn before(&self, a: &Term, b: &Term) -> Term {
        a.clone().less(b.clone())
    }
    fn clear(&self, at: &str) -> Effect {
        Effect::set(at, Term::Number(0))
    }
    fn damaged(&self) -> Option<&str> {
        Some("what")
    }
}

/// A guarded command: one transition of an action. Its guard is never known to be false.
#[derive(Clone, Debug)]
pub struct Transition {
    pub guard: Term,
    /// The values of the action's parameters.
    pub parameters: Vec<Term>,
    pub effects: Vec<Effect>,
    /// The message of which any one bit is damaged first, into [`Messages::damaged`].
    pub damages: Option<String>,
    /// The index in [`Automaton::actions`].
    pub action: usize,
    /// The endpoint of the action, if it is known when the model is written.
    pub end: Option<usize>,
}

impl Transition {
    /// Returns the endpoint of an output.
    pub fn end_of(&self, automaton: &Automaton) -> std::result::Result<usize, String> {
        let name = &automaton.actions[self.action].name;
        self.end.ok_or(format!("`{name}` of `{}`, which does not say at which end it happens", automaton.name))
    }
}

/// Writes one automaton; its names begin with `prefix`.
pub struct Translator<'a> {
    pub automaton: &'a Automaton,
    pub prefix: String,
    /// The capacity of a container.
    pub capacity: usize,
    /// The largest number over which `upto` iterates.
    pub most: u64,
    pub messages: &'a dyn Messages,
    /// Whether variables used only within a step are hidden from the state. SPIN then cannot search breadth-first.
    pub hides: bool,
}

/// A value: a leaf, or its parts.
#[derive(Clone, Debug)]
enum Val {
    Leaf(Term, Type),
    Tuple(Vec<Val>),
    /// A container of the state: the field, the index of its row, and its type.
    Row(usize, Term, Type),
    /// All participants.
    All,
    /// The numbers from 1 to this one.
    Upto(Term),
    /// One of the numbers that the model does not enumerate.
    Beyond,
    /// A damaged message.
    Damaged(Term),
}

impl Val {
    fn leaf(term: Term, ty: &Type) -> Val {
        Val::Leaf(term, ty.clone())
    }

    fn condition(term: Term) -> Val {
        Val::Leaf(term, Type::Bool)
    }
}

const NOT_DAMAGED: &str = "`damaged(m)`, but for what the network itself does to a frame";

type Env = Vec<Option<Val>>;
type Result<T> = std::result::Result<T, String>;

fn leaves(ty: &Type) -> Result<Vec<Type>> {
    match ty {
        Type::Bool | Type::Nat | Type::Rank | Type::Msg => Ok(vec![ty.clone()]),
        Type::Tuple(types) => Ok(types.iter().map(leaves).collect::<Result<Vec<_>>>()?.concat()),
        _ => Err("a container inside of a container".into()),
    }
}

/// The type of a container's entries; of a map, key and value.
fn entry(ty: &Type) -> Option<Type> {
    match ty {
        Type::Seq(t) | Type::Bag(t) | Type::Set(t) => Some((**t).clone()),
        Type::Map(k, v) => Some(Type::Tuple(vec![(**k).clone(), (**v).clone()])),
        _ => None,
    }
}

/// A leaf of the state or of a local: its place and its type.
type Leaf = (Term, Type);

impl Translator<'_> {
    fn declared(&self, ty: &Type) -> &str {
        match ty {
            Type::Msg => self.messages.declared(),
            Type::Bool | Type::Rank => "byte",
            _ => "int",
        }
    }

    /// The shape of a field: the number of rows, and the type of each.
    fn shape(&self, field: usize) -> (usize, &Type) {
        let (mut rows, mut ty) = (1, &self.automaton.state[field].ty);
        while let Type::Per(inner) = ty {
            (rows, ty) = (rows * 2, inner);
        }
        (rows, ty)
    }

    /// Whether nothing is ever added to a container, and no entry of it is addressed.
    fn stays_empty(&self, field: usize) -> bool {
        let container = entry(self.shape(field).1).is_some();
        let mut actions = self.automaton.actions.iter().filter(|a| !a.is_never());
        let never = self.automaton.state[field].initial.is_none() && !actions.any(|a| fills(&a.body, field));
        container && never && !reads::reads_place(self.automaton, field)
    }

    fn array(&self, field: usize, part: usize) -> String {
        format!("{}_{}_{part}", self.prefix, self.automaton.state[field].name)
    }

    /// The variable that counts the entries of a container.
    fn len(&self, field: usize, row: &Term) -> String {
        format!("{}_{}_len[{row}]", self.prefix, self.automaton.state[field].name)
    }

    /// A part of the entry at an index of a container.
    fn at(&self, field: usize, part: usize, row: &Term, place: &Term) -> Term {
        let before = Term::binary(Operator::Mul, row.clone(), Term::number(self.capacity));
        let index = match before {
            Term::Number(0) => place.clone(),
            before => before.plus(place.clone()),
        };
        Term::Atom(format!("{}[{index}]", self.array(field, part)))
    }

    /// Declares the variables of the state, and those used only within a step.
    pub fn declarations(&self) -> Result<String> {
        let mut text = format!("/* {} */\n", self.automaton.description);
        for field in 0..self.automaton.state.len() {
            let (rows, ty) = self.shape(field);
            let parts = leaves(&entry(ty).unwrap_or_else(|| ty.clone()))?;
            let size = if entry(ty).is_some() { rows * self.capacity } else { rows };
            if entry(ty).is_some() {
                let _ = writeln!(text, "byte {}_{}_len[{rows}];", self.prefix, self.automaton.state[field].name);
            }
            for (part, leaf) in parts.iter().enumerate().filter(|_| !self.stays_empty(field)) {
                let _ = writeln!(text, "{} {}[{size}];", self.declared(leaf), self.array(field, part));
            }
        }
        let (hidden, between) = if self.hides { ("hidden ", "nothing") } else { ("", "0") };
        let _ = writeln!(text, "{hidden}int {0}_i, {0}_j; /* within a step; {between} between steps */", self.prefix);
        for (name, leaf) in self.locals()? {
            let _ = writeln!(text, "{hidden}{} {name};", self.declared(&leaf));
        }
        Ok(text)
    }

    /// The variables of the locals of all actions.
    fn locals(&self) -> Result<Vec<(String, Type)>> {
        let mut all = vec![];
        for (at, action) in self.automaton.actions.iter().enumerate() {
            for (n, ty) in action.locals.iter().enumerate() {
                let parts = leaves(ty)?.into_iter().enumerate();
                all.extend(parts.map(|(part, leaf)| (format!("{}_{at}_{n}_{part}", self.prefix), leaf)));
            }
        }
        Ok(all)
    }

    /// Resets the variables that are used only within a step and are not hidden.
    pub fn resets(&self) -> Result<Vec<Effect>> {
        if self.hides {
            return Ok(vec![]);
        }
        let counters = ["i", "j"].map(|name| Effect::set(format!("{}_{name}", self.prefix), Term::Number(0)));
        let locals = self.locals()?.into_iter().map(|(name, leaf)| self.clear(&name, &leaf));
        Ok(counters.into_iter().chain(locals).collect())
    }

    /// Sets the initial state; all variables are zero before.
    pub fn start(&self) -> Result<Vec<Effect>> {
        let mut effects = vec![];
        for ((field, declared), value) in self.automaton.state.iter().enumerate().zip(self.automaton.start(MEMBERS)) {
            if value == Value::zero(&declared.ty, MEMBERS) {
                continue;
            }
            for (row, value) in rows(&value, &declared.ty).into_iter().enumerate() {
                let why = || format!("the initial value of `{}`", declared.name);
                for (part, number) in numbers(value).ok_or_else(why)?.into_iter().enumerate() {
                    let place = format!("{}[{row}]", self.array(field, part));
                    effects.push(Effect::set(place, Term::Number(number)));
                }
            }
        }
        Ok(effects)
    }

    fn set(&self, to: &str, value: &Leaf) -> Effect {
        match value.1 {
            Type::Msg => self.messages.copy(to, &value.0),
            _ => Effect::set(to, value.0.clone()),
        }
    }

    /// Assigns each value to the corresponding place.
    fn set_all(&self, to: &[Leaf], values: &[Leaf]) -> Vec<Effect> {
        to.iter().zip(values).map(|(to, value)| self.set(&to.0.to_string(), value)).collect()
    }

    fn clear(&self, at: &str, ty: &Type) -> Effect {
        match ty {
            Type::Msg => self.messages.clear(at),
            _ => Effect::set(at, Term::Number(0)),
        }
    }

    /// For each goal, the condition that it holds and the condition that it is excused.
    pub fn goals(&self) -> Result<Vec<[Term; 2]>> {
        let condition = |e: &Expr| -> Result<Term> {
            let (value, defined) = self.expr(e, &vec![])?;
            Ok(defined.and(leaf(&value)?))
        };
        let each = self.automaton.goals.iter();
        each.map(|g| Ok([condition(&g.holds)?, g.unless.as_ref().map_or(Ok(Term::FALSE), condition)?])).collect()
    }

    fn equal(&self, a: &Val, b: &Val) -> Result<Term> {
        let (a, b) = (flat(a)?, flat(b)?);
        if a.len() != b.len() {
            return Err("a comparison of different things".into());
        }
        Ok(Term::all(a.iter().zip(&b).map(|(a, b)| self.equal_leaf(a, b))))
    }

    fn equal_leaf(&self, a: &Leaf, b: &Leaf) -> Term {
        match a.1 {
            Type::Msg => self.messages.equal(&a.0, &b.0),
            _ => a.0.clone().equals(b.0.clone()),
        }
    }

    /// Lexicographic order.
    fn before(&self, a: &[Leaf], b: &[Leaf]) -> Term {
        a.iter().zip(b).rev().fold(Term::FALSE, |rest, (a, b)| {
            let less = match a.1 {
                Type::Msg => self.messages.before(&a.0, &b.0),
                _ => a.0.clone().less(b.0.clone()),
            };
            less.or(self.equal_leaf(a, b).and(rest))
        })
    }
}

fn leaf(value: &Val) -> Result<Term> {
    match value {
        Val::Leaf(term, _) => Ok(term.clone()),
        _ => Err("a container or a tuple where a number is wanted".into()),
    }
}

fn flat(value: &Val) -> Result<Vec<Leaf>> {
    match value {
        Val::Leaf(term, ty) => Ok(vec![(term.clone(), ty.clone())]),
        Val::Tuple(parts) => Ok(parts.iter().map(flat).collect::<Result<Vec<_>>>()?.concat()),
        _ => Err("a container as a value".into()),
    }
}

/// The values of all members, in order.
fn rows<'v>(value: &'v Value, ty: &Type) -> Vec<&'v Value> {
    match (value, ty) {
        (Value::Tuple(members), Type::Per(inner)) => members.iter().flat_map(|value| rows(value, inner)).collect(),
        (value, _) => vec![value],
    }
}

/// The numbers of a value; none: it has other parts.
fn numbers(value: &Value) -> Option<Vec<u64>> {
    match value {
        Value::Num(_) | Value::Bool(_) => Some(vec![value.num()]),
        Value::Tuple(parts) => Some(parts.iter().map(numbers).collect::<Option<Vec<_>>>()?.concat()),
        _ => None,
    }
}

/// Whether a body adds anything to a field of the state.
fn fills(body: &[Statement], field: usize) -> bool {
    let is = |place: &Place| matches!(place.root, Root::State(n) if n == field);
    body.iter().any(|s| match s {
        Statement::Do(operation, place, _) => {
            is(place) && !matches!(operation, Operation::Remove | Operation::Pop | Operation::Clear)
        }
        Statement::Assign(place, value) => is(place) && !matches!(value, Expr::Zero(_)),
        Statement::If(_, a, b) => fills(a, field) || fills(b, field),
        Statement::For(_, _, body) => fills(body, field),
        Statement::Let(..) => false,
    })
}
