//! Notes of changes, and of the use of names for what may have been changed.

use std::collections::BTreeSet;

use nacre_diagnostics::Span;
use nacre_stack::{FunctionId, Operation, Type};
use nacre_syntax::ast;

use crate::body::{Binding, Body};
use crate::borrows::{may_concern, Called, Changed, Entry, Holder, Kept, Outdated, Use};
use crate::changes::{holders, Change, Given, Origin, Spot};
use crate::tree::{self, Argument, Is, Name, NameId, Place, Root};

impl Body<'_, '_> {
    /// Declares a name that denotes a place.
    pub fn bind_place(&mut self, name: &ast::Ident, place: Place, borrowed: bool) -> NameId {
        let place = self.shortest(place);
        let ty = place.ty.clone();
        let id = self.names.add(Name { name: name.name.clone(), ty, is: Is::Place(place), span: name.span });
        self.bind_entry(id, borrowed);
        id
    }

    /// Declares a `ref` parameter.
    pub fn reference(&mut self, name: &ast::Ident, ty: Type) -> NameId {
        let id = self.names.add(Name { name: name.name.clone(), ty, is: Is::Reference, span: name.span });
        self.bind_entry(id, false);
        id
    }

    fn bind_entry(&mut self, id: NameId, borrowed: bool) {
        let place = self.place_of(id);
        let in_place = holders(&place, &self.names, &self.cx.tree);
        let mut all: Vec<Holder> = in_place.into_iter().map(Holder::Spot).collect();
        if let Origin::Ref(parameter) = Spot::of(&place, &self.names).origin {
            all.push(Holder::OfArgument(parameter));
        }
        let name = self.names[id].name.clone();
        let entry = (!all.is_empty()).then(|| {
            self.entries.names.push(Entry { name: name.clone(), holders: all });
            self.entries.names.len() - 1
        });
        self.bind(&name, Binding::Place { id, borrowed, entry });
    }

    /// A name for another name denotes the same place.
    fn shortest(&self, place: Place) -> Place {
        match place.root {
            Root::Name(id) if place.path.is_empty() => match &self.names[id].is {
                Is::Place(of) if of.path.is_empty() => of.clone(),
                _ => place,
            },
            _ => place,
        }
    }

    /// Notes that a place is changed.
    pub fn note_store(&mut self, place: &Place) {
        let spot = Spot::of(place, &self.names);
        self.note_change(Change::Spot(spot), self.at, false);
    }

    /// Notes that a name is set.
    pub fn note_set(&mut self, id: NameId) {
        let place = self.place_of(id);
        self.note_store(&place);
    }

    /// Notes a change of a container.
    pub fn note_operation(&mut self, operation: Operation, place: &Place) {
        if !matches!(operation, Operation::Find | Operation::Hole) {
            let spot = Spot::of(place, &self.names);
            self.note_change(Change::Spot(spot), self.span, operation == Operation::Remove);
        }
    }

    /// Notes a call of a function with these places for its `ref` parameters.
    pub fn note_call(&mut self, function: FunctionId, arguments: &[Argument]) {
        let parameters = &self.cx.tree.functions[function.index()].parameters;
        let given = parameters.iter().zip(arguments).filter_map(|(parameter, argument)| match argument {
            Argument::Reference(place) => {
                let (spot, holders) = (Spot::of(place, &self.names), holders(place, &self.names, &self.cx.tree));
                Some((*parameter, Given { spot, holders }))
            }
            Argument::Value(_) => None,
        });
        let change = Change::Call(function, given.collect());
        self.cx.called.push(Called { by: self.function, change: change.clone(), span: self.at });
        self.note_change(change, self.span, false);
    }

    fn note_change(&mut self, change: Change, span: Span, is_removal: bool) {
        if let Some(function) = self.function {
            self.cx.changes[function.index()].push(change.clone());
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
            self.entries.changes.push((change.clone(), self.at));
        }
        if !self.loops.is_empty() {
            let depth = self.scopes.len();
            self.entries.in_loops.push(Changed { change, span, depth, is_removal, returns: false, breaks: None });
        }
    }

    /// How a block ends decides about the removals in it: they may be the last act of a loop.
    pub fn block_ends(&mut self, first: usize, last: Option<&tree::StatementKind>) {
        let (depth, inside) = (self.scopes.len(), self.loops.len());
        let (returns, breaks) = match last {
            Some(tree::StatementKind::Return(_)) => (true, None),
            Some(tree::StatementKind::Break) => (false, Some(inside)),
            _ => return,
        };
        for changed in self.entries.in_loops[first..].iter_mut().filter(|c| c.is_removal && c.depth == depth) {
            (changed.returns, changed.breaks) = (returns, breaks);
        }
    }

    /// Records a loop over a container, and the changes in its body before the next iteration.
    pub fn note_walk(&mut self, over: &Place, first: usize, span: Span) {
        let depth = self.loops.len() + 1;
        let may = |c: &&Changed| !c.returns && c.breaks != Some(depth);
        let found: Vec<(Change, Span)> =
            self.entries.in_loops[first..].iter().filter(may).map(|c| (c.change.clone(), c.span)).collect();
        for (change, changed) in found {
            self.suspect_walk(over, change, changed, span);
        }
    }

    /// Records the use of a name that denotes a place.
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

    /// Records a loop over a place that a statement in the loop may change.
    pub fn suspect_walk(&mut self, over: &Place, change: Change, changed: Span, used: Span) {
        let spot = Spot::of(over, &self.names);
        let mut all = vec![Holder::Spot(spot.clone())];
        all.extend(holders(over, &self.names, &self.cx.tree).into_iter().map(Holder::Spot));
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
