//! Runs the statements of a test on simulated endpoints.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use nacre_diagnostics::Span;
use nacre_driver::Condition;
use nacre_simulator::endpoint::{Maker, Outcome, Output, NEVER};
use nacre_simulator::interface::Kind;
use nacre_simulator::network::{Conditions, Network};
use nacre_simulator::world::{address, Entry, World, BEGIN};
use nacre_stack::Stack;
use nacre_syntax::ast::{
    BinaryOp, Expr, Ident, NetworkSetting, NetworkValue, Test, TestArgument, TestKind, TestStatement,
};

use super::values::{argument, compare, number, show, show_message, Argument, Variables};
use super::Ready;

/// Simulated time that a test has.
const TIME: u64 = 120_000_000_000;
/// Statements that a test may run, loops unrolled.
const STATEMENTS: u64 = 1_000_000;

/// Why a test failed.
pub struct Failure {
    pub span: Span,
    pub what: String,
    pub label: String,
    /// What came instead.
    pub came: Option<String>,
    pub drawn: Option<Drawn>,
}

/// What the chart needs.
pub struct Drawn {
    pub stack: Arc<Stack>,
    pub trace: Vec<Entry>,
    pub pair: [usize; 2],
    pub names: [String; 2],
}

/// The stacks that a test opens.
pub fn stacks(test: &Test) -> Vec<&Ident> {
    fn within<'t>(body: &'t [TestStatement], found: &mut Vec<&'t Ident>) {
        for statement in body {
            match &statement.kind {
                TestKind::Open { stack, .. } => found.push(stack),
                TestKind::For { body, .. } => within(body, found),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    within(&test.body, &mut found);
    found
}

/// The seed that a test states first; 1 if it states none.
pub fn seed(test: &Test) -> u64 {
    let settings = test.body.iter().filter_map(|s| match &s.kind {
        TestKind::Network(settings) => Some(settings),
        _ => None,
    });
    let stated =
        settings.flatten().find(|setting| setting.name.name == "seed").and_then(|setting| match &setting.value {
            NetworkValue::Expr(expr) => number(expr, &Variables::new()).ok(),
            NetworkValue::Percent(_) => None,
        });
    stated.unwrap_or(1)
}

/// Runs a test with these makers, one for each of its stacks.
pub fn run(
    test: &Test,
    stacks: &HashMap<String, Rc<Ready>>,
    makers: &HashMap<&str, &dyn Maker>,
) -> Result<(), Box<Failure>> {
    let network =
        Network { seed: seed(test), conditions: Conditions { delay: 1_000_000, ..Conditions::default() }, keep: None };
    let mut script = Script {
        world: World::new(network, true),
        stacks,
        makers,
        endpoints: HashMap::new(),
        variables: Variables::new(),
        taken: Vec::new(),
        left: STATEMENTS,
    };
    let done = script.block(&test.body).and_then(|()| script.end(test.span));
    done.map_err(|stop| Box::new(script.failure(stop)))
}

/// What stopped a test.
struct Stop {
    span: Span,
    what: String,
    label: String,
    came: Option<String>,
    node: usize,
}

impl Stop {
    fn at(span: Span, what: impl Into<String>) -> Stop {
        Stop { span, what: what.into(), label: "here".into(), came: None, node: 0 }
    }
}

impl From<(Span, String)> for Stop {
    fn from((span, what): (Span, String)) -> Stop {
        Stop::at(span, what)
    }
}

struct Script<'t> {
    world: World,
    stacks: &'t HashMap<String, Rc<Ready>>,
    makers: &'t HashMap<&'t str, &'t dyn Maker>,
    /// Node and stack, by name.
    endpoints: HashMap<String, (usize, Rc<Ready>)>,
    variables: Variables,
    /// For each node, which of its outputs an expectation has taken.
    taken: Vec<Vec<bool>>,
    left: u64,
}

/// An event that a statement names.
struct Named<'s> {
    endpoint: &'s Ident,
    port: Option<&'s Ident>,
    event: &'s Ident,
    arguments: &'s [TestArgument],
    span: Span,
}

