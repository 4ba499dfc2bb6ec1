//! Runs the statements of a test on simulated endpoints.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use nacre_diagnostics::Span;
use nacre_driver::Condition;
use nacre_simulator::endpoint::Maker;
use nacre_simulator::network::{Conditions, Network};
use nacre_simulator::world::{Entry, World};
use nacre_stack::Stack;
use nacre_syntax::ast::{Ident, NetworkSetting, NetworkValue, Test, TestKind, TestStatement};

use super::endpoints::{Named, Ready, Script, Stop};
use super::values::{number, Variables};

/// The limit of statements of a test, with loops unrolled.
const STATEMENTS: u64 = 1_000_000;

/// Why a test failed.
pub struct Failure {
    pub span: Span,
    pub what: String,
    pub label: String,
    /// The actual output.
    pub came: Option<String>,
    pub drawn: Option<Drawn>,
}

/// The data for the chart.
pub struct Drawn {
    pub stack: Arc<Stack>,
    pub trace: Vec<Entry>,
    pub nodes: Vec<usize>,
    pub names: Vec<String>,
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

/// Returns the first seed that a test states; 1 if it states none.
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

/// Runs a test with one maker for each of its stacks.
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
        let opened = self.world.group(&[&a.name, &b.name], &[maker, maker], &ready.interface);
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
            (NetworkValue::Expr(expr), Some(Condition::Mtu)) => {
                conditions.mtu = Some(number(expr, &self.variables)?.try_into().unwrap_or(u32::MAX));
            }
            (NetworkValue::Expr(expr), Some(Condition::Rate)) => conditions.rate = number(expr, &self.variables)?,
            (NetworkValue::Expr(expr), Some(Condition::Queue)) => {
                conditions.queue = Some(number(expr, &self.variables)?);
            }
            (NetworkValue::Expr(expr), Some(Condition::Seed)) => {
                self.world.network.seed = number(expr, &self.variables)?
            }
            // `check` reports both cases.
            (_, Some(_)) => return Err(Stop::at(setting.name.span, format!("`{name}` has no value of this kind"))),
            (_, None) => return Err(Stop::at(setting.name.span, format!("the network has no setting `{name}`"))),
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

    fn failure(&mut self, stop: Stop) -> Failure {
        let drawn = self.world.nodes.get(stop.node).map(|node| {
            let mut nodes = node.peers.clone();
            nodes.push(stop.node);
            nodes.sort_unstable();
            let names: Vec<String> = nodes.iter().map(|n| self.world.nodes[*n].name.clone()).collect();
            (nodes, names)
        });
        let stack = |name: &str| self.endpoints.get(name).map(|(_, ready)| ready.stack.clone());
        let drawn = drawn.and_then(|(nodes, names)| Some((stack(&names[0])?, nodes, names)));
        let drawn = drawn.map(|(stack, nodes, names)| Drawn {
            stack,
            trace: self.world.trace.take().unwrap_or_default(),
            nodes,
            names,
        });
        Failure { span: stop.span, what: stop.what, label: stop.label, came: stop.came, drawn }
    }
}
