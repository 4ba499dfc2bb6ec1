//! One layer with its parameters filled in: declarations first, then bodies.

use nacre_diagnostics::{counted, Diagnostic, Span};
use nacre_stack::{Enum, EnumId, Parameter, Struct, StructId, Type};
use nacre_syntax::ast::{self, Member};

use crate::borrows::outdated;
use crate::changes::Effects;
use crate::checker::{Checker, Constant, Declared};
use crate::program::not_built;
use crate::tree;

/// The greatest depth of nested structs.
const DEEPEST_STRUCT: usize = 64;

impl<'p> Checker<'p> {
    /// Checks the layer: returns its tree, with error nodes, and the diagnostics.
    pub(crate) fn run(
        mut self,
        arguments: &[ast::LayerArgument],
        used_at: Span,
        generic: bool,
    ) -> (tree::Layer, Vec<Diagnostic>) {
        let layer = self.layer;
        if layer.kind != ast::LayerKind::Worker {
            let what = if layer.kind == ast::LayerKind::Router { "routers" } else { "multiplexors" };
            return (self.tree, vec![not_built(what, layer.name.span)]);
        }
        if let Some(group) = layer.above.iter().chain(&layer.over).find(|i| self.is_of_groups(i)) {
            return (self.tree, vec![not_built("layers of groups", group.span)]);
        }
        self.global_constants();
        self.parameters(arguments, used_at, generic);
        self.types_of_members();
        if !generic && !self.has_errors() {
            self.limits(used_at);
        }
        self.interfaces();
        self.storage();
        self.headers();
        self.signatures();
        self.functions();
        self.bodies();
        self.check_calls();
        self.check_own_headers();
        self.lost_headers();
        if !self.has_errors() {
            let found = outdated(&self.uses, &self.called, Effects::new(&self.changes));
            self.found.extend(found);
        }
        self.lost_behind_headers();
        self.lost_events();
        self.unused_headers();
        (self.tree, self.found)
    }

    /// Gives a constant its value, if it fits its type.
    fn define(&mut self, name: &str, value: i128, ty: Type, span: Span) {
        self.fitting(name, value, &ty, span);
        self.constants.insert(name.into(), Constant { value, ty: Some(ty) });
    }

    pub(crate) fn fitting(&mut self, name: &str, value: i128, ty: &Type, span: Span) {
        if !crate::convert::fits(value, ty) {
            let shown = self.show(ty);
            self.error("T0012", format!("{value} does not fit `{name}: {shown}`"), span, "this value", "");
        }
    }

    fn unknown_arguments(&mut self, arguments: &[ast::LayerArgument]) {
        let layer = self.layer;
        for argument in arguments {
            if let Some(name) = &argument.name {
                if !layer.parameters.iter().any(|p| p.name.name == name.name) {
                    let known: Vec<&str> = layer.parameters.iter().map(|p| p.name.name.as_str()).collect();
                    self.error(
                        "T0013",
                        format!("`{}` has no parameter `{}`", layer.name.name, name.name),
                        name.span,
                        "unknown",
                        if known.is_empty() {
                            "it has none".to_string()
                        } else {
                            format!("it has {}", known.join(", "))
                        },
                    );
                }
            }
        }
    }

    /// Reports values without a name after one with a name, and parameters that have a value by place and by name.
    fn misplaced_values(&mut self, arguments: &[ast::LayerArgument], leading: usize) {
        let (by_place, others) = arguments.split_at(leading);
        if let Some(late) = others.iter().find(|a| a.name.is_none()) {
            let words = "a value without a name follows one with a name";
            let help = "name it, or write it before the others";
            self.error("T0015", words, late.value.span, "for which parameter?", help);
        }
        for (parameter, value) in self.layer.parameters.iter().zip(by_place) {
            let twice = others.iter().filter_map(|a| a.name.as_ref()).find(|name| name.name == parameter.name.name);
            if let Some(name) = twice {
                let found = Diagnostic::error("T0022", format!("`{}` has two values", name.name));
                self.found.push(found.at(name.span, "by its name").also(value.value.span, "by its place"));
            }
        }
    }

