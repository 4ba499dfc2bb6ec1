//! Filters: transformations of bytes, typed when a layer first uses them.

use nacre_diagnostics::Diagnostic;
use nacre_stack::{FilterId, FilterUnit, FunctionId, Type};
use nacre_syntax::ast::{self, Item};

use crate::body::{Body, Context, OwnFunctions, Signature};
use crate::checker::Checker;
use crate::growth::beyond_growth;
use crate::tree::{Block, Expr, Filter, Function, NameId, Names};

/// The most calls in a filter, including those of called functions: they are expanded in place.
const MOST_CALLS: u64 = 256;

impl Checker<'_> {
    pub(crate) fn filter_named(&mut self, name: &ast::Ident) -> Option<FilterId> {
        let found = self.program.find(&name.name, name.span)?;
        let (key, Item::Filter(declared)) = (found.key(), found.item) else { return None };
        if let Some(&id) = self.filter_ids.get(&key) {
            return Some(id);
        }
        self.once(declared.functions.iter().map(|f| &f.name));
        self.once(declared.state.iter().map(|f| &f.name).chain(declared.inputs.iter().map(|p| &p.name)));
        let grows = self.growth(declared.grows.as_ref())?;
        let yields = declared.result.is_none();
        let before = self.found.len();
        let body = Body::new(self, Context::Filter { yields, function: None });
        let made = body.filter(declared, grows)?;
        if yields && !self.found[before..].iter().any(Diagnostic::is_error) {
            self.found.extend(beyond_growth(&made, declared.name.span));
        }
        let id = FilterId(self.tree.filters.len() as u32);
        self.tree.filters.push(made);
        self.filter_ids.insert(key, id);
        Some(id)
    }

    /// `n / 3 + 3` as (1, 3, 3).
    fn growth(&mut self, e: Option<&ast::Expr>) -> Option<(u32, u32, u32)> {
        let Some(e) = e else { return Some((0, 1, 0)) };
        let is_n = |e: &ast::Expr| matches!(&e.kind, ast::ExprKind::Name(n) if n == "n");
        let of_n = |e: &ast::Expr| match &e.kind {
            ast::ExprKind::Binary(ast::BinaryOp::Div | ast::BinaryOp::Mul, n, _) => is_n(n),
            _ => is_n(e),
        };
        let (part, add) = match &e.kind {
            ast::ExprKind::Binary(ast::BinaryOp::Add, part, add) if of_n(part) => (&**part, self.grown_by(add, 0)?),
            _ if of_n(e) => (e, 0),
            _ if self.constant(e).is_some() => return Some((0, 1, self.grown_by(e, 0)?)),
            _ => {
                self.error("T0110", "`grows` has the form `n / a + b`, `n * a + b` or a number", e.span, "", "");
                return None;
            }
        };
        let (num, den) = match &part.kind {
            ast::ExprKind::Binary(ast::BinaryOp::Div, _, by) => (1, self.grown_by(by, 1)?),
            ast::ExprKind::Binary(_, _, by) => (self.grown_by(by, 0)?, 1),
            _ => (1, 1),
        };
        Some((num, den, add))
    }

    fn grown_by(&mut self, e: &ast::Expr, least: i128) -> Option<u32> {
        self.constant_number(e, "a number in `grows`", least, u32::MAX.into()).map(|n| n as u32)
    }
}

impl Body<'_, '_> {
    fn filter(mut self, declared: &ast::Filter, grows: (u32, u32, u32)) -> Option<Filter> {
        let state = self.filter_state(declared)?;
        let functions = self.own_functions(&declared.functions)?;
        let (unit, want) = match declared.unit {
            ast::FilterUnit::Byte => (FilterUnit::Byte, Type::UInt(8)),
            ast::FilterUnit::Word => (FilterUnit::Word, Type::UInt(32)),
        };
        let inputs = self.units(&declared.inputs, &want)?;
        let body = self.whole(&declared.body, None);
        let end = declared.end.as_ref().map_or_else(Block::default, |block| self.whole(block, None));
        let result = match &declared.result {
            Some(e) => Some(self.filter_result(e)?),
            None => None,
        };
        self.check_own_calls(declared);
        if let Some(result) = declared.result.as_ref().filter(|_| self.rejects()) {
            let help = "note it in the state, and make it part of the result";
            self.error("T0081", "a filter with a `result` cannot reject", result.span, "this result", help);
        }
        Some(Filter {
            name: declared.name.name.clone(),
            unit,
            state,
            inputs,
            rejects: self.rejects(),
            names: self.names,
            body,
            end,
            result,
            functions,
            grows,
            span: declared.span,
        })
    }

