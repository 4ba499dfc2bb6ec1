//! Functions in C, and their assumed contracts.

use nacre_diagnostics::Span;
use nacre_stack::{words_of_c, Extern, ExternId, Parameter, Type};
use nacre_syntax::ast::{self, Contract, Ident, Item, Member};

use crate::body::{Body, Context};
use crate::calls::Outcome;
use crate::checker::Checker;
use crate::tree::{Expr, ExprKind, UNIT};

impl Checker<'_> {
    /// The declaration of a function in C, and a key that distinguishes it from others of the name.
    pub(crate) fn extern_declared(&self, name: &str, at: Span) -> Option<(String, ast::Extern)> {
        let own = self.layer.members.iter().find_map(|m| match m {
            Member::Extern(e) if e.name.name == name => Some(e),
            _ => None,
        });
        let found = self.program.find(name, at);
        match (own.filter(|_| self.is_here(at)), found.map(|n| (n.key(), n.item))) {
            (Some(e), _) => Some((name.to_string(), e.clone())),
            (None, Some((key, Item::Extern(e)))) => Some((key, e.clone())),
            _ => None,
        }
    }

    /// Finds a function in C by its name; its first use declares it.
    pub(crate) fn extern_named(&mut self, name: &str, at: Span) -> Option<ExternId> {
        let (key, declared) = self.extern_declared(name, at)?;
        if let Some(&id) = self.extern_ids.get(&key) {
            return Some(id);
        }
        self.once(declared.parameters.iter().map(|p| &p.name));
        self.names_of_c(&declared);
        self.check_inverse(&declared);
        let mut parameters = Vec::new();
        for p in &declared.parameters {
            parameters.push(Parameter { name: p.name.name.clone(), ty: self.type_of_c(&p.ty)? });
        }
        self.lengths_of_c(&declared, &parameters);
        let result = match &declared.result {
            Some(ty) => Some(self.type_of_c(ty)?),
            None => None,
        };
        if result.as_ref().is_some_and(crate::bounded::is_bounded) {
            let help = "write `msg`, and compare its length after the call: `let x = ... as msg<N> else ...;`";
            self.error(
                "T0173",
                "a function in C cannot bound the length of a message",
                declared.name.span,
                "not checked",
                help,
            );
        }
        let mut made = Extern {
            name: declared.name.name.clone(),
            parameters,
            result,
            pure_: false,
            inverse_of: None,
            through: None,
            grows: 0,
            shrinks: 0,
            range: None,
            body: declared.body.clone(),
            span: declared.span,
        };
        for contract in &declared.contract {
            match contract {
                Contract::Pure => made.pure_ = true,
                Contract::InverseOf { function, through } => {
                    made.inverse_of = Some(without_alias(function));
                    made.through = through.as_ref().map(without_alias);
                }
                Contract::Grows(e) => made.grows = self.constant_number(e, "`grows`", 0, 1 << 20)? as u32,
                Contract::Shrinks(e) => made.shrinks = self.constant_number(e, "`shrinks`", 0, 1 << 20)? as u32,
                Contract::Range(e) => made.range = Some(self.constant_number(e, "`range`", 1, i128::from(u64::MAX))?),
            }
        }
        let id = ExternId(self.tree.externs.len() as u32);
        self.tree.externs.push(made);
        self.extern_ids.insert(key, id);
        Some(id)
    }

    /// The name of a host's function is a symbol for the linker, and code in C uses the names of parameters.
    fn names_of_c(&mut self, declared: &ast::Extern) {
        let function = declared.body.is_none().then_some(&declared.name);
        let own = ["result", "result_max"];
        let parameters = declared.parameters.iter().map(|p| &p.name);
        let taken = |name: &&Ident| words_of_c::in_c().any(|word| word == name.name);
        let wrong: Vec<Ident> = (function.into_iter().filter(taken))
            .chain(parameters.filter(|name| taken(name) || own.contains(&name.name.as_str())))
            .cloned()
            .collect();
        for name in wrong {
            let what = format!("`{}` is reserved in C", name.name);
            self.error("T0177", what, name.span, "reserved in C", "give it another name");
        }
    }

    /// Behind a message, C receives its length: `m_len`.
    fn lengths_of_c(&mut self, declared: &ast::Extern, parameters: &[Parameter]) {
        for Parameter { name, .. } in parameters.iter().filter(|p| matches!(p.ty, Type::Msg | Type::Text(_))) {
            let length = format!("{name}_len");
            if let Some(clash) = declared.parameters.iter().find(|other| other.name.name == length) {
                let what = format!("`{length}` is the length of `{name}` in C");
                self.error("T0177", what, clash.name.span, "taken in C", "give it another name");
            }
        }
    }

    /// The type of a parameter or result.
    fn type_of_c(&mut self, written: &ast::Type) -> Option<Type> {
        let ty = self.resolve(written)?;
        if !self.is_of_c(&ty) {
            let what = format!("a function in C cannot take or return a value of type {}", self.show(&ty));
            let help = "it takes numbers, addresses, bytes, structs of these, and messages";
            self.error("T0175", what, written.span, "a container or timer belongs to its layer", help);
        }
        Some(ty)
    }
}

fn without_alias(name: &Ident) -> String {
    name.name.rsplit('.').next().unwrap_or_default().into()
}

impl Body<'_, '_> {
    /// Types a call to a function of the host: an expression if it is pure, else a statement. None after an error.
    pub fn extern_call(&mut self, id: ExternId, arguments: &[ast::Argument], span: Span) -> Option<Outcome> {
        let declared = self.cx.tree.externs[id.index()].clone();
        self.count_arguments(&declared.name, declared.parameters.len(), arguments.len(), span)?;
        let wanted: Vec<(&ast::Expr, Type)> =
            arguments.iter().zip(&declared.parameters).map(|(a, p)| (&a.value, p.ty.clone())).collect();
        let arguments: Vec<Expr> = self.values(&wanted)?;
        let messages = declared.parameters.iter().any(|p| self.cx.linear(&p.ty))
            || declared.result.as_ref().is_some_and(|t| self.cx.linear(t));
        match &declared.result {
            Some(ty) if declared.pure_ && !messages => {
                Some(Outcome::value(self.make(ExprKind::Extern(id, arguments), ty.clone())))
            }
            result => {
                if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
                    self.error(
                        "T0069",
                        "this function cannot be called here",
                        span,
                        "it may have an effect",
                        "add `pure` to its contract if it has none",
                    );
                    return None;
                }
                let ty = result.clone().unwrap_or(UNIT);
                Some(Outcome::value(self.make(ExprKind::CallExtern(id, arguments), ty)))
            }
        }
    }
}
