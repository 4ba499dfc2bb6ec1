//! Infers the classes of header fields (van Renesse 1996 §2.1) from the origins of their values and their uses by
//! receivers.

use std::collections::BTreeMap;

use nacre_analysis::values::{self, BodyId, Slot, Values};
use nacre_analysis::Max;
use nacre_diagnostics::Diagnostic;
use nacre_stack::visit::{Parts, Traverse};
use nacre_stack::*;

use crate::codes;
use crate::gossip;

/// Infers the class of every field; checks stated classes.
pub(crate) fn classify(stack: &mut Stack) -> Vec<Diagnostic> {
    let sources = Sources::of(stack).fields();
    let mut problems = vec![];
    for h in 0..stack.headers.len() {
        for f in 0..stack.headers[h].fields.len() {
            let header = HeaderId(h as u32);
            let stated = stack.headers[h].fields[f].class;
            let value = sources.get(&(header, f as u32)).copied().unwrap_or(FieldClass::Protocol);
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
            "the receiver's treatment of the message depends on it".to_string()
        }
        (_, FieldClass::Message) => "its value depends on the message or on an event's argument".to_string(),
        _ => "its value depends on state that changes".to_string(),
    };
    Diagnostic::error(codes::CLASS, title)
        .at(layer.span, format!("`{name}` is stated to be {}", called(stated)))
        .because(why)
        .help("omit the class: it is inferred from the data flow")
}

fn called(class: FieldClass) -> &'static str {
    match class {
        FieldClass::Identification => "connection identification",
        FieldClass::Protocol => "protocol-specific",
        FieldClass::Message => "message-specific",
        FieldClass::Gossip => "gossip",
    }
}

/// The origins of values: the worst over all paths.
struct Sources<'a> {
    stack: &'a Stack,
    values: Values<Max<FieldClass>>,
}

