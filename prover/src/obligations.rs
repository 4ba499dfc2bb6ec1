//! What has to be shown of a stack: for any state in which the invariants of a layer hold, any event and any message,
//! each handler of the layer keeps them, meets no `unreachable`, violates no `assert` and exceeds no bound.
//!
//! This is induction by handler: nothing is assumed of other layers, nor of the order of events. So what is shown holds
//! at any time in any stack with this layer in this configuration. What is not shown may hold all the same, for a
//! reason that lies outside the handler: a counterexample is a state from which one handler breaks the claim, and it
//! may be one that no run reaches.

use std::collections::BTreeSet;
use std::sync::Arc;

use nacre_stack::*;
use nacre_symbolic::claims;
use nacre_symbolic::execute::{ClaimKind, Run};
use nacre_symbolic::state::{arbitrary, is_state, zero_of, State};
use nacre_symbolic::terms::{script, Goal, Term, Terms};
use nacre_symbolic::values::Value;
use nacre_symbolic::Unsupported;

/// The obligations of one body of code.
#[derive(Clone, Debug)]
pub struct Part {
    pub layer: LayerId,
    /// The handler, by name, or `open` or `view`.
    pub name: String,
    /// Not of the opening or a view.
    pub is_handler: bool,
    pub span: Span,
    /// Err: a construct without terms; nothing is claimed.
    pub obligations: Result<Vec<Obligation>, Unsupported>,
    /// The terms of the goals of the obligations.
    pub terms: Arc<Terms>,
}

/// One claim about one body of code.
#[derive(Clone, Debug)]
pub struct Obligation {
    pub kind: Kind,
    pub span: Span,
    /// The negated claim in SMT-LIB; None: calculation has shown it.
    pub problem: Option<Problem>,
}

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An invariant, by its place in its layer, holds afterwards.
    Invariant(usize),
    /// A claim of the code.
    Code(ClaimKind),
}

/// A problem for a solver: unsatisfiable if the claim holds.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Over the terms of its part.
    pub goal: Goal,
    pub text: String,
    /// The names of the values that it asks for, in order.
    pub shown: Vec<String>,
}

/// Obligations, and the terms that they are about.
type Found = (Vec<Obligation>, Terms);
/// Invariants that loops need not keep: the number of the handler, the loop's span, the invariant's place in its layer.
pub type Loose = BTreeSet<(usize, Span, usize)>;

/// The obligations of a stack: of each layer the opening and a new view, then each handler.
pub fn of_stack(stack: &Stack) -> Vec<Part> {
    of_stack_where(stack, &Loose::new())
}

/// The same, where loops need not keep some invariants.
pub fn of_stack_where(stack: &Stack, loose: &Loose) -> Vec<Part> {
    let mut parts = vec![];
    for layer in (0..stack.layers.len() as u32).map(LayerId) {
        if stack.layer(layer).invariants.is_empty() && !has_claims(stack, layer) {
            continue;
        }
        let span = stack.layer(layer).span;
        let part = |name: &str, is_handler, span, found: Result<Found, Unsupported>| {
            let (obligations, terms) = match found {
                Ok((obligations, terms)) => (Ok(obligations), terms),
                Err(why) => (Err(why), Terms::new()),
            };
            Part { layer, name: name.into(), is_handler, span, obligations, terms: Arc::new(terms) }
        };
        parts.push(part("open", false, span, opening(stack, layer)));
        if stack.has_views() {
            parts.push(part("view", false, span, of_view(stack, layer)));
        }
        for handler in stack.handlers.iter().filter(|handler| handler.layer == layer && !handler.passes) {
            parts.push(part(&handler.name, true, handler.span, of_handler(stack, handler, loose)));
        }
    }
    parts
}

/// Whether the code of a layer claims something itself.
fn has_claims(stack: &Stack, layer: LayerId) -> bool {
    let handlers = stack.handlers.iter().filter(|handler| handler.layer == layer).map(|handler| &handler.body);
    let functions = stack.functions.iter().filter(|function| function.layer == layer).map(|function| &function.body);
    claims::any_in(stack, handlers.chain(functions))
}

