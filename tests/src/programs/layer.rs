//! Layers: their declarations, then their handlers.

use super::generator::Generator;
use super::scope::{Access, Scope};
use super::tree::{tree, Node, Role};
use super::types::Field;

/// What the bodies of a layer can refer to.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub name: String,
    /// Headers of messages with data, and of those that are a header alone.
    pub headers: Vec<Header>,
    pub controls: Vec<Header>,
    /// Its state, parameters and constants.
    pub scope: Scope,
}

/// A header variant.
#[derive(Clone, Debug)]
pub struct Header {
    pub name: String,
    pub fields: Vec<Field>,
}

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// `down send`
    Send,
    /// `up deliver`
    Deliver,
}

impl Generator {
    /// A worker, with the piece that it and its mention in the stack are.
    pub fn worker(&mut self, piece: u32) -> (String, Node) {
        let mut layer = Layer { name: self.name("w"), ..Layer::default() };
        layer.scope.effects = true;
        let headers = self.headers(&mut layer);
        let state = self.state(&mut layer);
        let mut members = vec![headers, state];
        members.push(self.handlers(&layer));
        let body = Node::joined(members, "\n");
        let node = tree![format!("worker {}: line over line {{\n", layer.name), body, "\n}\n\n"];
        (layer.name, node.with(Role::Piece(piece)))
    }

    fn headers(&mut self, layer: &mut Layer) -> Node {
        let mut nodes = Vec::new();
        for _ in 0..self.below(3) + 1 {
            layer.headers.push(self.header("Hd"));
        }
        for _ in 0..self.below(3) {
            layer.controls.push(self.header("Ct"));
        }
        for header in layer.headers.iter().chain(&layer.controls) {
            let fields = header
                .fields
                .iter()
                .map(|field| tree![format!("{}: {}", field.name, field.ty.text())].with(Role::Piece(field.piece)));
            let fields = Node::each(fields.collect(), ", ");
            let node = tree![format!("header {} {{ ", header.name), fields, "}\n"];
            nodes.push(self.alone(node));
        }
        Node::group(nodes.into_iter().map(Into::into).collect())
    }

    fn header(&mut self, prefix: &str) -> Header {
        let fields = (0..self.below(5)).map(|_| self.field("h")).collect();
        Header { name: self.name(prefix), fields }
    }

    fn field(&mut self, prefix: &str) -> Field {
        Field { name: self.name(prefix), ty: self.wire_type(2), piece: self.piece() }
    }

    fn state(&mut self, layer: &mut Layer) -> Node {
        let mut nodes = Vec::new();
        for _ in 0..1 + self.below(6) {
            let (name, ty) = (self.name("s"), self.plain_type(2));
            let known = Scope { effects: false, ..layer.scope.clone() };
            let node = match self.percent(40) {
                true => tree![format!("{name}: {} = ", ty.text()), self.wanted(&known, &ty, 2), ",\n"],
                false => tree![format!("{name}: {},\n", ty.text())],
            };
            nodes.push(self.alone(node));
            layer.scope.add(name, ty, Access::Change);
        }
        tree!["state {\n", Node::joined(nodes, ""), "}\n"]
    }

    fn handlers(&mut self, layer: &Layer) -> Node {
        let mut nodes = vec![self.send(layer)];
        for header in &layer.headers {
            nodes.push(self.deliver(layer, header, true));
        }
        for header in &layer.controls {
            nodes.push(self.deliver(layer, header, false));
        }
        Node::joined(nodes, "\n")
    }

    fn send(&mut self, layer: &Layer) -> Node {
        let mut scope = layer.scope.clone();
        let message = self.name("m");
        scope.messages.push(message.clone());
        let body = self.body(layer, &mut scope, Inside::Send, vec![message.clone()], 3);
        let node = tree![format!("down send({message}) "), body];
        self.alone(node)
    }

    fn deliver(&mut self, layer: &Layer, header: &Header, with_data: bool) -> Node {
        let mut scope = layer.scope.clone();
        let message = self.name("m");
        let mut fields = Vec::new();
        for field in &header.fields {
            let pattern = match self.below(8) {
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
            fields.push(pattern.with(Role::Piece(field.piece)));
        }
        let held = if with_data { vec![message.clone()] } else { Vec::new() };
        scope.messages.extend(held.clone());
        let body = self.body(layer, &mut scope, Inside::Deliver, held, 3);
        let before = if with_data { format!("{message} - ") } else { String::new() };
        let node = tree![format!("up deliver({before}{} {{ ", header.name), Node::each(fields, ", "), "}) ", body];
        self.alone(node)
    }

    /// `Name { field: value }`
    pub fn header_value(&mut self, scope: &Scope, header: &Header) -> Node {
        let mut fields = Vec::new();
        for field in &header.fields {
            let value = self.wanted(scope, &field.ty, 2);
            fields.push(tree![format!("{}: ", field.name), value].with(Role::Piece(field.piece)));
        }
        tree![format!("{} {{ ", header.name), Node::each(fields, ", "), "}"]
    }
}
