//! Frames that no participant sent, for `foreign(m)`, `distant(m)`, `altered(m)` and `forged(m)`: only a caller that
//! knows the layout of frames can make them up.

use std::fmt;
use std::sync::Arc;

/// Which frames are made up of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgery {
    /// The same as an endpoint of another stack sends it: with another fingerprint.
    Foreign,
    /// One number of its headers is about half of its range away.
    Distant,
    /// One field of its headers has another value, or there are other headers.
    Altered,
    /// The same, and those with another body.
    Forged,
}

/// Makes up frames.
pub trait Forge: Send + Sync {
    /// Returns the well-formed frames that are made up of this one.
    fn frames(&self, of: &[u8], forgery: Forgery) -> Vec<Vec<u8>>;
}

/// What makes up frames for an automaton; by default, there are none. It follows from the stack above the automaton, so
/// all are equal.
#[derive(Clone, Default)]
pub struct Forger(Option<Arc<dyn Forge>>);

impl Forger {
    /// Makes frames up by a layout.
    pub fn new(forge: impl Forge + 'static) -> Forger {
        Forger(Some(Arc::new(forge)))
    }

    /// Returns the frames that are made up of one.
    pub(crate) fn frames(&self, of: &[u8], forgery: Forgery) -> Vec<Vec<u8>> {
        self.0.as_ref().map_or(vec![], |forge| forge.frames(of, forgery))
    }
}

impl fmt::Debug for Forger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Forger")
    }
}

impl PartialEq for Forger {
    fn eq(&self, _: &Forger) -> bool {
        true
    }
}
