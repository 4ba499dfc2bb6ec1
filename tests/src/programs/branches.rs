//! Branches and loops over numbers; values that may be absent.

use super::generator::Generator;
use super::scope::{root, Access, Scope};
use super::spot::{Inside, Spot};
use super::tree::{tree, Node};
use super::types::Ty;

impl Generator {
    /// `if`, with a hint sometimes, and `else if`.
    pub fn branch(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        let hint = *self.one(&["", "", "likely ", "unlikely "]);
        let condition = self.wanted(scope, &Ty::Bool, 3);
        let mut parts = tree![format!("if {hint}("), condition, ") ", self.block(spot, scope)];
        if self.percent(25) {
            let (condition, block) = (self.wanted(scope, &Ty::Bool, 2), self.block(spot, scope));
            parts = tree![parts, " else if (", condition, ") ", block];
        }
        if self.percent(50) {
            parts = tree![parts, " else ", self.block(spot, scope)];
        }
        Some(parts)
    }

    /// A `match` over an enum, a bool or a number.
    pub fn matched(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        let matches = |ty: &Ty| matches!(ty, Ty::Enum(..) | Ty::UInt(_) | Ty::Int(_) | Ty::Range(_) | Ty::Bool);
        let places = scope.places(self, matches);
        if places.is_empty() {
            return None;
        }
        let ty = self.one(&places).ty.clone();
        let value = self.fixed(scope, &ty, 2)?;
        let (mut cases, whole): (Vec<String>, bool) = match &ty {
            Ty::Enum(name, variants) => (variants.iter().map(|v| format!("{name}.{v}")).collect(), true),
            Ty::Bool => (vec!["true".into(), "false".into()], true),
            Ty::Range(high) if *high <= 4 => ((0..*high).map(|n| n.to_string()).collect(), true),
            _ => {
                let mut cases: Vec<String> = (0..1 + self.below(3)).map(|_| self.decimal(&ty)).collect();
                cases.sort();
                cases.dedup();
                (cases, false)
            }
        };
        let open = !whole || self.percent(40);
        if whole && open {
            cases.pop();
        }
        let arms = cases.iter().map(|case| tree![format!("{case} => "), self.block(spot, scope)]);
        let mut arms: Vec<Node> = arms.collect::<Vec<_>>().into_iter().map(|arm| self.alone(arm)).collect();
        if open {
            arms.push(tree!["_ => ", self.block(spot, scope)]);
        }
        Some(tree!["match (", value, ") {\n", Node::joined(arms, ""), "}\n"])
    }

    /// A number in its only decimal form.
    fn decimal(&mut self, ty: &Ty) -> String {
        loop {
            let literal = self.literal(ty);
            if !literal.starts_with("0x") && literal != "(-0)" {
                return literal;
            }
        }
    }

    /// A statement that leaves under a condition.
    pub fn early_end(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        let condition = self.wanted(scope, &Ty::Bool, 2);
        let nodes = self.statements(&Spot { depth: 0, ..spot.clone() }, &mut scope.clone());
        Some(tree!["if (", condition, ") {\n", Node::joined(nodes, ""), self.leave(spot, scope), "}\n"])
    }

    /// `let x = ... else { ... }` and `if let x = ... { }` of an operation that can fail: a division, a number in a
    /// range, an option.
    pub fn guarded(&mut self, spot: &Spot, scope: &mut Scope) -> Option<Node> {
        let (value, ty) = self.fallible(scope)?;
        let name = self.name("x");
        if self.percent(50) {
            let mut inner = scope.clone();
            inner.add(name.clone(), ty, Access::Read);
            let more = match self.percent(30) {
                true => tree![" && ", self.wanted(&Scope { effects: false, ..inner.clone() }, &Ty::Bool, 1)],
                false => tree![""],
            };
            let otherwise = if self.percent(40) { tree![" else ", self.block(spot, scope)] } else { tree![""] };
            return Some(tree![format!("if let {name} = "), value, more, " ", self.block(spot, &inner), otherwise]);
        }
        let end = match self.percent(10) {
            true => tree![" else unreachable;\n"],
            false => self.left_else(spot, scope),
        };
        scope.add(name.clone(), ty, Access::Read);
        Some(tree![format!("let {name} = "), value, end])
    }

