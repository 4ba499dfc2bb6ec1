//! Mutants: a layer with one small mistake. The share that a specification detects measures its strength.
//!
//! | operator | change |
//! |---|---|
//! | comparison | swaps `<` and `<=`, or `==` and `!=` |
//! | arithmetic | swaps `+` and `-` |
//! | constant | replaces a number by the next one, a bool by its negation, or an enum variant by the next one |
//! | variable | reads the next variable of the same type instead, in the order of declaration |
//! | conjunct, disjunct | omits one operand of `&&`, of `\|\|` |
//! | guard | replaces a condition of `if` or `accepts` by `true`; one whose `if` only leaves the code, by `false` |
//! | else | omits an `else`, and drops the messages that it used |
//! | branch | swaps the two branches of an `if` |
//! | range | widens a loop or a slice by one |
//! | modulus | omits `%`, makes its divisor one larger, or halves the range of a sequence number in a header |
//! | update | omits an assignment, or an operation whose result is unused |
//! | call | omits a call of a function whose result is unused |
//! | timer | omits an `arm` or a `cancel` |
//! | variant | adds another header with the same fields |
//! | emission | omits an emission and drops its message |
//! | assertion | omits an `assert` |
//! | swap | swaps two statements of which one depends on the other |
//!
//! An operator is applied at every place except:
//!
//! | not mutated | reason |
//! |---|---|
//! | counters, durations, instants | they do not affect behaviour, or a checker erases them |
//! | code that affects only times ([`decisive`]) | if timers may fire at any time, it is unobservable |
//! | a condition that compares a random number | both outcomes are tried anyway |
//! | statements that follow `impossible` in its block | no correct peer leads there |
//!
//! A change is not a mutant if the compiler would reject it: the result must pass the validator and use each message
//! once. Nor is it one if it equals the original or another mutant.

mod conditions;
pub mod decisive;
mod edit;
mod effects;
mod numbers;
mod order;
mod variables;
mod walk;

use std::collections::BTreeMap;

use decisive::Decisive;
use edit::Change;
pub use edit::{Edit, Source};
use nacre_analysis::values::BodyId;
use nacre_stack::*;
use walk::Walker;

/// One mistake in a stack.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub operator: &'static str,
    /// Handler or function; layer, `accepts` and event for a condition of acceptance.
    pub place: String,
    /// The statement or expression that is changed.
    pub span: Span,
    /// The change.
    pub edit: Edit,
    /// Its number among the changes with the same operator, place and span.
    number: u32,
    code: Code,
}

/// Code of a stack with a mistake.
#[derive(Clone, Debug, PartialEq)]
enum Code {
    Handler(HandlerId, Block),
    Function(FunctionId, Block),
    /// The original condition, and the changed one.
    Accepts(Box<Admission>, Expr),
}

