//! The C that this listener and the emitted one have in common (`listener/wire.c`, `listener/proof.c`), and the text of
//! the emitted one.

use std::ptr;

/// The header of the emitted listener; it includes `nacre.h`.
const HEADER: &str = include_str!("../listener/nacre_listener.h");

/// The parts of its source, in order.
const PARTS: [&str; 13] = [
    include_str!("../listener/head.c"),
    include_str!("../listener/wire.c"),
    include_str!("../listener/proof.c"),
    include_str!("../listener/state.c"),
    include_str!("../listener/queue.c"),
    include_str!("../listener/steps.c"),
    include_str!("../listener/ends.c"),
    include_str!("../listener/opening.c"),
    include_str!("../listener/control.c"),
    include_str!("../listener/routing.c"),
    include_str!("../listener/work.c"),
    include_str!("../listener/calls.c"),
    include_str!("../listener/memory.c"),
];

/// The header of the emitted listener, `nacre_listener.h`, which contains the interface of stacks (`nacre.h`).
pub fn listener_header(interface: &str) -> String {
    HEADER.replace("#include \"nacre.h\"\n", interface)
}

/// Its source, `nacre_listener.c`, for any stacks.
pub fn listener_source() -> String {
    PARTS.join("\n")
}

/// The longest address in a claim.
const ADDRESS_MAX: usize = 32;

/// `struct label`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawLabel {
    pub cookie: u32,
    pub key: u32,
}

/// `struct identification`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawIdentification {
    pub fingerprint: u64,
    pub sender: u64,
    pub receiver: u64,
    pub incarnation: u64,
    pub cookie: u32,
    pub key: u32,
}

/// `struct control`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawControl {
    pub kind: u32,
    pub why: u32,
    pub to: RawLabel,
    pub label: RawLabel,
    pub number: u64,
    pub code: u32,
    pub serves: u32,
    /// What follows the fields; set by `read` and `write`.
    pub rest: *const u8,
    pub rest_len: u32,
}

impl RawControl {
    /// A control frame of a kind.
    pub(crate) fn new(kind: u8, to: RawLabel) -> RawControl {
        let label = RawLabel::default();
        let (kind, why, number, code, serves) = (kind.into(), 0, 0, 0, 0);
        RawControl { kind, why, to, label, number, code, serves, rest: ptr::null(), rest_len: 0 }
    }

    /// Reads one, and what follows its fields.
    pub(crate) fn read(frame: &[u8]) -> Option<(RawControl, &[u8])> {
        let len = u32::try_from(frame.len()).ok()?;
        let mut control = RawControl::new(0, RawLabel::default());
        // SAFETY: the frame has as many bytes; what is read points into it.
        unsafe {
            let is_one = nacre_runtime_read_control(frame.as_ptr(), len, &raw mut control);
            let rest = match control.rest_len {
                0 => &[][..],
                len => std::slice::from_raw_parts(control.rest, len as usize),
            };
            is_one.then_some((control, rest))
        }
    }

    /// Writes it in at most `room` bytes, with what follows its fields; None if it does not fit.
    pub(crate) fn write(&self, rest: &[u8], room: usize) -> Option<Vec<u8>> {
        let head = 21;
        let mut frame = vec![0; room.min(head + rest.len())];
        let control = RawControl { rest: rest.as_ptr(), rest_len: u32::try_from(rest.len()).ok()?, ..*self };
        let room = u32::try_from(frame.len()).ok()?;
        // SAFETY: the frame has as many bytes, and so has `rest`.
        let len = unsafe { nacre_runtime_write_control(&raw const control, frame.as_mut_ptr(), room) };
        frame.truncate(len as usize);
        (len > 0).then_some(frame)
    }
}

/// Reads the fixed fields of an identified frame; None if it is too short.
pub(crate) fn identification(frame: &[u8]) -> Option<RawIdentification> {
    let mut who = RawIdentification::default();
    let len = u32::try_from(frame.len()).ok()?;
    // SAFETY: the frame has as many bytes.
    unsafe { nacre_runtime_read_identification(frame.as_ptr(), len, &raw mut who) }.then_some(who)
}

