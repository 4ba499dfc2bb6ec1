//! The syntax tree of a generated program: its text, with marks on the pieces that the shrinker may remove or replace.

/// A part of a node, in the order of the text.
#[derive(Clone, Debug)]
pub enum Part {
    Text(String),
    Node(Node),
}

/// A piece of a program.
#[derive(Clone, Debug)]
pub struct Node {
    pub role: Role,
    pub parts: Vec<Part>,
}

/// The operations of the shrinker on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// None: it groups other nodes.
    Group,
    /// Remove it, with all other pieces of the same number: a declaration and its uses.
    Piece(u32),
    /// Replace the nearest enclosing piece by it: the body of a branch or loop.
    Body,
    /// Replace it by an expression in it of the same type, or by this simplest one.
    Value { ty: String, simplest: String },
}

impl From<&str> for Part {
    fn from(text: &str) -> Part {
        Part::Text(text.to_string())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Part {
        Part::Text(text)
    }
}

impl From<&String> for Part {
    fn from(text: &String) -> Part {
        Part::Text(text.clone())
    }
}

impl From<Node> for Part {
    fn from(node: Node) -> Part {
        Part::Node(node)
    }
}

/// A group of texts and nodes, in order.
macro_rules! tree {
    ($($part:expr),* $(,)?) => {
        $crate::programs::tree::Node::group(vec![$($crate::programs::tree::Part::from($part)),*])
    };
}
pub(crate) use tree;

impl Node {
    /// Groups parts.
    pub fn group(parts: Vec<Part>) -> Node {
        Node { role: Role::Group, parts }
    }

    /// Joins nodes, with a separator between them.
    pub fn joined(nodes: Vec<Node>, between: &str) -> Node {
        let mut parts = Vec::new();
        for (at, node) in nodes.into_iter().enumerate() {
            if at > 0 {
                parts.push(Part::from(between));
            }
            parts.push(Part::Node(node));
        }
        Node::group(parts)
    }

    /// Joins nodes, with a text after each, so that some can be removed.
    pub fn each(nodes: Vec<Node>, after: &str) -> Node {
        let ended = |mut node: Node| {
            node.parts.push(Part::from(after));
            Part::Node(node)
        };
        Node::group(nodes.into_iter().map(ended).collect())
    }

    /// The same node with another role.
    pub fn with(mut self, role: Role) -> Node {
        self.role = role;
        self
    }

    /// The text of the program.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Node(node) => node.write(out),
            }
        }
    }

    /// The nodes directly in this one.
    pub fn children(&self) -> impl Iterator<Item = &Node> {
        self.parts.iter().filter_map(|part| if let Part::Node(node) = part { Some(node) } else { None })
    }
}
