//! From what the source and the command line say to a world that can be searched.

use std::sync::Arc;

use nacre_checker::setup::{Bounds, Setup, BELOW};
use nacre_diagnostics::Diagnostic;
use nacre_driver::{LayerPromises, Override, Session, Variation};
use nacre_specification::{ActionKind, Automaton, Configuration, Setting};
use nacre_stack::{mask, Cell, Expr, ExprKind, Scope, Stack, Type};
use nacre_syntax::ast;

/// What is verified: a layer by itself, or a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub name: String,
    pub is_layer: bool,
}

/// A subject in one configuration.
pub struct World {
    pub setup: Setup,
    /// As the verdict shows it: `W = 2, send = (3, 0)`.
    pub configuration: Vec<String>,
    pub configuration_name: String,
    /// What cannot be claimed, in words: `payload is read`, `time is kept`.
    pub caveats: Vec<String>,
}

impl World {
    /// Whether a handler has something to do here: it is no mere passing on, and its event is one of the stack's own or one that
    /// the network has.
    pub fn may_run(&self, handler: &nacre_stack::Handler) -> bool {
        let stack = &self.setup.stack;
        let Some(event) = handler.event.map(|e| stack.event(e)) else { return true };
        let outside = handler.layer.index() == 0
            && event.direction == nacre_stack::Direction::Up
            && event.role != nacre_stack::EventRole::Opening;
        let outputs = self.setup.below.actions.iter().filter(|a| a.kind == ActionKind::Output);
        !handler.passes && (!outside || outputs.into_iter().any(|a| a.name == event.name))
    }
}

/// Why there is no world.
pub enum Refusal {
    Diagnostics(Vec<Diagnostic>),
    Words(String),
}

impl From<String> for Refusal {
    fn from(words: String) -> Refusal {
        Refusal::Words(words)
    }
}

/// The layers of a subject, top first, with what they promise.
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

/// The names of the automata below and above.
pub struct Between {
    pub below: Option<String>,
    pub above: Vec<String>,
    /// Properties, and why they are not checked.
    pub trusted: Vec<String>,
}

/// What a subject stands between: what its lowest layer requires, or the automaton that a configuration names (`over`); what
/// its layers provide and hand through to the top.
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
    // From the bottom up: what a layer provides comes instead of what it requires below it; the rest is handed through, and so is
    // what a configuration names.
    let mut above = held.clone();
    for layer in layers.iter().rev() {
        let mut provided = automata(&layer.provides);
        if provided.is_empty() || over.is_some() {
            let broken = |name: &String| extended(session, name).iter().any(|n| layer.breaks.contains(n));
            // Of an automaton that is broken, one that it extends may be left.
            let left = |name: &String| extended(session, name).into_iter().find(|n| !broken(n));
            let known = |name: &String, by: &[String]| by.iter().any(|p| extended(session, p).contains(name));
            let handed: Vec<String> = above.iter().filter_map(left).filter(|n| !known(n, &provided)).collect();
            provided.extend(handed);
        }
        above = provided;
    }
    trusted.sort();
    trusted.dedup();
    Between { below: held.into_iter().next(), above, trusted }
}

/// An automaton and what it extends.
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

