//! The imports between the files of a crate have no cycles.
//!
//! An import is a `use` or a path that begins with `crate`, `self` or `super`. It leads to the file that declares the
//! name, not to one that only re-exports it (`pub use`), so a crate's root may re-export the declarations of its files.
//! Names imported by a `*` are resolved by name, also in arguments of macros. Tests inside files do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nacre_tests::{files, root};
use syn::visit::{self, Visit};

/// The maximum number of parts of a path to a name of a crate.
const LONGEST_PATH: usize = 8;

/// A file as a module.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// The names that it declares.
    items: BTreeSet<String>,
    /// The names that it imports by `use`, with their paths; `*` for all of a module.
    uses: Vec<(String, Vec<String>)>,
    /// The paths that it reads, from the crate's root.
    reads: Vec<Vec<String>>,
    /// Paths that begin with one of its own modules, or lead out of the crate.
    relative: Vec<Vec<String>>,
    /// The first parts of all other paths: names that a `*` may import.
    names: BTreeSet<String>,
}

/// Modules by path from the crate's root.
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
    /// Returns a path from the crate's root; none: it leads out of the crate, or begins with a local name.
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
            // The module's own submodules need no `self`.
            None => ([&self.here[..], &path[..]].concat(), &mut self.module.relative),
        };
        // Of an imported module, only the names that occur are read.
        if !public && name.as_deref() != Some("*") {
            list.push(path.clone());
        }
        self.module.uses.extend(name.map(|name| (name, path)));
    }
}

/// Every name and path in the arguments of a macro.
fn words(made: &syn::Macro) -> Vec<String> {
    let text = made.tokens.to_string().replace(" :: ", "::");
    let words = text.split(|c: char| !c.is_alphanumeric() && !['_', ':'].contains(&c));
    words.map(|word| word.trim_matches(':')).filter(|word| !word.is_empty()).map(String::from).collect()
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
        if let (syn::Item::Macro(made), None) = (item, name) {
            // A macro may declare the names in its arguments.
            self.module.items.extend(words(&made.mac).into_iter().filter(|w| w.starts_with(char::is_uppercase)));
        }
        visit::visit_item(self, item);
    }

    /// `pub(super)` states who sees an item; it reads nothing.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.path(&path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>());
        visit::visit_path(self, path);
    }

    /// Every path in the arguments of a macro.
    fn visit_macro(&mut self, made: &'a syn::Macro) {
        for word in words(made) {
            self.path(&word.split("::").map(String::from).collect::<Vec<_>>());
        }
        visit::visit_macro(self, made);
    }
}

impl Reader {
    fn path(&mut self, parts: &[String]) {
        match self.absolute(parts) {
            Some(path) => self.module.reads.push(path),
            None => {
                self.module.names.extend(parts.first().cloned());
                // A single part is not a module but a local.
                if parts.len() > 1 {
                    self.module.relative.push([&self.here[..], parts].concat());
                }
            }
        }
    }
}

/// Returns the file that declares the name of a path; for a re-exported name, the file that declares it.
fn declared<'a>(modules: &'a Modules, path: &[String]) -> Option<&'a Path> {
    let (module, _) = module_of(modules, path)?;
    found(modules, path, &mut BTreeSet::new()).or(Some(&module.file))
}

/// Returns the module that contains a path, and the length of the module's own path.
fn module_of<'a>(modules: &'a Modules, path: &[String]) -> Option<(&'a Module, usize)> {
    (0..=path.len()).rev().find_map(|length| Some((modules.get(&path[..length])?, length)))
}

/// Returns the file of the crate that declares the name of a path, if there is one.
fn found<'a>(modules: &'a Modules, path: &[String], seen: &mut BTreeSet<Vec<String>>) -> Option<&'a Path> {
    let (module, length) = module_of(modules, path)?;
    let Some((name, rest)) = path[length..].split_first() else { return Some(&module.file) };
    if module.items.contains(name) {
        return Some(&module.file);
    }
    // Names of other crates only make the path longer.
    if path.len() > LONGEST_PATH || !seen.insert(path.to_vec()) {
        return None;
    }
    let named = module.uses.iter().filter(|(known, _)| known == name).map(|(_, path)| [&path[..], rest].concat());
    let globs = module.uses.iter().filter(|(known, _)| known == "*");
    let globs = globs.map(|(_, path)| [&path[..], std::slice::from_ref(name), rest].concat());
    named.chain(globs).find_map(|path| found(modules, &path, seen))
}

/// For each file, the files whose declarations it reads.
fn imports(modules: &Modules) -> BTreeMap<&Path, BTreeSet<&Path>> {
    let each = modules.iter().map(|(here, module)| {
        let own = |path: &&Vec<String>| modules.contains_key(&path[..here.len() + 1]);
        let read = module.reads.iter().chain(module.relative.iter().filter(own));
        let read = read.filter_map(|path| declared(modules, path));
        let named = |name: &&String| !module.items.contains(*name) && module.uses.iter().all(|(own, _)| own != *name);
        let globs = module.uses.iter().filter(|(name, _)| name == "*");
        let all = globs.flat_map(|(_, path)| {
            let names = module.names.iter().filter(named);
            names.filter_map(move |name| {
                found(modules, &[&path[..], std::slice::from_ref(name)].concat(), &mut BTreeSet::new())
            })
        });
        let read = read.chain(all);
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

/// Returns every cycle of a crate: its files, each with its imports in the cycle.
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
    let mut wrong = vec![];
    for manifest in files(&root(), "Cargo.toml") {
        let folder = manifest.parent().expect("a folder");
        let source = folder.join("src");
        if !source.is_dir() {
            continue;
        }
        let name = folder.strip_prefix(root()).unwrap_or(folder).display().to_string();
        let found = cycles(&modules(&source));
        if !found.is_empty() {
            wrong.push(format!("{name}: {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
    write("c/inner.rs", "use crate::*; pub fn down() {}");
    assert_eq!(names(), [0; 0], "a `*` alone imports nothing");
    write("c/inner.rs", "use crate::*; pub fn down() -> C { panic!() }");
    assert_eq!(names(), [2], "a name that comes with a `*`");
    write("c/inner.rs", "use crate::*; pub fn down() { let _ = vec![C]; }");
    assert_eq!(names(), [2], "a name in what a macro is given");
    write("c/inner.rs", "ids! { C } use crate::*; pub fn down() -> C { panic!() }");
    assert_eq!(names(), [0; 0], "a name that a macro declares");
}
