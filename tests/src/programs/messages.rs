//! Messages: emissions, and the consumption of held messages.

use super::generator::Generator;
use super::layer::{Header, Style};
use super::scope::{Access, Name, Scope};
use super::spot::{Inside, Spot};
use super::tree::{tree, Node, Role};
use super::types::Ty;

impl Generator {
    /// `Name { field: value }`
    pub fn header_value(&mut self, scope: &Scope, header: &Header) -> Node {
        let mut fields = Vec::new();
        for field in &header.fields {
            let value = self.wanted(scope, &field.ty, 2);
            fields.push(tree![format!("{}: ", field.name), value].with(Role::Piece(field.piece)));
        }
        tree![format!("{} {{ ", header.name), Node::each(fields, ", "), "}"]
    }

    /// A message made from one that can be borrowed.
    pub fn message(&mut self, scope: &Scope) -> Option<Node> {
        if scope.messages.is_empty() {
            return None;
        }
        let message = self.one(&scope.messages).clone();
        if self.percent(65) {
            return Some(tree![format!("share {message}")]);
        }
        let (at, length) = (self.length(scope), self.length(scope));
        Some(tree![format!("slice({message}, "), at, ", ", length, ")"])
    }

    /// A length of, or an offset in, a message.
    fn length(&mut self, scope: &Scope) -> Node {
        match self.percent(60) {
            true => tree![self.below(20).to_string()],
            false => self.wanted(scope, &Ty::UInt(32), 1),
        }
    }

    /// An emission; held messages stay held.
    pub fn emission(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        if !spot.may_sink() {
            let later = self.perhaps_later(spot);
            return self.signal(spot, scope, later);
        }
        let later = self.perhaps_later(spot);
        let signals = if spot.layer.events.turns { 4 } else { 2 };
        match self.below(10) {
            n if n < signals => self.signal(spot, scope, later),
            2..=4 if !spot.layer.controls.is_empty() => {
                let header = self.one(&spot.layer.controls).clone();
                Some(tree![format!("{later}below.send("), self.header_value(scope, &header), ");\n"])
            }
            5 | 6 if spot.may_rise() => Some(tree![format!("{later}above.deliver("), self.message(scope)?, ");\n"]),
            _ => {
                let message = self.message(scope)?;
                Some(tree![format!("{later}below.send("), self.headed(spot, scope, message), ");\n"])
            }
        }
    }

    /// An event without a message.
    pub fn signal(&mut self, spot: &Spot, scope: &Scope, later: &str) -> Option<Node> {
        let events = &spot.layer.events;
        let answers = spot.layer.style == Style::Chain && spot.may_answer() && self.percent(40);
        let (side, name, fields) = match if answers { 0 } else { self.below(3) } {
            0 if spot.may_answer() => ("above", events.up_name, &events.up),
            1 if spot.layer.port.is_some() => (spot.layer.port.as_deref()?, "answer", &events.answer),
            _ if spot.may_sink() => ("below", events.down_name, &events.down),
            _ => ("above", events.up_name, &events.up),
        };
        let values = fields.iter().map(|field| self.wanted(scope, &field.ty, 2)).collect();
        Some(tree![format!("{later}{side}.{name}("), Node::joined(values, ", "), ");\n"])
    }

