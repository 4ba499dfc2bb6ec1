//! What a host can supply: values of these types are given at opening and handed to functions in C.

use nacre_stack::Type;

use crate::checker::Checker;

impl Checker<'_> {
    /// Whether a host can make a value of the type. Containers, timers, messages and what holds them are a layer's own.
    pub(crate) fn is_of_host(&self, ty: &Type) -> bool {
        match ty {
            Type::Bool | Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Enum(_) => true,
            Type::Bits(_) | Type::Addr | Type::Duration | Type::Instant | Type::Bytes(_) | Type::Text(_) => true,
            Type::Struct(id) => self.tree.structs[id.index()].fields.iter().all(|f| self.is_of_host(&f.ty)),
            Type::Tuple(types) => types.iter().all(|t| self.is_of_host(t)),
            Type::Option(t) | Type::Array(t, _) => self.is_of_host(t),
            Type::Timer | Type::Msg | Type::Bounded(_) | Type::View => false,
            Type::Ring(..) | Type::List(..) | Type::Window(..) | Type::Pool(..) | Type::Map(..) => false,
        }
    }

    /// Whether a function in C can take or give a value of the type: also a message, which may be missing.
    pub(crate) fn is_of_c(&self, ty: &Type) -> bool {
        match ty {
            Type::Option(t) if matches!(**t, Type::Msg | Type::Bounded(_)) => true,
            Type::Msg | Type::Bounded(_) => true,
            _ => self.is_of_host(ty),
        }
    }
}
