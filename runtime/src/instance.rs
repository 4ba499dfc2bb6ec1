//! One open stack: its state and counters, the pool it keeps messages in, and safe calls of its functions.
//!
//! Invariant of an `Instance`: its state was made by `open` with the pool `pool_id` names and was not discarded, so
//! every function of the descriptor may be called on it, with that pool, as long as no two run at the same time; `&mut`
//! on both sees to that.

pub use crate::config::Config;
use crate::error::Error;
use crate::ffi::{self, NacreAddr};
use crate::output::{Out, Outputs};
pub use crate::pool::Pool;
use crate::region::Region;
use crate::stack::{Stack, QUICK_HEAD_MAX};
use std::ops::Range;
use std::ptr;

/// The size in bytes of the buffer that a canonical state is first written to; a longer state is written a second time.
const CANONICAL_BUFFER: usize = 4096;

/// A call of an input event, given by its index in [`Stack::events`].
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub event: u16,
    /// At least as many numbers as the event has.
    pub arguments: &'a [u64],
    /// Needed if the event has an address.
    pub address: Option<&'a NacreAddr>,
    /// The bytes of the message, if the event has one.
    pub data: &'a [u8],
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, with outputs.
    Done,
    /// `tick`: nothing was due.
    Idle,
    /// A layer does not accept the call now; no effect.
    Refused,
    /// A `later` event waits (deadline 0): call `tick` first; no effect.
    Busy,
    /// The pool cannot serve the step: a frame was dropped, a call had no effect.
    NoSpace,
    /// The frame is none of this stack's; counted.
    Dropped,
    /// A mistake of the caller; no effect.
    Invalid,
}

impl Outcome {
    fn from_code(code: i32) -> Outcome {
        match code {
            ffi::OK => Outcome::Done,
            ffi::IDLE => Outcome::Idle,
            ffi::REFUSED => Outcome::Refused,
            ffi::BUSY => Outcome::Busy,
            ffi::NO_SPACE => Outcome::NoSpace,
            ffi::DROPPED => Outcome::Dropped,
            _ => Outcome::Invalid,
        }
    }
}

/// `quick_to` of a stack whose frames have no address, and `NACRE_NONE`.
const NO_ADDRESS: u32 = u32::MAX;
const NO_EVENT: u16 = u16::MAX;

/// Room for the head of a frame that a quick entry makes.
pub(crate) type QuickHead = [u8; QUICK_HEAD_MAX];

/// What came of a frame that a quick entry has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuickDelivery {
    /// An event that leaves first, and its number.
    pub event: Option<(u16, u16)>,
    /// The bytes of the frame that are delivered, if any.
    pub message: Range<usize>,
}

/// A connection's core.
#[derive(Debug)]
pub struct Instance {
    stack: Stack,
    state: Region,
    counters: Vec<u64>,
    pool_id: u64,
}

