//! The names of loops over containers.

use nacre_diagnostics::Span;
use nacre_stack::Type;
use nacre_syntax::ast::{self, PatternKind as Written};

use crate::body::{Binding, Body, NameOf};
use crate::bounded::is_message;
use crate::tree::{Entry, Index, NameId, Place, Step};

/// A `for`, without its body.
pub(crate) struct Head<'s> {
    pub pattern: &'s ast::Pattern,
    pub over: &'s ast::Expr,
    pub drain: bool,
    pub bound: Option<&'s ast::Expr>,
}

/// The names of a loop over a container.
pub(crate) struct Walk<'s> {
    pub index: Index,
    pub key: Option<NameId>,
    pub entry: Entry,
    /// A message that each iteration must consume.
    pub held: Option<(NameId, Span)>,
    /// Values destructured at the beginning of each iteration.
    pub taken_apart: Option<(&'s ast::Pattern, Type)>,
}

/// The entries of a loop over a type.
pub(crate) struct Parts {
    pub index: Type,
    pub value: Type,
    pub size: u32,
    /// Entries come with their index, slot, number or key.
    pub pairs: bool,
}

impl Parts {
    /// The entries of a type, if it can be iterated.
    pub fn of(ty: &Type) -> Option<Parts> {
        let numbered = |n: u32| Type::Range(0, u64::from(n));
        let parts = |index, value: &Type, size, pairs| Some(Parts { index, value: value.clone(), size, pairs });
        match ty {
            Type::Array(t, n) => parts(numbered(*n), t, *n, false),
            Type::Bits(n) => parts(numbered(*n), &numbered(*n), *n, false),
            Type::Ring(t, n) | Type::List(t, n) => parts(numbered(*n), t, *n, false),
            Type::Window(t, n, bits) => parts(Type::Seq(*bits), t, *n, true),
            Type::Pool(t, n) | Type::Map(_, t, n) => parts(numbered(*n), t, *n, true),
            _ => None,
        }
    }
}

impl Body<'_, '_> {
    /// The names of a loop over the entries at a place.
    pub fn walk<'s>(&mut self, head: &Head<'s>, over: &Place, parts: &Parts) -> Option<Walk<'s>> {
        let (index_pattern, value_pattern) = match (&head.pattern.kind, parts.pairs) {
            (Written::Tuple(both), true) if both.len() == 2 => (Some(&both[0]), &both[1]),
            (_, true) => {
                self.error(
                    "T0082",
                    "expected two names: (index, entry)",
                    head.pattern.span,
                    "",
                    "`_` for the one that is not needed",
                );
                return None;
            }
            (_, false) => (None, head.pattern),
        };
        let linear = self.cx.linear(&parts.value);
        let is_map = matches!(over.ty, Type::Map(..));
        let needed = index_pattern.is_some() || (linear && !head.drain) || is_map;
        let index = if needed { Index::Hidden } else { Index::Unused };
        let mut walk = Walk { index, key: None, entry: Entry::Unused, held: None, taken_apart: None };
        match index_pattern.map(|pattern| (&pattern.kind, pattern.span)) {
            None | Some((Written::Any, _)) => {}
            Some((Written::Name(name), _)) => self.walk_index(name, over, parts, &mut walk),
            Some((_, span)) => {
                let help = "name it, and take it apart in the loop: `let (a, b) = key;`";
                self.error("T0082", "expected a name", span, "", help);
                return None;
            }
        }
        if !head.drain && (linear || matches!(over.ty, Type::Pool(..) | Type::Map(..))) {
            if walk.index == Index::Unused {
                walk.index = Index::Hidden;
            }
            let place = over.clone().with(Step::Current, parts.value.clone());
            walk.entry = self.walk_in_place(value_pattern, place)?;
            return Some(walk);
        }
        match &value_pattern.kind {
            Written::Name(name) => {
                let id = self.loop_variable(name, parts.value.clone());
                walk.held = linear.then_some((id, name.span));
                walk.entry = Entry::Value(id);
            }
            Written::Any if !linear => {}
            _ => walk.taken_apart = Some((value_pattern, parts.value.clone())),
        }
        Some(walk)
    }

    fn walk_index(&mut self, name: &ast::Ident, over: &Place, parts: &Parts, walk: &mut Walk) {
        match &over.ty {
            Type::Map(key, _, _) => {
                walk.key = Some(self.declare_constant(name, (**key).clone(), NameOf::Loop));
            }
            _ => walk.index = Index::Named(self.loop_variable(name, parts.index.clone())),
        }
    }

    /// A name set by each iteration.
    fn loop_variable(&mut self, name: &ast::Ident, ty: Type) -> NameId {
        let id = self.hidden(&name.name, ty, name.span);
        self.bind(&name.name, Binding::Value(id));
        self.constants.insert(id, NameOf::Loop);
        id
    }

    /// Names for an entry that stays where it is, or for its parts.
    fn walk_in_place(&mut self, pattern: &ast::Pattern, place: Place) -> Option<Entry> {
        match (&pattern.kind, place.ty.clone()) {
            (Written::Name(name), ty) => {
                let borrowed = is_message(&ty);
                Some(Entry::InPlace(vec![self.bind_place(name, place, borrowed)]))
            }
            (Written::Any, _) => Some(Entry::InPlace(Vec::new())),
            (Written::Tuple(_), ty) => {
                let mut parts = Vec::new();
                if !self.parts_in_place(pattern, place, &mut parts) {
                    let label = format!("of type {}", self.show(&ty));
                    self.error("T0082", "this pattern does not fit the entry", pattern.span, label, "");
                    return None;
                }
                Some(Entry::InPlace(parts))
            }
            _ => {
                self.error("T0082", "expected a name", pattern.span, "", "");
                None
            }
        }
    }

    /// Names for the parts of an entry, also those of tuples in it. Returns whether the pattern fits the entry.
    fn parts_in_place(&mut self, pattern: &ast::Pattern, place: Place, names: &mut Vec<NameId>) -> bool {
        match (&pattern.kind, place.ty.clone()) {
            (Written::Name(name), _) => names.push(self.bind_place(name, place, true)),
            (Written::Any, _) => {}
            (Written::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                let mut numbered = parts.iter().zip(types).enumerate();
                return numbered.all(|(i, (part, ty))| {
                    self.parts_in_place(part, place.clone().with(Step::Field(i as u32), ty), names)
                });
            }
            _ => return false,
        }
        true
    }
}
