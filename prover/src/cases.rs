//! Cases: a state of the interpreter and an event, of a model in which a claim about a bypass does not hold.

use std::sync::Arc;

use nacre_bypass::Claims;
use nacre_stack::interpret::{Addr, Config, Machine, Outcome, Value};
use nacre_stack::models::Models;
use nacre_stack::{Bypass, CellId, Entry, LayerId, PortId, Scope, Stack, Type};
use nacre_symbolic::constants::constant;
use nacre_symbolic::execute::Run;
use nacre_symbolic::terms::{script_preferring, Goal, Op, Term, Terms};
use nacre_symbolic::values::{self, Value as Terminal};

use crate::models::{length, Concrete, Model, Parts};
use crate::solvers::{Answer, Solver};

/// The time at which connections are opened.
const OPENED_AT: u64 = 1_000_000_000;
/// The most events that opening puts off until later.
const MOST_LATER: u32 = 100;
/// The longest message of a case.
const LONGEST: u32 = 100_000;
/// The length that messages have if nothing asks for another one.
const USUAL: u32 = 3;
/// How much an invariant of a layer counts beside a cell that has the value of a new connection.
const INVARIANT: u32 = 20;

/// The address of the peer.
const PEER: Addr = Addr { ip: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2], port: 7000, family: 4 };

/// A state and an event.
#[derive(Clone, Debug)]
pub struct Case {
    /// The values of cells.
    pub cells: Vec<(CellId, Value)>,
    pub event: Event,
    pub now: u64,
    /// The invariants of layers that do not hold in the state, with their places in the layer.
    pub broken: Vec<(LayerId, usize)>,
}

/// What comes from outside.
#[derive(Clone, Debug)]
pub enum Event {
    /// A call by its number in [`Stack::interface`], its numbers, and the data of its message.
    Call {
        number: u32,
        arguments: Vec<Value>,
        data: Vec<u8>,
    },
    Frame {
        port: PortId,
        from: Addr,
        bytes: Vec<u8>,
    },
}

/// A connection that has been opened; none: it cannot be without its host.
pub(crate) fn opened(stack: &Arc<Stack>) -> Option<Machine> {
    let mut config = Config { externs: Arc::new(Models::of([&**stack])), ..Config::default() };
    for cell in stack.cells.iter().filter(|cell| cell.is_configured() && cell.initial.is_none()) {
        let name = format!("{}.{}", stack.layer(cell.layer).name, cell.name);
        config = config.given(&name, given(stack, &cell.ty));
    }
    let mut machine = Machine::of(stack.clone(), config);
    if machine.open(OPENED_AT) != Outcome::Ok {
        return None;
    }
    for _ in 0..MOST_LATER {
        if machine.is_busy() {
            machine.tick(OPENED_AT);
        }
    }
    machine.take_outputs();
    Some(machine).filter(|machine| !machine.is_busy())
}

/// What a host might give: no zero, as what is not set is zero, too.
fn given(stack: &Stack, ty: &Type) -> Value {
    match ty {
        Type::Range(low, _) => Value::Num(*low),
        Type::UInt(_) => Value::Num(1),
        Type::Addr => Value::Addr(PEER),
        ty => stack.zero(ty),
    }
}

/// The case of a goal about a bypass that does not hold: as close to a new connection as the solver finds one.
pub(crate) fn find(
    new: &Machine,
    bypass: &Bypass,
    claims: &mut Claims,
    goal: &Goal,
    solvers: &[Solver],
) -> Option<Case> {
    let stack = new.stack().clone();
    let mut parts = Parts::default();
    let Claims { terms, before, arguments, unpacked, .. } = &mut *claims;
    before.cells.iter().flatten().chain(&*arguments).for_each(|value| parts.add(terms, value));
    unpacked.iter().for_each(|one| {
        parts.add(terms, &one.value);
        parts.terms.push(one.bytes);
    });
    parts.terms.push(before.now);
    let invariants = invariants(&stack, claims);
    parts.terms.extend(invariants.iter().map(|(_, _, holds)| *holds));
    parts.terms.sort_unstable();
    parts.terms.dedup();
    let mut goal = goal.clone();
    goal.assumptions.extend(sizes(&stack, bypass, claims, &parts.names));
    goal.assumptions.extend(packings(&stack, claims));
    let mut preferred: Vec<(Term, u32)> = invariants.iter().map(|(_, _, holds)| (*holds, INVARIANT)).collect();
    preferred.extend(usual(new, claims).into_iter().map(|one| (one, 1)));
    preferred.extend(empty(claims).into_iter().map(|one| (one, INVARIANT)));
    let texts = solve(&claims.terms, &goal, &preferred, &parts.terms, solvers)?;
    let mut model = Model::of(&parts.terms, &texts);
    for one in &claims.unpacked {
        let mut concrete = Concrete { stack: &stack, terms: &mut claims.terms, model: &model };
        let packed = concrete.packed(one);
        let name = model.number(&claims.terms, one.bytes);
        model.contents.extend(packed.map(|packed| (name, packed)));
    }
    let is_broken = |holds: Term| model.number(&claims.terms, holds) == 0;
    let broken = invariants.iter().filter(|(_, _, holds)| is_broken(*holds)).map(|(layer, at, _)| (*layer, *at));
    let broken = broken.collect();
    Some(Case { broken, ..concrete(&stack, bypass.entry, claims, &model)? })
}

