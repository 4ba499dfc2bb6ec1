//! Reads a program: the files named first, and all that they import.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nacre_diagnostics::{Diagnostic, SourceId, Sources, Span};
use nacre_syntax::ast;

use crate::{files, library};

/// The files read so far.
#[derive(Default)]
pub(crate) struct Loader {
    pub sources: Sources,
    /// The files read, and those that cannot be read.
    known: HashMap<Place, Option<SourceId>>,
    /// By their index in the sources.
    pub files: Vec<ast::File>,
    pub found: Vec<Diagnostic>,
}

impl Loader {
    /// Reads a file and all that it imports, directly or through others.
    pub fn load(&mut self, path: &Path) -> Option<SourceId> {
        let first = self.read(&Place::named(path), None);
        self.load_imports(first.new);
        first.id
    }

    /// Reads text that is not in a file.
    pub fn load_text(&mut self, path: &Path, text: &str) -> SourceId {
        let (first, imports) = self.parse(Place::File(path.to_path_buf()), Place::File(path.to_path_buf()), text);
        self.load_imports(Some(imports));
        first
    }

    fn load_imports(&mut self, first: Option<Imports>) {
        let mut waiting: Vec<Imports> = first.into_iter().collect();
        while let Some(imports) = waiting.last_mut() {
            let Some((index, place, span)) = imports.next() else {
                waiting.pop();
                continue;
            };
            let importer = imports.of;
            let imported = self.read(&place, Some(span));
            self.files[importer.0 as usize].imports[index].file = imported.id;
            waiting.extend(imported.new);
        }
    }

    /// Reads one file, unless it was read before.
    fn read(&mut self, place: &Place, import: Option<Span>) -> Loaded {
        let canonical = place.canonical();
        if let Some(known) = self.known.get(&canonical) {
            return Loaded { id: *known, new: None };
        }
        match place.text() {
            Ok(text) => {
                let (id, imports) = self.parse(place.clone(), canonical, &text);
                Loaded { id: Some(id), new: Some(imports) }
            }
            Err((why, help)) => {
                self.known.insert(canonical, None);
                let mut found = Diagnostic::error("D0001", format!("cannot read `{}`: {why}", place.shown()));
                if let Some(help) = help {
                    found = found.help(help);
                }
                self.found.push(match import {
                    Some(span) => found.at(span, "imported here"),
                    None => found,
                });
                Loaded { id: None, new: None }
            }
        }
    }

    fn parse(&mut self, place: Place, canonical: Place, text: &str) -> (SourceId, Imports) {
        let id: SourceId = self.sources.add(place.shown(), text.to_string());
        self.known.insert(canonical, Some(id));
        let (file, found) = nacre_syntax::parse(id, text);
        self.found.extend(found);
        let list: Vec<(Place, Span)> = file.imports.iter().map(|i| (place.imported(&i.path), i.span)).collect();
        self.files.push(file);
        (id, Imports { of: id, list, at: 0 })
    }
}

/// Where a source is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    File(PathBuf),
    /// Its path, the same for all that import it if there is one.
    Library(String),
}

impl Place {
    /// What a path of the command line means.
    fn named(path: &Path) -> Place {
        match path.to_str().filter(|_| library::is_of_library(path)) {
            Some(path) => Place::in_library(path),
            None => Place::File(path.to_path_buf()),
        }
    }

    /// The place of a file that is imported here.
    fn imported(&self, path: &str) -> Place {
        match self {
            _ if library::is_meant(path) => Place::in_library(path),
            Place::File(importer) => Place::File(importer.parent().unwrap_or(Path::new("")).join(path)),
            Place::Library(importer) => Place::in_library(&joined(importer, path)),
        }
    }

    fn in_library(path: &str) -> Place {
        Place::Library(library::find(path).map_or(path.into(), |(name, _)| format!("{}{name}", library::PREFIX)))
    }

    /// The same for all paths to a source.
    fn canonical(&self) -> Place {
        match self {
            Place::File(path) => Place::File(path.canonicalize().unwrap_or_else(|_| path.clone())),
            library => library.clone(),
        }
    }

    /// As messages show it.
    fn shown(&self) -> String {
        match self {
            Place::File(path) => path.display().to_string(),
            Place::Library(path) => path.clone(),
        }
    }

    /// Its text, or why it cannot be read, and what helps.
    fn text(&self) -> Result<Cow<'static, str>, (String, Option<String>)> {
        match self {
            Place::File(path) => files::read_text(path).map(Cow::Owned).map_err(|why| (why, None)),
            Place::Library(path) => match library::find(path) {
                Some((_, text)) => Ok(Cow::Borrowed(text)),
                None => {
                    let paths: Vec<String> = library::listed().map(|(path, _)| path).collect();
                    let own = "a folder `nacre` of one's own is imported as `./nacre/`";
                    let help = (!paths.is_empty()).then(|| format!("there are: {}; {own}", paths.join(", ")));
                    Err(("the library has no such file".into(), help))
                }
            },
        }
    }
}

/// The path that another one states relative to a file of the library.
fn joined(importer: &str, path: &str) -> String {
    let mut parts: Vec<&str> = importer.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
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
    list: Vec<(Place, Span)>,
    at: usize,
}

impl Iterator for Imports {
    /// Its index, its place, and where it is imported.
    type Item = (usize, Place, Span);

    fn next(&mut self) -> Option<Self::Item> {
        let (place, span) = self.list.get(self.at)?.clone();
        self.at += 1;
        Some((self.at - 1, place, span))
    }
}
