//! Names for what stands in a container or an option: they are not used after it was changed.
//!
//! `if let x = last`, `for x in waiting`, `ref e = calls[i]` and `ref` parameters name a value where it is kept. Each use of such a
//! name is noted together with the changes that may have come between. Whether a change concerns what the name stands in is found
//! when all functions are known: a function changes cells and what its `ref` parameters stand for, which its callers say.

use std::collections::{BTreeMap, BTreeSet};

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::{FunctionId, LocalId, Place, StatementKind};

use crate::body::{Binding, Body};
use crate::changes::{change_of, holders, Change, Effects, Origin, Spot};
use crate::layer::Checker;

/// What a name stands in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holder {
    Spot(Spot),
    /// Whatever the place lies in that the caller gave to this `ref` parameter.
    OfArgument(LocalId),
}

/// A name that stands for a place.
#[derive(Clone, Debug)]
struct Entry {
    name: String,
    holders: Vec<Holder>,
}

/// The names of a body that stand for places, and what it changes.
#[derive(Default)]
pub(crate) struct Entries {
    names: Vec<Entry>,
    changes: Vec<(Change, Span)>,
    /// Each use of a name, in order.
    uses: Vec<(usize, Span)>,
}

/// A change that may lie between the declaration of a name and its use: indices into [`Entries`].
pub(crate) type Outdated = BTreeSet<(usize, usize)>;

/// What must not be changed.
pub(crate) enum Kept {
    /// What a name stands in, until the name is used.
    Name(String),
    /// What a loop goes over.
    Walk,
}

/// A use of a place after a change.
pub(crate) struct Use {
    /// The function that it is in; none: a handler.
    function: Option<FunctionId>,
    kept: Kept,
    holders: Vec<Holder>,
    change: Change,
    changed: Span,
    used: Span,
}

/// A call, by which what a function does to its `ref` parameters concerns its caller.
pub(crate) struct Called {
    by: Option<FunctionId>,
    change: Change,
    span: Span,
}

impl Body<'_, '_> {
    /// Declares a name that stands for a place.
    pub fn bind_place(&mut self, name: &str, place: Place, borrowed: bool) {
        let in_place = holders(&place, &self.locals, &self.cx.fragment);
        let mut all: Vec<Holder> = in_place.into_iter().map(Holder::Spot).collect();
        if let Origin::Ref(parameter) = Spot::of(&place, &self.locals).origin {
            all.push(Holder::OfArgument(parameter));
        }
        let entry = (!all.is_empty()).then(|| {
            self.entries.names.push(Entry { name: name.into(), holders: all });
            self.entries.names.len() - 1
        });
        self.bind(name, Binding::Place { place, borrowed, entry });
    }

    /// Notes what a statement changes.
    pub fn note_change(&mut self, kind: &StatementKind) {
        let Some(change) = change_of(kind, &self.locals, &self.cx.fragment) else { return };
        if let Change::Call(..) = change {
            self.cx.called.push(Called { by: self.function, change: change.clone(), span: self.at });
        }
        let concerned = |entry: &Entry| match &change {
            Change::Call(..) => true,
            Change::Spot(spot) => entry.holders.iter().any(|holder| may_concern(spot, holder)),
        };
        let at = self.entries.changes.len();
        let concerned = self.entries.names.iter().enumerate().filter(|(_, entry)| concerned(entry));
        let outdated: Vec<(usize, usize)> = concerned.map(|(name, _)| (name, at)).collect();
        if !outdated.is_empty() {
            self.flow.outdated.extend(outdated);
            self.entries.changes.push((change, self.at));
        }
    }

    /// Notes the use of a name that stands for a place.
    pub fn note_use(&mut self, entry: usize, span: Span) {
        self.entries.uses.push((entry, span));
        let changes: Vec<usize> = self.flow.outdated.range((entry, 0)..=(entry, usize::MAX)).map(|(_, c)| *c).collect();
        changes.into_iter().for_each(|change| self.suspect(entry, change, span));
    }

    fn suspect(&mut self, entry: usize, change: usize, used: Span) {
        let Entry { name, holders } = self.entries.names[entry].clone();
        let (change, changed) = self.entries.changes[change].clone();
        self.cx.uses.push(Use { function: self.function, kept: Kept::Name(name), holders, change, changed, used });
    }

    /// Notes that a loop goes over a place, although a statement in it may change that.
    pub fn suspect_walk(&mut self, over: &Place, change: Change, changed: Span, used: Span) {
        let spot = Spot::of(over, &self.locals);
        let mut all = vec![Holder::Spot(spot.clone())];
        all.extend(holders(over, &self.locals, &self.cx.fragment).into_iter().map(Holder::Spot));
        if let Origin::Ref(parameter) = spot.origin {
            all.push(Holder::OfArgument(parameter));
        }
        self.cx.uses.push(Use { function: self.function, kept: Kept::Walk, holders: all, change, changed, used });
    }

    /// Where a loop begins: how many names and uses there are.
    pub fn loop_begins(&self) -> (usize, usize) {
        (self.entries.names.len(), self.entries.uses.len())
    }

