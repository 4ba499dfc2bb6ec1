//! The places that statements change, compared without their indices.

use std::collections::{BTreeSet, HashMap};

use nacre_stack::{CellId, FunctionId, Type};

use crate::tree::{Expr, ExprKind, Is, Layer, NameId, Names, Place, Root, Step};

/// Where a place begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Cell(CellId),
    Name(NameId),
    /// A `ref` parameter: a place of the caller's.
    Ref(NameId),
    /// A value without a name, which nothing changes.
    Nameless,
}

/// A step of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Field(u32),
    Unwrap,
    /// None: not known, so any.
    Index(Option<u64>),
}

/// Where a place leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub origin: Origin,
    pub path: Vec<Part>,
}

impl Spot {
    /// Where a place of a body leads.
    pub fn of(place: &Place, names: &Names) -> Spot {
        let mut spot = match place.root {
            Root::Cell(cell) => Spot { origin: Origin::Cell(cell), path: Vec::new() },
            Root::Name(id) => match &names[id].is {
                Is::Value => Spot { origin: Origin::Name(id), path: Vec::new() },
                Is::Reference => Spot { origin: Origin::Ref(id), path: Vec::new() },
                Is::Place(of) => Spot::of(of, names),
            },
            Root::Walked => Spot { origin: Origin::Nameless, path: Vec::new() },
        };
        spot.path.extend(place.path.iter().map(|step| match step {
            Step::Field(i) => Part::Field(*i),
            Step::Unwrap => Part::Unwrap,
            Step::Index(Expr { kind: ExprKind::Const(n), .. }) => Part::Index(Some(*n)),
            Step::Index(_) | Step::Current => Part::Index(None),
        }));
        spot
    }

    /// Whether changing this place changes the other: it is the same, or lies in it.
    pub fn holds(&self, other: &Spot) -> bool {
        let meets = |(a, b): (&Part, &Part)| match (a, b) {
            (Part::Index(a), Part::Index(b)) => a.is_none() || b.is_none() || a == b,
            (a, b) => a == b,
        };
        self.origin == other.origin
            && self.path.len() <= other.path.len()
            && self.path.iter().zip(&other.path).all(meets)
    }

    /// The same place, as the caller of a function knows it; None: a local of the function.
    pub fn in_caller(&self, arguments: &Arguments) -> Option<Spot> {
        match self.origin {
            Origin::Cell(_) => Some(self.clone()),
            Origin::Name(_) | Origin::Nameless => None,
            Origin::Ref(id) => {
                let given = &arguments.get(&id)?.spot;
                let path = given.path.iter().chain(&self.path).copied().collect();
                Some(Spot { origin: given.origin, path })
            }
        }
    }
}

/// A place that is handed to a `ref` parameter.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub spot: Spot,
    /// The containers and options that it lies in.
    pub holders: Vec<Spot>,
}

/// Returns the place that each `ref` parameter of a function denotes in a call.
pub(crate) type Arguments = HashMap<NameId, Given>;

/// Something that a statement changes.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Spot(Spot),
    Call(FunctionId, Arguments),
}

/// The containers and options through which a place leads: when one of them is changed, something else is there, or
/// nothing.
pub(crate) fn holders(place: &Place, names: &Names, layer: &Layer) -> Vec<Spot> {
    let spot = Spot::of(place, names);
    let (mut ty, mut found) = match place.root {
        Root::Cell(cell) => (layer.cells[cell.index()].cell.ty.clone(), Vec::new()),
        Root::Name(id) => match &names[id].is {
            Is::Place(of) => (of.ty.clone(), holders(of, names, layer)),
            Is::Value | Is::Reference => (names[id].ty.clone(), Vec::new()),
        },
        Root::Walked => return Vec::new(),
    };
    let before = spot.path.len() - place.path.len();
    for (at, step) in place.path.iter().enumerate() {
        if !matches!(ty, Type::Array(..) | Type::Bytes(_) | Type::Struct(_) | Type::Tuple(_)) {
            found.push(Spot { origin: spot.origin, path: spot.path[..before + at].to_vec() });
        }
        ty = match (&ty, step) {
            (Type::Struct(id), Step::Field(i)) => layer.structs[id.index()].fields[*i as usize].ty.clone(),
            (Type::Tuple(types), Step::Field(i)) => types[*i as usize].clone(),
            (Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) | Type::Pool(t, _), _) => (**t).clone(),
            (Type::Window(t, ..) | Type::Map(_, t, _) | Type::Option(t), _) => (**t).clone(),
            _ => return found,
        };
    }
    found
}

/// What functions change of what their callers know. Functions do not recur.
pub(crate) struct Effects<'f> {
    /// By function.
    changes: &'f [Vec<Change>],
    known: Vec<Option<BTreeSet<Spot>>>,
}

impl<'f> Effects<'f> {
    /// Nothing has been asked for yet.
    pub fn new(changes: &'f [Vec<Change>]) -> Effects<'f> {
        Effects { changes, known: vec![None; changes.len()] }
    }

    /// All places that a change concerns.
    pub fn spots(&mut self, change: &Change) -> Vec<Spot> {
        match change {
            Change::Spot(spot) => vec![spot.clone()],
            Change::Call(function, arguments) => {
                self.prepare(*function);
                let spots = self.known[function.index()].iter().flatten();
                spots.filter_map(|spot| spot.in_caller(arguments)).collect()
            }
        }
    }

    /// Finds the places of a function and of all that it calls, callees first.
    fn prepare(&mut self, function: FunctionId) {
        let mut waiting = vec![function];
        while let Some(&next) = waiting.last() {
            let changes = &self.changes[next.index()];
            let callees = changes.iter().filter_map(|change| match change {
                Change::Call(callee, _) => Some(*callee),
                Change::Spot(_) => None,
            });
            let before = waiting.len();
            waiting.extend(callees.filter(|callee| self.known[callee.index()].is_none()));
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            if self.known[next.index()].is_none() {
                let mut spots: BTreeSet<Spot> = changes.iter().flat_map(|change| self.spots(change)).collect();
                spots.retain(|spot| !matches!(spot.origin, Origin::Name(_) | Origin::Nameless));
                self.known[next.index()] = Some(spots);
            }
        }
    }
}
