//! Operations that change a container.

use super::changes::*;
use super::kind::Kind;
use super::parts::Operand;
use crate::interpret::Value;
use crate::{Operation, Type};

pub use super::changes::{Arguments, Done};

/// An operation, by its name.
pub struct Method {
    pub operation: Operation,
    /// Its text in the IR, before the place.
    pub word: &'static str,
    /// By kinds of containers.
    pub rows: &'static [Row],
}

/// An operation of one kind of container.
pub struct Row {
    pub on: Kind,
    /// Its name in a layer; none: a layer writes it in another way.
    pub name: Option<&'static str>,
    /// Its arguments, in order.
    pub takes: &'static [Operand],
    /// Its result, if it has one.
    pub gives: Option<Operand>,
    pub success: Success,
    pub releases: Releases,
    /// Entries are compared with an argument, so their type must allow `==`.
    pub compares: bool,
    pub run: fn(&mut Value, Arguments) -> Done,
}

/// When there is a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// Always.
    Always,
    /// The result may be absent: it is an option, or zero.
    Absent,
    /// It can fail; then it reports that, changes nothing and returns the last argument.
    Fails,
}

/// Which entries an operation removes without giving them. Messages in them are dropped, timers are stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Releases {
    Nothing,
    All,
    /// The value that a key had.
    Old,
    /// The new value, if the key has one.
    New,
    /// Those with numbers before a number.
    Below,
    /// Those from `next` on.
    Undelivered,
}

const PLAIN: Row = Row {
    on: Kind::Window,
    name: None,
    takes: &[],
    gives: None,
    success: Success::Always,
    releases: Releases::Nothing,
    compares: false,
    run: |_, _| Done::NOTHING,
};

const fn on(on: Kind, name: &'static str, run: fn(&mut Value, Arguments) -> Done) -> Row {
    Row { on, name: Some(name), run, ..PLAIN }
}

const fn clear(kind: Kind) -> Row {
    // For types without the method, `clear` is a store of zero.
    let name = match kind {
        Kind::Ring | Kind::List | Kind::Window => Some("clear"),
        _ => None,
    };
    Row { on: kind, name, releases: Releases::All, run: run_clear, ..PLAIN }
}

use Operand::{Count, Entry, Gap, Key, Number, Slot};
use Success::{Absent, Fails};

