//! The model under construction: typedefs, hidden variables, inlines, and the lines of the current code.

use std::collections::{HashMap, HashSet};

use nacre_stack::*;

use crate::names::{clean, Names, Scope as NameScope};
use crate::refusal::Reason;
use crate::scalars::is_scalar;
use crate::uses::Uses;
use crate::{Refusal, Sources};

/// The code that is being written: its locals and its exits.
#[derive(Clone, Default)]
pub struct Frame {
    pub layer: Option<LayerId>,
    pub locals: Vec<Local>,
    /// Text for each local.
    pub places: Vec<String>,
    /// The place of a function's result.
    pub result: Option<(String, Type)>,
    /// Set when the code has returned, so that the following statements are skipped.
    pub done: String,
    /// Set when a filter has rejected its input.
    pub rejected: String,
    /// The number of enclosing loops.
    pub loops: u32,
    /// Whether the code is a condition: no statement can precede it.
    pub pure_: bool,
    /// Locals that are set before the body.
    pub set: Vec<LocalId>,
}

/// A model under construction.
pub struct Writer<'s> {
    pub stack: &'s Stack,
    sources: Sources<'s>,
    pub refusals: Vec<Refusal>,
    pub typedefs: Vec<String>,
    pub typedefs_known: HashSet<String>,
    pub helpers: Vec<String>,
    pub inlines_known: HashSet<String>,
    pub hidden: Vec<String>,
    hidden_known: HashMap<String, String>,
    pub functions: Vec<String>,
    pub functions_known: HashSet<u32>,
    /// The handlers in use, and their inlines.
    pub handlers: Vec<(HandlerId, String)>,
    pub lines: Vec<String>,
    pub depth: usize,
    pub frame: Frame,
    /// The endpoint whose state the current code uses; none: that of the process.
    pub end: Option<usize>,
    /// The maximum number of data bytes of a message.
    pub capacity: u32,
    /// The maximum length of a frame in bytes; none: frames are messages.
    pub frame_size: Option<u32>,
    /// Whether random numbers are drawn.
    pub draws: bool,
    /// Whether there are `later` emissions.
    pub has_later: bool,
    /// What cells are given, by their names, at each endpoint.
    pub given: &'s [(String, Vec<u64>)],
    pub names: Names,
    temporaries: u32,
}

