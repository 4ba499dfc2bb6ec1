//! Containers: operations, loops, and removal of entries.

use super::generator::Generator;
use super::scope::{root, Access, Name, Scope};
use super::spot::Spot;
use super::tree::{tree, Node};
use super::types::Ty;

impl Generator {
    /// A container for the state.
    pub fn container(&mut self, entry: &Ty) -> Ty {
        let n = 1 + self.below(5) as u32;
        let simple = match self.below(5) {
            0 | 1 => Ty::Msg,
            2 => {
                let mut parts = vec![Ty::Msg, self.wire_type(1)];
                parts.extend(self.percent(25).then_some(Ty::Msg));
                let at = self.below(parts.len());
                parts.rotate_left(at);
                Ty::Tuple(parts)
            }
            _ => self.plain_type(1),
        };
        let n = if simple.holds(&Ty::Msg) { n.min(3) } else { n };
        let boxed = Box::new(simple);
        match self.below(6) {
            0 => Ty::Ring(boxed, n),
            1 => Ty::List(boxed, n),
            2 | 3 => {
                let bits = *self.one(&[2, 3, 4, 8, 13, 16, 31, 32]);
                // Fewer than half of the numbers.
                let most = (1u32 << (bits - 1)) - 1;
                Ty::Window(boxed, if most < 8 && self.percent(40) { most } else { n.min(most) }, bits)
            }
            4 => Ty::Pool(Box::new(if self.percent(60) { entry.clone() } else { self.plain_type(1) }), n),
            _ => {
                let key = self.wire_type(1);
                Ty::Map(Box::new(key), Box::new(if self.percent(50) { entry.clone() } else { self.plain_type(1) }), n)
            }
        }
    }

    fn containers(&mut self, scope: &Scope) -> Vec<Name> {
        let all = scope.places(self, |ty| ty.is_countable() || matches!(ty, Ty::Array(..) | Ty::Option(_)));
        all.into_iter().filter(|place| place.access == Access::Change && scope.changeable(place)).collect()
    }

    /// A value for an entry; none if it needs a message and there is none.
    fn entry(&mut self, scope: &Scope, ty: &Ty) -> Option<Node> {
        self.entry_with(scope, ty, &mut None)
    }

    /// The same; a held message is moved into it, at the first place for one.
    pub fn entry_with(&mut self, scope: &Scope, ty: &Ty, held: &mut Option<&str>) -> Option<Node> {
        match ty {
            Ty::Msg => match held.take() {
                Some(message) => Some(tree![message]),
                None => self.message(scope),
            },
            Ty::Option(of) if **of == Ty::Msg => match held.is_some() || self.percent(60) {
                true => Some(tree!["some(", self.entry_with(scope, of, held)?, ")"]),
                false => Some(tree!["none"]),
            },
            Ty::Tuple(types) if ty.holds(&Ty::Msg) => {
                let parts: Option<Vec<Node>> = types.iter().map(|ty| self.entry_with(scope, ty, held)).collect();
                Some(tree!["(", Node::joined(parts?, ", "), ")"])
            }
            Ty::Struct(name, fields) if !ty.is_plain() => {
                let mut parts = Vec::new();
                for field in fields.iter().filter(|field| field.ty != Ty::Timer) {
                    if field.ty.holds(&Ty::Msg) || self.percent(70) {
                        let value = self.entry_with(scope, &field.ty, held)?;
                        let role = super::tree::Role::Piece(field.piece);
                        parts.push(tree![format!("{}: ", field.name), value].with(role));
                    }
                }
                Some(tree![format!("{name} {{ "), Node::each(parts, ", "), "}"])
            }
            plain => Some(self.wanted(scope, plain, 2)),
        }
    }

    /// An ` else { ... }` that need not leave.
    fn otherwise(&mut self, spot: &Spot, scope: &Scope) -> Node {
        match self.below(8) {
            0 => tree![" else unreachable;\n"],
            1 => self.left_else(spot, scope),
            2 if spot.depth > 0 => tree![" else ", self.block(spot, scope)],
            _ => tree![format!(" else {{ count {}; }}\n", self.one(&spot.layer.counters))],
        }
    }