/// Every operation, in the order of [`Operation`].
pub const METHODS: &[Method] = &[
    Method {
        operation: Operation::Push,
        word: "push",
        rows: &[
            Row { takes: &[Entry], success: Fails, ..on(Kind::Ring, "push", push) },
            Row { takes: &[Entry], success: Fails, ..on(Kind::List, "push", push) },
            Row { takes: &[Entry], gives: Some(Number), success: Fails, ..on(Kind::Window, "push", push_numbered) },
        ],
    },
    Method {
        operation: Operation::Pop,
        word: "pop",
        rows: &[
            Row { gives: Some(Entry), success: Absent, ..on(Kind::Ring, "pop", pop_oldest) },
            Row { gives: Some(Entry), success: Absent, ..on(Kind::List, "pop", pop_newest) },
        ],
    },
    Method {
        operation: Operation::Put,
        word: "put",
        rows: &[Row { takes: &[Number, Entry], success: Fails, ..on(Kind::Window, "put", put) }],
    },
    Method {
        operation: Operation::TakeNext,
        word: "take_next",
        rows: &[Row {
            gives: Some(Entry),
            success: Absent,
            releases: Releases::Below,
            ..on(Kind::Window, "take", take_next)
        }],
    },
    Method {
        operation: Operation::Read,
        word: "read",
        rows: &[Row { gives: Some(Entry), success: Absent, ..on(Kind::Window, "read", read) }],
    },
    Method {
        operation: Operation::Release,
        word: "release",
        rows: &[Row {
            takes: &[Number],
            gives: Some(Count),
            releases: Releases::Below,
            ..on(Kind::Window, "release", release)
        }],
    },
    Method {
        operation: Operation::ReleaseLow,
        word: "release_low",
        rows: &[Row { gives: Some(Count), releases: Releases::Below, run: release_low, ..PLAIN }],
    },
    Method {
        operation: Operation::Raise,
        word: "raise",
        rows: &[Row { takes: &[Number], ..on(Kind::Window, "raise", raise) }],
    },
    Method {
        operation: Operation::SkipTo,
        word: "skip_to",
        rows: &[Row { takes: &[Number], ..on(Kind::Window, "skip_to", skip_to) }],
    },
    Method {
        operation: Operation::PassOver,
        word: "pass_over",
        rows: &[Row { takes: &[Number], releases: Releases::Below, run: pass_over, ..PLAIN }],
    },
    Method {
        operation: Operation::Hole,
        word: "hole",
        rows: &[Row { gives: Some(Gap), success: Absent, ..on(Kind::Window, "hole", hole) }],
    },
    Method {
        operation: Operation::NewHole,
        word: "new_hole",
        rows: &[Row { gives: Some(Gap), success: Absent, ..on(Kind::Window, "new_hole", new_hole) }],
    },
    Method {
        operation: Operation::Clear,
        word: "clear",
        rows: &[
            clear(Kind::Ring),
            clear(Kind::List),
            clear(Kind::Window),
            clear(Kind::Pool),
            clear(Kind::Map),
            clear(Kind::Set),
        ],
    },
    Method {
        operation: Operation::ClearUndelivered,
        word: "clear_undelivered",
        rows: &[Row { releases: Releases::Undelivered, ..on(Kind::Window, "clear_undelivered", clear_undelivered) }],
    },
    Method {
        operation: Operation::Remove,
        word: "remove",
        rows: &[
            Row {
                takes: &[Entry],
                gives: Some(Entry),
                success: Absent,
                compares: true,
                ..on(Kind::Ring, "remove", remove_equal)
            },
            Row {
                takes: &[Entry],
                gives: Some(Entry),
                success: Absent,
                compares: true,
                ..on(Kind::List, "remove", remove_equal)
            },
            Row { takes: &[Slot], gives: Some(Entry), success: Absent, ..on(Kind::Pool, "remove", remove_slot) },
            Row { takes: &[Slot], gives: Some(Entry), success: Absent, ..on(Kind::Map, "remove", remove_key) },
        ],
    },
    Method {
        operation: Operation::Add,
        word: "add",
        rows: &[Row { takes: &[Entry], gives: Some(Slot), success: Fails, ..on(Kind::Pool, "add", add) }],
    },
    Method {
        operation: Operation::Insert,
        word: "insert",
        rows: &[Row {
            takes: &[Key, Entry],
            gives: Some(Slot),
            success: Fails,
            releases: Releases::Old,
            ..on(Kind::Map, "insert", |map, arguments| assign(map, arguments, true))
        }],
    },
    Method {
        operation: Operation::Find,
        word: "find",
        rows: &[Row { takes: &[Key], gives: Some(Slot), success: Absent, ..on(Kind::Map, "find", find) }],
    },
    Method {
        operation: Operation::Entry,
        word: "entry",
        rows: &[Row {
            takes: &[Key, Entry],
            gives: Some(Slot),
            success: Fails,
            releases: Releases::New,
            ..on(Kind::Map, "entry", |map, arguments| assign(map, arguments, false))
        }],
    },
];

impl Operation {
    /// The operation that has a word in the text of the IR.
    pub fn named(word: &str) -> Option<Operation> {
        METHODS.iter().find(|method| method.word == word).map(|method| method.operation)
    }

    /// Its row in the table.
    pub fn method(self) -> &'static Method {
        &METHODS[self as usize]
    }

    /// The row for a type of containers; none: it does not work on them.
    pub fn row(self, container: &Type) -> Option<&'static Row> {
        let kind = Kind::of(container);
        self.method().rows.iter().find(|row| row.on == kind)
    }
}

/// The operation that has a name in layers, on containers of a type.
pub fn named(container: &Type, name: &str) -> Option<(Operation, &'static Row)> {
    all(container).find(|(_, row)| row.name == Some(name))
}

/// Every operation on containers of a type.
pub fn all(container: &Type) -> impl Iterator<Item = (Operation, &'static Row)> {
    let kind = Kind::of(container);
    METHODS.iter().filter_map(move |method| Some((method.operation, method.rows.iter().find(|row| row.on == kind)?)))
}
