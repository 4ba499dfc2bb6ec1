//! Automata as written to automata as data: `nacre_specification::Automaton`.
//!
//! An automaton is typed together with all that it extends, its definitions expanded in place. Types of parameters are
//! inferred: from the event of the interfaces that has the action's name, and from what guards and bodies do with them.

mod actions;
mod expressions;
mod guards;
mod inferred;
mod join;
mod limits;
mod names;
mod operations;
mod refinement;
mod statements;
mod types;

use std::collections::HashMap;

use nacre_diagnostics::{nearest, Diagnostic, Span};
use nacre_specification as spec;
use nacre_syntax::ast::{self, Item};

use crate::duplicates::duplicates;
use crate::program::Program;
use inferred::Ty;

impl Program {
    /// Returns the automata that the program declares, including those of imported files.
    pub fn automata(&self) -> impl Iterator<Item = &ast::Automaton> {
        self.items().filter_map(|i| if let Item::Automaton(a) = i { Some(a) } else { None })
    }

    /// The automata that a configuration of the files that the program begins with can name without an import's name.
    pub fn automata_in_scope(&self) -> impl Iterator<Item = &ast::Automaton> {
        self.first(|i| if let Item::Automaton(a) = i { Some(a) } else { None })
    }

    /// The configurations of the files that the program begins with, and of what these import without a name.
    pub fn configurations(&self) -> impl Iterator<Item = &ast::Configuration> {
        self.first(|i| if let Item::Configuration(c) = i { Some(c) } else { None })
    }

    /// One automaton, joined with those that it extends. Parameters have their defaults, except for these.
    pub fn automaton(&self, name: &str, overrides: &[(String, u64)]) -> Result<spec::Automaton, Vec<Diagnostic>> {
        match self.item(name) {
            Some(Item::Automaton(declared)) => self.typed_automaton(declared, overrides, false),
            _ => Err(vec![self.unknown_automaton(name, None)]),
        }
    }

    /// Whether a name is that of an automaton.
    pub fn is_automaton(&self, name: &str) -> bool {
        matches!(self.item(name), Some(Item::Automaton(_)))
    }

    /// Checks every automaton separately; parameters without a default are 1.
    pub fn check_automata(&self) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = Vec::new();
        for automaton in self.automata() {
            let more = self.typed_automaton(automaton, &[], true).err().unwrap_or_default();
            let more: Vec<_> = more.into_iter().filter(|d| !found.contains(d)).collect();
            found.extend(more);
        }
        found
    }

    fn typed_automaton(
        &self,
        declared: &ast::Automaton,
        overrides: &[(String, u64)],
        generic: bool,
    ) -> Result<spec::Automaton, Vec<Diagnostic>> {
        let mut typer = Typer::new(self);
        let automaton = typer.automaton(declared, overrides, generic);
        match automaton {
            Some(automaton) if typer.found.is_empty() => Ok(automaton),
            _ => Err(typer.found),
        }
    }

    fn unknown_automaton(&self, name: &str, at: Option<Span>) -> Diagnostic {
        let found = Diagnostic::error("T0130", format!("there is no automaton `{name}`"));
        let found = at.map_or(found.clone(), |at| found.at(at, "not declared"));
        if let Some(Item::Property(_)) = self.item(name) {
            let words = "a property is only a name: it cannot be executed or checked";
            return found.because(words).help(format!("write it as an automaton: automaton {name} {{ ... }}"));
        }
        let known: Vec<&str> = self.automata().map(|a| a.name.name.as_str()).collect();
        match nearest(name, &known) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found.help("declare it, or import the file that does"),
        }
    }
}

/// The meaning of a name within an action, a definition or a goal.
#[derive(Clone)]
enum Binding {
    Local(usize),
    /// An argument of a definition, and how large it is.
    Value(spec::Expr, Ty, usize),
}

/// Whether a local has a value at this point.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    Yes,
    /// A parameter that a guard may still bind.
    No,
    /// One that was read before any guard bound it: it takes every value, which only a rank can.
    Read(Span),
}

struct Local {
    name: String,
    ty: Ty,
    known: Known,
    /// Declared with `var`.
    variable: bool,
}

/// Types one automaton. Collects diagnostics and continues, so that one run reports several errors.
struct Typer<'p> {
    program: &'p Program,
    found: Vec<Diagnostic>,
    /// Parameters of the automaton and of those that it extends.
    constants: HashMap<String, u64>,
    fields: Vec<(String, Ty)>,
    definitions: HashMap<String, &'p ast::Definition>,
    /// The bindings of type variables.
    variables: Vec<Option<Ty>>,
    /// Definitions that are being expanded.
    expanding: Vec<String>,
    /// The size of the expansions so far, in parts of expressions.
    put_in: usize,
    locals: Vec<Local>,
    scopes: Vec<HashMap<String, Binding>>,
}

impl<'p> Typer<'p> {
    fn new(program: &'p Program) -> Self {
        Typer {
            program,
            found: Vec::new(),
            constants: HashMap::new(),
            fields: Vec::new(),
            definitions: HashMap::new(),
            variables: Vec::new(),
            expanding: Vec::new(),
            put_in: 0,
            locals: Vec::new(),
            scopes: Vec::new(),
        }
    }

    fn error<T>(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: &str,
        help: impl Into<String>,
    ) -> Option<T> {
        let (help, label) = (help.into(), if label.is_empty() { "here" } else { label });
        let found = Diagnostic::error(code, message.into()).at(span, label);
        let found = if help.is_empty() { found } else { found.help(help) };
        if !self.found.contains(&found) {
            self.found.push(found);
        }
        None
    }

    /// Reports duplicates among these names.
    fn once<'n>(&mut self, names: impl Iterator<Item = &'n ast::Ident>) {
        self.found.extend(duplicates(names.filter(|name| name.name != "_")));
    }
}
