//! Statements, expressions and types as text.

use std::fmt::Write;

use super::implied::Scoped;
use super::names::{link_to, quoted, Names, Table};
use super::words::{self, word};
use crate::*;

/// Writes the code of one body.
pub struct Code<'a> {
    pub scoped: Scoped<'a>,
    pub names: &'a Names,
    pub locals: Table,
    pub depth: usize,
    /// Whether statements and expressions are followed by their spans.
    pub spans: bool,
    /// The layer of the code, if it emits.
    pub layer: Option<LayerId>,
}

/// Returns the suffix that states a span; nothing for the default span.
pub fn span(span: Span) -> String {
    if span == Span::default() {
        return String::new();
    }
    format!(" span {} {} {}", span.file.0, span.start, span.end)
}

/// Returns the suffix that states a likelihood; nothing if there is none.
pub fn likely(likely: Option<bool>) -> String {
    likely.map_or(String::new(), |l| format!(" {}", word(words::LIKELY, l)))
}

/// Returns the text of a type.
pub fn ty(names: &Names, t: &Type) -> String {
    let of = |t: &Type| ty(names, t);
    match t {
        Type::Bool => "bool".into(),
        Type::UInt(b) => format!("u{b}"),
        Type::Int(b) => format!("i{b}"),
        Type::Seq(b) => format!("seq{b}"),
        Type::Range(low, high) => format!("range({low}, {high})"),
        Type::Enum(id) => format!("enum({})", names.enums.show(id.index())),
        Type::Struct(id) => format!("struct({})", names.structs.show(id.index())),
        Type::Tuple(types) => format!("tuple({})", types.iter().map(of).collect::<Vec<_>>().join(", ")),
        Type::Option(t) => format!("option({})", of(t)),
        Type::Bits(n) => format!("bits({n})"),
        Type::Addr => "addr".into(),
        Type::Duration => "duration".into(),
        Type::Instant => "instant".into(),
        Type::Timer => "timer".into(),
        Type::Bytes(n) => format!("bytes({n})"),
        Type::Text(n) => format!("text({n})"),
        Type::Msg => "msg".into(),
        Type::Bounded(n) => format!("msg<{n}>"),
        Type::View => "view".into(),
        Type::Array(t, n) => format!("array({}, {n})", of(t)),
        Type::Ring(t, n) => format!("ring({}, {n})", of(t)),
        Type::List(t, n) => format!("list({}, {n})", of(t)),
        Type::Window(t, n, b) => format!("window({}, {n}, {b})", of(t)),
        Type::Pool(t, n) => format!("pool({}, {n})", of(t)),
        Type::Map(k, t, n) => format!("map({}, {}, {n})", of(k), of(t)),
    }
}

impl<'a> Code<'a> {
    /// Returns a printer for the code of one body with these locals; it starts without indentation and spans.
    pub fn new(stack: &'a Stack, names: &'a Names, locals: &'a [Local]) -> Code<'a> {
        let mut table = Table::default();
        locals.iter().for_each(|l| table.add(&l.name, ""));
        Code { scoped: Scoped { stack, locals }, names, locals: table, depth: 0, spans: false, layer: None }
    }

    /// `@file:start..end`, where spans are asked for and this one is known.
    fn mark(&self, span: Span) -> String {
        if !self.spans || span == Span::default() {
            return String::new();
        }
        format!("@{}:{}..{}", span.file.0, span.start, span.end)
    }

    /// The same for code of a layer.
    pub fn of(self, layer: LayerId) -> Code<'a> {
        Code { layer: Some(layer), ..self }
    }

    fn ty(&self, t: &Type) -> String {
        ty(self.names, t)
    }

    /// Returns the text of a local: `%` and its name.
    pub fn local(&self, id: LocalId) -> String {
        format!("%{}", self.locals.show(id.index()))
    }

