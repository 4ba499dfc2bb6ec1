//! Random programs: well-typed layers and stacks as source text, from a seed; the machines that run and compare them;
//! and the shrinker of failing ones.
//!
//! A program is generated as a tree of text ([`tree`]) whose pieces the shrinker ([`shrink`]) can remove. The generator
//! tracks types itself and uses no part of the compiler: if `check` rejects a program, one of the two is wrong.

mod branches;
mod campaign;
mod chains;
mod collecting;
mod conditions;
mod containers;
pub mod coverage;
mod exact;
mod expressions;
mod functions;
mod generator;
mod handlers;
mod host;
mod layer;
mod messages;
mod names;
pub mod plan;
pub mod run;
mod scope;
pub mod shrink;
mod signatures;
mod spot;
mod statements;
pub mod tree;
mod types;

pub use campaign::{campaign, digests, Campaign, Course};
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
    for _ in 0..1 + generator.below(3) {
        let (filter, node) = generator.filter();
        shared.filters.push(filter);
        nodes.push(node);
    }
    let mut layers = Layers::default();
    let last = if shared.library { "floor" } else { "last" };
    let kind = generator.below(100);
    match kind {
        0..=29 => generator.chain(&shared, &mut layers),
        30..=39 if !shared.library => generator.faithful(&shared, &mut layers),
        _ => generator.mixed(&shared, &mut layers),
    }
    // A file may have several stacks of the same layers.
    let small = kind < 30 || (kind < 40 && !shared.library);
    if let Some((node, mention)) = generator.host_worker(seed, shared.speaks) {
        layers.nodes.push(node);
        layers.stack.push(mention);
    }
    nodes.append(&mut layers.nodes);
    // The other layers can be removed individually.
    if !shared.library {
        nodes.push(tree!["worker last: line over line {}\n\n"]);
    }
    if small && generator.percent(40) {
        let (name, mut other) = (generator.name("other"), layers.stack.clone());
        other.reverse();
        nodes.push(tree![format!("stack {name} = "), Node::each(other, " / "), format!("{last};\n")]);
    }
    nodes.push(tree![format!("stack {STACK} = "), Node::each(layers.stack, " / "), format!("{last};\n")]);
    Node::joined(nodes, "")
}

/// The layers of a stack, except the last one.
#[derive(Default)]
struct Layers {
    /// Their declarations.
    nodes: Vec<Node>,
    /// Their names in the stack, from the top.
    stack: Vec<Node>,
}

/// The interfaces of the layers.
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
    /// Workers with all kinds of statements, and possibly many that do nothing, or one of the library.
    fn mixed(&mut self, shared: &Shared, layers: &mut Layers) {
        let few = 1 + self.below(3);
        // The fields of the library's first frames in front of those of the layers.
        let preamble = if shared.library { 64 } else { 4 };
        let offsets = if self.percent(30) { self.below(few) } else { few };
        for at in 0..few {
            self.one_worker(shared, layers, (at == offsets).then_some(preamble));
        }
        let many = if self.percent(10) { self.below(10) } else { 0 };
        self.thin(shared, layers, many);
        if self.percent(70) {
            self.known_worker(shared, layers, false);
        }
        if shared.library && self.percent(40) {
            let window = 1 + self.below(16);
            layers.stack.push(self.alone(tree![format!("pt2pt<{window}>")]));
        }
    }

    /// A chain of small layers, with at most one worker of another kind.
    fn chain(&mut self, shared: &Shared, layers: &mut Layers) {
        for _ in 0..2 + self.below(3) {
            let piece = self.piece();
            let (node, mention) = self.link(shared, piece);
            self.place(layers, node, mention);
        }
        match self.below(4) {
            0 => self.one_worker(shared, layers, None),
            1 | 2 => self.known_worker(shared, layers, false),
            _ => {}
        }
    }

    /// Layers that forward all messages.
    fn faithful(&mut self, shared: &Shared, layers: &mut Layers) {
        for _ in 0..1 + self.below(3) {
            self.known_worker(shared, layers, true);
        }
        let thin = self.below(3);
        self.thin(shared, layers, thin);
    }

    /// Declares a layer, and places it anywhere in the stack.
    fn place(&mut self, layers: &mut Layers, node: Node, mention: Node) {
        layers.nodes.push(node);
        let at = self.below(layers.stack.len() + 1);
        layers.stack.insert(at, mention);
    }

    fn one_worker(&mut self, shared: &Shared, layers: &mut Layers, offsets: Option<usize>) {
        let piece = self.piece();
        let (node, mention) = self.worker(shared, piece, offsets);
        layers.nodes.push(node);
        layers.stack.push(mention);
    }

    fn known_worker(&mut self, shared: &Shared, layers: &mut Layers, faithful: bool) {
        let piece = self.piece();
        let exact = self.exact_worker(shared.speaks, piece, faithful);
        self.place(layers, exact.node, tree![exact.name].with(Role::Piece(piece)));
    }

    /// Layers without handlers, some of them twice in the stack.
    fn thin(&mut self, shared: &Shared, layers: &mut Layers, many: usize) {
        for _ in 0..many {
            let (name, piece) = (self.name("thin"), self.piece());
            let text = format!("worker {name}{} {{}}\n\n", shared.speaks);
            let mention = tree![name].with(Role::Piece(piece));
            self.place(layers, tree![text].with(Role::Piece(piece)), mention.clone());
            if self.percent(50) {
                self.place(layers, tree![""], mention);
            }
        }
    }

    /// A new interface, or that of the library.
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

    /// Parameters of an event that the host can exchange.
    fn arguments(&mut self) -> Vec<types::Field> {
        let fields = (0..self.below(4)).map(|_| {
            let ty = match self.below(20) {
                0..=7 => types::Ty::UInt(32),
                8..=10 => types::Ty::Bool,
                _ => self.number(),
            };
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
