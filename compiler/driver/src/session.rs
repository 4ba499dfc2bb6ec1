//! A program and its diagnostics.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nacre_backend_c::{Emitted, Level, Options};
use nacre_diagnostics::{Diagnostic, SourceId, Sources, Span};
use nacre_stack::Stack;
use nacre_syntax::ast;
use nacre_typed::{Program, Variation};

use crate::compositions::{Composed, Compositions};
use crate::loader::Loader;
use crate::passes::{optimize, validate};
use crate::scripts;

/// The warning of `compose` that a handler never runs in a stack.
const UNUSED_HANDLER: &str = "C0016";

/// All files of a program, with their diagnostics.
pub struct Session {
    pub sources: Sources,
    pub program: Program,
    /// In order of discovery; with warnings.
    pub found: Vec<Diagnostic>,
    /// The files named by the caller.
    named: Vec<SourceId>,
    compositions: Compositions,
}

impl Session {
    /// Reads files and all that they import, parses them, and collects their items.
    ///
    /// Errors of the file system become diagnostics at the import, or without a span for the files named here.
    pub fn open(paths: &[PathBuf]) -> Session {
        let mut loader = Loader::default();
        let begins: Vec<SourceId> = paths.iter().filter_map(|path| loader.load(path)).collect();
        Session::of(loader, &begins)
    }

    /// The same for text that is not in a file; imports are relative to the folder of `path`.
    pub fn from_text(path: &Path, text: &str) -> Session {
        let mut loader = Loader::default();
        let first = loader.load_text(path, text);
        Session::of(loader, &[first])
    }

    /// `first`: the files named by the caller; the others are imported.
    pub(crate) fn of(loader: Loader, first: &[SourceId]) -> Session {
        let Loader { sources, files, mut found, .. } = loader;
        let begins: Vec<bool> = (0..files.len()).map(|f| first.contains(&SourceId(f as u32))).collect();
        let (program, more) = Program::beginning(files, &begins);
        found.extend(more);
        Session { sources, program, found, named: first.to_vec(), compositions: Compositions::default() }
    }

    /// Whether a span is in a file named by the caller.
    pub fn is_named(&self, span: Span) -> bool {
        self.named.contains(&span.file)
    }

