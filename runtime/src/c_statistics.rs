//! Statistics, counters, names and user pointers of connections and listeners for C programs; documented in
//! `include/nacre_runtime.h`.

use crate::c_address::CAddress;
use crate::c_interface::{look, with, CListener};
use crate::c_notice::in_c;
use crate::c_text::{invalid, text};
use crate::event::ConnectionId;
use crate::stack::Stack;
use crate::statistics::{ConnectionStatistics, ListenerStatistics, Traffic};
use std::ffi::{c_char, c_int, c_void, CStr};
use std::ptr;

/// `struct nacre_statistics`.
#[repr(C)]
#[derive(Default)]
pub struct CStatistics {
    pub frames_in: u64,
    pub bytes_in: u64,
    pub frames_out: u64,
    pub bytes_out: u64,
    pub dropped: u64,
    pub no_space: u64,
    pub refused: u64,
    pub send_errors: u64,
    pub overflowed: u64,
    pub withheld: u64,
    pub connections: u64,
    pub retransmitted: u64,
    pub round_trip_ns: u64,
    pub path_mtu: u64,
}

/// The numbers about a connection.
fn of_connection(one: &ConnectionStatistics) -> CStatistics {
    CStatistics {
        connections: 1,
        retransmitted: one.retransmitted.unwrap_or(0),
        round_trip_ns: one.round_trip_ns.unwrap_or(0),
        path_mtu: one.path_mtu.unwrap_or(0) as u64,
        ..in_numbers(&one.traffic)
    }
}

fn in_numbers(traffic: &Traffic) -> CStatistics {
    CStatistics {
        frames_in: traffic.frames_in,
        bytes_in: traffic.bytes_in,
        frames_out: traffic.frames_out,
        bytes_out: traffic.bytes_out,
        dropped: traffic.dropped,
        no_space: traffic.no_space,
        refused: traffic.refused,
        send_errors: traffic.send_errors,
        overflowed: traffic.overflowed,
        withheld: traffic.withheld,
        ..CStatistics::default()
    }
}

/// # Safety
/// `statistics` is writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_statistics_of(
    listener: *mut CListener,
    connection: u64,
    statistics: *mut CStatistics,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        look(listener, |this| {
            let place = statistics.as_mut().ok_or_else(|| invalid("the place for the statistics is NULL"))?;
            *place = match connection {
                0 => {
                    let all = this.listener.statistics();
                    CStatistics { connections: all.connections as u64, ..in_numbers(&all.traffic) }
                }
                _ => of_connection(&this.listener.statistics_of(ConnectionId::from_number(connection))?),
            };
            Ok(())
        })
    }
}

/// What a listener counts besides traffic, by name.
fn counts(all: ListenerStatistics) -> [(&'static CStr, u64); 19] {
    // Without `..`, so that a new count cannot be forgotten here.
    let ListenerStatistics {
        traffic: _,
        connections: _,
        arrived,
        connected,
        not_accepted,
        malformed,
        unknown_cookies,
        other_stack,
        late,
        evicted,
        retried,
        limited,
        restarted,
        moved,
        agreements,
        forged,
        insecure,
        controls_in,
        controls_out,
        controls_ignored,
        answers_withheld,
    } = all;
    [
        (c"arrived", arrived),
        (c"connected", connected),
        (c"not_accepted", not_accepted),
        (c"malformed", malformed),
        (c"unknown_cookies", unknown_cookies),
        (c"other_stack", other_stack),
        (c"late", late),
        (c"evicted", evicted),
        (c"retried", retried),
        (c"limited", limited),
        (c"restarted", restarted),
        (c"moved", moved),
        (c"agreements", agreements),
        (c"forged", forged),
        (c"insecure", insecure),
        (c"controls_in", controls_in),
        (c"controls_out", controls_out),
        (c"controls_ignored", controls_ignored),
        (c"answers_withheld", answers_withheld),
    ]
}

/// # Safety
/// `name` and `value` are writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_listener_count(
    listener: *mut CListener,
    index: u32,
    name: *mut *const c_char,
    value: *mut u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        look(listener, |this| {
            let name = name.as_mut().ok_or_else(|| invalid("the place for the name is NULL"))?;
            let value = value.as_mut().ok_or_else(|| invalid("the place for the number is NULL"))?;
            let all = counts(this.listener.statistics());
            let (known, count) = all.get(index as usize).ok_or_else(|| invalid("there are no more counts"))?;
            (*name, *value) = (known.as_ptr(), *count);
            Ok(())
        })
    }
}

