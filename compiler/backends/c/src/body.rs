//! The body of one C function while it is written: its locals, temporaries, and expressions of messages.

use std::collections::HashMap;

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::code::Code;
use crate::names::Unique;
use crate::term::Term;
use crate::writer::Writer;

/// The kind of a body.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Handler,
    Function,
    Filter,
    /// A condition of `accepts`, an initial value.
    Outside,
}

/// Code that was written apart from the body, and the value that it computes.
pub struct Apart<T> {
    pub value: T,
    pub code: Code,
    pub after: Vec<String>,
}

impl<T> Apart<T> {
    /// Whether it needs no statements before or after it.
    pub fn is_expression(&self) -> bool {
        self.code.is_empty() && self.after.is_empty()
    }
}

/// A function body under construction.
pub struct Body<'w, 'a> {
    pub w: &'w mut Writer<'a>,
    pub layer: usize,
    pub kind: Kind,
    pub code: Code,
    pub locals: &'a [Local],
    pub names: Vec<String>,
    /// For each message local, the lowest layer whose headers it carries.
    pub levels: Vec<usize>,
    /// For each local, the layer whose code it is from.
    pub homes: Vec<usize>,
    /// Of a bypass: the code is of several layers, so each statement has its own.
    pub bypass: Option<&'a Bypass>,
    pub unique: Unique,
    /// Cleanup that follows the statement that is being written.
    after: Vec<String>,
    /// Locals that are declared where they are set first.
    pub declared_at: HashMap<usize, bool>,
    /// Containers that are being drained, to be cleared by an early return.
    pub draining: Vec<String>,
    /// In a filter: the label after the body, and whether anything jumps there.
    pub leaves: bool,
    pub exit: &'static str,
    pub rejects: bool,
    /// Of a filter that may yield too much: where its bytes end, and what is set when it yields more.
    pub yield_limit: Option<(String, String)>,
    pub loops: usize,
    /// Bytes of `step->more->temp` that the statement uses.
    temporary: u32,
    /// Cells are members of the config struct.
    pub in_config: bool,
    declared: Vec<bool>,
    read: Vec<bool>,
    /// Locals of which a part is set: compilers see none of these sets as a use.
    set_in_part: Vec<bool>,
}

