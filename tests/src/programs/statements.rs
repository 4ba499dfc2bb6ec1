//! Bodies: statements, then the consumption of held messages.

use super::generator::Generator;
use super::layer::Style;
use super::scope::{Access, Scope};
use super::spot::{Inside, Spot};
use super::tree::{tree, Node, Role};
use super::types::Ty;

impl Generator {
    /// A block of statements that consumes the messages it holds.
    pub fn body(&mut self, spot: &Spot, scope: &mut Scope) -> Node {
        self.body_between("", spot, scope, "")
    }

    /// The same between two statements.
    pub fn body_between(&mut self, first: &str, spot: &Spot, scope: &mut Scope, last: &str) -> Node {
        let mut nodes = vec![tree![first]];
        let handles = spot.depth > 2 && !matches!(spot.inside, Inside::Function(_));
        nodes.extend(match spot.layer.style {
            Style::Chain => self.acts(spot, scope),
            Style::Relays if handles && self.percent(75) => self.relay(spot, scope),
            Style::Mixed if handles && self.percent(4) => self.relay(spot, scope),
            _ => self.statements(spot, scope),
        });
        nodes.push(self.finish(spot, scope));
        if let (Inside::Function(Some(ty)), 3) = (&spot.inside, spot.depth) {
            nodes.push(tree!["return ", self.wanted(scope, ty, 2), ";\n"]);
        }
        nodes.push(tree![last]);
        if handles && spot.layer.style == Style::Chain && self.percent(60) {
            // Events that arrived while messages were forwarded have changed the state.
            let step = self.step_of(scope);
            nodes.push(self.alone(step));
        }
        tree!["{\n", Node::joined(nodes, ""), "}\n"]
    }

    /// Some statements; held messages stay held.
    pub fn statements(&mut self, spot: &Spot, scope: &mut Scope) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..1 + self.below(if spot.depth > 2 { 6 } else { 3 }) {
            if let Some(node) = self.statement(spot, scope) {
                nodes.push(self.alone(node));
            }
        }
        nodes
    }

    /// A nested block; the messages of the enclosing block stay held.
    pub fn block(&mut self, spot: &Spot, scope: &Scope) -> Node {
        let nodes = self.statements(&spot.deeper(), &mut scope.clone());
        tree!["{\n", Node::joined(nodes, "").with(Role::Body), "}\n"]
    }

    fn statement(&mut self, spot: &Spot, scope: &mut Scope) -> Option<Node> {
        if spot.in_loop.is_some() && self.percent(6) {
            return self.guarded(spot, scope);
        }
        match self.below(if spot.depth == 0 { 15 } else { 26 }) {
            0..=4 => self.assignment(scope),
            5 | 6 => self.declaration(scope),
            7 if matches!(&spot.inside, Inside::Deliver(m) if m.is_empty()) && self.percent(30) => {
                Some(tree!["impossible;\n"])
            }
            7 => Some(tree![format!("count {};\n", self.one(&spot.layer.counters))]),
            8 | 9 => self.emission(spot, scope),
            10 => Some(tree!["assert ", self.wanted(scope, &Ty::Bool, 2), ";\n"]),
            11 => self.timed(scope),
            12 | 13 => self.operation(spot, scope),
            14 => self.called(spot, scope),
            15 | 16 => self.branch(spot, scope),
            17 => self.matched(spot, scope),
            18 => self.early_end(spot, scope),
            19 => self.guarded(spot, scope),
            20 => self.presence(spot, scope),
            21 => self.loops(spot, scope),
            22..=24 => self.walks(spot, scope),
            _ => self.drains(spot, scope),
        }
    }

    /// `place op= value;`
    fn assignment(&mut self, scope: &Scope) -> Option<Node> {
        let places = scope.places(self, |ty| ty.is_plain());
        let places: Vec<_> = places.into_iter().filter(|place| scope.changeable(place)).collect();
        if places.is_empty() {
            return None;
        }
        let place = self.one(&places).clone();
        let operators: &[&str] = match place.ty {
            Ty::UInt(_) | Ty::Int(_) => &["=", "+=", "-=", "*=", "|=", "&="],
            Ty::Seq(_) => &["=", "+="],
            Ty::Duration => &["=", "+=", "-="],
            Ty::Bits(_) => &["=", "|=", "&="],
            _ => &["="],
        };
        let value = self.wanted(scope, &place.ty, 3);
        Some(tree![format!("{} {} ", place.path, self.one(operators)), value, ";\n"])
    }

    /// `let x = value;`, `var x: T = value;` or `ref x = place;`
    fn declaration(&mut self, scope: &mut Scope) -> Option<Node> {
        let (ty, name) = (self.plain_type(2), self.name("x"));
        match self.below(5) {
            0 | 1 => {
                let value = self.fixed(scope, &ty, 3)?;
                scope.add(name.clone(), ty, Access::Read);
                Some(tree![format!("let {name} = "), value, ";\n"])
            }
            2 => {
                scope.add(name.clone(), ty.clone(), Access::Assign);
                Some(tree![format!("var {name}: {};\n", ty.text())])
            }
            3 => {
                let places = scope.places(self, |ty| ty.is_plain());
                let places = places.into_iter().filter(|p| p.access == Access::Change && scope.changeable(p));
                let places: Vec<_> = places.collect();
                if places.is_empty() {
                    return None;
                }
                let place = self.one(&places).clone();
                let origin = scope.origin(&place.path).to_string();
                scope.stands.push((name.clone(), origin));
                scope.add(name.clone(), place.ty, Access::Change);
                Some(tree![format!("ref {name} = {};\n", place.path)])
            }
            _ => {
                let value = self.wanted(scope, &ty, 3);
                scope.add(name.clone(), ty.clone(), Access::Assign);
                Some(tree![format!("var {name}: {} = ", ty.text()), value, ";\n"])
            }
        }
    }

    /// Arms or cancels a timer.
    pub fn timed(&mut self, scope: &Scope) -> Option<Node> {
        let timers: Vec<_> =
            scope.places(self, |ty| *ty == Ty::Timer).into_iter().filter(|timer| scope.changeable(timer)).collect();
        if timers.is_empty() {
            return None;
        }
        let timer = self.one(&timers).path.clone();
        if self.percent(25) {
            return Some(tree![format!("cancel {timer};\n")]);
        }
        let delay = match self.below(10) {
            0 => tree![*self.one(&["0 ns", "1 ns", "18446744073709551614 ns", "18446744073709551615 ns"])],
            1 | 2 => self.wanted(scope, &Ty::Duration, 2),
            _ => tree![format!("{} ms", self.below(40))],
        };
        let unless = if self.percent(30) { " unless armed" } else { "" };
        Some(tree![format!("arm {timer} in "), delay, format!("{unless};\n")])
    }

    /// Calls a function for its effects.
    fn called(&mut self, spot: &Spot, scope: &Scope) -> Option<Node> {
        if !scope.frozen.is_empty() || spot.layer.functions.is_empty() {
            return None;
        }
        let function = self.one(&spot.layer.functions).clone();
        Some(tree![self.call(scope, &function, None)?, ";\n"])
    }
}