impl Instance {
    /// Opens a connection; `seed` feeds the layers' random numbers, `now` is in nanoseconds.
    ///
    /// Errors: `Invalid` if the stack refuses the config.
    pub fn open<'a>(
        stack: &Stack,
        pool: &'a mut Pool,
        config: &Config,
        seed: u64,
        now: u64,
        out: &'a mut Out,
    ) -> Result<(Instance, Outputs<'a>), Error> {
        let raw = stack.raw();
        let state = Region::new(raw.state_size as usize, raw.state_align as usize)?;
        let counters = vec![0; (raw.counters_len as usize).max(1)];
        let mut instance = Instance { stack: stack.clone(), state, counters, pool_id: pool.id };
        assert!(pool.stack.is(stack), "the pool of another stack");
        assert!(config.stack.is(stack), "the config of another stack");
        if !config.missing().is_empty() {
            return Err(Error::Invalid(format!("the stack needs values for {}", config.missing().join(", "))));
        }
        out.prepare(stack);
        // SAFETY: regions as the descriptor asks; `out` has the stack's bounds.
        let code = unsafe {
            (raw.open)(
                instance.state.as_mut_ptr(),
                pool.region.as_mut_ptr(),
                instance.counters.as_mut_ptr(),
                config.region.as_ptr(),
                seed,
                now,
                out.as_mut_ptr(),
            )
        };
        match Outcome::from_code(code) {
            // SAFETY: `out`, the pool and (in it) the bytes stay borrowed as long as the outputs.
            Outcome::Done => Ok((instance, unsafe { out.borrowed() })),
            other => Err(Error::Invalid(format!("the stack {} could not be opened: {other:?}", stack.description()))),
        }
    }

    /// The stack that it runs.
    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    /// The counters, in the order of `Stack::counters`.
    pub fn counters(&self) -> &[u64] {
        &self.counters[..self.stack.raw().counters_len as usize]
    }

    /// Calls an input event of a port at the time `now`, in nanoseconds.
    pub fn call<'a>(
        &'a mut self,
        pool: &'a mut Pool,
        now: u64,
        call: Call<'a>,
        out: &'a mut Out,
    ) -> (Outcome, Outputs<'a>) {
        let code = self.call_raw(pool, now, call, out);
        // SAFETY: state, pool, data and `out` stay borrowed as long as the outputs.
        (code, unsafe { out.borrowed() })
    }

    pub(crate) fn call_raw(&mut self, pool: &mut Pool, now: u64, call: Call, out: &mut Out) -> Outcome {
        let Call { event, arguments, address, data } = call;
        let fits = self.stack.events().get(usize::from(event)).is_some_and(|info| {
            info.input && arguments.len() >= usize::from(info.arguments) && (address.is_some() || !info.has_address)
        });
        let Ok(len) = u32::try_from(data.len()) else {
            return Outcome::Invalid;
        };
        out.prepare(&self.stack);
        if !fits {
            return Outcome::Invalid;
        }
        let mut numbers = [0; 4];
        let n = arguments.len().min(4);
        numbers[..n].copy_from_slice(&arguments[..n]);
        self.check(pool);
        // SAFETY: the invariant; arguments, address and data are valid for the call.
        let code = unsafe {
            (self.stack.raw().call)(
                self.state.as_mut_ptr(),
                pool.region.as_mut_ptr(),
                self.counters.as_mut_ptr(),
                now,
                u32::from(event),
                numbers.as_ptr(),
                address.map_or(ptr::null(), ptr::from_ref),
                data.as_ptr(),
                len,
                out.as_mut_ptr(),
            )
        };
        Outcome::from_code(code)
    }

    /// Gives the stack a frame from the transport.
    pub fn input<'a>(
        &'a mut self,
        pool: &'a mut Pool,
        now: u64,
        from: &NacreAddr,
        frame: &'a [u8],
        out: &'a mut Out,
    ) -> (Outcome, Outputs<'a>) {
        let code = self.input_raw(pool, now, from, frame, out);
        // SAFETY: state, pool, frame and `out` stay borrowed as long as the outputs.
        (code, unsafe { out.borrowed() })
    }

    pub(crate) fn input_raw(
        &mut self,
        pool: &mut Pool,
        now: u64,
        from: &NacreAddr,
        frame: &[u8],
        out: &mut Out,
    ) -> Outcome {
        out.prepare(&self.stack);
        self.check(pool);
        let Ok(len) = u32::try_from(frame.len()) else {
            return Outcome::Dropped;
        };
        // SAFETY: the invariant; address and frame are valid for the call.
        let code = unsafe {
            (self.stack.raw().input)(
                self.state.as_mut_ptr(),
                pool.region.as_mut_ptr(),
                self.counters.as_mut_ptr(),
                now,
                from,
                frame.as_ptr(),
                len,
                out.as_mut_ptr(),
            )
        };
        Outcome::from_code(code)
    }

    /// Calls the event `send` by the quick entry of a stack that `is_quick`; returns the head of the frame, which goes
    /// to `quick_to`. None: nothing has happened.
    #[inline(always)]
    pub(crate) fn send_quick<'a>(
        &mut self,
        pool: &mut Pool,
        now: u64,
        data: &[u8],
        head: &'a mut QuickHead,
    ) -> Option<&'a [u8]> {
        let send = self.stack.raw().send_quick?;
        let len = u32::try_from(data.len()).ok()?;
        self.check(pool);
        let (state, counters) = (self.state.as_mut_ptr(), self.counters.as_mut_ptr());
        // SAFETY: the invariant; the head has room for `frame_head_max` bytes.
        let made =
            unsafe { send(state, pool.region.as_mut_ptr(), counters, now, data.as_ptr(), len, head.as_mut_ptr()) };
        head.get(..made as usize).filter(|made| !made.is_empty())
    }

    /// Where the frames of quick entries go; None: they have no address.
    #[inline]
    pub(crate) fn quick_to(&self) -> Option<NacreAddr> {
        let to = self.stack.raw().quick_to;
        // SAFETY: an address of the state is there.
        (to != NO_ADDRESS)
            .then(|| unsafe { self.state.as_ptr().cast::<u8>().add(to as usize).cast::<NacreAddr>().read_unaligned() })
    }

    /// Gives the stack a frame by the quick entry. None: nothing has happened.
    #[inline(always)]
    pub(crate) fn input_quick(
        &mut self,
        pool: &mut Pool,
        now: u64,
        from: &NacreAddr,
        frame: &[u8],
    ) -> Option<QuickDelivery> {
        let input = self.stack.raw().input_quick?;
        let len = u32::try_from(frame.len()).ok()?;
        self.check(pool);
        let (state, counters) = (self.state.as_mut_ptr(), self.counters.as_mut_ptr());
        // SAFETY: the invariant; address and frame are valid for the call.
        let taken = unsafe { input(state, pool.region.as_mut_ptr(), counters, now, from, frame.as_ptr(), len) };
        if taken.at.is_null() {
            return None;
        }
        let event = (taken.event != NO_EVENT).then_some((taken.event, taken.argument));
        // What is delivered lies in the frame.
        let begin = (taken.at as usize).checked_sub(frame.as_ptr() as usize).map_or(0, |at| at.min(frame.len()));
        let end = (begin + taken.len as usize).min(frame.len());
        Some(QuickDelivery { event, message: begin..end })
    }

    /// Runs one `later` event or one timer that is due.
    pub fn tick<'a>(&'a mut self, pool: &'a mut Pool, now: u64, out: &'a mut Out) -> (Outcome, Outputs<'a>) {
        let code = self.tick_raw(pool, now, out);
        // SAFETY: state, pool and `out` stay borrowed as long as the outputs.
        (code, unsafe { out.borrowed() })
    }

    pub(crate) fn tick_raw(&mut self, pool: &mut Pool, now: u64, out: &mut Out) -> Outcome {
        out.prepare(&self.stack);
        self.check(pool);
        // SAFETY: the invariant.
        let code = unsafe {
            (self.stack.raw().tick)(
                self.state.as_mut_ptr(),
                pool.region.as_mut_ptr(),
                self.counters.as_mut_ptr(),
                now,
                out.as_mut_ptr(),
            )
        };
        Outcome::from_code(code)
    }

    /// Does the work that may wait until the frames have left.
    pub fn settle<'a>(&'a mut self, pool: &'a mut Pool, out: &'a mut Out) -> Outputs<'a> {
        self.settle_raw(pool, out);
        // SAFETY: state, pool and `out` stay borrowed as long as the outputs.
        unsafe { out.borrowed() }
    }

    pub(crate) fn settle_raw(&mut self, pool: &mut Pool, out: &mut Out) {
        out.prepare(&self.stack);
        self.check(pool);
        // SAFETY: the invariant.
        unsafe {
            (self.stack.raw().settle)(
                self.state.as_mut_ptr(),
                pool.region.as_mut_ptr(),
                self.counters.as_mut_ptr(),
                out.as_mut_ptr(),
            );
        }
    }

    /// When `tick` is to be called next, in nanoseconds; 0: at once; `ffi::NEVER`.
    pub fn deadline(&self) -> u64 {
        // SAFETY: the invariant.
        unsafe { (self.stack.raw().deadline)(self.state.as_ptr()) }
    }

    /// Whether the stack would accept the event now, with a message of `len` bytes.
    pub fn accepts(&self, pool: &Pool, event: u16, len: usize) -> bool {
        let Ok(len) = u32::try_from(len) else {
            return false;
        };
        self.check(pool);
        // SAFETY: the invariant; the descriptor checks the event's number.
        unsafe { (self.stack.raw().accepts)(self.state.as_ptr(), pool.region.as_ptr(), u32::from(event), len) }
    }

    /// The live state as canonical bytes: equal behaviour, equal bytes.
    pub fn canonical(&self, pool: &Pool) -> Vec<u8> {
        self.check(pool);
        let canonical = self.stack.raw().canonical;
        let write = |to: &mut [u8]| {
            // SAFETY: the invariant; no more is written than there is room for.
            unsafe { canonical(self.state.as_ptr(), pool.region.as_ptr(), to.as_mut_ptr(), to.len() as u32) as usize }
        };
        let mut buffer = [0; CANONICAL_BUFFER];
        let len = write(&mut buffer);
        if let Some(whole) = buffer.get(..len) {
            return whole.to_vec();
        }
        let mut bytes = vec![0; len];
        write(&mut bytes);
        bytes
    }

    /// Gives all messages back to the pool and erases secrets. An instance that is dropped without this keeps its
    /// blocks.
    pub fn discard(mut self, pool: &mut Pool) {
        self.check(pool);
        // SAFETY: the invariant; self ends here.
        unsafe { (self.stack.raw().discard)(self.state.as_mut_ptr(), pool.region.as_mut_ptr()) };
    }

    fn check(&self, pool: &Pool) {
        assert_eq!(self.pool_id, pool.id, "the pool of another connection");
    }
}
