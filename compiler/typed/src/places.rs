//! Places: what can be assigned, armed, referred to or operated on.

use nacre_diagnostics::{counted, Span};
use nacre_stack::{mask, Scope, Type};
use nacre_syntax::ast;

use crate::body::{Binding, Body, Context};
use crate::convert::constant_of;
use crate::tree::{Expr, ExprKind, Place, Root, Step};

impl Body<'_, '_> {
    /// The type of the place that an expression names, if it names one. Indices are ignored.
    pub fn place_type(&self, e: &ast::Expr) -> Option<Type> {
        match &e.kind {
            ast::ExprKind::Name(name) => match self.lookup(name) {
                Some(Binding::Place { id, .. } | Binding::Value(id)) => Some(self.ty(*id)),
                Some(Binding::Unknown) => None,
                None => self.cx.cell_ids.get(name).map(|id| self.cx.tree.cells[id.index()].cell.ty.clone()),
            },
            ast::ExprKind::Field(base, field) => Some(self.field_of(&self.place_type(base)?, &field.name)?.1),
            ast::ExprKind::Index(base, index) if !matches!(index.kind, ast::ExprKind::From(_)) => {
                Some(element_of(&self.place_type(base)?)?.0)
            }
            _ => None,
        }
    }

    /// The place that an expression names; nothing if it is none ([`Body::place_type`]), or if an index is wrong, which
    /// is reported.
    pub fn place(&mut self, e: &ast::Expr) -> Option<Place> {
        Some(self.place_with(e)?.0)
    }

    /// Also says whether it lies in an entry that is only being read.
    pub fn place_with(&mut self, e: &ast::Expr) -> Option<(Place, bool)> {
        match &e.kind {
            ast::ExprKind::Name(name) => self.named_place(name, e.span),
            ast::ExprKind::Field(base, field) => {
                let (place, borrowed) = self.place_with(base)?;
                let (index, ty) = self.field_of(&place.ty, &field.name)?;
                Some((place.with(Step::Field(index), ty), borrowed))
            }
            ast::ExprKind::Index(base, index) => {
                let (place, borrowed) = self.place_with(base)?;
                let (ty, size) = element_of(&place.ty)?;
                let index = self.index_of(index, size, &place.ty)?;
                Some((place.with(Step::Index(index), ty), borrowed))
            }
            _ => None,
        }
    }

    /// Whether an expression names a value as a whole, not a part or what is kept elsewhere.
    pub fn is_whole_value(&self, e: &ast::Expr) -> bool {
        let ast::ExprKind::Name(name) = &e.kind else { return false };
        match self.lookup(name) {
            Some(Binding::Value(_)) => true,
            Some(Binding::Place { id, .. }) => self.names.whole_value(&self.place_of(*id)).is_some(),
            Some(Binding::Unknown) | None => false,
        }
    }

    /// Whether the place that an expression names lies in an entry that is only being read.
    pub fn is_borrowed(&self, e: &ast::Expr) -> bool {
        match &e.kind {
            ast::ExprKind::Name(name) => matches!(self.lookup(name), Some(Binding::Place { borrowed: true, .. })),
            ast::ExprKind::Field(base, _) | ast::ExprKind::Index(base, _) => self.is_borrowed(base),
            _ => false,
        }
    }

    fn named_place(&mut self, name: &str, span: Span) -> Option<(Place, bool)> {
        match self.lookup(name).cloned() {
            Some(Binding::Place { id, borrowed, entry }) => {
                entry.into_iter().for_each(|entry| self.note_use(entry, span));
                Some((self.place_of(id), borrowed))
            }
            Some(Binding::Value(id)) => Some((self.place_of(id), false)),
            Some(Binding::Unknown) => {
                self.poisoned = true;
                None
            }
            None => {
                let &id = self.cx.cell_ids.get(name)?;
                if matches!(self.context, Context::Pure { open: false, .. }) {
                    let help = "begin a `state` cell with it: `state` is initialized after all `given` values";
                    let title = "the default of a given value cannot depend on another value";
                    self.error("T0178", title, span, "differs between connections", help);
                    return None;
                }
                let ty = self.cx.tree.cells[id.index()].cell.ty.clone();
                Some((Place { root: Root::Cell(id), path: Vec::new(), ty, span }, false))
            }
        }
    }

