//! The identifiers: indices into the tables of a stack.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name { pub fn index(self) -> usize { self.0 as usize } }
    )* };
}
ids! {
    /// Index into [`Stack::layers`]; 0 is the lowest.
    LayerId,
    /// Index into [`Stack::events`].
    EventId,
    /// Index into [`Stack::headers`].
    HeaderId,
    /// Index into [`Stack::cells`].
    CellId,
    /// Index into [`Stack::counters`].
    CounterId,
    /// Index into [`Stack::handlers`].
    HandlerId,
    /// Index into [`Stack::functions`].
    FunctionId,
    /// Index into [`Stack::filters`].
    FilterId,
    /// Index into [`Stack::externs`].
    ExternId,
    /// Index into [`Stack::timers`].
    TimerId,
    /// Index into [`Stack::structs`].
    StructId,
    /// Index into [`Stack::enums`].
    EnumId,
    /// Index into [`Stack::links`].
    LinkId,
    /// Index into [`Stack::ports`].
    PortId,
    /// Index into [`Stack::layouts`].
    LayoutId,
    /// Index into the locals of a [`Handler`] or [`Function`].
    LocalId,
    /// Number of a statement or an expression in its stack; see [`number`].
    NodeId,
}

impl Default for NodeId {
    /// Not numbered yet.
    fn default() -> NodeId {
        NodeId(u32::MAX)
    }
}
