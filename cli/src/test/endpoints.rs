//! The simulated endpoints of a test: calls of their events, and simulated time.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use nacre_diagnostics::Span;
use nacre_simulator::endpoint::{Maker, Outcome, NEVER};
use nacre_simulator::interface::{Interface, Kind};
use nacre_simulator::world::{address, World, BEGIN};
use nacre_stack::Stack;
use nacre_syntax::ast::{Ident, TestArgument};

use super::values::{argument, show, Argument, Variables};

/// The limit of a test's simulated time, in nanoseconds.
const TIME: u64 = 120_000_000_000;

/// A stack of a test, and the makers of its machines.
pub struct Ready {
    pub stack: Arc<Stack>,
    pub interface: Rc<Interface>,
    /// By the index of the machine.
    pub makers: Vec<Option<Box<dyn Maker>>>,
}

/// The error that stopped a test.
pub(super) struct Stop {
    pub(super) span: Span,
    pub(super) what: String,
    pub(super) label: String,
    pub(super) came: Option<String>,
    pub(super) node: usize,
}

impl Stop {
    pub(super) fn at(span: Span, what: impl Into<String>) -> Stop {
        Stop { span, what: what.into(), label: "here".into(), came: None, node: 0 }
    }
}

impl From<(Span, String)> for Stop {
    fn from((span, what): (Span, String)) -> Stop {
        Stop::at(span, what)
    }
}

pub(super) struct Script<'t> {
    pub(super) world: World,
    pub(super) stacks: &'t HashMap<String, Rc<Ready>>,
    pub(super) makers: &'t HashMap<&'t str, &'t dyn Maker>,
    /// Node and stack, by name.
    pub(super) endpoints: HashMap<String, (usize, Rc<Ready>)>,
    pub(super) variables: Variables,
    /// For each node, which of its outputs an expectation has matched.
    pub(super) taken: Vec<Vec<bool>>,
    pub(super) left: u64,
}

/// An event that a statement names.
pub(super) struct Named<'s> {
    pub(super) endpoint: &'s Ident,
    pub(super) port: Option<&'s Ident>,
    pub(super) event: &'s Ident,
    pub(super) arguments: &'s [TestArgument],
    pub(super) span: Span,
}

impl Named<'_> {
    /// As it is written, without the arguments.
    pub(super) fn shown(&self) -> String {
        let port = self.port.map_or(String::new(), |port| format!("{}.", port.name));
        format!("{}.{port}{}", self.endpoint.name, self.event.name)
    }
}