/// The values of the terms of a model, by the first solver that has one.
fn solve(
    terms: &Terms,
    goal: &Goal,
    preferred: &[(Term, u32)],
    shown: &[Term],
    solvers: &[Solver],
) -> Option<Vec<String>> {
    [preferred, &[]].into_iter().find_map(|preferred| {
        let problem = script_preferring(terms, goal, preferred, shown);
        solvers.iter().find_map(|solver| match solver.solve(&problem) {
            Answer::Refuted(values) if values.len() == shown.len() => Some(values),
            _ => None,
        })
    })
}

/// The stated invariants of all layers before the event.
fn invariants(stack: &Stack, claims: &mut Claims) -> Vec<(LayerId, usize, Term)> {
    let terms = std::mem::take(&mut claims.terms);
    let mut run = Run::new(stack, terms, LayerId(0), claims.before.clone());
    let mut found = vec![];
    for (at, layer) in stack.layers.iter().enumerate() {
        run.layer = LayerId(at as u32);
        for (place, invariant) in layer.invariants.iter().enumerate() {
            if let Ok(holds) = run.condition_with(invariant, &[], vec![]) {
                found.push((run.layer, place, holds));
            }
        }
    }
    claims.terms = run.terms;
    found
}

/// What holds of the lengths of messages in the interpreter: the empty message alone has the name 0, and a frame has
/// the length that its shape allows.
fn sizes(stack: &Stack, bypass: &Bypass, claims: &mut Claims, names: &[Term]) -> Vec<Term> {
    let terms = &mut claims.terms;
    let mut all = vec![];
    let [nothing, most] = [0, LONGEST].map(|number| terms.bits(32, u128::from(number)));
    for name in names {
        let len = length(terms, *name);
        let [is_empty, has_no_name] = [terms.equal(len, nothing), terms.equal(*name, nothing)];
        let is_longer = terms.less(Op::ULess, most, len);
        all.extend([terms.equal(is_empty, has_no_name), terms.not(is_longer)]);
    }
    let shape = match bypass.entry {
        Entry::Frame(port, at) => stack.frames_at(port).map(|(_, layout)| &stack.layouts[layout.index()].shapes[at]),
        Entry::Call(..) | Entry::Timer(_) => None,
    };
    let message = claims.arguments.iter().find_map(message_of);
    if let (Some(shape), Some(message)) = (shape, message) {
        let len = length(terms, message.bytes);
        let [least, most] = [shape.data_min, shape.data_max].map(|number| terms.bits(32, u128::from(number)));
        let wrong = [terms.less(Op::ULess, len, least), terms.less(Op::ULess, most, len)];
        all.extend(wrong.map(|wrong| terms.not(wrong)));
    }
    all
}

/// What holds of what is unpacked: it has a shape of the layout, and with its head the length of the whole.
fn packings(stack: &Stack, claims: &mut Claims) -> Vec<Term> {
    let terms = &mut claims.terms;
    let mut all = vec![];
    for one in &claims.unpacked {
        let Terminal::Option(some, inner) = &one.value else { continue };
        let Some(message) = message_of(inner) else { continue };
        let [whole, rest] = [one.bytes, message.bytes].map(|name| length(terms, name));
        let mut shapes = vec![];
        for shape in &stack.layouts[one.layout.index()].shapes {
            let mut parts = vec![];
            for (layer, kind) in message.kinds.iter().enumerate() {
                let header = shape.headers.iter().find(|header| stack.header(**header).layer.index() == layer);
                parts.push(is_number(terms, *kind, header.map_or(0, |header| u128::from(header.0) + 1)));
            }
            let is_data = terms.truth(shape.data);
            let size = terms.bits(32, u128::from(shape.size));
            let sum = terms.binary(Op::Add, rest, size);
            parts.extend([terms.equal(message.data, is_data), terms.equal(whole, sum)]);
            shapes.push(terms.and(&parts));
        }
        let has_shape = terms.or(&shapes);
        all.push(terms.implies(*some, has_shape));
    }
    all
}

