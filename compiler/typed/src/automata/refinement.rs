//! Whether an automaton refines one that it extends: then a layer that provides the first provides the other, too.
//!
//! The runs of an extension are runs of what it extends if all that it adds leaves the state of that alone. It may
//! require more of the automaton's own actions, but not of the environment: who relies on the other makes all calls
//! that the other allows.

use nacre_syntax::ast::{self, ActionKind, ExprKind, Item, StatementKind};

use crate::program::Program;

impl Program {
    /// The names of all that an automaton refines, the nearest first.
    pub fn refined(&self, name: &str) -> Vec<String> {
        self.automata().find(|a| a.name.name == name).map(|a| self.extended(a).0).unwrap_or_default()
    }

    /// The names of all that an automaton extends and refines, the nearest first, and of all that it extends but may
    /// not refine.
    pub(crate) fn extended(&self, automaton: &ast::Automaton) -> (Vec<String>, Vec<String>) {
        let mut line = vec![automaton];
        while let Some(name) = &line[line.len() - 1].extends {
            match self.find(&name.name, name.span).map(|n| n.item) {
                Some(Item::Automaton(next)) if !line.iter().any(|a| a.name.name == next.name.name) => line.push(next),
                _ => break,
            }
        }
        let refines = |at: &usize| line[..*at].iter().all(|added| keeps(added, &line[*at..]));
        let (refined, others): (Vec<usize>, Vec<usize>) = (1..line.len()).partition(refines);
        let names = |all: Vec<usize>| all.into_iter().map(|at| line[at].name.name.clone()).collect();
        (names(refined), names(others))
    }
}

/// Whether the actions of an automaton leave another alone, which is given with those that it extends.
fn keeps(added: &ast::Automaton, of: &[&ast::Automaton]) -> bool {
    let is_field = |name: &str| of.iter().flat_map(|a| &a.state).any(|field| field.name.name == name);
    let is_input = |action: &ast::Action| {
        let inputs = of.iter().flat_map(|a| &a.actions).filter(|a| a.kind == ActionKind::Input);
        inputs.clone().any(|a| a.name.name == action.name.name)
    };
    added.actions.iter().all(|action| {
        let limits = action.kind == ActionKind::Input && action.condition.is_some() && is_input(action);
        !limits && !changes(&action.body, &is_field)
    })
}

/// Whether a body changes a field.
fn changes(block: &ast::Block, is_field: &dyn Fn(&str) -> bool) -> bool {
    block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Assign { place, .. } => root(place).is_some_and(is_field),
        StatementKind::Expr { value, .. } => match &value.kind {
            ExprKind::Call(function, _) => root(function).is_some_and(is_field),
            _ => false,
        },
        StatementKind::If(branch) => changes_in_branch(branch, is_field),
        StatementKind::For { body, .. } => changes(body, is_field),
        _ => false,
    })
}

fn changes_in_branch(branch: &ast::If, is_field: &dyn Fn(&str) -> bool) -> bool {
    let otherwise = match &branch.otherwise {
        None => false,
        Some(ast::Else::Block(block)) => changes(block, is_field),
        Some(ast::Else::If(inner)) => match &inner.kind {
            StatementKind::If(branch) => changes_in_branch(branch, is_field),
            _ => false,
        },
    };
    otherwise || changes(&branch.then, is_field)
}

/// The name with which a place begins.
fn root(place: &ast::Expr) -> Option<&str> {
    match &place.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Field(base, _) | ExprKind::Index(base, _) => root(base),
        _ => None,
    }
}
