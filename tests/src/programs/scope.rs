//! What can be named at a place of a program.

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

/// What may be done with a name besides reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    Read,
    /// Assign it: a variable.
    Assign,
    /// Assign it, change it in place, and hand it on by `ref`: state, and what a `ref` stands for.
    Change,
}

/// What is known at a place.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub names: Vec<Name>,
    /// Messages that are held or borrowed: they can be looked at.
    pub messages: Vec<String>,
    /// Whether expressions may need statements before them (`random`, calls).
    pub effects: bool,
    /// Roots of places that must not change now: a loop goes over them, or something of them is borrowed.
    pub frozen: Vec<String>,
    /// Names that stand in a place (`ref`): the name, and the root of the place.
    pub stands: Vec<(String, String)>,
    /// Parameters that are `ref`: a caller may have given any state for them.
    pub aliases: Vec<String>,
    /// Functions that give a value.
    pub functions: Vec<Function>,
    pub filters: Vec<Filter>,
    /// Whether the layer packs messages.
    pub packs: bool,
    /// Parameters and constants, which take every type that they fit.
    pub constants: Vec<(String, Ty)>,
}

impl Scope {
    /// Adds a name.
    pub fn add(&mut self, path: impl Into<String>, ty: Ty, access: Access) {
        self.names.push(Name { path: path.into(), ty, access });
    }

    /// All places of types that fit, those in structs, arrays, options and strings of bytes too.
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
            // A slot that is not used reads as zero, and what is written there is lost.
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

    /// Whether the place may be changed now.
    pub fn changeable(&self, place: &Name) -> bool {
        let root = self.origin(&place.path);
        let is_alias = |name: &str| self.aliases.iter().any(|alias| alias == name);
        let conflicts = |frozen: &str| frozen == root || is_alias(frozen) || is_alias(root);
        place.access != Access::Read && !self.frozen.iter().any(|frozen| conflicts(self.origin(frozen)))
    }

    /// Whether entries may come and go in the container: no name stands in one.
    pub fn may_move(&self, container: &Name) -> bool {
        let root = self.origin(&container.path);
        self.changeable(container) && !self.stands.iter().any(|(_, other)| other == root)
    }

    /// The name in the state, or of a parameter, that a place is in.
    pub fn origin<'s>(&'s self, path: &'s str) -> &'s str {
        let root = root(path);
        self.stands.iter().find(|(name, _)| name == root).map_or(root, |(_, origin)| origin)
    }
}

/// The name that a place begins with.
pub fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}
