//! The codes of what can be wrong with a stack.

pub const EMPTY: &str = "C0001";
pub const MISFIT: &str = "C0002";
pub const UNHANDLED: &str = "C0003";
pub const TWICE: &str = "C0004";
pub const LOST: &str = "C0005";
pub const CIRCLE: &str = "C0006";
pub const TOO_MUCH: &str = "C0007";
pub const LATER: &str = "C0008";
pub const CLASS: &str = "C0009";
pub const ONE_WAY: &str = "C0010";
pub const PLACES: &str = "C0011";
pub const DOUBLED: &str = "C0012";
pub const LEFT_ON: &str = "C0013";
pub const TOO_MANY_SHAPES: &str = "C0014";
pub const EXTERNS: &str = "C0015";
pub const UNREACHED: &str = "C0016";
pub const SILENT: &str = "C0017";
pub const TOO_WIDE: &str = "C0018";
pub const POOL: &str = "C0019";
pub const STATE: &str = "C0020";
pub const UNPROVIDED: &str = "C0021";
pub const UNPACKED: &str = "C0022";
pub const REFUSING: &str = "C0023";

/// Every code, with what it says.
pub const CODES: &[(&str, &str)] = &[
    (EMPTY, "a stack needs at least one layer"),
    (MISFIT, "neighbours speak different interfaces"),
    (UNHANDLED, "a header variant comes with an event for which it has no handler"),
    (TWICE, "two handlers for one event and header variant"),
    (LOST, "nobody handles an event, and no port takes it"),
    (CIRCLE, "a circle of events without `later`"),
    (TOO_MUCH, "a step can cause too many events"),
    (LATER, "`later` events cause more and more of their kind"),
    (CLASS, "a field is not of the class that is stated"),
    (ONE_WAY, "frames leave by an event that does not come back"),
    (PLACES, "a field with a fixed place does not fit the frame"),
    (DOUBLED, "a second header of one layer on a message"),
    (LEFT_ON, "a message leaves by a port with headers on it"),
    (TOO_MANY_SHAPES, "more combinations of headers than numbers for them"),
    (EXTERNS, "two layers mean different functions of the host by one name"),
    (UNREACHED, "a handler that nothing brings on (a warning)"),
    (SILENT, "the stack never sends a frame"),
    (TOO_WIDE, "headers that fit no frame of the transport"),
    (POOL, "more blocks of messages than a pool can have"),
    (STATE, "the state of a connection is too large"),
    (UNPROVIDED, "a layer requires what nothing below it provides"),
    (UNPACKED, "a layer unpacks messages but packs none"),
    (REFUSING, "a call accepts only empty messages (a warning)"),
];
