//! No two files of a crate import each other, over however many others.
//!
//! An import is a `use` or a path that begins with `crate`, `self` or `super`. It leads to the file that declares the name, not to one that
//! only exports it again (`pub use`), so a crate's root may gather what its files declare. Tests inside of files do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nacre_tests::{files, root};
use syn::visit::{self, Visit};

/// How many files of a crate still are in cycles, most of them a module and what is inside of it. Only ever make these smaller.
const KNOWN: &[(&str, usize)] = &[("cli", 9), ("tests", 4)];

/// A file as a module.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// Names that it declares.
    items: BTreeSet<String>,
    /// Names that it has by a `use`, with their paths; `*` for all of a module.
    uses: Vec<(String, Vec<String>)>,
    /// Paths that it reads, from the crate's root.
    reads: Vec<Vec<String>>,
    /// Paths that begin with a module of its own, or lead out of the crate.
    relative: Vec<Vec<String>>,
}

/// By path from the crate's root.
type Modules = BTreeMap<Vec<String>, Module>;

fn modules(source: &Path) -> Modules {
    let mut modules = Modules::new();
    for file in files(source, ".rs") {
        let relative = file.strip_prefix(source).expect("inside").with_extension("");
        let mut path: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        match path.last().map(String::as_str) {
            Some("mod") => drop(path.pop()),
            Some("lib" | "main") if path.len() == 1 => path.clear(),
            _ if path[0] == "bin" => continue,
            _ => {}
        }
        let text = std::fs::read_to_string(&file).expect("readable");
        let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut reader = Reader { here: path.clone(), module: Module { file, ..Module::default() } };
        reader.visit_file(&syntax);
        modules.insert(path, reader.module);
    }
    modules
}

struct Reader {
    here: Vec<String>,
    module: Module,
}

impl Reader {
    /// A path from the crate's root; none: it leads out of the crate, or is a name of its own.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut from = self.here.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (from, rest) = (vec![], &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    from.pop();
                    rest = &rest[1..];
                }
            }
            _ => return None,
        }
        from.extend(rest.iter().cloned());
        Some(from)
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &[String], public: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let (name, path) = match tree {
            syn::UseTree::Path(path) => return self.tree(&path.tree, &with(&path.ident), public),
            syn::UseTree::Group(group) => return group.items.iter().for_each(|tree| self.tree(tree, before, public)),
            syn::UseTree::Name(name) if name.ident == "self" => return self.used(None, before.to_vec(), public),
            syn::UseTree::Name(name) => (name.ident.to_string(), with(&name.ident)),
            syn::UseTree::Rename(rename) => (rename.rename.to_string(), with(&rename.ident)),
            syn::UseTree::Glob(_) => ("*".to_string(), before.to_vec()),
        };
        self.used(Some(name), path, public);
    }

    fn used(&mut self, name: Option<String>, path: Vec<String>, public: bool) {
        let (path, list) = match self.absolute(&path) {
            Some(path) => (path, &mut self.module.reads),
            // A module of one's own needs no `self`.
            None => ([&self.here[..], &path[..]].concat(), &mut self.module.relative),
        };
        if !public {
            list.push(path.clone());
        }
        self.module.uses.extend(name.map(|name| (name, path)));
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| match &a.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

impl<'a> Visit<'a> for Reader {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let (name, attributes) = match item {
            syn::Item::Const(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Enum(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Fn(i) => (Some(&i.sig.ident), &i.attrs),
            syn::Item::Macro(i) => (i.ident.as_ref(), &i.attrs),
            syn::Item::Mod(i) => (None, &i.attrs),
            syn::Item::Static(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Struct(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Trait(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Type(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Use(i) => {
                let public = !matches!(i.vis, syn::Visibility::Inherited);
                return self.tree(&i.tree, &[], public);
            }
            _ => return visit::visit_item(self, item),
        };
        if is_test(attributes) {
            return;
        }
        self.module.items.extend(name.map(|name| name.to_string()));
        visit::visit_item(self, item);
    }

    /// `pub(super)` says who sees an item; it reads nothing.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        match self.absolute(&parts) {
            Some(path) => self.module.reads.push(path),
            None if parts.len() > 1 => self.module.relative.push([&self.here[..], &parts[..]].concat()),
            None => {}
        }
        visit::visit_path(self, path);
    }
}

/// The file that declares what a path names.
fn declared<'a>(modules: &'a Modules, path: &[String], steps: usize) -> Option<&'a Path> {
    let length = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]))?;
    let module = &modules[&path[..length]];
    let Some(name) = path.get(length) else { return Some(&module.file) };
    if module.items.contains(name) || steps == 0 {
        return Some(&module.file);
    }
    let rest = &path[length + 1..];
    let named = module.uses.iter().filter(|(known, _)| known == name);
    let named = named.map(|(_, path)| [&path[..], rest].concat());
    let through_all = module.uses.iter().filter(|(known, _)| known == "*");
    let through_all = through_all.map(|(_, path)| [&path[..], &path_of(name), rest].concat());
    let found = named.chain(through_all).find_map(|path| declares(modules, &path, steps - 1));
    found.or(Some(&module.file))
}

