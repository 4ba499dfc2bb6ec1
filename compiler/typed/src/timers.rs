//! Handlers of timers: the path to the timer, and the code that runs when it fires.

use nacre_diagnostics::Diagnostic;
use nacre_stack::{CellId, TimerStep, Type};
use nacre_syntax::ast::{self, Member};

use crate::body::{Binding, Body, Context, NameOf};
use crate::checker::Checker;
use crate::tree::{Handler, HandlerParameter, Timer, Trigger};

/// The name of a timer, and the way to it from the field of the state.
type Reached = (String, Option<Vec<TimerStep>>);

impl Checker<'_> {
    pub(crate) fn timer_handler(&mut self, h: &ast::TimerHandler) {
        let mut names = Vec::new();
        let Some((cell, path, sizes, name)) = self.timer_path(&h.place, &mut names) else {
            return self.unknown_timer(h, &names);
        };
        let mut body = Body::new(self, Context::Timer);
        let mut parameters = Vec::new();
        for (index, size) in names.iter().zip(sizes) {
            let name = body.declare_constant(index, Type::Range(0, u64::from(size)), NameOf::TimerIndex);
            parameters.push(HandlerParameter { name, pattern: None });
        }
        let block = body.whole(&h.body, None);
        let names = body.names;
        let handler = self.tree.handlers.len() as u32;
        self.tree.handlers.push(Handler {
            name: format!("on.{name}"),
            trigger: Trigger::Timer,
            parameters,
            fields: Vec::new(),
            names,
            body: block,
            span: h.span,
        });
        if self.tree.timers.iter().any(|t| t.cell == cell && t.path == path) {
            self.error("T0103", format!("the timer `{name}` has two handlers"), h.span, "again here", "");
        }
        self.tree.timers.push(Timer { name, cell, path, handler });
    }

    /// The handler of an unknown timer, which was reported.
    fn unknown_timer(&mut self, h: &ast::TimerHandler, indices: &[ast::Ident]) {
        let head = |body: &mut Body| indices.iter().for_each(|index| body.bind(&index.name, Binding::Unknown));
        self.add_unknown("on".into(), head, &h.body, h.span);
    }

    /// `peers[to].resend`: the cell, the way from it to the timer, and the names of the indices.
    #[allow(clippy::type_complexity)]
    fn timer_path(
        &mut self,
        place: &ast::Expr,
        names: &mut Vec<ast::Ident>,
    ) -> Option<(CellId, Vec<TimerStep>, Vec<u32>, String)> {
        let (cell, path, sizes, name, ty) = self.timer_steps(place, names)?;
        if ty != Type::Timer {
            let shown = self.show(&ty);
            let help = match ty {
                Type::Array(..) | Type::Map(..) | Type::Pool(..) | Type::Window(..) => {
                    format!("`on {name}[i] {{ ... }}` handles each of its timers, of which `i` is the index")
                }
                _ => "`on` names a timer of the state".into(),
            };
            self.error("T0093", "this is not a timer", place.span, format!("of type {shown}"), help);
            return None;
        }
        Some((cell, path, sizes, name))
    }

    #[allow(clippy::type_complexity)]
    fn timer_steps(
        &mut self,
        place: &ast::Expr,
        names: &mut Vec<ast::Ident>,
    ) -> Option<(CellId, Vec<TimerStep>, Vec<u32>, String, Type)> {
        match &place.kind {
            ast::ExprKind::Name(name) => match self.cell_ids.get(name) {
                Some(&id) => {
                    Some((id, Vec::new(), Vec::new(), name.clone(), self.tree.cells[id.index()].cell.ty.clone()))
                }
                None if self.is_unsound(name) => None,
                None => {
                    self.error("T0047", format!("`{name}` is not known here"), place.span, "no such state", "");
                    None
                }
            },
            ast::ExprKind::Field(base, field) => {
                let (cell, mut path, sizes, name, ty) = self.timer_steps(base, names)?;
                let Type::Struct(id) = ty else {
                    self.error("T0093", "this is not a timer", place.span, "", "");
                    return None;
                };
                let fields = &self.tree.structs[id.index()].fields;
                let Some(at) = fields.iter().position(|f| f.name == field.name) else {
                    self.error("T0051", format!("there is no field `{}`", field.name), field.span, "unknown", "");
                    return None;
                };
                let ty = fields[at].ty.clone();
                path.push(TimerStep::Field(at as u32));
                Some((cell, path, sizes, format!("{name}.{}", field.name), ty))
            }
            ast::ExprKind::Index(base, index) => {
                let steps = self.timer_steps(base, names);
                if let (None, ast::ExprKind::Name(variable)) = (&steps, &index.kind) {
                    names.push(ast::Ident { name: variable.clone(), span: index.span });
                }
                let (cell, mut path, mut sizes, name, ty) = steps?;
                let (Type::Array(t, n) | Type::Pool(t, n) | Type::Map(_, t, n)) = ty else {
                    self.error("T0052", "this has no elements to index", base.span, "", "");
                    return None;
                };
                let ast::ExprKind::Name(variable) = &index.kind else {
                    self.error("T0082", "expected a name for the index", index.span, "", "on calls[c].again { ... }");
                    return None;
                };
                names.push(ast::Ident { name: variable.clone(), span: index.span });
                path.push(TimerStep::Each);
                sizes.push(n);
                Some((cell, path, sizes, format!("{name}[]"), *t))
            }
            _ => {
                self.error("T0093", "this is not a timer", place.span, "", "");
                None
            }
        }
    }

    /// Reports a timer without a handler.
    pub(crate) fn timers_without_handlers(&mut self) {
        let layer = self.layer;
        for member in &layer.members {
            let Member::Storage(storage) = member else { continue };
            // A given timer is an error.
            if storage.kind == ast::StorageKind::Given {
                continue;
            }
            for field in &storage.fields {
                let Some(&id) = self.cell_ids.get(&field.name.name) else { continue };
                let mut found = Vec::new();
                let ty = &self.tree.cells[id.index()].cell.ty;
                self.timers_in(ty, (field.name.name.clone(), Some(Vec::new())), &mut found);
                for (name, path) in found {
                    let help = match &path {
                        Some(path) if self.tree.timers.iter().any(|t| t.cell == id && t.path == *path) => continue,
                        Some(_) => format!("write `on {name} {{ ... }}`"),
                        None => "handlers reach fields of structs, and entries of arrays, maps and pools".into(),
                    };
                    let words = match path {
                        Some(_) => format!("the timer `{name}` has no handler"),
                        None => format!("no handler can be written for the timer `{name}`"),
                    };
                    self.found.push(Diagnostic::error("T0104", words).at(field.name.span, "declared here").help(help));
                }
            }
        }
    }

    /// The timers in a value of a type, as handlers name them, and the ways to them; none: no handler can name it.
    fn timers_in(&self, ty: &Type, (name, path): Reached, found: &mut Vec<Reached>) {
        let on = |step: TimerStep| path.as_ref().map(|path| path.iter().cloned().chain([step]).collect());
        match ty {
            Type::Timer => found.push((name, path)),
            Type::Struct(id) => {
                for (at, field) in self.tree.structs[id.index()].fields.iter().enumerate() {
                    let inner = (format!("{name}.{}", field.name), on(TimerStep::Field(at as u32)));
                    self.timers_in(&field.ty, inner, found);
                }
            }
            Type::Array(t, _) | Type::Pool(t, _) | Type::Map(_, t, _) => {
                let index = if name.contains('[') { "j" } else { "i" };
                self.timers_in(t, (format!("{name}[{index}]"), on(TimerStep::Each)), found);
            }
            Type::Tuple(types) => types.iter().for_each(|t| self.timers_in(t, (name.clone(), None), found)),
            Type::Option(t) | Type::Ring(t, _) | Type::List(t, _) | Type::Window(t, _, _) => {
                self.timers_in(t, (name, None), found);
            }
            _ => {}
        }
    }
}
