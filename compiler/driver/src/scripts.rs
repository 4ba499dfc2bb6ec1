//! The names in `test` blocks: stacks, endpoints, ports, events, counters, variables and settings of the network.
//!
//! They are resolved against the composed stacks, so that `check` reports a misspelled name, not the run.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use nacre_diagnostics::{suggestion, Diagnostic, SourceId, Span};
use nacre_stack::{Event, Parameter, PortEvent, PortId, Stack, Type};
use nacre_syntax::ast::{BinaryOp, Expr, ExprKind, Ident, Test, TestArgument, TestKind, TestStatement, UnaryOp};

mod network;
pub use network::Condition;

/// A name in a test is unknown.
const UNKNOWN: &str = "D0005";
/// A value in a test has the wrong kind.
const UNFIT: &str = "D0006";
/// Two tests of a file have one name.
const REPEATED: &str = "D0009";

/// The port of the frames, which tests cannot name.
const NETWORK: PortId = PortId(0);

/// Returns the errors of a test. `stacks`: all declared stacks; None for one that does not compose.
pub(crate) fn check(test: &Test, stacks: &HashMap<String, Option<Stack>>) -> Vec<Diagnostic> {
    let mut script = Script { stacks, endpoints: BTreeMap::new(), variables: vec![], found: vec![] };
    script.block(&test.body);
    script.found
}

/// Returns the tests of one file that share a name: reports could not distinguish their failures.
pub(crate) fn repeated<'t>(tests: impl Iterator<Item = &'t Test>) -> Vec<Diagnostic> {
    let mut first: HashMap<(SourceId, &str), Span> = HashMap::new();
    let repeated = tests.filter_map(|test| match first.entry((test.span.file, test.name.as_str())) {
        Entry::Vacant(free) => {
            free.insert(test.span);
            None
        }
        Entry::Occupied(taken) => Some(
            Diagnostic::error(REPEATED, format!("two tests are named \"{}\"", test.name))
                .at(test.span, "the second")
                .also(*taken.get(), "the first")
                .help("give one of them another name"),
        ),
    });
    repeated.collect()
}

/// The kind of an expression in a test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Time,
}

struct Script<'s> {
    stacks: &'s HashMap<String, Option<Stack>>,
    /// The open endpoints; None: the stack is unknown, which was reported.
    endpoints: BTreeMap<String, Option<&'s Stack>>,
    variables: Vec<String>,
    found: Vec<Diagnostic>,
}

/// An event that a statement names.
struct Named<'t> {
    endpoint: &'t Ident,
    port: Option<&'t Ident>,
    event: &'t Ident,
    arguments: &'t [TestArgument],
    span: Span,
    /// Whether it is called; otherwise it is an expected output.
    input: bool,
}

impl<'s> Script<'s> {
    fn block(&mut self, body: &[TestStatement]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &TestStatement) {
        let span = statement.span;
        match &statement.kind {
            TestKind::Open { endpoints, stack } => self.open(endpoints, stack),
            TestKind::Network(settings) => settings.iter().for_each(|setting| self.setting(setting)),
            TestKind::Run(time) => self.time(time, "run 200 ms;"),
            TestKind::Call { endpoint, port, event, arguments }
            | TestKind::ExpectRefused { endpoint, port, event, arguments } => {
                self.event(&Named { endpoint, port: port.as_ref(), event, arguments, span, input: true });
            }
            TestKind::Expect { endpoint, port, event, arguments } => {
                self.event(&Named { endpoint, port: port.as_ref(), event, arguments, span, input: false });
            }
            TestKind::ExpectNothing(endpoint) => {
                self.endpoint(endpoint);
            }
            TestKind::ExpectCount { endpoint, layer, counter, value, .. } => {
                if let Some(stack) = self.endpoint(endpoint) {
                    self.counter(stack, layer.as_ref(), counter);
                }
                self.kind(value);
            }
            TestKind::For { variable, from, to, body } => {
                self.kind(from);
                self.kind(to);
                self.variables.push(variable.name.clone());
                self.block(body);
                self.variables.pop();
            }
        }
    }

