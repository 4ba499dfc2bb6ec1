//! What was composed already: configurations often vary a layer alike, and each is composed to be checked and to be
//! verified.

use std::sync::{Mutex, PoisonError};

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::Stack;
use nacre_typed::Variation;

/// A stack and its warnings, or errors.
pub(crate) type Composed = Result<(Stack, Vec<Diagnostic>), Vec<Diagnostic>>;

/// How many compositions are kept.
const MOST: usize = 32;

/// The latest compositions of a program: where the stack or layer is declared, how it was varied, what came of it.
#[derive(Default)]
pub(crate) struct Compositions(Mutex<Vec<(Span, Variation, Composed)>>);

impl Compositions {
    /// Returns the composition of a declaration, which `compose` makes if it is not known.
    pub fn once(&self, declared: Span, variation: &Variation, compose: impl FnOnce() -> Composed) -> Composed {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, composed)) = known().iter().find(|(at, by, _)| (*at, by) == (declared, variation)) {
            return composed.clone();
        }
        let composed = compose();
        let mut known = known();
        if known.len() == MOST {
            let _oldest = known.remove(0);
        }
        known.push((declared, variation.clone(), composed.clone()));
        composed
    }
}
