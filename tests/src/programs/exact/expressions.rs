//! Known code: expressions of all types of values.

use super::code::{Function, Kind, Place, Step, Value};
use super::known::Known;
use crate::programs::generator::Generator;
use crate::programs::types::{mask, Ty};

/// The names in known code.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub all: Vec<Name>,
    /// Earlier functions, which expressions may call at the root of a statement.
    pub functions: Vec<Function>,
    /// Containers that a loop iterates over, or to whose entries a name refers.
    pub fixed: Vec<String>,
    /// Names that refer to a place (`ref`): the name, and the root of the place.
    pub stands: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct Name {
    pub name: String,
    pub ty: Ty,
    /// Whether it can be changed: state, a variable, or a `ref`.
    pub changes: bool,
    /// Whether a `ref` can refer to it.
    pub state: bool,
}

impl Names {
    /// Adds a name.
    pub fn add(&mut self, name: &str, ty: Ty, changes: bool, state: bool) {
        self.all.push(Name { name: name.to_string(), ty, changes, state });
    }

    /// The name of the place to which a name refers.
    pub fn origin<'n>(&'n self, name: &'n str) -> &'n str {
        self.stands.iter().find(|(stands, _)| stands == name).map_or(name, |(_, origin)| origin)
    }

    fn is_fixed(&self, name: &str) -> bool {
        self.fixed.iter().any(|fixed| self.origin(fixed) == self.origin(name))
    }
}

impl Generator {
    /// All places of types that fit.
    pub fn known_places(&mut self, names: &Names, changes: bool, fits: &dyn Fn(&Ty) -> bool) -> Vec<Place> {
        let mut found = Vec::new();
        for name in &names.all {
            if changes && (!name.changes || names.is_fixed(&name.name)) {
                continue;
            }
            let place = Place { root: name.name.clone(), ty: name.ty.clone(), steps: Vec::new() };
            self.within_known(names, place, fits, changes, &mut found);
        }
        found
    }

    fn within_known(
        &mut self,
        names: &Names,
        place: Place,
        fits: &dyn Fn(&Ty) -> bool,
        changes: bool,
        found: &mut Vec<Place>,
    ) {
        let deeper = |ty: &Ty, step: Step| {
            let steps = [place.steps.clone(), vec![step]].concat();
            Place { root: place.root.clone(), ty: ty.clone(), steps }
        };
        match &place.ty {
            Ty::Struct(_, fields) => {
                for (at, field) in fields.iter().enumerate() {
                    let inner = deeper(&field.ty, Step::Field(field.name.clone(), at));
                    self.within_known(names, inner, fits, changes, found);
                }
            }
            Ty::Array(of, n) => {
                let inner = deeper(of, Step::Index(self.known_index(names, *n)));
                self.within_known(names, inner, fits, changes, found);
            }
            Ty::Bytes(n) if !changes => {
                let inner = deeper(&Ty::UInt(8), Step::Index(self.known_index(names, *n)));
                self.within_known(names, inner, fits, changes, found);
            }
            _ => {}
        }
        if fits(&place.ty) {
            found.push(place);
        }
    }

    fn known_index(&mut self, names: &Names, n: u32) -> Value {
        let fits = |name: &&Name| matches!(name.ty, Ty::Range(high) if high <= u64::from(n));
        let fitting: Vec<&Name> = names.all.iter().filter(fits).collect();
        if !fitting.is_empty() && self.percent(70) {
            let name = (*self.one(&fitting)).clone();
            let place = Place { root: name.name, ty: name.ty.clone(), steps: Vec::new() };
            return Value { ty: name.ty, kind: Kind::Place(place) };
        }
        Value { ty: Ty::Range(u64::from(n)), kind: Kind::Known(Known::Num(self.below(n as usize) as i128)) }
    }

    /// A value of a type, written out.
    pub fn known(&mut self, ty: &Ty) -> Known {
        match ty {
            Ty::Bool => Known::Num(self.below(2) as i128),
            Ty::UInt(bits) | Ty::Seq(bits) => Known::Num(i128::from(self.up_to(mask(*bits)))),
            Ty::Int(bits) => {
                let n = i128::from(self.up_to(mask(*bits) >> 1));
                Known::Num(if self.percent(50) { -n - 1 } else { n })
            }
            Ty::Range(high) => Known::Num(i128::from(self.up_to(high - 1))),
            Ty::Duration => Known::Num(i128::from(self.up_to(u64::MAX))),
            Ty::Enum(_, variants) => Known::Num(self.below(variants.len()) as i128),
            Ty::Struct(_, fields) => Known::Parts(fields.iter().map(|field| self.known(&field.ty)).collect()),
            Ty::Tuple(types) => Known::Parts(types.iter().map(|ty| self.known(ty)).collect()),
            Ty::Array(of, n) => Known::Parts((0..*n).map(|_| self.known(of)).collect()),
            Ty::Bytes(n) => Known::Parts((0..*n).map(|_| self.known(&Ty::UInt(8))).collect()),
            Ty::Option(of) if self.percent(60) => Known::Maybe(Some(Box::new(self.known(of)))),
            Ty::Bits(n) => Known::Set((0..self.below(5)).map(|_| self.below(*n as usize) as u32).collect()),
            other => Known::zero(other),
        }
    }

