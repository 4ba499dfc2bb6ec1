//! The effects of a handler in one activation, as a tree: those that matter for bounds.

use nacre_stack::{CellId, EventId, Span, Target};

use crate::message::Bag;

/// The effects of a piece of code, over all of its paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Course {
    #[default]
    Nothing,
    Sequence(Vec<Course>),
    /// Exactly one of these.
    Either(Vec<Course>),
    /// Repeated at most this many times.
    Times(u32, Box<Course>),
    Act(Act),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Emit(Emission),
    /// A message is stored.
    Keep(Bag),
    /// A new message of this many bytes is made.
    Make(u32),
    /// A message is joined of this many pieces, without those in a cell.
    Join(u32, Option<CellId>),
    /// A message is read contiguously: copied, if it is in pieces.
    Flatten(Bag),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Emission {
    pub target: Target,
    pub event: EventId,
    pub later: bool,
    /// The messages that it can carry; none: the event carries none.
    pub bag: Option<Bag>,
    pub span: Span,
}

impl Course {
    /// A sequence, without effects that do nothing.
    pub fn sequence(list: Vec<Course>) -> Course {
        let mut list: Vec<Course> = list.into_iter().filter(|c| *c != Course::Nothing).collect();
        match list.len() {
            0 => Course::Nothing,
            1 => list.remove(0),
            _ => Course::Sequence(list),
        }
    }

    /// Alternatives.
    pub fn either(list: Vec<Course>) -> Course {
        if list.iter().all(|c| *c == Course::Nothing) {
            Course::Nothing
        } else {
            Course::Either(list)
        }
    }

    /// A repetition of at most `bound` times.
    pub fn times(bound: u32, body: Course) -> Course {
        if body == Course::Nothing {
            body
        } else {
            Course::Times(bound, Box::new(body))
        }
    }

    /// All acts in it.
    pub fn acts<'a>(&'a self, seen: &mut dyn FnMut(&'a Act)) {
        match self {
            Course::Nothing => {}
            Course::Sequence(list) | Course::Either(list) => list.iter().for_each(|c| c.acts(seen)),
            Course::Times(_, body) => body.acts(seen),
            Course::Act(act) => seen(act),
        }
    }

    /// All emissions, in the order of the text.
    pub fn emissions(&self) -> Vec<&Emission> {
        let mut found = vec![];
        self.acts(&mut |act| {
            if let Act::Emit(emission) = act {
                found.push(emission);
            }
        });
        found
    }
}