/// The subject in a configuration, with what the command line adds.
pub fn world(
    session: &Session,
    subject: &Subject,
    configuration: &Configuration,
    any_order: bool,
) -> Result<World, Refusal> {
    let between = between(session, subject, configuration.over.as_deref());
    let Some(below) = &between.below else {
        let lowest = layers(session, subject).last().map(|l| l.name.clone()).unwrap_or_default();
        return Err(Refusal::Words(format!(
            "`{lowest}` requires no automaton, so nothing says over what `{0}` is to be checked (write `requires` and the name of an automaton, or `configuration NAME for {0} over AUTOMATON {{ ... }}`)",
            subject.name
        )));
    };
    let mut reading = Reading {
        session,
        subject,
        variation: Variation::default(),
        bounds: Bounds::default(),
        automata: vec![],
        timers: vec![],
        givens: vec![],
        given: vec![],
    };
    let parameters_below = parameters(session, below);
    let callable = reading.callable(&configuration.settings)?;
    reading.bounds.calls.clear();
    reading.bounds.any_order = any_order;
    for setting in &configuration.settings {
        reading.setting(setting, &parameters_below, &callable, below)?;
    }
    if reading.bounds.calls.is_empty() {
        reading.bounds.calls = Bounds::default().calls;
    }
    let automaton =
        |name: &str, settings: &[(String, u64)]| session.automaton(name, settings).map_err(Refusal::Diagnostics);
    let network = automaton(below, &reading.automata)?;
    let above: Vec<Automaton> = between.above.iter().map(|n| automaton(n, &[])).collect::<Result<_, _>>()?;
    let (mut stack, _) = session.compose_varied(&subject.name, &reading.variation).map_err(Refusal::Diagnostics)?;
    give(&mut stack, &reading.given)?;
    let mut caveats = vec![];
    if above.is_empty() {
        caveats.push("it provides no automaton: only assertions, invariants and bounds were checked".to_string());
    }
    if reading.bounds.limits.iter().any(|(name, _)| name == "timers") {
        caveats.push("timers are limited, so nothing need ever happen again: goals were not checked".to_string());
    }
    caveats.extend(between.trusted.iter().map(|n| format!("`{n}` is a property: trusted, not checked")));
    if let Some(leak) = nacre_stack::timing::leaks(&stack).first() {
        caveats.push(format!(
            "the clock reaches more than timers: `{}` lets it into {}; nothing was abstracted",
            leak.code, leak.into
        ));
    }
    for (layer, what) in nacre_stack::payload::readers(&stack).into_iter().take(3) {
        caveats
            .push(format!("`{layer}` {what}: the verdict holds for the messages that were sent, not for any contents"));
    }
    let age = reading.automata.iter().find(|(name, _)| name == "AGE").map_or(0, |(_, n)| *n);
    for (cell, (entries, bits)) in
        stack.cells.iter().flat_map(|c| windows(&stack, &c.ty).into_iter().map(move |w| (c, w)))
    {
        if age + u64::from(entries) >= 1 << (bits - 1) {
            return Err(Refusal::Words(format!(
                "`{}` numbers {entries} entries with {bits} bits, and copies come as late as {age} sends (AGE): together they must stay below {}",
                cell.name,
                1u64 << (bits - 1)
            )));
        }
    }
    let mut shown: Vec<String> = vec![format!("network {}", network.description)];
    shown.extend(above.iter().map(|a| format!("specification {}", a.description)));
    shown.push(format!("stack {}", stack.description));
    shown.extend(reading.shown());
    let setup = Setup::new(Arc::new(stack), network, above, reading.bounds);
    Ok(World { setup, configuration: shown, configuration_name: configuration.name.clone(), caveats })
}

/// Whether a configuration may say what a cell begins with: what the host gives, and sequence numbers.
fn is_set(cell: &Cell) -> bool {
    cell.scope == Scope::Given || matches!(cell.ty, Type::Seq(_))
}

/// What is given is so at both ends: as a default, which nobody overrides.
fn give(stack: &mut Stack, given: &[(String, u64)]) -> Result<(), String> {
    for (name, value) in given {
        for cell in stack.cells.iter_mut().filter(|c| is_set(c) && c.name == *name) {
            if !matches!(cell.ty, Type::UInt(bits) | Type::Seq(bits) if value & !mask(u32::from(bits)) == 0) {
                return Err(format!("`{name}` cannot be {value}"));
            }
            cell.initial = Some(Expr { kind: ExprKind::Const(*value), ty: cell.ty.clone() });
        }
    }
    Ok(())
}

/// Windows inside: entries, and bits of their numbers.
fn windows(stack: &nacre_stack::Stack, ty: &nacre_stack::Type) -> Vec<(u32, u8)> {
    use nacre_stack::Type;
    match ty {
        Type::Window(_, entries, bits) => vec![(*entries, *bits)],
        Type::Array(t, _) | Type::Option(t) | Type::Pool(t, _) | Type::Map(_, t, _) => windows(stack, t),
        Type::Tuple(types) => types.iter().flat_map(|t| windows(stack, t)).collect(),
        Type::Struct(id) => stack.structs[id.index()].fields.iter().flat_map(|f| windows(stack, &f.ty)).collect(),
        _ => vec![],
    }
}