impl<'s> Writer<'s> {
    /// Returns a writer for models of the stack; a message has room for `size` bytes.
    pub fn new(stack: &'s Stack, size: u32, sources: Sources<'s>) -> Writer<'s> {
        let uses = Uses::of_code(stack);
        Writer {
            has_later: uses.later,
            given: &[],
            stack,
            sources,
            refusals: vec![],
            typedefs: vec![],
            typedefs_known: HashSet::new(),
            helpers: vec![],
            inlines_known: HashSet::new(),
            hidden: vec![],
            hidden_known: HashMap::new(),
            functions: vec![],
            functions_known: HashSet::new(),
            handlers: vec![],
            lines: vec![],
            depth: 0,
            frame: Frame::default(),
            end: None,
            capacity: capacity(stack, size, uses.packs),
            frame_size: None,
            draws: false,
            names: Names::default(),
            temporaries: 0,
        }
    }

    /// Records why the stack has no exact model; a repeated reason is recorded once.
    pub fn refuse(&mut self, reason: Reason) {
        let refusal = Refusal { layer: self.frame.layer, reason };
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }

    /// Returns everything that was refused, by layer.
    pub fn in_order(mut self) -> Vec<Refusal> {
        self.refusals.sort_by_cached_key(|refusal| (refusal.layer, refusal.to_string()));
        self.refusals
    }

    /// Writes a line at the current indentation.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "    ".repeat(self.depth), text.as_ref()));
    }

    /// Ends an indented part with a closing line.
    pub fn close(&mut self, text: impl AsRef<str>) {
        self.depth -= 1;
        self.line(text);
    }

    /// Begins an option of `if` or `do` with its guard.
    pub fn option(&mut self, guard: impl AsRef<str>) {
        self.line(format!(":: {} ->", guard.as_ref()));
        self.depth += 1;
    }

    /// Ends the indentation of an option of `if` or `do`.
    pub fn end_option(&mut self) {
        self.depth -= 1;
    }

    /// Opens the `else` option of an `if` or `do`.
    pub fn otherwise(&mut self) {
        self.option("else");
    }

    /// `if :: condition -> then :: else fi`
    pub fn when(&mut self, condition: &str, then: impl FnOnce(&mut Self)) {
        self.line("if");
        self.option(condition);
        let before = self.lines.len();
        then(self);
        if self.lines.len() == before {
            self.line("skip");
        }
        self.end_option();
        self.line(":: else");
        self.line("fi;");
    }

    /// Writes code that uses the state of this endpoint, in whichever process.
    pub fn at_end<T>(&mut self, end: usize, what: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.end.replace(end);
        let written = what(self);
        self.end = outer;
        written
    }

    /// Returns the state of the current endpoint.
    pub fn my(&self) -> String {
        self.end.map_or("MY".into(), |end| format!("ends[{end}]"))
    }

    /// Returns the given values of the current endpoint.
    pub fn given_values(&self) -> String {
        self.end.map_or("GIVEN".into(), |end| format!("givens[{end}]"))
    }

    /// Writes the statement that copies a value of the type.
    pub fn copy(&mut self, ty: &Type, to: &str, from: &str) {
        let text = self.copy_text(ty, to, from);
        self.line(text);
    }

    /// Writes the statement that sets a place to the zero of the type.
    pub fn zero(&mut self, ty: &Type, place: &str) {
        let text = self.zero_text(ty, place);
        self.line(text);
    }

    /// Writes the lines of a closure as an inline.
    pub fn inline(
        &mut self,
        name: &str,
        parameters: &[String],
        comment: &str,
        frame: Frame,
        body: impl FnOnce(&mut Self),
    ) -> String {
        let outer = (std::mem::take(&mut self.lines), self.depth, std::mem::replace(&mut self.frame, frame));
        let end = self.end.take();
        self.depth = 1;
        body(self);
        if self.lines.is_empty() {
            self.line("skip");
        }
        let lines = std::mem::replace(&mut self.lines, outer.0);
        (self.depth, self.frame, self.end) = (outer.1, outer.2, end);
        let comment = if comment.is_empty() { String::new() } else { format!("/* {comment} */\n") };
        format!("{comment}inline {name}({}) {{\n{}\n}}\n", parameters.join(", "), lines.join("\n"))
    }

    /// Declares a variable that is not part of the state. If another type already has the name, the type is appended to
    /// it.
    pub fn hide(&mut self, name: &str, ty: &Type) -> String {
        let of = self.type_name(ty);
        // SPIN does not hide single bits.
        let of = if of == "bool" { "byte".to_string() } else { of };
        let mut name = name.to_string();
        while self.hidden_known.get(&name).is_some_and(|known| *known != of) {
            name = format!("{name}_{of}");
        }
        if self.hidden_known.insert(name.clone(), of.clone()).is_none() {
            self.hidden.push(format!("hidden {of} {name};"));
        }
        name
    }

    /// Declares a hidden variable for a single use.
    pub fn temporary(&mut self, ty: &Type) -> String {
        if self.frame.pure_ {
            self.refuse(Reason::ConditionWithStatements);
        }
        self.temporaries += 1;
        let name = format!("tmp{}", self.temporaries);
        self.hide(&name, ty)
    }

    /// Declares a temporary for a 32-bit number and returns its name.
    pub fn number(&mut self) -> String {
        self.temporary(&Type::UInt(32))
    }

    /// Returns a text that can be repeated without repeating its computation.
    pub fn simple(&mut self, text: &str, ty: &Type) -> String {
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        if plain || !is_scalar(ty) {
            return text.into();
        }
        let name = self.temporary(ty);
        self.line(format!("{name} = {text};"));
        name
    }

    /// Returns the frame of a handler, function or filter, with names for its locals.
    pub fn frame_of(&mut self, layer: LayerId, prefix: &str, locals: &[Local]) -> Frame {
        let mut places: Vec<String> = vec![];
        for (at, local) in locals.iter().enumerate() {
            let twice = locals[..at].iter().any(|l| l.name == local.name);
            let number = if twice { format!("_{at}") } else { String::new() };
            // Hidden variables are globals of the C that SPIN generates, where a global of the same name would silently
            // be the same variable. The suffix prevents this.
            let thing = format!("{prefix}, {}{number}", local.name);
            let name = format!("{prefix}_{}{number}", clean(&local.name));
            let name = format!("{}_", self.names.name(NameScope::Hidden, name, thing));
            if local.by_ref || local.ty == Type::View {
                places.push(format!("REF_{name}"));
            } else {
                places.push(self.hide(&name, &local.ty));
            }
        }
        Frame {
            layer: Some(layer),
            locals: locals.to_vec(),
            places,
            done: format!("{prefix}_done"),
            rejected: format!("{prefix}_rejected"),
            ..Frame::default()
        }
    }

    /// ` (file:line)`, with the file name only.
    pub fn source(&self, span: Span) -> String {
        let Some((file, line)) = (self.sources)(span) else { return String::new() };
        let name = file.rsplit('/').next().unwrap_or_default().replace("*/", "");
        format!(" ({name}:{line})")
    }

    /// Returns the place of a local of the current body.
    pub fn local(&self, id: LocalId) -> String {
        self.frame.places[id.index()].clone()
    }

    /// Returns the declared type of a local of the current body.
    pub fn local_type(&self, id: LocalId) -> Type {
        self.frame.locals[id.index()].ty.clone()
    }

    /// Returns the unique name of a layer.
    pub fn layer_name(&self, id: LayerId) -> String {
        let name = &self.stack.layer(id).name;
        self.names.name(NameScope::Layers, clean(name), format!("layer {}", id.0))
    }
}

/// The capacity of data: a packed message contains the bytes of the headers above; filters may add some.
fn capacity(stack: &Stack, size: u32, packs: bool) -> u32 {
    let largest = |l: &Layout| l.shapes.iter().map(|s| s.size).max().unwrap_or(0);
    let heads: u32 = if packs { stack.layouts.iter().skip(1).map(largest).sum() } else { 0 };
    let makes = stack.filters.iter().filter(|f| f.result.is_none());
    let grows: u32 = makes.map(|f| f.grows.0 * (size + heads) / f.grows.1.max(1) + f.grows.2).sum();
    size + heads + grows
}