    /// An ` else` that must leave; short if no message is held.
    pub fn left_else(&mut self, spot: &Spot, scope: &Scope) -> Node {
        let breaks = spot.in_loop == Some(spot.held.len());
        match &spot.inside {
            _ if breaks && self.percent(80) => tree![" else break;\n"],
            Inside::Function(Some(ty)) if spot.held.is_empty() && self.percent(50) => {
                tree![" else return ", self.wanted(scope, ty, 1), ";\n"]
            }
            Inside::Function(Some(_)) => tree![" else {\n", self.leave(spot, scope), "}\n"],
            _ if spot.held.is_empty() && self.percent(50) => tree![" else return;\n"],
            _ => tree![" else {\n", self.leave(spot, scope), "}\n"],
        }
    }

    /// An expression whose value may be absent, and the type of its value.
    fn fallible(&mut self, scope: &Scope) -> Option<(Node, Ty)> {
        match self.below(4) {
            0 => {
                let (from, to) = (self.number(), Ty::Range(self.size(200)));
                let value = self.fixed(scope, &from, 2)?;
                Some((tree![value, format!(" as {}", to.text())], to))
            }
            1 => {
                let ty = match self.percent(70) {
                    true => Ty::UInt(self.width(64)),
                    false => Ty::Int(self.width(64)),
                };
                let (one, other) = (self.fixed(scope, &ty, 2)?, self.fixed(scope, &ty, 2)?);
                Some((tree![one, format!(" {} ", self.one(&["/", "%"])), other], ty))
            }
            2 => {
                let ty = Ty::UInt(self.width(64));
                let [one, two, three] = [0; 3].map(|_| self.fixed(scope, &ty, 1));
                Some((tree!["mul_div(", one?, ", ", two?, ", ", three?, ")"], ty))
            }
            _ => {
                let options = scope.places(self, |ty| matches!(ty, Ty::Option(of) if of.is_plain()));
                if options.is_empty() {
                    return None;
                }
                let option = self.one(&options).clone();
                let Ty::Option(of) = option.ty else { return None };
                Some((tree![option.path], *of))
            }
        }
    }

    /// A statement on a `msg?`: borrows or takes the message.
    pub fn presence(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        let options = scope.places(self, |ty| ty.is_message_option());
        let options: Vec<_> = options.into_iter().filter(|option| scope.may_move(option)).collect();
        if options.is_empty() {
            return None;
        }
        self.moves += 1;
        let (option, name) = (self.one(&options).path.clone(), self.name("m"));
        let mut inner = scope.clone();
        inner.messages.push(name.clone());
        match self.below(5) {
            4 => Some(tree![format!("drop {option};\n")]),
            0 => Some(tree![format!("{option} = some("), self.message(scope)?, ");\n"]),
            1 => Some(tree![format!("{option}.clear();\n")]),
            2 => {
                inner.frozen.push(root(&option).to_string());
                Some(tree![format!("if let {name} = {option} "), self.block(spot, &inner)])
            }
            _ => {
                let body = self.body(&spot.deeper().holding_all(std::slice::from_ref(&name)), &mut inner);
                Some(tree![format!("if let {name} = {option}.take() "), body])
            }
        }
    }

    /// Loops that count, or continue while a condition holds.
    pub fn loops(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        let (within, spot) = (spot.in_loop.is_some(), spot.looping());
        if self.percent(40) {
            // Bounds of nested loops multiply.
            let bound = match within {
                true => 1 + self.below(2),
                false if self.percent(80) => 1 + self.below(4),
                false => 1 + self.below(20),
            };
            let condition = self.wanted(scope, &Ty::Bool, 2);
            return Some(tree!["while (", condition, format!(") bound {bound} "), self.block(&spot, scope)]);
        }
        let index = self.name("i");
        let mut inner = scope.clone();
        let places = scope.places(self, |ty| matches!(ty, Ty::Range(high) if *high <= 5 && *high > 1));
        if !places.is_empty() && self.percent(40) {
            let place = self.one(&places).clone();
            return Some(tree![format!("for {index} in 0 .. {} ", place.path), self.block(&spot, &inner)]);
        }
        let first = self.below(3) as u64 * self.random.below(40);
        let high = first + 1 + self.below(if within { 2 } else { 4 }) as u64;
        if first == 0 {
            inner.add(index.clone(), Ty::Range(high), Access::Read);
        }
        let bound = if self.percent(20) { format!("bound {} ", 1 + self.below(6)) } else { String::new() };
        Some(tree![format!("for {index} in {first} .. {high} {bound}"), self.block(&spot, &inner)])
    }
}
