//! The handlers of a layer: of messages in both directions, of other events, and of timers.

use super::generator::Generator;
use super::layer::{Header, Layer, Style};
use super::scope::{Access, Scope};
use super::spot::{Inside, Spot};
use super::tree::{tree, Node, Part, Role};
use super::types::{Field, Ty};

impl Generator {
    /// All handlers of a layer.
    pub fn handlers(&mut self, layer: &Layer) -> Node {
        let mut nodes = vec![self.send(layer)];
        for header in &layer.headers {
            nodes.push(self.deliver(layer, Some(header), true));
        }
        for header in &layer.controls {
            nodes.push(self.deliver(layer, Some(header), false));
        }
        let chain = layer.style == Style::Chain;
        if self.percent(if chain { 80 } else { 60 }) {
            nodes.push(self.deliver(layer, None, true));
        }
        let events = &layer.events;
        let down = (format!("down {}", events.down_name), &events.down, Inside::Down);
        let up = (format!("up {}", events.up_name), &events.up, Inside::Up);
        for (head, fields, inside) in [down, up] {
            if self.percent(if chain { 80 } else { 50 }) {
                nodes.push(self.plain(layer, &head, fields, inside));
            }
        }
        if let Some(port) = &layer.port {
            nodes.push(self.plain(layer, &format!("{port} ask"), &events.ask, Inside::Port));
        }
        nodes.extend(self.timers(layer));
        Node::joined(nodes, "\n")
    }

    fn send(&mut self, layer: &Layer) -> Node {
        let mut scope = layer.scope.clone();
        let message = self.name("m");
        scope.messages.push(message.clone());
        let data = if self.percent(6) { "data " } else { "" };
        let first = if layer.packs { format!("drop pack(share {message});\n") } else { String::new() };
        let sends = self.sends;
        let known = scope.clone();
        let mut body = self.body_between(&first, &Spot::of(layer, Inside::Send(message.clone())), &mut scope, "");
        if self.sends == sends {
            // A stack that never sends is rejected.
            body.parts.insert(1, Part::from(format!("below.send(share {message});\n")));
        }
        if let Some(collection) = &layer.collection {
            body.parts.insert(1, Part::from(self.collect(layer, collection, &known, &message)));
        }
        let node = tree![format!("down send({data}{message}) "), body];
        self.alone(node)
    }

    fn deliver(&mut self, layer: &Layer, header: Option<&Header>, with_data: bool) -> Node {
        let mut scope = layer.scope.clone();
        let message = if with_data { self.name("m") } else { String::new() };
        let pattern = header.map(|header| self.pattern(&mut scope, header));
        let pattern = match pattern {
            Some(pattern) if with_data => tree![format!("{message} - "), pattern],
            Some(pattern) => pattern,
            None => tree![message.clone()],
        };
        if with_data {
            scope.messages.push(message.clone());
        }
        let body = self.body(&Spot::of(layer, Inside::Deliver(message)), &mut scope);
        let node = tree!["up deliver(", pattern, ") ", body];
        self.alone(node)
    }

    /// `Name { field, field: x, field: _ }`
    fn pattern(&mut self, scope: &mut Scope, header: &Header) -> Node {
        let mut fields = Vec::new();
        for field in &header.fields {
            let node = match self.below(8) {
                0 => tree![format!("{}: _", field.name)],
                1 => {
                    let name = self.name("x");
                    scope.add(name.clone(), field.ty.clone(), Access::Read);
                    tree![format!("{}: {name}", field.name)]
                }
                _ => {
                    scope.add(field.name.clone(), field.ty.clone(), Access::Read);
                    tree![field.name.clone()]
                }
            };
            fields.push(node.with(Role::Piece(field.piece)));
        }
        tree![format!("{} {{ ", header.name), Node::each(fields, ", "), "}"]
    }

    /// The handler of an event without a message.
    fn plain(&mut self, layer: &Layer, head: &str, fields: &[Field], inside: Inside) -> Node {
        let mut scope = layer.scope.clone();
        let mut patterns = Vec::new();
        for field in fields {
            let name = self.name("x");
            patterns.push(match self.below(5) {
                0 => "_".to_string(),
                _ => {
                    scope.add(name.clone(), field.ty.clone(), Access::Assign);
                    name
                }
            });
        }
        let quiet = Layer { functions: Vec::new(), ..layer.clone() };
        let mut spot = Spot::of(layer, inside.clone());
        if !spot.may_sink() {
            // Functions can send messages.
            scope.functions.clear();
            spot.layer = &quiet;
        }
        let passes = matches!(inside, Inside::Down | Inside::Up) && self.percent(70);
        let last = if passes { "pass;\n" } else { "" };
        let body = self.body_between("", &spot, &mut scope, last);
        let node = tree![format!("{head}({}) ", patterns.join(", ")), body];
        self.alone(node)
    }

    /// A handler for each timer and family of timers.
    fn timers(&mut self, layer: &Layer) -> Vec<Node> {
        let mut found = Vec::new();
        for name in &layer.scope.names {
            self.paths(&name.path, &name.ty, Vec::new(), &mut found);
        }
        let handler = |random: &mut Generator, (path, indices): (String, Vec<(String, u32)>)| {
            let mut scope = layer.scope.clone();
            for (index, n) in indices {
                scope.add(index, Ty::Range(u64::from(n)), Access::Read);
            }
            let body = random.body(&Spot::of(layer, Inside::Timer), &mut scope);
            let node = tree![format!("on {path} "), body];
            random.alone(node)
        };
        found.into_iter().map(|timer| handler(self, timer)).collect()
    }

    /// The paths to timers in a place, with names for the indices.
    fn paths(
        &mut self,
        path: &str,
        ty: &Ty,
        indices: Vec<(String, u32)>,
        found: &mut Vec<(String, Vec<(String, u32)>)>,
    ) {
        match ty {
            Ty::Timer => found.push((path.to_string(), indices)),
            Ty::Struct(_, fields) => {
                for field in fields {
                    self.paths(&format!("{path}.{}", field.name), &field.ty, indices.clone(), found);
                }
            }
            Ty::Array(of, n) | Ty::Pool(of, n) | Ty::Map(_, of, n) if of.holds(&Ty::Timer) => {
                let index = self.name("i");
                let with = [indices, vec![(index.clone(), *n)]].concat();
                self.paths(&format!("{path}[{index}]"), of, with, found);
            }
            _ => {}
        }
    }
}