    /// `later`, rarely in loops: waiting events take space for their maximum number.
    fn perhaps_later(&mut self, spot: &Spot) -> &'static str {
        if self.percent(if spot.in_loop.is_some() { 2 } else { 10 }) {
            "later "
        } else {
            ""
        }
    }

    /// Only emissions: they neither read state nor change it.
    pub fn relay(&mut self, spot: &Spot, scope: &Scope) -> Vec<Node> {
        let mut scope = Scope { effects: false, ..scope.clone() };
        scope.names.retain(|name| name.access != Access::Change);
        let emitted: Vec<Node> = (0..1 + self.below(2)).filter_map(|_| self.emission(spot, &scope)).collect();
        emitted.into_iter().map(|node| self.alone(node)).collect()
    }

    /// A message with a header, or without one.
    fn headed(&mut self, spot: &Spot, scope: &Scope, message: Node) -> Node {
        if spot.layer.headers.is_empty() || self.percent(10) {
            return message;
        }
        let header = self.one(&spot.layer.headers).clone();
        tree![message, " + ", self.header_value(scope, &header)]
    }

    /// Consumes the messages that the block itself holds.
    pub fn finish(&mut self, spot: &Spot, scope: &Scope) -> Node {
        self.finish_from(spot, scope, spot.outer)
    }

    /// Consumes the held messages, except for the `first` oldest ones.
    fn finish_from(&mut self, spot: &Spot, scope: &Scope, first: usize) -> Node {
        let held = spot.held[first..].to_vec();
        if held.is_empty() {
            return tree![""];
        }
        if spot.depth > 1 && first == spot.outer && self.percent(25) {
            let condition = self.wanted(scope, &Ty::Bool, 2);
            let inner = spot.deeper().deeper();
            let then = self.body(&inner, &mut scope.clone());
            let otherwise = self.body(&inner, &mut scope.clone());
            return tree!["if (", condition, ") ", then, " else ", otherwise];
        }
        // Consumed messages are not read afterwards.
        let mut scope = scope.clone();
        scope.messages.retain(|known| !held.contains(known));
        let nodes = held.into_iter().map(|message| self.consume(spot, &scope, &message)).collect();
        Node::joined(nodes, "")
    }

    /// Leaves the loop or the body after consuming all held messages.
    pub fn leave(&mut self, spot: &Spot, scope: &Scope) -> Node {
        let quiet = Spot { depth: 0, ..spot.clone() };
        if let Some(first) = spot.in_loop.filter(|_| self.percent(60)) {
            return tree![self.finish_from(&quiet, scope, first), "break;\n"];
        }
        let end = match &spot.inside {
            Inside::Function(Some(ty)) => tree!["return ", self.wanted(scope, ty, 2), ";\n"],
            _ => tree!["return;\n"],
        };
        tree![self.finish_from(&quiet, scope, 0), end]
    }

    /// Consumes one message, possibly after a conversion.
    fn consume(&mut self, spot: &Spot, scope: &Scope, message: &str) -> Node {
        if self.percent(25) {
            if let Some((name, node)) = self.transformed(spot, scope, message) {
                return tree![node, self.last(spot, scope, &name)];
            }
        }
        self.last(spot, scope, message)
    }

    /// A message made from a held one: its name, and the statement that makes it.
    fn transformed(&mut self, spot: &Spot, scope: &Scope, message: &str) -> Option<(String, Node)> {
        let name = self.name("m");
        let lists = |ty: &Ty| matches!(ty, Ty::List(of, _) | Ty::Ring(of, _) if **of == Ty::Msg);
        let lists = scope.places(self, lists);
        let lists: Vec<_> = lists.into_iter().filter(|list| scope.may_move(list)).collect();
        let filters = scope.filters.iter().filter(|filter| filter.result.is_none());
        // Code that leaves consumes all held messages: nothing may be consumed before.
        let filters: Vec<_> = filters.filter(|filter| !filter.rejects || spot.held == [message]).collect();
        let unpacks = spot.layer.packs && matches!(spot.inside, Inside::Deliver(_)) && spot.held == [message];
        let form = match self.below(10) {
            0..=3 if unpacks => 2,
            0 | 1 if !filters.is_empty() => 3,
            _ => self.below(6),
        };
        let node = match form {
            5 if spot.held == [message] => {
                let most = [1, 8, 64, 300, 1100][self.below(5)];
                let end = self.leave(&Spot { depth: 0, ..spot.clone() }, scope);
                tree![format!("let {name} = {message} as msg<{most}> else {{\n"), end, "}\n"]
            }
            3 if !filters.is_empty() => {
                let filter = (*self.one(&filters)).clone();
                let source = self.one(&[format!("{message}.bytes"), format!("share {message}")]).clone();
                let known = [scope.messages.clone(), vec![message.to_string()]].concat();
                let source = self.read_by(&filter, source, &known);
                let end = match filter.rejects {
                    true => tree![" else {\n", self.leave(&Spot { depth: 0, ..spot.clone() }, scope), "}\n"],
                    false => tree![";\n"],
                };
                tree![format!("let {name} = {source} through {}", filter.name), end, format!("drop {message};\n")]
            }
            0 if !lists.is_empty() => {
                self.moves += 1;
                tree![format!("let {name} = join({}, {message});\n", self.one(&lists).path)]
            }
            1 if spot.layer.packs && matches!(spot.inside, Inside::Send(_)) => {
                tree![format!("let {name} = pack({message});\n")]
            }
            2 if unpacks => {
                tree![format!("let {name} = unpack({message}) else {{ count c; return; }}\n")]
            }
            _ => tree![format!("let {name} = rest({message}, "), self.length(scope), ");\n"],
        };
        Some((name, node))
    }

    /// Emits, keeps or drops a message.
    pub fn last(&mut self, spot: &Spot, scope: &Scope, message: &str) -> Node {
        match self.below(20) {
            0 => tree![format!("drop {message};\n")],
            1 if matches!(spot.inside, Inside::Deliver(_)) => tree![format!("impossible {message};\n")],
            2..=4 => self.kept(spot, scope, message),
            5 if spot.may_rise() => tree![format!("above.deliver({message});\n")],
            6 if !matches!(spot.inside, Inside::Function(_)) => self.given(spot, scope, message),
            _ => self.passed(spot, scope, message),
        }
    }

    fn passed(&mut self, spot: &Spot, scope: &Scope, message: &str) -> Node {
        self.sends += 1;
        match &spot.inside {
            Inside::Deliver(own) if own == message && self.percent(20) => tree!["pass;\n"],
            Inside::Deliver(_) => tree![format!("pass {message};\n")],
            Inside::Send(own) if own == message && self.percent(10) => tree!["pass;\n"],
            Inside::Send(_) => tree!["pass ", self.headed(spot, scope, tree![message]), ";\n"],
            _ if !spot.may_sink() => tree![format!("drop {message};\n")],
            _ => tree!["below.send(", self.headed(spot, scope, tree![message]), ");\n"],
        }
    }

    /// Stores a message in the state, alone or in an entry with other values; if there is no room, it is held again.
    fn kept(&mut self, spot: &Spot, scope: &Scope, message: &str) -> Node {
        let fits = |ty: &Ty| ty.is_message_option() || ty.entry().is_some_and(|entry| entry.holds(&Ty::Msg));
        let places: Vec<_> = scope.places(self, fits).into_iter().filter(|place| scope.may_move(place)).collect();
        let place = if places.is_empty() { None } else { Some(self.one(&places).clone()) };
        let Some(place) = place else { return self.passed(spot, scope, message) };
        self.moves += 1;
        if place.ty.is_message_option() {
            return tree![format!("{} = some({message});\n", place.path)];
        }
        match self.stored(scope, &place, message) {
            Some(stored) => tree![stored, " else {\n", self.passed(spot, scope, message), "}\n"],
            None => self.passed(spot, scope, message),
        }
    }

    /// An operation that stores a message in a container, and may fail.
    fn stored(&mut self, scope: &Scope, place: &Name, message: &str) -> Option<Node> {
        let path = &place.path;
        let entry = self.entry_with(scope, place.ty.entry()?, &mut Some(message))?;
        Some(match &place.ty {
            Ty::Window(_, _, bits) if self.percent(50) => {
                tree![format!("{path}.put("), self.near(scope, path, *bits), ", ", entry, ")"]
            }
            Ty::Map(key, ..) => tree![format!("{path}.insert("), self.wanted(scope, key, 1), ", ", entry, ")"],
            Ty::Pool(..) => tree![format!("{path}.add("), entry, ")"],
            _ => tree![format!("{path}.push("), entry, ")"],
        })
    }

    /// Passes a message to a function.
    fn given(&mut self, spot: &Spot, scope: &Scope, message: &str) -> Node {
        let takes: Vec<_> = spot.layer.functions.iter().filter(|f| f.takes_message && f.result.is_none()).collect();
        if takes.is_empty() || !scope.frozen.is_empty() {
            return self.passed(spot, scope, message);
        }
        let function = (*self.one(&takes)).clone();
        match self.call(scope, &function, Some(message)) {
            Some(call) => tree![call, ";\n"],
            None => self.passed(spot, scope, message),
        }
    }
}
