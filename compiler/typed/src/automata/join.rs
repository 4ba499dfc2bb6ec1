//! Joins an automaton with those that it extends: parameters, constants and state.

use nacre_diagnostics::Diagnostic;
use nacre_specification as spec;
use nacre_syntax::ast::{self, BinaryOp, ExprKind, Item, TypeKind};

use super::inferred::Ty;
use super::Typer;

/// The greatest depth of references between constants.
const DEEPEST: u32 = 20;

impl<'p> Typer<'p> {
    pub(super) fn automaton(
        &mut self,
        declared: &'p ast::Automaton,
        overrides: &[(String, u64)],
        generic: bool,
    ) -> Option<spec::Automaton> {
        let line = self.ancestry(declared)?;
        let description = self.parameters(declared, &line, overrides, generic);
        let state = self.state(&line);
        self.once(line.iter().flat_map(|a| &a.definitions).map(|d| &d.name));
        self.once(line.iter().flat_map(|a| &a.goals).map(|g| &g.name));
        self.definitions = line.iter().flat_map(|a| &a.definitions).map(|d| (d.name.name.clone(), d)).collect();
        self.definitions_alone(&line);
        let actions = self.actions(&line);
        let mut goals = Vec::new();
        for goal in line.iter().flat_map(|a| &a.goals) {
            self.begin();
            let holds = self.condition(&goal.condition);
            let unless = goal.unless.as_ref().and_then(|unless| {
                self.begin();
                self.condition(unless)
            });
            let name = goal.name.name.clone();
            goals.extend(holds.map(|holds| spec::Goal { name, holds, unless, span: goal.span }));
        }
        let extends = line.iter().rev().skip(1).map(|a| a.name.name.clone()).collect();
        Some(spec::Automaton {
            name: declared.name.name.clone(),
            description,
            extends,
            state,
            actions,
            goals,
            opening: None,
            forger: spec::forger::Forger::default(),
            span: declared.span,
        })
    }

