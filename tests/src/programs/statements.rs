//! Bodies: statements, then what becomes of the messages that are held.

use super::generator::Generator;
use super::layer::{Inside, Layer};
use super::scope::{Access, Scope};
use super::tree::{tree, Node, Role};
use super::types::Ty;

impl Generator {
    /// A block of statements that consumes the messages it holds.
    pub fn body(&mut self, layer: &Layer, scope: &mut Scope, inside: Inside, held: Vec<String>, depth: u32) -> Node {
        let mut nodes = self.statements(layer, scope, inside, depth);
        nodes.push(self.finish(layer, scope, inside, held, depth));
        tree!["{\n", Node::joined(nodes, ""), "}\n"]
    }

    /// Some statements; those messages that are held stay so.
    fn statements(&mut self, layer: &Layer, scope: &mut Scope, inside: Inside, depth: u32) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..self.below(5) + 1 {
            if let Some(node) = self.statement(layer, scope, inside, depth) {
                nodes.push(self.alone(node));
            }
        }
        nodes
    }

    /// A block of its own within another.
    fn block(&mut self, layer: &Layer, scope: &Scope, inside: Inside, depth: u32) -> Node {
        let nodes = self.statements(layer, &mut scope.clone(), inside, depth.saturating_sub(1));
        tree!["{\n", Node::joined(nodes, "").with(Role::Body), "}\n"]
    }

    fn statement(&mut self, layer: &Layer, scope: &mut Scope, inside: Inside, depth: u32) -> Option<Node> {
        match self.below(if depth == 0 { 8 } else { 12 }) {
            0..=3 => self.assignment(scope),
            4 => self.declaration(scope),
            5 => Some(tree![format!("count {};\n", self.name("c"))]),
            6 => self.emission(layer, scope, inside),
            7 => Some(tree!["assert ", self.wanted(scope, &Ty::Bool, 2), ";\n"]),
            8 | 9 => {
                let hint = *self.one(&["", "", "likely ", "unlikely "]);
                let condition = self.wanted(scope, &Ty::Bool, 2);
                let then = self.block(layer, scope, inside, depth);
                if self.percent(50) {
                    return Some(tree![format!("if {hint}("), condition, ") ", then]);
                }
                let otherwise = self.block(layer, scope, inside, depth);
                Some(tree![format!("if {hint}("), condition, ") ", then, " else ", otherwise])
            }
            _ => self.counted_loop(layer, scope, inside, depth),
        }
    }

    /// `place op= value;`
    fn assignment(&mut self, scope: &Scope) -> Option<Node> {
        let places = scope.places(self, |ty| ty.is_plain());
        let places: Vec<_> = places.into_iter().filter(|place| scope.changeable(place)).collect();
        if places.is_empty() {
            return None;
        }
        let place = self.one(&places).clone();
        let operators: &[&str] = match place.ty {
            Ty::UInt(_) | Ty::Int(_) => &["=", "+=", "-=", "*=", "|=", "&="],
            Ty::Seq(_) => &["=", "+="],
            Ty::Duration => &["=", "+=", "-="],
            Ty::Bits(_) => &["=", "|=", "&="],
            _ => &["="],
        };
        let value = self.wanted(scope, &place.ty, 3);
        Some(tree![format!("{} {} ", place.path, self.one(operators)), value, ";\n"])
    }

    /// `let x = value;` or `var x: T = value;`
    fn declaration(&mut self, scope: &mut Scope) -> Option<Node> {
        let (ty, name) = (self.plain_type(2), self.name("x"));
        match self.below(3) {
            0 => {
                let value = self.fixed(scope, &ty, 3)?;
                scope.add(name.clone(), ty, Access::Read);
                Some(tree![format!("let {name} = "), value, ";\n"])
            }
            1 => {
                scope.add(name.clone(), ty.clone(), Access::Assign);
                Some(tree![format!("var {name}: {};\n", ty.text())])
            }
            _ => {
                let value = self.wanted(scope, &ty, 3);
                scope.add(name.clone(), ty.clone(), Access::Assign);
                Some(tree![format!("var {name}: {} = ", ty.text()), value, ";\n"])
            }
        }
    }

    fn counted_loop(&mut self, layer: &Layer, scope: &Scope, inside: Inside, depth: u32) -> Option<Node> {
        let (index, high) = (self.name("i"), 1 + self.below(4) as u64);
        let mut inner = scope.clone();
        inner.add(index.clone(), Ty::Range(high), Access::Read);
        let body = self.block(layer, &inner, inside, depth);
        Some(tree![format!("for {index} in 0 .. {high} "), body])
    }

    /// A message of its own, or a second one with the bytes of another, leaves.
    fn emission(&mut self, layer: &Layer, scope: &Scope, inside: Inside) -> Option<Node> {
        if !layer.controls.is_empty() && self.percent(50) {
            let header = self.one(&layer.controls).clone();
            return Some(tree!["below.send(", self.header_value(scope, &header), ");\n"]);
        }
        if scope.messages.is_empty() {
            return None;
        }
        let message = self.one(&scope.messages).clone();
        let copy = match self.below(3) {
            0 => tree![
                format!("slice({message}, "),
                self.wanted(scope, &Ty::UInt(32), 1),
                ", ",
                self.wanted(scope, &Ty::UInt(32), 1),
                ")"
            ],
            _ => tree![format!("share {message}")],
        };
        if inside == Inside::Deliver && self.percent(50) {
            return Some(tree!["above.deliver(", copy, ");\n"]);
        }
        let header = self.one(&layer.headers).clone();
        Some(tree!["below.send(", copy, " + ", self.header_value(scope, &header), ");\n"])
    }

    /// Consumes what is held.
    fn finish(&mut self, layer: &Layer, scope: &Scope, inside: Inside, held: Vec<String>, depth: u32) -> Node {
        if held.is_empty() {
            return tree![""];
        }
        if depth > 1 && self.percent(30) {
            let condition = self.wanted(scope, &Ty::Bool, 2);
            let then = self.body(layer, &mut scope.clone(), inside, held.clone(), depth - 2);
            let otherwise = self.body(layer, &mut scope.clone(), inside, held, depth - 2);
            return tree!["if (", condition, ") ", then, " else ", otherwise];
        }
        let nodes = held.into_iter().map(|message| self.consume(layer, scope, inside, &message)).collect();
        Node::joined(nodes, "")
    }

    fn consume(&mut self, layer: &Layer, scope: &Scope, inside: Inside, message: &str) -> Node {
        match self.below(20) {
            0 => tree![format!("drop {message};\n")],
            1 if inside == Inside::Deliver => tree![format!("impossible {message};\n")],
            _ if inside == Inside::Deliver => tree![format!("pass {message};\n")],
            _ => {
                let header = self.one(&layer.headers).clone();
                let value = self.header_value(scope, &header);
                tree![format!("pass {message} + "), value, ";\n"]
            }
        }
    }
}
