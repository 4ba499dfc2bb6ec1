//! Layers: their declarations.

use super::generator::Generator;
use super::scope::{Access, Scope};
use super::signatures::{Collection, Filter, Function};
use super::tree::{tree, Node, Role};
use super::types::{Field, Ty};

/// The names that the bodies of a layer can use.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub name: String,
    /// Headers of messages with data, and of those that are a header alone.
    pub headers: Vec<Header>,
    pub controls: Vec<Header>,
    /// Its state, parameters and constants.
    pub scope: Scope,
    pub counters: Vec<String>,
    pub functions: Vec<Function>,
    pub events: Events,
    /// Its own port, if it has one.
    pub port: Option<String>,
    /// Whether it packs messages as they go down.
    pub packs: bool,
    pub style: Style,
    /// The lists that collect messages from above.
    pub collection: Option<Collection>,
}

/// The kind of statements in the handlers of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Statements of all kinds.
    #[default]
    Mixed,
    /// Mostly emissions, whose order is observable.
    Relays,
    /// A link of a chain.
    Chain,
}

/// A header variant.
#[derive(Clone, Debug)]
pub struct Header {
    pub name: String,
    pub fields: Vec<Field>,
}

/// The events without messages: their parameters.
#[derive(Clone, Debug, Default)]
pub struct Events {
    pub down_name: &'static str,
    pub down: Vec<Field>,
    pub up_name: &'static str,
    pub up: Vec<Field>,
    /// Layers answer events from above with events upwards in the same step. Events from below then cause none
    /// downwards in this step, which would close a cycle.
    pub turns: bool,
    /// The events of ports.
    pub ask: Vec<Field>,
    pub answer: Vec<Field>,
}

/// The common declarations of all layers of a file.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    pub events: Events,
    pub filters: Vec<Filter>,
    /// The interface of the layers, as text.
    pub speaks: &'static str,
    /// Whether the stack is above layers of the library.
    pub library: bool,
}

impl Generator {
    /// Adds a worker, whose declaration and mention in the stack are one piece. Returns its mention. `offsets`: some
    /// fields have fixed offsets, from this byte on.
    pub fn worker(&mut self, shared: &Shared, piece: u32, offsets: Option<usize>) -> (Node, Node) {
        let mut layer = Layer { name: self.name("w"), events: shared.events.clone(), ..Layer::default() };
        layer.scope.effects = true;
        layer.scope.filters.clone_from(&shared.filters);
        layer.counters = (0..1 + self.below(3)).map(|_| self.name("c")).collect();
        layer.packs = self.percent(25);
        layer.style = if self.percent(8) { Style::Relays } else { Style::Mixed };
        layer.scope.packs = layer.packs;
        let (parameters, given) = self.parameters(&mut layer);
        let mut members = Vec::new();
        members.push(self.port(&mut layer));
        members.push(self.headers(&mut layer, offsets));
        let (entry, declared) = self.entry_type();
        members.push(declared);
        members.push(self.storage(&mut layer, &entry));
        members.push(tree!["counters { ", layer.counters.join(", "), " }\n"]);
        members.push(self.claims(&layer));
        let mut functions = Vec::new();
        for _ in 0..self.below(3) {
            let (function, node) = self.function(&layer);
            if function.result.is_some() {
                layer.scope.functions.push(function.clone());
            }
            layer.functions.push(function);
            functions.push(node);
        }
        members.push(self.handlers(&layer));
        members.extend(functions);
        let body = Node::joined(members, "\n");
        let head = tree![format!("worker {}", layer.name), parameters, format!("{} {{\n", shared.speaks)];
        let mention = tree![layer.name, given].with(Role::Piece(piece));
        (tree![head, body, "\n}\n\n"].with(Role::Piece(piece)), mention)
    }

    /// A port of the layer's own, if it has one.
    pub fn port(&mut self, layer: &mut Layer) -> Node {
        if self.percent(80) {
            return tree![""];
        }
        let port = self.name("port");
        let node = tree![format!("port {port}: gauge;\n")];
        layer.port = Some(port);
        node
    }