    /// The automata that it extends, the furthest first, then itself.
    fn ancestry(&mut self, declared: &'p ast::Automaton) -> Option<Vec<&'p ast::Automaton>> {
        let mut line = vec![declared];
        while let Some(parent) = &line[line.len() - 1].extends {
            if line.iter().any(|a| a.name.name == parent.name) {
                let words = format!("`{}` extends itself", parent.name);
                let help = "an automaton extends a more general one: remove one of the `extends`";
                return self.error("T0131", words, parent.span, "completes the cycle", help);
            }
            match self.program.find(&parent.name, parent.span).map(|n| n.item) {
                Some(Item::Automaton(parent)) => line.push(parent),
                _ => {
                    let found: Diagnostic = self.program.unknown_automaton(&parent.name, Some(parent.span));
                    self.found.push(found);
                    return None;
                }
            }
        }
        line.reverse();
        Some(line)
    }

    /// Values of all parameters; gives the description of the automaton with them.
    fn parameters(
        &mut self,
        declared: &ast::Automaton,
        line: &[&ast::Automaton],
        overrides: &[(String, u64)],
        generic: bool,
    ) -> String {
        for automaton in line {
            self.once(automaton.parameters.iter().map(|p| &p.name));
        }
        // The nearest declaration of a parameter counts.
        let mut order: Vec<&ast::Parameter> = Vec::new();
        for parameter in line.iter().flat_map(|a| &a.parameters) {
            order.retain(|p| p.name.name != parameter.name.name);
            order.push(parameter);
        }
        for (name, _) in overrides {
            if !order.iter().any(|p| p.name.name == *name) {
                let known: Vec<&str> = order.iter().map(|p| p.name.name.as_str()).collect();
                let help = if known.is_empty() { "it has none".into() } else { format!("it has {}", known.join(", ")) };
                let words = format!("`{}` has no parameter `{name}`", declared.name.name);
                self.error::<()>("T0133", words, declared.name.span, "declared here", help);
            }
        }
        let mut shown = Vec::new();
        for parameter in order {
            self.resolve(&parameter.ty);
            let name = &parameter.name.name;
            let given = overrides.iter().rev().find(|(n, _)| n == name).map(|(_, value)| *value);
            let value = given.or_else(|| match &parameter.default {
                Some(default) => self.constant(default, 0).or_else(|| {
                    let words = format!("the default of `{name}` is not a constant");
                    let help = "use numbers, constants and preceding parameters";
                    self.error("T0133", words, default.span, "this value", help)
                }),
                None if generic => Some(1),
                None => {
                    let words = format!("`{name}` has no value");
                    let help = "give it a default, `NAME: nat = 2`, or set it in a configuration";
                    self.error("T0133", words, parameter.name.span, "no default", help)
                }
            });
            let value = value.unwrap_or(1);
            if value > greatest(&parameter.ty) {
                let words = format!("{} does not fit `{name}` of `{}`", value as i64, declared.name.name);
                let help = "parameters of automata are not negative, and fit their types";
                self.error::<()>("T0012", words, parameter.name.span, "declared here", help);
            }
            self.constants.insert(name.clone(), value);
            shown.push(format!("{name} = {value}"));
        }
        match shown.is_empty() {
            true => declared.name.name.clone(),
            false => format!("{}<{}>", declared.name.name, shown.join(", ")),
        }
    }

    /// A number that is known when the automaton is typed; no diagnostics.
    pub(super) fn constant(&self, e: &ast::Expr, depth: u32) -> Option<u64> {
        if depth > DEEPEST {
            return None;
        }
        match &e.kind {
            ExprKind::Number(n) => Some(*n),
            ExprKind::Duration(n, unit) => n.checked_mul(unit.nanoseconds()),
            ExprKind::True => Some(1),
            ExprKind::False => Some(0),
            ExprKind::Name(name) => {
                self.constants.get(name).copied().or_else(|| match self.program.find(name, e.span)?.item {
                    Item::Const(c) => self.constant(&c.value, depth + 1),
                    _ => None,
                })
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.constant(a, depth + 1)?, self.constant(b, depth + 1)?);
                match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Sub => a.checked_sub(b),
                    BinaryOp::Mul => a.checked_mul(b),
                    BinaryOp::Div => a.checked_div(b),
                    BinaryOp::Rem => a.checked_rem(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn state(&mut self, line: &[&ast::Automaton]) -> Vec<spec::Field> {
        self.once(line.iter().flat_map(|a| &a.state).map(|f| &f.name));
        let mut state = Vec::new();
        for field in line.iter().flat_map(|a| &a.state) {
            let ty = match &field.ty {
                Some(ty) => self.resolve(ty),
                None => self.error(
                    "T0020",
                    format!("`{}` needs a type", field.name.name),
                    field.span,
                    "",
                    "write name: type",
                ),
            };
            // Continues with an unknown type, so that one error is reported once.
            let ty = ty.unwrap_or_else(|| self.fresh());
            self.begin();
            let initial = field.initial.as_ref().and_then(|e| self.wanted(e, &ty));
            self.fields.push((field.name.name.clone(), ty.clone()));
            state.push(spec::Field { name: field.name.name.clone(), ty: self.settled(&ty), initial });
        }
        state
    }

    /// Checks each definition alone, so that unused ones are checked, too.
    fn definitions_alone(&mut self, line: &[&'p ast::Automaton]) {
        for definition in line.iter().flat_map(|a| &a.definitions) {
            self.once(definition.parameters.iter());
            self.begin();
            let arguments: Vec<(spec::Expr, Ty)> = definition
                .parameters
                .iter()
                .map(|p| (spec::Expr::Local(self.local(&p.name)), self.last_type()))
                .collect();
            // The type of a parameter follows from its uses.
            let before = self.found.len();
            self.expand(definition, arguments, definition.span);
            let told = self.found.split_off(before);
            self.found.extend(told.into_iter().filter(|d| d.code != "T0145"));
        }
    }

    fn last_type(&self) -> Ty {
        self.locals.last().map_or(Ty::Nat, |l| l.ty.clone())
    }
}

/// The greatest value of a parameter.
fn greatest(ty: &ast::Type) -> u64 {
    let TypeKind::Name(name, _) = &ty.kind else { return i64::MAX as u64 };
    match name.name.as_str() {
        "bool" => 1,
        "u8" => u64::from(u8::MAX),
        "u16" => u64::from(u16::MAX),
        "u32" => u64::from(u32::MAX),
        "u64" => u64::MAX,
        _ => i64::MAX as u64,
    }
}
