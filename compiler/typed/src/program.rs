//! All files of a program: what is declared where, and what the language does not have yet.

use std::collections::HashMap;

use nacre_diagnostics::{Diagnostic, Span};
use nacre_syntax::ast::{self, Item};

use crate::layer::Checker;
use crate::{Fragment, Variation};

/// The items of all files, by name. Names are one space: an import makes all of a file visible.
pub struct Program {
    files: Vec<ast::File>,
    names: HashMap<String, (usize, usize)>,
}

impl Program {
    /// Collects the items; finds names that are declared twice and constructs that are not built yet.
    pub fn new(files: Vec<ast::File>) -> (Program, Vec<Diagnostic>) {
        let mut program = Program { files: Vec::new(), names: HashMap::new() };
        let mut found = Vec::new();
        for (f, file) in files.iter().enumerate() {
            for import in &file.imports {
                if let Some(alias) = &import.alias {
                    found.push(not_built("imports under another name", alias.span));
                }
            }
            for (i, item) in file.items.iter().enumerate() {
                if let Some((what, span)) = unbuilt(item) {
                    found.push(not_built(what, span));
                }
                let Some(name) = item_name(item) else { continue };
                if let Some(&(g, j)) = program.names.get(&name.name) {
                    let before = item_name(&files[g].items[j]).map(|n| n.span).unwrap_or_default();
                    found.push(
                        Diagnostic::error("T0001", format!("`{}` is declared twice", name.name))
                            .at(name.span, "declared again here")
                            .also(before, "it was declared here first")
                            .because("all files of a program share one space of names")
                            .help("give one of them another name"),
                    );
                } else {
                    program.names.insert(name.name.clone(), (f, i));
                }
            }
        }
        program.files = files;
        (program, found)
    }

    pub fn files(&self) -> &[ast::File] {
        &self.files
    }

    pub(crate) fn item(&self, name: &str) -> Option<&Item> {
        let &(f, i) = self.names.get(name)?;
        Some(&self.files[f].items[i])
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        self.files.iter().flat_map(|f| &f.items)
    }

