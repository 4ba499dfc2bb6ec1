//! The codes of errors in stacks.

/// A stack without layers.
pub const EMPTY: &str = "C0001";
/// A layer on another whose interface it does not use.
pub const MISFIT: &str = "C0002";
/// An event and header variant that a layer does not handle.
pub const UNHANDLED: &str = "C0003";
/// Two handlers of one event and header variant.
pub const TWICE: &str = "C0004";
/// An event that no layer handles and no port accepts.
pub const LOST: &str = "C0005";
/// A cycle of events without `later`.
pub const CYCLE: &str = "C0006";
/// A step whose cost exceeds a limit.
pub const TOO_MUCH: &str = "C0007";
/// `later` events whose number can grow without bound.
pub const LATER: &str = "C0008";
/// A header field that is not of its stated class.
pub const CLASS: &str = "C0009";
/// Frames that leave by one event and come back by another.
pub const ONE_WAY: &str = "C0010";
/// Header fields whose fixed places overlap or do not fit.
pub const PLACES: &str = "C0011";
/// A layer that adds two headers to a message.
pub const DOUBLED: &str = "C0012";
/// A message that leaves by a port with headers.
pub const LEFT_ON: &str = "C0013";
/// More frame shapes than the limit.
pub const TOO_MANY_SHAPES: &str = "C0014";
/// Declarations of one host function that differ.
pub const EXTERNS: &str = "C0015";
/// A handler that is never triggered.
pub const UNREACHED: &str = "C0016";
/// A stack or layer that never sends.
pub const SILENT: &str = "C0017";
/// A frame whose headers are wider than the limit.
pub const TOO_WIDE: &str = "C0018";
/// A connection that can hold more blocks than a pool has.
pub const POOL: &str = "C0019";
/// A state that is larger than the limit.
pub const STATE: &str = "C0020";
/// An automaton that is required above and not provided below.
pub const UNPROVIDED: &str = "C0021";
/// A layer that unpacks messages but packs none.
pub const UNPACKED: &str = "C0022";
/// Messages that a stack always refuses.
pub const REFUSING: &str = "C0023";
/// Events at a port that the C interface cannot carry.
pub const BOUNDARY: &str = "C0024";
/// Headers that never come back to their layer.
pub const STRIPPED: &str = "C0025";

/// Every code with its meaning.
pub const CODES: &[(&str, &str)] = &[
    (EMPTY, "a stack needs at least one layer"),
    (MISFIT, "neighbours speak different interfaces"),
    (UNHANDLED, "an event can carry a header variant for which it has no handler"),
    (TWICE, "two handlers for one event and header variant"),
    (LOST, "an event has no handler, and no port accepts it"),
    (CYCLE, "a cycle of events without `later`"),
    (TOO_MUCH, "a step can cause too many events"),
    (LATER, "the number of `later` events can grow without bound"),
    (CLASS, "the inferred class of a field differs from the stated one"),
    (ONE_WAY, "frames leave by an event without a counterpart from below"),
    (PLACES, "a field with a fixed place does not fit the frame"),
    (DOUBLED, "a second header of one layer on a message"),
    (LEFT_ON, "a message leaves by a port with headers"),
    (TOO_MANY_SHAPES, "too many combinations of headers"),
    (EXTERNS, "two layers declare different functions of the host with one name"),
    (UNREACHED, "a handler that is never triggered (a warning)"),
    (SILENT, "the stack never sends a frame"),
    (TOO_WIDE, "headers that fit no frame of the transport"),
    (POOL, "more blocks of messages than a pool can have"),
    (STATE, "the state of a connection is too large"),
    (UNPROVIDED, "no layer below provides a requirement"),
    (UNPACKED, "a layer unpacks messages but packs none"),
    (REFUSING, "a call accepts only empty messages, or not even these (a warning)"),
    (BOUNDARY, "an event at a port of the stack has parameters that the host cannot exchange"),
    (STRIPPED, "headers of a layer that no message brings back, as a layer below loses them (a warning)"),
];
