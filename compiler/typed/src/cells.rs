//! The storage of a layer: cells with their initial values, and counters.

use nacre_stack::{builtin, Cell, CellId, CounterId, LayerId, Scope, Type};
use nacre_syntax::ast::{self, Member, StorageKind};

use crate::body::{Body, Context};
use crate::checker::{Checker, Declared};
use crate::tree::{StateCell, Value};

impl Checker<'_> {
    pub(crate) fn storage(&mut self) {
        let storages = self.layer.members.iter().filter_map(|member| match member {
            Member::Storage(storage) => Some(storage),
            _ => None,
        });
        // The state begins with what is given, wherever that is declared.
        let (given, others): (Vec<_>, Vec<_>) = storages.partition(|storage| storage.kind == StorageKind::Given);
        for storage in given.into_iter().chain(others) {
            let scope = match storage.kind {
                StorageKind::State => Scope::Session,
                StorageKind::Lasting => Scope::Lasting,
                StorageKind::Shared => Scope::Shared,
                StorageKind::Given => Scope::Given,
                StorageKind::Counters => {
                    for field in &storage.fields {
                        if self.counter_ids.contains_key(&field.name.name) {
                            let what = format!("`{}` is declared twice in this layer", field.name.name);
                            self.error("T0022", what, field.name.span, "again here", "");
                        }
                        self.counter(&field.name.name);
                    }
                    continue;
                }
            };
            for field in &storage.fields {
                self.cell(field, scope);
            }
        }
    }

    fn cell(&mut self, field: &ast::Field, scope: Scope) {
        let Some(ty) = field.ty.as_ref() else {
            self.error("T0020", format!("`{}` needs a type", field.name.name), field.span, "here", "write name: type");
            return;
        };
        let Some(ty) = self.resolve(ty) else {
            self.unsound.insert(Declared::Value(field.name.name.clone()));
            return;
        };
        // The host states a given number; of other types it may state parts.
        let is_stated = scope == Scope::Given && matches!(ty, Type::Range(..));
        if scope == Scope::Given && !self.is_of_host(&ty) {
            self.error(
                "T0021",
                "the type of a given value must be a number, an address, bytes or a struct of these",
                field.span,
                "here",
                "",
            );
        } else if self.needs_message(&ty) {
            self.no_first_message(field, &ty);
        } else if field.initial.is_none() && !is_stated && self.lacks_zero(&ty) {
            self.no_zero(&ty, field.span);
        }
        let role = self.given_role(field, &ty, scope);
        self.add_state(&ty, field.span);
        let initial = field.initial.as_ref().and_then(|e| self.initial(e, &ty, scope));
        if self.cell_ids.contains_key(&field.name.name) {
            self.error(
                "T0022",
                format!("`{}` is declared twice in this layer", field.name.name),
                field.name.span,
                "again here",
                "",
            );
        }
        let id = CellId(self.tree.cells.len() as u32);
        self.cell_ids.insert(field.name.name.clone(), id);
        let cell = Cell {
            name: field.name.name.clone(),
            layer: LayerId(0),
            scope,
            ty,
            initial: None,
            locals: Vec::new(),
            draws: Vec::new(),
            secret: field.secret,
            role,
        };
        self.tree.cells.push(StateCell { cell, initial });
    }

    fn no_first_message(&mut self, field: &ast::Field, ty: &Type) {
        let name = &field.name.name;
        let (label, help) = match ty {
            Type::Msg | Type::Bounded(_) => {
                ("of type msg", format!("make it optional, `{name}: {}?`, or store it in a container", self.show(ty)))
            }
            _ => ("contains a msg", "use `msg?`, or store the message in a container".into()),
        };
        self.found.push(
            nacre_diagnostics::Diagnostic::error("T0153", format!("`{name}` has no initial message"))
                .at(field.span, label)
                .because("a connection opens before the first message arrives")
                .help(help),
        );
    }

    /// The initial value of a cell. Where the seed is known, it can be random.
    fn initial(&mut self, e: &ast::Expr, ty: &Type, scope: Scope) -> Option<Value> {
        let draws = matches!(scope, Scope::Session | Scope::Lasting);
        let mut body = Body::new(self, Context::Pure { draws, open: scope != Scope::Given });
        let before = body.cx.found.len();
        let value = body.expr_as(e, ty);
        if body.poisoned {
            body.cx.found.truncate(before);
        }
        let (value, names) = (value?, body.names);
        if !value.only_draws(&self.tree.structs) {
            let help =
                "use numbers and random values; other initialization belongs in a handler, for example `up init()`";
            self.error("T0106", "an initial value cannot have effects", e.span, "this needs several steps", help);
            return None;
        }
        Some(Value { names, value })
    }

    pub(crate) fn counter(&mut self, name: &str) -> CounterId {
        if let Some(&id) = self.counter_ids.get(name) {
            return id;
        }
        let id = CounterId((builtin::NAMES.len() + self.tree.counters.len()) as u32);
        self.tree.counters.push(name.into());
        self.counter_ids.insert(name.into(), id);
        id
    }
}