impl<'w, 'a> Body<'w, 'a> {
    /// Returns an empty body with C names for its locals; `blocks` is the code that will be written into it.
    pub fn new(
        w: &'w mut Writer<'a>,
        layer: usize,
        kind: Kind,
        locals: &'a [Local],
        blocks: &[&'a [Statement]],
    ) -> Body<'w, 'a> {
        let mut unique = Unique::new(&w.prefix);
        // Names that the text of bodies declares itself.
        let own: &[&str] = match kind {
            Kind::Filter => &["i", "at", "run", "unit", "input", "accepted", "made_from"],
            _ => &["i"],
        };
        own.iter().for_each(|name| drop(unique.take(name)));
        let names = locals.iter().map(|l| unique.take(&l.name)).collect();
        let mut levels = vec![layer + 1; locals.len()];
        let (mut read, mut set_in_part) = (vec![false; locals.len()], vec![false; locals.len()]);
        for block in blocks {
            block.each(|node| node.local().into_iter().for_each(|local| read[local.index()] = true));
            block.each_statement(|statement| match &statement.kind {
                StatementKind::Let(local, e) if pushes(e) => levels[local.index()] = layer,
                _ => {}
            });
            block.each_statement(|statement| {
                if let StatementKind::Store(Place { root: Root::Local(local), .. }, _) = &statement.kind {
                    set_in_part[local.index()] = true;
                }
            });
        }
        Body {
            w,
            layer,
            kind,
            code: Code::new(1),
            locals,
            names,
            levels,
            homes: vec![layer; locals.len()],
            bypass: None,
            unique,
            after: vec![],
            declared_at: HashMap::new(),
            draining: vec![],
            leaves: false,
            exit: "next",
            rejects: false,
            yield_limit: None,
            loops: 0,
            in_config: false,
            temporary: 0,
            declared: vec![false; locals.len()],
            read,
            set_in_part,
        }
    }

    /// Returns the C type of a type, as this layer's code names it.
    pub fn c_type(&mut self, ty: &Type) -> String {
        self.w.c_type(ty, self.layer)
    }

    /// Returns the expression that reads a local; a `ref` parameter is dereferenced.
    pub fn local(&self, id: LocalId) -> Term {
        let name = &self.names[id.index()];
        match self.locals[id.index()].by_ref {
            true => Term::pointee(name),
            false => Term::name(name),
        }
    }

    /// The C type of a local.
    pub fn local_type(&mut self, id: LocalId) -> String {
        match &self.locals[id.index()].ty {
            Type::Msg => self.w.message_type(self.levels[id.index()]),
            ty => self.w.c_type(&ty.clone(), self.homes[id.index()]),
        }
    }

    /// The layer whose code a cell or a local is from.
    pub fn home(&self, root: Root) -> usize {
        match root {
            Root::Cell(cell) => self.w.stack.cell(cell).layer.index(),
            Root::Local(local) => self.homes[local.index()],
        }
    }

    /// Notes that the code reads a local.
    pub fn reads(&mut self, local: Option<LocalId>) {
        local.into_iter().for_each(|local| self.read[local.index()] = true);
    }

    /// Returns whether the C text declares the local already; parameters are.
    pub fn is_declared(&self, local: LocalId) -> bool {
        self.declared[local.index()] || self.locals[local.index()].by_ref
    }
    /// Records that the C text declares the local from here on.
    pub fn mark_declared(&mut self, local: LocalId) {
        self.declared[local.index()] = true;
    }

    /// Locals from here on must be declared again.
    pub fn forget_declared(&mut self, from: usize) {
        self.declared[from..].fill(false);
    }

    /// Returns whether the code reads the local, so that it needs a C variable.
    pub fn is_read(&self, local: LocalId) -> bool {
        self.read[local.index()]
    }

    /// Whether compilers may warn that the local is set and not used.
    pub fn may_seem_unused(&self, local: LocalId) -> bool {
        !self.is_read(local) || self.set_in_part[local.index()]
    }

    /// Returns a C name that is unique in the body and resembles `hint`.
    pub fn fresh(&mut self, hint: &str) -> String {
        self.unique.take(hint)
    }

    /// A new variable.
    pub fn bind(&mut self, ty: &str, hint: &str, value: &str) -> Term {
        let name = self.fresh(hint);
        self.code.line(format!("{ty} {name} = {value};"));
        Term::name(name)
    }

    /// Writes code that does not become a part of the body yet.
    pub fn apart<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> Apart<T> {
        let inside = Code::new(self.code.depth() + 1);
        let here = std::mem::replace(&mut self.code, inside);
        let waiting = std::mem::take(&mut self.after);
        let value = write(self);
        let code = std::mem::replace(&mut self.code, here);
        let after = std::mem::replace(&mut self.after, waiting);
        Apart { value, code, after }
    }

    /// Writes one of two branches that give `name` a value.
    pub fn branch_of(&mut self, name: &str, part: Apart<Term>) {
        self.code.add(&part.code);
        self.code.line(format!("{name} = {};", part.value));
        part.after.into_iter().for_each(|line| self.code.line(line));
    }

    /// Returns whether the statement needs cleanup.
    pub fn owes(&self) -> bool {
        !self.after.is_empty()
    }

    /// Sets the pending cleanup aside while the blocks of a statement are written.
    pub fn put_aside(&mut self) -> Vec<String> {
        std::mem::take(&mut self.after)
    }
    /// Restores the pending cleanup that [`Body::put_aside`] returned.
    pub fn take_back(&mut self, owed: Vec<String>) {
        self.after = owed;
    }

    /// Adds cleanup that follows the statement.
    pub fn later(&mut self, line: String) {
        self.after.push(line);
    }

    /// Releases the bytes of a view after the statement.
    pub fn release_later(&mut self, view: &str) {
        self.later(format!("{}_drop(step->pool, {view});", self.w.prefix));
    }

    /// Room for bytes that only this statement reads; none where another statement may be active (in a filter).
    pub fn temporary(&mut self, bytes: u32) -> Option<u32> {
        if self.kind == Kind::Filter {
            return None;
        }
        let at = self.temporary;
        self.temporary += bytes;
        self.w.temporary = self.w.temporary.max(self.temporary);
        Some(at)
    }

    /// Writes the pending cleanup of a statement and frees its temporaries.
    pub fn finish_statement(&mut self) {
        self.temporary = 0;
        for line in std::mem::take(&mut self.after) {
            self.code.line(line);
        }
    }

    /// A message with the headers of layer `want` and above; moved out of where it was.
    pub fn message(&mut self, e: &Expr, want: usize) -> Term {
        let p = self.w.prefix.clone();
        match &e.kind {
            ExprKind::Push(inner, header, fields) => self.push(inner, *header, fields, want),
            ExprKind::Share(inner) => {
                let (text, has) = self.borrowed_message(inner);
                self.code.line(format!("{p}_share(step->pool, {text}.bytes);"));
                // A place may change before the message is used; a name does not.
                let copy = if text.is_simple() { text } else { self.copy_message(&text, has) };
                self.at_level(copy, has, want)
            }
            ExprKind::Empty | ExprKind::Zero => {
                let ty = self.w.message_type(want);
                self.bind(&ty, "empty", "{.data = false}")
            }
            ExprKind::Slice(inner, at, n) => {
                let (text, _) = self.borrowed_message(inner);
                let (at, n) = (self.raw(at), self.raw(n));
                let ty = self.w.message_type(want);
                let slice = self.w.call_support("slice", &[&format!("{text}.bytes"), &at, &n]);
                self.bind(&ty, "slice", &format!("{{.bytes = {slice}, .data = {text}.data}}"))
            }
            ExprKind::Rest(inner, n) => {
                let text = self.message(inner, want);
                let n = self.raw(n);
                let rest = self.copy_message(&text, want);
                let p = &self.w.prefix;
                self.code.line(format!("{rest}.bytes = {p}_rest(step, {rest}.bytes, {n});"));
                rest
            }
            ExprKind::Pack(layout, inner) => self.pack(*layout, inner, want),
            ExprKind::If(c, a, b) => {
                let c = self.value(c);
                let ty = self.w.message_type(want);
                let name = Term::name(self.fresh("chosen"));
                self.code.line(format!("{ty} {name};"));
                let a = self.apart(|body| body.message(a, want));
                let b = self.apart(|body| body.message(b, want));
                self.code.open(format!("if ({c}) {{"));
                self.branch_of(&name, a);
                self.code.turn("} else {");
                self.branch_of(&name, b);
                self.code.close("}");
                name
            }
            _ => {
                let (text, has) = self.borrowed_message(e);
                self.at_level(text, has, want)
            }
        }
    }

    /// Whether a message is a variable that is no local of the layer: no other statement reads it.
    pub fn is_temporary(&self, text: &Term) -> bool {
        text.is_name() && !self.names.iter().any(|name| **name == **text)
    }

    fn copy_message(&mut self, text: &str, level: usize) -> Term {
        let ty = self.w.message_type(level);
        self.bind(&ty, "copy", text)
    }

    fn at_level(&mut self, text: Term, has: usize, want: usize) -> Term {
        match self.w.as_message(&text, has, want) {
            None => text,
            Some(initial) => {
                let ty = self.w.message_type(want);
                self.bind(&ty, "carried", &initial)
            }
        }
    }

    fn push(&mut self, inner: &Expr, header: HeaderId, fields: &[Expr], want: usize) -> Term {
        let layer = self.w.stack.header(header).layer.index();
        let want = want.min(layer);
        let text = self.message(inner, want);
        let values: Vec<Term> = fields.iter().map(|f| self.value(f)).collect();
        // A variable that was made for this expression may be changed.
        let name = match self.is_temporary(&text) {
            true => text,
            false => self.copy_message(&text, want),
        };
        let slots = &self.w.slots[layer];
        let tag = format!("{name}.{} = {};", slots.tag, slots.number(header));
        let places: Vec<String> = (0..fields.len()).map(|i| slots.place(header, i).to_string()).collect();
        self.code.line(tag);
        for (place, value) in places.iter().zip(values) {
            self.code.line(format!("{name}.{place} = {value};"));
        }
        name
    }

    /// A message that stays where it is, and the lowest layer whose headers it carries.
    pub fn borrowed_message(&mut self, e: &Expr) -> (Term, usize) {
        match &e.kind {
            ExprKind::Local(id) => (self.local(*id), self.levels[id.index()]),
            ExprKind::Borrow(place) | ExprKind::Load(place) if place.path.is_empty() => match place.root {
                Root::Local(local) => (self.place(place).text, self.levels[local.index()]),
                Root::Cell(_) => (self.place(place).text, self.home(place.root) + 1),
            },
            ExprKind::Borrow(place) | ExprKind::Load(place) => (self.place(place).text, self.home(place.root) + 1),
            ExprKind::Unwrap(_) | ExprKind::Field(..) => (self.borrowed(e), self.layer + 1),
            ExprKind::Share(inner) => self.borrowed_message(inner),
            _ => {
                // Made for this statement only.
                let level = self.layer;
                let text = self.message(e, level);
                self.release_later(&format!("{text}.bytes"));
                (text, level)
            }
        }
    }

    /// A number for `local` that is declared elsewhere.
    pub fn set(&mut self, local: LocalId, value: &str) {
        let name = self.local(local);
        if self.declared_at.remove(&local.index()).is_some() && !self.locals[local.index()].by_ref {
            let ty = self.local_type(local);
            self.code.line(format!("{ty} {name} = {value};"));
        } else if *name != *value {
            self.code.line(format!("{name} = {value};"));
        } else {
            self.code.line(format!("(void){name};"));
        }
    }
}

/// Whether an expression puts a header on last.
pub fn pushes(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Push(..) => true,
        ExprKind::If(_, a, b) => pushes(a) || pushes(b),
        _ => false,
    }
}
