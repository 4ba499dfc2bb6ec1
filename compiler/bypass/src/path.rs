//! Paths, and where they begin.

use nacre_stack::*;
use nacre_symbolic::execute::Emission;
use nacre_symbolic::guide::Branch;
use nacre_symbolic::record::Record;
use nacre_symbolic::state::State;
use nacre_symbolic::terms::{Term, Terms};
use nacre_symbolic::values::Value;
use nacre_symbolic::Unsupported;

/// What one event does on one path.
pub struct Path {
    pub entry: Entry,
    /// The terms of everything here.
    pub terms: Terms,
    /// The parameters of the event that enters; of a timer none.
    pub arguments: Vec<Value>,
    /// What holds before any event: values are of their types.
    pub assumptions: Vec<Term>,
    /// The branches, in order; together their conditions are the predicate.
    pub branches: Vec<Branch>,
    /// The handlers that run, in order.
    pub handlers: Vec<HandlerId>,
    /// The events at ports, in order.
    pub outputs: Vec<Output>,
    /// How many events are put off until later.
    pub later: usize,
    pub before: State,
    /// Simplified by what the branches tell.
    pub after: State,
    /// The cells whose values are others afterwards.
    pub changed: Vec<CellId>,
    pub form: Form,
    pub code: Code,
}

/// The statements of a path.
pub struct Code {
    pub record: Record,
    /// The locals of [`Path::arguments`].
    pub parameters: Vec<LocalId>,
    /// The locals of the fields of each header of the frame.
    pub fields: Vec<Vec<LocalId>>,
}

/// An event that leaves the stack over a link to a port, or that is put off.
pub struct Output {
    pub link: LinkId,
    pub event: EventId,
    pub arguments: Vec<Value>,
}

impl Output {
    /// What an emission is outside of the code that emits it.
    pub(crate) fn of(emission: Emission) -> Output {
        Output { link: emission.link, event: emission.event, arguments: emission.arguments }
    }

    /// The port at which it leaves; none: it is put off.
    pub fn port(&self, stack: &Stack) -> Option<PortId> {
        match stack.arrives(self.link, self.event) {
            Target::Port(port) => Some(port),
            Target::Layer(_) => None,
        }
    }
}

/// The form of a path (Liu et al. 1999 §4.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each layer hands on one event, in one direction.
    Linear,
    /// An event is answered by one in the other direction.
    Bouncing,
    /// A layer emits several events.
    Splitting,
}

/// Why a way through the code is no path.
pub struct Refusal {
    /// The branches until then.
    pub branches: Vec<Branch>,
    pub terms: Terms,
    pub why: Unsupported,
}
