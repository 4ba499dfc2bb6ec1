//! The names of a body.

use nacre_diagnostics::Span;
use nacre_stack::Type;

use super::code::{Place, Root};
use super::patterns::NameId;

/// A name of a body: a parameter, a `let`, a `var`, a `ref`, the variable of a loop, a field of a header.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Its name in the source; of an unnamed parameter, that of the declaration.
    pub name: String,
    pub ty: Type,
    pub is: Is,
    pub span: Span,
}

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Is {
    /// A value of its own.
    Value,
    /// A `ref` parameter: a place of the caller's.
    Reference,
    /// A place: a `ref`, or a borrowed entry of a container or option. Its indices are evaluated once, at the
    /// declaration.
    Place(Place),
}

/// The names of a body, or of a filter, in order of declaration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    pub all: Vec<Name>,
}

impl std::ops::Index<NameId> for Names {
    type Output = Name;
    fn index(&self, id: NameId) -> &Name {
        &self.all[id.index()]
    }
}

impl Names {
    /// Adds a name.
    pub fn add(&mut self, name: Name) -> NameId {
        self.all.push(name);
        NameId(self.all.len() as u32 - 1)
    }

    /// The name whose whole value a place is, also through a `ref`.
    pub fn whole_value(&self, place: &Place) -> Option<NameId> {
        let Root::Name(id) = place.root else { return None };
        match &self[id].is {
            _ if !place.path.is_empty() => None,
            Is::Value => Some(id),
            Is::Reference => None,
            Is::Place(of) => self.whole_value(of),
        }
    }
}
