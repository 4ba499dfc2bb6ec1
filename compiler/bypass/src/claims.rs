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
use nacre_symbolic::values::{self, Unpacked, Value};
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
    /// The state before the event, and the parameters of the event.
    pub before: State,
    pub arguments: Vec<Value>,
    /// What is unpacked on the way.
    pub unpacked: Vec<Unpacked>,
    /// What holds before any event that is taken, the condition of the bypass included.
    pub assumptions: Vec<Term>,
    /// Each follows from the assumptions, except for [`What::Possible`]: false does not. Where a branch of the handlers
    /// is not decided, both of its sides are claimed, which is too much; where they give up, false.
    pub all: Vec<(What, Term)>,
}

/// Whether a formula follows from others (true), its negation does (false), or neither is known.
pub type Decide<'d> = &'d dyn Fn(&mut Terms, &[Term], Term) -> Option<bool>;

/// The claims about a bypass of a stack. `invariants`: what holds of layers between steps.
/// `decide` is asked for branches of the handlers that what the condition tells does not decide by calculation; its
/// answers become part of the claims.
///
/// # Errors
/// A construct without terms.
pub fn claims(
    stack: &Stack,
    bypass: &Bypass,
    invariants: &[(LayerId, Expr)],
    decide: Decide,
) -> Result<Claims, Unsupported> {
    let mut sides = vec![];
    loop {
        let mut attempt = Attempt::run(stack, bypass, invariants, sides.clone())?;
        let known = attempt.known();
        let Some(branch) = attempt.undecided() else {
            if attempt.step.run.gives_up {
                // No bypass does that.
                let never = attempt.step.run.terms.truth(false);
                return Ok(attempt.step.claims(known, vec![(What::Possible, never), (What::Sides, never)]));
            }
            attempt.ran?;
            return compare(stack, bypass, attempt.step, &attempt.values, attempt.condition);
        };
        match decide(&mut attempt.step.run.terms, &known, branch) {
            Some(side) => sides.push(side),
            None => {
                let [never, other] = [attempt.step.run.terms.truth(false), attempt.step.run.terms.not(branch)];
                let all = vec![(What::Possible, never), (What::Sides, branch), (What::Sides, other)];
                return Ok(attempt.step.claims(known, all));
            }
        }
    }
}

/// What a bypass would have to do on each way that the handlers can go where its condition holds, at most `most` of
/// them: the claims assume that they go that way. Of a way that is none of a bypass nothing is right.
pub fn claims_of_ways(stack: &Stack, bypass: &Bypass, decide: Decide, most: usize) -> Vec<Claims> {
    let (mut found, mut open) = (vec![], vec![vec![]]);
    while let Some(sides) = open.pop().filter(|_| found.len() < most) {
        let Ok(mut attempt) = Attempt::run(stack, bypass, &[], sides.clone()) else { continue };
        let known = attempt.known();
        let with = |side: bool| [&sides[..], &[side]].concat();
        match attempt.undecided() {
            Some(branch) => match decide(&mut attempt.step.run.terms, &known, branch) {
                Some(side) => open.push(with(side)),
                None => open.extend([true, false].map(with)),
            },
            None if attempt.ran.is_ok() => {
                let compared = compare(stack, bypass, attempt.step, &attempt.values, attempt.condition);
                found.extend(compared.map(|claims| Claims { assumptions: known, ..claims }));
            }
            None => {
                let never = attempt.step.run.terms.truth(false);
                found.push(attempt.step.claims(known, vec![(What::Sides, never)]));
            }
        }
    }
    found
}

/// The handlers where the condition of a bypass holds, along some sides of the branches that this does not decide.
struct Attempt<'s> {
    step: Step<'s>,
    /// What is given to the bypass.
    values: Vec<Option<Value>>,
    condition: Term,
    ran: Result<(), Unsupported>,
}

impl<'s> Attempt<'s> {
    fn run(
        stack: &'s Stack,
        bypass: &Bypass,
        invariants: &[(LayerId, Expr)],
        sides: Vec<bool>,
    ) -> Result<Attempt<'s>, Unsupported> {
        let mut step = Step::new(stack, Guide::checking(sides));
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
        Ok(Attempt { step, values, condition, ran })
    }

    /// The first branch that nothing decides.
    fn undecided(&self) -> Option<Term> {
        self.step.guide().undecided.map(|(_, branch)| branch)
    }

    /// What holds where the handlers go these ways.
    fn known(&self) -> Vec<Term> {
        let decided = &self.step.guide().decided;
        self.step.run.assumptions.iter().copied().chain([self.condition]).chain(decided.iter().copied()).collect()
    }
}

impl Step<'_> {
    fn claims(self, assumptions: Vec<Term>, all: Vec<(What, Term)>) -> Claims {
        let Step { run, before, arguments, .. } = self;
        Claims { terms: run.terms, before, arguments, unpacked: run.unpacked, assumptions, all }
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
    step.run.state = before.clone();
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
    Ok(Claims { terms, before, arguments: step.arguments, unpacked: step.run.unpacked, assumptions, all })
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
