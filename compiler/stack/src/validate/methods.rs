//! Operations on containers: as the table says.

use super::code::Check;
use crate::operations::methods::Success;
use crate::operations::{Kind, Parts};
use crate::*;

impl<'a> Check<'a> {
    /// Checks an operation: its operands, and the local for its result.
    pub fn operate(&mut self, operate: &'a Operate) {
        self.changed(&operate.place);
        let of = &operate.place.ty;
        let Some(row) = operate.operation.row(of) else {
            return self.problems.add(format!("{:?} on {of:?}", operate.operation));
        };
        let parts = Parts::of(of);
        let compared = !row.compares || parts.entry.is_some_and(|entry| self.stack.capabilities(entry).compared);
        self.problems.unless(compared, || format!("{:?} on {of:?} compares", operate.operation));
        // What it takes and gives; of a number any type will do.
        let takes: Vec<Option<Type>> = row.takes.iter().map(|operand| parts.operand(*operand)).collect();
        let gives = row.gives.map(|operand| parts.operand(operand));
        let fails = row.success == Success::Fails;
        let (have, want) = (operate.arguments.len(), takes.len());
        self.problems.unless(have == want, || format!("{have} of {want} arguments"));
        for (argument, want) in operate.arguments.iter().zip(&takes) {
            match want {
                Some(want) => self.typed(argument, want, "an argument"),
                None => self.index(argument, "an argument"),
            }
        }
        if let Some(ty) = operate.into.and_then(|into| self.local_type(into)) {
            let ty = match ty {
                Type::Option(inner) => inner,
                ty => ty,
            };
            let fits =
                gives.as_ref().is_some_and(|gives| gives.as_ref().map_or(Kind::of(ty).is_number(), |want| want == ty));
            self.problems.unless(fits, || format!("{:?} gives {gives:?}, not {ty:?}", operate.operation));
        }
        let (done, linear) =
            (operate.done, takes.last().is_some_and(|t| t.as_ref().is_some_and(|t| self.stack.has_message(t))));
        self.problems.unless(done.is_none() || fails, || format!("{:?} cannot fail", operate.operation));
        self.problems.unless(operate.back.is_some() == (linear && fails && done.is_some()) || !linear, || {
            "a message is lost on failure".into()
        });
        if let Some(done) = done {
            self.receives(done, &Type::Bool, "whether it was done");
        }
        if let (Some(back), Some(Some(ty))) = (operate.back, takes.last()) {
            self.receives(back, ty, "what comes back");
        }
    }
}
