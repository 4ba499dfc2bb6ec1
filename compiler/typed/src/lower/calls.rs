//! Calls, operations on containers, and all else that is a statement of its own.

use nacre_stack::{Argument, Expr, ExprKind, LayoutId, LocalId, Operate, Operation, Place, StatementKind, Step, Type};

use super::Lowering;
use crate::bounded::is_message;
use crate::tree;

impl Lowering<'_> {
    /// An expression that is a statement: that, and the local with what it gives.
    pub(super) fn step_of(&mut self, e: &tree::Expr) -> ExprKind {
        use tree::ExprKind as T;
        let into = match &e.kind {
            T::Call(function, arguments) => {
                let arguments = self.arguments(arguments);
                let into = self.result(&e.ty);
                self.push(StatementKind::Call { into, function: *function, arguments });
                into
            }
            T::CallOwn(function, arguments) => self.put_in(*function, arguments),
            T::CallExtern(function, xs) => {
                let arguments = self.ordered(xs);
                let into = self.result(&e.ty);
                self.push(StatementKind::CallExtern { into, function: *function, arguments });
                into
            }
            T::Operate(operation, place, xs) => self.operate(*operation, place, xs, &e.ty),
            T::Take(place) => {
                let place = self.place(place);
                let into = self.temporary(e.ty.clone());
                self.push(StatementKind::Take { into, place });
                Some(into)
            }
            T::GetOr(place, both) => return self.get_or(place, both),
            T::Random(below) => {
                let below = self.expr(below);
                let into = self.temporary(e.ty.clone());
                self.push(StatementKind::Random { into, below });
                Some(into)
            }
            T::Filter(filter, xs) => Some(self.filter(*filter, xs, &e.ty)),
            T::Unpack(message) => {
                let message = self.expr(message);
                let into = self.temporary(e.ty.clone());
                self.push(StatementKind::Unpack { into, layout: LayoutId(0), message });
                Some(into)
            }
            T::Join(parts, last) => {
                let (parts, last) = self.place_then(parts, |l| l.expr(last));
                let into = self.temporary(e.ty.clone());
                self.push(StatementKind::Join { into, parts, last });
                Some(into)
            }
            _ => unreachable!("no step: {e:?}"),
        };
        into.map_or(ExprKind::Zero, ExprKind::Local)
    }

    fn arguments(&mut self, given: &[tree::Argument]) -> Vec<Argument> {
        let mut arguments: Vec<Argument> = Vec::new();
        for argument in given {
            let before = self.out.len();
            let lowered = match argument {
                tree::Argument::Reference(place) => Argument::Reference(self.place(place)),
                tree::Argument::Value(value) => Argument::Value(self.expr(value)),
            };
            self.keep_order(arguments.iter_mut().filter_map(value_of), before);
            arguments.push(match lowered {
                Argument::Reference(place) => Argument::Reference(self.fixed(place)),
                value @ Argument::Value(_) => value,
            });
        }
        arguments
    }

    fn operate(
        &mut self,
        operation: Operation,
        place: &tree::Place,
        arguments: &[tree::Expr],
        ty: &Type,
    ) -> Option<LocalId> {
        let (place, arguments) = self.place_then(place, |l| l.ordered(arguments));
        let into = self.result(ty);
        let is_row = matches!(place.ty, Type::Ring(..) | Type::List(..) | Type::Window(..));
        if operation == Operation::Clear && !is_row {
            let zero = self.make(ExprKind::Zero, place.ty.clone());
            self.push(StatementKind::Store(place, zero));
        } else {
            self.push(StatementKind::Operate(Operate { operation, place, arguments, into, done: None, back: None }));
        }
        into
    }

    /// `map.get(key, default)`
    fn get_or(&mut self, place: &tree::Place, both: &[tree::Expr; 2]) -> ExprKind {
        let (place, [key, default]) = self.place_then(place, |l| l.in_order(both.each_ref()));
        let default = self.spill(default);
        let (Type::Map(_, _, size), ty) = (&place.ty, default.ty.clone()) else { unreachable!("`get` is of maps") };
        let slot_ty = Type::Range(0, u64::from(*size));
        let slot = self.temporary(Type::Option(Box::new(slot_ty.clone())));
        self.push(StatementKind::Operate(Operate {
            operation: Operation::Find,
            place: place.clone(),
            arguments: vec![key],
            into: Some(slot),
            done: None,
            back: None,
        }));
        let slot = self.get(slot);
        let found = self.make(ExprKind::IsSome(Box::new(slot.clone())), Type::Bool);
        let index = self.make(ExprKind::Unwrap(Box::new(slot)), slot_ty);
        let entry = entry(place, index, ty.clone());
        let there = self.make(ExprKind::Load(Box::new(entry)), ty);
        ExprKind::If(Box::new(found), Box::new(there), Box::new(default))
    }

    /// Bytes through a filter that makes a message; messages that it reads are dropped.
    fn filter(&mut self, filter: nacre_stack::FilterId, inputs: &[tree::Expr], ty: &Type) -> LocalId {
        let (mut views, mut consumed) = (Vec::new(), Vec::new());
        for value in self.ordered(inputs) {
            if is_message(&value.ty) {
                let message = self.spill(value);
                views.push(self.make(ExprKind::View(Box::new(message.clone())), Type::View));
                consumed.push(message);
            } else {
                views.push(value);
            }
        }
        let input = self.side_by_side(views);
        let into = self.temporary(ty.clone());
        self.push(StatementKind::Filter { into, filter, input });
        for message in consumed {
            self.push(StatementKind::Drop(message));
        }
        into
    }
}

fn value_of(argument: &mut Argument) -> Option<&mut Expr> {
    match argument {
        Argument::Value(value) => Some(value),
        Argument::Reference(_) => None,
    }
}

/// An element or entry of what is at a place.
pub(super) fn entry(mut place: Place, index: Expr, ty: Type) -> Place {
    place.path.push(Step::Index(index));
    place.ty = ty;
    place
}
