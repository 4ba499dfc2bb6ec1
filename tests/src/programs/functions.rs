//! Functions of layers, filters of the file, and their calls.

use std::collections::BTreeSet;

use super::generator::Generator;
use super::layer::Layer;
use super::scope::{Access, Scope};
use super::signatures::{Filter, Function};
use super::spot::{Inside, Spot};
use super::tree::{tree, Node};
use super::types::Ty;

impl Generator {
    /// A function, which may call earlier ones.
    pub fn function(&mut self, layer: &Layer) -> (Function, Node) {
        let (name, moves) = (self.name("fun"), self.moves);
        let (mut parameters, mut shown) = (Vec::new(), Vec::new());
        let mut scope = layer.scope.clone();
        for _ in 0..self.below(4) {
            let places = layer.scope.places(self, |ty| ty.is_plain());
            let by_ref = !places.is_empty() && self.percent(40);
            let ty = if by_ref { self.one(&places).ty.clone() } else { self.plain_type(1) };
            let parameter = self.name("p");
            scope.add(parameter.clone(), ty.clone(), if by_ref { Access::Change } else { Access::Assign });
            scope.aliases.extend(by_ref.then(|| parameter.clone()));
            shown.push(tree![format!("{}{parameter}: {}", if by_ref { "ref " } else { "" }, ty.text())]);
            parameters.push((ty, by_ref));
        }
        let takes_message = self.percent(30);
        let result = if !takes_message && self.percent(60) { Some(self.plain_type(1)) } else { None };
        let mut spot = Spot::of(layer, Inside::Function(result.clone()));
        if takes_message {
            let message = self.name("m");
            shown.push(tree![format!("{message}: msg")]);
            scope.messages.push(message.clone());
            spot.held.push(message);
        }
        let gives = result.as_ref().map_or(String::new(), |ty| format!("-> {} ", ty.text()));
        let body = self.body(&spot, &mut scope);
        let node = tree![format!("fn {name}("), Node::joined(shown, ", "), format!(") {gives}"), body];
        let moves = self.moves > moves;
        (Function { name, parameters, takes_message, result, moves }, self.alone(node))
    }

    /// A call; none if there is no place for a `ref` or no message.
    pub fn call(&mut self, scope: &Scope, function: &Function, message: Option<&str>) -> Option<Node> {
        let mut arguments = Vec::new();
        if function.moves && !scope.stands.is_empty() {
            return None;
        }
        self.moves += u32::from(function.moves);
        let mut used = BTreeSet::new();
        let entry = |path: &str| path.contains('[') || path.contains(".value");
        for (ty, by_ref) in &function.parameters {
            if !by_ref {
                arguments.push(self.wanted(scope, ty, 1));
                continue;
            }
            let places: Vec<_> = scope.places(self, |other| other == ty).into_iter().collect();
            let places: Vec<_> =
                places.into_iter().filter(|p| p.access == Access::Change && scope.changeable(p)).collect();
            let places: Vec<_> = places.into_iter().filter(|p| !(function.moves && entry(&p.path))).collect();
            let places: Vec<_> =
                places.into_iter().filter(|p| !(function.moves && used.contains(scope.origin(&p.path)))).collect();
            if places.is_empty() {
                return None;
            }
            let place = self.one(&places);
            used.insert(scope.origin(&place.path).to_string());
            arguments.push(tree![format!("ref {}", place.path)]);
        }
        if function.takes_message {
            arguments.push(match message {
                Some(message) => tree![message],
                None => self.message(scope)?,
            });
        }
        Some(tree![format!("{}(", function.name), Node::joined(arguments, ", "), ")"])
    }

