//! The names in scope at a place of a program.

use super::generator::Generator;
use super::signatures::{Filter, Function};
use super::types::Ty;

/// A name with a value.
#[derive(Clone, Debug)]
pub struct Name {
    pub path: String,
    pub ty: Ty,
    pub access: Access,
}

/// The permitted uses of a name besides reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// None.
    Read,
    /// Assign it: a variable.
    Assign,
    /// Assign it, change it in place, and pass it by `ref`: state, and names that are a `ref`.
    Change,
}

/// The names in scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub names: Vec<Name>,
    /// Held or borrowed messages, which can be read.
    pub messages: Vec<String>,
    /// Whether expressions may need statements before them (`random`, calls).
    pub effects: bool,
    /// Roots of places that must not change now: a loop iterates over them, or a part of them is borrowed.
    pub frozen: Vec<String>,
    /// Names that refer to a place (`ref`): the name, and the root of the place.
    pub stands: Vec<(String, String)>,
    /// Parameters that are `ref`: a caller may have passed any state.
    pub aliases: Vec<String>,
    /// Functions with a result.
    pub functions: Vec<Function>,
    pub filters: Vec<Filter>,
    /// Whether the layer packs messages.
    pub packs: bool,
    /// Parameters and constants, which have every type that they fit.
    pub constants: Vec<(String, Ty)>,
}

impl Scope {
    /// Adds a name.
    pub fn add(&mut self, path: impl Into<String>, ty: Ty, access: Access) {
        self.names.push(Name { path: path.into(), ty, access });
    }

    /// All places of types that satisfy `fits`, including those in structs, arrays, options and strings of bytes.
    pub fn places(&self, random: &mut Generator, fits: impl Fn(&Ty) -> bool) -> Vec<Name> {
        let mut found = Vec::new();
        for name in &self.names {
            self.within(name, random, &fits, 3, &mut found);
        }
        found
    }

    fn within(
        &self,
        name: &Name,
        random: &mut Generator,
        fits: &impl Fn(&Ty) -> bool,
        depth: u32,
        found: &mut Vec<Name>,
    ) {
        if fits(&name.ty) {
            found.push(name.clone());
        }
        if depth == 0 {
            return;
        }
        let inner = |path: String, ty: &Ty| Name { path, ty: ty.clone(), access: name.access };
        match &name.ty {
            Ty::Struct(_, fields) => {
                for field in fields {
                    let place = inner(format!("{}.{}", name.path, field.name), &field.ty);
                    self.within(&place, random, fits, depth - 1, found);
                }
            }
            Ty::Array(of, n) => {
                let place = inner(format!("{}[{}]", name.path, self.index(random, *n)), of);
                self.within(&place, random, fits, depth - 1, found);
            }
            // An unused slot reads as zero, and writes to it are lost.
            Ty::Pool(of, n) | Ty::Map(_, of, n) if of.is_plain() => {
                let place = inner(format!("{}[{}]", name.path, self.index(random, *n)), of);
                self.within(&place, random, fits, depth - 1, found);
            }
            Ty::Pool(of, n) | Ty::Map(_, of, n) => {
                let Ty::Struct(_, fields) = &**of else { return };
                let path = format!("{}[{}]", name.path, self.index(random, *n));
                for field in fields.iter().filter(|field| !field.ty.holds(&Ty::Msg)) {
                    let place = inner(format!("{path}.{}", field.name), &field.ty);
                    self.within(&place, random, fits, depth - 1, found);
                }
            }
            Ty::Option(of) if of.is_plain() => {
                let mut place = inner(format!("{}.value", name.path), of);
                place.access = Access::Read;
                self.within(&place, random, fits, depth - 1, found);
            }
            Ty::Bytes(n) => {
                let mut place = inner(format!("{}[{}]", name.path, self.index(random, *n)), &Ty::UInt(8));
                place.access = Access::Read;
                self.within(&place, random, fits, 0, found);
            }
            _ => {}
        }
    }

    /// An index below `n`: a number, or a name of a range that fits.
    pub fn index(&self, random: &mut Generator, n: u32) -> String {
        let fits = |name: &&Name| matches!(name.ty, Ty::Range(high) if high <= u64::from(n));
        let names: Vec<&Name> = self.names.iter().filter(fits).collect();
        if !names.is_empty() && random.percent(60) {
            return random.one(&names).path.clone();
        }
        random.below(n as usize).to_string()
    }

    /// Whether the place may be changed at this point.
    pub fn changeable(&self, place: &Name) -> bool {
        let root = self.origin(&place.path);
        let is_alias = |name: &str| self.aliases.iter().any(|alias| alias == name);
        let conflicts = |frozen: &str| frozen == root || is_alias(frozen) || is_alias(root);
        place.access != Access::Read && !self.frozen.iter().any(|frozen| conflicts(self.origin(frozen)))
    }

    /// Whether entries may be added to or removed from the container: no name refers to one.
    pub fn may_move(&self, container: &Name) -> bool {
        let root = self.origin(&container.path);
        self.changeable(container) && !self.stands.iter().any(|(_, other)| other == root)
    }

    /// The name in the state, or of a parameter, that contains a place.
    pub fn origin<'s>(&'s self, path: &'s str) -> &'s str {
        let root = root(path);
        self.stands.iter().find(|(name, _)| name == root).map_or(root, |(_, origin)| origin)
    }
}

/// The first name of a place.
pub fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}