/// The key in a short frame; 0 if there is none.
pub(crate) fn short_key(frame: &[u8]) -> u32 {
    let len = u32::try_from(frame.len()).unwrap_or(u32::MAX);
    // SAFETY: the frame has as many bytes, or more.
    unsafe { nacre_runtime_short_key(frame.as_ptr(), len) }
}

/// What a label of a retry proves.
pub(crate) struct Claim<'a> {
    pub address: &'a [u8],
    pub identity: u64,
    pub fingerprint: u64,
    pub incarnation: u64,
}

/// `struct claim`.
#[repr(C)]
struct RawClaim {
    address: *const u8,
    address_len: u32,
    identity: u64,
    fingerprint: u64,
    incarnation: u64,
}

/// The hash from which the label of a claim is made in a period.
pub(crate) fn hash_of_claim(key: [u64; 2], claim: &Claim<'_>, period: u64) -> u64 {
    assert!(claim.address.len() <= ADDRESS_MAX, "an address that is too long");
    let Claim { address, identity, fingerprint, incarnation } = *claim;
    let address_len = address.len() as u32;
    let raw = RawClaim { address: address.as_ptr(), address_len, identity, fingerprint, incarnation };
    // SAFETY: the address has as many bytes, which the array of the callee has room for.
    unsafe { nacre_runtime_hash_of_claim(key.as_ptr(), &raw const raw, period) }
}

/// `struct bucket`: a token bucket that holds the tokens of one second.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    /// In units of 1/1 000 000 000 of a token.
    pub level: u64,
    at: u64,
    rate: u64,
}

impl Bucket {
    /// A full one, which gets so many tokens a second.
    pub(crate) fn full(rate: u64, now: u64) -> Bucket {
        // SAFETY: it takes and returns plain numbers.
        unsafe { nacre_runtime_full_bucket(rate, now) }
    }

    /// Adds what came since it was filled last.
    pub(crate) fn fill(&mut self, now: u64) {
        // SAFETY: the mirror of the struct.
        unsafe { nacre_runtime_fill_bucket(self, now) }
    }
}

/// `struct budget`: bytes received and sent so far, of a connection that a peer has begun and not confirmed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawBudget {
    pub received: u64,
    sent_in_frames: u64,
    sent_in_pings: u64,
    asked: u32,
    pub was_short: u32,
}

impl RawBudget {
    /// Whether a frame of the stack may be sent. If so it counts as sent.
    pub(crate) fn spend(&mut self, len: u64) -> bool {
        // SAFETY: the mirror of the struct.
        unsafe { nacre_runtime_budget_spend(self, len) }
    }

    /// Whether a call with a message of this length may be made.
    pub(crate) fn covers(&self, message: u64) -> bool {
        // SAFETY: as above.
        unsafe { nacre_runtime_budget_covers(self, message) }
    }

    /// Whether a ping may be sent. If so it counts as sent.
    pub(crate) fn ping(&mut self) -> bool {
        // SAFETY: as above.
        unsafe { nacre_runtime_budget_ping(self) }
    }

    /// When to ask the peer to confirm the connection, if anything waits for that.
    pub(crate) fn next_ping(&self, first: u64) -> u64 {
        // SAFETY: as above.
        unsafe { nacre_runtime_budget_next_ping(self, first) }
    }
}

extern "C" {
    fn nacre_runtime_read_control(frame: *const u8, len: u32, control: *mut RawControl) -> bool;
    fn nacre_runtime_write_control(control: *const RawControl, to: *mut u8, room: u32) -> u32;
    fn nacre_runtime_read_identification(frame: *const u8, len: u32, who: *mut RawIdentification) -> bool;
    fn nacre_runtime_short_key(frame: *const u8, len: u32) -> u32;
    fn nacre_runtime_hash_of_claim(key: *const u64, claim: *const RawClaim, period: u64) -> u64;
    fn nacre_runtime_full_bucket(rate: u64, now: u64) -> Bucket;
    fn nacre_runtime_fill_bucket(bucket: *mut Bucket, now: u64);
    fn nacre_runtime_budget_spend(budget: *mut RawBudget, len: u64) -> bool;
    fn nacre_runtime_budget_covers(budget: *const RawBudget, message: u64) -> bool;
    fn nacre_runtime_budget_ping(budget: *mut RawBudget) -> bool;
    fn nacre_runtime_budget_next_ping(budget: *const RawBudget, first: u64) -> u64;
}
