//! A worker that consists of known code.

use std::collections::BTreeSet;

use super::code::{text, Function, Statement};
use super::expressions::Names;
use super::known::Known;
use super::run::Machine;
use super::statements::Here;
use crate::programs::generator::Generator;
use crate::programs::tree::{tree, Node, Role};
use crate::programs::types::Ty;

/// The counter of wrong results, on any network.
pub const WRONG: &str = "wrong";
/// The counter of messages that did not arrive as sent, on a network without damage.
pub const UNLIKE: &str = "unlike";

/// A counter whose name marks that the stack forwards all messages; it is never incremented.
pub const FAITHFUL: &str = "faithful";

/// A worker of known code: its declaration, and its name.
pub struct Exact {
    pub node: Node,
    pub name: String,
}

impl Generator {
    /// Returns a worker that checks known results, and passes everything else on. `faithful`: no layer of the stack
    /// keeps a message.
    pub fn exact_worker(&mut self, speaks: &str, piece: u32, faithful: bool) -> Exact {
        let name = self.name("exact");
        let state = self.exact_state();
        let mut names = Names::default();
        for (field, ty) in &state {
            names.add(field, ty.clone(), true, true);
        }
        for _ in 0..self.below(4) {
            let function = self.exact_function(&names);
            names.functions.push(function);
        }
        let runs: Vec<(String, String, Node)> = (0..3).filter_map(|_| self.exact_run(&names, &state)).collect();
        let cells = state.iter().map(|(field, ty)| format!("{field}: {},\n", ty.text())).collect::<String>();
        let call: String = runs.iter().map(|(run, ..)| format!("{run}();\n")).collect();
        let functions: String = names.functions.iter().map(|f| function_text(f, &names.functions)).collect();
        let (header, send, deliver) = self.exact_header();
        let counters = [WRONG, UNLIKE].into_iter().chain(faithful.then_some(FAITHFUL)).collect::<Vec<_>>().join(", ");
        let node = tree![
            format!("worker {name}{speaks} {{\n{header}"),
            format!("state {{\n{cells}entered: u64,\nleft: u64,\n}}\ncounters {{ {counters} }}\n"),
            format!("down send(m) {{\n{call}{send}}}\n"),
            deliver,
            functions,
            Node::joined(runs.into_iter().map(|(.., node)| node).collect(), ""),
            "}\n\n",
        ];
        Exact { node: node.with(Role::Piece(piece)), name }
    }

    /// Headers with known fields: the values that are sent, and those that must arrive.
    fn exact_header(&mut self) -> (String, String, Node) {
        let types: Vec<Ty> = (0..1 + self.below(6)).map(|_| self.wire_of_known()).collect();
        let fields: Vec<(String, Ty, Known)> =
            types.into_iter().map(|ty| (self.name("h"), ty.clone(), self.known(&ty))).collect();
        let declared =
            fields.iter().map(|(field, ty, _)| format!("{field}: {}", ty.text())).collect::<Vec<_>>().join(", ");
        let values = fields.iter().map(|(field, ty, known)| format!("{field}: {}", known.text(ty)));
        let send = format!("pass m + Known {{ {} }};\n", values.collect::<Vec<_>>().join(", "));
        let named = fields.iter().map(|(field, ..)| field.clone()).collect::<Vec<_>>().join(", ");
        let checks: String = fields.iter().map(|(field, ty, known)| compared(field, ty, known, UNLIKE)).collect();
        let deliver =
            format!("up deliver(m - Known {{ {named} }}) {{\n{checks}pass m;\n}}\nup deliver(m) {{ pass m; }}\n");
        (format!("header Known {{ {declared} }}\n"), send, tree![deliver])
    }

    fn wire_of_known(&mut self) -> Ty {
        loop {
            let ty = self.wire_type(2);
            if is_known(&ty) {
                return ty;
            }
        }
    }

