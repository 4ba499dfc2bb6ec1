//! What a subject and the automata around it require and provide, from typed information alone.

use std::collections::BTreeSet;

use nacre_driver::{is_settable, Session};
use nacre_specification::{Action, ActionKind};
use nacre_stack::visit::{Node, Traverse};
use nacre_stack::{BinaryOp, Direction, Event, EventRole, Expr, ExprKind, FilterUnit, LocalId};
use nacre_stack::{Scope, Stack, Statement, StatementKind, Type};
use nacre_syntax::ast;
use nacre_worlds::setup::{Setup, BELOW, LONGEST};
use nacre_worlds::world::{Subject, World};

/// A parameter of a layer or of an automaton that a configuration can set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub path: Vec<String>,
    /// None: it has no default, or one that is no literal.
    pub default: Option<u64>,
    pub is_flag: bool,
}

/// An event from above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    pub has_message: bool,
    /// Its other parameters that are numbers.
    pub arguments: Vec<String>,
}

/// What the choices of a configuration are derived from.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub parameters: Vec<Parameter>,
    /// Of the automaton below.
    pub network: Vec<Parameter>,
    pub calls: Vec<Call>,
    /// Lengths of messages at which the subject behaves differently.
    pub lengths: BTreeSet<u64>,
    /// Capacities of containers of messages.
    pub capacities: BTreeSet<u64>,
    pub timers: Vec<Vec<String>>,
    /// Given values with a default, which the host need not set: numbers, with their widths.
    pub givens: Vec<(String, u8)>,
    /// Actions of the automaton below that never have to happen.
    pub faults: Vec<String>,
    pub has_numbers: bool,
    pub has_assertions: bool,
}

impl Facts {
    /// The facts of a world.
    pub fn of(session: &Session, subject: &Subject, world: &World) -> Facts {
        let setup = &world.setup;
        let stack = setup.stack();
        let short = |name: &String| match subject.is_layer {
            true => vec![name.rsplit('.').next().unwrap_or(name).to_string()],
            false => name.split('.').map(str::to_string).collect(),
        };
        // Timers in containers have names that no setting can have.
        let timers = stack.timers.iter().filter(|t| !t.name.contains('[')).map(|t| short(&t.name));
        let givens = stack.cells.iter().filter(|c| c.scope == Scope::Given && c.initial.is_some() && is_settable(c));
        let width = |ty: &Type| if let Type::UInt(bits) = ty { Some(*bits) } else { None };
        Facts {
            parameters: of_layers(session, subject),
            network: of_automaton(session, &setup.below.name),
            calls: calls(setup),
            lengths: lengths(stack),
            capacities: stack.cells.iter().flat_map(|c| capacities(stack, &c.ty)).collect(),
            timers: timers.collect(),
            givens: givens.filter_map(|c| Some((c.name.clone(), width(&c.ty)?))).collect(),
            faults: faults(&setup.below.actions),
            has_numbers: has_numbers(stack),
            has_assertions: has_statement(stack, |s| matches!(s.kind, StatementKind::Assert(..))),
        }
    }
}

/// The parameters of the layers of a subject. Durations are left out: any timer may fire at any time.
pub fn of_layers(session: &Session, subject: &Subject) -> Vec<Parameter> {
    let layers = session.program.layers_under(&subject.name);
    let all = layers.iter().flat_map(|layer| layer.parameters.iter().map(move |p| (layer, p)));
    let mut found: Vec<Parameter> = vec![];
    for (layer, declared) in all {
        let ast::TypeKind::Name(ty, _) = &declared.ty.kind else { continue };
        let name = declared.name.name.clone();
        let path = if subject.is_layer { vec![name] } else { vec![layer.name.name.clone(), name] };
        let is_known = found.iter().any(|p: &Parameter| p.path == path);
        if ty.name != "duration" && !is_known {
            found.push(Parameter { path, default: literal(declared), is_flag: ty.name == "bool" });
        }
    }
    found
}

/// The parameters of an automaton and of those that it extends.
pub fn of_automaton(session: &Session, name: &str) -> Vec<Parameter> {
    let declared = |name: &str| session.program.automata().find(|a| a.name.name == name);
    let mut found: Vec<Parameter> = vec![];
    let (mut next, mut seen) = (declared(name), vec![]);
    while let Some(automaton) = next.filter(|a| !seen.contains(&a.name.name.as_str())) {
        seen.push(automaton.name.name.as_str());
        for parameter in &automaton.parameters {
            let path = vec![parameter.name.name.clone()];
            if !found.iter().any(|p| p.path == path) {
                found.push(Parameter { path, default: literal(parameter), is_flag: false });
            }
        }
        next = automaton.extends.as_ref().and_then(|e| declared(&e.name));
    }
    found
}

fn literal(parameter: &ast::Parameter) -> Option<u64> {
    match parameter.default.as_ref().map(|d| &d.kind) {
        Some(ast::ExprKind::Number(n)) => Some(*n),
        Some(ast::ExprKind::True) => Some(1),
        Some(ast::ExprKind::False) => Some(0),
        _ => None,
    }
}

/// The automata that may be below a subject instead of the one that it requires: those that a configuration of the
/// file can name.
pub fn automata(session: &Session) -> Vec<String> {
    session.program.automata_in_scope().map(|a| a.name.name.clone()).collect()
}

/// The call that sends a message; without one, the first call.
pub fn main_call(stack: &Stack) -> Option<String> {
    let inputs = stack.interface().into_iter().filter(|e| e.port != BELOW && e.input.is_some());
    let mut events: Vec<&Event> = inputs.map(|e| stack.event(e.event)).collect();
    events.sort_by_key(|e| (e.role != EventRole::Sending, e.message.is_none()));
    events.first().map(|e| e.name.clone())
}

