//! Functions for containers. Those that add return the place for the new entry, or none; those that remove return the
//! place that still holds the entry.

use nacre_stack::*;

use crate::instances::Instance;
use crate::template;
use crate::writer::Writer;

const WINDOW: &str = include_str!("support/window.c");
const SLOTS: &str = include_str!("support/slots.c");
const ROW: &str = include_str!("support/row.c");

impl Writer<'_> {
    /// `<prefix>_<what>_<type>`: a function for a container type.
    pub fn container(&mut self, what: &str, ty: &Type, layer: usize) -> String {
        let file = match ty {
            Type::Window(..) => WINDOW,
            Type::Map(..) | Type::Pool(..) => SLOTS,
            Type::Ring(..) | Type::List(..) => ROW,
            other => unreachable!("{other:?} is no container"),
        };
        let name = self.helper_name(what, ty, layer);
        self.instance(name, &template::function(file, what), Instance::new(ty, layer))
    }
}
