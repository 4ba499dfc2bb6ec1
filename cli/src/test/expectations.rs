//! The expectations of a test: expected outputs, refused calls, and counters.

use nacre_diagnostics::Span;
use nacre_simulator::endpoint::{Outcome, Output};
use nacre_simulator::interface::{Event, Kind};
use nacre_simulator::world::address;
use nacre_syntax::ast::{BinaryOp, Expr, Ident};

use super::endpoints::{unexpected, Named, Script, Stop};
use super::values::{compare, number, show, show_message, Argument};

impl Script<'_> {
    pub(super) fn expect(&mut self, named: &Named) -> Result<(), Stop> {
        let (node, ready) = self.node(named.endpoint)?;
        let (event, wanted) = self.event(named, &ready, false)?;
        let mut from = 0;
        loop {
            while let Some((_, output)) = self.world.nodes[node].came.get(from) {
                self.taken[node].resize(self.world.nodes[node].came.len(), false);
                if output.event == event && !self.taken[node][from] {
                    self.taken[node][from] = true;
                    return self.matches(named, node, &wanted, &output.clone());
                }
                from += 1;
            }
            if !self.one_more(named.span)? {
                let what = format!("expected {}({})", named.shown(), listed(&wanted));
                let came = Some(self.what_came(node));
                return Err(Stop { node, came, label: "no such output".into(), ..Stop::at(named.span, what) });
            }
        }
    }

    fn matches(&self, named: &Named, node: usize, wanted: &[(Kind, Argument)], output: &Output) -> Result<(), Stop> {
        let mut numbers = output.arguments.iter().copied();
        let same = wanted.iter().all(|(kind, argument)| match kind {
            Kind::Message => match argument {
                Argument::Message(bytes) => output.message.as_deref() == Some(bytes.as_slice()),
                other => *other == Argument::Any,
            },
            Kind::Number { .. } | Kind::Signed(_) | Kind::Named(_) => {
                let came = numbers.next();
                *argument == Argument::Any || came.is_some_and(|n| *argument == Argument::Number(n))
            }
            Kind::Address => match argument {
                Argument::Name(name) => self.endpoints.get(name).map(|(node, _)| address(*node)) == output.address,
                other => *other == Argument::Any,
            },
        });
        if same {
            return Ok(());
        }
        let what = format!("expected {}({})", named.shown(), listed(wanted));
        let came = Some(format!("found: {}", self.show_output(node, output)));
        Err(Stop { node, came, label: "the next output of this kind differs".into(), ..Stop::at(named.span, what) })
    }

    pub(super) fn expect_refused(&mut self, named: &Named) -> Result<(), Stop> {
        let (node, _) = self.node(named.endpoint)?;
        match self.try_call(named)? {
            Outcome::Refused | Outcome::NoSpace | Outcome::Busy => Ok(()),
            other => Err(Stop { node, ..Stop::at(named.span, format!("expected a refusal: {}", unexpected(other))) }),
        }
    }

    /// Checks that each message was expected. Grants and similar events are ignored.
    pub(super) fn expect_nothing(&mut self, endpoint: &Ident, span: Span) -> Result<(), Stop> {
        let (node, _) = self.node(endpoint)?;
        self.taken[node].resize(self.world.nodes[node].came.len(), false);
        let extra = self.world.nodes[node]
            .came
            .iter()
            .zip(&self.taken[node])
            .find(|((_, o), taken)| o.message.is_some() && !**taken);
        let Some(((_, output), _)) = extra else { return Ok(()) };
        let came = Some(format!("found: {}", self.show_output(node, output)));
        Err(Stop { node, came, ..Stop::at(span, format!("expected nothing at {}", endpoint.name)) })
    }

    pub(super) fn expect_count(
        &mut self,
        endpoint: &Ident,
        layer: Option<&Ident>,
        counter: &Ident,
        test: (BinaryOp, &Expr),
        span: Span,
    ) -> Result<(), Stop> {
        let (node, ready) = self.node(endpoint)?;
        let name = layer.map_or(counter.name.clone(), |layer| format!("{}.{}", layer.name, counter.name));
        let value = number(test.1, &self.variables)?;
        let counters = self.world.nodes[node].endpoint.counters();
        let Some(count) = ready.interface.counter(&counters, &name) else {
            let known = ready.interface.counters.join(", ");
            return Err(Stop::at(counter.span, format!("there is no counter `{name}`; there are: {known}")));
        };
        match compare(test.0, count, value) {
            Some(true) => Ok(()),
            Some(false) => Err(Stop { node, ..Stop::at(span, format!("{}.{name} is {count}", endpoint.name)) }),
            None => Err(Stop::at(span, "expected a comparison")),
        }
    }

    fn what_came(&self, node: usize) -> String {
        let all = &self.world.nodes[node].came;
        let last: Vec<String> = all.iter().rev().take(5).map(|(_, output)| self.show_output(node, output)).collect();
        match last.is_empty() {
            true => format!("no output at {}", self.world.nodes[node].name),
            false => format!("last outputs at {}: {}", self.world.nodes[node].name, last.join("; ")),
        }
    }

    fn show_output(&self, node: usize, output: &Output) -> String {
        let interface = &self.world.nodes[node].interface;
        let Some(event) = interface.event(output.event) else { return "?".into() };
        let mut parts = event.show(&output.arguments);
        let is_other = |e: &Event| !e.input && e.name == event.name && e.port != event.port && e.port != 0;
        let name = match interface.events.iter().any(is_other) {
            true => format!("{}.{}", event.port_name, event.name),
            false => event.name.clone(),
        };
        parts.extend(output.message.as_deref().map(show_message));
        format!("{name}({})", parts.join(", "))
    }
}

fn listed(arguments: &[(Kind, Argument)]) -> String {
    let shown = |(kind, argument): &(Kind, Argument)| match argument {
        Argument::Number(number) => kind.show(*number),
        other => show(other),
    };
    arguments.iter().map(shown).collect::<Vec<_>>().join(", ")
}
