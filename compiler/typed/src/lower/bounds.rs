//! Bounds of messages, which the stack IR does not know: there all messages are [`Type::Msg`].

use nacre_stack::visit::Rewriter;
use nacre_stack::Type;

use crate::fragment::Fragment;

/// Makes all messages [`Type::Msg`].
struct Erase;

impl Rewriter for Erase {
    fn ty(&mut self, ty: &mut Type) {
        match ty {
            Type::Bounded(_) => *ty = Type::Msg,
            Type::Option(t) | Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) => self.ty(t),
            Type::Window(t, ..) | Type::Pool(t, _) => self.ty(t),
            Type::Map(key, t, _) => {
                self.ty(key);
                self.ty(t);
            }
            Type::Tuple(types) => types.iter_mut().for_each(|t| self.ty(t)),
            Type::Bool | Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Enum(_) => {}
            Type::Struct(_) | Type::Bits(_) | Type::Addr | Type::Duration | Type::Instant | Type::Timer => {}
            Type::Bytes(_) | Type::Text(_) | Type::Msg | Type::View => {}
        }
    }
}

impl Fragment {
    /// Forgets the bounds of messages, when all has been checked.
    pub(crate) fn forget_bounds(&mut self) {
        self.rewrite(&mut |_| Erase);
        let structs = self.structs.iter_mut().flat_map(|s| &mut s.fields).map(|f| &mut f.ty);
        let externs = self.externs.iter_mut().flat_map(|e| &mut e.parameters).map(|p| &mut p.ty);
        let locals =
            self.handlers.iter_mut().map(|h| &mut h.locals).chain(self.functions.iter_mut().map(|f| &mut f.locals));
        let locals = locals.chain(self.cells.iter_mut().map(|c| &mut c.locals)).flatten().map(|l| &mut l.ty);
        structs.chain(externs).chain(locals).for_each(|ty| Erase.ty(ty));
        self.functions.iter_mut().filter_map(|f| f.result.as_mut()).for_each(|ty| Erase.ty(ty));
        self.cells.iter_mut().for_each(|cell| Erase.ty(&mut cell.ty));
    }
}
