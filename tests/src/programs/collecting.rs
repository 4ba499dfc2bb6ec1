//! Short messages that are collected over many steps, and joined when there is no room for one more: so messages have many
//! pieces, also those that are sliced, kept and joined again.

use super::generator::Generator;
use super::layer::Layer;
use super::scope::Scope;
use super::signatures::Collection;
use super::spot::{Inside, Spot};
use super::tree::{tree, Node, Role};

impl Generator {
    /// The state of a layer that collects.
    pub fn collection(&mut self, layer: &mut Layer) -> Node {
        let (name, piece) = (self.name("s"), self.piece());
        let (most, room) = (*self.one(&[4, 30, 64, 300, 1100]), 2 + self.below(14));
        let node = tree![format!("{name}: list<msg<{most}>, {room}>,\n")].with(Role::Piece(piece));
        layer.collection = Some(Collection { name, most, piece });
        node
    }

    /// What collects a message that goes down, which stays held; the joined ones are looked at, sent on or kept.
    pub fn collect(&mut self, layer: &Layer, collection: &Collection, scope: &Scope, message: &str) -> Node {
        let Collection { name, most, piece } = collection;
        let [short, joined] = ["m", "m"].map(|prefix| self.name(prefix));
        let mut inner = scope.clone();
        inner.messages = vec![joined.clone()];
        let spot = Spot { depth: 0, ..Spot::of(layer, Inside::Send(message.to_string())) };
        let looked: Vec<Node> = (0..self.below(3)).filter_map(|_| self.emission(&spot, &inner)).collect();
        inner.messages.clear();
        let end = self.last(&spot, &inner, &joined);
        let from = match self.percent(50) {
            true => format!("share {message}"),
            false => format!("slice({message}, {}, {most})", self.below(8)),
        };
        tree![
            format!("if let {short} = ({from}) as msg<{most}> {{\n{name}.push({short}) else {{\n"),
            format!("let {joined} = join({name}, {short});\n"),
            Node::joined(looked.into_iter().map(|node| self.alone(node)).collect(), ""),
            end,
            "}\n}\n",
        ]
        .with(Role::Piece(*piece))
    }
}
