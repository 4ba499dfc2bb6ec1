//! Chains: small layers that emit to one another within a step, before and after they change their state, so that an
//! event that arrives too early or too late changes their state and emissions. Only `later` events close cycles between
//! them, so their steps are short.

use super::generator::Generator;
use super::layer::{Header, Layer, Shared, Style};
use super::scope::{Access, Scope};
use super::spot::{Inside, Spot};
use super::tree::{tree, Node, Role};
use super::types::{Field, Ty};

impl Generator {
    /// Adds a link of a chain, whose declaration and mention in the stack are one piece. Returns its mention.
    pub fn link(&mut self, shared: &Shared, piece: u32) -> (Node, Node) {
        let (name, events) = (self.name("link"), shared.events.clone());
        let mut layer = Layer { name, events, style: Style::Chain, ..Layer::default() };
        layer.scope.effects = true;
        layer.counters = vec![self.name("c")];
        let head = tree![format!("worker {}{} {{\n", layer.name, shared.speaks)];
        let members = vec![
            self.port(&mut layer),
            self.link_headers(&mut layer),
            self.link_storage(&mut layer),
            tree![format!("counters {{ {} }}\n", layer.counters[0])],
            self.handlers(&layer),
        ];
        let mention = tree![layer.name].with(Role::Piece(piece));
        (tree![head, Node::joined(members, "\n"), "\n}\n\n"].with(Role::Piece(piece)), mention)
    }

    /// Its headers, with one number each, so that a forwarded message shows the state from which it was sent.
    fn link_headers(&mut self, layer: &mut Layer) -> Node {
        let mut nodes = Vec::new();
        for (headers, prefix, chance) in [(&mut layer.headers, "Hd", 70), (&mut layer.controls, "Ct", 80)] {
            if self.percent(chance) {
                let (name, bits) = (self.name(prefix), *self.one(&[8, 16, 32, 32, 32]));
                let field = Field { name: self.name("k"), ty: Ty::UInt(bits), piece: self.piece() };
                let shown = tree![format!("{}: u{bits}", field.name)].with(Role::Piece(field.piece));
                let node = tree![format!("header {name} {{ "), Node::each(vec![shown], ", "), "}\n"];
                nodes.push(self.alone(node));
                headers.push(Header { name, fields: vec![field] });
            }
        }
        Node::joined(nodes, "")
    }

    /// The state of a link: numbers that every event changes, and possibly a timer and some messages.
    fn link_storage(&mut self, layer: &mut Layer) -> Node {
        let mut types = vec![Ty::UInt(32)];
        types.extend(self.percent(50).then_some(Ty::UInt(8)));
        types.extend(self.percent(40).then_some(Ty::Timer));
        types.extend(self.percent(30).then_some(Ty::Ring(Box::new(Ty::Msg), 2)));
        let mut nodes = Vec::new();
        for ty in types {
            let name = self.name("s");
            let node = tree![format!("{name}: {},\n", ty.text())];
            nodes.push(self.alone(node));
            layer.scope.add(name, ty, Access::Change);
        }
        tree!["state {\n", Node::joined(nodes, ""), "}\n"]
    }

    /// The effects of a link's handler: changes its state, emits, changes its state again.
    pub fn acts(&mut self, spot: &Spot, scope: &Scope) -> Vec<Node> {
        let mut nodes = Vec::new();
        let emissions = if spot.depth > 2 { self.below(3) } else { self.below(2) };
        for _ in 0..emissions {
            if self.percent(50) {
                nodes.push(self.step_of(scope));
            }
            nodes.extend(self.act(spot, scope));
        }
        if self.percent(60) {
            nodes.push(self.step_of(scope));
        }
        nodes.into_iter().map(|node| self.alone(node)).collect()
    }

    /// The state after another event: every order of events results in a different number.
    pub fn step_of(&mut self, scope: &Scope) -> Node {
        let numbers = scope.places(self, |ty| matches!(ty, Ty::UInt(_)));
        let own: Vec<_> = numbers.iter().filter(|place| place.access == Access::Change).collect();
        let place = self.one(&own);
        let (path, ty, by) = (&place.path, place.ty.text(), 1 + self.below(20));
        let other = &self.one(&numbers).path;
        tree![format!("{path} = {path} * 3 + ({other} as {ty}) + {by};\n")]
    }

    /// An emission; possibly only in some states, or one of several, or `later`.
    fn act(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        match self.below(10) {
            0 if spot.depth > 1 => {
                let condition = self.wanted(&Scope { effects: false, ..scope.clone() }, &Ty::Bool, 2);
                Some(tree!["if (", condition, ") {\n", self.emission(spot, scope)?, "}\n"])
            }
            1 | 2 => self.burst(spot, scope),
            3 => self.timed(scope),
            _ => self.emission(spot, scope),
        }
    }

    /// Several `later` events, whose order is observable too.
    fn burst(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        let (index, times) = (self.name("i"), 2 + self.below(3));
        let mut inner = scope.clone();
        inner.add(index.clone(), Ty::Range(times as u64), Access::Read);
        let quiet = matches!(spot.inside, Inside::Up) && !spot.may_sink();
        let one = match spot.layer.controls.first().filter(|_| !quiet && self.percent(50)).cloned() {
            Some(header) => tree!["later below.send(", self.header_value(&inner, &header), ");\n"],
            None => self.signal(spot, &inner, "later ")?,
        };
        Some(tree![format!("for {index} in 0 .. {times} {{\n"), one, "}\n"])
    }
}