    /// An expression whose type follows from itself.
    pub fn exact(&mut self, names: &Names, ty: &Ty, depth: u32) -> Value {
        let kind = if depth == 0 || self.percent(20) { None } else { self.exact_kind(names, ty, depth - 1) };
        let kind = kind.unwrap_or_else(|| self.exact_leaf(names, ty));
        Value { ty: ty.clone(), kind }
    }

    fn exact_leaf(&mut self, names: &Names, ty: &Ty) -> Kind {
        let places = self.known_places(names, false, &|other| other == ty);
        match places.is_empty() || self.percent(20) {
            true => Kind::Known(self.known(ty)),
            false => Kind::Place(self.one(&places).clone()),
        }
    }

    fn exact_kind(&mut self, names: &Names, ty: &Ty, depth: u32) -> Option<Kind> {
        if self.percent(10) {
            let condition = Box::new(self.exact(names, &Ty::Bool, depth));
            // An expression whose type does not follow from itself must be a place.
            let (a, b) = (self.shown(names, ty, depth)?, self.shown(names, ty, depth)?);
            return Some(Kind::If(condition, Box::new(a), Box::new(b)));
        }
        match ty {
            Ty::Bool => self.exact_condition(names, depth),
            Ty::UInt(bits) | Ty::Int(bits) => self.exact_number(names, ty, *bits, depth),
            Ty::Seq(_) => match self.below(4) {
                0 => self.least(names, ty, depth),
                1 => self.converted(names, depth),
                _ => Some(self.both(names, "+", ty, ty, depth)),
            },
            Ty::Bits(n) => {
                let place = Box::new(self.shown(names, ty, depth)?);
                let other = match self.percent(50) {
                    true => self.shown(names, ty, depth)?,
                    false => {
                        let number = Known::Num(self.below(*n as usize) as i128);
                        let element = Value { ty: Ty::Range(u64::from(*n)), kind: Kind::Known(number) };
                        return Some(Kind::Binary(*self.one(&["+", "-"]), place, Box::new(element)));
                    }
                };
                Some(Kind::Binary(*self.one(&["|", "&", "^", "-"]), place, Box::new(other)))
            }
            Ty::Duration => {
                let a = self.shown(names, ty, depth)?;
                Some(Kind::Binary(*self.one(&["+", "-"]), Box::new(a), Box::new(self.exact(names, ty, 0))))
            }
            Ty::Struct(_, fields) => Some(Kind::Made(fields.iter().map(|f| self.exact(names, &f.ty, depth)).collect())),
            Ty::Tuple(types) => Some(Kind::Made(types.iter().map(|ty| self.exact(names, ty, depth)).collect())),
            Ty::Option(of) => Some(Kind::Made(vec![self.exact(names, of, depth)])),
            Ty::Array(of, n) if *n < 6 => Some(Kind::Made((0..*n).map(|_| self.exact(names, of, depth)).collect())),
            _ => None,
        }
    }

    /// A value whose type is known independently of its use.
    fn shown(&mut self, names: &Names, ty: &Ty, depth: u32) -> Option<Value> {
        if matches!(ty, Ty::UInt(_) | Ty::Int(_) | Ty::Seq(_) | Ty::Bool | Ty::Enum(..) | Ty::Struct(..)) {
            return Some(self.exact(names, ty, depth));
        }
        let places = self.known_places(names, false, &|other| other == ty);
        (!places.is_empty()).then(|| Value { ty: ty.clone(), kind: Kind::Place(self.one(&places).clone()) })
    }

    fn both(&mut self, names: &Names, operator: &'static str, ty: &Ty, right: &Ty, depth: u32) -> Kind {
        let (a, b) = (self.exact(names, ty, depth), self.exact(names, right, depth));
        Kind::Binary(operator, Box::new(a), Box::new(b))
    }

    fn least(&mut self, names: &Names, ty: &Ty, depth: u32) -> Option<Kind> {
        let (a, b) = (self.exact(names, ty, depth), self.exact(names, ty, depth));
        Some(Kind::Least(self.percent(50), Box::new(a), Box::new(b)))
    }

    /// `x as T`
    fn converted(&mut self, names: &Names, depth: u32) -> Option<Kind> {
        let from = match self.below(6) {
            0 => Ty::Bool,
            1 => Ty::Duration,
            2 => {
                let places = self.known_places(names, false, &|ty| matches!(ty, Ty::Enum(..) | Ty::Range(_)));
                if places.is_empty() {
                    return None;
                }
                self.one(&places).ty.clone()
            }
            _ => self.number(),
        };
        Some(Kind::Cast(Box::new(self.shown(names, &from, depth)?)))
    }