/// What the same mutant has in common in all configurations of a layer: their constants differ, and so do the changes
/// that compile.
pub type Key = (String, Span, &'static str, u32);

impl Mutant {
    /// Returns the source text of the changed code, on one line.
    pub fn before(&self, source: Source) -> String {
        self.edit.before(self.span, source)
    }

    /// Returns the same for the mutant; none: the code is omitted.
    pub fn after(&self, source: Source) -> Option<String> {
        self.edit.after(self.span, source)
    }

    /// Identifies the mutant in any configuration.
    pub fn key(&self) -> Key {
        (self.place.clone(), self.span, self.operator, self.number)
    }

    /// Returns the stack with the mistake.
    pub fn stack(&self, of: &Stack) -> Stack {
        let mut stack = of.clone();
        match &self.code {
            Code::Handler(id, body) => stack.handlers[id.index()].body = body.clone(),
            Code::Function(id, body) => stack.functions[id.index()].body = body.clone(),
            Code::Accepts(original, condition) => each_admission(&mut stack, &mut |admission| {
                if is_same(admission, original) {
                    admission.condition = condition.clone();
                }
            }),
        }
        nacre_stack::number(&mut stack);
        stack
    }
}

/// Returns every mutant of these layers; of all layers if none is named.
pub fn mutants(stack: &Stack, layers: &[LayerId]) -> Vec<Mutant> {
    let wanted = |layer: LayerId| layers.is_empty() || layers.contains(&layer);
    let decisive = Decisive::of(stack);
    let mut all = Collection { of: stack, mutants: vec![], tried: BTreeMap::new() };
    for (at, handler) in stack.handlers.iter().enumerate().filter(|(_, h)| wanted(h.layer) && !h.passes) {
        let id = HandlerId(at as u32);
        let scope: Vec<LocalId> = handler.parameters.iter().chain(&handler.fields).copied().collect();
        let body = (BodyId::Handler(id), handler.layer);
        let walker = || Walker::new(stack, &decisive, body, &handler.locals, scope.clone());
        each(&handler.body, walker, Walker::block, &mut |change, body| {
            all.add(change, &handler.name, Code::Handler(id, body));
        });
    }
    for (at, function) in stack.functions.iter().enumerate().filter(|(_, f)| wanted(f.layer)) {
        let id = FunctionId(at as u32);
        let body = (BodyId::Function(id), function.layer);
        let walker = || Walker::new(stack, &decisive, body, &function.locals, function.parameters.clone());
        each(&function.body, walker, Walker::block, &mut |change, body| {
            all.add(change, &function.name, Code::Function(id, body));
        });
    }
    for (event, admission) in accepted(stack).into_iter().filter(|(_, a)| wanted(a.layer)) {
        let scope: Vec<LocalId> = (0..admission.locals.len() as u32).map(LocalId).collect();
        let body = (BodyId::Said(admission.layer), admission.layer);
        let walker = || Walker::new(stack, &decisive, body, &admission.locals, scope.clone());
        let place = format!("{}.accepts.{}", stack.layer(admission.layer).name, stack.event(event).name);
        each(&admission.condition, walker, Walker::condition, &mut |change, condition| {
            all.add(change, &place, Code::Accepts(Box::new(admission.clone()), condition));
        });
    }
    all.mutants
}

/// Returns the conditions of `accepts`, except those that `compose` made of the room in frames. A condition is in the
/// stack for its layer and for the ports that it guards.
fn accepted(stack: &Stack) -> Vec<(EventId, &Admission)> {
    let mut found: Vec<(EventId, &Admission)> = vec![];
    let is_written = |a: &Admission| a.condition.span != stack.layer(a.layer).span;
    for (event, admission) in stack.admissions().filter(|(_, a)| is_written(a)) {
        if !found.iter().any(|(_, other)| is_same(other, admission)) {
            found.push((event, admission));
        }
    }
    found
}

fn is_same(a: &Admission, b: &Admission) -> bool {
    a == b && a.condition.span == b.condition.span
}

/// Calls `change` with each condition of `accepts`.
fn each_admission(stack: &mut Stack, change: &mut dyn FnMut(&mut Admission)) {
    let reactions = stack.layers.iter_mut().flat_map(|layer| &mut layer.reactions);
    reactions.filter_map(|r| r.accepts.as_mut()).for_each(&mut *change);
    let inputs = stack.ports.iter_mut().flat_map(|port| &mut port.inputs);
    inputs.flat_map(|input| &mut input.admissions).for_each(change);
}

/// Calls `found` with the code after each change.
fn each<'a, T: Clone>(
    code: &T,
    walker: impl Fn() -> Walker<'a>,
    walk: impl Fn(&mut Walker<'a>, &mut T),
    found: &mut dyn FnMut(Change, T),
) {
    for wanted in 0.. {
        let (mut changed, mut walker) = (code.clone(), walker());
        walker.wanted = wanted;
        walk(&mut walker, &mut changed);
        let Some(change) = walker.done else { return };
        found(change, changed);
    }
}

struct Collection<'a> {
    of: &'a Stack,
    mutants: Vec<Mutant>,
    /// How many changes there were of each operator, place and span.
    tried: BTreeMap<(&'static str, String, Span), u32>,
}

impl Collection<'_> {
    /// Adds a mutant if it compiles and is a new one.
    fn add(&mut self, (operator, span, edit): Change, place: &str, code: Code) {
        let number = self.tried.entry((operator, place.into(), span)).or_default();
        *number += 1;
        let mutant = Mutant { operator, place: place.into(), span, edit, number: *number, code };
        let stack = mutant.stack(self.of);
        let is_new = self.mutants.iter().all(|other| other.code != mutant.code);
        if is_new && stack != *self.of && compiles(&stack) {
            self.mutants.push(mutant);
        }
    }
}

fn compiles(stack: &Stack) -> bool {
    nacre_stack::validate(stack).is_ok() && nacre_analysis::linear::check(stack).is_empty()
}