    /// A filter, with a result or with yielded bytes.
    pub fn filter(&mut self) -> (Filter, Node) {
        let name = self.name("fil");
        let mut scope = Scope::default();
        let mut state = Vec::new();
        for _ in 0..1 + self.below(3) {
            let (field, ty) = (self.name("a"), self.number());
            state.push(match self.percent(40) {
                true => tree![format!("{field}: {} = {}", ty.text(), self.literal(&ty))],
                false => tree![format!("{field}: {}", ty.text())],
            });
            scope.add(field, ty, Access::Change);
        }
        let (unit, bits) = if self.percent(60) { ("byte", 8) } else { ("word", 32) };
        let inputs: Vec<String> = (0..*self.one(&[1, 1, 1, 1, 2, 2, 3])).map(|_| self.name("b")).collect();
        let mut inner = scope.clone();
        inputs.iter().for_each(|input| inner.add(input.clone(), Ty::UInt(bits), Access::Read));
        let read = inputs.iter().map(|input| format!("{input}: u{bits}")).collect::<Vec<_>>().join(", ");
        let number = match self.percent(50) {
            true => Ty::UInt(*self.one(&[8, 16, 32, 64])),
            false => self.number(),
        };
        let number = if matches!(number, Ty::Range(_)) { Ty::UInt(8) } else { number };
        let result = self.percent(60).then_some(number);
        let rejects = self.percent(60) && result.is_none();
        let yields = if result.is_none() { self.below(4) } else { 0 };
        let (own, declared) = self.own_function(&scope);
        let body = self.filtering(&inner, own.as_deref(), yields, rejects);
        let last = if result.is_none() { self.below(3) } else { 0 };
        let end = if self.percent(50) || last > 0 {
            tree!["end ", self.filtering(&scope, None, last, rejects)]
        } else {
            tree![""]
        };
        let gives = match &result {
            Some(ty) => {
                let value = self.fixed(&scope, ty, 2).unwrap_or_else(|| tree![format!("(0 as {})", ty.text())]);
                tree!["result { ", value, " }\n"]
            }
            None => tree![""],
        };
        // A word has at least one byte.
        let grows = if result.is_none() { format!("grows n * {yields} + {} ", last + yields) } else { String::new() };
        let node = tree![
            format!("filter {name} {grows}{{\nstate {{ "),
            Node::each(state, ", "),
            format!("}}\n{unit}({read}) "),
            body,
            end,
            gives,
            declared,
            "}\n\n"
        ];
        (Filter { name, inputs: inputs.len(), result, rejects }, self.alone(node))
    }

    /// The inputs of a filter: a first message or string of bytes, and others of the same kind, mostly of other
    /// lengths.
    pub fn read_by(&mut self, filter: &Filter, first: String, messages: &[String]) -> String {
        if filter.inputs == 1 {
            return first;
        }
        let messages_read = first.starts_with("share");
        let mut all = vec![first];
        for _ in 1..filter.inputs {
            let message = self.one(messages).clone();
            all.push(match self.below(2) {
                _ if messages_read => format!("share {message}"),
                0 => format!("{message}.bytes"),
                _ => format!("{message}.bytes[{} ..]", self.below(12)),
            });
        }
        let at = self.below(all.len());
        all.rotate_left(at);
        format!("({})", all.join(", "))
    }

    /// Possibly a function of the filter.
    fn own_function(&mut self, scope: &Scope) -> (Option<String>, Node) {
        if self.percent(60) {
            return (None, tree![""]);
        }
        let (name, parameter) = (self.name("own"), self.name("p"));
        let mut inner = scope.clone();
        inner.add(parameter.clone(), Ty::UInt(8), Access::Read);
        let value = self.wanted(&inner, &Ty::UInt(8), 2);
        let node = tree![format!("fn {name}({parameter}: u8) -> u8 {{\nreturn "), value, ";\n}\n"];
        (Some(name), node)
    }

    /// The statements of a filter, which yield at most `yields` bytes. `own`: a function that the filter may call.
    fn filtering(&mut self, scope: &Scope, own: Option<&str>, yields: usize, rejects: bool) -> Node {
        let mut nodes = Vec::new();
        for _ in 0..1 + self.below(3) {
            let places: Vec<_> = scope.places(self, |ty| ty.is_plain());
            let places: Vec<_> = places.into_iter().filter(|place| scope.changeable(place)).collect();
            if !places.is_empty() {
                let place = self.one(&places).clone();
                nodes.push(tree![format!("{} = ", place.path), self.wanted(scope, &place.ty, 2), ";\n"]);
            }
        }
        for _ in 0..yields {
            let value = self.wanted(scope, &Ty::UInt(8), 2);
            let value = own.map_or_else(|| value.clone(), |own| tree![format!("{own}("), value.clone(), ")"]);
            nodes.push(match self.percent(30) {
                true => tree!["if (", self.wanted(scope, &Ty::Bool, 1), ") { yield ", value, "; }\n"],
                false => tree!["yield ", value, ";\n"],
            });
        }
        if let Some(own) = own.filter(|_| yields == 0) {
            let value = self.wanted(scope, &Ty::UInt(8), 1);
            nodes.push(tree![format!("let {} = {own}(", self.name("x")), value, ");\n"]);
        }
        if rejects && self.percent(80) {
            let (name, to) = (self.name("x"), Ty::Range(self.size(200)));
            if let Some(value) = self.fixed(scope, &Ty::UInt(16), 1) {
                nodes.push(tree![format!("let {name} = "), value, format!(" as {} else reject;\n", to.text())]);
            }
        }
        if rejects {
            nodes.push(tree!["if (", self.wanted(scope, &Ty::Bool, 1), ") { reject; }\n"]);
        }
        let nodes: Vec<Node> = nodes.into_iter().map(|node| self.alone(node)).collect();
        tree!["{\n", Node::joined(nodes, ""), "}\n"]
    }
}
