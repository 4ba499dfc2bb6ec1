//! The names under which code writes the kinds: imports of variants, other names of the enums, and `Self`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::root;

/// The files that declare the enums whose variants are the constructs of the IR, and the answers of
/// `nacre_stack::questions`.
const DECLARED: [(&str, &[&str]); 3] = [
    ("compiler/stack/src/code.rs", &["StatementKind"]),
    ("compiler/stack/src/expressions.rs", &["ExprKind"]),
    ("compiler/stack/src/questions.rs", &["Access", "Control", "Reaches"]),
];

/// The variants of each of these enums.
static KINDS: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).expect("readable");
    let files = DECLARED.map(|(file, names)| (syn::parse_file(&read(file)).expect("Rust"), names));
    let kinds =
        files.iter().flat_map(|(file, names)| names.iter().map(|name| (name.to_string(), variants(file, name))));
    kinds.collect()
});

fn variants(file: &syn::File, name: &str) -> BTreeSet<String> {
    let mut enums = file.items.iter().filter_map(|item| match item {
        syn::Item::Enum(declared) if declared.ident == name => Some(declared),
        _ => None,
    });
    let declared = enums.next().expect("declared in this file");
    declared.variants.iter().map(|variant| variant.ident.to_string()).collect()
}

/// The names of kinds in a scope.
#[derive(Clone)]
pub struct Names {
    /// The enums, by their names here.
    enums: BTreeMap<String, String>,
    /// The variants that can be written without their enum.
    variants: BTreeMap<String, String>,
}

impl Default for Names {
    fn default() -> Names {
        Names { enums: KINDS.keys().map(|name| (name.clone(), name.clone())).collect(), variants: BTreeMap::new() }
    }
}

impl Names {
    /// The kind that a path in a pattern is.
    pub fn kind(&self, path: &syn::Path) -> Option<String> {
        match &path.segments.iter().collect::<Vec<_>>()[..] {
            [variant] => self.variant(&variant.ident),
            [.., of, variant] if self.enums.contains_key(&of.ident.to_string()) => Some(variant.ident.to_string()),
            _ => None,
        }
    }

    /// The kind that a name in a pattern is, unless it is bound by the pattern.
    pub fn variant(&self, name: &syn::Ident) -> Option<String> {
        self.variants.get(&name.to_string()).cloned()
    }

    /// Adds a name of a type, which is that of an enum or of no kind.
    pub fn rename(&mut self, name: &str, of: &str) {
        if let Some(of) = self.enums.get(of).cloned() {
            self.enums.insert(name.into(), of);
        }
    }

    /// Adds what the `use` imports, also in the middle of a path.
    pub fn import(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => match self.enums.get(&path.ident.to_string()).cloned() {
                Some(of) => self.import_variants(&of, &path.tree),
                None => self.import(&path.tree),
            },
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree)),
            syn::UseTree::Rename(new) => self.rename(&new.rename.to_string(), &new.ident.to_string()),
            syn::UseTree::Name(_) | syn::UseTree::Glob(_) => {}
        }
    }

    fn import_variants(&mut self, of: &str, tree: &syn::UseTree) {
        let mut add = |name: &syn::Ident, variant: &syn::Ident| {
            self.variants.insert(name.to_string(), variant.to_string());
        };
        match tree {
            syn::UseTree::Name(name) => add(&name.ident, &name.ident),
            syn::UseTree::Rename(new) => add(&new.rename, &new.ident),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import_variants(of, tree)),
            syn::UseTree::Glob(_) => self.variants.extend(KINDS[of].iter().map(|name| (name.clone(), name.clone()))),
            syn::UseTree::Path(_) => {}
        }
    }
}
