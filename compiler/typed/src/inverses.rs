//! `inverse of f` and `inverse of f through g`: whether the functions fit one another.

use nacre_diagnostics::Span;
use nacre_stack::Type;
use nacre_syntax::ast::{self, Contract, Ident};

use crate::checker::Checker;

/// The types of a function in C.
struct Signature {
    parameters: Vec<Type>,
    result: Type,
}

impl Signature {
    /// The parameter that is hidden or recovered: the message, otherwise the last one.
    fn main(&self) -> Option<usize> {
        let message = self.parameters.iter().position(|ty| *ty == Type::Msg);
        message.or(self.parameters.len().checked_sub(1))
    }
}

/// The type, or that of which it is an option.
fn certain(ty: &Type) -> &Type {
    match ty {
        Type::Option(inner) => inner,
        ty => ty,
    }
}

impl Checker<'_> {
    /// Checks the contract of a function that is the inverse of another one.
    pub(crate) fn check_inverse(&mut self, declared: &ast::Extern) {
        for contract in &declared.contract {
            if let Contract::InverseOf { function, through } = contract {
                self.check_inverse_of(declared, function, through.as_ref());
            }
        }
    }

    fn check_inverse_of(&mut self, declared: &ast::Extern, function: &Ident, through: Option<&Ident>) -> Option<()> {
        let other = self.function_in_c(function)?;
        let half = match through {
            Some(name) => Some((name, self.function_in_c(name)?)),
            None => None,
        };
        let inverse = |of: &ast::Extern| of.contract.iter().any(|c| matches!(c, Contract::InverseOf { .. }));
        if inverse(&other) {
            self.unfit_inverse(function.span, "this is an inverse itself", other.name.span);
            return None;
        }
        let (own, of) = (self.signature(declared)?, self.signature(&other)?);
        if !fits(&own, &of, half.is_some()) {
            self.unfit_inverse(function.span, "its parameters and result do not fit", other.name.span);
            return None;
        }
        let (name, half) = half?;
        let is_pure = half.contract.iter().any(|c| matches!(c, Contract::Pure)) && !inverse(&half);
        let types = self.signature(&half)?;
        let from_first = types.parameters.len() == 1 && types.parameters[0] == of.parameters[0];
        if !is_pure {
            self.unfit_inverse(name.span, "this must be a pure function, and no inverse", half.name.span);
        } else if !from_first || types.result != own.parameters[0] {
            let why = "this must make the first argument of the inverse from the first one of the function";
            self.unfit_inverse(name.span, why, half.name.span);
        }
        Some(())
    }

    /// The declaration of a function in C that a contract names.
    fn function_in_c(&mut self, name: &Ident) -> Option<ast::Extern> {
        let found = self.extern_declared(&name.name, name.span).map(|(_, declared)| declared);
        if found.is_none() {
            let what = format!("`{}` is not a function in C", name.name);
            self.error("T0179", what, name.span, "not declared", "declare it by `extern`");
        }
        found
    }

    fn signature(&mut self, declared: &ast::Extern) -> Option<Signature> {
        let parameters = declared.parameters.iter().map(|p| self.resolve(&p.ty)).collect::<Option<_>>()?;
        Some(Signature { parameters, result: self.resolve(declared.result.as_ref()?)? })
    }

    fn unfit_inverse(&mut self, at: Span, why: &str, declared: Span) {
        let found = nacre_diagnostics::Diagnostic::error("T0180", "a function cannot be the inverse of this one")
            .at(at, why)
            .also(declared, "declared here")
            .because(
                "an inverse maps the result of the other function back to its message (or last argument). All other \
                 parameters are the same, except the first one of an inverse `through` a function",
            );
        self.found.push(found);
    }
}

/// Whether one recovers what the other takes. `through`: their first parameters may differ, and are not what is
/// recovered.
fn fits(own: &Signature, of: &Signature, through: bool) -> bool {
    let Some(main) = own.main().filter(|_| own.main() == of.main() && own.parameters.len() == of.parameters.len())
    else {
        return false;
    };
    let is_same = |at: usize| at == main || at == 0 && through || own.parameters[at] == of.parameters[at];
    (0..own.parameters.len()).all(is_same)
        && own.parameters[main] == *certain(&of.result)
        && of.parameters[main] == *certain(&own.result)
        && (!through || main > 0 && own.parameters[main] == Type::Msg)
}
