//! The interface of an endpoint to the simulator, independent of the machine that runs it.

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
    /// None: the event has no address, or one without a family.
    pub address: Option<Address>,
    pub message: Option<Vec<u8>>,
}

impl Output {
    /// Returns whether the output is a frame for the network rather than an event for the host.
    pub fn is_frame(&self) -> bool {
        self.port == 0
    }
}

/// The outcome of one external event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub outcome: Outcome,
    pub outputs: Vec<Output>,
}

/// An endpoint of a connection.
///
/// Two endpoints of one stack with the same history must be indistinguishable, except for the interleaving of their
/// ports within a step and for `reports`.
pub trait Endpoint {
    /// Calls an event of the interface, at a port above the network.
    fn call(&mut self, now: u64, event: u16, arguments: &[u64], address: Option<Address>, message: &[u8]) -> Step;
    /// Passes a frame from the network.
    fn input(&mut self, now: u64, from: Address, frame: &[u8]) -> Step;
    /// Runs one `later` event, or one timer that is due.
    fn tick(&mut self, now: u64) -> Step;
    /// Does the work that can be deferred until the frames have been sent.
    fn settle(&mut self) -> Vec<Output>;
    /// Returns the time at which `tick` must be called; 0: at once; [`NEVER`].
    fn deadline(&self) -> u64;
    /// Whether a call would be accepted now.
    fn accepts(&self, event: u16, length: usize) -> bool;
    /// Returns the counters, in the order of the stack.
    fn counters(&self) -> Vec<u64>;
    /// Returns the canonical state, to be compared; it contains secrets.
    fn canonical(&self) -> Vec<u8>;
    /// Whether the canonical state may be shown: the endpoint knows that it contains no secrets.
    fn shows_state(&self) -> bool {
        false
    }
    /// Returns the number of free blocks of the pool, and of all blocks.
    fn space(&self) -> (u32, u32);
    /// Releases everything; the endpoint cannot be used afterwards.
    fn discard(&mut self);
    /// Returns the violated rules, as far as this kind of endpoint can observe them.
    fn reports(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The arguments with which an endpoint is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Given values, by name; unknown names are ignored.
    pub givens: Vec<(String, Given)>,
    pub seed: u64,
    pub now: u64,
}

/// A given value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    Number(u64),
    Address(Address),
    Bytes(Vec<u8>),
}

/// Opens endpoints of one stack.
pub trait Maker {
    /// Fails with the message of the machine that refused to open.
    fn open(&self, opening: &Opening) -> Result<(Box<dyn Endpoint>, Vec<Output>), String>;
    /// `interpreter`, `queue`, `call`, ...
    fn name(&self) -> String;
}