impl Script<'_> {
    pub(super) fn node(&self, endpoint: &Ident) -> Result<(usize, Rc<Ready>), Stop> {
        let missing = || Stop::at(endpoint.span, format!("no endpoint `{}` is open", endpoint.name));
        self.endpoints.get(&endpoint.name).cloned().ok_or_else(missing)
    }

    /// Returns the index of the named event, and its arguments in the order of its parameters.
    pub(super) fn event(
        &self,
        named: &Named,
        ready: &Ready,
        input: bool,
    ) -> Result<(u16, Vec<(Kind, Argument)>), Stop> {
        let (port, name) = (named.port.map(|port| port.name.as_str()), &named.event.name);
        let found = if input { ready.interface.input(port, name) } else { ready.interface.output(port, name) };
        let Some(index) = found else {
            let events = ready.interface.events.iter().filter(|e| e.input == input && e.port != 0);
            let names: Vec<&str> = events.map(|e| e.name.as_str()).collect();
            let kind = if input { "can be called" } else { "is an output" };
            return Err(Stop::at(
                named.event.span,
                format!("no event `{name}` {kind} here; there are: {}", names.join(", ")),
            ));
        };
        let wanted = &ready.interface.events[usize::from(index)].parameters;
        if named.arguments.len() != wanted.len() {
            let count = wanted.len();
            return Err(Stop::at(
                named.span,
                format!("`{name}` has {count} parameters, but {} arguments are given", named.arguments.len()),
            ));
        }
        let values = named.arguments.iter().map(|a| argument(a, &self.variables)).collect::<Result<Vec<_>, _>>()?;
        Ok((index, wanted.iter().cloned().zip(values).collect()))
    }

    pub(super) fn call(&mut self, named: &Named) -> Result<(), Stop> {
        let (node, _) = self.node(named.endpoint)?;
        loop {
            match self.try_call(named)? {
                Outcome::Done => return Ok(()),
                Outcome::Refused | Outcome::NoSpace | Outcome::Busy => {}
                other => return Err(Stop { node, ..Stop::at(named.span, unexpected(other)) }),
            }
            if !self.one_more(named.span)? {
                let what = format!("`{}` at {} is refused, also at later times", named.event.name, named.endpoint.name);
                return Err(Stop { node, ..Stop::at(named.span, what) });
            }
        }
    }

    pub(super) fn try_call(&mut self, named: &Named) -> Result<Outcome, Stop> {
        let (node, ready) = self.node(named.endpoint)?;
        let (event, arguments) = self.event(named, &ready, true)?;
        let (mut numbers, mut message, mut to) = (Vec::new(), Vec::new(), None);
        for (kind, argument) in arguments {
            match (kind, argument) {
                (Kind::Message, Argument::Message(bytes)) => message = bytes,
                (kind, Argument::Number(value)) if kind.is_number() => numbers.push(value),
                (Kind::Address, Argument::Name(name)) => {
                    let found = self.endpoints.get(&name).map(|(node, _)| address(*node));
                    to = Some(found.ok_or_else(|| Stop::at(named.span, format!("no endpoint `{name}` is open")))?);
                }
                (_, Argument::Any) => return Err(Stop::at(named.span, "`_` is allowed only in expectations")),
                (kind, other) => {
                    return Err(Stop::at(named.span, format!("expected {}, found {}", kind.noun(), show(&other))))
                }
            }
        }
        // Repeated refusals must not increase the counters: ask first.
        if !self.world.nodes[node].endpoint.accepts(event, message.len()) && numbers.is_empty() && to.is_none() {
            return Ok(Outcome::Refused);
        }
        let outcome = self.world.call(node, event, &numbers, to, &message);
        self.check_rules(named.span)?;
        Ok(outcome)
    }

    /// Advances to the next event; false: no event follows within the test's time.
    pub(super) fn one_more(&mut self, span: Span) -> Result<bool, Stop> {
        if self.world.next() == NEVER || self.world.next() > BEGIN + TIME {
            return Ok(false);
        }
        let advanced = self.world.advance(BEGIN + TIME).map_err(|why| Stop::at(span, why))?;
        self.check_rules(span)?;
        Ok(advanced.is_some())
    }

    pub(super) fn pass_time(&mut self, until: u64, span: Span) -> Result<(), Stop> {
        while self.world.now < until || self.world.next() <= until {
            self.world.advance(until).map_err(|why| Stop::at(span, why))?;
            self.check_rules(span)?;
        }
        Ok(())
    }

    /// Fails the test if a layer has violated an assertion or a bound, or its events have no end.
    pub(super) fn check_rules(&self, span: Span) -> Result<(), Stop> {
        self.world.check_progress().map_err(|why| Stop::at(span, why))?;
        for (index, node) in self.world.nodes.iter().enumerate() {
            if let Some(report) = node.endpoint.reports().first() {
                return Err(Stop { node: index, ..Stop::at(span, format!("at {}: {report}", node.name)) });
            }
        }
        Ok(())
    }
}

/// Describes the outcome of a call that a test does not expect.
pub(super) fn unexpected(outcome: Outcome) -> String {
    match outcome {
        Outcome::Invalid => "the stack rejects the call: an argument does not fit its type".into(),
        Outcome::Done => "the call was accepted".into(),
        other => format!("internal error: the outcome of a call is {other:?}"),
    }
}
