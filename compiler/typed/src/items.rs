//! Items outside of layers, checked whether or not something uses them.

use nacre_diagnostics::{Diagnostic, SourceId, Span};
use nacre_syntax::ast::{self, Item};

use crate::checker::Checker;
use crate::fragment::ABOVE;
use crate::program::Program;

impl Program {
    /// Checks the constants, structs, enums, interfaces, filters and functions in C of every file.
    pub fn check_items(&self) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = Vec::new();
        for (at, file) in self.files().iter().enumerate() {
            // The items are resolved as in a layer of their file.
            let user = empty_layer(Span { file: SourceId(at as u32), start: 0, end: 0 });
            let mut checker = Checker::new(self, &user);
            checker.global_constants();
            file.items.iter().for_each(|item| checker.item(item));
            found.extend(checker.found.into_iter().filter(|d| !found.contains(d)).collect::<Vec<_>>());
        }
        found
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
