//! Resolves the settings of a configuration against the layers, the network and the composed stack.

use nacre_diagnostics::{suggestion, Diagnostic, Span};
use nacre_specification::members::Members;
use nacre_specification::{Configuration, Setting, Timing};
use nacre_stack::{PortId, Stack};
use nacre_syntax::ast;
use nacre_typed::{Override, Variation};

use crate::meaning::{is_settable, placed, Bound, Meaning, Resolved, BOUNDS, SETTING};
use crate::session::Session;
use crate::values;

/// A configuration names no automaton below its subject.
const NO_NETWORK: &str = "D0008";

/// The bound that states the number of endpoints.
const MEMBERS: &str = "members";

/// The port of the frames.
const NETWORK: PortId = PortId(0);

impl Session {
    /// The automaton below a subject: the configuration's, or the first that its lowest layer requires.
    pub fn network(&self, subject: &str, over: Option<&str>) -> Option<String> {
        let lowest = self.program.layers_under(subject);
        let required = lowest.last().into_iter().flat_map(|l| &l.members).filter_map(|m| match m {
            ast::Member::Requires(names) => Some(names),
            _ => None,
        });
        let mut required = required.flatten().map(|n| n.name.clone()).filter(|n| self.program.is_automaton(n));
        over.map(str::to_string).or_else(|| required.next())
    }

    /// Resolves the settings of a configuration; returns errors for unknown names.
    pub fn settings(&self, configuration: &Configuration) -> Result<Vec<Resolved>, Vec<Diagnostic>> {
        let subject = &configuration.subject;
        let Some(network) = self.network(subject, configuration.over.as_deref()) else {
            return Err(vec![no_network(configuration, self.program.layers_under(subject).last().copied())]);
        };
        let mut names = Names::new(self, subject, &network);
        let settings = &configuration.settings;
        let (mut all, mut wrong) = (vec![], vec![]);
        let (parameters, others): (Vec<&Setting>, Vec<&Setting>) =
            settings.iter().partition(|s| s.timing.is_none() && (names.parameter(s).is_some() || is_constant(s)));
        for setting in parameters {
            match names.parameter(setting) {
                Some(meaning) => all.push(resolved(setting, meaning)),
                None => wrong.push(names.no_parameter(setting)),
            }
        }
        wrong.extend(all.iter().filter_map(|parameter| values::check_parameter(self, subject, parameter)));
        let members = count(settings.iter().filter(|s| s.path == [MEMBERS]).flat_map(|s| &s.values));
        match names.compose(&all, members) {
            Err(found) if wrong.is_empty() => return Err(found),
            // It may name a missing parameter.
            Err(_) => return Err(wrong),
            Ok(()) => {}
        }
        for setting in others {
            let meaning = match &setting.timing {
                Some(timing) => names.timing(setting, timing),
                None => names.other(setting).ok_or_else(|| names.unknown(setting)),
            };
            match meaning {
                Ok(meaning) => all.push(resolved(setting, meaning)),
                Err(found) => wrong.push(found),
            }
        }
        wrong.extend(all.iter().filter_map(|resolved| arity(resolved, members)));
        wrong.extend(circle(&all));
        if wrong.is_empty() {
            wrong.extend(names.stack.iter().flat_map(|stack| all.iter().filter_map(|r| values::check(stack, r).err())));
        }
        // In the order of the source, which reports keep.
        all.sort_by_key(|r| settings.iter().position(|s| s.span == r.span && s.path.join(".") == r.name));
        if wrong.is_empty() {
            Ok(all)
        } else {
            Err(wrong)
        }
    }
}

fn resolved(setting: &Setting, meaning: Meaning) -> Resolved {
    let (values, kinds) = (setting.values.clone(), setting.kinds.clone());
    Resolved { meaning, values, kinds, name: setting.path.join("."), span: setting.span }
}

/// The number of endpoints; two if a configuration does not state it.
pub fn members(settings: &[Resolved]) -> Members {
    count(settings.iter().filter(|r| r.meaning == Meaning::Bound(Bound::Members)).flat_map(|r| &r.values))
}

fn count<'a>(values: impl Iterator<Item = &'a u64>) -> Members {
    values.last().and_then(|count| Members::new(*count as usize)).unwrap_or(Members::TWO)
}

/// The parameters of layers at an end.
pub fn variation(settings: &[Resolved], end: usize) -> Variation {
    let mut variation = Variation::default();
    for resolved in settings {
        let value = resolved.values.get(end).or(resolved.values.first());
        if let (Meaning::Parameter { layer, name }, Some(value)) = (&resolved.meaning, value) {
            let (layer, parameter, value) = (layer.clone(), name.clone(), *value);
            variation.parameters.push(Override { layer, parameter, value, span: resolved.span });
        }
    }
    variation
}