/// After opening, the invariants hold.
fn opening(stack: &Stack, layer: LayerId) -> Result<Found, Unsupported> {
    let mut run = after_opening(stack, layer)?;
    Ok((invariants(&mut run)?, run.terms))
}

/// A layer when a connection has been opened.
pub(crate) fn after_opening(stack: &Stack, layer: LayerId) -> Result<Run<'_>, Unsupported> {
    let mut terms = Terms::new();
    let (state, valid) = State::arbitrary(stack, &mut terms, layer);
    let mut run = Run::new(stack, terms, layer, state);
    run.assume(valid);
    initialize(&mut run, is_state)?;
    Ok(run)
}

/// In a new view the invariants hold if they did before.
fn of_view(stack: &Stack, layer: LayerId) -> Result<Found, Unsupported> {
    let mut run = after_view(stack, layer)?;
    Ok((invariants(&mut run)?, run.terms))
}

/// A layer in a new view: shared and lasting cells keep their values, given ones have any.
pub(crate) fn after_view(stack: &Stack, layer: LayerId) -> Result<Run<'_>, Unsupported> {
    let mut terms = Terms::new();
    let (before, valid_before) = State::arbitrary(stack, &mut terms, layer);
    let (mut given, valid) = State::arbitrary(stack, &mut terms, layer);
    let mut run = Run::new(stack, terms, layer, before);
    run.assume(valid_before);
    assume_invariants(&mut run)?;
    run.assume(valid);
    for (at, cell) in stack.cells.iter().enumerate().filter(|(_, cell)| is_state(cell.scope)) {
        let is_drawn_again = cell.scope == Scope::Session && !cell.draws.is_empty();
        if !is_drawn_again {
            given.cells[at] = run.state.cells[at].clone();
        }
    }
    run.state = given;
    initialize(&mut run, |scope| scope == Scope::Session)?;
    Ok(run)
}

/// Sets the cells of some scopes as they begin; those that are drawn stay as they are.
fn initialize(run: &mut Run, wanted: impl Fn(Scope) -> bool) -> Result<(), Unsupported> {
    let (stack, layer) = (run.stack, run.layer);
    let mine = |cell: &Cell| cell.layer == layer && wanted(cell.scope) && cell.draws.is_empty();
    let cells = || stack.cells.iter().enumerate().filter(|(_, cell)| mine(cell));
    for (at, cell) in cells() {
        run.state.cells[at] = zero_of(stack, &mut run.terms, layer.index(), &cell.ty);
    }
    for (at, cell) in cells() {
        if let Some(initial) = &cell.initial {
            let value = run.evaluate(initial, &cell.locals)?;
            run.state.cells[at] = Ok(value);
        }
    }
    Ok(())
}

fn assume_invariants(run: &mut Run) -> Result<(), Unsupported> {
    for at in 0..run.stack.layer(run.layer).invariants.len() {
        let holds = run.invariant(at)?;
        run.assume(holds);
    }
    Ok(())
}

/// After a handler, the invariants hold if they did before.
pub(crate) fn of_handler(stack: &Stack, handler: &Handler, loose: &Loose) -> Result<Found, Unsupported> {
    let mut run = after_handler(stack, handler, loose, true)?;
    let mut found = vec![];
    for claim in run.claims.clone() {
        let assumptions = run.assumptions[..claim.assumptions].to_vec();
        let claimed = run.terms.implies(claim.guard, claim.holds);
        found.push(obligation(&run, Kind::Code(claim.kind), claim.span, assumptions, claimed));
    }
    found.extend(invariants(&mut run)?);
    Ok((found, run.terms))
}

