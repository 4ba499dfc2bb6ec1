//! The statements of one path, in the order in which they ran: straight code over the locals of all bodies.
//!
//! Branches leave no trace here: their conditions are those of the path. A function's parameters and result, and the
//! arguments of an event, are locals that are set before the body that uses them. The message of a frame has no
//! headers, and its fields are locals; where the code uses the message as a whole, they are put on again.

use std::collections::BTreeMap;

use nacre_stack::*;

use crate::terms::Term;
use crate::values::Value;
use crate::Unsupported;

/// The code of a path, as far as it has run.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub locals: Vec<Local>,
    /// By local: whose code it is from.
    pub homes: Vec<Target>,
    pub body: Block,
    /// Why there is no code for the path.
    pub refused: Option<Unsupported>,
    /// Messages of the frame: the headers that are still on them, that of the lowest layer first.
    pub(crate) worn: BTreeMap<LocalId, Vec<HeaderId>>,
    /// The fields of the frame's headers.
    fields: BTreeMap<HeaderId, Vec<LocalId>>,
    /// Of the bodies that run: where the result goes.
    pub(crate) results: Vec<Option<LocalId>>,
    /// Locals that are given, by those into which they were moved; by themselves, too.
    pub(crate) given: BTreeMap<LocalId, LocalId>,
    /// What is calculated from nothing but what is given.
    pub calculated: BTreeMap<Term, Expr>,
    /// What filters, externs and unpacking have made.
    pub made: Vec<Made>,
}

/// What a statement has made of bytes.
#[derive(Clone, Debug)]
pub struct Made {
    pub local: LocalId,
    pub value: Value,
    /// Of an option: a local to ask whether it is there, when it was moved away; nothing sets it yet.
    pub is_there: LocalId,
}

impl Record {
    /// A new local.
    pub fn local(&mut self, name: &str, ty: &Type, home: Target) -> LocalId {
        if *ty == Type::View {
            self.refuse("bytes that are borrowed in a local");
        }
        self.locals.push(Local { name: name.into(), ty: ty.clone(), by_ref: false });
        self.homes.push(home);
        LocalId(self.locals.len() as u32 - 1)
    }

    /// A new local whose value is given.
    pub fn parameter(&mut self, name: &str, ty: &Type, home: Target) -> LocalId {
        let local = self.local(name, ty, home);
        self.given.insert(local, local);
        local
    }

    /// A message of the frame that enters carries these headers, that of the lowest layer first, with these fields.
    pub fn wear(&mut self, message: LocalId, headers: &[HeaderId], fields: &[Vec<LocalId>]) {
        self.worn.insert(message, headers.to_vec());
        self.fields.extend(headers.iter().copied().zip(fields.iter().cloned()));
    }

    /// Only headers of the layers above one remain on a message.
    pub fn carry(&mut self, stack: &Stack, message: LocalId, layer: LayerId) {
        if let Some(headers) = self.worn.get_mut(&message) {
            headers.retain(|header| stack.header(*header).layer > layer);
        }
    }

    /// The fields of the header that a message of the frame carries; None: it is no such message.
    pub fn fields_of(&self, message: LocalId, header: HeaderId) -> Option<&[LocalId]> {
        let worn = self.worn.get(&message)?.contains(&header);
        self.fields.get(&header).filter(|_| worn).map(Vec::as_slice)
    }

    /// The fields of the header that is on a message, in locals of their own.
    pub fn fields_on(&mut self, stack: &Stack, message: LocalId, header: HeaderId) -> Vec<LocalId> {
        let (declared, span) = (stack.header(header), Span::default());
        let mut locals = vec![];
        for (field, at) in declared.fields.iter().zip(0..) {
            let local = self.local(&field.name, &field.ty, Target::Layer(declared.layer));
            let place = Place { root: Root::Local(message), path: vec![], ty: Type::Msg };
            let borrowed = Box::new(Expr::new(ExprKind::Borrow(Box::new(place)), Type::Msg, span));
            let value = ExprKind::Head(borrowed, Head::Field(header, at));
            self.add(StatementKind::Let(local, Expr::new(value, field.ty.clone(), span)), span);
            locals.push(local);
        }
        locals
    }

    /// Moves a message of no frame to a layer, where it carries the headers of the layers above only.
    pub fn bring_to(&mut self, message: LocalId, layer: LayerId) -> LocalId {
        let Local { name, ty, .. } = self.locals[message.index()].clone();
        let (local, span) = (self.local(&name, &ty, Target::Layer(layer)), Span::default());
        self.add(StatementKind::Let(local, Expr::new(ExprKind::Local(message), ty, span)), span);
        local
    }

    /// Whether a message is that of the frame, whose headers are known.
    pub fn is_worn(&self, message: LocalId) -> bool {
        self.worn.contains_key(&message)
    }

    /// Notes what a statement has made.
    pub(crate) fn note_made(&mut self, local: LocalId, value: Value) {
        let (name, home) = (format!("has_{}", self.locals[local.index()].name), self.homes[local.index()]);
        let is_there = match value {
            Value::Option(..) => self.local(&name, &Type::Bool, home),
            _ => local,
        };
        self.made.push(Made { local, value, is_there });
    }

    /// There is no code for the path.
    pub fn refuse(&mut self, what: &str) {
        self.refused.get_or_insert_with(|| Unsupported::new(what.into()));
    }

    /// Adds a statement.
    pub fn add(&mut self, kind: StatementKind, span: Span) {
        self.body.push(Statement { kind, in_place: false, id: NodeId::default(), span });
    }

    /// A local as a whole: a message with its headers.
    pub fn whole(&self, local: LocalId, span: Span) -> Expr {
        let ty = self.locals[local.index()].ty.clone();
        self.dressed(local, Expr::new(ExprKind::Local(local), ty, span))
    }

    /// A message with the headers that a local of the frame still has.
    pub(crate) fn dressed(&self, local: LocalId, mut bare: Expr) -> Expr {
        for header in self.worn.get(&local).into_iter().flatten().rev() {
            let span = bare.span;
            let fields = self.fields[header]
                .iter()
                .map(|field| Expr::new(ExprKind::Local(*field), self.locals[field.index()].ty.clone(), span));
            bare = Expr::new(ExprKind::Push(Box::new(bare), *header, fields.collect()), Type::Msg, span);
        }
        bare
    }
}