fn path_of(name: &str) -> [String; 1] {
    [name.to_string()]
}

/// The same, if the name is there.
fn declares<'a>(modules: &'a Modules, path: &[String], steps: usize) -> Option<&'a Path> {
    let length = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]))?;
    let module = &modules[&path[..length]];
    let Some(name) = path.get(length) else { return Some(&module.file) };
    let has = module.items.contains(name) || module.uses.iter().any(|(known, _)| known == name || known == "*");
    has.then(|| declared(modules, path, steps)).flatten()
}

/// By file, the files whose declarations it reads.
fn imports(modules: &Modules) -> BTreeMap<&Path, BTreeSet<&Path>> {
    let each = modules.iter().map(|(here, module)| {
        let own = |path: &&Vec<String>| modules.contains_key(&path[..here.len() + 1]);
        let read = module.reads.iter().chain(module.relative.iter().filter(own));
        let read = read.filter_map(|path| declared(modules, path, 8));
        (module.file.as_path(), read.filter(|file| *file != module.file).collect())
    });
    each.collect()
}

fn reached<'a>(imports: &BTreeMap<&'a Path, BTreeSet<&'a Path>>, from: &'a Path) -> BTreeSet<&'a Path> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(file) = next.pop() {
        next.extend(imports[file].iter().filter(|other| reached.insert(**other)));
    }
    reached
}

/// Every cycle of a crate: its files, each with those that it imports in the cycle.
fn cycles(modules: &Modules) -> BTreeSet<Vec<String>> {
    let imports = imports(modules);
    let reached: BTreeMap<&Path, _> = imports.keys().map(|file| (*file, reached(&imports, file))).collect();
    let name = |file: &Path| file.strip_prefix(root()).unwrap_or(file).display().to_string();
    let mut found = BTreeSet::new();
    for file in imports.keys().filter(|file| reached[**file].contains(**file)) {
        let inside = |other: &Path| reached[*file].contains(other) && reached[other].contains(*file);
        let line = |one: &&Path| {
            let others: Vec<String> = imports[*one].iter().filter(|o| inside(o)).map(|o| name(o)).collect();
            format!("{} imports {}", name(one), others.join(", "))
        };
        found.insert(imports.keys().filter(|other| inside(other)).map(line).collect());
    }
    found
}

#[test]
fn no_two_files_of_a_crate_import_each_other() {
    for manifest in files(&root(), "Cargo.toml") {
        let folder = manifest.parent().expect("a folder");
        let source = folder.join("src");
        if !source.is_dir() {
            continue;
        }
        let name = folder.strip_prefix(root()).unwrap_or(folder).display().to_string();
        let found = cycles(&modules(&source));
        let count = found.iter().map(Vec::len).sum::<usize>();
        let known = KNOWN.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count);
        assert!(count <= known, "{name}: {count} files import each other, {known} did: {found:#?}");
        assert!(count > 0 || known == 0, "{name} has no cycles any more: take it from the list");
    }
}

#[test]
fn cycles_are_found_through_groups_globs_and_what_is_exported_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write("lib.rs", "mod a; mod b; mod c; pub use a::A; pub use c::*; pub struct Root;");
    write("a.rs", "use crate::{b::B, Root}; pub struct A;");
    write("b.rs", "pub struct B; fn b() { crate::c::inner::down(); }");
    write("c.rs", "pub mod inner; pub struct C; #[cfg(test)] mod tests { use crate::A; }");
    let names = || -> Vec<usize> { cycles(&modules(folder.path())).iter().map(Vec::len).collect() };
    write("c/inner.rs", "use super::C; pub fn down() {}");
    assert_eq!(names(), [0; 0], "what the root exports again is not the root's");
    write("c/inner.rs", "pub(super) fn down() {} pub(crate) struct Inner { pub(super) n: u8 }");
    assert_eq!(names(), [0; 0], "who sees an item is no import");
    write("c/inner.rs", "use super::super::A; pub fn down() {}");
    assert_eq!(names(), [3], "a, b and c/inner");
    write("c/inner.rs", "pub fn down() -> crate::a::A { panic!() }");
    assert_eq!(names(), [3], "by a path");
    write("c/inner.rs", "pub fn down() -> crate::C { panic!() }");
    write("c.rs", "pub mod inner; use inner::down as down_there; use self::inner::down; pub struct C;");
    assert_eq!(names(), [2], "c and c/inner, through the root's `*`");
}
