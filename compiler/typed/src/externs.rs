//! Functions in C, and the contracts that are assumed of them.

use nacre_diagnostics::Span;
use nacre_stack::{Expr, ExprKind, Extern, ExternId, Parameter, Statement, Type};
use nacre_syntax::ast::{self, Contract, Item, Member};

use crate::body::{Body, Context, Value};
use crate::calls::Outcome;
use crate::expressions::make;
use crate::layer::Checker;

impl Checker<'_> {
    pub(crate) fn extern_named(&mut self, name: &str) -> Option<ExternId> {
        if let Some(&id) = self.extern_ids.get(name) {
            return Some(id);
        }
        let own = self.layer.members.iter().find_map(|m| match m {
            Member::Extern(e) if e.name.name == name => Some(e),
            _ => None,
        });
        let declared = match (own, self.program.item(name)) {
            (Some(e), _) => e.clone(),
            (None, Some(Item::Extern(e))) => e.clone(),
            _ => return None,
        };
        let mut parameters = Vec::new();
        for p in &declared.parameters {
            parameters.push(Parameter { name: p.name.name.clone(), ty: self.resolve(&p.ty)? });
        }
        let result = match &declared.result {
            Some(ty) => Some(self.resolve(ty)?),
            None => None,
        };
        let mut made = Extern {
            name: name.into(),
            parameters,
            result,
            pure_: false,
            inverse_of: None,
            grows: 0,
            shrinks: 0,
            range: None,
            body: declared.body.clone(),
            span: declared.span,
        };
        for contract in &declared.contract {
            match contract {
                Contract::Pure => made.pure_ = true,
                Contract::InverseOf(other) => made.inverse_of = Some(other.name.clone()),
                Contract::Grows(e) => made.grows = self.constant_number(e, "`grows`", 0, 1 << 20)? as u32,
                Contract::Shrinks(e) => made.shrinks = self.constant_number(e, "`shrinks`", 0, 1 << 20)? as u32,
                Contract::Range(e) => made.range = Some(self.constant_number(e, "`range`", 1, i128::from(u64::MAX))?),
            }
        }
        let id = ExternId(self.fragment.externs.len() as u32);
        self.fragment.externs.push(made);
        self.extern_ids.insert(name.into(), id);
        Some(id)
    }
}

impl Body<'_, '_> {
    pub fn extern_call(&mut self, id: ExternId, arguments: &[ast::Argument], span: Span) -> Option<Outcome> {
        let declared = self.cx.fragment.externs[id.index()].clone();
        self.count_arguments(&declared.name, declared.parameters.len(), arguments.len(), span)?;
        let wanted: Vec<(&ast::Expr, Type)> =
            arguments.iter().zip(&declared.parameters).map(|(a, p)| (&a.value, p.ty.clone())).collect();
        let arguments: Vec<Expr> = self.values(&wanted)?;
        let messages = declared.parameters.iter().any(|p| self.cx.linear(&p.ty))
            || declared.result.as_ref().is_some_and(|t| self.cx.linear(t));
        match &declared.result {
            Some(ty) if declared.pure_ && !messages => {
                Some(Outcome::Value(Value::fixed(make(ExprKind::Extern(id, arguments), ty.clone()))))
            }
            result => {
                if matches!(self.context, Context::Pure | Context::Filter { .. }) {
                    self.error(
                        "T0069",
                        "this function is not called here",
                        span,
                        "it may have an effect",
                        "say `pure` in its contract if it has none",
                    );
                    return None;
                }
                let into = result.clone().map(|ty| self.temporary(ty));
                self.push(Statement::CallExtern { into, function: id, arguments });
                Some(into.map_or(Outcome::Nothing, |id| Outcome::Value(Value::fixed(self.get(id)))))
            }
        }
    }
}