    fn exact_number(&mut self, names: &Names, ty: &Ty, bits: u8, depth: u32) -> Option<Kind> {
        match self.below(14) {
            0..=3 => {
                let operator = *self.one(&["+", "-", "*"]);
                Some(self.both(names, operator, ty, ty, depth))
            }
            4 | 5 => {
                let operator = *self.one(&["&", "|", "^"]);
                Some(self.both(names, operator, ty, ty, depth))
            }
            6 => {
                let by = Known::Num(self.below(usize::from(bits)) as i128);
                let by = Value { ty: Ty::Range(u64::from(bits)), kind: Kind::Known(by) };
                let value = Box::new(self.exact(names, ty, depth));
                Some(Kind::Binary(*self.one(&["<<", ">>"]), value, Box::new(by)))
            }
            7 => {
                let by = self.known(ty);
                let by = if by.num() == 0 { Known::Num(-i128::from(matches!(ty, Ty::Int(_)))) } else { by };
                let by = if by.num() == 0 { Known::Num(1) } else { by };
                let by = Value { ty: ty.clone(), kind: Kind::Known(by) };
                let value = Box::new(self.exact(names, ty, depth));
                Some(Kind::Binary(*self.one(&["/", "%"]), value, Box::new(by)))
            }
            8 | 9 => self.converted(names, depth),
            10 => self.least(names, ty, depth),
            11 if matches!(ty, Ty::Int(_)) => Some(Kind::Unary("-", Box::new(self.exact(names, ty, depth)))),
            11 => {
                let by = 1 + i128::from(self.up_to(mask(bits) - 1));
                let (a, b) = (self.exact(names, ty, depth), self.exact(names, ty, depth));
                Some(Kind::MulDiv(Box::new(a), Box::new(b), by))
            }
            12 if matches!(ty, Ty::Int(2..=32)) => Some(self.both(names, "-", &Ty::Seq(bits), &Ty::Seq(bits), depth)),
            _ => self.exact_asked(names, ty, depth),
        }
    }

    /// A query of a container.
    fn exact_asked(&mut self, names: &Names, ty: &Ty, depth: u32) -> Option<Kind> {
        if *ty == Ty::UInt(32) {
            let countable = |ty: &Ty| matches!(ty, Ty::Bits(_) | Ty::Ring(..) | Ty::List(..) | Ty::Map(..));
            let places = self.known_places(names, false, &countable);
            return (!places.is_empty()).then(|| Kind::Asked("len", self.one(&places).clone()));
        }
        let maps = self.known_places(names, false, &|other| matches!(other, Ty::Map(_, of, _) if **of == *ty));
        if maps.is_empty() {
            return None;
        }
        let map = self.one(&maps).clone();
        let Ty::Map(key, of, _) = &map.ty else { return None };
        let (key, other) = (self.exact(names, key, depth), self.exact(names, of, depth));
        Some(Kind::Get(map, Box::new(key), Box::new(other)))
    }

    fn exact_condition(&mut self, names: &Names, depth: u32) -> Option<Kind> {
        match self.below(8) {
            0 | 1 => {
                let operator = *self.one(&["&&", "||"]);
                Some(self.both(names, operator, &Ty::Bool, &Ty::Bool, depth))
            }
            2 => Some(Kind::Unary("!", Box::new(self.exact(names, &Ty::Bool, depth)))),
            3 => {
                let holds = |ty: &Ty| matches!(ty, Ty::Ring(..) | Ty::List(..) | Ty::Map(..) | Ty::Bits(_));
                let places = self.known_places(names, false, &holds);
                if places.is_empty() {
                    return None;
                }
                let place = self.one(&places).clone();
                let element = match &place.ty {
                    Ty::Bits(n) => Value {
                        ty: Ty::Range(u64::from(*n)),
                        kind: Kind::Known(Known::Num(self.below(*n as usize) as i128)),
                    },
                    Ty::Ring(of, _) | Ty::List(of, _) | Ty::Map(of, ..) => self.exact(names, of, depth),
                    _ => return None,
                };
                Some(Kind::In(Box::new(element), place))
            }
            4 => {
                let countable = |ty: &Ty| matches!(ty, Ty::Ring(..) | Ty::List(..) | Ty::Map(..));
                let places = self.known_places(names, false, &countable);
                (!places.is_empty()).then(|| Kind::Asked(*self.one(&["empty", "full"]), self.one(&places).clone()))
            }
            5 => {
                let plain = |ty: &Ty| ty.is_plain();
                let places = self.known_places(names, false, &plain);
                let ty = if places.is_empty() { Ty::Bool } else { self.one(&places).ty.clone() };
                let a = self.shown(names, &ty, depth)?;
                let b = self.exact(names, &ty, depth);
                Some(Kind::Binary(*self.one(&["==", "!="]), Box::new(a), Box::new(b)))
            }
            _ => {
                let ty = match self.number() {
                    Ty::Range(_) => Ty::UInt(8),
                    other => other,
                };
                let operator = *self.one(&["==", "!=", "<", "<=", ">", ">="]);
                Some(self.both(names, operator, &ty, &ty, depth))
            }
        }
    }
}