    /// Parameters of the layer, and their values in the stack.
    fn parameters(&mut self, layer: &mut Layer) -> (Node, Node) {
        let (mut declared, mut given) = (Vec::new(), Vec::new());
        for _ in 0..self.below(4) {
            let name = self.name("P");
            let ty = match self.below(4) {
                0 => Ty::Duration,
                1 => Ty::Range(1 + self.size(300)),
                2 => Ty::Int(self.width(64)),
                _ => Ty::UInt(self.width(64)),
            };
            let piece = self.piece();
            let default = self.literal(&ty);
            declared.push(tree![format!("{name}: {} = {default}", ty.text())].with(Role::Piece(piece)));
            if self.percent(50) {
                given.push(tree![format!("{name} = {}", self.literal(&ty))].with(Role::Piece(piece)));
            }
            layer.scope.constants.push((name, ty));
        }
        let list = |nodes: Vec<Node>| match nodes.is_empty() {
            true => tree![""],
            false => tree!["<", Node::joined(nodes, ", "), ">"],
        };
        (list(declared), list(given))
    }

    fn headers(&mut self, layer: &mut Layer, offsets: Option<usize>) -> Node {
        let mut nodes = Vec::new();
        for _ in 0..1 + self.below(3) {
            layer.headers.push(self.header("Hd"));
        }
        for _ in 0..self.below(3) {
            layer.controls.push(self.header("Ct"));
        }
        for header in layer.headers.iter().chain(&layer.controls) {
            // One field of a variant has a fixed offset; the others are packed around it.
            let mut offset = offsets.filter(|_| self.percent(60)).map(|first| first + self.below(40));
            let mut fields = Vec::new();
            for field in &header.fields {
                let whole = matches!(field.ty, Ty::UInt(bits) | Ty::Int(bits) if bits % 8 == 0);
                let big = if whole && self.percent(40) { " big" } else { "" };
                let at = offset.take().map_or(String::new(), |byte| format!(" at byte {byte}"));
                let node = tree![format!("{}: {}{big}{at}", field.name, field.ty.text())];
                fields.push(node.with(Role::Piece(field.piece)));
            }
            let node = tree![format!("header {} {{ ", header.name), Node::each(fields, ", "), "}\n"];
            nodes.push(self.alone(node));
        }
        Node::joined(nodes, "")
    }

    fn header(&mut self, prefix: &str) -> Header {
        let fields = (0..self.below(5)).map(|_| self.field("h")).collect();
        Header { name: self.name(prefix), fields }
    }

    fn field(&mut self, prefix: &str) -> Field {
        Field { name: self.name(prefix), ty: self.wire_type(2), piece: self.piece() }
    }

    /// A struct for the entries of containers, possibly with a message and a timer.
    fn entry_type(&mut self) -> (Ty, Node) {
        let mut fields: Vec<Field> = (0..1 + self.below(2)).map(|_| self.field("f")).collect();
        for (chance, ty) in [(40, Ty::Option(Box::new(Ty::Msg))), (50, Ty::Timer), (15, Ty::Msg)] {
            if self.percent(chance) {
                fields.push(Field { name: self.name("f"), ty, piece: self.piece() });
            }
        }
        let name = self.name("Ent");
        let shown = fields.iter().map(|f| tree![format!("{}: {}", f.name, f.ty.text())].with(Role::Piece(f.piece)));
        let node = tree![format!("struct {name} {{ "), Node::each(shown.collect(), ", "), "}\n"];
        (Ty::Struct(name, fields), self.alone(node))
    }

