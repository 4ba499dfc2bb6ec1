//! Contexts: the state that the host finds by an arriving frame, and keeps for its sender.

use serde::{Deserialize, Serialize};

use crate::*;

/// A connection or a view. It owns the cells that the host fills when the context begins: by which cookie frames find
/// it, where its peer is, how much room the way there has. The last two are state: events change them
/// ([`EventRole::Moved`], [`EventRole::Room`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Context {
    pub name: String,
    pub kind: ContextKind,
    /// The lower port whose frames belong to it.
    pub port: PortId,
    /// A given cell of the role [`GivenRole::Cookie`].
    pub cookie: Option<CellId>,
    /// A cell of the role [`GivenRole::Peer`].
    pub peer: Option<CellId>,
    /// A cell of the role [`GivenRole::Room`].
    pub room: Option<CellId>,
    /// Derived cells: the expected fields of the next frames of the context.
    pub predictions: Vec<CellId>,
}

/// With whom a context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContextKind {
    /// One peer.
    Connection,
    /// A group, as it is until the next view begins.
    View,
}

impl Context {
    /// The cells that it owns.
    pub fn cells(&self) -> impl Iterator<Item = CellId> + '_ {
        [self.cookie, self.peer, self.room].into_iter().flatten().chain(self.predictions.iter().copied())
    }
}

impl Cell {
    /// Whether the host sets it when a connection is opened: it is given, or state that begins as the host knows it.
    pub fn is_configured(&self) -> bool {
        self.scope == Scope::Given || self.role.is_some()
    }
}