    /// A field of a struct, or `low` and `high` of a hole.
    pub fn field_of(&self, ty: &Type, name: &str) -> Option<(u32, Type)> {
        match ty {
            Type::Struct(id) => {
                let fields = &self.cx.tree.structs[id.index()].fields;
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

    /// An index of an array that cannot be outside `0 .. size`.
    pub fn index(&mut self, e: &ast::Expr, size: u32) -> Option<Expr> {
        self.index_of(e, size, &Type::Array(Box::new(Type::UInt(8)), size))
    }

    /// The same, where messages say of what it is an index.
    pub fn index_of(&mut self, e: &ast::Expr, size: u32, of: &Type) -> Option<Expr> {
        let value = self.expr(e, None)?;
        let want = Type::Range(0, u64::from(size));
        let fits = if value.flexible {
            value.expr.ty != Type::Duration && (0..i128::from(size)).contains(&constant_of(&value.expr))
        } else {
            match &value.expr.ty {
                Type::Range(_, high) => *high <= u64::from(size),
                Type::UInt(bits) => mask(u32::from(*bits)) < u64::from(size),
                Type::Enum(id) => self.cx.tree.enums[id.index()].variants.len() <= size as usize,
                _ => false,
            }
        };
        if fits {
            let ty = if value.flexible { want } else { value.expr.ty.clone() };
            return Some(Expr::new(value.expr.kind, ty, value.expr.span));
        }
        let (noun, unit) = match of {
            Type::Map(..) => ("map", "slot"),
            Type::Pool(..) => ("pool", "slot"),
            _ => ("array", "element"),
        };
        let elements = counted(size.into(), unit);
        if value.flexible {
            let label = format!("the {noun} has {elements}");
            let words = format!("this index is outside the {noun}");
            self.error("T0037", words, e.span, label, format!("it is 0 to {}", size - 1));
            return None;
        }
        let shown = self.show(&value.expr.ty);
        let help = match of {
            Type::Map(..) => {
                "a map is indexed by a slot; by a key it is read with `m.get(k, otherwise)`, or `let slot = m.find(k) \
                 else ...;` and `m[slot]`"
                    .to_string()
            }
            _ => format!("convert it and handle values out of range: `let i = ... as 0..{size} else ...;`"),
        };
        let words = format!("this index may be outside the {noun}");
        self.error("T0037", words, e.span, format!("of type {shown}; the {noun} has {elements}"), help);
        None
    }

    /// A place that may be changed; says why if not.
    pub fn changeable(&mut self, e: &ast::Expr) -> Option<Place> {
        if self.place_type(e).is_none() {
            self.unknown_place(e);
            return None;
        }
        let (place, borrowed) = self.place_with(e)?;
        self.may_change(&place, e.span)?;
        if borrowed && self.cx.linear(&place.ty) {
            self.error("T0039", "an entry that is being read cannot be replaced", e.span, "borrowed by the loop", "");
            return None;
        }
        if matches!(self.context, Context::Pure { .. }) {
            self.error("T0040", "state cannot be changed here", e.span, "in a condition", "");
            return None;
        }
        let in_filter = matches!(self.context, Context::Filter { .. });
        if in_filter && matches!(self.root_of(&place), Root::Cell(_)) {
            let help = "a filter can change only its own state";
            self.error("T0040", "state cannot be changed here", e.span, "state of the layer", help);
            return None;
        }
        Some(place)
    }

    /// Checks that what a place begins with may be changed; reports it if not.
    pub fn may_change(&mut self, place: &Place, span: Span) -> Option<()> {
        match self.root_of(place) {
            Root::Cell(id) if self.cx.tree.cells[id.index()].cell.scope == Scope::Given => {
                let label = "set by the host when the connection is opened";
                self.error("T0038", "a given value never changes", span, label, "");
                None
            }
            Root::Name(id) => self.assignable(id, span),
            Root::Cell(_) | Root::Walked => Some(()),
        }
    }

    /// Where a place begins, also by way of names for places.
    fn root_of(&self, place: &Place) -> Root {
        let mut root = place.root;
        while let Root::Name(id) = root {
            let crate::tree::Is::Place(of) = &self.names[id].is else { break };
            root = of.root;
        }
        root
    }

    /// Reports that an expression names no place, or what is wrong in it.
    pub fn unknown_place(&mut self, e: &ast::Expr) {
        let before = self.cx.found.len();
        // Evaluating it reports the errors inside.
        let known = self.expr(e, None).is_some();
        if known || self.cx.found.len() == before {
            self.error(
                "T0041",
                "this is not a place",
                e.span,
                "nothing can be stored here",
                "places are state, `var`s, `ref`s and their fields and elements",
            );
        }
    }

    /// What is at a place, copied.
    pub fn load(&mut self, place: Place, span: Span) -> Option<Expr> {
        if self.cx.linear(&place.ty) {
            let help = match &place.ty {
                _ if place.path.last() == Some(&Step::Unwrap) => {
                    "borrow it with `if let m = x` and `share m`, or move it out with `x.take()`"
                }
                Type::Msg | Type::Bounded(_) => "for a second reference to it, write `share`",
                Type::Option(_) => {
                    "test it with `x == none` or `x != none`, borrow it with `if let m = x` and `share m`, or move \
                        it out with `x.take()`"
                }
                _ => "messages leave containers by `pop`, `take` and `drain`",
            };
            self.error(
                "T0042",
                "a message cannot be moved out of its place like this",
                span,
                "it would have two owners",
                help,
            );
            return None;
        }
        if let Some(id) = self.names.whole_value(&place) {
            return Some(Expr::new(ExprKind::Name(id), place.ty, span));
        }
        let ty = place.ty.clone();
        Some(Expr::new(ExprKind::Load(Box::new(place)), ty, span))
    }
}

/// The type of the elements of what can be indexed in its place, and how many there are.
fn element_of(ty: &Type) -> Option<(Type, u32)> {
    match ty {
        Type::Array(t, n) | Type::Pool(t, n) | Type::Map(_, t, n) => Some(((**t).clone(), *n)),
        Type::Bytes(n) => Some((Type::UInt(8), *n)),
        _ => None,
    }
}
