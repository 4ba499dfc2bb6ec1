//! Names that begin with the prefix of the stack, and names of types.

use nacre_stack::*;

use crate::globals::Global;
use crate::writer::Writer;

impl Writer<'_> {
    /// Returns a prefixed name for something that is named after parts of the stack.
    pub fn global(&self, of: Global, wanted: impl AsRef<str>) -> String {
        format!("{}_{}", self.prefix, self.globals.name(of, wanted.as_ref()))
    }

    /// The lowest layer whose headers the messages in a type carry; none: there are no messages in it.
    fn carried(&self, ty: &Type, layer: usize) -> Option<Option<usize>> {
        self.stack.has_message(ty).then(|| self.slot_layers(layer + 1).first().copied())
    }

    /// The word for a type within names: `wanted`, if no other type has it.
    pub fn type_word(&self, ty: &Type, layer: usize, wanted: &str) -> String {
        self.globals.name(Global::Type(ty.clone(), self.carried(ty, layer)), wanted)
    }

    /// The name of a function for a type: `<prefix>_<what>_<type>`.
    pub fn helper_name(&self, what: &str, ty: &Type, layer: usize) -> String {
        let wanted = format!("{what}_{}", self.tag(ty, layer));
        self.global(Global::Helper(what.to_string(), ty.clone(), self.carried(ty, layer)), wanted)
    }
}
