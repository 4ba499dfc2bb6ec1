//! Rejects cycles of events without a `later` emission, so that every step ends.

use std::collections::{BTreeMap, BTreeSet};

use nacre_diagnostics::Diagnostic;
use nacre_stack::{Stack, Target};

use crate::codes;
use crate::course::Emission;
use crate::message::Kind;
use crate::shapes::{arriving, Flow, Node};

/// Returns an error for each cycle (one of those that share a handler).
pub(crate) fn check(stack: &Stack, flow: &Flow) -> Vec<Diagnostic> {
    let mut search = Search { flow, state: BTreeMap::new(), path: vec![], cycles: vec![] };
    for node in flow.courses.keys() {
        search.visit(node);
    }
    let mut shown = BTreeSet::new();
    let mut found = vec![];
    for cycle in search.cycles {
        let names: BTreeSet<String> = cycle.iter().map(|(node, _)| place(stack, flow, node)).collect();
        if shown.insert(names) {
            found.push(describe(stack, flow, &cycle));
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Open,
    Done,
}

/// The nodes of a cycle, each with the emission to the next.
type Cycle<'a> = Vec<(Node, &'a Emission)>;

struct Search<'a> {
    flow: &'a Flow,
    state: BTreeMap<Node, State>,
    path: Cycle<'a>,
    cycles: Vec<Cycle<'a>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, node: &Node) {
        if self.state.contains_key(node) {
            return;
        }
        self.state.insert(node.clone(), State::Open);
        let flow = self.flow;
        for emission in flow.courses.get(node).map(|c| c.emissions()).unwrap_or_default() {
            for next in successors(emission) {
                self.path.push((node.clone(), emission));
                if self.state.get(&next) == Some(&State::Open) {
                    let from = self.path.iter().position(|(n, _)| *n == next).unwrap_or(0);
                    self.cycles.push(self.path[from..].to_vec());
                } else {
                    self.visit(&next);
                }
                self.path.pop();
            }
        }
        self.state.insert(node.clone(), State::Done);
    }
}

/// The nodes that an emission reaches in the same step.
pub(crate) fn successors(emission: &Emission) -> Vec<Node> {
    match emission.target {
        Target::Layer(layer) if !emission.later => {
            arriving(emission).into_iter().map(|(kind, _)| Node::Event(layer, emission.event, kind)).collect()
        }
        _ => vec![],
    }
}

fn place(stack: &Stack, flow: &Flow, node: &Node) -> String {
    flow.handlers.get(node).map(|h| stack.handler(*h).name.clone()).unwrap_or_default()
}

fn describe(stack: &Stack, flow: &Flow, cycle: &Cycle) -> Diagnostic {
    let named = |node: &Node| format!("{}{}", place(stack, flow, node), carried(stack, node));
    let mut names: Vec<String> = cycle.iter().map(|(node, _)| named(node)).collect();
    names.extend(names.first().cloned());
    let mut error = Diagnostic::error(codes::CYCLE, "a cycle of events without `later`: a step may not terminate");
    for (node, emission) in
        cycle.iter().filter(|(node, _)| flow.handlers.get(node).is_some_and(|h| !stack.handler(*h).passes))
    {
        error = error
            .at(emission.span, format!("`{}` emits `{}`", place(stack, flow, node), stack.event(emission.event).name));
    }
    error
        .because(format!("the cycle is {}", names.join(" -> ")))
        .help("write `later` before one of these emissions: the event then begins a new step")
}

/// The headers on the message of a node.
fn carried(stack: &Stack, node: &Node) -> String {
    match node {
        Node::Event(_, _, Some(Kind { headers, data, .. })) => {
            let names: Vec<&str> = headers.iter().map(|h| stack.header(*h).name.as_str()).collect();
            let what = if *data { "data" } else { "control" };
            if names.is_empty() {
                format!(" ({what})")
            } else {
                format!(" ({what}, {})", names.join(" "))
            }
        }
        _ => String::new(),
    }
}