    fn storage(&mut self, layer: &mut Layer, entry: &Ty) -> Node {
        let mut blocks = Vec::new();
        for (word, count) in [("given", self.below(3)), ("shared", self.below(2)), ("lasting", self.below(2))] {
            let mut nodes = Vec::new();
            for _ in 0..count {
                nodes.push(self.plain_cell(layer, word));
            }
            if !nodes.is_empty() {
                blocks.push(tree![format!("{word} {{\n"), Node::joined(nodes, ""), "}\n"]);
            }
        }
        let mut nodes = Vec::new();
        for _ in 0..1 + self.below(6) {
            nodes.push(self.plain_cell(layer, "state"));
        }
        for _ in 0..self.below(4) {
            nodes.push(self.held_cell(layer, entry));
        }
        if self.percent(15) {
            nodes.push(self.collection(layer));
        }
        blocks.push(tree!["state {\n", Node::joined(nodes, ""), "}\n"]);
        Node::joined(blocks, "")
    }

    fn plain_cell(&mut self, layer: &mut Layer, word: &str) -> Node {
        let given = word == "given";
        let (name, mut ty) = (self.name("s"), self.plain_type(2));
        if given && !matches!(ty, Ty::UInt(_) | Ty::Bool | Ty::Bytes(_) | Ty::Addr) {
            ty = Ty::UInt(self.width(64));
        }
        let secret = if self.percent(8) { "secret " } else { "" };
        let mut known = layer.scope.clone();
        if given {
            known.names.clear();
        }
        // Only these may draw random numbers.
        known.effects = matches!(word, "state" | "lasting") && self.percent(30);
        known.functions.clear();
        let initial = self.percent(40).then(|| self.wanted(&known, &ty, 2));
        // The default of a given value cannot depend on the time.
        let initial = initial.filter(|value| !(given && value.text().contains("now")));
        let node = match initial {
            Some(value) => tree![format!("{secret}{name}: {} = ", ty.text()), value, ",\n"],
            None => tree![format!("{secret}{name}: {},\n", ty.text())],
        };
        layer.scope.add(name, ty, if given { Access::Read } else { Access::Change });
        self.alone(node)
    }

    /// State with messages or timers, or a container.
    fn held_cell(&mut self, layer: &mut Layer, entry: &Ty) -> Node {
        let name = self.name("s");
        let ty = match self.below(8) {
            0 => Ty::Option(Box::new(Ty::Msg)),
            1 => Ty::Timer,
            2 => Ty::Array(Box::new(Ty::Timer), 1 + self.below(3) as u32),
            3 if !entry.holds(&Ty::Msg) || !needs_message(entry) => {
                Ty::Array(Box::new(entry.clone()), 1 + self.below(3) as u32)
            }
            4 => Ty::Array(Box::new(self.container(entry)), 1 + self.below(2) as u32),
            _ => self.container(entry),
        };
        let node = tree![format!("{name}: {},\n", ty.text())];
        layer.scope.add(name, ty, Access::Change);
        self.alone(node)
    }

    /// The `accepts` conditions, invariants and goals of the layer, which the code need not satisfy.
    fn claims(&mut self, layer: &Layer) -> Node {
        let mut nodes = Vec::new();
        let scope = Scope { effects: false, ..layer.scope.clone() };
        if self.percent(15) {
            let condition = self.wanted(&scope, &Ty::Bool, 2);
            let most = 40 + self.below(2000);
            nodes.push(tree![format!("accepts send(m) when m.len <= {most} && (m.len < 30 || "), condition, ");\n"]);
        }
        if self.percent(20) {
            nodes.push(tree!["invariant ", self.wanted(&scope, &Ty::Bool, 2), ";\n"]);
        }
        if self.percent(10) {
            nodes.push(tree![format!("goal {} = ", self.name("g")), self.wanted(&scope, &Ty::Bool, 2), ";\n"]);
        }
        let nodes: Vec<Node> = nodes.into_iter().map(|node| self.alone(node)).collect();
        Node::joined(nodes, "")
    }
}

/// Whether a value has no empty initial value.
pub fn needs_message(ty: &Ty) -> bool {
    match ty {
        Ty::Msg => true,
        Ty::Struct(_, fields) => fields.iter().any(|field| needs_message(&field.ty)),
        Ty::Tuple(types) => types.iter().any(needs_message),
        Ty::Array(of, _) => needs_message(of),
        _ => false,
    }
}