    fn filter_state(&mut self, declared: &ast::Filter) -> Option<Vec<(NameId, Option<Expr>)>> {
        let mut state = Vec::new();
        for field in &declared.state {
            let ty = self.cx.resolve(field.ty.as_ref()?)?;
            let initial = match &field.initial {
                Some(e) => Some(self.cx.pure(e, &ty, &[])?.value),
                None => {
                    if self.cx.lacks_zero(&ty) {
                        self.cx.no_zero(&ty, field.span);
                    }
                    None
                }
            };
            state.push((self.declare(&field.name, ty), initial));
        }
        Some(state)
    }

    fn filter_result(&mut self, e: &ast::Expr) -> Option<Expr> {
        let value = self.expr(e, None)?;
        let value = self.settle(value);
        if value.has_steps(&self.cx.tree.structs) {
            self.error("T0106", "a result cannot have effects", e.span, "this needs several steps", "do it in `end`");
            return None;
        }
        Some(value)
    }

    /// Declares the parameters for the units that a filter reads.
    fn units(&mut self, declared: &[ast::FunctionParameter], want: &Type) -> Option<Vec<NameId>> {
        let mut inputs = Vec::new();
        for parameter in declared {
            if self.cx.resolve(&parameter.ty)? != *want {
                let shown = self.show(want);
                self.error(
                    "T0109",
                    format!("the parameter of a filter has the type {shown}"),
                    parameter.ty.span,
                    "",
                    "",
                );
            }
            inputs.push(self.declare(&parameter.name, want.clone()));
        }
        Some(inputs)
    }

    // ---- functions of a filter: they see its state and their parameters

    fn own_functions(&mut self, declared: &[ast::Function]) -> Option<Vec<Function>> {
        let signatures = declared.iter().map(|f| self.own_signature(f)).collect::<Option<Vec<_>>>()?;
        self.own = OwnFunctions { names: declared.iter().map(|f| f.name.name.clone()).collect(), ..Default::default() };
        signatures.iter().for_each(|_| self.own.calls.add());
        self.own.signatures = signatures;
        let functions = declared.iter().enumerate().map(|(at, f)| self.own_function(f, FunctionId(at as u32)));
        Some(functions.collect())
    }

    fn own_signature(&mut self, f: &ast::Function) -> Option<Signature> {
        self.cx.once(f.parameters.iter().map(|p| &p.name));
        let mut parameters = Vec::new();
        for p in &f.parameters {
            let ty = self.cx.resolve(&p.ty)?;
            if self.cx.linear(&ty) {
                let what = "`ref` at the call and in the declaration must agree, and filters hold no messages";
                self.error("T0070", what, p.ty.span, "", "");
                return None;
            }
            parameters.push((p.name.name.clone(), ty, p.by_ref));
        }
        let result = match &f.result {
            Some(ty) => Some(self.cx.resolve(ty)?),
            None => None,
        };
        Some(Signature { parameters, result })
    }

    fn own_function(&mut self, f: &ast::Function, id: FunctionId) -> Function {
        let Signature { parameters: types, result } = self.own.signatures[id.index()].clone();
        let yields = matches!(self.context, Context::Filter { yields: true, .. });
        let context = Context::Filter { yields, function: Some(result.clone()) };
        let context = std::mem::replace(&mut self.context, context);
        self.own.current = Some(id);
        self.open();
        let parameters = f.parameters.iter().zip(types).map(|(p, (_, ty, by_ref))| match by_ref {
            true => self.reference(&p.name, ty),
            false => self.declare(&p.name, ty),
        });
        let parameters = parameters.collect();
        let body = self.whole(&f.body, result.is_some().then_some(f.name.span));
        self.close();
        self.own.current = None;
        self.context = context;
        Function { name: f.name.name.clone(), parameters, result, names: Names::default(), body, span: f.span }
    }

    /// Reports functions that call themselves, and too many calls.
    fn check_own_calls(&mut self, declared: &ast::Filter) {
        match self.own.calls.count() {
            Err(id) => {
                let name = &declared.functions[id.index()].name;
                let what = format!("`{}` calls itself", name.name);
                self.error("T0100", what, name.span, "directly, or through others", "write it as a loop with a bound");
            }
            Ok(within) => {
                let calls = self.own.called.iter().map(|f| within[f.index()].saturating_add(1));
                if calls.fold(0, u64::saturating_add) > MOST_CALLS {
                    let what = format!("a filter makes more than {MOST_CALLS} calls, including nested ones");
                    self.error("T0115", what, declared.name.span, "this filter", "");
                }
            }
        }
    }

    /// Whether the filter may reject, directly or in a called function.
    fn rejects(&self) -> bool {
        let reached = self.own.calls.reached(&self.own.called);
        self.own.rejecting.iter().any(|by| by.is_none_or(|f| reached[f.index()]))
    }
}