fn parameters(session: &Session, automaton: &str) -> Vec<String> {
    let names = extended(session, automaton);
    let found = names.iter().filter_map(|name| session.program.automata().find(|a| a.name.name == *name));
    found.flat_map(|a| a.parameters.iter().map(|p| p.name.name.clone())).collect()
}

struct Reading<'a> {
    session: &'a Session,
    subject: &'a Subject,
    variation: Variation,
    bounds: Bounds,
    /// Parameters of the network.
    automata: Vec<(String, u64)>,
    /// Of the subject: timers by layer and name, and the names of what a configuration may set.
    timers: Vec<String>,
    givens: Vec<String>,
    /// What cells of both ends begin with.
    given: Vec<(String, u64)>,
}

impl Reading<'_> {
    /// Events that come down from above; timers and givens are noted besides.
    fn callable(&mut self, settings: &[Setting]) -> Result<Vec<String>, Refusal> {
        let mut variation = Variation::default();
        for setting in settings {
            let (layer, parameter) = match &setting.path[..] {
                [layer, parameter] => (layer, parameter),
                [parameter] if self.is_own(parameter) => (&self.subject.name, parameter),
                _ => continue,
            };
            // Timers have small letters.
            if let ([value], true) = (&setting.values[..], parameter.starts_with(|c: char| c.is_ascii_uppercase())) {
                variation.parameters.push(Override {
                    layer: layer.clone(),
                    parameter: parameter.clone(),
                    value: *value,
                });
            }
        }
        let composed = self.session.compose_varied(&self.subject.name, &variation);
        let (stack, _) = composed.map_err(Refusal::Diagnostics)?;
        self.timers = stack.timers.iter().map(|t| t.name.clone()).collect();
        self.givens = stack.cells.iter().filter(|c| is_set(c)).map(|c| c.name.clone()).collect();
        let list = stack.interface();
        let inputs = list.iter().filter(|e| e.port != BELOW && e.input.is_some());
        Ok(inputs.map(|e| stack.event(e.event).name.clone()).collect())
    }

    /// Whether this is a parameter of the layer that is verified by itself.
    fn is_own(&self, parameter: &str) -> bool {
        let own = self.session.program.layers().find(|l| self.subject.is_layer && l.name.name == self.subject.name);
        own.is_some_and(|l| l.parameters.iter().any(|p| p.name.name == parameter))
    }

    /// The timer that a setting names.
    fn timer(&self, path: &[String]) -> Option<String> {
        let name = match path {
            [name] if self.subject.is_layer => format!("{}.{name}", self.subject.name),
            path => path.join("."),
        };
        self.timers.contains(&name).then_some(name)
    }

    fn setting(
        &mut self,
        setting: &Setting,
        below: &[String],
        callable: &[String],
        network: &str,
    ) -> Result<(), String> {
        let one = |values: &[u64]| match values {
            [n] => Ok(*n),
            _ => Err(format!("`{}` is one number", setting.path.join("."))),
        };
        if let Some(timer) = self.timer(&setting.path) {
            let times = u8::try_from(one(&setting.values)?).ok().filter(|n| *n <= nacre_checker::setup::MOST);
            let times = times.ok_or_else(|| format!("`{timer}` fires at most {} times", nacre_checker::setup::MOST))?;
            self.bounds.last.push((timer, times));
            return Ok(());
        }
        if let [layer, parameter] = &setting.path[..] {
            let (layer, parameter, value) = (layer.clone(), parameter.clone(), one(&setting.values)?);
            self.variation.parameters.push(Override { layer, parameter, value });
            return Ok(());
        }
        let name = setting.path.join(".");
        let small = |n: u64| u8::try_from(n).ok().filter(|n| *n <= nacre_checker::setup::MOST);
        let too_large = || format!("`{name}` is at most {}", nacre_checker::setup::MOST);
        if self.is_own(&name) {
            let (layer, value) = (self.subject.name.clone(), one(&setting.values)?);
            self.variation.parameters.push(Override { layer, parameter: name, value });
        } else if below.contains(&name) {
            self.automata.push((name, one(&setting.values)?));
        } else if callable.contains(&name) {
            let times = match setting.values[..] {
                [n] => [small(n), Some(0)],
                [a, b] => [small(a), small(b)],
                _ => return Err(format!("`{name}` is how often it is called at each end: (3, 0)")),
            };
            let [Some(a), Some(b)] = times else { return Err(too_large()) };
            self.bounds.calls.push((name, [a, b]));
        } else {
            match name.as_str() {
                "numbers" => {
                    let bits = u8::try_from(one(&setting.values)?).ok().filter(|bits| (2..=32).contains(bits));
                    self.variation.sequence_bits = Some(bits.ok_or("`numbers` is 2 to 32: bits of sequence numbers")?);
                }
                "first" => self.bounds.first = one(&setting.values)?,
                "size" => self.bounds.sizes = setting.values.iter().map(|n| *n as usize).collect(),
                "any_order" => self.bounds.any_order |= one(&setting.values)? != 0,
                "at_once" => self.bounds.at_once |= one(&setting.values)? != 0,
                _ if self.givens.contains(&name) => self.given.push((name, one(&setting.values)?)),
                "members" if one(&setting.values)? == 2 => {}
                "members" => return Err("`members` is 2: groups are not built yet".into()),
                _ => {
                    let limit = small(one(&setting.values)?).ok_or_else(too_large)?;
                    let mut actions: Vec<String> = match self.session.automaton(network, &[]) {
                        Ok(automaton) => automaton.actions.iter().map(|a| a.name.clone()).collect(),
                        Err(_) => vec![],
                    };
                    // An action can be written in several parts.
                    actions.sort();
                    actions.dedup();
                    if name != "timers" && !actions.contains(&name) {
                        return Err(format!(
                            "nothing here is called `{name}`: there are parameters of layers and of `{network}`, the calls {}, \
                             the limits of timers, {}, {}and numbers, first, size, any_order, at_once, members",
                            callable.join(", "),
                            actions.join(", "),
                            self.timers.iter().chain(&self.givens).map(|n| format!("{n}, ")).collect::<String>()
                        ));
                    }
                    self.bounds.limits.push((name, limit));
                }
            }
        }
        Ok(())
    }

    fn shown(&self) -> Vec<String> {
        let mut shown: Vec<String> =
            self.bounds.calls.iter().map(|(name, [a, b])| format!("{name} {a} at a, {b} at b")).collect();
        let sizes: Vec<String> = self.bounds.sizes.iter().map(usize::to_string).collect();
        shown.push(format!("messages of {} bytes", sizes.join(" or ")));
        let limit = |name: &str| self.bounds.limits.iter().find(|(n, _)| n == name).map(|(_, n)| *n);
        shown.push(limit("timers").map_or("timers at any time".into(), |n| format!("timers fire at most {n} times")));
        shown.extend(
            self.bounds
                .limits
                .iter()
                .filter(|(n, _)| n != "timers")
                .map(|(name, n)| format!("{name} at most {n} times")),
        );
        shown.extend(
            self.bounds.last.iter().map(|(name, n)| format!("{name} fires at most {n} times, as a last resort")),
        );
        shown.extend(self.given.iter().map(|(name, value)| format!("{name} is {value} at both ends at first")));
        if self.bounds.at_once {
            shown.push("calls that are allowed are taken at once".into());
        }
        if let Some(bits) = self.variation.sequence_bits {
            shown.push(format!("sequence numbers of {bits} bits"));
        }
        if self.bounds.first != 0 {
            shown.push(format!("numbers begin at {}", self.bounds.first));
        }
        if self.bounds.any_order {
            shown.push("events of a step in any order that keeps each link's".into());
        }
        shown
    }
}