    /// Names of before the loop, used in it: a change late in the body comes before a use early in the next turn.
    pub fn loop_ends(&mut self, (names, uses): (usize, usize), before: &Outdated) {
        let new: Vec<(usize, usize)> =
            self.flow.outdated.difference(before).filter(|(name, _)| *name < names).copied().collect();
        let used: BTreeSet<(usize, Span)> = self.entries.uses[uses..].iter().copied().collect();
        for (name, change) in new {
            for (_, span) in used.range((name, Span::default())..).take_while(|(used, _)| *used == name) {
                self.suspect(name, change, *span);
            }
        }
    }
}

/// Without knowing the callers.
fn may_concern(spot: &Spot, holder: &Holder) -> bool {
    match holder {
        Holder::Spot(held) if spot.origin == held.origin => spot.holds(held),
        Holder::Spot(held) => is_ref(spot) && !is_local(held) || is_ref(held) && !is_local(spot),
        Holder::OfArgument(_) => !is_local(spot),
    }
}

fn is_ref(spot: &Spot) -> bool {
    matches!(spot.origin, Origin::Ref(_))
}

fn is_local(spot: &Spot) -> bool {
    matches!(spot.origin, Origin::Local(_))
}

/// A change and what it must not concern, in the terms of one function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Conflict {
    spot: Spot,
    holder: Holder,
    /// Index into the uses.
    of: usize,
    /// The call by which it is one, if the function alone does nothing wrong.
    through: Option<Span>,
}

impl Checker<'_> {
    /// Reports names that are used after what they stand in was changed.
    pub(crate) fn outdated_uses(&mut self) {
        let (uses, called) = (std::mem::take(&mut self.uses), std::mem::take(&mut self.called));
        let mut effects = Effects::new(&self.fragment);
        let mut waiting: Vec<(Option<FunctionId>, Conflict)> = Vec::new();
        for (of, used) in uses.iter().enumerate() {
            for spot in effects.spots(&used.change) {
                let conflicts =
                    used.holders.iter().map(|h| Conflict { spot: spot.clone(), holder: h.clone(), of, through: None });
                waiting.extend(conflicts.map(|conflict| (used.function, conflict)));
            }
        }
        // One report for each place in the source.
        let mut found = BTreeMap::new();
        let mut known: BTreeSet<(Option<FunctionId>, Conflict)> = BTreeSet::new();
        while let Some((function, conflict)) = waiting.pop() {
            if !may_concern(&conflict.spot, &conflict.holder) || !known.insert((function, conflict.clone())) {
                continue;
            }
            if matches!(&conflict.holder, Holder::Spot(held) if conflict.spot.holds(held)) {
                let used = &uses[conflict.of];
                found.entry(used.used).or_insert_with(|| used.report(conflict.through));
                continue;
            }
            let Some(function) = function else { continue };
            for call in &called {
                waiting.extend(call.raised(function, &conflict).into_iter().map(|conflict| (call.by, conflict)));
            }
        }
        self.found.extend(found.into_values());
    }
}

impl Called {
    /// What a conflict in the function means where it is called.
    fn raised(&self, function: FunctionId, conflict: &Conflict) -> Vec<Conflict> {
        let Change::Call(callee, arguments) = &self.change else { return Vec::new() };
        if *callee != function {
            return Vec::new();
        }
        let Some(spot) = conflict.spot.in_caller(arguments) else { return Vec::new() };
        let holders: Vec<Holder> = match &conflict.holder {
            Holder::Spot(held) => held.in_caller(arguments).into_iter().map(Holder::Spot).collect(),
            Holder::OfArgument(parameter) => {
                let Some(given) = arguments.get(parameter) else { return Vec::new() };
                let outer = match given.spot.origin {
                    Origin::Ref(id) => Some(Holder::OfArgument(id)),
                    _ => None,
                };
                given.holders.iter().cloned().map(Holder::Spot).chain(outer).collect()
            }
        };
        let through = Some(self.span);
        holders.into_iter().map(|holder| Conflict { spot: spot.clone(), holder, of: conflict.of, through }).collect()
    }
}

impl Use {
    fn report(&self, through: Option<Span>) -> Diagnostic {
        let report = match &self.kept {
            Kept::Name(name) => {
                let because =
                    format!("`{name}` names a value where it is kept; after the change it may be gone, or another");
                Diagnostic::error("T0160", format!("`{name}` is used after what it stands in was changed"))
                    .at(self.used, "used here")
                    .because(because)
                    .help("use it before the change, or copy what is needed: for a message `share`")
            }
            Kept::Walk => Diagnostic::error("T0116", "a container is changed while a loop goes over it")
                .at(self.used, "the loop's body changes this")
                .help("change it after the loop; a body may change fields of the current entry, or remove it and leave at once"),
        };
        let report = report.also(self.changed, "changed here");
        match through {
            Some(call) => report.also(call, "by this call"),
            None => report,
        }
    }
}