    /// Prints a block in braces, with each statement on its own line.
    pub fn block(&mut self, block: &Block) -> String {
        let mut text = String::from("{\n");
        self.depth += 1;
        for statement in block {
            let line = self.statement(statement);
            let mark = self.mark(statement.span);
            let space = if mark.is_empty() { "" } else { " " };
            let in_place = if statement.in_place { "in_place " } else { "" };
            let _ = writeln!(text, "{}{in_place}{line}{space}{mark}", "  ".repeat(self.depth));
        }
        self.depth -= 1;
        text + &"  ".repeat(self.depth) + "}"
    }

    fn list(&mut self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn to_local(&self, word: &str, id: Option<LocalId>) -> String {
        id.map_or(String::new(), |id| format!(" {word} {}", self.local(id)))
    }

    fn statement(&mut self, statement: &Statement) -> String {
        match &statement.kind {
            StatementKind::Let(id, value) => format!("let {} = {};", self.local(*id), self.expr(value)),
            StatementKind::Store(place, value) => format!("set {} = {};", self.place(place), self.expr(value)),
            StatementKind::If { condition, likely: mark, then, otherwise } => {
                let head = format!("if {}{} ", self.expr(condition), likely(*mark));
                let then = self.block(then);
                let tail =
                    if otherwise.is_empty() { String::new() } else { format!(" else {}", self.block(otherwise)) };
                head + &then + &tail
            }
            StatementKind::Loop { bound, body } => format!("loop bound {bound} {}", self.block(body)),
            StatementKind::For { variable, from, to, bound, body } => {
                let (from, to) = (self.expr(from), self.expr(to));
                format!("for {} = {from} to {to} bound {bound} {}", self.local(*variable), self.block(body))
            }
            StatementKind::Each { walk, bound, body } => {
                let mut head = format!("each {}", self.place(&walk.over));
                head += &self.to_local("index", walk.index);
                head += &self.to_local("key", walk.key);
                head += &self.to_local("value", walk.value);
                if let Some(from) = &walk.from {
                    head += &format!(" from {}", self.expr(from));
                }
                if let Some(to) = &walk.to {
                    head += &format!(" to {}", self.expr(to));
                }
                let drain = if walk.drain { " drain" } else { "" };
                format!("{head}{drain} bound {bound} {}", self.block(body))
            }
            StatementKind::Break => "break;".into(),
            StatementKind::Return(None) => "return;".into(),
            StatementKind::Return(Some(value)) => format!("return {};", self.expr(value)),
            StatementKind::Call { into, function, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|a| self.argument(a)).collect();
                let name = self.names.functions.show(function.index());
                format!("call {name}({}){};", arguments.join(", "), self.to_local("into", *into))
            }
            StatementKind::CallExtern { into, function, arguments } => {
                let name = self.names.externs.show(function.index());
                format!("extern {name}({}){};", self.list(arguments), self.to_local("into", *into))
            }
            StatementKind::Operate(operate) => {
                let (name, place) = (operate.operation.method().word, self.place(&operate.place));
                let arguments = self.list(&operate.arguments);
                let into = self.to_local("into", operate.into) + &self.to_local("done", operate.done);
                format!("do {name} {place}({arguments}){into}{};", self.to_local("back", operate.back))
            }
            StatementKind::Emit(emit) => self.emit(emit),
            StatementKind::Drop(value) => format!("drop {};", self.expr(value)),
            StatementKind::Arm { timer, delay, unless_armed } => {
                let unless = if *unless_armed { " unless_armed" } else { "" };
                format!("arm {} in {}{unless};", self.place(timer), self.expr(delay))
            }
            StatementKind::Cancel(timer) => format!("cancel {};", self.place(timer)),
            StatementKind::Count(counter, n) => {
                format!("count {} {};", self.names.counters.show(counter.index()), self.expr(n))
            }
            StatementKind::Assert(condition, text) => format!("assert {} {text:?};", self.expr(condition)),
            StatementKind::Impossible => "impossible;".into(),
            StatementKind::Unreachable => "unreachable;".into(),
            StatementKind::Fit { into, value } => format!("fit {} = {};", self.local(*into), self.expr(value)),
            StatementKind::Random { into, below } => format!("random {} = {};", self.local(*into), self.expr(below)),
            StatementKind::Filter { into, filter, input } => {
                let name = self.names.filters.show(filter.index());
                format!("filter {} = {name} {};", self.local(*into), self.expr(input))
            }
            StatementKind::Yield(value) => format!("yield {};", self.expr(value)),
            StatementKind::Reject => "reject;".into(),
            StatementKind::Unpack { into, layout, message } => {
                format!("unpack {} = #{} {};", self.local(*into), layout.0, self.expr(message))
            }
            StatementKind::Join { into, parts, last } => {
                format!("join {} = {} {};", self.local(*into), self.place(parts), self.expr(last))
            }
            StatementKind::Take { into, place } => format!("take {} = {};", self.local(*into), self.place(place)),
        }
    }

