//! What the free constants of a path stand for.

use std::collections::HashMap;

use nacre_stack::*;
use nacre_symbolic::record::Made;
use nacre_symbolic::terms::Term;
use nacre_symbolic::values::{leaves, Message, Row, Value, Window};

use crate::path::Path;

/// What a free constant stands for.
#[derive(Clone)]
pub(crate) enum Leaf {
    /// A value of a type with a single term.
    Value(Expr),
    /// The bytes of a message: an expression that borrows it.
    Bytes(Expr),
    Timer(Place),
    /// Which entries of a window are there; its lowest number.
    Used(Place, Term),
    /// The header of a layer that is on a message, as a number: an expression that borrows the message.
    Kind(Expr, LayerId),
    /// A part of the entries of a window: the path to it, and its type.
    Entries {
        window: Place,
        path: Vec<Step>,
        ty: Type,
    },
}

/// The expressions of free constants.
struct Known<'p> {
    stack: &'p Stack,
    leaves: HashMap<Term, Leaf>,
}

/// What is known before the event: the state, what is given, and what is calculated from that alone.
pub(crate) fn known(stack: &Stack, path: &Path) -> HashMap<Term, Leaf> {
    let mut known = Known { stack, leaves: HashMap::new() };
    for (at, (cell, value)) in stack.cells.iter().zip(&path.before.cells).enumerate() {
        if let Ok(value) = value {
            let place = Place { root: Root::Cell(CellId(at as u32)), path: vec![], ty: cell.ty.clone() };
            known.place(&place, value);
        }
    }
    for (local, value) in path.code.parameters.iter().zip(&path.arguments) {
        known.argument(path, *local, value);
    }
    path.code.record.made.iter().for_each(|made| known.made(path, made));
    let calculated = path.code.record.calculated.iter();
    known.leaves.extend(calculated.map(|(term, expr)| (*term, Leaf::Value(expr.clone()))));
    known.leaves.insert(path.before.now, Leaf::Value(make(ExprKind::Now, Type::Instant)));
    known.leaves
}