    /// Whether a diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(Diagnostic::is_error)
    }

    /// Checks every layer alone, and every stack declared in the files named by the caller.
    pub fn check(&mut self) {
        if self.has_errors() {
            return;
        }
        let automata = self.program.check_automata();
        self.add(automata);
        let configurations = self.program.check_configurations();
        self.add(configurations);
        let layers = self.program.check_layers();
        self.add(layers);
        let items = self.program.check_items();
        self.add(items);
        if !self.has_errors() {
            let configurations = self.configurations();
            let settings = configurations.iter().filter_map(|configuration| self.settings(configuration).err());
            let settings: Vec<Diagnostic> = settings.flatten().collect();
            self.add(settings);
        }
        // Stacks of other layers are still composed; a diagnostic found twice is added once.
        let names: Vec<String> = self.program.stacks().map(|s| s.name.name.clone()).collect();
        let mut composed = HashMap::new();
        for name in names {
            let stack = match self.compose(&name) {
                Ok((stack, warnings)) => {
                    self.add(warnings);
                    Some(stack)
                }
                Err(errors) => {
                    self.add(errors);
                    None
                }
            };
            composed.insert(name, stack);
        }
        let tests: Vec<Diagnostic> = self.program.tests().flat_map(|test| scripts::check(test, &composed)).collect();
        self.add(tests);
        self.add(scripts::repeated(self.program.tests()));
    }

    pub(crate) fn add(&mut self, more: Vec<Diagnostic>) {
        for diagnostic in more {
            if !self.found.contains(&diagnostic) {
                self.found.push(diagnostic);
            }
        }
    }

    pub(crate) fn compose(&self, name: &str) -> Composed {
        match self.program.stack(name) {
            Some(declared) => self.compose_declared(declared, &Variation::default()),
            None => Err(vec![self.no_stack(name)]),
        }
    }

    pub(crate) fn no_stack(&self, name: &str) -> Diagnostic {
        let known: Vec<&str> = self.program.stacks().map(|s| s.name.name.as_str()).collect();
        let help = if known.is_empty() {
            "the files declare no stack".into()
        } else {
            format!("there are: {}", known.join(", "))
        };
        Diagnostic::error("D0003", format!("there is no stack `{name}`")).help(help)
    }

    pub(crate) fn compose_declared(&self, declared: &ast::Stack, variation: &Variation) -> Composed {
        let compose = || self.compose_anew(declared, variation);
        self.compositions.once(declared.span, variation, compose)
    }

    fn compose_anew(&self, declared: &ast::Stack, variation: &Variation) -> Composed {
        let name = &declared.name.name;
        let (fragments, mut warnings) = self.program.fragments_with(declared, variation)?;
        let composed = nacre_compose::compose(name, &fragments, &nacre_compose::Options::default());
        let (stack, more) = composed.map_err(|mut errors| {
            for error in &mut errors {
                if error.label.is_none() {
                    *error = error.clone().at(declared.name.span, "in this stack");
                }
            }
            errors
        })?;
        // A library layer has handlers that some stacks do not need.
        warnings.extend(more.into_iter().filter(|w| w.code != UNUSED_HANDLER));
        validate(&stack);
        Ok((stack, warnings))
    }

    /// The composed stack of this name; None: `found` has the errors.
    pub fn stack(&mut self, name: &str) -> Option<Stack> {
        if self.has_errors() {
            return None;
        }
        match self.compose(name) {
            Ok((stack, warnings)) => {
                self.add(warnings);
                Some(stack)
            }
            Err(errors) => {
                self.add(errors);
                None
            }
        }
    }

    /// C for a stack at a level. `prefix` replaces the stack's name in all symbols, so that several levels link
    /// together.
    pub fn emit(&self, stack: &Stack, level: Level, prefix: Option<&str>) -> Emitted {
        self.emit_with(stack, level, prefix, Options::default())
    }

    /// The same for tests and simulations: models of their contracts replace functions of the host.
    pub fn emit_modelled(&self, stack: &Stack, level: Level, prefix: Option<&str>) -> Emitted {
        self.emit_with(stack, level, prefix, Options { models: true, ..Options::default() })
    }

    fn emit_with(&self, stack: &Stack, level: Level, prefix: Option<&str>, options: Options) -> Emitted {
        let mut stack = stack.clone();
        optimize(&mut stack, level);
        self.write(stack, level, prefix, options)
    }

    /// The same of a stack after the passes of the level.
    pub fn emit_optimized(&self, stack: Stack, level: Level, prefix: Option<&str>) -> Emitted {
        self.write(stack, level, prefix, Options::default())
    }

    /// The same with models of their contracts for functions of the host.
    pub fn emit_optimized_modelled(&self, stack: Stack, level: Level, prefix: Option<&str>) -> Emitted {
        self.write(stack, level, prefix, Options { models: true, ..Options::default() })
    }

    fn write(&self, mut stack: Stack, level: Level, prefix: Option<&str>, options: Options) -> Emitted {
        if let Some(prefix) = prefix {
            stack.name = prefix.into();
        }
        nacre_backend_c::write_with(&stack, level, &|span| self.place(span), options)
    }

    /// File and line.
    pub(crate) fn place(&self, span: Span) -> Option<(String, u32)> {
        if span == Span::default() {
            return None;
        }
        Some((self.sources.path(span.file).to_string(), self.sources.line(span) as u32))
    }

    /// Spans of one file as text: `pt2pt.nacre:40:9, 41:13`.
    pub fn places(&self, spans: &[Span]) -> String {
        let Some(first) = spans.first() else { return String::new() };
        let path = self.sources.path(first.file);
        let places: Vec<String> =
            spans.iter().map(|span| format!("{}:{}", self.sources.line(*span), self.sources.column(*span))).collect();
        format!("{}:{}", path.rsplit('/').next().unwrap_or(path), places.join(", "))
    }

    /// All diagnostics, as text.
    pub fn render(&self, colour: bool) -> String {
        self.found.iter().map(|d| d.render(&self.sources, colour)).collect()
    }
}
