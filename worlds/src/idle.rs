//! Settings of a world that have no effect on its stacks, or not the one that their name says.

use std::sync::Arc;

use nacre_stack::visit::{walk_stack, walk_statement, Visitor};
use nacre_stack::{Need, Operation, Stack, Statement, StatementKind, Type};

use crate::reading::Reading;
use crate::setup::BELOW;
use crate::stacks::distinct;

/// Whether no frame is ever refused because the pool is full.
fn needs_no_room(stack: &Stack) -> bool {
    let frames = stack.frames_at(BELOW).is_some_and(|(input, _)| input.need != Need::default());
    let deferred = stack.bounds.later > 0 && stack.bounds.timer != Need::default();
    !frames && !deferred
}

/// The settings that have no effect on these stacks, or not everywhere.
pub fn idle(reading: &Reading, stacks: &[Arc<Stack>]) -> impl Iterator<Item = &'static str> {
    let scarce = reading.bounds.scarce > 0 && distinct(stacks).all(needs_no_room);
    let sets_numbers = reading.sequence_bits.is_some() || reading.bounds.first != 0;
    let numbers = sets_numbers && !distinct(stacks).any(has_numbers);
    let cleared = reading.bounds.first != 0 && distinct(stacks).any(clears_windows);
    let found = [
        (scarce, "no frame needs room in the pool: `scarce` has no effect"),
        (numbers, "nothing counts in sequence numbers (`seqN`): `numbers` and `first` have no effect"),
        (cleared, "`first` is where numbers begin: `clear()` of a window sets them to 0"),
    ];
    found.into_iter().filter_map(|(is_idle, why)| is_idle.then_some(why))
}

/// Whether a value of the state or a field of a header is a sequence number.
fn has_numbers(stack: &Stack) -> bool {
    let fields = stack.headers.iter().flat_map(|header| &header.fields).map(|field| &field.ty);
    stack.cells.iter().map(|cell| &cell.ty).chain(fields).any(|ty| is_numbered(stack, ty))
}

fn is_numbered(stack: &Stack, ty: &Type) -> bool {
    match ty {
        Type::Seq(_) | Type::Window(..) => true,
        Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) | Type::Pool(t, _) | Type::Option(t) => {
            is_numbered(stack, t)
        }
        Type::Map(key, t, _) => is_numbered(stack, key) || is_numbered(stack, t),
        Type::Tuple(types) => types.iter().any(|t| is_numbered(stack, t)),
        Type::Struct(id) => stack.structs[id.index()].fields.iter().any(|field| is_numbered(stack, &field.ty)),
        _ => false,
    }
}

/// Whether the stack clears a window, whose numbers begin with 0 then.
fn clears_windows(stack: &Stack) -> bool {
    struct Clears(bool);
    impl<'a> Visitor<'a> for Clears {
        fn statement(&mut self, statement: &'a Statement) {
            if let StatementKind::Operate(operate) = &statement.kind {
                let is_window = matches!(operate.place.ty, Type::Window(..));
                self.0 |= operate.operation == Operation::Clear && is_window;
            }
            walk_statement(self, statement);
        }
    }
    let mut found = Clears(false);
    walk_stack(&mut found, stack);
    found.0
}
