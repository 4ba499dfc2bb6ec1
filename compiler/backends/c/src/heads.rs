//! What is on a message: which header of a layer, and its fields.

use nacre_stack::*;

use crate::body::Body;
use crate::term::Term;

impl Body<'_, '_> {
    /// What is on a message.
    pub fn head(&mut self, a: &Expr, head: Head) -> Term {
        let (message, _) = self.borrowed_message(a);
        match head {
            Head::Is(id) => Term::operation(self.is_on(&message, id)),
            Head::Field(id, at) => {
                let is_on = self.is_on(&message, id);
                Term::operation(format!("{is_on} ? {} : 0", self.field_in(&message, id, at)))
            }
            Head::Data => message.member("data"),
        }
    }

    /// A field of a header that is no number; zero if another header is on the message.
    pub fn field_on(&mut self, a: &Expr, id: HeaderId, at: u32, ty: &Type) -> Term {
        let (message, _) = self.borrowed_message(a);
        let (c_type, zero) = (self.c_type(ty), self.zero(ty));
        let found = self.bind(&c_type, "field", &zero);
        let (is_on, field) = (self.is_on(&message, id), self.field_in(&message, id, at));
        self.code.line(format!("if ({is_on}) {{ {found} = {field}; }}"));
        found
    }

    fn is_on(&self, message: &str, id: HeaderId) -> String {
        let slots = &self.w.slots[self.w.stack.header(id).layer.index()];
        format!("{message}.{} == {}u", slots.tag, slots.number(id))
    }

    fn field_in(&self, message: &str, id: HeaderId, at: u32) -> String {
        let slots = &self.w.slots[self.w.stack.header(id).layer.index()];
        format!("{message}.{}", slots.place(id, at as usize))
    }
}
