//! The source of the project as syntax trees, for tests about it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::{files, root};

/// A source file that is not only compiled for tests.
pub struct Source {
    /// The path from the root of the checkout.
    pub path: String,
    pub text: String,
    pub tree: syn::File,
}

/// The files of `src` folders, without modules that only tests have.
pub fn sources() -> Vec<Source> {
    let of_crates = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "src");
    let all = files(&root(), ".rs").into_iter().filter(of_crates);
    let mut read: Vec<(PathBuf, String, syn::File)> = all
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("readable");
            let tree = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            (path, text, tree)
        })
        .collect();
    let of_tests: BTreeSet<PathBuf> = read.iter().flat_map(|(path, _, tree)| modules_of_tests(path, tree)).collect();
    read.retain(|(path, ..)| !of_tests.contains(path) && !path.starts_with(root().join("tests")));
    let relative = |path: &Path| path.strip_prefix(root()).unwrap_or(path).display().to_string();
    read.into_iter().map(|(path, text, tree)| Source { path: relative(&path), text, tree }).collect()
}

/// Whether an item is compiled for tests alone.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    let is_test = |a: &syn::Attribute| {
        a.path().is_ident("test")
            || a.path().is_ident("cfg") && quoted(a).split(|c: char| !c.is_alphanumeric()).any(|w| w == "test")
    };
    attributes.iter().any(is_test)
}

fn quoted(attribute: &syn::Attribute) -> String {
    attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default()
}

/// The files of `#[cfg(test)] mod name;`.
fn modules_of_tests(path: &Path, tree: &syn::File) -> Vec<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().expect("a file is in a folder");
    let folder = if ["mod", "lib", "main"].contains(&stem.as_str()) { folder.to_path_buf() } else { folder.join(stem) };
    let named = tree.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if module.content.is_none() && is_for_tests(&module.attrs) => {
            Some(module.ident.to_string())
        }
        _ => None,
    });
    named.flat_map(|name| [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")]).collect()
}

/// A string in the source.
pub struct Literal {
    pub value: String,
    pub line: usize,
    /// Whether it is in the value of a `const` or `static`.
    pub in_table: bool,
    /// The last names of the paths next to it in a tuple: `Lose` in `(Fault::Lose, "lose")`.
    pub beside: Vec<String>,
}

/// Returns all strings of a file except those in attributes and tests.
pub fn literals(tree: &syn::File) -> Vec<Literal> {
    let mut found = Literals::default();
    found.visit_file(tree);
    found.found
}

#[derive(Default)]
struct Literals {
    found: Vec<Literal>,
    tables: usize,
    beside: Vec<Vec<String>>,
}

impl Literals {
    fn add(&mut self, value: String, line: usize) {
        let beside = self.beside.last().cloned().unwrap_or_default();
        self.found.push(Literal { value, line, in_table: self.tables > 0, beside });
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    let line = literal.span().start().line;
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        self.add(text.value(), line);
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'a> Visit<'a> for Literals {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }
    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.tables += 1;
        visit::visit_item_const(self, item);
        self.tables -= 1;
    }
    fn visit_item_static(&mut self, item: &'a syn::ItemStatic) {
        self.tables += 1;
        visit::visit_item_static(self, item);
        self.tables -= 1;
    }
    fn visit_expr_tuple(&mut self, tuple: &'a syn::ExprTuple) {
        let last = |e: &syn::Expr| match e {
            syn::Expr::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
            _ => None,
        };
        self.beside.push(tuple.elems.iter().filter_map(last).collect());
        visit::visit_expr_tuple(self, tuple);
        self.beside.pop();
    }
    fn visit_lit_str(&mut self, text: &'a syn::LitStr) {
        self.add(text.value(), text.span().start().line);
    }
    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.tokens(call.tokens.clone());
    }
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(i) => &i.attrs,
        syn::Item::Enum(i) => &i.attrs,
        syn::Item::Fn(i) => &i.attrs,
        syn::Item::Impl(i) => &i.attrs,
        syn::Item::Macro(i) => &i.attrs,
        syn::Item::Mod(i) => &i.attrs,
        syn::Item::Static(i) => &i.attrs,
        syn::Item::Struct(i) => &i.attrs,
        syn::Item::Trait(i) => &i.attrs,
        syn::Item::Type(i) => &i.attrs,
        _ => &[],
    }
}

/// A function, and its first and last line.
pub struct Function {
    pub name: String,
    pub lines: usize,
    /// Without `self`. Functions that C calls have those of their declaration there, and count none.
    pub parameters: usize,
    /// Whether it is one `match`, or a list of values: a table in the form of a function.
    pub is_table: bool,
}

/// Returns all functions of a file except tests, and the public items without documentation.
pub fn functions(tree: &syn::File) -> (Vec<Function>, Vec<String>) {
    let mut found = Functions::default();
    found.visit_file(tree);
    (found.functions, found.undocumented)
}

#[derive(Default)]
struct Functions {
    functions: Vec<Function>,
    undocumented: Vec<String>,
}

impl Functions {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let lines = block.span().end().line - signature.span().start().line + 1;
        let is_table = matches!(
            block.stmts.as_slice(),
            [syn::Stmt::Expr(syn::Expr::Match(_) | syn::Expr::Array(_) | syn::Expr::Struct(_), _)]
        );
        let inputs = signature.inputs.iter().filter(|input| matches!(input, syn::FnArg::Typed(_)));
        let parameters = if signature.abi.is_some() { 0 } else { inputs.count() };
        let name = signature.ident.to_string();
        self.functions.push(Function { name, lines, parameters, is_table });
    }

    fn documented(&mut self, name: &syn::Ident, visibility: &syn::Visibility, attributes: &[syn::Attribute]) {
        let has_docs = attributes.iter().any(|a| a.path().is_ident("doc"));
        if matches!(visibility, syn::Visibility::Public(_)) && !has_docs {
            self.undocumented.push(name.to_string());
        }
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if is_for_tests(attributes(item)) {
            return;
        }
        match item {
            syn::Item::Const(i) => self.documented(&i.ident, &i.vis, &i.attrs),
            syn::Item::Enum(i) => self.documented(&i.ident, &i.vis, &i.attrs),
            syn::Item::Fn(i) => self.documented(&i.sig.ident, &i.vis, &i.attrs),
            syn::Item::Static(i) => self.documented(&i.ident, &i.vis, &i.attrs),
            syn::Item::Struct(i) => self.documented(&i.ident, &i.vis, &i.attrs),
            syn::Item::Trait(i) => self.documented(&i.ident, &i.vis, &i.attrs),
            syn::Item::Type(i) => self.documented(&i.ident, &i.vis, &i.attrs),
            _ => {}
        }
        visit::visit_item(self, item);
    }
    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        self.function(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }
    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        self.documented(&function.sig.ident, &function.vis, &function.attrs);
        self.function(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }
}
