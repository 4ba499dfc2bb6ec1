//! Reads a program: the files named first, and all that they import.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nacre_diagnostics::{Diagnostic, SourceId, Sources, Span};
use nacre_syntax::ast;

use crate::files;

/// The files read so far.
#[derive(Default)]
pub(crate) struct Loader {
    pub sources: Sources,
    /// The files read, and those that cannot be read.
    known: HashMap<PathBuf, Option<SourceId>>,
    /// By their index in the sources.
    pub files: Vec<ast::File>,
    pub found: Vec<Diagnostic>,
}

impl Loader {
    /// Reads a file and all that it imports, directly or through others.
    pub fn load(&mut self, path: &Path) -> Option<SourceId> {
        let first = self.read(path, None);
        self.load_imports(first.new);
        first.id
    }

    /// Reads text that is not in a file.
    pub fn load_text(&mut self, path: &Path, text: &str) -> SourceId {
        let (first, imports) = self.parse(path, path.to_path_buf(), text);
        self.load_imports(Some(imports));
        first
    }

    fn load_imports(&mut self, first: Option<Imports>) {
        let mut waiting: Vec<Imports> = first.into_iter().collect();
        while let Some(imports) = waiting.last_mut() {
            let Some((index, path, span)) = imports.next() else {
                waiting.pop();
                continue;
            };
            let importer = imports.of;
            let imported = self.read(&path, Some(span));
            self.files[importer.0 as usize].imports[index].file = imported.id;
            waiting.extend(imported.new);
        }
    }

    /// Reads one file, unless it was read before.
    fn read(&mut self, path: &Path, import: Option<Span>) -> Loaded {
        let canonical = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if let Some(known) = self.known.get(&canonical) {
            return Loaded { id: *known, new: None };
        }
        match files::read_text(path) {
            Ok(text) => {
                let (id, imports) = self.parse(path, canonical, &text);
                Loaded { id: Some(id), new: Some(imports) }
            }
            Err(why) => {
                self.known.insert(canonical, None);
                let found = Diagnostic::error("D0001", format!("cannot read `{}`: {why}", path.display()));
                self.found.push(match import {
                    Some(span) => found.at(span, "imported here"),
                    None => found,
                });
                Loaded { id: None, new: None }
            }
        }
    }

    fn parse(&mut self, path: &Path, canonical: PathBuf, text: &str) -> (SourceId, Imports) {
        let id: SourceId = self.sources.add(path.display().to_string(), text.to_string());
        self.known.insert(canonical, Some(id));
        let (file, found) = nacre_syntax::parse(id, text);
        self.found.extend(found);
        let folder = path.parent().unwrap_or(Path::new(""));
        let list: Vec<(PathBuf, Span)> = file.imports.iter().map(|i| (folder.join(&i.path), i.span)).collect();
        self.files.push(file);
        (id, Imports { of: id, list, at: 0 })
    }
}

/// The result of reading a file.
struct Loaded {
    id: Option<SourceId>,
    /// Its imports, if it was not read before.
    new: Option<Imports>,
}

/// The imports of a file, read in order.
struct Imports {
    of: SourceId,
    list: Vec<(PathBuf, Span)>,
    at: usize,
}

impl Iterator for Imports {
    /// Its index, its path, and where it is imported.
    type Item = (usize, PathBuf, Span);

    fn next(&mut self) -> Option<Self::Item> {
        let (path, span) = self.list.get(self.at)?.clone();
        self.at += 1;
        Some((self.at - 1, path, span))
    }
}
