//! Checks a descriptor before anything of it is used: what no emitted stack has is refused, with its name and number.
//!
//! What cannot be seen is the caller's promise (`Stack::from_raw`): that pointers which are not NULL point to what the
//! lengths state, and that the functions keep the contract of `nacre.h`.

use crate::error::Error;
use crate::ffi::{NacreEvent, NacreGiven, NacreOutput, NacreSegment, NacreStack, ABI};
use std::mem::size_of;
use std::ptr;

/// Bytes of a region, or of the arrays for one step's outputs: above any use, below what makes an allocation end the
/// program.
const BYTES_MAX: u64 = 1 << 30;
/// The strictest alignment of a region.
const ALIGN_MAX: u32 = 4096;
/// Entries of a table: an event's index has 16 bits.
const ENTRIES_MAX: u32 = 65_535;
/// Numbers of an event, in outputs and calls.
const ARGUMENTS_MAX: u8 = 4;

/// The descriptor, if it makes sense.
///
/// # Safety
/// As of `Stack::from_raw`, for as much as the descriptor's size states.
pub(crate) unsafe fn check(raw: *const NacreStack) -> Result<&'static NacreStack, Error> {
    if raw.is_null() {
        return complain("the stack's descriptor is NULL".into());
    }
    if !raw.is_aligned() {
        return complain(format!("the stack's descriptor is not aligned, at {raw:p}"));
    }
    // SAFETY: the caller's promise. ABI and size come first in every version; nothing else is read before they fit.
    let (abi, size) = unsafe { (ptr::addr_of!((*raw).abi).read(), ptr::addr_of!((*raw).size).read()) };
    if abi != ABI {
        return complain(format!("the stack has interface version {abi}, this driver speaks {ABI}"));
    }
    if (size as usize) < size_of::<NacreStack>() {
        return complain(format!("the stack's descriptor has {size} bytes, not {}", size_of::<NacreStack>()));
    }
    // SAFETY: the caller's promise; a reference is made only once no function is NULL, which Rust's types exclude.
    unsafe {
        check_functions(raw)?;
        let raw: &'static NacreStack = &*raw;
        check_sizes(raw)?;
        check_tables(raw)?;
        Ok(raw)
    }
}

macro_rules! none_is_null {
    ($raw:ident, $($function:ident),+) => { $(
        if ptr::addr_of!((*$raw).$function).cast::<usize>().read() == 0 {
            return complain(format!("the stack's function `{}` is NULL", stringify!($function)));
        }
    )+ };
}

/// # Safety
/// `raw` points to a whole descriptor.
unsafe fn check_functions(raw: *const NacreStack) -> Result<(), Error> {
    // SAFETY: the caller's promise; the fields are read as numbers, of the same size.
    unsafe {
        none_is_null!(
            raw,
            config_default,
            pool_init,
            pool_free,
            open,
            call,
            input,
            tick,
            deadline,
            accepts,
            settle,
            discard,
            canonical
        );
    }
    Ok(())
}

fn check_sizes(raw: &NacreStack) -> Result<(), Error> {
    for (what, align) in [("state", raw.state_align), ("pool", raw.pool_align)] {
        if align > ALIGN_MAX || (align != 0 && !align.is_power_of_two()) {
            return complain(format!(
                "the alignment {align} of the stack's {what} is no power of two up to {ALIGN_MAX}"
            ));
        }
    }
    let product = |count: u32, each: usize| u64::from(count) * each as u64;
    let outputs = product(raw.outputs_max, size_of::<NacreOutput>())
        + product(raw.segments_max, size_of::<NacreSegment>())
        + u64::from(raw.bytes_max);
    let pool = product(raw.blocks_for_one, raw.pool_per_block as usize).saturating_add(raw.pool_base.into());
    let frame = u64::from(raw.frame_head_max) + u64::from(raw.frame_data_max);
    let sizes = [
        ("state", u64::from(raw.state_size)),
        ("config", u64::from(raw.config_size)),
        ("pool for one connection", pool),
        ("outputs of one step", outputs),
        ("longest frame", frame),
    ];
    match sizes.iter().find(|(_, bytes)| *bytes > BYTES_MAX) {
        Some((what, bytes)) => complain(format!("the stack's {what} would take {bytes} bytes, more than {BYTES_MAX}")),
        None => Ok(()),
    }
}

/// # Safety
/// The tables that are not NULL have as many entries as stated.
unsafe fn check_tables(raw: &NacreStack) -> Result<(), Error> {
    let tables = [
        ("counters", raw.counters_len, raw.counters.is_null()),
        ("events", raw.events_len, raw.events.is_null()),
        ("givens", raw.givens_len, raw.givens.is_null()),
    ];
    for (what, len, is_null) in tables {
        if len > ENTRIES_MAX || (is_null && len > 0) {
            let at = if is_null { " at NULL" } else { "" };
            return complain(format!("the stack has {len} {what}{at}, and may have {ENTRIES_MAX}"));
        }
    }
    // SAFETY: the caller's promise.
    let (events, givens) = unsafe { (table(raw.events, raw.events_len), table(raw.givens, raw.givens_len)) };
    check_events(events)?;
    check_givens(givens, raw.config_size)
}

fn check_events(events: &[NacreEvent]) -> Result<(), Error> {
    match events.iter().position(|event| event.arguments > ARGUMENTS_MAX) {
        Some(index) => complain(format!(
            "the stack's event {index} has {} numbers, and may have {ARGUMENTS_MAX}",
            events[index].arguments
        )),
        None => Ok(()),
    }
}