    /// An operation on a container as a statement.
    pub fn operation(&mut self, spot: &Spot, scope: &mut Scope) -> Option<Node> {
        let containers: Vec<Name> = self.containers(scope).into_iter().filter(|c| scope.may_move(c)).collect();
        if containers.is_empty() {
            return None;
        }
        self.moves += 1;
        let Name { path, ty, .. } = self.one(&containers).clone();
        match &ty {
            Ty::Ring(of, _) | Ty::List(of, _) => match self.below(6) {
                0 => Some(tree![format!("{path}.clear();\n")]),
                1 if of.is_plain() => Some(tree![format!("{path}.remove("), self.wanted(scope, of, 2), ");\n"]),
                _ => Some(tree![format!("{path}.push("), self.entry(scope, of)?, ")", self.otherwise(spot, scope)]),
            },
            Ty::Window(of, _, bits) => self.windowed(spot, scope, &path, of, *bits),
            Ty::Pool(of, n) => match self.below(8) {
                0 => Some(tree![format!("{path}.clear();\n")]),
                1 | 2 => Some(tree![format!("{path}.remove({});\n", scope.index(self, *n))]),
                3 | 4 => Some(self.entry_ref(spot, scope, &path, of, *n)),
                _ => {
                    let made = tree![format!("{path}.add("), self.entry(scope, of)?, ")"];
                    Some(self.slotted(spot, scope, made, *n))
                }
            },
            Ty::Map(key, of, n) => self.mapped(spot, scope, &path, [key, of], *n),
            Ty::Bits(n) => {
                let element = self.wanted(scope, &Ty::Range(u64::from(*n)), 1);
                Some(tree![format!("{path} {}= ", self.one(&["+", "-"])), element, ";\n"])
            }
            Ty::Option(of) if of.is_plain() && self.percent(50) => Some(tree![format!("{path}.clear();\n")]),
            Ty::Option(of) if of.is_plain() => {
                let (name, mut inner) = (self.name("x"), scope.clone());
                inner.add(name.clone(), (**of).clone(), Access::Read);
                (spot.depth > 0).then(|| tree![format!("if let {name} = {path}.take() "), self.block(spot, &inner)])
            }
            _ => None,
        }
    }

    /// A name for an entry, if the entry exists.
    fn entry_ref(&mut self, spot: &Spot, scope: &mut Scope, path: &str, of: &Ty, n: u32) -> Node {
        let (name, slot, end) = (self.name("x"), scope.index(self, n), self.left_else(spot, scope));
        scope.stands.push((name.clone(), scope.origin(path).to_string()));
        match of {
            Ty::Struct(_, fields) if !of.is_plain() => {
                for field in fields.iter().filter(|field| field.ty.is_plain()) {
                    scope.add(format!("{name}.{}", field.name), field.ty.clone(), Access::Change);
                }
            }
            plain => scope.add(name.clone(), plain.clone(), Access::Change),
        }
        tree![format!("ref {name} = {path}.at({slot})"), end]
    }

    /// A number near those that a window has, mostly.
    pub fn near(&mut self, scope: &Scope, path: &str, bits: u8) -> Node {
        if self.percent(30) {
            return self.wanted(scope, &Ty::Seq(bits), 1);
        }
        let end = *self.one(&["low", "next", "high"]);
        let sign = if self.percent(80) { "+" } else { "-" };
        tree![format!("({path}.{end} {sign} {})", self.below(4))]
    }

    fn windowed(&mut self, spot: &Spot, scope: &mut Scope, path: &str, of: &Ty, bits: u8) -> Option<Node> {
        let seq = Ty::Seq(bits);
        match self.below(14) {
            0..=3 => {
                let pushed = tree![format!("{path}.push("), self.entry(scope, of)?, ")"];
                if spot.depth > 0 && self.percent(30) {
                    let (name, mut inner) = (self.name("n"), scope.clone());
                    inner.add(name.clone(), seq, Access::Read);
                    return Some(tree![format!("if let {name} = "), pushed, " ", self.block(spot, &inner)]);
                }
                Some(tree![pushed, self.otherwise(spot, scope)])
            }
            4..=6 => {
                let (number, entry) = (self.near(scope, path, bits), self.entry(scope, of)?);
                Some(tree![format!("{path}.put("), number, ", ", entry, ")", self.otherwise(spot, scope)])
            }
            7 | 8 => Some(tree![format!("{path}.release("), self.near(scope, path, bits), ");\n"]),
            9 => Some(tree![
                format!("{path}.{}(", self.one(&["raise", "skip_to"])),
                self.near(scope, path, bits),
                ");\n"
            ]),
            10 => Some(tree![format!("{path}.{}();\n", self.one(&["clear", "clear_undelivered"]))]),
            _ if spot.depth > 0 => {
                let (name, mut inner) = (self.name("x"), scope.clone());
                inner.add(format!("{name}.low"), seq.clone(), Access::Read);
                inner.add(format!("{name}.high"), seq, Access::Read);
                let hole = self.one(&["hole", "new_hole"]);
                Some(tree![format!("if let {name} = {path}.{hole}() "), self.block(spot, &inner)])
            }
            _ => None,
        }
    }

