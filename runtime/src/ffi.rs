//! The C interface of an emitted stack (`nacre.h`), mirrored field by field.
//!
//! Only data types stand here. `tests/layout.rs` compares every size and offset with what a C compiler says of the
//! header.

use std::ffi::{c_char, c_int, c_void};

/// The version of the interface that this driver speaks.
pub const ABI: u32 = 3;
/// A deadline that never comes.
pub const NEVER: u64 = u64::MAX;

/// `NACRE_OK`: the step was taken.
pub const OK: c_int = 0;
/// `NACRE_IDLE`: at a tick, nothing was due.
pub const IDLE: c_int = 1;
/// `NACRE_REFUSED`: a layer does not accept this call now. It had no effect; retry after a grant.
pub const REFUSED: c_int = 2;
/// `NACRE_BUSY`: a `later` event is pending, so a tick must come first. The call had no effect.
pub const BUSY: c_int = 3;
/// `NACRE_NO_SPACE`: the pool cannot serve the worst case of the step. A frame was dropped; a call had no effect.
pub const NO_SPACE: c_int = 4;
/// `NACRE_DROPPED`: the stack did not recognize the frame; it is counted.
pub const DROPPED: c_int = 5;
/// `NACRE_INVALID`: the caller violated the interface (event, argument or buffer). The call had no effect.
pub const INVALID: c_int = 6;

/// `struct nacre_addr`: family 4 has its address in the last four bytes, 6 in all, 0 is none; the port is in the
/// processor's order.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NacreAddr {
    pub ip: [u8; 16],
    pub port: u16,
    pub family: u16,
}

/// `struct nacre_segment`: bytes that are lent.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NacreSegment {
    pub at: *const u8,
    pub len: u32,
    pub reserved: u32,
}

/// `struct nacre_output`: a frame (port 0) or an event for the host.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NacreOutput {
    pub port: u16,
    pub event: u16,
    pub session: u32,
    pub len: u32,
    pub segments_len: u32,
    pub segments: *const NacreSegment,
    pub arguments: [u64; 4],
    pub address: NacreAddr,
    pub reserved: u32,
}

/// `struct nacre_out`: the buffers for the outputs of a step.
#[repr(C)]
#[derive(Debug)]
pub struct NacreOut {
    pub abi: u32,
    pub size: u32,
    pub outputs_len: u32,
    pub outputs_max: u32,
    pub segments_len: u32,
    pub segments_max: u32,
    pub bytes_len: u32,
    pub bytes_max: u32,
    pub outputs: *mut NacreOutput,
    pub segments: *mut NacreSegment,
    pub bytes: *mut u8,
}

/// `struct nacre_event`: an event of a port.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NacreEvent {
    pub name: *const c_char,
    pub port: u16,
    pub input: u8,
    pub has_message: u8,
    pub has_address: u8,
    pub arguments: u8,
    pub role: u8,
    pub idle: u8,
    pub message_max: u32,
    pub reserved2: u32,
}

/// `struct nacre_given`: a value that the host sets when a connection is opened.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NacreGiven {
    pub name: *const c_char,
    pub offset: u32,
    pub size: u32,
    pub required: u8,
    pub secret: u8,
    pub role: u8,
    pub reserved: u8,
}

type Open = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u64, *const c_void, u64, u64, *mut NacreOut) -> c_int;
type Call = unsafe extern "C" fn(
    *mut c_void,
    *mut c_void,
    *mut u64,
    u64,
    u32,
    *const u64,
    *const NacreAddr,
    *const u8,
    u32,
    *mut NacreOut,
) -> c_int;
type Input = unsafe extern "C" fn(
    *mut c_void,
    *mut c_void,
    *mut u64,
    u64,
    *const NacreAddr,
    *const u8,
    u32,
    *mut NacreOut,
) -> c_int;
type Tick = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u64, u64, *mut NacreOut) -> c_int;
type Settle = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u64, *mut NacreOut);
type Accepts = unsafe extern "C" fn(*const c_void, *const c_void, u32, u32) -> bool;
type Canonical = unsafe extern "C" fn(*const c_void, *const c_void, *mut u8, u32) -> u32;

type Enter = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u64, u64, *const NacreIn, *mut NacreOut) -> c_int;
type SendQuick = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u64, u64, *const u8, u32, *mut u8) -> u32;
type InputQuick =
    unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u64, u64, *const NacreAddr, *const u8, u32) -> NacreDelivery;
type View = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u64, *const c_void, u64, *mut NacreOut) -> c_int;

/// `struct nacre_in`: a frame that arrived at one of several lower ports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NacreIn {
    pub abi: u32,
    pub size: u32,
    pub port: u16,
    pub reserved: u16,
    pub session: u32,
    pub from: *const NacreAddr,
    pub frame: *const u8,
    pub len: u32,
    pub reserved2: u32,
}

/// `struct nacre_delivery`: what came of a frame that a quick entry has taken.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NacreDelivery {
    pub at: *const u8,
    pub len: u32,
    pub event: u16,
    pub argument: u16,
}

/// `struct nacre_stack`: everything about a stack that a driver needs.
#[repr(C)]
#[derive(Debug)]
pub struct NacreStack {
    pub abi: u32,
    pub size: u32,
    pub name: *const c_char,
    pub description: *const c_char,
    pub level: *const c_char,
    pub fingerprint: u64,
    pub has_preamble: u8,
    pub reserved: [u8; 7],
    pub state_size: u32,
    pub state_align: u32,
    pub config_size: u32,
    pub pool_align: u32,
    pub pool_base: u32,
    pub pool_per_block: u32,
    pub blocks_for_one: u32,
    pub block_bytes: u32,
    pub outputs_max: u32,
    pub segments_max: u32,
    pub bytes_max: u32,
    pub frame_head_max: u32,
    pub frame_data_max: u32,
    pub counters_len: u32,
    pub counters: *const *const c_char,
    pub events_len: u32,
    pub givens_len: u32,
    pub events: *const NacreEvent,
    pub givens: *const NacreGiven,
    pub config_default: unsafe extern "C" fn(*mut c_void),
    pub pool_init: unsafe extern "C" fn(*mut c_void, u32),
    pub pool_free: unsafe extern "C" fn(*const c_void) -> u32,
    pub open: Open,
    pub call: Call,
    pub input: Input,
    pub tick: Tick,
    pub deadline: unsafe extern "C" fn(*const c_void) -> u64,
    pub accepts: Accepts,
    pub settle: Settle,
    pub discard: unsafe extern "C" fn(*mut c_void, *mut c_void),
    pub canonical: Canonical,
    /// None: there is only one lower port, whose entry is `input`.
    pub enter: Option<Enter>,
    /// None: nothing lasts beyond a view.
    pub view: Option<View>,
    /// None: the stack has no quick entries; so with the next.
    pub send_quick: Option<SendQuick>,
    pub input_quick: Option<InputQuick>,
    pub quick_to: u32,
    pub reserved2: u32,
}
