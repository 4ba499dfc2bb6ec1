//! What statements change: places, compared by where they lead, whatever their indices are.

use std::collections::{BTreeSet, HashMap};

use nacre_stack::{
    Argument, Block, CellId, Expr, ExprKind, FunctionId, Local, LocalId, Operation, Place, Root, StatementKind, Step,
    Type,
};

use crate::fragment::Fragment;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Cell(CellId),
    Local(LocalId),
    /// A `ref` parameter: a place of the caller's.
    Ref(LocalId),
}

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
    pub fn of(place: &Place, locals: &[Local]) -> Spot {
        let origin = match place.root {
            Root::Cell(cell) => Origin::Cell(cell),
            Root::Local(id) if locals[id.index()].by_ref => Origin::Ref(id),
            Root::Local(id) => Origin::Local(id),
        };
        let part = |step: &Step| match step {
            Step::Field(i) => Part::Field(*i),
            Step::Unwrap => Part::Unwrap,
            Step::Index(Expr { kind: ExprKind::Const(n), .. }) => Part::Index(Some(*n)),
            Step::Index(_) => Part::Index(None),
        };
        Spot { origin, path: place.path.iter().map(part).collect() }
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
            Origin::Local(_) => None,
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

/// What each `ref` parameter of a function stands for in a call.
pub(crate) type Arguments = HashMap<LocalId, Given>;

/// A statement that changes something.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Spot(Spot),
    Call(FunctionId, Arguments),
}

/// The containers and options through which a place leads: when one of them is changed, something else is there, or nothing.
pub(crate) fn holders(place: &Place, locals: &[Local], fragment: &Fragment) -> Vec<Spot> {
    let spot = Spot::of(place, locals);
    let mut ty = match place.root {
        Root::Cell(cell) => fragment.cells[cell.index()].ty.clone(),
        Root::Local(id) => locals[id.index()].ty.clone(),
    };
    let mut found = Vec::new();
    for (at, step) in place.path.iter().enumerate() {
        if !matches!(ty, Type::Array(..) | Type::Bytes(_) | Type::Struct(_) | Type::Tuple(_)) {
            found.push(Spot { origin: spot.origin, path: spot.path[..at].to_vec() });
        }
        ty = match (&ty, step) {
            (Type::Struct(id), Step::Field(i)) => fragment.structs[id.index()].fields[*i as usize].ty.clone(),
            (Type::Tuple(types), Step::Field(i)) => types[*i as usize].clone(),
            (Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) | Type::Pool(t, _), _) => (**t).clone(),
            (Type::Window(t, ..) | Type::Map(_, t, _) | Type::Option(t), _) => (**t).clone(),
            _ => return found,
        };
    }
    found
}

/// What a statement changes itself; for a loop, what it does to the container that it goes over.
pub(crate) fn change_of(kind: &StatementKind, locals: &[Local], fragment: &Fragment) -> Option<Change> {
    let place = match kind {
        StatementKind::Operate(o) if !matches!(o.operation, Operation::Find | Operation::Hole) => &o.place,
        StatementKind::Store(place, _) | StatementKind::Take { place, .. } => place,
        StatementKind::Join { parts, .. } => parts,
        StatementKind::Each { walk, .. } if walk.drain => &walk.over,
        StatementKind::Let(id, _) => {
            return Some(Change::Spot(Spot { origin: Origin::Local(*id), path: Vec::new() }));
        }
        StatementKind::Call { function, arguments, .. } => {
            let parameters = &fragment.functions[function.index()].parameters;
            let given = parameters.iter().zip(arguments).filter_map(|(parameter, argument)| match argument {
                Argument::Reference(place) => {
                    let (spot, holders) = (Spot::of(place, locals), holders(place, locals, fragment));
                    Some((*parameter, Given { spot, holders }))
                }
                Argument::Value(_) => None,
            });
            return Some(Change::Call(*function, given.collect()));
        }
        _ => return None,
    };
    Some(Change::Spot(Spot::of(place, locals)))
}

/// What functions change of what their callers know. Functions do not recur.
pub(crate) struct Effects<'f> {
    fragment: &'f Fragment,
    known: HashMap<FunctionId, BTreeSet<Spot>>,
}

impl<'f> Effects<'f> {
    pub fn new(fragment: &'f Fragment) -> Effects<'f> {
        Effects { fragment, known: HashMap::new() }
    }

    /// All places that a change concerns.
    pub fn spots(&mut self, change: &Change) -> Vec<Spot> {
        match change {
            Change::Spot(spot) => vec![spot.clone()],
            Change::Call(function, arguments) => {
                self.of_function(*function).iter().filter_map(|spot| spot.in_caller(arguments)).collect()
            }
        }
    }

    fn of_function(&mut self, id: FunctionId) -> &BTreeSet<Spot> {
        if !self.known.contains_key(&id) {
            let function = &self.fragment.functions[id.index()];
            let mut changes = Vec::new();
            all_changes(&function.body, &function.locals, self.fragment, &mut changes);
            let mut spots: BTreeSet<Spot> = changes.iter().flat_map(|change| self.spots(change)).collect();
            spots.retain(|spot| !matches!(spot.origin, Origin::Local(_)));
            self.known.insert(id, spots);
        }
        &self.known[&id]
    }
}

fn all_changes(block: &Block, locals: &[Local], fragment: &Fragment, found: &mut Vec<Change>) {
    for statement in block {
        found.extend(change_of(&statement.kind, locals, fragment));
        for inner in inner_blocks(&statement.kind) {
            all_changes(inner, locals, fragment, found);
        }
    }
}

/// The blocks in a statement.
pub(crate) fn inner_blocks(kind: &StatementKind) -> Vec<&Block> {
    match kind {
        StatementKind::If { then, otherwise, .. } => vec![then, otherwise],
        StatementKind::Loop { body, .. } | StatementKind::For { body, .. } | StatementKind::Each { body, .. } => {
            vec![body]
        }
        _ => Vec::new(),
    }
}
