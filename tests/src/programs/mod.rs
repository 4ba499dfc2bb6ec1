//! Random programs: well-typed layers and stacks as source text, from a seed; what runs and compares them; and what makes
//! those that fail small.
//!
//! A program is generated as a tree of text ([`tree`]) whose pieces the shrinker ([`shrink`]) knows how to take away. The
//! generator knows the types of what it writes, but asks no part of the compiler: what it takes for correct and `check`
//! rejects is a fault of one of the two.

mod campaign;
mod expressions;
mod generator;
mod layer;
pub mod plan;
pub mod run;
mod scope;
pub mod shrink;
mod statements;
pub mod tree;
mod types;

pub use campaign::{campaign, Campaign};
use generator::Generator;
use tree::{tree, Node, Role};

/// The name of the stack of every program.
pub const STACK: &str = "st";

/// The program of a seed.
pub fn generate(seed: u64) -> Node {
    let mut generator = Generator::new(seed);
    let interface = "interface line {\n    down send(m: msg)\n    up deliver(m: msg)\n}\n\n";
    let mut nodes = vec![tree![interface]];
    nodes.extend(generator.declarations());
    let mut stack = Vec::new();
    for _ in 0..1 + generator.below(3) {
        let piece = generator.piece();
        let (name, node) = generator.worker(piece);
        nodes.push(node);
        stack.push(tree![name, " / "].with(Role::Piece(piece)));
    }
    // Each of the other layers may be removed.
    nodes.push(tree!["worker last: line over line {}\n\n"]);
    nodes.push(tree![format!("stack {STACK} = "), Node::joined(stack, ""), "last;\n"]);
    Node::joined(nodes, "")
}

impl Generator {
    /// Enums and structs.
    fn declarations(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..self.below(3) {
            let ty = self.new_enum();
            let types::Ty::Enum(name, variants) = &ty else { continue };
            let node = tree![format!("enum {name} {{ {} }}\n\n", variants.join(", "))];
            nodes.push(self.alone(node));
            self.declared.push(ty);
        }
        for _ in 0..self.below(4) {
            let ty = self.new_struct();
            let types::Ty::Struct(name, fields) = &ty else { continue };
            let fields =
                fields.iter().map(|f| tree![format!("{}: {}", f.name, f.ty.text())].with(Role::Piece(f.piece)));
            let node = tree![format!("struct {name} {{ "), Node::each(fields.collect(), ", "), "}\n\n"];
            nodes.push(self.alone(node));
            self.declared.push(ty);
        }
        nodes
    }
}
