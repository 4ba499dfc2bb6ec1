//! Places: what can be assigned, armed, referred to or operated on.

use nacre_diagnostics::Span;
use nacre_stack::{mask, Expr, ExprKind, Local, Place, Root, Scope, Step, Type};
use nacre_syntax::ast;

use crate::body::{Binding, Body};
use crate::convert::constant_of;

impl Body<'_, '_> {
    /// The place that an expression names, or nothing if it is none. Only faults of indices are told.
    pub fn place(&mut self, e: &ast::Expr) -> Option<Place> {
        Some(self.place_with(e)?.0)
    }

    /// Also says whether it lies in an entry that is only being read.
    pub fn place_with(&mut self, e: &ast::Expr) -> Option<(Place, bool)> {
        self.attempt(|b| b.place_of_expr(e))
    }

    /// Lowers something; if it gives nothing, the statements that it has put in front are taken back, so that the expression
    /// can be lowered in another way.
    pub fn attempt<T>(&mut self, lower: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (out, locals, flow) = (self.out.len(), self.locals.len(), self.flow.clone());
        let made = lower(self);
        if made.is_none() {
            self.out.truncate(out);
            self.locals.truncate(locals);
            self.flow = flow;
        }
        made
    }

    fn place_of_expr(&mut self, e: &ast::Expr) -> Option<(Place, bool)> {
        match &e.kind {
            ast::ExprKind::Name(name) => self.named_place(name, e.span),
            ast::ExprKind::Field(base, field) => {
                let (mut place, borrowed) = self.place_with(base)?;
                let (index, ty) = self.field_of(&place.ty, &field.name)?;
                place.path.push(Step::Field(index));
                place.ty = ty;
                Some((place, borrowed))
            }
            ast::ExprKind::Index(base, index) => {
                let (mut place, borrowed) = self.place_with(base)?;
                let (ty, size) = match &place.ty {
                    Type::Array(t, n) | Type::Pool(t, n) | Type::Map(_, t, n) => ((**t).clone(), *n),
                    Type::Bytes(n) => (Type::UInt(8), *n),
                    _ => return None,
                };
                let index = self.index(index, size)?;
                place.path.push(Step::Index(index));
                place.ty = ty;
                Some((place, borrowed))
            }
            _ => None,
        }
    }

    /// Whether a place is a whole local of this body, not one that a `ref` stands for.
    pub fn is_local(&self, place: &Place) -> bool {
        matches!((&place.root, place.path.is_empty()), (Root::Local(id), true) if !self.locals[id.index()].by_ref)
    }

    /// The type of the place that an expression names, if it names one. Leaves no trace: indices are lowered when the place
    /// is used.
    pub fn type_of_place(&mut self, e: &ast::Expr) -> Option<Type> {
        let found = self.cx.found.len();
        let mut ty = None;
        self.attempt::<()>(|b| {
            ty = b.place(e).map(|place| place.ty);
            None
        });
        self.cx.found.truncate(found);
        ty
    }

    fn named_place(&mut self, name: &str, span: Span) -> Option<(Place, bool)> {
        match self.lookup(name).cloned() {
            Some(Binding::Place { place, borrowed, entry }) => {
                entry.into_iter().for_each(|entry| self.note_use(entry, span));
                Some((place, borrowed))
            }
            Some(Binding::Local(id)) => Some((self.place_of(id), false)),
            Some(Binding::Unknown) => {
                self.poisoned = true;
                None
            }
            None => {
                let &id = self.cx.cell_ids.get(name)?;
                let ty = self.cx.fragment.cells[id.index()].ty.clone();
                Some((Place { root: Root::Cell(id), path: Vec::new(), ty }, false))
            }
        }
    }