    /// All items of a kind, in order of declaration.
    fn all<'a, T: 'a>(&'a self, pick: impl Fn(&'a Item) -> Option<&'a T> + 'a) -> impl Iterator<Item = &'a T> + 'a {
        self.files.iter().flat_map(|f| &f.items).filter_map(pick)
    }

    pub fn layers(&self) -> impl Iterator<Item = &ast::Layer> {
        self.all(|i| if let Item::Layer(l) = i { Some(l) } else { None })
    }

    pub fn stacks(&self) -> impl Iterator<Item = &ast::Stack> {
        self.all(|i| if let Item::Stack(s) = i { Some(s) } else { None })
    }

    pub fn tests(&self) -> impl Iterator<Item = &ast::Test> {
        self.all(|i| if let Item::Test(t) = i { Some(t) } else { None })
    }

    pub fn stack(&self, name: &str) -> Option<&ast::Stack> {
        match self.item(name) {
            Some(Item::Stack(stack)) => Some(stack),
            _ => None,
        }
    }

    /// Checks one layer with these arguments, and lowers it. Parameters that are neither given nor have a default are an error;
    /// with `generic` they get the value 1, to check a layer by itself.
    pub fn instantiate(
        &self,
        layer: &ast::LayerRef,
        generic: bool,
    ) -> Result<(Fragment, Vec<Diagnostic>), Vec<Diagnostic>> {
        self.instantiate_with(layer, generic, &Variation::default())
    }

    fn instantiate_with(
        &self,
        layer: &ast::LayerRef,
        generic: bool,
        variation: &Variation,
    ) -> Result<(Fragment, Vec<Diagnostic>), Vec<Diagnostic>> {
        let Some(Item::Layer(declared)) = self.item(&layer.name.name) else {
            return Err(vec![self.unknown_layer(&layer.name)]);
        };
        let layer = variation.applied(declared, layer);
        let mut checker = Checker::new(self, declared);
        checker.sequence_bits = variation.sequence_bits.map(u32::from);
        checker.run(&layer.arguments, layer.span, generic)
    }

    /// The layers of a stack, top first.
    pub fn fragments(&self, stack: &ast::Stack) -> Result<(Vec<Fragment>, Vec<Diagnostic>), Vec<Diagnostic>> {
        self.fragments_with(stack, &Variation::default())
    }

    /// The same, with other parameters than the source gives.
    pub fn fragments_with(
        &self,
        stack: &ast::Stack,
        variation: &Variation,
    ) -> Result<(Vec<Fragment>, Vec<Diagnostic>), Vec<Diagnostic>> {
        let ast::StackBody::Layers(layers) = &stack.body else {
            return Err(vec![not_built("stacks by property", stack.name.span)]);
        };
        if stack.members.is_some() {
            return Err(vec![not_built("stacks for groups", stack.name.span)]);
        }
        let (mut fragments, mut errors, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        for layer in layers {
            match self.instantiate_with(layer, false, variation) {
                Ok((fragment, more)) => {
                    fragments.push(fragment);
                    warnings.extend(more);
                }
                Err(more) => errors.extend(more.into_iter().filter(|d| !errors.contains(d)).collect::<Vec<_>>()),
            }
        }
        if errors.is_empty() {
            Ok((fragments, warnings))
        } else {
            Err(errors)
        }
    }

    /// Checks every layer by itself, with the defaults of its parameters.
    pub fn check_layers(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for layer in self.layers() {
            if layer.kind != ast::LayerKind::Worker {
                continue;
            }
            let reference = ast::LayerRef { name: layer.name.clone(), arguments: Vec::new(), span: layer.span };
            match self.instantiate(&reference, true) {
                Ok((_, warnings)) => found.extend(warnings),
                Err(errors) => found.extend(errors),
            }
        }
        found
    }

    fn unknown_layer(&self, name: &ast::Ident) -> Diagnostic {
        let known: Vec<&str> = self.layers().map(|l| l.name.name.as_str()).collect();
        let found =
            Diagnostic::error("T0002", format!("there is no layer `{}`", name.name)).at(name.span, "not declared");
        match nearest(&name.name, &known) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found.help("declare it, or import the file that does: import \"path/to/layer.nacre\";"),
        }
    }
}

/// The name that differs least from what was written, if it is near.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|k| (distance(name, k), *k)).min()?;
    (near.0 <= name.len().max(3) / 3).then_some(near.1)
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

fn item_name(item: &Item) -> Option<&ast::Ident> {
    Some(match item {
        Item::Layer(x) => &x.name,
        Item::Interface(x) => &x.name,
        Item::Struct(x) => &x.name,
        Item::Enum(x) => &x.name,
        Item::Wire(x) => &x.name,
        Item::Filter(x) => &x.name,
        Item::Automaton(x) => &x.name,
        Item::Configuration(x) => &x.name,
        Item::Property(x) => &x.name,
        Item::Extern(x) => &x.name,
        Item::Const(x) => &x.name,
        Item::Stack(x) => &x.name,
        Item::Graph(x) => &x.name,
        Item::Test(_) => return None,
    })
}

fn unbuilt(item: &Item) -> Option<(&'static str, Span)> {
    Some(match item {
        Item::Layer(l) if l.kind == ast::LayerKind::Multiplexor => ("multiplexors", l.name.span),
        Item::Layer(l) if l.kind == ast::LayerKind::Router => ("routers", l.name.span),
        Item::Wire(w) => ("wire formats", w.name.span),
        Item::Graph(g) => ("graphs", g.name.span),
        Item::Stack(s) if matches!(s.body, ast::StackBody::For { .. }) => ("stacks by property", s.name.span),
        Item::Stack(s) if s.members.is_some() => ("stacks for groups", s.name.span),
        _ => return None,
    })
}

/// The one line for what the language has and the tools do not yet.
pub(crate) fn not_built(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0003", format!("{what}: this is not built yet"))
        .at(span, "parsed, but nothing can be made of it yet")
}
