//! What has to hold for a bypass: where its condition does, it leaves the state and the outputs that the handlers
//! leave.
//!
//! Both sides are executed symbolically: the handlers, one event after the other, as the head of `nacre_stack` defines
//! a step; and the code of the bypass, as it stands in the stack IR. The handlers are followed along the branches that
//! the condition decides; that it does is a claim of its own, so nothing about the search that found the bypass is
//! trusted.

use nacre_stack::*;
use nacre_symbolic::execute::Emission;
use nacre_symbolic::guide::Guide;
use nacre_symbolic::state::{is_state, State};
use nacre_symbolic::terms::{Term, Terms};
use nacre_symbolic::values::{self, Value};
use nacre_symbolic::Unsupported;

use crate::path::Output;
use crate::step::Step;

/// What is claimed of a bypass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Some event in some state takes it.
    Possible,
    /// The branches of the handlers go as the bypass does.
    Sides,
    /// A cell has the same value afterwards.
    Cell(CellId),
    /// The output at this place is the same, counted from 0; the events that are put off come behind them.
    Output(usize),
}

/// The claims about one bypass.
pub struct Claims {
    pub terms: Terms,
    /// What holds before any event that is taken, the condition of the bypass included.
    pub assumptions: Vec<Term>,
    /// Each follows from the assumptions, except for [`What::Possible`]: false does not.
    pub all: Vec<(What, Term)>,
}

/// Whether a formula follows from others (true), its negation does (false), or neither is known.
pub type Decide<'d> = &'d dyn Fn(&mut Terms, &[Term], Term) -> Option<bool>;

/// The claims about a bypass of a stack. `invariants`: what holds of layers between steps.
/// `decide` is asked for branches of the handlers that what the condition tells does not decide by calculation; its
/// answers become part of the claims.
///
/// # Errors
/// A construct without terms, or a branch of the handlers that is not decided.
pub fn claims(
    stack: &Stack,
    bypass: &Bypass,
    invariants: &[(LayerId, Expr)],
    decide: Decide,
) -> Result<Claims, Unsupported> {
    let mut sides = vec![];
    loop {
        let mut step = Step::new(stack, Guide::checking(sides.clone()));
        for (layer, invariant) in invariants {
            step.run.layer = *layer;
            let holds = step.run.condition_with(invariant, &[], vec![])?;
            step.run.assume(holds);
        }
        step.enter(bypass.entry)?;
        let values = given(bypass, &step);
        let condition = step.run.condition_of(bypass, &values)?;
        step.run.learn(condition);
        let ran = step.drain();
        let undecided = step.run.guide.as_ref().and_then(|guide| guide.undecided);
        let Some((_, branch)) = undecided else {
            ran?;
            return compare(stack, bypass, step, &values, condition);
        };
        let mut known = step.run.assumptions.clone();
        known.push(condition);
        let Some(side) = decide(&mut step.run.terms, &known, branch) else {
            return Err(Unsupported { what: "a branch that the condition does not decide".into() });
        };
        sides.push(side);
    }
}

/// The claims, when the handlers have run.
fn compare(
    stack: &Stack,
    bypass: &Bypass,
    mut step: Step,
    values: &[Option<Value>],
    condition: Term,
) -> Result<Claims, Unsupported> {
    let before = step.before.clone();
    let guide = step.run.guide.take().expect("a guided run");
    let layered = (step.run.state.clone(), std::mem::take(&mut step.outputs), std::mem::take(&mut step.later));
    // What the bypass asserts is not assumed.
    let mut assumptions = std::mem::take(&mut step.run.assumptions);
    step.run.record = None;
    step.run.state = before;
    step.run.emissions.clear();
    step.run.straight(bypass, values)?;
    let emissions = std::mem::take(&mut step.run.emissions);
    let (later, leaving): (Vec<_>, Vec<_>) = emissions.into_iter().partition(|emission| emission.later);
    let outputs = |emissions: Vec<Emission>| emissions.into_iter().map(Output::of).collect::<Vec<Output>>();
    let straight = (step.run.state.clone(), outputs(leaving), outputs(later));
    let mut terms = std::mem::take(&mut step.run.terms);
    let mut all = vec![(What::Possible, terms.truth(false))];
    let sides = terms.and(&guide.decided);
    all.push((What::Sides, sides));
    all.extend(cells(stack, &mut terms, &layered.0, &straight.0));
    all.extend(same_outputs(&mut terms, (&layered.1, &straight.1), 0));
    all.extend(same_outputs(&mut terms, (&layered.2, &straight.2), layered.1.len()));
    assumptions.push(condition);
    assumptions.sort_unstable();
    assumptions.dedup();
    Ok(Claims { terms, assumptions, all })
}