    /// A field of a struct, or `low` and `high` of a hole.
    pub fn field_of(&self, ty: &Type, name: &str) -> Option<(u32, Type)> {
        match ty {
            Type::Struct(id) => {
                let fields = &self.cx.fragment.structs[id.index()].fields;
                let at = fields.iter().position(|f| f.name == name)?;
                Some((at as u32, fields[at].ty.clone()))
            }
            Type::Tuple(types) if types.len() == 2 && matches!(types[0], Type::Seq(_)) => match name {
                "low" => Some((0, types[0].clone())),
                "high" => Some((1, types[1].clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// An index that cannot be outside `0 .. size`.
    pub fn index(&mut self, e: &ast::Expr, size: u32) -> Option<Expr> {
        let value = self.expr(e, None)?;
        let want = Type::Range(0, u64::from(size));
        let fits = if value.flexible {
            (0..i128::from(size)).contains(&constant_of(&value.expr))
        } else {
            match &value.expr.ty {
                Type::Range(_, high) => *high <= u64::from(size),
                Type::UInt(bits) => mask(u32::from(*bits)) < u64::from(size),
                Type::Enum(id) => self.cx.fragment.enums[id.index()].variants.len() <= size as usize,
                _ => false,
            }
        };
        if fits {
            let ty = if value.flexible { want } else { value.expr.ty.clone() };
            return Some(Expr::new(value.expr.kind, ty, value.expr.span));
        }
        let shown = self.show(&value.expr.ty);
        self.error(
            "T0037",
            "this index may be outside the array",
            e.span,
            format!("of type {shown}; the array has {size} elements"),
            format!("convert it and say what happens outside: `let i = ... as 0..{size} else ...;`"),
        );
        None
    }

    /// The place with its indices evaluated once and for all, as `ref` promises.
    pub fn fixed(&mut self, mut place: Place) -> Place {
        let path = std::mem::take(&mut place.path);
        place.path = path
            .into_iter()
            .map(|step| match step {
                Step::Index(e) => Step::Index(self.spill(e)),
                other => other,
            })
            .collect();
        place
    }

    /// A place that may be changed; says why if not.
    pub fn changeable(&mut self, e: &ast::Expr) -> Option<Place> {
        let Some((place, borrowed)) = self.place_with(e) else {
            self.unknown_place(e);
            return None;
        };
        if let Root::Cell(id) = place.root {
            if self.cx.fragment.cells[id.index()].scope == Scope::Given {
                self.error(
                    "T0038",
                    "a given value never changes",
                    e.span,
                    "set by the host when the connection is opened",
                    "",
                );
                return None;
            }
        }
        if let Root::Local(id) = place.root {
            self.assignable(id, e.span)?;
        }
        if borrowed && self.cx.linear(&place.ty) {
            self.error("T0039", "an entry that is being read is not replaced", e.span, "borrowed by the loop", "");
            return None;
        }
        if matches!(self.context, crate::body::Context::Pure { .. }) {
            self.error("T0040", "nothing is changed here", e.span, "in a condition", "");
            return None;
        }
        Some(place)
    }

    pub fn unknown_place(&mut self, e: &ast::Expr) {
        let before = self.cx.found.len();
        // Whatever is wrong inside is told by evaluating it.
        let known = self.expr(e, None).is_some();
        if known || self.cx.found.len() == before {
            self.error(
                "T0041",
                "this is not a place",
                e.span,
                "nothing can be kept here",
                "places are state, `var`s, `ref`s and their fields and elements",
            );
        }
    }

    /// What is at a place, copied.
    pub fn load(&mut self, place: Place, span: Span) -> Option<Expr> {
        if self.cx.linear(&place.ty) {
            let help = match &place.ty {
                Type::Msg | Type::Bounded(_) => "for a second reference to it, say `share`",
                Type::Option(_) => {
                    "test it with `x == none` or `x != none`, look at it with `if let m = x` and `share m`, or take it out with `x.take()`"
                }
                _ => "messages leave containers by `pop`, `take` and `drain`",
            };
            self.error("T0042", "a message does not leave its place like this", span, "it would be held twice", help);
            return None;
        }
        if let (Root::Local(id), true) = (place.root, place.path.is_empty()) {
            if !self.locals[id.index()].by_ref {
                return Some(self.get(id));
            }
        }
        let ty = place.ty.clone();
        Some(Expr::new(ExprKind::Load(Box::new(place)), ty, span))
    }

    /// Marks a parameter as standing for a place of the caller's.
    pub fn reference(&mut self, name: &str, ty: Type) -> nacre_stack::LocalId {
        let id = nacre_stack::LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: name.into(), ty: ty.clone(), by_ref: true });
        let place = Place { root: Root::Local(id), path: Vec::new(), ty };
        self.bind_place(name, place, false);
        id
    }
}