    fn parameters(&mut self, arguments: &[ast::LayerArgument], used_at: Span, generic: bool) {
        let layer = self.layer;
        self.once(layer.parameters.iter().map(|p| &p.name));
        self.once(arguments.iter().filter_map(|a| a.name.as_ref()));
        let leading = arguments.iter().take_while(|a| a.name.is_none()).count();
        let (mut given, mut omitted) = (Vec::new(), false);
        self.unknown_arguments(arguments);
        self.misplaced_values(arguments, leading);
        for (at, parameter) in layer.parameters.iter().enumerate() {
            let name = &parameter.name.name;
            let Some(ty) = self.resolve(&parameter.ty) else {
                self.unsound.insert(Declared::Value(name.clone()));
                continue;
            };
            let named = || arguments.iter().find(|a| a.name.as_ref().is_some_and(|n| n.name == *name));
            let argument = arguments[..leading].get(at).or_else(named).map(|a| &a.value);
            let source = argument.or(parameter.default.as_ref());
            let value = match source.map(|e| (e, self.constant(e))) {
                Some((e, Some(constant))) => {
                    self.coherent(e);
                    self.same_kind(&constant, &ty, e.span, name);
                    self.define(name, constant.value, ty.clone(), e.span);
                    constant.value
                }
                Some((e, None)) => {
                    self.unknown(&format!("`{name}`"), e);
                    self.define(name, 1, ty.clone(), parameter.name.span);
                    1
                }
                None => {
                    if !generic {
                        self.error(
                            "T0014",
                            format!("`{}` needs a value for `{name}`", layer.name.name),
                            used_at,
                            "not given",
                            format!("write {}<{name} = ...>", layer.name.name),
                        );
                    }
                    self.define(name, 1, ty.clone(), parameter.name.span);
                    1
                }
            };
            let shown = show_value(value, &ty);
            match argument {
                Some(argument) => {
                    self.given_at.insert(name.clone(), argument.span);
                    given.push(if omitted { format!("{name} = {shown}") } else { shown.clone() });
                }
                None => omitted = true,
            }
            if ty != Type::Duration {
                self.tree.wire_parameters.push((name.clone(), value as u64));
            }
            let separator = if self.tree.description.is_empty() { "" } else { ", " };
            self.tree.description += &format!("{separator}{name} = {shown}");
        }
        if let Some(extra) = arguments[..leading].get(layer.parameters.len()) {
            self.error(
                "T0015",
                format!("`{}` takes {}", layer.name.name, counted(layer.parameters.len() as u64, "parameter")),
                extra.value.span,
                "one too many",
                "",
            );
        }
        let wrap = |name: &str, inside: &str| if inside.is_empty() { name.into() } else { format!("{name}<{inside}>") };
        self.tree.description = wrap(&layer.name.name, &self.tree.description);
        self.tree.short = wrap(&layer.name.name, &given.join(", "));
    }

