//! The classes of header fields (van Renesse 1996 §2.1), from where their values come from and what receivers do with them.

use std::collections::BTreeMap;

use nacre_stack::*;

use crate::activation::assigned;
use crate::codes;
use crate::gossip;
use crate::walk::{any, parts, statements};
use crate::Diagnostic;

/// Where code stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Code {
    Handler(HandlerId),
    Function(FunctionId),
}

/// Infers the class of every field; checks those that an author has stated.
pub(crate) fn classify(stack: &mut Stack) -> Vec<Diagnostic> {
    let sources = Sources::of(stack);
    let mut problems = vec![];
    for h in 0..stack.headers.len() {
        for f in 0..stack.headers[h].fields.len() {
            let header = HeaderId(h as u32);
            let stated = stack.headers[h].fields[f].class;
            let value = sources.fields.get(&(header, f as u32)).copied().unwrap_or(FieldClass::Protocol);
            let gossip = || gossip::is_gossip(stack, header, f);
            let class = match (stated, value) {
                (FieldClass::Protocol, FieldClass::Protocol) if gossip() => FieldClass::Gossip,
                (FieldClass::Protocol, inferred) => inferred,
                (FieldClass::Gossip, FieldClass::Identification | FieldClass::Protocol) if gossip() => {
                    FieldClass::Gossip
                }
                (FieldClass::Identification, FieldClass::Identification) => FieldClass::Identification,
                (FieldClass::Message, _) => FieldClass::Message,
                (stated, inferred) => {
                    problems.push(contradicted(stack, header, f, stated, inferred));
                    stated
                }
            };
            stack.headers[h].fields[f].class = class;
        }
    }
    problems
}

fn contradicted(stack: &Stack, header: HeaderId, field: usize, stated: FieldClass, inferred: FieldClass) -> Diagnostic {
    let header = stack.header(header);
    let layer = stack.layer(header.layer);
    let name = &header.fields[field].name;
    let title = format!("`{}.{name}` of `{}` is not {}", header.name, layer.name, called(stated));
    let why = match (stated, inferred) {
        (FieldClass::Gossip, FieldClass::Protocol | FieldClass::Identification) => {
            "its receiver decides by it what becomes of the message".to_string()
        }
        (_, FieldClass::Message) => "its value depends on the message or on an event's argument".to_string(),
        _ => "its value depends on state that changes".to_string(),
    };
    Diagnostic::error(codes::CLASS, title)
        .at(layer.span, format!("`{name}` is stated to be {}", called(stated)))
        .because(why)
        .help("leave the class out: it is found from the data flow")
}

fn called(class: FieldClass) -> &'static str {
    match class {
        FieldClass::Identification => "connection identification",
        FieldClass::Protocol => "protocol-specific",
        FieldClass::Message => "message-specific",
        FieldClass::Gossip => "gossip",
    }
}

/// Where values come from: the worst over all ways.
#[derive(Default)]
struct Sources {
    locals: BTreeMap<(Code, LocalId), FieldClass>,
    results: BTreeMap<FunctionId, FieldClass>,
    fields: BTreeMap<(HeaderId, u32), FieldClass>,
    new: bool,
}

impl Sources {
    fn of(stack: &Stack) -> Sources {
        let mut sources = Sources::default();
        for (i, handler) in stack.handlers.iter().enumerate() {
            for local in handler.parameters.iter().chain(&handler.fields) {
                sources.local(Code::Handler(HandlerId(i as u32)), *local, FieldClass::Message);
            }
        }
        loop {
            sources.new = false;
            for (i, handler) in stack.handlers.iter().enumerate() {
                sources.block(stack, Code::Handler(HandlerId(i as u32)), &handler.body);
            }
            for (i, function) in stack.functions.iter().enumerate() {
                sources.block(stack, Code::Function(FunctionId(i as u32)), &function.body);
            }
            if !sources.new {
                return sources;
            }
        }
    }

    fn local(&mut self, code: Code, local: LocalId, class: FieldClass) {
        let known = self.locals.get(&(code, local)).copied();
        if known.is_none_or(|k| k < class) {
            self.locals.insert((code, local), class);
            self.new = true;
        }
    }

    fn block(&mut self, stack: &Stack, code: Code, block: &Block) {
        statements(block, &mut |statement| self.statement(stack, code, statement));
    }

