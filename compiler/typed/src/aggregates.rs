//! Values with parts: structs, headers, tuples, arrays.

use nacre_diagnostics::Span;
use nacre_stack::Type;
use nacre_syntax::ast;

use crate::body::{Body, Value};
use crate::tree::{Expr, ExprKind, Fields};

impl Body<'_, '_> {
    /// A struct; a header alone is a message without data.
    pub fn literal(
        &mut self,
        name: &ast::Ident,
        fields: &[(ast::Ident, Option<ast::Expr>)],
        span: Span,
    ) -> Option<Value> {
        if self.cx.header_ids.contains_key(&name.name) {
            let empty = self.make(ExprKind::Empty, Type::Msg);
            return self.push_header(empty, name, fields, span).map(Value::fixed);
        }
        let Type::Struct(id) =
            self.cx.resolve(&ast::Type { kind: ast::TypeKind::Name(name.clone(), Vec::new()), span: name.span })?
        else {
            self.error(
                "T0053",
                format!("`{}` is neither a header of this layer nor a struct", name.name),
                name.span,
                "",
                "",
            );
            return None;
        };
        let declared = self.cx.tree.structs[id.index()].fields.clone();
        let values =
            self.fields(&declared.iter().map(|f| (f.name.clone(), f.ty.clone())).collect::<Vec<_>>(), fields, name)?;
        Some(Value::fixed(self.make(ExprKind::Struct(values), Type::Struct(id))))
    }

    /// Values for declared fields, evaluated in textual order; omitted fields (of structs) are zero.
    pub fn fields(
        &mut self,
        declared: &[(String, Type)],
        given: &[(ast::Ident, Option<ast::Expr>)],
        of: &ast::Ident,
    ) -> Option<Fields> {
        let mut values: Vec<(u32, Expr)> = Vec::new();
        let mut fine = true;
        for (name, value) in given {
            let Some(at) = declared.iter().position(|d| d.0 == name.name) else {
                fine = false;
                if self.is_unsound_field(&name.name) {
                    continue;
                }
                let known = declared.iter().map(|d| d.0.as_str()).collect::<Vec<_>>().join(", ");
                self.error(
                    "T0051",
                    format!("`{}` has no field `{}`", of.name, name.name),
                    name.span,
                    "unknown",
                    format!("it has {known}"),
                );
                continue;
            };
            if values.iter().any(|(known, _)| *known == at as u32) {
                self.error("T0054", format!("`{}` is given twice", name.name), name.span, "again here", "");
            }
            let e =
                value.clone().unwrap_or(ast::Expr { kind: ast::ExprKind::Name(name.name.clone()), span: name.span });
            match self.expr_as(&e, &declared[at].1) {
                Some(value) => {
                    self.before(values.iter().map(|(_, value)| value), &value);
                    values.retain(|(known, _)| *known != at as u32);
                    values.push((at as u32, value));
                }
                None => fine = false,
            }
        }
        for (name, ty) in declared {
            let left_out = !given.iter().any(|(n, _)| n.name == *name);
            if left_out && self.cx.lacks_zero(ty) {
                let message = format!("`{}` has no value for its field `{name}`", of.name);
                let what = if self.cx.needs_message(ty) { "a message, which" } else { "a range that" };
                let help = format!("it contains {what} has no zero value: write {name}: ...");
                self.error("T0074", message, of.span, "", help);
                fine = false;
            }
        }
        fine.then_some(Fields { given: values })
    }

    /// `m + Header { ... }`
    pub fn push_header(
        &mut self,
        message: Expr,
        name: &ast::Ident,
        fields: &[(ast::Ident, Option<ast::Expr>)],
        span: Span,
    ) -> Option<Expr> {
        let &id = self.cx.header_ids.get(&name.name)?;
        self.cx.pushed.insert(id);
        if !matches!(message.kind, ExprKind::Empty) {
            self.cx.put_on.entry(id).or_insert(span);
        }
        let declared = self.cx.tree.headers[id.index()].fields.iter();
        let declared: Vec<(String, Type)> = declared.map(|f| (f.name.clone(), f.ty.clone())).collect();
        let values = self.fields(&declared, fields, name)?;
        for (field, _) in &declared {
            if !fields.iter().any(|(n, _)| n.name == *field) {
                let help = format!("write {field}: ...");
                self.error("T0074", format!("`{}` has no value for its field `{field}`", name.name), span, "", help);
            }
        }
        Some(self.make(ExprKind::Push(Box::new(message), id, values), Type::Msg))
    }

    /// `(a, b)`
    pub fn tuple(&mut self, parts: &[ast::Expr], want: Option<&Type>) -> Option<Value> {
        let wants: Vec<Option<Type>> = match want {
            Some(Type::Tuple(types)) if types.len() == parts.len() => types.iter().cloned().map(Some).collect(),
            _ => vec![None; parts.len()],
        };
        let mut values: Vec<Expr> = Vec::new();
        for (part, want) in parts.iter().zip(wants) {
            let value = match want {
                Some(ty) => self.expr_as(part, &ty)?,
                None => {
                    let value = self.expr(part, None)?;
                    self.settle(value)
                }
            };
            self.before(&values, &value);
            values.push(value);
        }
        let ty = Type::Tuple(values.iter().map(|v| v.ty.clone()).collect());
        Some(Value::fixed(self.make(ExprKind::Tuple(values), ty)))
    }

    /// `[a, b]`
    pub fn array(&mut self, parts: &[ast::Expr], want: Option<&Type>, span: Span) -> Option<Value> {
        let (element, ty) = match want {
            Some(ty @ Type::Array(t, n)) if *n as usize == parts.len() => ((**t).clone(), ty.clone()),
            Some(ty @ Type::Bytes(n)) if *n as usize == parts.len() => (Type::UInt(8), ty.clone()),
            None => (Type::UInt(8), Type::Bytes(parts.len() as u32)),
            Some(other) => {
                let shown = self.show(other);
                self.error("T0033", format!("expected {shown}, found {} elements", parts.len()), span, "", "");
                return None;
            }
        };
        let wanted: Vec<(&ast::Expr, Type)> = parts.iter().map(|p| (p, element.clone())).collect();
        let values = self.values(&wanted)?;
        let kind = if let Type::Bytes(_) = ty { ExprKind::Bytes(values) } else { ExprKind::Array(values) };
        Some(Value::fixed(self.make(kind, ty)))
    }
}