fn check_givens(givens: &[NacreGiven], config_size: u32) -> Result<(), Error> {
    let is_outside = |given: &NacreGiven| given.offset.checked_add(given.size).is_none_or(|end| end > config_size);
    match givens.iter().position(is_outside) {
        Some(index) => {
            let NacreGiven { offset, size, .. } = givens[index];
            complain(format!(
                "the stack's given {index} ({size} bytes at {offset}) lies outside its config of {config_size} bytes"
            ))
        }
        None => Ok(()),
    }
}

/// A table of the descriptor.
///
/// # Safety
/// `at` is NULL or has `len` entries that stay.
pub(crate) unsafe fn table<T>(at: *const T, len: u32) -> &'static [T] {
    if len == 0 || at.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(at, len as usize) }
}

fn complain<T>(what: String) -> Result<T, Error> {
    Err(Error::Invalid(what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::Stack;
    use crate::support::window;
    use std::mem::{offset_of, MaybeUninit};

    /// A copy of a good descriptor with some bytes changed; what is said of it.
    fn with(offset: usize, bytes: &[u8]) -> String {
        let copy = Box::leak(Box::new(MaybeUninit::<NacreStack>::uninit()));
        // SAFETY: the copy has room for a descriptor, and the bytes lie within it. It stays, and is looked at only by
        // `check` until that has accepted it.
        unsafe {
            ptr::copy_nonoverlapping(window().raw(), copy.as_mut_ptr(), 1);
            ptr::copy_nonoverlapping(bytes.as_ptr(), copy.as_mut_ptr().cast::<u8>().add(offset), bytes.len());
            Stack::from_raw(copy.as_ptr()).map_or_else(|error| error.to_string(), |_| "accepted".into())
        }
    }

    macro_rules! refused {
        ($($field:ident = $value:expr => $words:literal),+ $(,)?) => { $(
            let said = with(offset_of!(NacreStack, $field), &$value.to_ne_bytes());
            assert!(said.contains($words), "{} = {}: {said}", stringify!($field), $value);
        )+ };
    }

    #[test]
    fn descriptor_as_it_is_emitted_is_accepted() {
        assert_eq!(with(0, &ABI.to_ne_bytes()), "accepted");
        // SAFETY: NULL is looked at by no one.
        assert!(unsafe { Stack::from_raw(ptr::null()) }.is_err());
        // SAFETY: the address is seen to be odd before anything is read.
        assert!(unsafe { Stack::from_raw(ptr::without_provenance(4097)) }.is_err());
    }

    #[test]
    fn sizes_that_make_no_sense_are_refused() {
        refused! {
            abi = 1u32 => "interface version 1",
            size = 8u32 => "has 8 bytes",
            state_align = 48u32 => "alignment 48 of the stack's state",
            state_align = 1u32 << 31 => "alignment 2147483648",
            pool_align = 3u32 => "alignment 3 of the stack's pool",
            state_size = u32::MAX => "state would take 4294967295 bytes",
            config_size = u32::MAX => "config would take",
            config_size = 8u32 => "lies outside its config of 8 bytes",
            pool_base = u32::MAX => "pool for one connection would take",
            pool_per_block = u32::MAX => "pool for one connection would take",
            blocks_for_one = u32::MAX => "pool for one connection would take",
            outputs_max = u32::MAX => "outputs of one step would take",
            segments_max = u32::MAX => "outputs of one step would take",
            bytes_max = u32::MAX => "outputs of one step would take",
            frame_head_max = u32::MAX => "longest frame would take",
            frame_data_max = u32::MAX => "longest frame would take",
            counters_len = u32::MAX => "4294967295 counters",
            events_len = 65_536u32 => "65536 events",
            givens_len = u32::MAX => "4294967295 givens",
            counters = 0usize => "counters at NULL",
            events = 0usize => "events at NULL",
            givens = 0usize => "givens at NULL",
        }
    }

    #[test]
    fn functions_that_are_not_there_are_refused() {
        refused! {
            config_default = 0usize => "`config_default` is NULL",
            pool_init = 0usize => "`pool_init` is NULL",
            pool_free = 0usize => "`pool_free` is NULL",
            open = 0usize => "`open` is NULL",
            call = 0usize => "`call` is NULL",
            input = 0usize => "`input` is NULL",
            tick = 0usize => "`tick` is NULL",
            deadline = 0usize => "`deadline` is NULL",
            accepts = 0usize => "`accepts` is NULL",
            settle = 0usize => "`settle` is NULL",
            discard = 0usize => "`discard` is NULL",
            canonical = 0usize => "`canonical` is NULL",
        }
    }

    #[test]
    fn events_and_givens_are_checked_one_by_one() {
        let event = |arguments| NacreEvent {
            name: ptr::null(),
            port: 1,
            input: 1,
            has_message: 0,
            has_address: 0,
            arguments,
            role: 0,
            idle: 0,
            message_max: 0,
            reserved2: 0,
        };
        assert!(check_events(&[event(4)]).is_ok());
        assert!(check_events(&[event(0), event(5)]).is_err());
        let given =
            |offset, size| NacreGiven { name: ptr::null(), offset, size, required: 0, secret: 0, role: 0, reserved: 0 };
        assert!(check_givens(&[given(0, 8), given(8, 8)], 16).is_ok());
        assert!(check_givens(&[given(8, 9)], 16).is_err());
        assert!(check_givens(&[given(u32::MAX, 2)], 16).is_err(), "whose end wraps");
    }
}