    fn open(&mut self, endpoints: &[Ident], stack: &Ident) {
        let stack = match self.stacks.get(&stack.name) {
            Some(composed) => composed.as_ref(),
            None => {
                let known: Vec<&str> = self.stacks.keys().map(String::as_str).collect();
                self.unknown(format!("there is no stack `{}`", stack.name), stack, &known);
                None
            }
        };
        if endpoints.len() != 2 {
            let span = endpoints.iter().map(|e| e.span).reduce(Span::to).unwrap_or_default();
            let help = "write `open a, b with ...;` for each pair";
            self.unfit("endpoints are opened two at a time", span, "not a pair", help);
        }
        for name in endpoints {
            if self.endpoints.insert(name.name.clone(), stack).is_some() {
                let message = format!("the endpoint `{}` is open already", name.name);
                self.unfit(&message, name.span, "opened again", "give it another name");
            }
        }
    }

    /// The stack of an endpoint; None if unknown.
    fn endpoint(&mut self, name: &Ident) -> Option<&'s Stack> {
        if let Some(stack) = self.endpoints.get(&name.name) {
            return *stack;
        }
        let known: Vec<String> = self.endpoints.keys().cloned().collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        self.unknown(format!("no endpoint `{}` is open here", name.name), name, &known);
        None
    }

    fn event(&mut self, named: &Named) {
        let Some(stack) = self.endpoint(named.endpoint) else { return };
        if let Some(port) = named.port {
            let known: Vec<&str> = stack.ports.iter().skip(1).map(|p| p.name.as_str()).collect();
            if !known.contains(&port.name.as_str()) {
                return self.unknown(format!("the stack has no port `{}`", port.name), port, &known);
            }
        }
        let at_port = |e: &PortEvent| {
            e.port != NETWORK && named.port.is_none_or(|port| port.name == stack.ports[e.port.index()].name)
        };
        let all: Vec<PortEvent> = stack.interface().into_iter().filter(at_port).collect();
        let (fit, others): (Vec<PortEvent>, Vec<PortEvent>) =
            all.iter().partition(|e| e.input.is_some() == named.input);
        let name = |e: &PortEvent| stack.event(e.event).name.as_str();
        if let Some(event) = fit.iter().find(|e| name(e) == named.event.name) {
            return self.arguments(named, stack.event(event.event));
        }
        let (verb, opposite) = match named.input {
            true => ("can be called", "it is an output: write `expect ...` to wait for it"),
            false => ("is an output", "it is an input: call it without `expect`"),
        };
        let message = format!("no event `{}` {verb} at `{}`", named.event.name, named.endpoint.name);
        if others.iter().any(|e| name(e) == named.event.name) {
            return self.unfit(&message, named.event.span, "the other direction", opposite);
        }
        let known: Vec<&str> = fit.iter().map(name).collect();
        self.unknown(message, named.event, &known);
    }

    fn arguments(&mut self, named: &Named, event: &Event) {
        let (given, wanted) = (named.arguments.len(), event.parameters.len());
        if given != wanted {
            let names: Vec<&str> = event.parameters.iter().map(|p| p.name.as_str()).collect();
            let count = format!("{wanted} argument{}", if wanted == 1 { "" } else { "s" });
            let message = format!("`{}` has {count}, found {given}", event.name);
            let help = format!("write `{}({})`", event.name, names.join(", "));
            return self.unfit(&message, named.span, "here", &help);
        }
        for (argument, parameter) in named.arguments.iter().zip(&event.parameters) {
            self.argument(argument, &parameter.ty, named);
            if let Some((number, span)) = constant(argument) {
                self.limits(number, span, parameter, event);
            }
        }
    }

    /// Checks that a number is a value of the parameter's type.
    fn limits(&mut self, number: i128, span: Span, parameter: &Parameter, event: &Event) {
        let limits = match parameter.ty {
            _ if number < 0 && !matches!(parameter.ty, Type::Int(_)) => return,
            Type::UInt(bits) | Type::Seq(bits) => format!("it has {bits} bits"),
            Type::Int(bits) => format!("it has {bits} bits, one of them for the sign"),
            Type::Range(low, end) => format!("it is {low} to {}", end - 1),
            _ => return,
        };
        if !nacre_typed::fits(number, &parameter.ty) {
            let message = format!("`{}` of `{}` cannot be {number}", parameter.name, event.name);
            self.unfit(&message, span, "not a value of its type", &limits);
        }
    }

    fn argument(&mut self, argument: &TestArgument, ty: &Type, named: &Named) {
        match (argument, ty) {
            (TestArgument::Any(span), _) => {
                if named.input {
                    let help = "give a value, such as \"text\", `bytes 100` or a number";
                    self.unfit("`_` is allowed only in expectations", *span, "a call needs a value", help);
                }
            }
            (TestArgument::Text(..), Type::Msg) => {}
            (TestArgument::Bytes { length, seed, .. }, Type::Msg) => {
                self.kind(length);
                seed.iter().for_each(|seed| {
                    self.kind(seed);
                });
            }
            (TestArgument::Expr(expr), Type::Msg) => {
                let help = "messages are written \"text\", `bytes N` or `bytes N seed S`";
                self.unfit("expected a message", expr.span, "not a message", help);
            }
            (TestArgument::Text(_, span) | TestArgument::Bytes { span, .. }, Type::Addr) => {
                self.unfit("expected an address", *span, "a message", "write the name of an endpoint");
            }
            (TestArgument::Text(_, span) | TestArgument::Bytes { span, .. }, _) => {
                self.unfit("expected a number", *span, "a message", "write a number or a duration");
            }
            (TestArgument::Expr(expr), Type::Addr) => match &expr.kind {
                ExprKind::Name(name) => {
                    self.endpoint(&Ident { name: name.clone(), span: expr.span });
                }
                _ => self.unfit("expected an address", expr.span, "not an address", "write the name of an endpoint"),
            },
            (TestArgument::Expr(expr), ty) => {
                self.kind(match (&expr.kind, ty) {
                    (ExprKind::Unary(UnaryOp::Negate, positive), Type::Int(_)) => positive,
                    _ => expr,
                });
            }
        }
    }

    fn counter(&mut self, stack: &Stack, layer: Option<&Ident>, counter: &Ident) {
        let of = |name: &str| stack.layers.iter().position(|l| l.name == name);
        let place = layer.map(|layer| of(&layer.name));
        if let (Some(None), Some(layer)) = (place, layer) {
            let known: Vec<&str> = stack.layers.iter().map(|l| l.name.as_str()).collect();
            return self.unknown(format!("the stack has no layer `{}`", layer.name), layer, &known);
        }
        let place = place.flatten();
        let counters = stack.counters.iter().filter(|c| c.layer.map(|l| l.index()) == place);
        let known: Vec<&str> = counters.map(|c| c.name.as_str()).collect();
        if known.contains(&counter.name.as_str()) {
            return;
        }
        let whose = layer.map_or("the stack".to_string(), |layer| format!("`{}`", layer.name));
        let message = format!("{whose} has no counter `{}`", counter.name);
        let owner = stack.counters.iter().find(|c| c.name == counter.name).map(|c| c.layer);
        match (owner, layer) {
            (Some(Some(owner)), None) => {
                let help = format!("it is a counter of a layer: write `{}.{}`", stack.layer(owner).name, counter.name);
                self.unfit(&message, counter.span, "the layer is missing", &help);
            }
            (Some(None), Some(_)) => {
                let help = format!("it is a counter of the stack: write `{}` without a layer", counter.name);
                self.unfit(&message, counter.span, "of the stack", &help);
            }
            _ => self.unknown(message, counter, &known),
        }
    }

    fn time(&mut self, expr: &Expr, example: &str) {
        if self.kind(expr) == Some(Kind::Number) {
            let help = format!("write a unit: `{example}`");
            self.unfit("expected a duration", expr.span, "a number", &help);
        }
    }

    /// The kind of an expression; None for an error, which is reported.
    fn kind(&mut self, expr: &Expr) -> Option<Kind> {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::True | ExprKind::False => Some(Kind::Number),
            ExprKind::Duration(..) => Some(Kind::Time),
            ExprKind::Tuple(parts) if parts.len() == 1 => self.kind(&parts[0]),
            ExprKind::Name(name) if self.variables.contains(name) => Some(Kind::Number),
            ExprKind::Name(name) => {
                let known = self.variables.clone();
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let message = format!("there is no variable `{name}` here");
                self.unknown(message, &Ident { name: name.clone(), span: expr.span }, &known);
                None
            }
            ExprKind::Field(of, variant) => self.variant(of, variant),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.kind(left)?, self.kind(right)?);
                let kind = combined(*op, left, right);
                if kind.is_none() {
                    let help = "tests support + - * / % of numbers, and arithmetic of durations with numbers";
                    self.unfit("this cannot be computed in a test", expr.span, "here", help);
                }
                kind
            }
            _ => {
                let help = "tests support numbers, durations, variables of `for`, and values of enums";
                self.unfit("expected a number or a duration", expr.span, "here", help);
                None
            }
        }
    }

    /// `Reason.closed`
    fn variant(&mut self, of: &Expr, variant: &Ident) -> Option<Kind> {
        let (ExprKind::TypeName(name) | ExprKind::Name(name)) = &of.kind else {
            self.unfit("expected the value of an enum", of.span, "no enum", "write `Name.value`");
            return None;
        };
        let enums: Vec<_> = self.endpoints.values().flatten().flat_map(|stack| &stack.enums).collect();
        if self.endpoints.values().any(Option::is_none) {
            return Some(Kind::Number);
        }
        let Some(declared) = enums.iter().find(|e| e.name == *name) else {
            let known: Vec<&str> = enums.iter().map(|e| e.name.as_str()).collect();
            let message = format!("the stacks of this test have no enum `{name}`");
            self.unknown(message, &Ident { name: name.clone(), span: of.span }, &known);
            return None;
        };
        let known: Vec<&str> = declared.variants.iter().map(String::as_str).collect();
        if !known.contains(&variant.name.as_str()) {
            self.unknown(format!("`{name}` has no value `{}`", variant.name), variant, &known);
            return None;
        }
        Some(Kind::Number)
    }

    fn unknown(&mut self, message: String, name: &Ident, known: &[&str]) {
        let help = suggestion(&name.name, known);
        self.found.push(Diagnostic::error(UNKNOWN, message).at(name.span, "not known").help(help));
    }

    fn unfit(&mut self, message: &str, span: Span, label: &str, help: &str) {
        self.found.push(Diagnostic::error(UNFIT, message).at(span, label).help(help));
    }
}

/// The number that an argument states.
fn constant(argument: &TestArgument) -> Option<(i128, Span)> {
    let TestArgument::Expr(expr) = argument else { return None };
    let (sign, positive) = match &expr.kind {
        ExprKind::Unary(UnaryOp::Negate, positive) => (-1, &positive.kind),
        kind => (1, kind),
    };
    let ExprKind::Number(number) = positive else { return None };
    Some((sign * i128::from(*number), expr.span))
}

/// The kind of an operation's result, if it has one.
fn combined(op: BinaryOp, left: Kind, right: Kind) -> Option<Kind> {
    match (op, left, right) {
        (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Rem, left, right) => (left == right).then_some(left),
        (BinaryOp::Mul, Kind::Number, other) | (BinaryOp::Mul, other, Kind::Number) => Some(other),
        (BinaryOp::Div, left, Kind::Number) => Some(left),
        (BinaryOp::Div, Kind::Time, Kind::Time) => Some(Kind::Number),
        _ => None,
    }
}