/// What is so in a new connection, and of an ordinary event.
fn usual(new: &Machine, claims: &mut Claims) -> Vec<Term> {
    let (stack, terms) = (new.stack(), &mut claims.terms);
    let mut all = vec![];
    for (at, cell) in stack.cells.iter().enumerate() {
        let Ok(before) = &claims.before.cells[at] else { continue };
        let value = constant(stack, terms, cell.layer.index(), new.cell(CellId(at as u32)), &cell.ty);
        all.extend(value.map(|value| same(terms, before, &value)));
    }
    for argument in &claims.arguments {
        match argument {
            Terminal::Term(term) => all.push(is_number(terms, *term, 0)),
            Terminal::Message(message) => {
                let len = length(terms, message.bytes);
                all.push(is_number(terms, len, USUAL.into()));
            }
            _ => {}
        }
    }
    let later = OPENED_AT + 1_000_000;
    all.push(is_number(terms, claims.before.now, later.into()));
    all
}

/// Bytes in which there is no message are empty: others might be one all the same.
fn empty(claims: &mut Claims) -> Vec<Term> {
    let terms = &mut claims.terms;
    let some = claims.unpacked.iter().filter_map(|one| match one.value {
        Terminal::Option(some, _) => Some((some, one.bytes)),
        _ => None,
    });
    let one = |(some, bytes)| {
        let len = length(terms, bytes);
        let is_empty = is_number(terms, len, 0);
        terms.or(&[some, is_empty])
    };
    some.map(one).collect()
}

fn is_number(terms: &mut Terms, term: Term, number: u128) -> Term {
    match terms.width(term) {
        0 => terms.not(term),
        width => {
            let number = terms.bits(width, number);
            terms.equal(term, number)
        }
    }
}

/// Whether a cell has a value; of containers, whether they have the same extent.
fn same(terms: &mut Terms, before: &Terminal, value: &Terminal) -> Term {
    let pairs = match (before, value) {
        (Terminal::Window(a), Terminal::Window(b)) => {
            vec![(a.low, b.low), (a.next, b.next), (a.high, b.high), (a.reported, b.reported), (a.used, b.used)]
        }
        (Terminal::Row(a), Terminal::Row(b)) => vec![(a.len, b.len), (a.start, b.start)],
        _ => return values::equal(terms, before, value),
    };
    let parts: Vec<Term> = pairs.into_iter().map(|(a, b)| terms.equal(a, b)).collect();
    terms.and(&parts)
}

fn message_of(value: &Terminal) -> Option<&values::Message> {
    match value {
        Terminal::Message(message) => Some(message),
        _ => None,
    }
}

/// The case that a model describes.
fn concrete(stack: &Stack, entry: Entry, claims: &mut Claims, model: &Model) -> Option<Case> {
    let Claims { terms, before, arguments, .. } = claims;
    let now = model.number(terms, before.now);
    let mut concrete = Concrete { stack, terms, model };
    let mut cells = vec![];
    for (at, (cell, value)) in stack.cells.iter().zip(&before.cells).enumerate() {
        if let (Ok(value), true) = (value, cell.scope != Scope::Derived) {
            cells.push((CellId(at as u32), concrete.value(value, &cell.ty)));
        }
    }
    let event = stack.event(entry.event(stack)?);
    let parameters = event.parameters.iter().zip(&*arguments);
    let values: Vec<Value> = parameters.map(|(parameter, value)| concrete.value(value, &parameter.ty)).collect();
    let message = values.iter().find_map(|value| match value {
        Value::Msg(message) => Some(message.clone()),
        _ => None,
    });
    let others = values.into_iter().filter(|value| !matches!(value, Value::Msg(_)));
    let event = match entry {
        Entry::Call(port, at) => {
            let is_it = |one: &nacre_stack::PortEvent| one.port == port && one.input == Some(at as u32);
            let number = stack.interface().iter().position(is_it)? as u32;
            let data = message.map_or(vec![], |message| message.bytes());
            Event::Call { number, arguments: others.collect(), data }
        }
        Entry::Frame(port, at) => {
            let (_, layout) = stack.frames_at(port)?;
            let (layout, message) = (&stack.layouts[layout.index()], message?);
            let mut bytes = stack.head(layout, &layout.shapes[at], &message.headers);
            bytes.extend(message.bytes());
            let from = others.into_iter().find_map(|value| match value {
                Value::Addr(address) => Some(address),
                _ => None,
            });
            Event::Frame { port, from: from.unwrap_or_default(), bytes }
        }
        Entry::Timer(_) => return None,
    };
    Some(Case { cells, event, now, broken: vec![] })
}
