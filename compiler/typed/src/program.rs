//! All files of a program: what is declared where, and what the language does not have yet.

use std::collections::HashMap;

use nacre_diagnostics::{counted, nearest, Diagnostic, SourceId, Span};
use nacre_stack::why_no_prefix;
use nacre_syntax::ast::{self, Item};

/// The items of all files, by name.
///
/// Files that are joined by imports without a name share one space of names. What is imported under a name is a space
/// of its own, seen by the importing file alone, through that name.
pub struct Program {
    files: Vec<ast::File>,
    /// The items of the files that the program begins with, and of what they import without a name.
    names: Names,
    /// For each file: the names that it sees if it is not part of that space.
    seen: Vec<Names>,
    /// Which files are in the first space.
    first: Vec<bool>,
}

/// File and item, by name.
type Names = HashMap<String, (usize, usize)>;

/// The meaning of a name.
#[derive(Clone, Copy)]
pub(crate) struct Named<'p> {
    pub item: &'p Item,
    file: usize,
}

impl Named<'_> {
    /// Distinguishes items of one name; it differs from all names in layers.
    pub fn key(&self) -> String {
        format!("{}#{}", item_name(self.item).map_or("", |n| &n.name), self.file)
    }
}

impl Program {
    /// Collects the items; finds names that are declared twice and constructs that are not built yet.
    pub fn new(files: Vec<ast::File>) -> (Program, Vec<Diagnostic>) {
        let all = vec![true; files.len()];
        Program::beginning(files, &all)
    }

    /// The same, where the program begins with some of the files and the others are what these import. The imports'
    /// files are given by their place among `files`, which is that of their texts in the sources.
    pub fn beginning(files: Vec<ast::File>, begins: &[bool]) -> (Program, Vec<Diagnostic>) {
        let mut found = Vec::new();
        for item in files.iter().flat_map(|f| &f.items) {
            found.extend(unbuilt(item).map(|(what, span)| not_built(what, span)));
        }
        found.extend(files.iter().flat_map(|f| &f.items).filter_map(not_in_c));
        let roots = (0..files.len()).filter(|f| begins.get(*f).copied().unwrap_or(true));
        let first = joined(&files, roots.collect());
        let names = space(&files, &first, &mut found);
        let mut seen = Vec::new();
        for (file, is_first) in first.iter().enumerate() {
            let named = |i: &ast::Import| i.alias.is_some() && i.file.is_some_and(|f| f.0 as usize == file);
            let entered = files.iter().flat_map(|f| &f.imports).any(named);
            let mut doubles = Vec::new();
            seen.push(if *is_first && !entered {
                Names::new()
            } else {
                space(&files, &joined(&files, vec![file]), &mut doubles)
            });
            found.extend(doubles.into_iter().filter(|d| !found.contains(d)).collect::<Vec<_>>());
        }
        (Program { files, names, seen, first }, found)
    }

    /// Returns the syntax trees of all files.
    pub fn files(&self) -> &[ast::File] {
        &self.files
    }

    /// A file, and all that it imports, themselves or through others.
    pub(crate) fn with_imports(&self, file: SourceId) -> Vec<SourceId> {
        let mut all = vec![file];
        let mut at = 0;
        while let Some(next) = all.get(at).and_then(|file| self.files.get(file.0 as usize)) {
            let new = next.imports.iter().filter_map(|i| i.file).collect::<Vec<_>>();
            new.into_iter().for_each(|file| {
                if !all.contains(&file) {
                    all.push(file)
                }
            });
            at += 1;
        }
        all
    }