impl Known<'_> {
    fn argument(&mut self, path: &Path, local: LocalId, value: &Value) {
        let ty = path.code.record.locals[local.index()].ty.clone();
        let expr = make(ExprKind::Local(local), ty.clone());
        match value {
            Value::Term(term) => {
                self.leaves.insert(*term, Leaf::Value(expr));
            }
            Value::Message(message) => {
                let place = Place { root: Root::Local(local), path: vec![], ty };
                let borrowed = make(ExprKind::Borrow(Box::new(place)), Type::Msg);
                self.leaves.insert(message.bytes, Leaf::Bytes(borrowed));
                self.fields(path, message);
            }
            _ => {}
        }
    }

    /// Knows what was made, and whether it is there.
    fn made(&mut self, path: &Path, made: &Made) {
        let ty = path.code.record.locals[made.local.index()].ty.clone();
        let place = Place { root: Root::Local(made.local), path: vec![], ty };
        let (Value::Option(some, inner), Type::Option(ty)) = (&made.value, &place.ty) else {
            return self.place(&place, &made.value);
        };
        let is_there = make(ExprKind::Local(made.is_there), Type::Bool);
        self.leaves.insert(*some, Leaf::Value(is_there));
        let place = inside(&place, Step::Unwrap, (**ty).clone());
        self.place(&place, inner);
        if let Value::Message(message) = &**inner {
            self.headers(path, &place, message);
        }
    }

    /// Knows the headers on a message at a place.
    fn headers(&mut self, path: &Path, place: &Place, message: &Message) {
        let borrowed = make(ExprKind::Borrow(Box::new(place.clone())), Type::Msg);
        let ask = |head| ExprKind::Head(Box::new(borrowed.clone()), head);
        let terms = &path.terms;
        let is_open = |term: Term| terms.value_of(term).is_none() && terms.truth_of(term).is_none();
        for (layer, kind) in (0..).map(LayerId).zip(&message.kinds).filter(|(_, kind)| is_open(**kind)) {
            self.leaves.insert(*kind, Leaf::Kind(borrowed.clone(), layer));
        }
        if is_open(message.data) {
            self.leaves.insert(message.data, Leaf::Value(make(ask(Head::Data), Type::Bool)));
        }
        for (header, (declared, fields)) in (0..).map(HeaderId).zip(self.stack.headers.iter().zip(&message.fields)) {
            for (at, (field, value)) in (0..).zip(declared.fields.iter().zip(fields)) {
                if let Value::Term(term) = value {
                    let value = make(ask(Head::Field(header, at)), field.ty.clone());
                    self.leaves.insert(*term, Leaf::Value(value));
                }
            }
        }
    }

    fn fields(&mut self, path: &Path, message: &Message) {
        let headers = path.entry.headers(self.stack).iter().zip(&path.code.fields);
        for (header, locals) in headers {
            for (local, value) in locals.iter().zip(&message.fields[header.index()]) {
                let ty = path.code.record.locals[local.index()].ty.clone();
                let place = Place { root: Root::Local(*local), path: vec![], ty };
                self.place(&place, value);
            }
        }
    }

    /// Knows the parts of a value at a place.
    fn place(&mut self, place: &Place, value: &Value) {
        match (value, &place.ty) {
            (Value::Term(term), Type::Timer) => {
                self.leaves.insert(*term, Leaf::Timer(place.clone()));
            }
            (Value::Term(term), _) => {
                let load = load(place.clone());
                self.leaves.insert(*term, Leaf::Value(load));
            }
            (Value::Tuple(parts), Type::Struct(_) | Type::Tuple(_)) => {
                for (at, (part, ty)) in parts.iter().zip(self.types_of(&place.ty)).enumerate() {
                    self.place(&inside(place, Step::Field(at as u32), ty), part);
                }
            }
            (Value::Option(some, inner), Type::Option(ty)) => {
                let whole = match self.stack.has_message(&place.ty) {
                    true => make(ExprKind::Borrow(Box::new(place.clone())), place.ty.clone()),
                    false => load(place.clone()),
                };
                let is_some = make(ExprKind::IsSome(Box::new(whole)), Type::Bool);
                self.leaves.insert(*some, Leaf::Value(is_some));
                self.place(&inside(place, Step::Unwrap, (**ty).clone()), inner);
            }
            (Value::Array(parts), Type::Array(ty, _)) => {
                for (at, part) in parts.iter().enumerate() {
                    let index = make(ExprKind::Const(at as u64), Type::UInt(32));
                    self.place(&inside(place, Step::Index(index), (**ty).clone()), part);
                }
            }
            (Value::Message(message), _) => {
                let borrowed = make(ExprKind::Borrow(Box::new(place.clone())), Type::Msg);
                self.leaves.insert(message.bytes, Leaf::Bytes(borrowed));
            }
            (Value::Window(window), Type::Window(..)) => self.window(place, window),
            (Value::Row(row), _) => self.row(place, row),
            _ => {}
        }
    }

    fn types_of(&self, ty: &Type) -> Vec<Type> {
        match ty {
            Type::Struct(id) => self.stack.structs[id.index()].fields.iter().map(|field| field.ty.clone()).collect(),
            Type::Tuple(types) => types.clone(),
            _ => vec![],
        }
    }

    fn window(&mut self, place: &Place, window: &Window) {
        let Type::Window(entry, _, bits) = &place.ty else { return };
        for (query, term) in [(Query::Low, window.low), (Query::Next, window.next), (Query::High, window.high)] {
            let asked = make(ExprKind::Query(query, Box::new(place.clone()), vec![]), Type::Seq(*bits));
            self.leaves.insert(term, Leaf::Value(asked));
        }
        self.leaves.insert(window.used, Leaf::Used(place.clone(), window.low));
        let mut parts = vec![];
        self.parts(&window.entries.form, entry, &mut vec![], &mut parts);
        // One array for each term of an entry, in the order of its parts.
        for (array, part) in window.entries.arrays.iter().zip(parts) {
            if let Some((path, ty)) = part {
                self.leaves.insert(*array, Leaf::Entries { window: place.clone(), path, ty });
            }
        }
    }

    /// The parts of an entry in the order of its terms; None: one that no expression gives.
    fn parts(&self, form: &Value, ty: &Type, path: &mut Vec<Step>, found: &mut Vec<Option<(Vec<Step>, Type)>>) {
        match (form, ty) {
            (Value::Tuple(parts), Type::Struct(_) | Type::Tuple(_)) => {
                for (at, (part, ty)) in parts.iter().zip(self.types_of(ty)).enumerate() {
                    path.push(Step::Field(at as u32));
                    self.parts(part, &ty, path, found);
                    path.pop();
                }
            }
            (Value::Term(_), _) => found.push(Some((path.clone(), ty.clone()))),
            _ => {
                let mut hidden = vec![];
                let _ = leaves(form, &mut hidden);
                found.extend(hidden.iter().map(|_| None));
            }
        }
    }

    fn row(&mut self, place: &Place, row: &Row) {
        let len = make(ExprKind::Query(Query::Len, Box::new(place.clone()), vec![]), Type::UInt(32));
        self.leaves.insert(row.len, Leaf::Value(len));
    }
}

/// A part of a place.
pub(crate) fn inside(place: &Place, step: Step, ty: Type) -> Place {
    let mut path = place.path.clone();
    path.push(step);
    Place { root: place.root, path, ty }
}

fn make(kind: ExprKind, ty: Type) -> Expr {
    Expr::new(kind, ty, Span::default())
}

fn load(place: Place) -> Expr {
    let ty = place.ty.clone();
    make(ExprKind::Load(Box::new(place)), ty)
}