/// The calls without a message that carry numbers: what they allow may be needed for other calls.
pub fn numbered_calls(stack: &Stack) -> Vec<String> {
    let inputs = stack.interface().into_iter().filter(|e| e.port != BELOW && e.input.is_some());
    let events = inputs.map(|e| stack.event(e.event)).filter(|e| e.message.is_none());
    let numbered = events.filter(|e| e.parameters.iter().any(|p| matches!(p.ty, Type::UInt(_))));
    numbered.map(|e| e.name.clone()).collect()
}

/// The events from above that a layer handles, or that an automaton mentions.
fn calls(setup: &Setup) -> Vec<Call> {
    let stack = setup.stack();
    let handled = |event: &Event| {
        let named = |id| stack.event(id).name == event.name && stack.event(id).direction == Direction::Down;
        stack.handlers.iter().any(|h| !h.passes && h.event.is_some_and(named))
    };
    let input = |a: &Action, event: &Event| a.kind == ActionKind::Input && a.name == event.name;
    let automata = || setup.above.iter().chain([&setup.below]);
    let mentioned = |event: &Event| automata().any(|automaton| automaton.actions.iter().any(|a| input(a, event)));
    let mut found: Vec<Call> = vec![];
    let inputs = stack.interface().into_iter().filter(|e| e.port != BELOW && e.input.is_some());
    for event in inputs.map(|e| stack.event(e.event)).filter(|e| handled(e) || mentioned(e)) {
        if found.iter().any(|call| call.name == event.name) {
            continue;
        }
        let numbers = event.parameters.iter().filter(|p| matches!(p.ty, Type::UInt(_) | Type::Range(..)));
        found.push(Call {
            name: event.name.clone(),
            has_message: event.message.is_some(),
            arguments: numbers.map(|p| p.name.clone()).collect(),
        });
    }
    // Messages first: the other calls are made besides them.
    found.sort_by_key(|call| !call.has_message);
    found
}

/// The actions of which every definition is a fault.
fn faults(actions: &[Action]) -> Vec<String> {
    let never_has_to = |name: &String| actions.iter().filter(|a| a.name == *name).all(Action::is_fault);
    let mut names: Vec<String> = actions.iter().filter(|a| !a.is_never()).map(|a| a.name.clone()).collect();
    names.retain(|name| never_has_to(name));
    names.sort();
    names.dedup();
    names
}

/// The constants with which lengths of messages are compared or by which messages are cut, and the words that filters
/// read.
fn lengths(stack: &Stack) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    let mut in_code = |body: &[Statement]| {
        let mut measured: BTreeSet<LocalId> = BTreeSet::new();
        body.each_statement(|s| match &s.kind {
            StatementKind::Let(local, value) if measures(value, &BTreeSet::new()) => {
                measured.insert(*local);
            }
            _ => {}
        });
        body.each_expr(|e| found.extend(decides(e, &measured)));
    };
    stack.handlers.iter().for_each(|h| in_code(&h.body));
    stack.functions.iter().for_each(|f| in_code(&f.body));
    for (_, admission) in stack.admissions() {
        admission.condition.each_expr(|e| found.extend(decides(e, &BTreeSet::new())));
    }
    let reads_words = stack.filters.iter().any(|f| f.unit == FilterUnit::Word);
    found.extend(reads_words.then_some(WORD));
    found.retain(|n| (1..=LONGEST as u64).contains(n));
    found
}

/// The bytes of a word of a filter.
const WORD: u64 = 4;

/// The constant by which an expression decides on a length.
fn decides(expr: &Expr, measured: &BTreeSet<LocalId>) -> Option<u64> {
    match &expr.kind {
        ExprKind::Binary(op, a, b) if is_comparison(*op) => match (measures(a, measured), measures(b, measured)) {
            (true, false) => nacre_analysis::constants::constant(b),
            (false, true) => nacre_analysis::constants::constant(a),
            _ => None,
        },
        ExprKind::Slice(_, _, length) => nacre_analysis::constants::constant(length),
        _ => None,
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual)
}

/// Whether a value is computed of the length of a message.
fn measures(expr: &Expr, measured: &BTreeSet<LocalId>) -> bool {
    expr.any_expr(|e| match &e.kind {
        ExprKind::Length(_) => true,
        ExprKind::Local(local) => measured.contains(local),
        _ => false,
    })
}

/// The capacities of the containers in a type.
fn capacities(stack: &Stack, ty: &Type) -> Vec<u64> {
    let mut found = vec![];
    let mut waiting = vec![ty];
    while let Some(ty) = waiting.pop() {
        match ty {
            Type::Ring(t, n) | Type::List(t, n) | Type::Window(t, n, _) | Type::Pool(t, n) | Type::Map(_, t, n) => {
                found.push(u64::from(*n));
                waiting.push(t);
            }
            Type::Array(t, _) | Type::Option(t) => waiting.push(t),
            Type::Tuple(types) => waiting.extend(types),
            Type::Struct(id) => waiting.extend(stack.structs[id.index()].fields.iter().map(|f| &f.ty)),
            _ => {}
        }
    }
    found
}

/// Whether a stack has sequence numbers.
fn has_numbers(stack: &Stack) -> bool {
    let is = |ty: &Type| matches!(ty, Type::Seq(_) | Type::Window(..));
    let fields = stack.headers.iter().flat_map(|h| &h.fields).map(|f| &f.ty);
    stack.cells.iter().map(|c| &c.ty).chain(fields).any(is)
}

fn has_statement(stack: &Stack, is: impl Fn(&Statement) -> bool) -> bool {
    stack.any(|node| matches!(node, Node::Statement(s) if is(s)))
}
