//! Builds a world that can be searched from a source and the command line.

use std::collections::HashSet;
use std::sync::Arc;

use crate::idle::idle;
use crate::initial;
use crate::reading::Reading;
pub use crate::refusal::Refusal;
use crate::runnable;
use crate::setup::{Bounds, Setup, BELOW};
use crate::stacks::distinct;
use crate::timing;
use crate::values::type_seen;
use nacre_analysis::timing::Leak;
use nacre_driver::{variation, LayerPromises, Resolved, Session, Variation};
use nacre_specification::{Action, ActionKind, Automaton, Configuration, Guard, Parameter};
use nacre_specification::{Expr as SpecExpr, Type as SpecType, Value as SpecValue};
use nacre_stack::{Direction, EventRole, HandlerId, Stack, Type};
use nacre_syntax::ast;

/// The subject of a verification: a layer alone, or a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub name: String,
    pub is_layer: bool,
}

/// A subject in one configuration.
pub struct World {
    pub setup: Setup,
    /// The settings as the verdict prints them: `W = 2, send = (3, 0)`.
    pub configuration: Vec<String>,
    pub configuration_name: String,
    /// The caveats of a verdict: `payload is read`, `time is kept`.
    pub caveats: Vec<String>,
    /// Why even a search of the whole world is incomplete: then no engine may report that it holds.
    pub gaps: Vec<String>,
}

impl World {
    /// The handlers that can run here.
    pub fn runnable(&self) -> HashSet<HandlerId> {
        runnable::handlers(self.setup.stack(), &self.setup.below)
    }
}

/// Returns the layers of a subject, top first, with their properties.
fn layers(session: &Session, subject: &Subject) -> Vec<LayerPromises> {
    let all = session.layers();
    let names: Vec<String> = match session.program.stack(&subject.name).map(|s| &s.body) {
        Some(ast::StackBody::Layers(layers)) if !subject.is_layer => {
            layers.iter().map(|l| l.name.name.clone()).collect()
        }
        _ => vec![subject.name.clone()],
    };
    names
        .iter()
        .filter_map(|n| all.iter().find(|l| l.name == *n || n.ends_with(&format!(".{}", l.name))))
        .cloned()
        .collect()
}

/// The names of the automata below and above a subject.
pub struct Between {
    pub below: Option<String>,
    pub above: Vec<Monitor>,
    /// Properties, and why they are not checked.
    pub trusted: Vec<String>,
}

/// An automaton above.
pub struct Monitor {
    pub name: String,
    /// Whether it is the automaton below, or one that this extends, preserved by the subject: then it has the same
    /// parameters.
    pub handed: bool,
}

/// Returns the automata around a subject: below, the one that its lowest layer requires or that a configuration names
/// (`over`); above, those that its layers provide or preserve.
pub fn between(session: &Session, subject: &Subject, over: Option<&str>) -> Between {
    let layers = layers(session, subject);
    let mut trusted = vec![];
    let mut automata = |names: &[String]| -> Vec<String> {
        let (known, others): (Vec<String>, Vec<String>) = names.iter().cloned().partition(|n| session.is_automaton(n));
        trusted.extend(others);
        known
    };
    let required = layers.last().map(|l| automata(&l.requires)).unwrap_or_default();
    let held: Vec<String> = over.map_or(required, |name| vec![name.to_string()]);
    let monitor = |name: &String, handed| Monitor { name: name.clone(), handed };
    // From the bottom up: a layer replaces the properties that it requires by those that it provides; the others, and
    // those that a configuration names, hold above it as well.
    let mut above: Vec<Monitor> = held.iter().map(|name| monitor(name, true)).collect();
    for layer in layers.iter().rev() {
        // What it requires and provides it preserves, with parameters of its own.
        let (renewed, provided): (Vec<String>, Vec<String>) =
            automata(&layer.provides).into_iter().partition(|name| layer.requires.contains(name));
        let mut provided: Vec<Monitor> = provided.iter().map(|name| monitor(name, false)).collect();
        // Below a layer that provides automata, the others are its own affair.
        let replaces = !provided.is_empty();
        if !replaces || over.is_some() {
            let broken = |name: &String| extended(session, name).iter().any(|n| layer.breaks.contains(n));
            // If an automaton is broken, one that it extends may still hold.
            let left = |name: &String| extended(session, name).into_iter().find(|n| !broken(n));
            let known = |name: &String, by: &[Monitor]| {
                by.iter().any(|p| p.name == *name || session.program.refined(&p.name).contains(name))
            };
            let handed = above.iter().filter(|a| !replaces || a.handed);
            let handed = handed.filter_map(|a| {
                let name = left(&a.name)?;
                // One that it breaks leaves what that extends, which may be what the layer provides.
                let whole = if name == a.name { vec![name.clone()] } else { extended(session, &name) };
                Some(Monitor { handed: a.handed && !whole.iter().any(|n| renewed.contains(n)), name })
            });
            let handed: Vec<Monitor> = handed.filter(|a| !known(&a.name, &provided)).collect();
            provided.extend(handed);
        }
        above = provided;
    }
    trusted.sort();
    trusted.dedup();
    Between { below: held.into_iter().next(), above, trusted }
}