impl Script<'_> {
    fn block(&mut self, body: &[TestStatement]) -> Result<(), Stop> {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &TestStatement) -> Result<(), Stop> {
        let span = statement.span;
        self.left = self.left.checked_sub(1).ok_or_else(|| Stop::at(span, "the test is too long"))?;
        match &statement.kind {
            TestKind::Open { endpoints, stack } => self.open(endpoints, stack),
            TestKind::Network(settings) => settings.iter().try_for_each(|setting| self.network(setting)),
            TestKind::Call { endpoint, port, event, arguments } => {
                self.call(&Named { endpoint, port: port.as_ref(), event, arguments, span })
            }
            TestKind::Run(time) => {
                let until = self.world.now.saturating_add(number(time, &self.variables)?);
                self.pass_time(until, span)
            }
            TestKind::Expect { endpoint, port, event, arguments } => {
                self.expect(&Named { endpoint, port: port.as_ref(), event, arguments, span })
            }
            TestKind::ExpectRefused { endpoint, port, event, arguments } => {
                self.expect_refused(&Named { endpoint, port: port.as_ref(), event, arguments, span })
            }
            TestKind::ExpectNothing(endpoint) => self.expect_nothing(endpoint, span),
            TestKind::ExpectCount { endpoint, layer, counter, comparison, value } => {
                self.expect_count(endpoint, layer.as_ref(), counter, (*comparison, value), span)
            }
            TestKind::For { variable, from, to, body } => {
                let (from, to) = (number(from, &self.variables)?, number(to, &self.variables)?);
                let before = self.variables.get(&variable.name).copied();
                for value in from..to {
                    self.variables.insert(variable.name.clone(), value);
                    self.block(body)?;
                }
                match before {
                    Some(before) => self.variables.insert(variable.name.clone(), before),
                    None => self.variables.remove(&variable.name),
                };
                Ok(())
            }
        }
    }

    fn open(&mut self, endpoints: &[Ident], stack: &Ident) -> Result<(), Stop> {
        let [a, b] = endpoints else {
            return Err(Stop::at(stack.span, "endpoints are opened two at a time: `open a, b with ...;`"));
        };
        let missing = || Stop::at(stack.span, format!("there is no stack `{}`", stack.name));
        let ready = self.stacks.get(&stack.name).ok_or_else(missing)?.clone();
        let maker = *self.makers.get(stack.name.as_str()).ok_or_else(missing)?;
        let opened = self.world.pair([&a.name, &b.name], [maker, maker], &ready.interface);
        let first = opened.map_err(|why| Stop::at(stack.span, why))?;
        for declared in &ready.stack.enums {
            for (value, variant) in declared.variants.iter().enumerate() {
                self.variables.insert(format!("{}.{variant}", declared.name), value as u64);
            }
        }
        for (index, name) in endpoints.iter().enumerate() {
            if self.endpoints.insert(name.name.clone(), (first + index, ready.clone())).is_some() {
                return Err(Stop::at(name.span, format!("`{}` is open already", name.name)));
            }
            self.taken.push(Vec::new());
        }
        Ok(())
    }

    fn network(&mut self, setting: &NetworkSetting) -> Result<(), Stop> {
        let conditions = &mut self.world.network.conditions;
        let name = setting.name.name.as_str();
        match (&setting.value, Condition::named(name)) {
            (NetworkValue::Percent(percent), Some(Condition::Loss)) => conditions.loss = percent / 100.0,
            (NetworkValue::Percent(percent), Some(Condition::Duplicate)) => conditions.duplicate = percent / 100.0,
            (NetworkValue::Percent(percent), Some(Condition::Reorder)) => conditions.reorder = percent / 100.0,
            (NetworkValue::Percent(percent), Some(Condition::Corrupt)) => conditions.corrupt = percent / 100.0,
            (NetworkValue::Expr(expr), Some(Condition::Delay)) => conditions.delay = number(expr, &self.variables)?,
            (NetworkValue::Expr(expr), Some(Condition::Jitter)) => conditions.jitter = number(expr, &self.variables)?,
            (NetworkValue::Expr(expr), Some(Condition::Seed)) => {
                self.world.network.seed = number(expr, &self.variables)?
            }
            // `check` has found both before.
            (_, Some(_)) => return Err(Stop::at(setting.name.span, format!("`{name}` has no value of this kind"))),
            (_, None) => return Err(Stop::at(setting.name.span, format!("the network has no setting `{name}`"))),
        }
        Ok(())
    }

    fn node(&self, endpoint: &Ident) -> Result<(usize, Rc<Ready>), Stop> {
        let missing = || Stop::at(endpoint.span, format!("no endpoint `{}` is open", endpoint.name));
        self.endpoints.get(&endpoint.name).cloned().ok_or_else(missing)
    }

    /// The index of the event that is meant, and what is written for its parameters, in their order.
    fn event(&self, named: &Named, ready: &Ready, input: bool) -> Result<(u16, Vec<(Kind, Argument)>), Stop> {
        let (port, name) = (named.port.map(|port| port.name.as_str()), &named.event.name);
        let found = if input { ready.interface.input(port, name) } else { ready.interface.output(port, name) };
        let Some(index) = found else {
            let events = ready.interface.events.iter().filter(|e| e.input == input && e.port != 0);
            let names: Vec<&str> = events.map(|e| e.name.as_str()).collect();
            let kind = if input { "can be called" } else { "comes out" };
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
                format!("`{name}` has {count} parameters, and {} are given", named.arguments.len()),
            ));
        }
        let values = named.arguments.iter().map(|a| argument(a, &self.variables)).collect::<Result<Vec<_>, _>>()?;
        Ok((index, wanted.iter().copied().zip(values).collect()))
    }

    fn call(&mut self, named: &Named) -> Result<(), Stop> {
        let (node, _) = self.node(named.endpoint)?;
        loop {
            match self.try_call(named)? {
                Outcome::Done => return Ok(()),
                Outcome::Refused | Outcome::NoSpace | Outcome::Busy => {}
                other => return Err(Stop { node, ..Stop::at(named.span, format!("the call came to {other:?}")) }),
            }
            if !self.one_more(named.span)? {
                let what =
                    format!("`{}` at {} is refused, and time does not help", named.event.name, named.endpoint.name);
                return Err(Stop { node, ..Stop::at(named.span, what) });
            }
        }
    }

    fn try_call(&mut self, named: &Named) -> Result<Outcome, Stop> {
        let (node, ready) = self.node(named.endpoint)?;
        let (event, arguments) = self.event(named, &ready, true)?;
        let (mut numbers, mut message, mut to) = (Vec::new(), Vec::new(), None);
        for (kind, argument) in arguments {
            match (kind, argument) {
                (Kind::Message, Argument::Message(bytes)) => message = bytes,
                (Kind::Number, Argument::Number(value)) => numbers.push(value),
                (Kind::Address, Argument::Name(name)) => {
                    let found = self.endpoints.get(&name).map(|(node, _)| address(*node));
                    to = Some(found.ok_or_else(|| Stop::at(named.span, format!("no endpoint `{name}` is open")))?);
                }
                (_, Argument::Any) => return Err(Stop::at(named.span, "`_` stands in expectations only")),
                (kind, other) => {
                    return Err(Stop::at(named.span, format!("{} is given where {kind:?} is wanted", show(&other))))
                }
            }
        }
        // A trial that is refused again and again must not fill the counters: ask first.
        if !self.world.nodes[node].endpoint.accepts(event, message.len()) && numbers.is_empty() && to.is_none() {
            return Ok(Outcome::Refused);
        }
        Ok(self.world.call(node, event, &numbers, to, &message))
    }

    fn expect(&mut self, named: &Named) -> Result<(), Stop> {
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
                let what = format!("expected {}.{}({})", named.endpoint.name, named.event.name, listed(&wanted));
                let came = Some(self.what_came(node));
                return Err(Stop {
                    node,
                    came,
                    label: "nothing of the kind came".into(),
                    ..Stop::at(named.span, what)
                });
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
            Kind::Number => {
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
        let what = format!("expected {}.{}({})", named.endpoint.name, named.event.name, listed(wanted));
        let came = Some(format!("came: {}", self.show_output(node, output)));
        Err(Stop { node, came, label: "something else came".into(), ..Stop::at(named.span, what) })
    }

    fn expect_refused(&mut self, named: &Named) -> Result<(), Stop> {
        let (node, _) = self.node(named.endpoint)?;
        match self.try_call(named)? {
            Outcome::Refused | Outcome::NoSpace | Outcome::Busy => Ok(()),
            other => {
                Err(Stop { node, ..Stop::at(named.span, format!("expected a refusal; the call came to {other:?}")) })
            }
        }
    }

    /// No message that an expectation has not taken. Grants and the like are no business of the reader's.
    fn expect_nothing(&mut self, endpoint: &Ident, span: Span) -> Result<(), Stop> {
        let (node, _) = self.node(endpoint)?;
        self.taken[node].resize(self.world.nodes[node].came.len(), false);
        let extra = self.world.nodes[node]
            .came
            .iter()
            .zip(&self.taken[node])
            .find(|((_, o), taken)| o.message.is_some() && !**taken);
        let Some(((_, output), _)) = extra else { return Ok(()) };
        let came = Some(format!("came: {}", self.show_output(node, output)));
        Err(Stop { node, came, ..Stop::at(span, format!("expected nothing at {}", endpoint.name)) })
    }

    fn expect_count(
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
            None => Err(Stop::at(span, "a comparison is wanted")),
        }
    }

    /// Lets one thing happen; false: nothing will, in the time that the test has.
    fn one_more(&mut self, span: Span) -> Result<bool, Stop> {
        if self.world.next() == NEVER || self.world.next() > BEGIN + TIME {
            return Ok(false);
        }
        let advanced = self.world.advance(BEGIN + TIME).map_err(|why| Stop::at(span, why))?;
        self.check_rules(span)?;
        Ok(advanced.is_some())
    }

    fn pass_time(&mut self, until: u64, span: Span) -> Result<(), Stop> {
        while self.world.now < until || self.world.next() <= until {
            self.world.advance(until).map_err(|why| Stop::at(span, why))?;
            self.check_rules(span)?;
        }
        Ok(())
    }

    /// Tests do not hide what a layer claims and does not keep.
    fn check_rules(&self, span: Span) -> Result<(), Stop> {
        for (index, node) in self.world.nodes.iter().enumerate() {
            if let Some(report) = node.endpoint.reports().first() {
                return Err(Stop { node: index, ..Stop::at(span, format!("at {}: {report}", node.name)) });
            }
        }
        Ok(())
    }

    fn end(&self, span: Span) -> Result<(), Stop> {
        self.check_rules(span)?;
        for (index, node) in self.world.nodes.iter().enumerate() {
            let counters = node.endpoint.counters();
            for rule in ["broken", "bound"] {
                let count = node.interface.counter(&counters, rule).unwrap_or(0);
                if count > 0 {
                    return Err(Stop {
                        node: index,
                        ..Stop::at(span, format!("at {}: `{rule}` was counted {count} times", node.name))
                    });
                }
            }
        }
        Ok(())
    }

    fn what_came(&self, node: usize) -> String {
        let all = &self.world.nodes[node].came;
        let last: Vec<String> = all.iter().rev().take(5).map(|(_, output)| self.show_output(node, output)).collect();
        match last.is_empty() {
            true => format!("nothing has come at {}", self.world.nodes[node].name),
            false => format!("what came last at {}: {}", self.world.nodes[node].name, last.join("; ")),
        }
    }

    fn show_output(&self, node: usize, output: &Output) -> String {
        let name = self.world.nodes[node].interface.event(output.event).map_or("?", |event| &event.name);
        let mut parts: Vec<String> = output.arguments.iter().map(u64::to_string).collect();
        parts.extend(output.message.as_deref().map(show_message));
        format!("{name}({})", parts.join(", "))
    }

    fn failure(&mut self, stop: Stop) -> Failure {
        let drawn = self.world.nodes.get(stop.node).map(|node| {
            let pair = [stop.node.min(node.peer), stop.node.max(node.peer)];
            (pair, pair.map(|n| self.world.nodes[n].name.clone()))
        });
        let stack = |name: &str| self.endpoints.get(name).map(|(_, ready)| ready.stack.clone());
        let drawn = drawn.and_then(|(pair, names)| Some((stack(&names[0])?, pair, names)));
        let drawn = drawn.map(|(stack, pair, names)| Drawn {
            stack,
            trace: self.world.trace.take().unwrap_or_default(),
            pair,
            names,
        });
        Failure { span: stop.span, what: stop.what, label: stop.label, came: stop.came, drawn }
    }
}

fn listed(arguments: &[(Kind, Argument)]) -> String {
    arguments.iter().map(|(_, argument)| show(argument)).collect::<Vec<_>>().join(", ")
}