    /// State of all kinds.
    fn exact_state(&mut self) -> Vec<(String, Ty)> {
        let mut types: Vec<Ty> = (0..3 + self.below(4)).map(|_| self.exact_type()).collect();
        types.push(Ty::Bool);
        types.push(Ty::Range(self.size(9)));
        types.push(Ty::Bits(self.extent()));
        let (one, other) = (self.exact_type(), self.exact_type());
        types.push(Ty::Array(Box::new(one.clone()), 1 + self.below(4) as u32));
        types.push(Ty::Option(Box::new(other.clone())));
        let room = 1 + self.below(4) as u32;
        types.push(Ty::Ring(Box::new(one.clone()), room));
        types.push(Ty::List(Box::new(other.clone()), room));
        types.push(Ty::Map(Box::new(one), Box::new(other), room));
        let declared: Vec<Ty> = self.declared.iter().filter(|ty| is_known(ty)).cloned().collect();
        if !declared.is_empty() {
            types.push(self.one(&declared).clone());
            types.push(Ty::Array(Box::new(self.one(&declared).clone()), 2));
        }
        types.into_iter().map(|ty| (self.name("z"), ty)).collect()
    }

    fn exact_function(&mut self, names: &Names) -> Function {
        let name = self.name("known");
        let states: Vec<Ty> =
            names.all.iter().map(|name| name.ty.clone()).filter(|ty| ty.is_plain() && *ty != Ty::Bool).collect();
        let places: Vec<(String, Ty)> =
            (0..self.below(3)).map(|_| (self.name("p"), self.one(&states).clone())).collect();
        let values: Vec<(String, Ty)> = (0..self.below(3)).map(|_| (self.name("p"), self.exact_type())).collect();
        let result = self.exact_type();
        let mut inner = names.clone();
        places.iter().for_each(|(name, ty)| inner.add(name, ty.clone(), true, false));
        values.iter().for_each(|(name, ty)| inner.add(name, ty.clone(), true, false));
        // Entries to which a caller refers, or over which a loop iterates, must not move.
        inner.all.retain(|name| {
            !name.state || !matches!(name.ty, Ty::Ring(..) | Ty::List(..) | Ty::Map(..) | Ty::Option(_))
        });
        let whole = |ty: &Ty| matches!(ty, Ty::Bits(_) | Ty::Array(..) | Ty::Struct(..));
        inner
            .fixed
            .extend(inner.all.iter().filter(|name| whole(&name.ty)).map(|name| name.name.clone()).collect::<Vec<_>>());
        let mut body = Vec::new();
        for _ in 0..1 + self.below(4) {
            // It returns a value, or continues.
            let statement = self.known_statement(&mut inner, Here { depth: 0, in_loop: false });
            body.extend(statement);
        }
        if self.percent(50) {
            let early = Statement::Return(Some(self.exact(&inner, &result, 2)));
            body.push(Statement::If(self.exact(&inner, &Ty::Bool, 2), vec![early], Vec::new()));
        }
        body.extend(self.known_statement(&mut inner, Here { depth: 0, in_loop: false }));
        body.push(Statement::Return(Some(self.exact(&inner, &result, 2))));
        Function { name, places, values, result: Some(result), body }
    }

    /// A function that sets the state, runs code, and compares the state with the expected one: its name and text.
    fn exact_run(&mut self, names: &Names, state: &[(String, Ty)]) -> Option<(String, String, Node)> {
        let (name, code) = (self.name("run"), self.name("code"));
        let mut inner = names.clone();
        let mut body = Vec::new();
        for _ in 0..4 + self.below(8) {
            body.extend(self.known_statement(&mut inner, Here { depth: 3, in_loop: false }));
        }
        let values: Vec<(String, Known)> = state
            .iter()
            .map(|(name, ty)| (name.clone(), if ty.is_plain() { self.known(ty) } else { Known::zero(ty) }))
            .collect();
        let after = Machine::new(&names.functions, &values).run(&body)?;
        let set: String = state.iter().zip(&values).map(|((name, ty), (_, value))| reset(name, ty, value)).collect();
        let checks: String = state.iter().zip(&after).map(|((name, ty), value)| checked(name, ty, value)).collect();
        let text = text(&body, &names.functions);
        // The statements after the call show whether the code reached its end or left by `return`.
        let run = format!("fn {name}() {{\n{set}entered += 1;\n{code}();\nleft += 1;\n{checks}}}\n");
        let node = tree![run, format!("fn {code}() {{\n{text}}}\n")];
        Some((name, code, node))
    }
}