/// Names of parameters are all capitals.
fn is_constant(setting: &Setting) -> bool {
    setting.path.last().is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn no_network(configuration: &Configuration, lowest: Option<&ast::Layer>) -> Diagnostic {
    let lowest = lowest.map_or("its lowest layer", |l| &l.name.name);
    let Configuration { name, subject, span, .. } = configuration;
    let message = format!("there is no automaton below `{subject}`: `{lowest}` requires none");
    let help = format!(
        "write `requires` and the name of an automaton in `{lowest}`, or `configuration {name} for {subject} over \
         AUTOMATON {{ ... }}`"
    );
    let found = Diagnostic::error(NO_NETWORK, message).help(help);
    if *span == Span::default() {
        found
    } else {
        found.at(*span, "the network below is not specified")
    }
}

/// Reports a wrong number of values.
fn arity(resolved: &Resolved, members: Members) -> Option<Diagnostic> {
    let Resolved { meaning, values, name, span, .. } = resolved;
    let example = members.all().rev().map(|n| (n + 1).to_string()).collect::<Vec<_>>().join(", ");
    let help = match (meaning, values.len()) {
        (Meaning::Bound(Bound::Size | Bound::Trip) | Meaning::Argument { .. }, 1..)
        | (Meaning::Given(_) | Meaning::Parameter { .. }, 1)
        | (Meaning::Shorter { .. } | Meaning::InPhase(_), _) => return None,
        (Meaning::Call(_), count) if (1..=members.count()).contains(&count) => return None,
        (Meaning::Given(_) | Meaning::Parameter { .. }, count) if count == members.count() => return None,
        (Meaning::Bound(Bound::Size | Bound::Trip) | Meaning::Argument { .. }, _) => {
            format!("write `{name} = 1;` or `{name} = (1, 3);`")
        }
        (Meaning::Call(_), _) => format!("write how often it is called at each end: `{name} = ({example});`"),
        (Meaning::Given(_) | Meaning::Parameter { .. }, _) => {
            format!("write one value, or one for each end: `{name} = ({example});`")
        }
        (_, 1) => return None,
        (..) => format!("write one value: `{name} = 2;`"),
    };
    let message = format!("`{name}` cannot have {} values", values.len());
    Some(placed(Diagnostic::error(SETTING, message).help(help), *span, "here"))
}

/// Reports a timer that would be shorter than itself.
fn circle(all: &[Resolved]) -> Option<Diagnostic> {
    let shorter = |resolved: &'_ Resolved| match &resolved.meaning {
        Meaning::Shorter { timer, than } => Some((timer.clone(), than.clone())),
        _ => None,
    };
    let pairs: Vec<(String, String)> = all.iter().filter_map(shorter).collect();
    let reaches = |from: &String, to: &String| {
        let mut known = vec![from];
        let mut at = 0;
        while at < known.len() {
            let next = pairs.iter().filter(|(timer, _)| timer == known[at]).map(|(_, than)| than);
            let new: Vec<&String> = next.filter(|timer| !known.contains(timer)).collect();
            known.extend(new);
            at += 1;
        }
        known.contains(&to)
    };
    let wrong = all.iter().find(|r| shorter(r).is_some_and(|(timer, than)| reaches(&than, &timer)))?;
    let found = Diagnostic::error(SETTING, format!("`{}` cannot be shorter than itself", wrong.name));
    Some(placed(found.help("remove one of the statements `... before ...`"), wrong.span, "follows from this"))
}

/// Returns the names of the parameters of the automata that layers provide.
fn specified(session: &Session, layers: &[&ast::Layer]) -> Vec<String> {
    let under = |name: &String| layers.iter().any(|layer| layer.name.name == *name);
    let promises = session.layers().into_iter().filter(|layer| under(&layer.name));
    let provided = promises.flat_map(|layer| layer.provides);
    provided.flat_map(|name| session.program.automaton_parameters(&name)).collect()
}

/// All names that a setting may have.
struct Names<'s> {
    session: &'s Session,
    subject: &'s str,
    is_layer: bool,
    /// Each layer of the subject, and its parameters.
    layers: Vec<(String, Vec<String>)>,
    network: &'s str,
    network_parameters: Vec<String>,
    /// Parameters of the automata that the layers provide.
    specified: Vec<String>,
    actions: Vec<String>,
    calls: Vec<String>,
    /// Arguments of calls besides messages: `send.id`.
    arguments: Vec<String>,
    timers: Vec<String>,
    givens: Vec<String>,
    /// The stack with the parameters of the first endpoint.
    stack: Option<Stack>,
}