    fn mapped(&mut self, spot: &Spot, scope: &mut Scope, path: &str, types: [&Ty; 2], n: u32) -> Option<Node> {
        let [key, of] = types;
        let named = self.wanted(scope, key, 1);
        match self.below(8) {
            0 => Some(tree![format!("{path}.clear();\n")]),
            1 => Some(tree![format!("{path}.remove({});\n", scope.index(self, n))]),
            2 | 3 => Some(self.slotted(spot, scope, tree![format!("{path}.find("), named, ")"], n)),
            4 => {
                let (name, slot) = (self.name("x"), scope.index(self, n));
                scope.add(name.clone(), key.clone(), Access::Read);
                Some(tree![format!("let {name} = {path}.key({slot});\n")])
            }
            5 if of.is_plain() => {
                let (name, value) = (self.name("x"), self.wanted(scope, of, 2));
                scope.add(name.clone(), of.clone(), Access::Read);
                Some(tree![format!("let {name} = {path}.get("), named, ", ", value, ");\n"])
            }
            other => {
                let operation = if other == 6 { "entry" } else { "insert" };
                let made = tree![format!("{path}.{operation}("), named, ", ", self.entry(scope, of)?, ")"];
                Some(self.slotted(spot, scope, made, n))
            }
        }
    }

    /// An operation that returns a slot, which may be used in a block.
    fn slotted(&mut self, spot: &Spot, scope: &Scope, made: Node, n: u32) -> Node {
        if spot.depth == 0 || self.percent(40) {
            return tree![made, self.otherwise(spot, scope)];
        }
        let (name, mut inner) = (self.name("n"), scope.clone());
        inner.add(name.clone(), Ty::Range(u64::from(n)), Access::Read);
        tree![format!("if let {name} = "), made, " ", self.block(spot, &inner)]
    }

    /// A loop over a container, or a reference to one entry.
    pub fn walks(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        let containers: Vec<Name> =
            self.containers(scope).into_iter().filter(|c| !matches!(c.ty, Ty::Option(_))).collect();
        if containers.is_empty() {
            return None;
        }
        self.moves += 1;
        let Name { path, ty, .. } = self.one(&containers).clone();
        let mut inner = scope.clone();
        inner.frozen.push(root(&path).to_string());
        let (first, second) = (self.name("n"), self.name("e"));
        let head = match &ty {
            Ty::Bits(n) => {
                inner.add(second.clone(), Ty::Range(u64::from(*n)), Access::Read);
                if self.percent(25) {
                    let value = self.fixed(scope, &ty, 0)?;
                    let head = tree![format!("for {second} in ({path} | "), value, ") "];
                    return Some(tree![head, self.block(&spot.looping(), &inner)]);
                }
                format!("for {second} in {path} ")
            }
            Ty::Ring(of, _) | Ty::List(of, _) | Ty::Array(of, _) if of.is_plain() && self.percent(15) => {
                format!("for _ in {path} ")
            }
            Ty::Ring(of, _) | Ty::List(of, _) => format!("for {} in {path} ", self.borrowed(&mut inner, of, &second)),
            Ty::Array(of, _) if of.is_plain() => {
                inner.add(second.clone(), (**of).clone(), Access::Read);
                format!("for {second} in {path} ")
            }
            Ty::Window(of, _, bits) => {
                inner.add(first.clone(), Ty::Seq(*bits), Access::Read);
                let entry = self.borrowed(&mut inner, of, &second);
                let over = match self.below(4) {
                    0 => path.clone(),
                    1 => format!("{path}.up_to({path}.next + {})", self.below(3)),
                    2 => format!("{path}.between({path}.low + {}, {path}.high - {})", self.below(3), self.below(3)),
                    _ => format!("{path}.delivered({path}.low + {}, {path}.next)", self.below(2)),
                };
                format!("for ({first}, {entry}) in {over} ")
            }
            Ty::Pool(of, n) if self.percent(40) => {
                self.borrowed(&mut inner, of, &second);
                let body = self.block(spot, &inner);
                return Some(tree![format!("if let {second} = {path}.at({}) ", scope.index(self, *n)), body]);
            }
            Ty::Pool(of, n) => {
                inner.add(first.clone(), Ty::Range(u64::from(*n)), Access::Read);
                let entry = self.borrowed(&mut inner, of, &second);
                format!("for ({first}, {entry}) in {path} ")
            }
            Ty::Map(key, of, _) => {
                inner.add(first.clone(), (**key).clone(), Access::Read);
                let entry = self.borrowed(&mut inner, of, &second);
                format!("for ({first}, {entry}) in {path} ")
            }
            _ => return None,
        };
        Some(tree![head, self.block(&spot.looping(), &inner)])
    }

