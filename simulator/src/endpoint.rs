//! The interface of an endpoint to the simulator, whatever runs it.

pub use nacre_runtime::{ffi::NacreAddr as Address, instance::Outcome};

/// A deadline that never comes.
pub const NEVER: u64 = u64::MAX;

/// A frame or an event that left a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// 0: a frame.
    pub port: u16,
    /// Index in the stack's interface.
    pub event: u16,
    /// The event's numbers, in order.
    pub arguments: Vec<u64>,
    /// None: it has none, or one of no family.
    pub address: Option<Address>,
    pub message: Option<Vec<u8>>,
}

impl Output {
    /// Returns whether the output is a frame for the network rather than an event for the host.
    pub fn is_frame(&self) -> bool {
        self.port == 0
    }
}

/// What one event from outside came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub outcome: Outcome,
    pub outputs: Vec<Output>,
}

/// One end of a connection.
///
/// Two endpoints of one stack with the same history must be indistinguishable, up to how the sequences of their ports
/// interleave within a step and to what `reports` says.
pub trait Endpoint {
    /// An event of the interface, at a port above the network.
    fn call(&mut self, now: u64, event: u16, arguments: &[u64], address: Option<Address>, message: &[u8]) -> Step;
    /// A frame from the network.
    fn input(&mut self, now: u64, from: Address, frame: &[u8]) -> Step;
    /// One `later` event, or one timer that is due.
    fn tick(&mut self, now: u64) -> Step;
    /// What may wait until frames have left.
    fn settle(&mut self) -> Vec<Output>;
    /// When `tick` is to be called; 0: at once; [`NEVER`].
    fn deadline(&self) -> u64;
    /// Whether a call would be accepted now.
    fn accepts(&self, event: u16, length: usize) -> bool;
    /// In the order of the stack's counters.
    fn counters(&self) -> Vec<u64>;
    /// The behaviour state, as bytes.
    fn canonical(&self) -> Vec<u8>;
    /// Free blocks of the pool, and all.
    fn space(&self) -> (u32, u32);
    /// Releases everything; the endpoint cannot be used afterwards.
    fn discard(&mut self);
    /// The rules that were violated, as far as this kind of endpoint can observe.
    fn reports(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The arguments with which an endpoint is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Values for givens, by name; those that the stack does not have are passed over.
    pub givens: Vec<(String, Given)>,
    pub seed: u64,
    pub now: u64,
}

/// A value of a given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    Number(u64),
    Address(Address),
    Bytes(Vec<u8>),
}

/// Something that opens endpoints of one stack.
pub trait Maker {
    /// Errors: the words of what refused to open.
    fn open(&self, opening: &Opening) -> Result<(Box<dyn Endpoint>, Vec<Output>), String>;
    /// `interpreter`, `queue`, `call`, ...
    fn name(&self) -> String;
}
