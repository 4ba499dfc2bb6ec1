//! Names within an automaton, and the locals that they denote.

use nacre_diagnostics::{nearest, Span};
use nacre_specification::{Expr, Value};
use nacre_syntax::ast::Item;

use super::inferred::Ty;
use super::{Binding, Known, Local, Typer};

impl Typer<'_> {
    /// Before an action, a goal or an initial value.
    pub(super) fn begin(&mut self) {
        self.locals.clear();
        self.scopes = vec![Default::default()];
    }

    pub(super) fn scoped<T>(&mut self, within: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Default::default());
        let result = within(self);
        self.scopes.pop();
        result
    }

    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.into(), binding);
        }
    }

    /// A new local with a value, whose type is not known yet.
    pub(super) fn local(&mut self, name: &str) -> usize {
        let ty = self.fresh();
        self.locals.push(Local { name: name.into(), ty, known: Known::Yes, variable: false });
        let n = self.locals.len() - 1;
        self.bind(name, Binding::Local(n));
        n
    }

    pub(super) fn binding(&self, name: &str) -> Option<Binding> {
        self.scopes.iter().rev().find_map(|s| s.get(name)).cloned()
    }

    /// Whether a name is unbound, so that a pattern may bind it.
    pub(super) fn is_new(&self, name: &str, at: Span) -> bool {
        let field = self.fields.iter().any(|(f, _)| f == name);
        let constant = self.constants.contains_key(name) || self.named_constant(name, at).is_some();
        self.binding(name).is_none() && !field && !constant && name != "members"
    }

    /// A parameter that no guard has bound yet.
    pub(super) fn unbound(&self, name: &str) -> Option<usize> {
        match self.binding(name) {
            Some(Binding::Local(n)) if self.locals[n].known == Known::No => Some(n),
            _ => None,
        }
    }

    pub(super) fn name(&mut self, name: &str, span: Span) -> Option<(Expr, Ty)> {
        match self.binding(name) {
            Some(Binding::Local(n)) => {
                if self.locals[n].known == Known::No {
                    self.locals[n].known = Known::Read(span);
                }
                return Some((Expr::Local(n), self.locals[n].ty.clone()));
            }
            Some(Binding::Value(e, ty, size)) => {
                self.put_in(size, span)?;
                return Some((e, ty));
            }
            None => {}
        }
        if let Some(at) = self.fields.iter().position(|(f, _)| f == name) {
            return Some((Expr::State(at), self.fields[at].1.clone()));
        }
        if name == "members" {
            return Some((Expr::All, Ty::Set(Box::new(Ty::Rank))));
        }
        if let Some(value) = self.named_constant(name, span) {
            return Some((Expr::Const(Value::Num(value)), Ty::Nat));
        }
        self.unknown(name, span)
    }

    fn named_constant(&self, name: &str, at: Span) -> Option<u64> {
        self.constants.get(name).copied().or_else(|| match self.program.find(name, at)?.item {
            Item::Const(c) => self.constant(&c.value, 0),
            _ => None,
        })
    }

    fn unknown<T>(&mut self, name: &str, span: Span) -> Option<T> {
        if let Some(definition) = self.definitions.get(name) {
            let form: Vec<&str> = definition.parameters.iter().map(|p| p.name.as_str()).collect();
            let help = format!("its form is {name}({})", form.join(", "));
            return self.error("T0143", format!("the definition `{name}` is used without arguments"), span, "", help);
        }
        let mut known: Vec<&str> = self.fields.iter().map(|(f, _)| f.as_str()).collect();
        known.extend(self.scopes.iter().flat_map(|s| s.keys()).map(String::as_str));
        known.extend(self.constants.keys().map(String::as_str));
        known.push("members");
        known.retain(|n| n.len() > 1);
        known.sort_unstable();
        let help = match nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "names are the automaton's parameters, state and definitions, `members`, constants, and names \
                that a guard binds with `in` or `==`"
                .into(),
        };
        self.error("T0136", format!("there is no `{name}` here"), span, "not known", help)
    }
}
