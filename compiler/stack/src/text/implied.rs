//! Types that follow from the rest of an expression, so that they need not be written.

use crate::*;

/// The declarations that expressions refer to: a stack whose code may still be missing.
pub struct Scoped<'a> {
    pub stack: &'a Stack,
    pub locals: &'a [Local],
}

impl Scoped<'_> {
    fn field(&self, ty: &Type, i: u32) -> Option<Type> {
        match ty {
            Type::Struct(id) => self.stack.structs.get(id.index())?.fields.get(i as usize).map(|f| f.ty.clone()),
            Type::Tuple(types) => types.get(i as usize).cloned(),
            _ => None,
        }
    }

    /// The type of the value at a place.
    pub fn place(&self, root: Root, path: &[Step]) -> Option<Type> {
        let mut ty = match root {
            Root::Cell(id) => self.stack.cells.get(id.index())?.ty.clone(),
            Root::Local(id) => self.locals.get(id.index())?.ty.clone(),
        };
        for step in path {
            ty = match (step, ty) {
                (Step::Field(i), ty) => self.field(&ty, *i)?,
                (Step::Index(_), Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _)) => *t,
                (Step::Index(_), Type::Window(t, ..) | Type::Pool(t, _) | Type::Map(_, t, _)) => *t,
                (Step::Index(_), Type::Bytes(_)) => Type::UInt(8),
                (Step::Unwrap, Type::Option(t)) => *t,
                _ => return None,
            };
        }
        Some(ty)
    }

    /// The type of an expression.
    pub fn expr(&self, kind: &ExprKind) -> Option<Type> {
        Some(match kind {
            ExprKind::Local(id) => self.locals.get(id.index())?.ty.clone(),
            ExprKind::Load(place) | ExprKind::Borrow(place) => place.ty.clone(),
            ExprKind::Unary(op, a) => op.row().result(&a.ty),
            ExprKind::Share(a) => a.ty.clone(),
            ExprKind::Binary(op, a, _) => op.row(&a.ty)?.result(&a.ty),
            ExprKind::If(_, a, _) | ExprKind::MulDiv(a, ..) => a.ty.clone(),
            ExprKind::Tuple(parts) => Type::Tuple(parts.iter().map(|p| p.ty.clone()).collect()),
            ExprKind::Array(parts) => Type::Array(Box::new(parts.first()?.ty.clone()), parts.len() as u32),
            ExprKind::Literal(bytes) => Type::Bytes(bytes.len() as u32),
            ExprKind::Some(a) => Type::Option(Box::new(a.ty.clone())),
            ExprKind::IsSome(_) | ExprKind::Head(_, Head::Is(_) | Head::Data) => Type::Bool,
            ExprKind::Unwrap(a) => match &a.ty {
                Type::Option(t) => (**t).clone(),
                _ => return None,
            },
            ExprKind::Field(a, i) => self.field(&a.ty, *i)?,
            ExprKind::Index(a, _) => match &a.ty {
                Type::Array(t, _) | Type::List(t, _) | Type::Ring(t, _) => (**t).clone(),
                Type::Bytes(_) | Type::View | Type::Text(_) => Type::UInt(8),
                _ => return None,
            },
            ExprKind::Query(Query::Len, ..) => Type::UInt(32),
            ExprKind::Query(query, place, _) => query.row(&place.ty)?.result(&place.ty)?,
            ExprKind::Now => Type::Instant,
            ExprKind::Fingerprint => Type::UInt(64),
            ExprKind::Room | ExprKind::Length(_) => Type::UInt(32),
            ExprKind::View(_) | ExprKind::PackView(..) => Type::View,
            ExprKind::Empty | ExprKind::Push(..) | ExprKind::Slice(..) | ExprKind::Rest(..) | ExprKind::Pack(..) => {
                Type::Msg
            }
            // The type says what the value is.
            ExprKind::Const(_)
            | ExprKind::Zero
            | ExprKind::Head(_, Head::Field(..))
            | ExprKind::None
            | ExprKind::Convert(_)
            | ExprKind::Struct(_)
            | ExprKind::Concat(_)
            | ExprKind::Part(..)
            | ExprKind::BytesOf(_)
            | ExprKind::Through(..)
            | ExprKind::Extern(..) => return None,
        })
    }
}