    fn types_of_members(&mut self) {
        let layer = self.layer;
        let constants = layer.members.iter().filter_map(|m| if let Member::Const(c) = m { Some(c) } else { None });
        self.constant_items(constants.map(|c| (c.name.name.clone(), c)).collect());
        for member in &layer.members {
            if let Member::Enum(e) = member {
                self.declare_enum(e.name.name.clone(), e);
            }
        }
        let mut versioned = false;
        for member in &layer.members {
            match member {
                Member::Struct(s) => {
                    self.declare_struct(s.name.name.clone(), s);
                }
                Member::Version(n, span) => {
                    if std::mem::replace(&mut versioned, true) {
                        self.error("T0022", "`version` is stated twice", *span, "again here", "remove one of them");
                    }
                    self.tree.version = *n as u32;
                }
                Member::Provides(names) => {
                    let (names, widened) = self.promised_with(names);
                    self.tree.provides.extend(names);
                    // What its automata extend without refining it need not hold above.
                    self.tree.breaks.extend(widened);
                }
                Member::Requires(names) => {
                    let names = self.promised(names);
                    self.tree.requires.extend(names);
                }
                Member::Breaks(names) => {
                    let names = self.promised(names);
                    self.tree.breaks.extend(names);
                }
                Member::Extends { span, .. } => {
                    self.unbuilt::<()>("groups (`extends view`)", *span);
                }
                Member::Below { span, .. } => {
                    self.error(
                        "T0017",
                        "only a router has several layers below",
                        *span,
                        "in a worker",
                        "a worker has one layer below: name its interface with `over`",
                    );
                }
                _ => {}
            }
        }
    }

    pub(crate) fn declare_struct(&mut self, key: String, s: &ast::Struct) -> Option<StructId> {
        if self.struct_ids.contains_key(&key) {
            return self.struct_ids.get(&key).copied();
        }
        if self.declaring.contains(&key) {
            self.error("T0113", format!("`{}` contains itself", s.name.name), s.name.span, "recursive", "");
            return None;
        }
        if self.declaring.len() >= DEEPEST_STRUCT {
            let what = format!("structs contain each other over more than {DEEPEST_STRUCT} levels");
            self.error("T0113", what, s.name.span, "the innermost allowed", "merge some of them");
            return None;
        }
        self.once(s.fields.iter().map(|f| &f.name));
        self.declaring.push(key.clone());
        let mut fields = Vec::new();
        for field in &s.fields {
            let Some(ty) = &field.ty else { continue };
            if let Some(role) = &field.role {
                self.misplaced_role(role);
            }
            self.plain_field(field);
            match self.resolve(ty) {
                Some(ty) => fields.push(Parameter { name: field.name.name.clone(), ty }),
                None => drop(self.unsound.insert(Declared::Field(field.name.name.clone()))),
            }
        }
        self.declaring.pop();
        self.note_struct(&fields);
        let id = StructId(self.tree.structs.len() as u32);
        self.tree.structs.push(Struct { name: s.name.name.clone(), fields });
        self.struct_ids.insert(key, id);
        Some(id)
    }

    /// Reports what a field of the state can have and one of a struct cannot.
    fn plain_field(&mut self, field: &ast::Field) {
        if let Some(value) = &field.initial {
            let help = "state it where a struct is made: `Name { field: value }`";
            self.error("T0183", "a field of a struct has no initial value", value.span, "this value", help);
        }
        if field.secret {
            let help = "declare the state that holds the struct as `secret`";
            self.error("T0183", "a field of a struct cannot be secret alone", field.span, "this field", help);
        }
    }

    pub(crate) fn declare_enum(&mut self, key: String, e: &ast::Enum) -> EnumId {
        self.once(e.variants.iter());
        if e.variants.is_empty() {
            let words = format!("the enum `{}` has no values", e.name.name);
            self.error("T0186", words, e.name.span, "none of this type can exist", "add one, or remove the enum");
        }
        let id = EnumId(self.tree.enums.len() as u32);
        self.tree
            .enums
            .push(Enum { name: e.name.name.clone(), variants: e.variants.iter().map(|v| v.name.clone()).collect() });
        self.enum_ids.insert(key, id);
        id
    }
}

/// A parameter's value, as in sources.
pub(crate) fn show_value(value: i128, ty: &Type) -> String {
    if *ty == Type::Bool {
        return (value != 0).to_string();
    }
    if *ty != Type::Duration {
        return value.to_string();
    }
    for (unit, name) in
        [(3_600_000_000_000, "h"), (60_000_000_000, "min"), (1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")]
    {
        if value != 0 && value % unit == 0 {
            return format!("{} {name}", value / unit);
        }
    }
    format!("{value} ns")
}
