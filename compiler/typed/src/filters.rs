//! Filters: manipulations of bytes, lowered when a layer first uses them.

use nacre_stack::{Expr, ExprKind, Filter, FilterId, FilterUnit, Statement, Type};
use nacre_syntax::ast::{self, Item};

use crate::body::{Body, Context, Value};
use crate::expressions::make;
use crate::inlined::FilterFunctions;
use crate::layer::Checker;

impl Checker<'_> {
    pub(crate) fn filter_named(&mut self, name: &ast::Ident) -> Option<FilterId> {
        let found = self.program.find(&name.name, name.span)?;
        let (key, Item::Filter(declared)) = (found.key(), found.item) else { return None };
        if let Some(&id) = self.filter_ids.get(&key) {
            return Some(id);
        }
        let declared = declared.clone();
        self.once(declared.functions.iter().map(|f| &f.name));
        let yields = declared.result.is_none();
        let mut body = Body::new(self, Context::Filter { yields, function: None });
        let mut state = Vec::new();
        let mut initial = Vec::new();
        for field in &declared.state {
            let ty = body.cx.resolve(field.ty.as_ref()?)?;
            let value = match &field.initial {
                Some(e) => Some(body.cx.pure(e, &ty, Vec::new())?),
                None => None,
            };
            let id = body.declare(&field.name, ty);
            state.push(body.locals[id.index()].clone());
            initial.push(value);
        }
        body.filter = FilterFunctions::new(declared.functions.clone(), body.scopes[0].clone());
        let unit = match declared.unit {
            ast::FilterUnit::Byte => FilterUnit::Byte,
            ast::FilterUnit::Word => FilterUnit::Word,
        };
        let want = if unit == FilterUnit::Byte { Type::UInt(8) } else { Type::UInt(32) };
        let have = body.cx.resolve(&declared.input.ty)?;
        if have != want {
            let shown = body.show(&want);
            body.error("T0109", format!("a filter takes its unit as {shown}"), declared.input.ty.span, "", "");
        }
        let input = body.declare(&declared.input.name, want);
        body.whole(&declared.body, None);
        let main = std::mem::take(&mut body.out);
        let end = match &declared.end {
            Some(block) => {
                body.whole(block, None);
                std::mem::take(&mut body.out)
            }
            None => Vec::new(),
        };
        let result = match &declared.result {
            Some(e) => {
                let value = body.expr(e, None)?;
                let value = body.settle(value);
                if !body.out.is_empty() {
                    body.error(
                        "T0106",
                        "a result has no effects",
                        e.span,
                        "this needs several steps",
                        "do it in `end`",
                    );
                    return None;
                }
                Some(value)
            }
            None => None,
        };
        let locals = body.locals;
        let made = Filter {
            name: declared.name.name.clone(),
            rejects: rejects(&main) || rejects(&end),
            state,
            unit,
            locals,
            input,
            initial,
            body: main,
            end,
            result,
            functions: Vec::new(),
            grows: self.growth(declared.grows.as_ref())?,
            span: declared.span,
        };
        let id = FilterId(self.fragment.filters.len() as u32);
        self.fragment.filters.push(made);
        self.filter_ids.insert(key, id);
        Some(id)
    }

    /// `n / 3 + 3` as (1, 3, 3).
    fn growth(&mut self, e: Option<&ast::Expr>) -> Option<(u32, u32, u32)> {
        let Some(e) = e else { return Some((0, 1, 0)) };
        if let Some(c) = self.constant(e) {
            return Some((0, 1, u32::try_from(c.value).ok()?));
        }
        let (part, add) = match &e.kind {
            ast::ExprKind::Binary(ast::BinaryOp::Add, part, add) => (&**part, self.constant(add)?.value),
            _ => (e, 0),
        };
        let is_n = |e: &ast::Expr| matches!(&e.kind, ast::ExprKind::Name(n) if n == "n");
        let (num, den) = match &part.kind {
            ast::ExprKind::Name(n) if n == "n" => (1, 1),
            ast::ExprKind::Binary(ast::BinaryOp::Div, n, by) if is_n(n) => (1, self.constant(by)?.value),
            ast::ExprKind::Binary(ast::BinaryOp::Mul, n, by) if is_n(n) => (self.constant(by)?.value, 1),
            _ => {
                self.error("T0110", "growth has the form `n / a + b`, `n * a + b` or a number", e.span, "", "");
                return None;
            }
        };
        Some((u32::try_from(num).ok()?, u32::try_from(den).ok().filter(|d| *d > 0)?, u32::try_from(add).ok()?))
    }
}

fn rejects(block: &[Statement]) -> bool {
    block.iter().any(|s| match s {
        Statement::Reject => true,
        Statement::If { then, otherwise, .. } => rejects(then) || rejects(otherwise),
        Statement::Loop { body, .. } | Statement::For { body, .. } | Statement::Each { body, .. } => rejects(body),
        _ => false,
    })
}

impl Body<'_, '_> {
    /// `bytes through filter`
    pub fn through(&mut self, x: &ast::Expr, filter: &ast::Ident) -> Option<Value> {
        let Some(id) = self.cx.filter_named(filter) else {
            if !self.cx.found.iter().any(|d| d.is_error()) {
                self.error("T0111", format!("there is no filter `{}`", filter.name), filter.span, "not declared", "");
            }
            return None;
        };
        let made = &self.cx.fragment.filters[id.index()];
        let (result, rejects) = (made.result.as_ref().map(|r| r.ty.clone()), made.rejects);
        let value = self.expr(x, None)?.expr;
        if let Some(ty) = result {
            let view = self.view(value, x)?;
            return Some(Value::fixed(make(ExprKind::Through(id, Box::new(view)), ty)));
        }
        if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
            self.error("T0076", "bytes are not made here", x.span, "it has an effect", "");
            return None;
        }
        let message = if value.ty == Type::Msg { Some(self.spill(value.clone())) } else { None };
        let input = match &message {
            Some(m) => make(ExprKind::View(Box::new(m.clone())), Type::View),
            None => self.view(value, x)?,
        };
        let ty = if rejects { Type::Option(Box::new(Type::Msg)) } else { Type::Msg };
        let into = self.temporary(ty);
        self.push(Statement::Filter { into, filter: id, input });
        if let Some(message) = message {
            self.push(Statement::Drop(message));
        }
        Some(Value::fixed(self.get(into)))
    }

    fn view(&mut self, value: Expr, x: &ast::Expr) -> Option<Expr> {
        match &value.ty {
            Type::View | Type::Bytes(_) => Some(value),
            other => {
                let shown = self.show(other);
                self.error(
                    "T0112",
                    format!("a filter reads bytes, not {shown}"),
                    x.span,
                    "",
                    "take its bytes: m.bytes, or pack(share m).bytes",
                );
                None
            }
        }
    }
}