impl<'a> Sources<'a> {
    fn of(stack: &'a Stack) -> Sources<'a> {
        let mut sources = Sources { stack, values: Values::new(Max(FieldClass::Identification)) };
        for body in values::bodies(stack).filter(|body| matches!(body.id, BodyId::Handler(_))) {
            for local in body.parameters.iter().chain(body.fields) {
                sources.local(body.id, *local, FieldClass::Message);
            }
        }
        let bodies: Vec<_> = values::bodies(stack).collect();
        loop {
            // In both directions: arguments go to the functions that are called, results come back from them.
            for body in bodies.iter().chain(bodies.iter().rev()) {
                body.block.each_statement(|statement| sources.statement(body.id, statement));
            }
            if !sources.values.take_grew() {
                return sources;
            }
        }
    }

    /// The class of each field that some emission sets.
    fn fields(&self) -> BTreeMap<(HeaderId, u32), FieldClass> {
        let fields = self.values.iter().filter_map(|(slot, class)| match slot {
            Slot::Header(header, field) => Some(((header, field), class.0)),
            _ => None,
        });
        fields.collect()
    }

    fn local(&mut self, body: BodyId, local: LocalId, class: FieldClass) {
        self.values.raise(Slot::Local(body, local), &Max(class));
    }

    fn statement(&mut self, body: BodyId, statement: &Statement) {
        let Parts { operands: exprs, places, .. } = statement.parts();
        exprs.iter().for_each(|e| self.pushed(body, e));
        let values = self.worst(body, exprs);
        let from = places.iter().map(|p| self.place(body, p)).fold(values, FieldClass::max);
        let class = match &statement.kind {
            StatementKind::Store(place, _) => return self.root(body, place, values),
            StatementKind::Return(Some(_)) => {
                if let BodyId::Function(function) = body {
                    self.values.raise(Slot::Result(function), &Max(values));
                }
                return;
            }
            StatementKind::Call { into, function, arguments } => return self.call(body, *into, *function, arguments),
            StatementKind::Random { .. } => FieldClass::Protocol,
            StatementKind::Operate(o) => {
                self.root(body, &o.place, values);
                // A result of a container (a number, a slot) is state, for any stored message.
                self.place(body, &o.place)
            }
            StatementKind::Each { walk, .. } => self.place(body, &walk.over),
            StatementKind::CallExtern { .. }
            | StatementKind::Filter { .. }
            | StatementKind::Unpack { .. }
            | StatementKind::Join { .. } => FieldClass::Message,
            StatementKind::Let(..)
            | StatementKind::If { .. }
            | StatementKind::Loop { .. }
            | StatementKind::For { .. }
            | StatementKind::Break
            | StatementKind::Return(None)
            | StatementKind::Emit(_)
            | StatementKind::Drop(_)
            | StatementKind::Arm { .. }
            | StatementKind::Cancel(_)
            | StatementKind::Count(..)
            | StatementKind::Assert(..)
            | StatementKind::Impossible
            | StatementKind::Unreachable
            | StatementKind::Fit { .. }
            | StatementKind::Yield(_)
            | StatementKind::Reject
            | StatementKind::Take { .. } => from,
        };
        statement.sets().into_iter().for_each(|local| self.local(body, local, class));
    }

    fn call(&mut self, body: BodyId, into: Option<LocalId>, function: FunctionId, arguments: &[Argument]) {
        let callee = self.stack.function(function);
        for (parameter, argument) in callee.parameters.iter().zip(arguments) {
            let slot = Slot::Local(BodyId::Function(function), *parameter);
            match argument {
                Argument::Value(e) => {
                    let class = self.value(body, e);
                    self.values.raise(slot, &Max(class));
                }
                // The function writes to the caller's place.
                Argument::Reference(place) => {
                    let (given, left) = (self.place(body, place), self.values.of(slot).0);
                    self.values.raise(slot, &Max(given));
                    self.root(body, place, left);
                }
            }
        }
        if let Some(into) = into {
            let result = self.values.of(Slot::Result(function)).0;
            self.local(body, into, result);
        }
    }

    /// An assignment to a part of a local gives the local the origin of the value; the state remains state.
    fn root(&mut self, body: BodyId, place: &Place, class: FieldClass) {
        if let Root::Local(local) = place.root {
            self.local(body, local, class);
        }
    }

    fn place(&self, body: BodyId, place: &Place) -> FieldClass {
        let root = match place.root {
            Root::Cell(cell) if self.stack.cell(cell).scope == Scope::Given => FieldClass::Identification,
            Root::Cell(_) => FieldClass::Protocol,
            Root::Local(local) => self.values.of(Slot::Local(body, local)).0,
        };
        let indices = place.path.iter().filter_map(|s| if let Step::Index(e) = s { Some(e) } else { None });
        self.worst(body, indices).max(root)
    }

    /// Records the fields of headers that an expression adds.
    fn pushed(&mut self, body: BodyId, expr: &Expr) {
        let mut pushed = vec![];
        expr.each_expr(|e| {
            if let ExprKind::Push(_, header, values) = &e.kind {
                let classes = values.iter().map(|v| self.value(body, v));
                pushed.extend(classes.enumerate().map(|(i, class)| (Slot::Header(*header, i as u32), class)));
            }
        });
        pushed.into_iter().for_each(|(slot, class)| self.values.raise(slot, &Max(class)));
    }

    fn worst<'e>(&self, body: BodyId, exprs: impl IntoIterator<Item = &'e Expr>) -> FieldClass {
        exprs.into_iter().map(|e| self.value(body, e)).fold(FieldClass::Identification, FieldClass::max)
    }

    fn value(&self, body: BodyId, expr: &Expr) -> FieldClass {
        match &expr.kind {
            ExprKind::Local(local) => self.values.of(Slot::Local(body, *local)).0,
            ExprKind::Load(place) => self.place(body, place),
            ExprKind::Query(_, place, arguments) => self.worst(body, arguments).max(self.place(body, place)),
            ExprKind::Now
            | ExprKind::Length(_)
            | ExprKind::Head(..)
            | ExprKind::View(_)
            | ExprKind::Through(..)
            | ExprKind::PackView(..) => FieldClass::Message,
            _ => self.worst(body, expr.operands()),
        }
    }
}