    /// Resolves a name in its file: `frag`, or `net.frag` of the file that is imported as `net`.
    pub(crate) fn find(&self, name: &str, at: Span) -> Option<Named<'_>> {
        let here = at.file.0 as usize;
        let (names, name) = match name.split_once('.') {
            Some((alias, name)) => (&self.seen[self.imported(alias, here)?], name),
            None if self.first.get(here).copied().unwrap_or(true) => (&self.names, name),
            None => (&self.seen[here], name),
        };
        let &(file, item) = names.get(name)?;
        Some(Named { item: &self.files[file].items[item], file })
    }

    /// The file that another one imports under a name.
    fn imported(&self, alias: &str, file: usize) -> Option<usize> {
        let is = |i: &&ast::Import| i.alias.as_ref().is_some_and(|a| a.name == alias);
        let import = self.files.get(file)?.imports.iter().find(is)?;
        import.file.map(|f| f.0 as usize).filter(|f| *f < self.files.len())
    }

    /// The names of the items of a kind that may stand where something else does: of this file, or of the import meant.
    pub(crate) fn known(&self, name: &str, at: Span, kind: impl Fn(&Item) -> bool) -> Vec<String> {
        let here = at.file.0 as usize;
        let alias = name.split_once('.').map(|(alias, _)| alias);
        let names = match alias {
            Some(alias) => self.imported(alias, here).map(|f| &self.seen[f]),
            None if self.first.get(here).copied().unwrap_or(true) => Some(&self.names),
            None => self.seen.get(here),
        };
        let of_kind = names.into_iter().flatten().filter(|(_, &(f, i))| kind(&self.files[f].items[i]));
        let mut known: Vec<String> =
            of_kind.map(|(name, _)| alias.map_or(name.clone(), |alias| format!("{alias}.{name}"))).collect();
        known.sort();
        known
    }

    /// What a name stands for that the user of the program gives: of the first space, else where a file sees it first.
    pub(crate) fn item(&self, name: &str) -> Option<&Item> {
        let places = (0..self.files.len() as u32).map(|f| Span { file: SourceId(f), start: 0, end: 0 });
        let first = self.names.get(name).map(|&(f, i)| &self.files[f].items[i]);
        first.or_else(|| places.filter_map(|at| self.find(name, at)).map(|n| n.item).next())
    }

    /// Returns the items of all files.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        self.files.iter().flat_map(|f| &f.items)
    }

    /// All items of a kind, in order of declaration.
    fn all<'a, T: 'a>(&'a self, pick: impl Fn(&'a Item) -> Option<&'a T> + 'a) -> impl Iterator<Item = &'a T> + 'a {
        self.files.iter().flat_map(|f| &f.items).filter_map(pick)
    }

    /// Returns the layers that all files declare.
    pub fn layers(&self) -> impl Iterator<Item = &ast::Layer> {
        self.all(|i| if let Item::Layer(l) = i { Some(l) } else { None })
    }

    /// The stacks of the files that the program begins with, and of what these import without a name.
    pub fn stacks(&self) -> impl Iterator<Item = &ast::Stack> {
        self.first(|i| if let Item::Stack(s) = i { Some(s) } else { None })
    }

    /// The tests of the same files.
    pub fn tests(&self) -> impl Iterator<Item = &ast::Test> {
        self.first(|i| if let Item::Test(t) = i { Some(t) } else { None })
    }

    /// Those of the files that the program begins with, and of what these import without a name.
    pub(crate) fn first<'a, T: 'a>(
        &'a self,
        pick: impl Fn(&'a Item) -> Option<&'a T> + 'a,
    ) -> impl Iterator<Item = &'a T> + 'a {
        let files = self.files.iter().zip(&self.first).filter(|(_, first)| **first);
        files.flat_map(|(f, _)| &f.items).filter_map(pick)
    }

    /// One of [`Program::stacks`].
    pub fn stack(&self, name: &str) -> Option<&ast::Stack> {
        let &(f, i) = self.names.get(name)?;
        match &self.files[f].items[i] {
            Item::Stack(stack) => Some(stack),
            _ => None,
        }
    }

    /// The report of a layer that is not there.
    pub(crate) fn unknown_layer(&self, name: &ast::Ident) -> Diagnostic {
        let known = self.known(&name.name, name.span, |i| matches!(i, Item::Layer(_)));
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let found =
            Diagnostic::error("T0002", format!("there is no layer `{}`", name.name)).at(name.span, "not declared");
        match nearest(&name.name, &known) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found.help("declare it, or import the file that does: import \"path/to/layer.nacre\";"),
        }
    }
}

