//! What a handler can do in one activation, as a tree: the part that matters for bounds.

use nacre_stack::{CellId, EventId, Span, Target};

use crate::message::Bag;

/// The effects of a piece of code, over all of its paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Course {
    #[default]
    Nothing,
    Sequence(Vec<Course>),
    /// One of these.
    Either(Vec<Course>),
    /// At most so many times.
    Times(u32, Box<Course>),
    Act(Act),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Emit(Emission),
    /// A message is stored.
    Keep(Bag),
    /// So many bytes of a new message are made.
    Make(u32),
    /// A message comes to be of so many pieces, besides those that lay in a cell.
    Join(u32, Option<CellId>),
    /// A message is read in one run: copied, if its bytes are in several.
    Flatten(Bag),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Emission {
    pub target: Target,
    pub event: EventId,
    pub later: bool,
    /// The messages that it can carry; none: the event has none.
    pub bag: Option<Bag>,
    pub span: Span,
}

impl Course {
    /// One after the other, without those that do nothing.
    pub fn sequence(list: Vec<Course>) -> Course {
        let mut list: Vec<Course> = list.into_iter().filter(|c| *c != Course::Nothing).collect();
        match list.len() {
            0 => Course::Nothing,
            1 => list.remove(0),
            _ => Course::Sequence(list),
        }
    }

    /// One of several.
    pub fn either(list: Vec<Course>) -> Course {
        if list.iter().all(|c| *c == Course::Nothing) {
            Course::Nothing
        } else {
            Course::Either(list)
        }
    }

    /// The same at most `bound` times.
    pub fn times(bound: u32, body: Course) -> Course {
        if body == Course::Nothing {
            body
        } else {
            Course::Times(bound, Box::new(body))
        }
    }

    /// Every act in it.
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
