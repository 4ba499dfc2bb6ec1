//! The outputs of a step: frames and events, with borrowed bytes.

use crate::ffi::{NacreAddr, NacreOut, NacreOutput, NacreSegment, NacreStack, ABI};
use crate::stack::Stack;
use std::fmt;
use std::mem::size_of;
use std::net::SocketAddr;
use std::ptr;

/// The arrays that a stack puts its outputs in; one serves any number of stacks, one after the other.
///
/// Invariant: the pointers of `raw` name the three vectors, whose lengths are its capacities.
#[derive(Debug)]
pub struct Out {
    raw: Box<NacreOut>,
    outputs: Vec<NacreOutput>,
    segments: Vec<NacreSegment>,
    bytes: Vec<u8>,
}

// SAFETY: the pointers name memory that this value owns; what the outputs point to is read only through `borrowed`.
unsafe impl Send for Out {}

const NO_OUTPUT: NacreOutput = NacreOutput {
    port: 0,
    event: 0,
    session: 0,
    len: 0,
    segments_len: 0,
    segments: ptr::null(),
    arguments: [0; 4],
    address: NacreAddr { ip: [0; 16], port: 0, family: 0 },
    reserved: 0,
};
const NO_SEGMENT: NacreSegment = NacreSegment { at: ptr::null(), len: 0, reserved: 0 };

impl Default for Out {
    fn default() -> Out {
        Out::new()
    }
}

impl Out {
    /// Empty arrays; they grow to a stack's bounds when it is run.
    pub fn new() -> Out {
        let raw = Box::new(NacreOut {
            abi: ABI,
            size: size_of::<NacreOut>() as u32,
            outputs_len: 0,
            outputs_max: 0,
            segments_len: 0,
            segments_max: 0,
            bytes_len: 0,
            bytes_max: 0,
            outputs: ptr::null_mut(),
            segments: ptr::null_mut(),
            bytes: ptr::null_mut(),
        });
        Out { raw, outputs: Vec::new(), segments: Vec::new(), bytes: Vec::new() }
    }

    /// Clears the arrays and makes them large enough for one step of the stack.
    #[inline]
    pub(crate) fn prepare(&mut self, stack: &Stack) {
        let (raw, bounds) = (&*self.raw, stack.raw());
        let fits = raw.outputs_max >= bounds.outputs_max
            && raw.segments_max >= bounds.segments_max
            && raw.bytes_max >= bounds.bytes_max;
        if !fits {
            self.grow(bounds);
        }
        let raw = &mut *self.raw;
        (raw.outputs_len, raw.segments_len, raw.bytes_len) = (0, 0, 0);
    }

    #[cold]
    fn grow(&mut self, bounds: &NacreStack) {
        grow(&mut self.outputs, bounds.outputs_max, NO_OUTPUT);
        grow(&mut self.segments, bounds.segments_max, NO_SEGMENT);
        grow(&mut self.bytes, bounds.bytes_max, 0);
        let raw = &mut *self.raw;
        raw.outputs_max = self.outputs.len() as u32;
        raw.segments_max = self.segments.len() as u32;
        raw.bytes_max = self.bytes.len() as u32;
        raw.outputs = self.outputs.as_mut_ptr();
        raw.segments = self.segments.as_mut_ptr();
        raw.bytes = self.bytes.as_mut_ptr();
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut NacreOut {
        &mut *self.raw
    }

    /// The number of outputs of the last step.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.raw.outputs_len as usize
    }

    /// The outputs of the last step.
    ///
    /// # Safety
    /// Since that step no call was given its state, pool or this `Out`, and the caller's message or frame is unchanged;
    /// nor will one be as long as the outputs live.
    #[inline]
    pub(crate) unsafe fn borrowed(&self) -> Outputs<'_> {
        let len = (self.raw.outputs_len as usize).min(self.outputs.len());
        Outputs { outputs: &self.outputs[..len] }
    }

    /// Removes the outputs of the last step.
    pub(crate) fn clear(&mut self) {
        self.raw.outputs_len = 0;
    }
}

fn grow<T: Clone>(array: &mut Vec<T>, to: u32, with: T) {
    if array.len() < to as usize {
        array.resize(to as usize, with);
    }
}