    fn argument(&mut self, argument: &Argument) -> String {
        match argument {
            Argument::Value(value) => self.expr(value),
            Argument::Reference(place) => format!("ref {}", self.place(place)),
        }
    }

    fn emit(&mut self, emit: &Emit) -> String {
        let target = self.way(emit);
        let event = self.names.events.show(emit.event.index());
        let later = if emit.later { " later" } else { "" };
        let call = if emit.call { " call" } else { "" };
        let arguments = self.list(&emit.arguments);
        format!("emit {target} {event}({arguments}){later}{call}{};", likely(emit.likely))
    }

    /// The target of an emission: its receiver if only one link of the layer leads there, otherwise the link.
    fn way(&self, emit: &Emit) -> String {
        let stack = self.scoped.stack;
        let known = stack.events.get(emit.event.index()).zip(self.layer);
        let only = known.and_then(|(event, layer)| {
            let end = stack.links.get(emit.link.index())?.end(event.direction);
            (link_to(stack, layer, event.direction, end) == Some(emit.link)).then_some(end)
        });
        match only {
            Some(end) => self.names.end(end),
            None => format!("link #{}", emit.link.0),
        }
    }

    /// Returns the text of a place; its type is stated only if it does not follow from root and path.
    pub fn place(&mut self, place: &Place) -> String {
        let mut text = match place.root {
            Root::Cell(id) => format!("@{}", self.names.cells.show(id.index())),
            Root::Local(id) => self.local(id),
        };
        for step in &place.path {
            text += &match step {
                Step::Field(i) => format!(":{i}"),
                Step::Index(index) => format!("[{}]", self.expr(index)),
                Step::Unwrap => "!".into(),
            };
        }
        if self.scoped.place(place.root, &place.path).as_ref() != Some(&place.ty) {
            text += &format!("'{}", self.ty(&place.ty));
        }
        text
    }

    /// Returns the text of an expression; its type is stated only if it does not follow from the operands.
    pub fn expr(&mut self, e: &Expr) -> String {
        let text = self.kind(e);
        let mark = self.mark(e.span);
        let known = match &e.kind {
            ExprKind::Const(0 | 1) if e.ty == Type::Bool => true,
            ExprKind::Convert(_) => true,
            kind => self.scoped.expr(kind).as_ref() == Some(&e.ty),
        };
        if known {
            text + &mark
        } else {
            format!("{text}'{}{mark}", self.ty(&e.ty))
        }
    }