    /// Adds the names of a borrowed entry; returns its pattern.
    fn borrowed(&mut self, scope: &mut Scope, of: &Ty, name: &str) -> String {
        match of {
            Ty::Msg => scope.messages.push(name.to_string()),
            Ty::Tuple(types) if of.holds(&Ty::Msg) => return self.parts(scope, types).0,
            Ty::Struct(_, fields) if !of.is_plain() => {
                for field in fields.iter().filter(|field| field.ty.is_plain()) {
                    scope.add(format!("{name}.{}", field.name), field.ty.clone(), Access::Read);
                }
            }
            plain => scope.add(name, plain.clone(), Access::Read),
        }
        name.to_string()
    }

    /// Adds the parts of a tuple: its pattern, and the names of its messages.
    fn parts(&mut self, scope: &mut Scope, types: &[Ty]) -> (String, Vec<String>) {
        let (mut names, mut messages) = (Vec::new(), Vec::new());
        for ty in types {
            let name = self.name("e");
            match ty {
                Ty::Msg => messages.push(name.clone()),
                plain => scope.add(name.clone(), plain.clone(), Access::Read),
            }
            names.push(name);
        }
        scope.messages.extend(messages.iter().cloned());
        (format!("({})", names.join(", ")), messages)
    }

    /// Removes one entry, or all.
    pub fn drains(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        let containers = self.containers(scope).into_iter();
        let containers: Vec<Name> = containers.filter(|c| c.ty.is_queue() && scope.may_move(c)).collect();
        if containers.is_empty() {
            return None;
        }
        self.moves += 1;
        let Name { path, ty, .. } = self.one(&containers).clone();
        let (Ty::Ring(of, _) | Ty::List(of, _) | Ty::Window(of, ..)) = &ty else { return None };
        let operation = match ty {
            Ty::Window(..) => *self.one(&["take", "read"]),
            _ => "pop",
        };
        let mut inner = scope.clone();
        let drained = !matches!(ty, Ty::Window(..)) && self.percent(30);
        let again = drained || self.percent(50);
        let spot = if again { spot.looping() } else { spot.deeper() };
        let (pattern, spot) = self.moved(&mut inner, of, spot);
        if drained {
            inner.frozen.push(root(&path).to_string());
        }
        let body = self.body(&spot, &mut inner);
        // Such a loop over messages has no other end.
        let leaves = of.holds(&Ty::Msg) && ["break", "return"].iter().any(|word| body.text().contains(word));
        if drained && !leaves {
            return Some(tree![format!("for {pattern} in drain {path} "), body]);
        }
        let word = if again { "while" } else { "if" };
        Some(tree![format!("{word} let {pattern} = {path}.{operation}() "), body])
    }

    /// Adds the names of an entry that is moved out; returns its pattern, and where it must be consumed.
    fn moved<'l>(&mut self, scope: &mut Scope, of: &Ty, spot: Spot<'l>) -> (String, Spot<'l>) {
        let name = self.name("e");
        match of {
            Ty::Msg => {
                scope.messages.push(name.clone());
                let spot = spot.holding_all(std::slice::from_ref(&name));
                (name, spot)
            }
            Ty::Tuple(types) if of.holds(&Ty::Msg) => {
                let (pattern, messages) = self.parts(scope, types);
                (pattern, spot.holding_all(&messages))
            }
            plain => {
                scope.add(name.clone(), plain.clone(), Access::Read);
                let outer = spot.held.len();
                (name, Spot { outer, ..spot })
            }
        }
    }
}

impl Ty {
    /// The type of the entries of a container.
    pub fn entry(&self) -> Option<&Ty> {
        match self {
            Ty::Ring(of, _) | Ty::List(of, _) | Ty::Window(of, ..) | Ty::Pool(of, _) | Ty::Map(_, of, _) => Some(of),
            _ => None,
        }
    }

    /// Whether entries are removed one by one.
    fn is_queue(&self) -> bool {
        matches!(self, Ty::Ring(..) | Ty::List(..) | Ty::Window(..))
    }
}