/// # Safety
/// `name` is a string, `value` is writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_counter(
    listener: *mut CListener,
    connection: u64,
    name: *const c_char,
    value: *mut u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let name = text(name)?.ok_or_else(|| invalid("the name is NULL"))?;
            let place = value.as_mut().ok_or_else(|| invalid("the place for the number is NULL"))?;
            let counters = this.listener.statistics_of(ConnectionId::from_number(connection))?.counters;
            let found = counters.into_iter().find(|(own, _)| own == name);
            *place = found.ok_or_else(|| invalid(&format!("the stack has no counter `{name}`")))?.1;
            Ok(())
        })
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_counter_name(listener: *mut CListener, connection: u64, index: u32) -> *const c_char {
    // SAFETY: the caller's promise.
    unsafe { name_of(listener, connection, |stack| stack.counters().get(index as usize).map(String::as_str)) }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_event_name(listener: *mut CListener, connection: u64, event: u16) -> *const c_char {
    // SAFETY: the caller's promise.
    unsafe { name_of(listener, connection, |stack| stack.events().get(usize::from(event)).map(|it| it.name.as_str())) }
}

/// Lends a name of something of a connection's stack.
///
/// # Safety
/// As for all.
unsafe fn name_of(
    listener: *mut CListener,
    connection: u64,
    find: impl FnOnce(&Stack) -> Option<&str>,
) -> *const c_char {
    // SAFETY: the caller's promise.
    let Some(this) = (unsafe { listener.as_mut() }) else {
        return ptr::null();
    };
    let stack = this.listener.stack(ConnectionId::from_number(connection));
    match stack.ok().and_then(find).map(in_c) {
        Some(name) => {
            this.text = name;
            this.text.as_ptr()
        }
        None => ptr::null(),
    }
}

/// # Safety
/// `name` is a string, `event` is writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_input_event(
    listener: *mut CListener,
    connection: u64,
    name: *const c_char,
    event: *mut u16,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let name = text(name)?.ok_or_else(|| invalid("the name is NULL"))?;
            let place = event.as_mut().ok_or_else(|| invalid("the place for the event is NULL"))?;
            let found = this.listener.stack(ConnectionId::from_number(connection))?.input_event(name);
            *place = found.ok_or_else(|| invalid(&format!("the stack has no input event `{name}`")))?;
            Ok(())
        })
    }
}

/// # Safety
/// `address` is writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_peer(listener: *mut CListener, connection: u64, address: *mut CAddress) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let place = address.as_mut().ok_or_else(|| invalid("the place for the address is NULL"))?;
            *place = CAddress::from(this.listener.peer(ConnectionId::from_number(connection))?);
            Ok(())
        })
    }
}

/// # Safety
/// As for all; `user` is never looked at.
#[no_mangle]
pub unsafe extern "C" fn nacre_set_user(listener: *mut CListener, connection: u64, user: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            this.listener.stack(ConnectionId::from_number(connection))?;
            this.users.insert(connection, user);
            Ok(())
        })
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_user(listener: *const CListener, connection: u64) -> *mut c_void {
    // SAFETY: the caller's promise.
    let user = unsafe { listener.as_ref() }.and_then(|this| this.users.get(&connection));
    user.copied().unwrap_or(ptr::null_mut())
}