/// Types whose values are known.
fn is_known(ty: &Ty) -> bool {
    match ty {
        Ty::Addr | Ty::Instant | Ty::Text(_) => false,
        Ty::Struct(_, fields) => fields.iter().all(|field| is_known(&field.ty)),
        Ty::Tuple(types) => types.iter().all(is_known),
        Ty::Option(of) | Ty::Array(of, _) => is_known(of),
        _ => true,
    }
}

fn function_text(function: &Function, functions: &[Function]) -> String {
    let places = function.places.iter().map(|(name, ty)| format!("ref {name}: {}", ty.text()));
    let values = function.values.iter().map(|(name, ty)| format!("{name}: {}", ty.text()));
    let parameters = places.chain(values).collect::<Vec<_>>().join(", ");
    let gives = function.result.as_ref().map_or(String::new(), |ty| format!(" -> {}", ty.text()));
    format!("fn {}({parameters}){gives} {{\n{}}}\n", function.name, text(&function.body, functions))
}

fn reset(name: &str, ty: &Ty, value: &Known) -> String {
    match ty {
        _ if ty.is_plain() => format!("{name} = {};\n", value.text(ty)),
        _ => format!("{name}.clear();\n"),
    }
}

/// Counts if a value differs.
fn compared(name: &str, ty: &Ty, value: &Known, counter: &str) -> String {
    format!("if ({name} != {}) {{ count {counter}; }}\n", value.text(ty))
}

/// Counts if state differs: of containers, the entries in their order.
fn checked(name: &str, ty: &Ty, value: &Known) -> String {
    let count = |len: usize| format!("if ({name}.len != {len}) {{ count {WRONG}; }}\n");
    match (ty, value) {
        (Ty::Ring(of, _), Known::Queue(queue)) => {
            count(queue.len()) + &queue.iter().map(|entry| popped(name, of, entry)).collect::<String>()
        }
        (Ty::List(of, _), Known::Queue(queue)) => {
            count(queue.len()) + &queue.iter().rev().map(|entry| popped(name, of, entry)).collect::<String>()
        }
        (Ty::Map(key, of, _), Known::Map(map)) => {
            let found = map.iter().map(|(known, entry)| {
                let key = known.text(key);
                format!(
                    "if let place = {name}.find({key}) {{\nif ({name}[place] != {}) {{ count {WRONG}; }}\n}} else \
                    {{ count {WRONG}; }}\n",
                    entry.text(of)
                )
            });
            count(map.len()) + &found.collect::<String>()
        }
        (Ty::Bits(_), Known::Set(set)) => compared(name, ty, value, WRONG) + &elements(name, set),
        _ => compared(name, ty, value, WRONG),
    }
}

/// Counts if a set has a wrong element or lacks one: some elements, and the numbers after them.
fn elements(name: &str, set: &BTreeSet<u32>) -> String {
    let asked = |n: u32| format!("if (({n} in {name}) != {}) {{ count {WRONG}; }}\n", set.contains(&n));
    set.iter().take(4).flat_map(|n| [*n, n.saturating_sub(1)]).map(asked).collect()
}

fn popped(name: &str, of: &Ty, entry: &Known) -> String {
    format!(
        "if let entry = {name}.pop() {{\nif (entry != {}) {{ count {WRONG}; }}\n}} else {{ count {WRONG}; }}\n",
        entry.text(of)
    )
}