/// These files and what they import without a name.
fn joined(files: &[ast::File], mut waiting: Vec<usize>) -> Vec<bool> {
    let mut is = vec![false; files.len()];
    while let Some(file) = waiting.pop() {
        if file < files.len() && !std::mem::replace(&mut is[file], true) {
            let plain = files[file].imports.iter().filter(|i| i.alias.is_none());
            waiting.extend(plain.filter_map(|i| i.file).map(|f| f.0 as usize));
        }
    }
    is
}

/// With more names than these declared twice in the same two files, only the first is reported.
const MANY: usize = 3;

/// The names of some files together.
fn space(files: &[ast::File], which: &[bool], found: &mut Vec<Diagnostic>) -> Names {
    let mut names = Names::new();
    let mut twice: Vec<((usize, usize), Vec<&ast::Ident>)> = vec![];
    for (f, file) in files.iter().enumerate().filter(|(f, _)| which[*f]) {
        for (i, item) in file.items.iter().enumerate() {
            let Some(name) = item_name(item) else { continue };
            let Some(&(g, _)) = names.get(&name.name) else {
                names.insert(name.name.clone(), (f, i));
                continue;
            };
            match twice.iter_mut().find(|(files, _)| *files == (f, g)) {
                Some((_, again)) => again.push(name),
                None => twice.push(((f, g), vec![name])),
            }
        }
    }
    for ((_, g), again) in twice {
        let first = |name: &ast::Ident| files[g].items.iter().filter_map(item_name).find(|n| n.name == name.name);
        let told = if again.len() > MANY { 1 } else { again.len() };
        for name in &again[..told] {
            let twice = Diagnostic::error("T0001", format!("`{}` is declared twice", name.name))
                .at(name.span, "declared again here")
                .also(first(name).map(|n| n.span).unwrap_or_default(), "it was declared here first")
                .because("files that import each other share one namespace");
            found.push(match told < again.len() {
                true => {
                    let others = counted(again.len() as u64 - 1, "more name");
                    twice.help(format!("so are {others} of the same two files: import only one of them"))
                }
                false => twice.help("give one of them another name, or one of the files: import \"...\" as name;"),
            });
        }
    }
    names
}

pub(crate) fn item_name(item: &Item) -> Option<&ast::Ident> {
    Some(match item {
        Item::Layer(x) => &x.name,
        Item::Interface(x) => &x.name,
        Item::Struct(x) => &x.name,
        Item::Enum(x) => &x.name,
        Item::Wire(x) => &x.name,
        Item::Filter(x) => &x.name,
        Item::Automaton(x) => &x.name,
        Item::Property(x) => &x.name,
        Item::Extern(x) => &x.name,
        Item::Const(x) => &x.name,
        Item::Stack(x) => &x.name,
        Item::Graph(x) => &x.name,
        // A configuration's name is one of its subject's.
        Item::Test(_) | Item::Configuration(_) => return None,
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
    Diagnostic::error("T0003", format!("{what}: this is not built yet")).at(span, "parsed, but not supported yet")
}

/// Reports a stack whose name cannot be the prefix of names in C.
fn not_in_c(item: &Item) -> Option<Diagnostic> {
    let Item::Stack(ast::Stack { name, .. }) = item else { return None };
    let why = why_no_prefix(&name.name)?;
    let text = format!("a stack cannot be called `{}`: {why}", name.name);
    Some(Diagnostic::error("T0182", text).at(name.span, "the prefix of all names in its C"))
}
