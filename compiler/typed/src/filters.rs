//! Filters: manipulations of bytes, lowered when a layer first uses them.

use nacre_diagnostics::Span;
use nacre_stack::visit::Traverse;
use nacre_stack::{Excess, Expr, ExprKind, Filter, FilterId, FilterUnit, LocalId, Statement, StatementKind, Type};
use nacre_syntax::ast::{self, Item};

use crate::body::{Body, Context, Value};
use crate::bounded::{is_message, longest_of};
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
        self.once(declared.state.iter().map(|f| &f.name).chain(declared.inputs.iter().map(|p| &p.name)));
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
        let inputs = body.units(&declared.inputs, &want)?;
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
            inputs,
            initial,
            body: main,
            end,
            result,
            functions: Vec::new(),
            grows: self.growth(declared.grows.as_ref())?,
            span: declared.span,
        };
        self.within_growth(&made);
        let id = FilterId(self.fragment.filters.len() as u32);
        self.fragment.filters.push(made);
        self.filter_ids.insert(key, id);
        Some(id)
    }

    /// Reports a filter that always yields more than it states.
    fn within_growth(&mut self, filter: &Filter) {
        let Some(Excess { read, made, stated }) = filter.excess().filter(|_| filter.result.is_none()) else { return };
        self.error(
            "T0164",
            format!("`{}` yields more bytes than it says that it grows", filter.name),
            filter.span,
            format!("it makes at least {made} bytes of {read}, and states {stated} at the most"),
            "state how much longer the bytes may become: `filter name grows n * 1 + 3`",
        );
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

/// The operand of a filter.
fn side_by_side(mut views: Vec<Expr>) -> Expr {
    if views.len() == 1 {
        return views.remove(0);
    }
    let types = views.iter().map(|view| view.ty.clone()).collect();
    make(ExprKind::Tuple(views), Type::Tuple(types))
}

fn rejects(block: &[Statement]) -> bool {
    block.any_statement(|s| matches!(s.kind, StatementKind::Reject))
}

impl Body<'_, '_> {
    /// Declares the parameters that take the units of what a filter reads.
    fn units(&mut self, declared: &[ast::FunctionParameter], want: &Type) -> Option<Vec<LocalId>> {
        let mut inputs = Vec::new();
        for parameter in declared {
            if self.cx.resolve(&parameter.ty)? != *want {
                let shown = self.show(want);
                self.error("T0109", format!("a filter takes its unit as {shown}"), parameter.ty.span, "", "");
            }
            inputs.push(self.declare(&parameter.name, want.clone()));
        }
        Some(inputs)
    }

    /// `bytes through filter`, `(bytes, bytes) through filter`
    pub fn through(&mut self, x: &ast::Expr, filter: &ast::Ident) -> Option<Value> {
        let Some(id) = self.cx.filter_named(filter) else {
            if !self.cx.found.iter().any(|d| d.is_error()) {
                self.error("T0111", format!("there is no filter `{}`", filter.name), filter.span, "not declared", "");
            }
            return None;
        };
        let made = &self.cx.fragment.filters[id.index()];
        let (result, rejects, count) = (made.result.as_ref().map(|r| r.ty.clone()), made.rejects, made.inputs.len());
        let grows = made.grows;
        let parts = match &x.kind {
            ast::ExprKind::Tuple(parts) => parts.as_slice(),
            _ => std::slice::from_ref(x),
        };
        if parts.len() != count {
            self.wrong_count(filter, count, parts.len(), x.span);
            return None;
        }
        let values = self.strings(parts)?;
        if let Some(ty) = result {
            let views = values.into_iter().zip(parts).map(|(value, part)| self.view(value, part));
            let input = side_by_side(views.collect::<Option<_>>()?);
            return Some(Value::fixed(make(ExprKind::Through(id, Box::new(input)), ty)));
        }
        if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
            self.error("T0076", "bytes are not made here", x.span, "it has an effect", "");
            return None;
        }
        let (mut views, mut consumed) = (Vec::new(), Vec::new());
        for (value, part) in values.into_iter().zip(parts) {
            if is_message(&value.ty) {
                let message = self.spill(value);
                views.push(make(ExprKind::View(Box::new(message.clone())), Type::View));
                consumed.push(message);
            } else {
                views.push(self.view(value, part)?);
            }
        }
        let made = if grows == (0, 1, 0) { longest_of(&views) } else { Type::Msg };
        let input = side_by_side(views);
        let ty = if rejects { Type::Option(Box::new(made)) } else { made };
        let into = self.temporary(ty);
        self.push(StatementKind::Filter { into, filter: id, input });
        for message in consumed {
            self.push(StatementKind::Drop(message));
        }
        Some(Value::fixed(self.get(into)))
    }

    fn wrong_count(&mut self, filter: &ast::Ident, want: usize, have: usize, span: Span) {
        let strings = |n: usize| if n == 1 { "one string of bytes".into() } else { format!("{n} strings of bytes") };
        let help = match want {
            1 => "join them to one: `a.bytes ++ b.bytes`".to_string(),
            _ => format!("list them in parentheses: `(a.bytes, b.bytes) through {}`", filter.name),
        };
        let label = format!("{have} given");
        self.error("T0071", format!("`{}` reads {}", filter.name, strings(want)), span, label, help);
    }

    /// The strings that a filter reads, from left to right. Bytes are read in place, when all parts have been evaluated.
    fn strings(&mut self, parts: &[ast::Expr]) -> Option<Vec<Expr>> {
        let mut values: Vec<Option<Expr>> = Vec::new();
        for part in parts {
            let before = self.out.len();
            let value = self.expr(part, None)?.expr;
            if self.out.len() > before {
                let in_place = |v: &Option<Expr>| v.as_ref().is_some_and(|v| v.ty == Type::View);
                if values.iter().any(in_place) {
                    let help = "name it by a `let` before, and use the name here";
                    self.error(
                        "T0112",
                        "the strings of a filter are read in one step",
                        part.span,
                        "this takes a step of its own",
                        help,
                    );
                    return None;
                }
                self.keep_order(&mut values, before);
            }
            values.push(Some(value));
        }
        let values: Vec<Expr> = values.into_iter().flatten().collect();
        for (value, part) in values.iter().zip(parts) {
            self.still_there(value, part.span)?;
        }
        Some(values)
    }

    /// Checks that no later part consumes the message that is looked at.
    fn still_there(&mut self, view: &Expr, span: Span) -> Option<()> {
        match &view.kind {
            ExprKind::View(of) | ExprKind::PackView(_, of) => match of.kind {
                ExprKind::Local(id) if is_message(&of.ty) => self.readable(id, span).then_some(()),
                _ => self.still_there(of, span),
            },
            ExprKind::Part(of, ..) => self.still_there(of, span),
            ExprKind::Concat(parts) => parts.iter().try_for_each(|part| self.still_there(part, span)),
            _ => Some(()),
        }
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