impl<'s> Names<'s> {
    fn new(session: &'s Session, subject: &'s str, network: &'s str) -> Names<'s> {
        let layers = session.program.layers_under(subject);
        let parameters = |l: &&ast::Layer| l.parameters.iter().map(|p| p.name.name.clone()).collect();
        let mut actions: Vec<String> = session
            .automaton(network, &[])
            .map_or(vec![], |automaton| automaton.actions.into_iter().map(|a| a.name).collect());
        actions.push("timers".into());
        // An action may have several definitions.
        actions.sort();
        actions.dedup();
        Names {
            session,
            subject,
            is_layer: session.program.stack(subject).is_none(),
            layers: layers.iter().map(|l| (l.name.name.clone(), parameters(l))).collect(),
            network,
            network_parameters: session.program.automaton_parameters(network),
            specified: specified(session, &layers),
            actions,
            calls: vec![],
            arguments: vec![],
            timers: vec![],
            givens: vec![],
            stack: None,
        }
    }

    /// Records the names of the stacks with these parameters.
    fn compose(&mut self, parameters: &[Resolved], members: Members) -> Result<(), Vec<Diagnostic>> {
        let a = variation(parameters, 0);
        for other in members.all().map(|end| variation(parameters, end)).filter(|other| *other != a) {
            self.session.compose_varied(self.subject, &other)?;
        }
        let (stack, _) = self.session.compose_varied(self.subject, &a)?;
        self.timers = stack.timers.iter().map(|t| t.name.clone()).collect();
        self.givens = stack.cells.iter().filter(|c| is_settable(c)).map(|c| c.name.clone()).collect();
        let inputs = stack.interface().into_iter().filter(|e| e.port != NETWORK && e.input.is_some());
        for event in inputs.map(|e| stack.event(e.event)) {
            let others = event.parameters.iter().enumerate().filter(|(at, _)| event.message != Some(*at as u32));
            self.arguments.extend(others.map(|(_, parameter)| format!("{}.{}", event.name, parameter.name)));
            self.calls.push(event.name.clone());
        }
        self.stack = Some(stack);
        Ok(())
    }

    fn parameter(&self, setting: &Setting) -> Option<Meaning> {
        let (layer, name) = match &setting.path[..] {
            [layer, name] => (Some(layer), name),
            [name] => (None, name),
            _ => return None,
        };
        let meant = |l: &String| layer.map_or(self.is_layer, |layer| layer == l);
        match self.layers.iter().find(|(l, all)| meant(l) && all.contains(name)) {
            Some((layer, _)) => Some(Meaning::Parameter { layer: layer.clone(), name: name.clone() }),
            None if layer.is_some() => None,
            None if self.network_parameters.contains(name) => Some(Meaning::Network(name.clone())),
            None if self.specified.contains(name) => Some(Meaning::Specification(name.clone())),
            None => None,
        }
    }

    /// The name of a timer with its layer.
    fn full(&self, path: &[String]) -> String {
        match path {
            [name] if self.is_layer => format!("{}.{name}", self.layers.first().map_or("", |(layer, _)| layer)),
            path => path.join("."),
        }
    }

    fn timing(&self, setting: &Setting, timing: &Timing) -> Result<Meaning, Diagnostic> {
        let timer = self.timer(&setting.path, &setting.names)?;
        match timing {
            Timing::Before { longer, names } => Ok(Meaning::Shorter { timer, than: self.timer(longer, names)? }),
            Timing::InPhase => Ok(Meaning::InPhase(timer)),
        }
    }

    fn timer(&self, path: &[String], names: &[Span]) -> Result<String, Diagnostic> {
        let full = self.full(path);
        if self.timers.contains(&full) {
            return Ok(full);
        }
        let (owner, name, at) = match path {
            [layer, ..] if path.len() > 1 && !self.layers.iter().any(|(known, _)| known == layer) => {
                let layers: Vec<&str> = self.layers.iter().map(|(layer, _)| layer.as_str()).collect();
                return Err(no_timer(self.subject, "layer", (layer, &layers), names.first()));
            }
            [layer, name, ..] => (layer.as_str(), name, format!("{layer}.")),
            _ => (self.subject, &path[0], self.full(&[String::new()])),
        };
        let known: Vec<&str> = self.timers.iter().filter_map(|t| t.strip_prefix(&at)).collect();
        Err(no_timer(owner, "timer", (name, &known), names.last()))
    }

    fn other(&self, setting: &Setting) -> Option<Meaning> {
        let full = self.full(&setting.path);
        if self.timers.contains(&full) {
            return Some(Meaning::Timer(full));
        }
        let [name] = &setting.path[..] else {
            let [call, name] = &setting.path[..] else { return None };
            let known = self.arguments.contains(&full);
            return known.then(|| Meaning::Argument { call: call.clone(), name: name.clone() });
        };
        let bound = BOUNDS.iter().find(|(known, _)| known == name);
        match bound {
            _ if self.calls.contains(name) => Some(Meaning::Call(name.clone())),
            Some((_, bound)) => Some(Meaning::Bound(*bound)),
            None if self.givens.contains(name) => Some(Meaning::Given(name.clone())),
            None if self.actions.contains(name) => Some(Meaning::Limit(name.clone())),
            None => None,
        }
    }

    /// Reports a name in capitals that is no parameter.
    fn no_parameter(&self, setting: &Setting) -> Diagnostic {
        let [.., name] = &setting.path[..] else { return self.unknown(setting) };
        match &setting.path[..] {
            [layer, _] if self.layers.iter().any(|(l, _)| l == layer) => {
                let mine = self.layers.iter().filter(|(l, _)| l == layer).flat_map(|(_, all)| all);
                let known: Vec<&str> = mine.map(String::as_str).collect();
                error_at(format!("`{layer}` has no parameter `{name}`"), setting, 1, suggestion(name, &known))
            }
            [_] => {
                if let Some((layer, _)) = self.layers.iter().find(|(_, all)| all.contains(name)) {
                    let help = format!("write `{layer}.{name} = ...;`");
                    return error_at(format!("`{name}` is a parameter of the layer `{layer}`"), setting, 0, help);
                }
                let own = self.layers.iter().filter(|_| self.is_layer).flat_map(|(_, all)| all);
                let automata = self.network_parameters.iter().chain(&self.specified);
                let known: Vec<&str> = own.chain(automata).map(String::as_str).collect();
                let message =
                    format!("neither `{}` nor `{}` below has a parameter `{name}`", self.subject, self.network);
                error_at(message, setting, 0, suggestion(name, &known))
            }
            _ => self.unknown(setting),
        }
    }

    fn unknown(&self, setting: &Setting) -> Diagnostic {
        let [first, rest @ ..] = &setting.path[..] else {
            return Diagnostic::error(SETTING, "a setting has no name");
        };
        let layers: Vec<&str> = self.layers.iter().map(|(layer, _)| layer.as_str()).collect();
        match rest {
            [] => {
                let prefix = format!("{}.", layers.first().unwrap_or(&""));
                let timers = self.timers.iter().filter(|_| self.is_layer).filter_map(|t| t.strip_prefix(&prefix));
                let others = self.calls.iter().chain(&self.givens).chain(&self.actions).map(String::as_str);
                let known: Vec<&str> = others.chain(timers).chain(BOUNDS.map(|(name, _)| name)).collect();
                let message = format!("a configuration of `{}` has no setting `{first}`", self.subject);
                error_at(message, setting, 0, suggestion(first, &known))
            }
            [name] if self.calls.contains(first) => {
                let prefix = format!("{first}.");
                let known: Vec<&str> = self.arguments.iter().filter_map(|a| a.strip_prefix(&prefix)).collect();
                error_at(format!("`{first}` has no argument `{name}`"), setting, 1, suggestion(name, &known))
            }
            [_] if !layers.contains(&first.as_str()) => {
                let message = format!("`{}` has no layer `{first}`", self.subject);
                error_at(message, setting, 0, suggestion(first, &layers))
            }
            [name] => {
                let prefix = format!("{first}.");
                let timers = self.timers.iter().filter_map(|t| t.strip_prefix(&prefix));
                let own = self.layers.iter().filter(|(l, _)| l == first).flat_map(|(_, all)| all);
                let known: Vec<&str> = timers.chain(own.map(String::as_str)).collect();
                error_at(format!("`{first}` has no timer `{name}`"), setting, 1, suggestion(name, &known))
            }
            [..] => {
                let help = "write the layer and its parameter or timer: `pt2pt.W = 2;`".to_string();
                error_at("a setting has at most two names".into(), setting, 2, help)
            }
        }
    }
}

/// Reports an unknown name in a statement about timers.
fn no_timer(owner: &str, what: &str, (name, known): (&str, &[&str]), span: Option<&Span>) -> Diagnostic {
    let found = Diagnostic::error(SETTING, format!("`{owner}` has no {what} `{name}`"));
    placed(found.help(suggestion(name, known)), span.copied().unwrap_or_default(), "not known")
}

/// Reports an error at one name of a setting.
fn error_at(message: String, setting: &Setting, name: usize, help: String) -> Diagnostic {
    let span = setting.names.get(name).copied().unwrap_or_default();
    placed(Diagnostic::error(SETTING, message).help(help), span, "not known")
}
