//! Declarations outside of layers, checked whether or not a layer uses them; structs and enums.

use nacre_diagnostics::{Diagnostic, SourceId, Span};
use nacre_stack::{Direction, Enum, EnumId, Parameter, Struct, StructId, Type};
use nacre_syntax::ast::{self, Item};

use crate::checker::{Checker, Declared};
use crate::program::Program;

/// The greatest depth of nested structs.
const DEEPEST_STRUCT: usize = 64;

/// A file that no program has: the layer that stands for "no layer" sees no declaration as its own.
const NOWHERE: Span = Span { file: SourceId(u32::MAX), start: 0, end: 0 };

impl Program {
    /// Checks the constants, structs, enums, interfaces, functions in C and filters of all files. A layer that uses a
    /// wrong declaration reports the same diagnostics.
    pub fn check_declarations(&self) -> Vec<Diagnostic> {
        let nothing = ast::Layer {
            docs: Vec::new(),
            kind: ast::LayerKind::Worker,
            name: ast::Ident { name: String::new(), span: NOWHERE },
            parameters: Vec::new(),
            above: None,
            over: Vec::new(),
            members: Vec::new(),
            span: NOWHERE,
        };
        let mut checker = Checker::new(self, &nothing);
        checker.global_constants();
        self.items().for_each(|item| checker.declaration(item));
        checker.diagnostics()
    }
}

impl<'p> Checker<'p> {
    fn declaration(&mut self, item: &'p Item) {
        match item {
            Item::Struct(declared) => {
                if let Some(key) = self.program.find(&declared.name.name, declared.name.span).map(|n| n.key()) {
                    self.declare_struct(key, declared);
                }
            }
            Item::Enum(declared) => {
                self.enum_named(&declared.name.name, declared.name.span);
            }
            Item::Interface(declared) => self.interface_alone(declared),
            Item::Extern(declared) => {
                self.extern_named(&declared.name.name, declared.name.span);
            }
            Item::Filter(declared) => {
                self.filter_named(&declared.name);
            }
            // The other items are checked by themselves; constants were, all together.
            Item::Const(_) | Item::Layer(_) | Item::Automaton(_) | Item::Property(_) => {}
            Item::Stack(_) | Item::Configuration(_) | Item::Test(_) | Item::Wire(_) | Item::Graph(_) => {}
        }
    }

    /// Checks the events of an interface; its type parameters are addresses.
    fn interface_alone(&mut self, declared: &ast::Interface) {
        self.once(declared.parameters.iter());
        self.names_of_events(declared);
        self.type_parameters.extend(declared.parameters.iter().map(|p| (p.name.clone(), Type::Addr)));
        for event in &declared.events {
            match event.direction {
                ast::EventDirection::Up => drop(self.event(event, Direction::Up)),
                ast::EventDirection::Down => drop(self.event(event, Direction::Down)),
                // Layers that use the interface report them as not built.
                ast::EventDirection::Turn => {}
            }
        }
        self.type_parameters.clear();
    }

    /// Reports structs that contain each other, at the one declared first: wherever the search began.
    fn recursive_struct(&mut self, from: usize) {
        let cycle = self.declaring[from..].iter().map(|(_, name)| *name);
        if let Some(name) = cycle.min_by_key(|name| (name.span.file, name.span.start)) {
            self.error("T0113", format!("`{}` contains itself", name.name), name.span, "recursive", "");
        }
    }

    pub(crate) fn declare_struct(&mut self, key: String, s: &'p ast::Struct) -> Option<StructId> {
        if self.struct_ids.contains_key(&key) {
            return self.struct_ids.get(&key).copied();
        }
        if let Some(at) = self.declaring.iter().position(|(other, _)| *other == key) {
            self.recursive_struct(at);
            return None;
        }
        if self.declaring.len() >= DEEPEST_STRUCT {
            let what = format!("structs contain each other over more than {DEEPEST_STRUCT} levels");
            self.error("T0113", what, s.name.span, "the innermost allowed", "merge some of them");
            return None;
        }
        self.once(s.fields.iter().map(|f| &f.name));
        self.declaring.push((key.clone(), &s.name));
        let mut fields = Vec::new();
        for field in &s.fields {
            let Some(ty) = &field.ty else { continue };
            if let Some(role) = &field.role {
                self.misplaced_role(role);
            }
            match self.resolve(ty) {
                Some(ty) => fields.push(Parameter { name: field.name.name.clone(), ty }),
                None => drop(self.unsound.insert(Declared::Field(field.name.name.clone()))),
            }
        }
        self.declaring.pop();
        self.note_struct(&fields);
        let id = StructId(self.tree.structs.len() as u32);
        self.tree.structs.push(Struct { name: s.name.name.clone(), fields });
        self.struct_ids.insert(key, id);
        Some(id)
    }

    pub(crate) fn declare_enum(&mut self, key: String, e: &ast::Enum) -> EnumId {
        self.once(e.variants.iter());
        let id = EnumId(self.tree.enums.len() as u32);
        self.tree
            .enums
            .push(Enum { name: e.name.name.clone(), variants: e.variants.iter().map(|v| v.name.clone()).collect() });
        self.enum_ids.insert(key, id);
        id
    }
}
