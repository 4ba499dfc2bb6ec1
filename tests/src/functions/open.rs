//! Open choices by kind: they name several kinds and treat all others alike, including kinds that are added later.

use std::collections::BTreeSet;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

use super::names::Names;

struct Kinds<'n>(&'n Names, BTreeSet<String>);

impl<'a> Visit<'a> for Kinds<'_> {
    fn visit_path(&mut self, path: &'a syn::Path) {
        self.1.extend(self.0.kind(path));
    }
    fn visit_pat_ident(&mut self, name: &'a syn::PatIdent) {
        self.1.extend(self.0.variant(&name.ident));
        visit::visit_pat_ident(self, name);
    }
}

/// The kinds that a pattern names.
pub fn kinds_of_pattern(pattern: &syn::Pat, names: &Names) -> BTreeSet<String> {
    let mut kinds = Kinds(names, BTreeSet::new());
    kinds.visit_pat(pattern);
    kinds.1
}

/// The names in an expression: in the operand of a match, and in the arguments of a call.
fn names_in(expr: &syn::Expr) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);
    impl<'a> Visit<'a> for Names {
        fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
            self.0.extend(path.path.get_ident().filter(|name| *name != "self").map(syn::Ident::to_string));
        }
    }
    let mut names = Names(BTreeSet::new());
    names.visit_expr(expr);
    names.0
}

/// Whether code passes one of the names on: as an argument of a function or as the receiver of a method.
fn hands_on(code: &syn::Expr, names: &BTreeSet<String>) -> bool {
    struct Calls<'n>(&'n BTreeSet<String>, bool);
    impl Calls<'_> {
        fn given<'a>(&mut self, mut arguments: impl Iterator<Item = &'a syn::Expr>) {
            self.1 |= arguments.any(|argument| {
                let syn::Expr::Path(path) = argument else { return false };
                path.path.get_ident().is_some_and(|name| self.0.contains(&name.to_string()))
            });
        }
    }
    impl<'a> Visit<'a> for Calls<'_> {
        fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
            self.given(call.args.iter());
            visit::visit_expr_call(self, call);
        }
        fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
            self.given(call.args.iter().chain([&*call.receiver]));
            visit::visit_expr_method_call(self, call);
        }
        fn visit_macro(&mut self, made: &'a syn::Macro) {
            let parse = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
            made.parse_body_with(parse).iter().flatten().for_each(|argument| self.visit_expr(argument));
        }
    }
    let mut calls = Calls(names, false);
    calls.visit_expr(code);
    calls.1
}

/// The kinds that the arms of a match name.
pub fn kinds_of(of: &syn::ExprMatch, names: &Names) -> BTreeSet<String> {
    of.arms.iter().flat_map(|arm| kinds_of_pattern(&arm.pat, names)).collect()
}

/// Whether a match distinguishes several kinds and treats all others alike without examining them.
pub fn is_open(of: &syn::ExprMatch, names: &Names) -> bool {
    let fallback = of.arms.iter().rfind(|arm| arm.guard.is_none() && is_any(&arm.pat, names));
    let Some(fallback) = fallback.filter(|_| kinds_of(of, names).len() > 1) else { return false };
    let mut given = names_in(&of.expr);
    if let syn::Pat::Ident(name) = &fallback.pat {
        given.insert(name.ident.to_string());
    }
    !hands_on(&fallback.body, &given)
}

/// The kinds that the conditions of a chain of `if let .. else if let ..` name, unless the rest is passed on.
pub fn kinds_of_chain(of: &syn::ExprIf, names: &Names) -> BTreeSet<String> {
    let (mut kinds, mut given, mut next) = (BTreeSet::new(), BTreeSet::new(), of);
    loop {
        if let syn::Expr::Let(condition) = &*next.cond {
            kinds.extend(kinds_of_pattern(&condition.pat, names));
            given.extend(names_in(&condition.expr));
        }
        match next.else_branch.as_ref().map(|(_, other)| &**other) {
            Some(syn::Expr::If(other)) => next = other,
            Some(rest) if hands_on(rest, &given) => return BTreeSet::new(),
            Some(_) | None => return kinds,
        }
    }
}

/// Whether a pattern matches every kind.
fn is_any(pattern: &syn::Pat, names: &Names) -> bool {
    match pattern {
        syn::Pat::Wild(_) => true,
        syn::Pat::Ident(name) => names.variant(&name.ident).is_none(),
        syn::Pat::Tuple(parts) => parts.elems.iter().all(|part| is_any(part, names)),
        _ => false,
    }
}
