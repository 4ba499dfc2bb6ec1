//! The functions in the source of a crate: which of them choose by the kinds of the stack IR, and their calls.

mod calls;
mod names;
mod open;

use std::collections::{BTreeMap, BTreeSet};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

pub use calls::Calls;

use crate::{files, root};
use names::Names;

/// Traits of traversals: their functions call each other through the traversal.
const TRAVERSALS: [&str; 2] = ["Visitor", "Rewriter"];

/// A function of a crate.
#[derive(Default)]
pub struct Function {
    /// The file, relative to the root.
    pub file: String,
    /// The type of the `impl` block that it is in.
    pub of_type: Option<String>,
    /// Its name.
    pub name: String,
    /// Whether it has a pattern of a kind.
    pub reads: bool,
    /// Whether it is in an `impl` of a trait of traversals, which the traversal calls.
    pub is_traversal: bool,
    /// The types of its parameters.
    pub(crate) parameters: BTreeMap<String, String>,
    /// The names that its patterns bind, which are not functions.
    bound: BTreeSet<String>,
    pub(crate) calls: BTreeSet<Callee>,
    /// Its open choices by kind, each with its description.
    pub open: Vec<String>,
}

/// The name of a callee.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Callee {
    /// `name(..)`: a function of this file, or one that the file imports.
    Free(String),
    /// `module::name(..)`.
    In(String, String),
    /// `Type::name(..)`, `self.name(..)`, or a method of a parameter of the type.
    Of(String, String),
    /// `self.field.name(..)`: the type that has the field, the field and the method.
    Field(String, String, String),
    /// A method of a value whose type the syntax does not show: assumed to be one of this file.
    Method(String),
}

/// The functions, fields and imports of one crate.
#[derive(Default)]
pub struct Code {
    /// In the order of the text.
    pub functions: Vec<Function>,
    /// The types of fields, by type and field.
    pub(crate) fields: BTreeMap<(String, String), String>,
    /// What files import by name.
    pub(crate) imports: BTreeSet<(String, String)>,
}

impl Function {
    /// The name in lists.
    pub fn place(&self) -> String {
        format!("{}::{}", self.file, self.name)
    }
}

impl Code {
    /// Returns the code of the crate in a folder, without its tests.
    pub fn of(room: &str) -> Code {
        let mut code = Code::default();
        for path in files(&root().join(room).join("src"), ".rs") {
            let name = path.strip_prefix(root()).expect("below the root").display().to_string();
            let text = std::fs::read_to_string(&path).expect("readable");
            // The kinds of the syntax tree are different ones.
            if !name.ends_with("tests.rs") && !text.contains("nacre_syntax::ast") {
                code = code.with(&name, &text);
            }
        }
        code
    }

    /// Adds the code of a file.
    pub fn with(self, file: &str, source: &str) -> Code {
        let mut reader = Reader { file: file.into(), code: self, ..Reader::default() };
        reader.visit_file(&syn::parse_file(source).unwrap_or_else(|e| panic!("{file}: {e}: {source}")));
        reader.code
    }
}

/// Reads the functions of one file.
#[derive(Default)]
struct Reader {
    file: String,
    code: Code,
    /// The indices of the enclosing functions, the innermost last.
    inside: Vec<usize>,
    /// The type of the enclosing `impl` block.
    own_type: Option<String>,
    in_traversal: bool,
    /// What kinds are called here.
    names: Names,
}

/// The name of a type, without references and boxes.
fn name_of(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Reference(to) => name_of(&to.elem),
        syn::Type::Path(path) => {
            let last = path.path.segments.last()?;
            match &last.arguments {
                syn::PathArguments::AngleBracketed(of) if last.ident == "Box" => match of.args.first()? {
                    syn::GenericArgument::Type(inner) => name_of(inner),
                    _ => None,
                },
                _ => Some(last.ident.to_string()),
            }
        }
        _ => None,
    }
}

fn last(path: &syn::Path) -> Option<String> {
    path.segments.last().map(|segment| segment.ident.to_string())
}