/// Returns an automaton and those that it extends.
fn extended(session: &Session, automaton: &str) -> Vec<String> {
    let mut names = vec![];
    let mut next = Some(automaton.to_string());
    while let Some(name) = next.take() {
        let found = session.program.automata().find(|a| a.name.name == name);
        next = found.and_then(|a| a.extends.as_ref()).map(|e| e.name.clone()).filter(|n| !names.contains(n));
        names.push(name);
    }
    names
}

/// What the search leaves out although it could change the verdict.
fn gaps(stacks: &[Arc<Stack>], network: &Automaton, reading: &Reading) -> Vec<String> {
    let timed = !reading.bounds.trip.is_empty();
    let untimed = distinct(stacks).filter(|_| !timed);
    let leaks = untimed.flat_map(nacre_analysis::timing::leaks).collect::<Vec<_>>();
    let gap = |leak: &Leak| {
        format!("in `{}` the clock affects {}, but the search does everything at time 0", leak.code, leak.into)
    };
    let mut gaps: Vec<String> = leaks.first().map(gap).into_iter().collect();
    let limited = |a: &&Action| reading.bounds.limits.iter().any(|(name, most)| *name == a.name && *most == 0);
    let mut actions = network.actions.iter().filter(|a| timed && !a.is_never() && !limited(a));
    // A fault output comes at any time.
    if actions.any(|a| a.alters() && !(a.kind == ActionKind::Output && a.is_fault())) {
        let name = &network.name;
        gaps.push(format!("`{name}` changes or makes up frames, which do not arrive with a clock (`trip`)"));
    }
    gaps
}

/// The event that opening puts in at the bottom: for the network it is an output that has happened.
fn opening(stack: &Stack) -> Option<String> {
    stack.openings().next().map(|input| stack.event(input.event).name.clone())
}

