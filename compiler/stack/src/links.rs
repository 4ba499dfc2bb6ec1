//! Links: the neighbours of layers.
//!
//! A link has a lower and an upper end. An event that goes up over it arrives at the upper end, one that goes down at
//! the lower end. So the links of a layer are those that end at it, and no two tables can disagree about them.

use serde::{Deserialize, Serialize};

use crate::*;

/// Joins a layer with a layer or a port above or below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// The lower end.
    pub lower: Target,
    /// The upper end.
    pub upper: Target,
}

/// An end of a link, at which events arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Target {
    /// A layer.
    Layer(LayerId),
    /// The host.
    Port(PortId),
}

impl Link {
    /// The end at which events of a direction arrive.
    pub fn end(&self, direction: Direction) -> Target {
        match direction {
            Direction::Up => self.upper,
            Direction::Down => self.lower,
        }
    }

    /// The end from which events of a direction come.
    pub fn begin(&self, direction: Direction) -> Target {
        match direction {
            Direction::Up => self.lower,
            Direction::Down => self.upper,
        }
    }

    /// Whether it ends there, above or below.
    pub fn meets(&self, end: Target) -> bool {
        self.lower == end || self.upper == end
    }
}