impl Reader {
    fn function(&mut self, signature: &syn::Signature, read: impl FnOnce(&mut Reader)) {
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(syn::PatType { pat, ty, .. }) => match &**pat {
                syn::Pat::Ident(name) => Some((name.ident.to_string(), name_of(ty)?)),
                _ => None,
            },
            syn::FnArg::Receiver(_) => self.own_type.clone().map(|own| ("self".into(), own)),
        });
        let function = Function {
            file: self.file.clone(),
            of_type: self.own_type.clone(),
            name: signature.ident.to_string(),
            is_traversal: self.in_traversal,
            parameters: parameters.collect(),
            ..Function::default()
        };
        self.inside.push(self.code.functions.len());
        self.code.functions.push(function);
        read(self);
        self.inside.pop();
    }

    /// Returns the type of a parameter of the current function.
    fn parameter(&self, name: &syn::Ident) -> Option<String> {
        self.code.functions[*self.inside.last()?].parameters.get(&name.to_string()).cloned()
    }

    /// Reads code in a scope of its own, with the kinds that the items of the scope name.
    fn scope<'a>(&mut self, items: impl Iterator<Item = &'a syn::Item>, read: impl FnOnce(&mut Reader)) {
        let outer = self.names.clone();
        for item in items {
            match item {
                syn::Item::Use(import) => self.names.import(&import.tree),
                syn::Item::Type(alias) => {
                    let of = name_of(&alias.ty).unwrap_or_default();
                    self.names.rename(&alias.ident.to_string(), &of);
                }
                _ => {}
            }
        }
        read(self);
        self.names = outer;
    }

    fn with_current(&mut self, change: impl FnOnce(&mut Function)) {
        if let Some(at) = self.inside.last() {
            change(&mut self.code.functions[*at]);
        }
    }

    fn calls(&mut self, callee: Callee) {
        self.with_current(|function| function.calls.extend([callee]));
    }

    /// Records a function that is called, or passed on to be called.
    fn call(&mut self, path: &syn::Path) {
        let Some(name) = last(path) else { return };
        let before = path.segments.iter().rev().nth(1).map(|segment| segment.ident.to_string());
        self.calls(match before.as_deref() {
            None | Some("self" | "super" | "crate") => Callee::Free(name),
            Some("Self") => Callee::Of(self.own_type.clone().unwrap_or_default(), name),
            Some(other) if other.starts_with(char::is_uppercase) => Callee::Of(other.into(), name),
            Some(module) => Callee::In(module.into(), name),
        });
    }

    fn handed_on<'a>(&mut self, arguments: impl IntoIterator<Item = &'a syn::Expr>) {
        for argument in arguments {
            let syn::Expr::Path(path) = argument else { continue };
            let bound = self.inside.last().map(|at| &self.code.functions[*at].bound);
            let is_bound = |name: &syn::Ident| bound.is_some_and(|bound| bound.contains(&name.to_string()));
            if !path.path.get_ident().is_some_and(is_bound) {
                self.call(&path.path);
            }
        }
    }

    /// Records a pattern that tests for these kinds.
    fn asks(&mut self, kinds: &BTreeSet<String>) {
        self.with_current(|function| {
            function.reads |= !kinds.is_empty();
            if kinds.len() > 1 {
                function.open.push(kinds.iter().map(String::as_str).collect::<Vec<_>>().join(" | "));
            }
        });
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_file(&mut self, file: &'a syn::File) {
        self.scope(file.items.iter(), |reader| visit::visit_file(reader, file));
    }

    fn visit_block(&mut self, block: &'a syn::Block) {
        let items = block.stmts.iter().filter_map(|statement| match statement {
            syn::Stmt::Item(item) => Some(item),
            _ => None,
        });
        self.scope(items, |reader| visit::visit_block(reader, block));
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let name = item.trait_.as_ref().and_then(|(_, path, _)| last(path));
        let of_type = if let syn::Type::Path(path) = &*item.self_ty { last(&path.path) } else { None };
        let outer = self.names.clone();
        self.names.rename("Self", of_type.as_deref().unwrap_or_default());
        let before = std::mem::replace(&mut self.own_type, of_type);
        self.in_traversal = name.is_some_and(|name| TRAVERSALS.contains(&name.as_str()));
        visit::visit_item_impl(self, item);
        self.in_traversal = false;
        self.own_type = before;
        self.names = outer;
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if item.ident != "tests" {
            let items = item.content.iter().flat_map(|(_, items)| items);
            self.scope(items, |reader| visit::visit_item_mod(reader, item));
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(&item.sig, |reader| visit::visit_item_fn(reader, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.function(&item.sig, |reader| visit::visit_impl_item_fn(reader, item));
    }

    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        for field in &item.fields {
            if let (Some(name), Some(ty)) = (&field.ident, name_of(&field.ty)) {
                self.code.fields.insert((item.ident.to_string(), name.to_string()), ty);
            }
        }
    }

    fn visit_use_name(&mut self, name: &'a syn::UseName) {
        self.code.imports.insert((self.file.clone(), name.ident.to_string()));
    }

    fn visit_pat(&mut self, pattern: &'a syn::Pat) {
        let reads = !open::kinds_of_pattern(pattern, &self.names).is_empty();
        self.with_current(|function| function.reads |= reads);
        visit::visit_pat(self, pattern);
    }

    fn visit_pat_ident(&mut self, name: &'a syn::PatIdent) {
        self.with_current(|function| function.bound.extend([name.ident.to_string()]));
        visit::visit_pat_ident(self, name);
    }

    /// `if let .. else if let ..`.
    fn visit_expr_if(&mut self, of: &'a syn::ExprIf) {
        self.asks(&open::kinds_of_chain(of, &self.names));
        visit::visit_expr_if(self, of);
    }

    fn visit_expr_match(&mut self, of: &'a syn::ExprMatch) {
        if open::is_open(of, &self.names) {
            let kinds = open::kinds_of(of, &self.names);
            self.asks(&kinds);
        }
        visit::visit_expr_match(self, of);
    }

    /// `if let`, `while let`, and conditions with `let` in them.
    fn visit_expr_let(&mut self, of: &'a syn::ExprLet) {
        self.asks(&open::kinds_of_pattern(&of.pat, &self.names));
        visit::visit_expr_let(self, of);
    }

    /// `let .. else`.
    fn visit_local(&mut self, local: &'a syn::Local) {
        if local.init.as_ref().is_some_and(|init| init.diverge.is_some()) {
            self.asks(&open::kinds_of_pattern(&local.pat, &self.names));
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        self.handed_on(call.args.iter().chain([&*call.func]));
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let name = call.method.to_string();
        let callee = match &*call.receiver {
            syn::Expr::Path(path) => path.path.get_ident().and_then(|of| self.parameter(of)).map(|of| (of, None)),
            syn::Expr::Field(syn::ExprField { base, member: syn::Member::Named(field), .. }) => match &**base {
                syn::Expr::Path(path) => {
                    let of = path.path.get_ident().and_then(|of| self.parameter(of));
                    of.map(|of| (of, Some(field.to_string())))
                }
                _ => None,
            },
            _ => None,
        };
        self.calls(match callee {
            Some((of, None)) => Callee::Of(of, name),
            Some((of, Some(field))) => Callee::Field(of, field, name),
            None => Callee::Method(name),
        });
        self.handed_on(&call.args);
        visit::visit_expr_method_call(self, call);
    }

    /// The patterns of `matches!`.
    fn visit_macro(&mut self, made: &'a syn::Macro) {
        let parse = |input: syn::parse::ParseStream| {
            input.parse::<syn::Expr>()?;
            input.parse::<syn::Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            input.parse::<proc_macro2::TokenStream>()?;
            Ok(pattern)
        };
        if made.path.is_ident("matches") {
            let pattern = made.parse_body_with(parse).expect("an expression and a pattern");
            self.asks(&open::kinds_of_pattern(&pattern, &self.names));
        } else if let Ok(arguments) = made.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated) {
            arguments.iter().for_each(|argument| Visit::visit_expr(self, argument));
        }
    }
}
