//! Messages in automata, as typedefs that macros copy and compare.

use crate::automata::Messages;
use crate::effects::Effect;
use crate::term::Term;

/// Messages as a typedef, copied and compared by macros.
pub struct Typedef {
    name: &'static str,
    /// The suffix of the macros' names.
    of: &'static str,
    damaged: Option<&'static str>,
}

/// Messages with headers, in endpoints.
pub const MESSAGES: Typedef = Typedef { name: "message", of: "MESSAGE", damaged: None };
/// Packed messages.
pub const FRAMES: Typedef = Typedef { name: "frame", of: "FRAME", damaged: Some("damaged_frame") };
/// Messages without headers, above endpoints.
pub const DATA: Typedef = Typedef { name: "data", of: "DATA", damaged: None };

impl Messages for Typedef {
    fn declared(&self) -> &str {
        self.name
    }
    fn is_number(&self) -> bool {
        false
    }
    fn copy(&self, to: &str, from: &Term) -> Effect {
        Effect::run(format!("COPY_{}({to}, {from})", self.of))
    }
    fn equal(&self, a: &Term, b: &Term) -> Term {
        Term::Atom(format!("SAME_{}({a}, {b})", self.of))
    }
    fn before(&self, a: &Term, b: &Term) -> Term {
        Term::Atom(format!("{}_BEFORE({a}, {b})", self.of))
    }
    fn clear(&self, at: &str) -> Effect {
        Effect::run(format!("CLEAR_{}({at})", self.of))
    }
    fn damaged(&self) -> Option<&str> {
        self.damaged
    }
}
