//! Random programs: well-typed layers and stacks as source text, from a seed; what runs and compares them; and what makes
//! those that fail small.
//!
//! A program is generated as a tree of text ([`tree`]) whose pieces the shrinker ([`shrink`]) knows how to take away. The
//! generator knows the types of what it writes, but asks no part of the compiler: what it takes for correct and `check`
//! rejects is a fault of one of the two.

mod branches;
mod campaign;
mod containers;
pub mod coverage;
mod exact;
mod expressions;
mod functions;
mod generator;
mod handlers;
mod layer;
mod messages;
mod names;
pub mod plan;
pub mod run;
mod scope;
pub mod shrink;
mod spot;
mod statements;
pub mod tree;
mod types;

pub use campaign::{campaign, Campaign};
use generator::Generator;
use layer::{Events, Shared};
use tree::{tree, Node, Role};

/// The name of the stack of every program.
pub const STACK: &str = "st";

/// The program of a seed.
pub fn generate(seed: u64) -> Node {
    let mut generator = Generator::new(seed);
    let mut nodes = Vec::new();
    let declared = generator.declarations();
    let mut shared = generator.language();
    nodes.push(interfaces(&shared));
    nodes.extend(declared);
    for _ in 0..generator.below(3) {
        let (filter, node) = generator.filter();
        shared.filters.push(filter);
        nodes.push(node);
    }
    let few = 1 + generator.below(3);
    // A stack of many is one of small layers.
    let transparent = if generator.percent(10) { generator.below(10) } else { 0 };
    let layers = few;
    let offsets = if generator.percent(30) { generator.below(layers) } else { layers };
    // What the first frames of the library have before the fields of layers.
    let preamble = if shared.library { 64 } else { 4 };
    let mut stack = Vec::new();
    for at in 0..layers {
        let piece = generator.piece();
        let (node, mention) = generator.worker(&shared, piece, (at == offsets).then_some(preamble));
        nodes.push(node);
        stack.push(mention);
    }
    for _ in 0..transparent {
        let (name, piece) = (generator.name("thin"), generator.piece());
        let text = format!("worker {name}{} {{}}\n\n", shared.speaks);
        nodes.push(tree![text].with(Role::Piece(piece)));
        let at = generator.below(stack.len() + 1);
        for _ in 0..1 + generator.below(2) {
            stack.insert(at, tree![name.clone()].with(Role::Piece(piece)));
        }
    }
    if generator.percent(70) {
        let piece = generator.piece();
        let exact = generator.exact_worker(shared.speaks, piece);
        nodes.push(exact.node);
        let at = generator.below(stack.len() + 1);
        stack.insert(at, tree![exact.name].with(Role::Piece(piece)));
    }
    // Each of the other layers may be removed.
    let last = if shared.library { "floor" } else { "last" };
    if !shared.library {
        nodes.push(tree!["worker last: line over line {}\n\n"]);
    } else if generator.percent(40) {
        let window = 1 + generator.below(16);
        stack.push(generator.alone(tree![format!("pt2pt<{window}>")]));
    }
    nodes.push(tree![format!("stack {STACK} = "), Node::each(stack, " / "), format!("{last};\n")]);
    Node::joined(nodes, "")
}

/// The interfaces that layers speak.
fn interfaces(shared: &Shared) -> Node {
    let events = &shared.events;
    let list = |fields: &[types::Field]| {
        let shown = fields.iter().map(|f| format!("{}: {}", f.name, f.ty.text()));
        shown.collect::<Vec<_>>().join(", ")
    };
    let line = "interface line {\ndown send(m: msg)\nup deliver(m: msg)\n";
    let line = format!("{line}down note({})\nup told({})\n}}\n\n", list(&events.down), list(&events.up));
    let library = ["interfaces", "floor/floor", "pt2pt/pt2pt"];
    let library: String = library.iter().map(|file| format!("import \"../layers/{file}.nacre\";\n")).collect();
    let gauge = format!("down ask({})\nup answer({})\n", list(&events.ask), list(&events.answer));
    tree![if shared.library { library } else { line }, format!("interface gauge {{\n{gauge}}}\n\n")]
}

impl Generator {
    /// An interface of its own, or that of the library.
    fn language(&mut self) -> Shared {
        let (ask, answer) = (self.arguments(), self.arguments());
        if self.percent(20) {
            let granted = || vec![types::Field { name: "n".into(), ty: types::Ty::UInt(16), piece: 0 }];
            let (down, up) = (granted(), granted());
            let (down_name, up_name) = ("grant_delivers", "grant_sends");
            let events = Events { down_name, down, up_name, up, turns: false, ask, answer };
            return Shared { events, library: true, ..Shared::default() };
        }
        let (down, up) = (self.arguments(), self.arguments());
        let turns = self.percent(60);
        let events = Events { down_name: "note", down, up_name: "told", up, turns, ask, answer };
        Shared { events, speaks: ": line over line", ..Shared::default() }
    }

    /// Parameters of an event that hosts can meet.
    fn arguments(&mut self) -> Vec<types::Field> {
        let fields = (0..self.below(4)).map(|_| {
            let ty = if self.percent(85) { self.number() } else { types::Ty::Bool };
            types::Field { name: self.name("a"), ty, piece: self.piece() }
        });
        fields.collect()
    }

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
