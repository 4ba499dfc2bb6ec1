//! Messages with a header of the layer that checks: the header is put on last of all, and the message is sent.
//!
//! Such a message may have a name. It is not kept, packed or given to a function, and no second header is put on: what
//! is kept has the headers of the layers above alone, and functions take messages of that kind.

use std::collections::HashSet;

use nacre_diagnostics::Diagnostic;

use crate::checker::Checker;
use crate::tree::{
    Argument, Block, ConditionKind, Expr, ExprKind, NameId, Node, Otherwise, OtherwiseKind, Partial, PartialKind,
    Pattern, PatternKind, Statement, StatementKind,
};

impl Checker<'_> {
    /// Reports messages that carry a header of the layer where they must not.
    pub(crate) fn check_own_headers(&mut self) {
        let functions = self.tree.functions.iter().map(|f| &f.body);
        let bodies = self.tree.handlers.iter().map(|h| &h.body).chain(functions);
        let found: Vec<Diagnostic> = bodies.flat_map(|body| Carried::of(body).wrong(body)).collect();
        self.found.extend(found);
    }
}

/// What to do about most of these.
const SEND: &str = "add the header where the message is sent: `below.send(m + Header { ... });`";

/// The names of a body whose messages may carry a header of the layer.
#[derive(Default)]
struct Carried(HashSet<NameId>);

impl Carried {
    fn of(body: &Block) -> Carried {
        let mut carried = Carried::default();
        loop {
            let before = carried.0.len();
            body.visit(&mut |node| carried.note(node));
            if carried.0.len() == before {
                return carried;
            }
        }
    }

    fn note(&mut self, node: Node) {
        let Node::Statement(statement) = node else { return };
        match &statement.kind {
            StatementKind::Let { pattern, value } if self.carries(value) => self.names(pattern),
            StatementKind::Var { name, value } | StatementKind::Set { name, value } if self.carries(value) => {
                self.0.insert(*name);
            }
            StatementKind::If(branch) => self.note_condition(&branch.condition.kind),
            StatementKind::While { condition, .. } => self.note_condition(&condition.kind),
            _ => {}
        }
    }

    fn note_condition(&mut self, condition: &ConditionKind) {
        if let ConditionKind::Let { pattern, value } = condition {
            if self.gives(value) {
                self.names(pattern);
            }
        }
    }

    fn names(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Name(name) => drop(self.0.insert(*name)),
            PatternKind::Tuple(parts) => parts.iter().for_each(|part| self.names(part)),
            PatternKind::Any | PatternKind::Error => {}
        }
    }

    /// Whether a value is such a message; one that contains it is an error itself.
    fn carries(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Push(..) => true,
            ExprKind::Name(name) => self.0.contains(name),
            ExprKind::If(x) => self.carries(&x.then) || self.carries(&x.otherwise),
            ExprKind::Share(x) | ExprKind::Rest(x, _) => self.carries(x),
            ExprKind::Try(partial, _) => self.gives(partial),
            _ => false,
        }
    }

    fn gives(&self, partial: &Partial) -> bool {
        match &partial.kind {
            PartialKind::Option(x) | PartialKind::Bound(x, _) => self.carries(x),
            _ => false,
        }
    }

    fn wrong(&self, body: &Block) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut report = |e: &Expr, what: &str, help: &str| {
            if self.carries(e) {
                let why = "a layer adds its header last; a stored message has only the headers of the layers above";
                let wrong = Diagnostic::error("T0075", what).at(e.span, "it has a header of this layer");
                found.push(wrong.because(why).help(help));
            }
        };
        body.visit(&mut |node| match node {
            Node::Statement(Statement { kind: StatementKind::Store { value, .. }, .. }) => kept(value, &mut report),
            Node::Statement(Statement { kind: StatementKind::Return(Some(value)), .. })
            | Node::Otherwise(Otherwise { kind: OtherwiseKind::Return(Some(value)), .. }) => {
                report(value, "a message with a header of this layer cannot be returned", SEND);
            }
            Node::Expr(e) => self.wrong_in(e, &mut report),
            Node::Partial(Partial { kind: PartialKind::Operate(_, _, xs), .. }) => {
                xs.iter().for_each(|x| kept(x, &mut report));
            }
            Node::Statement(_) | Node::Otherwise(_) | Node::Partial(_) => {}
        });
        found
    }

    fn wrong_in(&self, e: &Expr, report: &mut dyn FnMut(&Expr, &str, &str)) {
        match &e.kind {
            ExprKind::Push(message, ..) => {
                report(
                    message,
                    "a message carries at most one header of a layer",
                    "declare one variant with the fields of both",
                );
            }
            ExprKind::Call(_, arguments) | ExprKind::CallOwn(_, arguments) => {
                let values = arguments.iter().filter_map(|a| if let Argument::Value(x) = a { Some(x) } else { None });
                let what = "a message with a header of this layer cannot be passed to a function";
                values.for_each(|x| report(x, what, SEND));
            }
            ExprKind::Pack(x) | ExprKind::Unpack(x) | ExprKind::Join(_, x) => {
                report(x, "a message with a header of this layer cannot be packed or joined", SEND);
            }
            ExprKind::Operate(_, _, xs) => xs.iter().for_each(|x| kept(x, report)),
            ExprKind::Some(x) => kept(x, report),
            ExprKind::Struct(fields) => fields.given.iter().for_each(|(_, x)| kept(x, report)),
            ExprKind::Tuple(xs) | ExprKind::Array(xs) => xs.iter().for_each(|x| kept(x, report)),
            _ => {}
        }
    }
}

fn kept(e: &Expr, report: &mut dyn FnMut(&Expr, &str, &str)) {
    report(e, "a message with a header of this layer cannot be stored", SEND);
}
