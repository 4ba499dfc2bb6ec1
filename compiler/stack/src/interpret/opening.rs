//! The first state of a connection, and of each view.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arguments::Source;
use super::machine::{begun, zeros, Machine, Outcome};
use super::random::SplitMix64;
use super::run::{Frame, Run};
use super::state::{Pending, State};
use super::value::{Message, Value};
use crate::*;

impl Machine {
    /// Makes the connection new: initial values, then `init`.
    pub fn open(&mut self, now: u64) -> Outcome {
        let need = self.stack.bounds.open;
        let fresh = begun(&self.stack, &self.config, zeros(&self.stack));
        let Some(givens) = self.givens() else { return Outcome::Invalid };
        let counters = std::mem::take(&mut self.state.counters);
        let (choices, covered) = (self.state.choices.take(), self.state.covered.take());
        self.state = State { counters, choices, covered, ..fresh };
        self.opened = true;
        if !self.has_space(need, 0) {
            self.opened = false;
            return Outcome::NoSpace;
        }
        let (inits, seed, first) = (self.inits(), self.config.seed, self.config.first_number);
        self.step(now, need, &Message::default(), |run| {
            set_cells(run, givens, seed);
            let stack = run.stack;
            let cells = run.state.cells.iter_mut().zip((0..).map(CellId));
            let cells = cells.filter(|(_, id)| first != 0 && stack.cell(*id).scope != Scope::Given);
            cells.for_each(|(value, id)| renumber(stack, &stack.whole_type(id), value, first));
            inits.into_iter().for_each(|event| run.put(event));
        });
        Outcome::Ok
    }

    /// A new view: lasting and shared cells stay, all other cells of the session are initialized, then `init`. The
    /// givens are those of the configuration, as it was or with others in their place.
    pub fn view(&mut self, givens: BTreeMap<String, Value>, now: u64) -> Outcome {
        if !self.opened || !self.stack.has_views() {
            return Outcome::Invalid;
        }
        let mut config = (*self.config).clone();
        config.givens.extend(givens);
        let before = std::mem::replace(&mut self.config, Arc::new(config));
        let Some(givens) = self.givens() else {
            self.config = before;
            return Outcome::Invalid;
        };
        let need = self.stack.bounds.open;
        let refused = match (self.is_busy(), self.has_space(need, 0)) {
            (true, _) => Some(Outcome::Busy),
            (false, false) => Some(self.no_space()),
            (false, true) => None,
        };
        if let Some(refused) = refused {
            self.config = before;
            return refused;
        }
        let inits = self.inits();
        self.step(now, need, &Message::default(), |run| {
            set_view(run, givens);
            inits.into_iter().for_each(|event| run.put(event));
        });
        Outcome::Ok
    }

    /// The given values; none: one is missing or does not fit its type.
    fn givens(&self) -> Option<Vec<Option<Value>>> {
        let value = |cell: &Cell| {
            let name = format!("{}.{}", self.stack.layer(cell.layer).name, cell.name);
            match self.config.givens.get(&name) {
                Some(value) if cell.is_configured() => self.stack.fits(value, &cell.ty).then(|| Some(value.clone())),
                _ if cell.is_configured() && cell.initial.is_none() => None,
                _ => Some(None),
            }
        };
        self.stack.cells.iter().map(value).collect()
    }

    fn inits(&self) -> Vec<Pending> {
        let source = |session| Some(Source { from: None, session });
        let opened = self.stack.opened();
        opened.map(|(input, session)| self.pending(input, Message::default(), source(session), &[])).collect()
    }
}

/// The generators from the seed, then givens, then all other cells in order.
fn set_cells(run: &mut Run, givens: Vec<Option<Value>>, seed: u64) {
    let stack = run.stack;
    for (index, layer) in stack.layers.iter().enumerate() {
        if let Some(cell) = layer.random {
            run.state.cells[cell.index()] = Value::Num(SplitMix64::of_layer(seed, index as u32).0);
        }
    }
    set_values(run, givens, |_| true);
}

/// Gives some cells their first values, the givens before the others.
fn set_values(run: &mut Run, mut givens: Vec<Option<Value>>, wanted: impl Fn(usize) -> bool) {
    let stack = run.stack;
    for configured in [true, false] {
        for (index, cell) in stack.cells.iter().enumerate() {
            if cell.is_configured() != configured || !wanted(index) {
                continue;
            }
            match (givens[index].take(), &cell.initial) {
                (Some(value), _) => run.state.cells[index] = value,
                (None, Some(initial)) => {
                    (0..stack.copies(CellId(index as u32)))
                        .for_each(|session| set_initial(run, index, initial, session));
                }
                (None, None) => {}
            }
        }
    }
}

/// Gives a cell its initial value, in one session.
fn set_initial<'a>(run: &mut Run<'a>, index: usize, initial: &'a Expr, session: u32) {
    let cell = &run.stack.cells[index];
    run.frames.push(Frame { session: session.into(), ..Frame::new(&cell.locals, cell.layer) });
    run.execute(&cell.draws);
    let mut value = run.evaluate(initial);
    run.frames.pop();
    run.state.pool.keep(&mut value);
    match &mut run.state.cells[index] {
        Value::Tuple(copies) if run.stack.copies(CellId(index as u32)) > 1 => copies[session as usize] = value,
        cell => *cell = value,
    }
}

/// The state of a new view: the givens, and the cells of the session as they begin; all else stays.
fn set_view(run: &mut Run, givens: Vec<Option<Value>>) {
    let stack = run.stack;
    let drawn = |index: usize| stack.layers.iter().any(|layer| layer.random.is_some_and(|id| id.index() == index));
    let anew = |index: usize| match stack.cells[index].scope {
        Scope::Given => true,
        Scope::Session => !drawn(index),
        Scope::Shared | Scope::Lasting | Scope::Derived => false,
    };
    for index in (0..stack.cells.len()).filter(|index| anew(*index)) {
        run.state.cells[index] = stack.zero(&stack.whole_type(CellId(index as u32)));
    }
    set_values(run, givens, anew);
}

/// Adds to every sequence number inside.
fn renumber(stack: &Stack, ty: &Type, value: &mut Value, by: u64) {
    match (ty, value) {
        (Type::Seq(bits), Value::Num(n)) => *n = n.wrapping_add(by) & mask(u32::from(*bits)),
        (Type::Window(t, _, bits), Value::Window(window)) => {
            for n in [&mut window.low, &mut window.next, &mut window.high, &mut window.reported] {
                *n = n.wrapping_add(by) & mask(u32::from(*bits));
            }
            window.entries.iter_mut().flatten().for_each(|v| renumber(stack, t, v, by));
        }
        (Type::Struct(id), Value::Tuple(parts)) => {
            let fields = &stack.structs[id.index()].fields;
            fields.iter().zip(parts).for_each(|(f, v)| renumber(stack, &f.ty, v, by));
        }
        (Type::Tuple(types), Value::Tuple(parts)) => {
            types.iter().zip(parts).for_each(|(t, v)| renumber(stack, t, v, by));
        }
        (Type::Array(t, _), Value::Tuple(parts)) => parts.iter_mut().for_each(|v| renumber(stack, t, v, by)),
        (Type::Option(t), Value::Option(Some(inner))) => renumber(stack, t, inner, by),
        (Type::Ring(t, _) | Type::List(t, _), Value::Row(row)) => {
            row.iter_mut().for_each(|v| renumber(stack, t, v, by));
        }
        _ => {}
    }
}
