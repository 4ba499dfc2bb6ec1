//! Borrowed names: names of entries in a container or option, which are not used after a change of it.
//!
//! `if let x = last`, `for x in waiting`, `ref e = calls[i]` and `ref` parameters name a value where it is kept. Each
//! use of such a name is noted together with the changes that may have come between. Whether a change concerns what the
//! name stands in is found when all functions are known: a function changes cells and what its `ref` parameters stand
//! for, which its callers say.

use std::collections::{BTreeMap, BTreeSet};

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::FunctionId;

use crate::changes::{Change, Effects, Origin, Spot};
use crate::tree::NameId;

/// The container or option of a borrowed name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holder {
    Spot(Spot),
    /// The container of the place that the caller passed to this `ref` parameter.
    OfArgument(NameId),
}

/// A name of a place.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub name: String,
    pub holders: Vec<Holder>,
}

/// The names of places in a body, and its changes.
#[derive(Default)]
pub(crate) struct Entries {
    pub names: Vec<Entry>,
    pub changes: Vec<(Change, Span)>,
    /// Each use of a name, in order.
    pub uses: Vec<(usize, Span)>,
    /// All changes so far, for the loops around.
    pub in_loops: Vec<Changed>,
}

/// A change in the body of a loop.
pub(crate) struct Changed {
    pub change: Change,
    pub span: Span,
    /// How many scopes are around it.
    pub depth: usize,
    /// Whether it removes an entry from its container.
    pub is_removal: bool,
    /// Whether its block ends with `return`, or with a `break` out of the loop with this many loops around it.
    pub returns: bool,
    pub breaks: Option<usize>,
}

/// A change that may lie between the declaration of a name and its use: indices into [`Entries`].
pub(crate) type Outdated = BTreeSet<(usize, usize)>;

/// What must not change.
pub(crate) enum Kept {
    /// What a name stands in, until the name is used.
    Name(String),
    /// The range of a loop.
    Walk,
}

/// A use of a place after a change.
pub(crate) struct Use {
    /// The function that it is in; none: a handler.
    pub function: Option<FunctionId>,
    pub kept: Kept,
    pub holders: Vec<Holder>,
    pub change: Change,
    pub changed: Span,
    pub used: Span,
}

/// A call, by which what a function does to its `ref` parameters concerns its caller.
pub(crate) struct Called {
    pub by: Option<FunctionId>,
    pub change: Change,
    pub span: Span,
}

/// Without knowing the callers.
pub(crate) fn may_concern(spot: &Spot, holder: &Holder) -> bool {
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
    matches!(spot.origin, Origin::Name(_) | Origin::Nameless)
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

/// The conflicts of all uses and calls of a layer: borrowed names used after a change.
pub(crate) fn outdated(uses: &[Use], called: &[Called], mut effects: Effects) -> Vec<Diagnostic> {
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
        for call in called {
            waiting.extend(call.raised(function, &conflict).into_iter().map(|conflict| (call.by, conflict)));
        }
    }
    found.into_values().collect()
}

impl Called {
    /// A conflict in a function, as seen by its caller.
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
                let because = format!(
                    "`{name}` refers to a place; after the change, the place may be empty or hold another value"
                );
                Diagnostic::error("T0160", format!("`{name}` is used after the place to which it refers was changed"))
                    .at(self.used, "used here")
                    .because(because)
                    .help("use it before the change, or copy the needed values; a message by `share`")
            }
            Kept::Walk => Diagnostic::error("T0116", "a container is changed while a loop iterates over it")
                .at(self.used, "the body of the loop changes this")
                .help(
                    "change it after the loop; a body may change fields of the current entry, or remove it directly \
                        before `return` or `break`",
                ),
        };
        let report = report.also(self.changed, "changed here");
        match through {
            Some(call) => report.also(call, "by this call"),
            None => report,
        }
    }
}