/// Makes the world of a subject in a configuration, with the settings of the command line.
pub fn world(
    session: &Session,
    subject: &Subject,
    configuration: &Configuration,
    any_order: bool,
) -> Result<World, Refusal> {
    let settings = session.settings(configuration).map_err(|found| {
        let spoken = found.iter().find(|d| nacre_driver::is_of_command_line(d));
        match spoken {
            Some(d) if d.help.is_empty() => Refusal::Usage(format!("--set: {}", d.message)),
            Some(d) => Refusal::Usage(format!("--set: {} ({})", d.message, d.help.join("; "))),
            None => Refusal::Diagnostics(found),
        }
    })?;
    let between = between(session, subject, configuration.over.as_deref());
    let below = between.below.ok_or_else(|| Refusal::Words(format!("no automaton is below `{}`", subject.name)))?;
    let bounds = Bounds { calls: vec![], any_order, ..Bounds::default() };
    let members = nacre_driver::members(&settings);
    let mut reading = Reading { members, bounds, ..Reading::default() };
    for setting in &settings {
        reading.setting(setting)?;
    }
    if reading.bounds.calls.is_empty() {
        reading.bounds.calls = Bounds::default().calls;
    }
    let automaton =
        |name: &str, settings: &[(String, u64)]| session.automaton(name, settings).map_err(Refusal::Diagnostics);
    let mut network = automaton(&below, &reading.automata)?;
    let monitor = |monitor: &Monitor| {
        let known = session.program.automaton_parameters(&monitor.name);
        let handed = reading.automata.iter().filter(|_| monitor.handed);
        let same = handed.chain(&reading.specified).filter(|(name, _)| known.contains(name));
        automaton(&monitor.name, &same.cloned().collect::<Vec<_>>())
    };
    let mut above: Vec<Automaton> = between.above.iter().map(monitor).collect::<Result<_, _>>()?;
    let stacks = stacks(session, subject, &settings, &mut reading)?;
    let stack = &stacks[0];
    network.opening = opening(stack);
    refuse_made_up(&mut above, &network, &within(session, subject), stack);
    let mut caveats = vec![];
    if above.is_empty() {
        caveats.push("it provides no automaton: only assertions, invariants and bounds were checked".to_string());
    }
    if reading.bounds.limits.iter().any(|(name, _)| name == "timers") {
        caveats.push("timers are limited, so progress is not guaranteed: goals were not checked".to_string());
    }
    caveats.extend(idle(&reading, &stacks).map(str::to_string));
    if stack.has_views() {
        caveats.push(
            "some state outlives a view, but only one view is entered: the verdict holds for this view".to_string(),
        );
    }
    caveats.extend(trusted(&between.trusted));
    for stack in distinct(&stacks) {
        caveats.extend(timing::compare(stack, &stacks, &settings)?);
        refuse_windows(stack, &reading)?;
    }
    let gaps = gaps(&stacks, &network, &reading);
    if !reading.bounds.trip.is_empty() {
        caveats.push("with a clock each frame arrives at most once, as it was sent, but for fault outputs".into());
    }
    caveats.extend(nacre_stack::models::replaced(stack));
    for (layer, what) in nacre_stack::payload::readers(stack).into_iter().take(3) {
        caveats
            .push(format!("`{layer}` {what}: the verdict holds for the messages that were sent, not for any contents"));
    }
    let mut shown: Vec<String> = vec![format!("network {}", network.description)];
    shown.extend(above.iter().map(|a| format!("specification {}", a.description)));
    let descriptions: Vec<&str> = stacks.iter().map(|stack| stack.description.as_str()).collect();
    match differ(&stacks) {
        false => shown.push(format!("stack {}", stack.description)),
        true => shown.push(format!("stack {}", reading.members.at_each(&descriptions))),
    }
    shown.extend(reading.shown());
    let setup = Setup::of_members(stacks, network, above, reading.bounds);
    Ok(World { setup, configuration: shown, configuration_name: configuration.name.clone(), caveats, gaps })
}

/// What a verdict relies on without a check.
fn trusted(properties: &[String]) -> Option<String> {
    let names: Vec<String> = properties.iter().map(|name| format!("`{name}`")).collect();
    let are = if names.len() == 1 { "is a property" } else { "are properties" };
    (!names.is_empty()).then(|| format!("{} {are}: trusted, not checked", names.join(" and ")))
}

/// Composes the stack of each member; one for all that have the same parameters.
fn stacks(
    session: &Session,
    subject: &Subject,
    settings: &[Resolved],
    reading: &mut Reading,
) -> Result<Vec<Arc<Stack>>, Refusal> {
    let varied = |end: usize| Variation { sequence_bits: reading.sequence_bits, ..variation(settings, end) };
    let variations: Vec<Variation> = reading.members.all().map(varied).collect();
    let mut composed = |variation: &Variation| {
        let (mut stack, _) = session.compose_varied(&subject.name, variation).map_err(Refusal::Diagnostics)?;
        reading.bounds.given = initial::set(&mut stack, &reading.given);
        Ok::<Arc<Stack>, Refusal>(Arc::new(stack))
    };
    let mut stacks: Vec<Arc<Stack>> = vec![];
    for (end, variation) in variations.iter().enumerate() {
        let known = variations[..end].iter().position(|before| before == variation);
        stacks.push(match known {
            Some(before) => stacks[before].clone(),
            None => composed(variation)?,
        });
    }
    Ok(stacks)
}