    fn statement(&mut self, stack: &Stack, code: Code, statement: &Statement) {
        let (exprs, places) = parts(statement);
        let values = exprs.iter().map(|e| self.expr(stack, code, e)).max().unwrap_or(FieldClass::Identification);
        let from =
            places.iter().map(|p| self.place(stack, code, p)).max().unwrap_or(FieldClass::Identification).max(values);
        match &statement.kind {
            StatementKind::Store(place, _) => self.root(code, place, values),
            StatementKind::Return(Some(_)) => {
                if let Code::Function(function) = code {
                    let known = self.results.get(&function).copied();
                    if known.is_none_or(|k| k < values) {
                        self.results.insert(function, values);
                        self.new = true;
                    }
                }
            }
            StatementKind::Call { into, function, arguments } => {
                let callee = stack.function(*function);
                for (parameter, argument) in callee.parameters.iter().zip(arguments) {
                    let class = match argument {
                        Argument::Value(e) => self.expr(stack, code, e),
                        Argument::Reference(p) => self.place(stack, code, p),
                    };
                    self.local(Code::Function(*function), *parameter, class);
                }
                if let Some(into) = into {
                    let result = self.results.get(function).copied().unwrap_or(FieldClass::Identification);
                    self.local(code, *into, result);
                }
            }
            StatementKind::Random { into, .. } => self.local(code, *into, FieldClass::Protocol),
            StatementKind::Operate(o) => {
                // What a container tells of itself (a number, a slot) is state, whatever message went into it.
                let told = self.place(stack, code, &o.place);
                for local in assigned(statement) {
                    self.local(code, local, told);
                }
                self.root(code, &o.place, values);
            }
            StatementKind::Each { walk, .. } => {
                let told = self.place(stack, code, &walk.over).max(FieldClass::Identification);
                for local in assigned(statement) {
                    self.local(code, local, told);
                }
            }
            StatementKind::CallExtern { .. }
            | StatementKind::Filter { .. }
            | StatementKind::Unpack { .. }
            | StatementKind::Join { .. } => {
                for local in assigned(statement) {
                    self.local(code, local, FieldClass::Message);
                }
            }
            _ => {
                for local in assigned(statement) {
                    self.local(code, local, from);
                }
            }
        }
    }

    /// Assigning to a part of a local makes the local what was assigned; the state stays state.
    fn root(&mut self, code: Code, place: &Place, class: FieldClass) {
        if let Root::Local(local) = place.root {
            self.local(code, local, class);
        }
    }

    fn place(&self, stack: &Stack, code: Code, place: &Place) -> FieldClass {
        let root = match place.root {
            Root::Cell(cell) if stack.cell(cell).scope == Scope::Given => FieldClass::Identification,
            Root::Cell(_) => FieldClass::Protocol,
            Root::Local(local) => self.locals.get(&(code, local)).copied().unwrap_or(FieldClass::Identification),
        };
        let indices =
            place
                .path
                .iter()
                .filter_map(|s| if let Step::Index(e) = s { Some(self.value(stack, code, e)) } else { None });
        indices.max().unwrap_or(FieldClass::Identification).max(root)
    }

    /// The class of a value; notes the fields of headers that are put on inside it.
    fn expr(&mut self, stack: &Stack, code: Code, expr: &Expr) -> FieldClass {
        let mut pushed = vec![];
        any(expr, &mut |e| {
            if let ExprKind::Push(_, header, values) = &e.kind {
                let classes = values.iter().map(|v| self.value(stack, code, v));
                pushed.extend(classes.enumerate().map(|(i, class)| ((*header, i as u32), class)));
            }
            false
        });
        for (field, class) in pushed {
            let known = self.fields.entry(field).or_insert(FieldClass::Identification);
            *known = (*known).max(class);
        }
        self.value(stack, code, expr)
    }

    fn value(&self, stack: &Stack, code: Code, expr: &Expr) -> FieldClass {
        match &expr.kind {
            ExprKind::Local(local) => self.locals.get(&(code, *local)).copied().unwrap_or(FieldClass::Identification),
            ExprKind::Load(place) => self.place(stack, code, place),
            ExprKind::Query(_, place, arguments) => {
                let told = self.place(stack, code, place);
                arguments.iter().map(|a| self.value(stack, code, a)).max().unwrap_or(told).max(told)
            }
            ExprKind::Now
            | ExprKind::Length(_)
            | ExprKind::View(_)
            | ExprKind::Through(..)
            | ExprKind::PackView(..) => FieldClass::Message,
            _ => operands(expr)
                .0
                .into_iter()
                .map(|e| self.value(stack, code, e))
                .max()
                .unwrap_or(FieldClass::Identification),
        }
    }
}
