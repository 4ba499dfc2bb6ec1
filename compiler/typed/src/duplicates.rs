//! Names that are declared twice.

use std::collections::hash_map::{Entry, HashMap};

use nacre_diagnostics::Diagnostic;
use nacre_syntax::ast::Ident;

/// Reports the names that are declared twice in one scope.
pub(crate) fn duplicates<'n>(names: impl Iterator<Item = &'n Ident>) -> Vec<Diagnostic> {
    let mut first: HashMap<&str, &Ident> = HashMap::new();
    let repeated = names.filter_map(|name| match first.entry(&name.name) {
        Entry::Vacant(free) => {
            free.insert(name);
            None
        }
        Entry::Occupied(taken) => Some(
            Diagnostic::error("T0022", format!("`{}` is declared twice", name.name))
                .at(name.span, "declared again")
                .also(taken.get().span, "first declared here"),
        ),
    });
    repeated.collect()
}
