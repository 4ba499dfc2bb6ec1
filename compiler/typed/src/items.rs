//! Items outside of layers, checked where no layer uses them.

use std::collections::HashSet;

use nacre_diagnostics::{Diagnostic, SourceId, Span};
use nacre_syntax::ast::{self, Item};

use crate::checker::Checker;
use crate::fragment::ABOVE;
use crate::program::{item_name, Program};

impl Program {
    /// Checks the constants of every file, and the structs, enums, interfaces, filters and functions in C that no layer
    /// uses: the others are checked with their layers, whose names they see if they are in the same file.
    pub fn check_items(&self) -> Vec<Diagnostic> {
        let used = self.used_items();
        let mut found: Vec<Diagnostic> = Vec::new();
        for (at, file) in self.files().iter().enumerate() {
            // The items are resolved as in a layer of their file.
            let user = empty_layer(Span { file: SourceId(at as u32), start: 0, end: 0 });
            let mut checker = Checker::new(self, &user);
            checker.global_constants();
            let unused =
                file.items.iter().filter(|item| item_name(item).is_some_and(|name| !used.contains(&name.name)));
            unused.for_each(|item| checker.item(item));
            found.extend(checker.found.into_iter().filter(|d| !found.contains(d)).collect::<Vec<_>>());
        }
        found
    }

    /// The names of what layers use.
    fn used_items(&self) -> HashSet<String> {
        let mut names = HashSet::new();
        for tree in self.layer_trees() {
            names.extend(tree.structs.into_iter().map(|x| x.name));
            names.extend(tree.enums.into_iter().map(|x| x.name));
            names.extend(tree.filters.into_iter().map(|x| x.name));
            names.extend(tree.externs.into_iter().map(|x| x.name));
            names.extend(tree.above.into_iter().chain(tree.below));
        }
        names
    }
}

impl Checker<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Struct(declared) => {
                if let Some(found) = self.program.find(&declared.name.name, declared.name.span) {
                    self.declare_struct(found.key(), declared);
                }
            }
            Item::Enum(declared) => drop(self.enum_named(&declared.name.name, declared.name.span)),
            Item::Filter(declared) => drop(self.filter_named(&declared.name)),
            Item::Extern(declared) => drop(self.extern_named(&declared.name.name, declared.name.span)),
            Item::Interface(declared) => {
                let (name, span) = (declared.name.clone(), declared.name.span);
                self.interface(&ast::InterfaceRef { name, arguments: Vec::new(), span }, ABOVE);
            }
            _ => {}
        }
    }
}

fn empty_layer(span: Span) -> ast::Layer {
    ast::Layer {
        docs: ast::Docs::default(),
        kind: ast::LayerKind::Worker,
        name: ast::Ident { name: String::new(), span },
        parameters: Vec::new(),
        above: None,
        over: Vec::new(),
        members: Vec::new(),
        span,
    }
}
