//! Headers, and their layout in frames.

use serde::{Deserialize, Serialize};

use crate::*;

/// A header variant of a layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub name: String,
    pub layer: LayerId,
    pub fields: Vec<HeaderField>,
}

/// A field of a header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeaderField {
    pub name: String,
    pub ty: Type,
    /// How many bits it takes on the wire.
    pub bits: u32,
    pub big_endian: bool,
    pub place: FieldPlace,
    pub class: FieldClass,
}

/// The place of a field in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldPlace {
    /// Where the layout packs it.
    Packed,
    /// `at cookie`: bits 8-31 of the preamble.
    Cookie,
    /// `at fingerprint`: bytes 4-11; its presence makes the frame an identified one.
    Fingerprint,
    /// `at byte n`: begins with the least significant bit of this byte, counted from the first of the frame or of the
    /// packed bytes.
    Byte(u32),
}

/// The class of a header field (van Renesse 1996 §2.1), inferred from the data flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FieldClass {
    /// Never changes while the connection lasts.
    Identification,
    /// A function of the layer's state (a sequence number).
    Protocol,
    /// Depends on the message (a checksum, a length).
    Message,
    /// State that only happens to travel along (a piggybacked acknowledgement).
    Gossip,
}

/// The encoding of messages at one boundary, according to docs/wire.md.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Messages above this layer's lower side (layout 0: the lowest) or, for `pack`, above this layer.
    pub layer: LayerId,
    pub form: LayoutForm,
    /// Of the whole stack; in layout 0 only, else 0.
    pub fingerprint: u64,
    /// In the order of their numbers, short forms first.
    pub shapes: Vec<Shape>,
}

/// How a layout says which shape follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LayoutForm {
    /// Frames with the preamble of four bytes: bit 0 identified, bits 1-7 shape (126: 16 more bits follow), 8-31
    /// cookie.
    Preamble,
    /// A shape number of one byte (255: two more follow), none if there is only one shape. For `pack`, and for frames
    /// of stacks in which no field is `at cookie`.
    Plain,
}

/// One combination of headers that can be on a message together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    pub number: u32,
    pub identified: bool,
    /// The event that carries it down over the boundary (see the head of the crate for the way up; `Pack` does not
    /// ask).
    pub event: EventId,
    /// From the lowest layer up; at most one a layer.
    pub headers: Vec<HeaderId>,
    pub data: bool,
    /// In the order in which they are packed.
    pub fields: Vec<Placed>,
    /// Bytes before the data.
    pub size: u32,
    /// Length of the data that a frame of this shape can have, inclusive.
    pub data_min: u32,
    pub data_max: u32,
    /// Set by `optimize::inline`: the code for a frame of this shape is inlined.
    #[serde(default)]
    pub in_place: bool,
}

impl Shape {
    /// Whether frames of the shape can have data of some bytes.
    pub fn may_have_data(&self) -> bool {
        self.data && self.data_max > 0
    }
}

/// A header field at its place in a shape: bits counted from the least significant bit of the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    pub header: HeaderId,
    pub field: u32,
    pub bit: u32,
}
