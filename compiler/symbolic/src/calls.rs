//! Calls of functions, and what functions of the host and filters make.

use nacre_stack::*;

use crate::execute::Run;
use crate::state::{is_valid, Frame};
use crate::terms::{Sort, Term, Terms};
use crate::values::{self, Maker, Unpacked};
use crate::Unsupported;

type Found<T> = Result<T, Unsupported>;

impl Run<'_> {
    /// What a filter makes, what is unpacked, what a function of the host gives: the same of the same, and nothing else
    /// is known of it.
    pub(crate) fn made(&mut self, into: LocalId, what: &str, of: &[Term], guard: Term) -> Found<()> {
        let ty = self.frame().type_of(into).clone();
        // A path that is looked for has names for what is made, so that its conditions are about them.
        let looks = self.guide.as_ref().is_some_and(|guide| !guide.is_checking());
        let named = looks.then(|| self.next_number());
        let make = |terms: &mut Terms, part: &str, sort: Sort, _: &Type| match named {
            Some(number) => terms.free(&format!("{part}!{number}"), sort),
            None => terms.call(part, sort, of),
        };
        let (stack, layer) = (self.stack, self.layer.index());
        let value = Maker { stack, terms: &mut self.terms, layer, make }.value(what, &ty)?;
        let is_valid = is_valid(stack, &mut self.terms, &value, &ty);
        self.assume(is_valid);
        self.note_made(into, &value);
        self.set(into, value, guard);
        Ok(())
    }

    /// The message in other bytes, if they are one.
    pub(crate) fn unpack(&mut self, into: LocalId, layout: LayoutId, message: &Expr, guard: Term) -> Found<()> {
        let parts = self.parts_of(message)?;
        self.made(into, &format!("unpacked {}", layout.0), &parts, guard)?;
        if let Some(value) = self.frame().values[into.index()].clone() {
            self.unpacked.push(Unpacked { layout, bytes: parts[0], value });
        }
        Ok(())
    }

    pub(crate) fn call_extern(
        &mut self,
        into: Option<LocalId>,
        function: ExternId,
        arguments: &[Expr],
        guard: Term,
    ) -> Found<()> {
        let mut parts = vec![];
        for argument in self.values(arguments)? {
            values::leaves(&argument, &mut parts)?;
        }
        let Some(into) = into else { return Ok(()) };
        if self.stack.externs[function.index()].pure_ {
            return self.made(into, &format!("result {}", function.0), &parts, guard);
        }
        let ty = self.frame().type_of(into).clone();
        let result = self.any(&format!("extern {}", function.0), &ty)?;
        self.set(into, result, guard);
        Ok(())
    }

    /// Runs a function in the place of its call.
    pub(crate) fn call(
        &mut self,
        into: Option<LocalId>,
        id: FunctionId,
        arguments: &[Argument],
        guard: Term,
    ) -> Found<()> {
        let function = self.stack.function(id);
        let mut frame = Frame::new(&function.locals);
        for (local, argument) in function.parameters.iter().zip(arguments) {
            match argument {
                Argument::Value(value) => frame.values[local.index()] = Some(self.value(value)?),
                Argument::Reference(_) => return Err(Unsupported::new("a `ref` parameter".into())),
            }
        }
        self.note_call(function, arguments, into, &mut frame);
        let result = self.body(frame, &function.body, guard)?;
        self.note_end(result.is_none());
        if let (Some(into), Some(ty)) = (into, &function.result) {
            let value = match result {
                Some(value) => value,
                None => self.zero(ty)?,
            };
            self.set(into, value, guard);
        }
        Ok(())
    }
}
