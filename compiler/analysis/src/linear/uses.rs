//! The facts about messages at a point of a body, and the parts of locals that expressions name.

use std::collections::BTreeMap;

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::Lattice;

/// The use of a message up to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Not consumed yet.
    Live,
    /// Unset, or moved.
    Gone,
    /// Unknown.
    Maybe,
    /// Live if that local has this value: a message that a failed operation returns.
    If(LocalId, bool),
}

/// A part of a local, by the path of its fields.
pub type Part = (LocalId, Vec<u32>);

/// The facts at a reachable point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// The use of each part that can hold a message.
    pub uses: BTreeMap<Part, Use>,
    /// Bool locals that equal another one or its negation.
    pub aliases: BTreeMap<LocalId, (LocalId, bool)>,
}

/// Different states join to unknown, the top.
impl Lattice for Flow {
    fn join(&mut self, other: &Flow) -> bool {
        let before = self.aliases.len();
        self.aliases.retain(|alias, of| other.aliases.get(alias) == Some(of));
        let mut grew = self.aliases.len() < before;
        for (part, theirs) in &other.uses {
            let ours = self.uses.entry(part.clone()).or_insert(*theirs);
            if *ours != *theirs && *ours != Use::Maybe {
                *ours = Use::Maybe;
                grew = true;
            }
        }
        grew
    }
}

/// The part of a local that an expression names; a value in an option counts as the option.
pub fn part_of(e: &Expr) -> Option<Part> {
    match e.access() {
        Access::Local(id) => Some((id, vec![])),
        Access::Value(a) => part_of(a),
        Access::Field(a, i) => {
            let (id, mut path) = part_of(a)?;
            if !holds_unwrap(a) {
                path.push(i);
            }
            Some((id, path))
        }
        Access::View(_) | Access::Other => None,
    }
}

/// Whether an expression names a part of the value in an option.
pub fn holds_unwrap(e: &Expr) -> bool {
    match e.access() {
        Access::Value(_) => true,
        Access::Field(a, _) => holds_unwrap(a),
        Access::Local(_) | Access::View(_) | Access::Other => false,
    }
}

/// The states of the options in a value.
pub fn known(value: &Expr) -> Use {
    match value.kind {
        ExprKind::None | ExprKind::Zero => Use::Maybe,
        _ => Use::Live,
    }
}

/// The bool local that a value equals, or whose negation (`false`); none if it is neither.
pub fn same_bool(value: &Expr) -> Option<(LocalId, bool)> {
    match &value.kind {
        ExprKind::Local(id) if value.ty == Type::Bool => Some((*id, true)),
        ExprKind::Unary(UnaryOp::Not, a) => same_bool(a).map(|(id, same)| (id, !same)),
        _ => None,
    }
}

/// The operands of an expression, in the order of evaluation, with the indices of its place.
pub fn each_operand(e: &Expr, visit: &mut dyn FnMut(&Expr)) {
    let parts = e.parts();
    parts.places.into_iter().flat_map(Traverse::operands).chain(parts.operands).for_each(visit);
}