fn differ(stacks: &[Arc<Stack>]) -> bool {
    distinct(stacks).nth(1).is_some()
}

/// Refuses windows that do not fit their numbers.
fn refuse_windows(stack: &Stack, reading: &Reading) -> Result<(), Refusal> {
    let age = reading.automata.iter().find(|(name, _)| name == "AGE").map_or(0, |(_, n)| *n);
    for (cell, (entries, bits)) in
        stack.cells.iter().flat_map(|c| windows(stack, &c.ty).into_iter().map(move |w| (c, w)))
    {
        if age.saturating_add(u64::from(entries)) >= 1 << (bits - 1) {
            return Err(Refusal::Words(format!(
                "`{}` numbers {entries} entries with {bits} bits, and copies arrive up to {age} sends late (AGE): \
                 the sum must be below {}",
                cell.name,
                1u64 << (bits - 1)
            )));
        }
    }
    Ok(())
}

/// The names of the outputs of all automata that the layers of a subject provide.
fn within(session: &Session, subject: &Subject) -> Vec<String> {
    let provided = layers(session, subject).into_iter().flat_map(|layer| layer.provides);
    let names: Vec<String> = provided.flat_map(|name| extended(session, &name)).collect();
    let automata = session.program.automata().filter(|a| names.contains(&a.name.name));
    let outputs = automata.flat_map(|a| &a.actions).filter(|action| action.kind == ast::ActionKind::Output);
    outputs.map(|action| action.name.name.clone()).collect()
}

/// Lets the first specification reject the events that layers make up: those that leave a stack upward although neither
/// the network emits them nor a specification mentions them, that of a layer `within` the stack included. (Events that
/// the network or such a layer emits and no specification above mentions are passed through.)
fn refuse_made_up(above: &mut [Automaton], network: &Automaton, within: &[String], stack: &Stack) {
    let gives = |automaton: &Automaton, name: &str| {
        automaton.actions.iter().any(|a| a.kind == ActionKind::Output && a.name == name)
    };
    let leaves = stack.interface().into_iter().filter(|e| e.port != BELOW && e.input.is_none());
    for event in leaves.map(|e| stack.event(e.event)) {
        let is_of_a_layer = within.contains(&event.name);
        let specified = is_of_a_layer || gives(network, &event.name) || above.iter().any(|a| gives(a, &event.name));
        let plain = matches!(event.role, EventRole::Plain | EventRole::Room);
        let made_up = event.direction == Direction::Up && plain && !specified;
        if let (true, Some(first)) = (made_up, above.first_mut()) {
            let at = Parameter { name: "p".into(), ty: SpecType::Rank, at: true };
            let carried =
                event.parameters.iter().map(|p| Parameter { name: p.name.clone(), ty: type_seen(&p.ty), at: false });
            let parameters: Vec<Parameter> = std::iter::once(at).chain(carried).collect();
            first.actions.push(Action {
                kind: ActionKind::Output,
                optional: false,
                name: event.name.clone(),
                locals: parameters.iter().map(|p| p.ty.clone()).collect(),
                parameters,
                guards: vec![Guard::Holds(SpecExpr::Const(SpecValue::Bool(false)))],
                body: vec![],
                peer: None,
                span: first.span,
            });
        }
    }
}

/// Returns the windows in a type: their capacities, and the widths of their numbers.
fn windows(stack: &Stack, ty: &Type) -> Vec<(u32, u8)> {
    match ty {
        Type::Window(_, entries, bits) => vec![(*entries, *bits)],
        Type::Array(t, _) | Type::Option(t) | Type::Pool(t, _) | Type::Map(_, t, _) => windows(stack, t),
        Type::Tuple(types) => types.iter().flat_map(|t| windows(stack, t)).collect(),
        Type::Struct(id) => stack.structs[id.index()].fields.iter().flat_map(|f| windows(stack, &f.ty)).collect(),
        _ => vec![],
    }
}