/// What is given to a bypass, by local.
fn given(bypass: &Bypass, step: &Step) -> Vec<Option<Value>> {
    let mut values = vec![None; bypass.locals.len()];
    for (local, value) in bypass.parameters.iter().zip(&step.arguments) {
        values[local.index()] = Some(value.clone());
    }
    let message = step.arguments.iter().find_map(|value| match value {
        Value::Message(message) => Some(message),
        _ => None,
    });
    let headers = bypass.entry.headers(step.run.stack).iter().zip(&bypass.fields);
    for (header, locals) in headers {
        let fields = message.map_or(&[][..], |message| &message.fields[header.index()]);
        locals.iter().zip(fields).for_each(|(local, value)| values[local.index()] = Some(value.clone()));
    }
    for local in &bypass.parameters {
        if let Some(Value::Message(message)) = &mut values[local.index()] {
            // Its headers are the fields.
            message.kinds.clone_from(&step.bare.kinds);
            message.fields.clone_from(&step.bare.fields);
        }
    }
    values
}

fn cells(stack: &Stack, terms: &mut Terms, layered: &State, straight: &State) -> Vec<(What, Term)> {
    let mut found = vec![];
    for (at, _) in stack.cells.iter().enumerate().filter(|(_, cell)| is_state(cell.scope)) {
        let same = match (&layered.cells[at], &straight.cells[at]) {
            (Ok(a), Ok(b)) => values::equal(terms, a, b),
            // What has no terms is changed by neither: that would have been refused.
            _ => continue,
        };
        if terms.truth_of(same) != Some(true) {
            found.push((What::Cell(CellId(at as u32)), same));
        }
    }
    found
}

/// Whether the same leaves. What is not there on one side is not the same.
fn same_outputs(terms: &mut Terms, (layered, straight): (&[Output], &Vec<Output>), first: usize) -> Vec<(What, Term)> {
    let mut found = vec![];
    for at in 0..layered.len().max(straight.len()) {
        let same = match (layered.get(at), straight.get(at)) {
            (Some(a), Some(b)) if (a.link, a.event) == (b.link, b.event) => {
                let parts = a.arguments.iter().zip(&b.arguments).map(|(a, b)| same_argument(terms, a, b));
                let parts: Vec<Term> = parts.collect();
                terms.and(&parts)
            }
            _ => terms.truth(false),
        };
        found.push((What::Output(first + at), same));
    }
    found
}

/// Whether two arguments are the same; of messages, the fields of headers that are on them.
fn same_argument(terms: &mut Terms, a: &Value, b: &Value) -> Term {
    let (Value::Message(x), Value::Message(y)) = (a, b) else { return values::equal(terms, a, b) };
    let mut parts = vec![terms.equal(x.bytes, y.bytes), terms.equal(x.data, y.data)];
    for (one, other) in x.kinds.iter().zip(&y.kinds) {
        parts.push(terms.equal(*one, *other));
    }
    let on_it = |terms: &Terms, header: usize| {
        x.kinds.iter().any(|kind| terms.value_of(*kind).is_none_or(|kind| kind == header as u128 + 1))
    };
    for (header, (one, other)) in x.fields.iter().zip(&y.fields).enumerate() {
        if !on_it(terms, header) {
            continue;
        }
        if one.len() != other.len() {
            return terms.truth(false);
        }
        parts.extend(one.iter().zip(other).map(|(one, other)| values::equal(terms, one, other)));
    }
    terms.and(&parts)
}