    fn kind(&mut self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Const(n @ 0..=1) if e.ty == Type::Bool => (if *n == 1 { "true" } else { "false" }).into(),
            ExprKind::Const(n) => n.to_string(),
            ExprKind::Literal(bytes) => {
                format!("literal({:?})", bytes.iter().map(|b| format!("{b:02x}")).collect::<String>())
            }
            ExprKind::Zero => "zero".into(),
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Load(place) if matches!(place.root, Root::Cell(_)) && place.ty == e.ty => self.place(place),
            ExprKind::Load(place) => format!("load({})", self.place(place)),
            ExprKind::Borrow(place) => format!("borrow({})", self.place(place)),
            ExprKind::Unary(op, a) => format!("{}({})", op.row().word, self.expr(a)),
            ExprKind::Binary(op, a, b) => format!("({} {} {})", self.expr(a), op.word(), self.expr(b)),
            ExprKind::Convert(a) => format!("({} as {})", self.expr(a), self.ty(&e.ty)),
            ExprKind::If(a, b, c) => format!("if({}, {}, {})", self.expr(a), self.expr(b), self.expr(c)),
            ExprKind::Struct(list) => format!("make({})", self.list(list)),
            ExprKind::Tuple(list) => format!("tuple({})", self.list(list)),
            ExprKind::Array(list) => format!("array({})", self.list(list)),
            ExprKind::Some(a) => format!("some({})", self.expr(a)),
            ExprKind::None => "none".into(),
            ExprKind::IsSome(a) => format!("is_some({})", self.expr(a)),
            ExprKind::Unwrap(a) => format!("unwrap({})", self.expr(a)),
            ExprKind::Field(a, i) => format!("field({}, {i})", self.expr(a)),
            ExprKind::Index(a, b) => format!("index({}, {})", self.expr(a), self.expr(b)),
            ExprKind::Query(query, place, list) => {
                let place = self.place(place);
                let list: String = list.iter().map(|e| format!(", {}", self.expr(e))).collect();
                format!("{}({place}{list})", query.question().word)
            }
            ExprKind::Now => "now".into(),
            ExprKind::Fingerprint => "fingerprint".into(),
            ExprKind::Room => "room".into(),
            ExprKind::Concat(list) => format!("concat({})", self.list(list)),
            ExprKind::MulDiv(a, b, c) => format!("mul_div({}, {}, {})", self.expr(a), self.expr(b), self.expr(c)),
            ExprKind::Part(a, b, c) => format!("part({}, {}, {})", self.expr(a), self.expr(b), self.expr(c)),
            ExprKind::BytesOf(a) => format!("bytes_of({})", self.expr(a)),
            ExprKind::View(a) => format!("view({})", self.expr(a)),
            ExprKind::Through(id, a) => format!("through({}, {})", self.names.filters.show(id.index()), self.expr(a)),
            ExprKind::Extern(id, list) => {
                let list: String = list.iter().map(|e| format!(", {}", self.expr(e))).collect();
                format!("extern({}{list})", self.names.externs.show(id.index()))
            }
            ExprKind::Empty => "empty".into(),
            ExprKind::Share(a) => format!("share({})", self.expr(a)),
            ExprKind::Length(a) => format!("length({})", self.expr(a)),
            ExprKind::Head(a, head) => {
                let header = |id: HeaderId| self.names.headers.show(id.index());
                match *head {
                    Head::Is(id) => format!("is({}, {})", self.expr(a), header(id)),
                    Head::Field(id, at) => format!("field_of({}, {}, {at})", self.expr(a), header(id)),
                    Head::Data => format!("is_data({})", self.expr(a)),
                }
            }
            ExprKind::Push(a, header, fields) => {
                let fields: String = fields.iter().map(|e| format!(", {}", self.expr(e))).collect();
                format!("push({}, {}{fields})", self.expr(a), self.names.headers.show(header.index()))
            }
            ExprKind::Slice(a, b, c) => format!("slice({}, {}, {})", self.expr(a), self.expr(b), self.expr(c)),
            ExprKind::Rest(a, b) => format!("rest({}, {})", self.expr(a), self.expr(b)),
            ExprKind::Pack(layout, a) => format!("pack(#{}, {})", layout.0, self.expr(a)),
            ExprKind::PackView(layout, a) => format!("pack_view(#{}, {})", layout.0, self.expr(a)),
        }
    }
}

/// A name and a type.
pub fn parameter(names: &Names, name: &str, t: &Type) -> String {
    format!("{}'{}", quoted(name), ty(names, t))
}