/// A layer after a handler, from any state in which the invariants hold. Code goes on where an assertion does not hold:
/// who does not show them must not rely on them.
pub(crate) fn after_handler<'s>(
    stack: &'s Stack,
    handler: &Handler,
    loose: &Loose,
    relies_on_assertions: bool,
) -> Result<Run<'s>, Unsupported> {
    let mut terms = Terms::new();
    let (state, valid) = State::arbitrary(stack, &mut terms, handler.layer);
    let mut run = Run::new(stack, terms, handler.layer, state);
    let number = stack.handlers.iter().position(|other| std::ptr::eq(other, handler));
    let mine = loose.iter().filter(|(at, ..)| Some(*at) == number);
    run.relies_on_assertions = relies_on_assertions;
    run.loose = mine.map(|(_, span, invariant)| (*span, *invariant)).collect();
    run.assume(valid);
    assume_invariants(&mut run)?;
    let parameters = parameters(&mut run, handler)?;
    admit(&mut run, handler, &parameters)?;
    let fields = handler.fields.iter().map(|local| any(&mut run, handler, *local)).collect::<Result<_, _>>()?;
    fire(&mut run, handler)?;
    run.handler(handler, parameters, fields)?;
    Ok(run)
}

fn parameters(run: &mut Run, handler: &Handler) -> Result<Vec<Value>, Unsupported> {
    handler.parameters.iter().map(|local| any(run, handler, *local)).collect()
}

fn any(run: &mut Run, handler: &Handler, local: LocalId) -> Result<Value, Unsupported> {
    let Local { name, ty, .. } = &handler.locals[local.index()];
    let any = arbitrary(run.stack, &mut run.terms, handler.layer.index(), name, ty)?;
    run.assume(any.is_valid);
    Ok(any.value)
}

/// A call of the host runs only if it is admitted; it is the first event of its step.
fn admit(run: &mut Run, handler: &Handler, parameters: &[Value]) -> Result<(), Unsupported> {
    let Some(event) = handler.event else { return Ok(()) };
    let is_called = |input: &&PortInput| input.event == event && input.layer == handler.layer;
    let Some(input) = run.stack.ports.iter().flat_map(|port| &port.inputs).find(is_called) else { return Ok(()) };
    for admission in input.admissions.iter().filter(|admission| admission.layer == handler.layer) {
        let holds = run.condition_with(&admission.condition, &admission.locals, parameters.to_vec())?;
        run.assume(holds);
    }
    Ok(())
}

/// A timer that fires was armed and due, and is not armed any more.
fn fire(run: &mut Run, handler: &Handler) -> Result<(), Unsupported> {
    let at = run.stack.handlers.iter().position(|other| std::ptr::eq(other, handler));
    let mine = |timer: &&Timer| Some(timer.handler.index()) == at;
    let Some(timer) = run.stack.timers.iter().find(mine) else { return Ok(()) };
    if !timer.path.is_empty() {
        return Err(Unsupported { what: "a timer inside a value".into() });
    }
    let before = run.state.cells[timer.cell.index()].clone()?.term()?;
    let is_due = run.is_due(before);
    run.assume(is_due);
    let never = run.terms.bits(64, u128::from(u64::MAX));
    run.state.cells[timer.cell.index()] = Ok(Value::Term(never));
    Ok(())
}

fn invariants(run: &mut Run) -> Result<Vec<Obligation>, Unsupported> {
    let mut found = vec![];
    for at in 0..run.stack.layer(run.layer).invariants.len() {
        let holds = run.invariant(at)?;
        let span = run.stack.layer(run.layer).invariants[at].span;
        found.push(obligation(run, Kind::Invariant(at), span, run.assumptions.clone(), holds));
    }
    Ok(found)
}

fn obligation(run: &Run, kind: Kind, span: Span, assumptions: Vec<Term>, claim: Term) -> Obligation {
    if run.terms.truth_of(claim) == Some(true) {
        return Obligation { kind, span, problem: None };
    }
    let goal = Goal { name: format!("{kind:?}"), assumptions, claim };
    let (names, shown): (Vec<String>, Vec<Term>) = run.terms.free_of(&goal).into_iter().unzip();
    let (text, shown) = (script(&run.terms, &goal, &shown), names);
    let problem = Problem { goal, text, shown };
    Obligation { kind, span, problem: Some(problem) }
}