/// The outputs of one step, in order.
#[derive(Clone, Copy)]
pub struct Outputs<'a> {
    outputs: &'a [NacreOutput],
}

impl<'a> Outputs<'a> {
    /// The outputs of no step.
    pub(crate) fn none() -> Outputs<'a> {
        Outputs { outputs: &[] }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.outputs.len()
    }

    /// Whether nothing came out.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// The output at an index.
    pub fn get(&self, index: usize) -> Option<Output<'a>> {
        self.outputs.get(index).map(|raw| Output { raw })
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = Output<'a>> + 'a {
        self.outputs.iter().map(|raw| Output { raw })
    }
}

/// A frame or an event.
#[derive(Clone, Copy)]
pub struct Output<'a> {
    raw: &'a NacreOutput,
}

impl<'a> Output<'a> {
    /// Whether it is a frame for the transport.
    pub fn is_frame(&self) -> bool {
        self.raw.port == 0
    }

    /// The port that it left by.
    pub fn port(&self) -> u16 {
        self.raw.port
    }

    /// Its index in `Stack::events`.
    pub fn event(&self) -> u16 {
        self.raw.event
    }

    /// The event's numbers; those it has not are of no meaning.
    pub fn arguments(&self) -> [u64; 4] {
        self.raw.arguments
    }

    /// Whether its address is this one.
    pub(crate) fn is_for(&self, address: &NacreAddr) -> bool {
        self.raw.address == *address
    }

    /// Its address, if it has one: of a frame, where to.
    pub fn address(&self) -> Option<SocketAddr> {
        self.raw.address.to_socket_addr()
    }

    /// The frame, or the event's message; empty if it has none.
    pub fn message(&self) -> Message<'a> {
        if self.raw.segments.is_null() || self.raw.segments_len == 0 {
            return Message { parts: Parts::Whole(&[]) };
        }
        // SAFETY: the stack wrote `segments_len` segments there, borrowed for 'a (see `Out::borrowed`).
        let segments = unsafe { std::slice::from_raw_parts(self.raw.segments, self.raw.segments_len as usize) };
        Message { parts: Parts::Segments(segments) }
    }
}

/// Bytes in one piece or several, lent.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    parts: Parts<'a>,
}

#[derive(Clone, Copy)]
enum Parts<'a> {
    Whole(&'a [u8]),
    Segments(&'a [NacreSegment]),
}

/// Its length: what it carries may be secret.
impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<'a> Message<'a> {
    /// A message of one piece.
    pub(crate) fn whole(bytes: &'a [u8]) -> Message<'a> {
        Message { parts: Parts::Whole(bytes) }
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        match self.parts {
            Parts::Whole(bytes) => bytes.len(),
            Parts::Segments(segments) => segments.iter().map(|segment| segment.len as usize).sum(),
        }
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many pieces it has; empty ones count.
    pub fn pieces(&self) -> usize {
        match self.parts {
            Parts::Whole(_) => 1,
            Parts::Segments(segments) => segments.len(),
        }
    }

    /// A piece, without a copy.
    pub fn piece(&self, index: usize) -> &'a [u8] {
        match self.parts {
            Parts::Whole(bytes) => bytes,
            Parts::Segments(segments) => bytes_of(&segments[index]),
        }
    }

    /// Its pieces, without a copy.
    pub fn segments(&self) -> impl Iterator<Item = &'a [u8]> + 'a {
        let this = *self;
        (0..self.pieces()).map(move |index| this.piece(index))
    }

    /// The bytes without a copy, if they are in one piece.
    pub fn as_slice(&self) -> Option<&'a [u8]> {
        match self.pieces() {
            0 => Some(&[]),
            1 => Some(self.piece(0)),
            _ => None,
        }
    }

    /// A copy.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        self.segments().for_each(|piece| bytes.extend_from_slice(piece));
        bytes
    }
}

fn bytes_of<'a>(segment: &NacreSegment) -> &'a [u8] {
    if segment.at.is_null() || segment.len == 0 {
        return &[];
    }
    // SAFETY: the stack keeps `len` bytes there for as long as the outputs live, which `Out::borrowed` bounds by 'a.
    unsafe { std::slice::from_raw_parts(segment.at, segment.len as usize) }
}
