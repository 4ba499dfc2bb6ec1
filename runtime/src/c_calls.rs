//! Calls of connections, for C programs; `include/nacre_runtime.h` says what each function does.

use crate::c_interface::{time, with, CListener};
use crate::c_text::{invalid, text};
use crate::error::Error;
use crate::event::ConnectionId;
use crate::ffi::NacreAddr;
use std::ffi::{c_char, c_int, c_void};

/// # Safety
/// `data` has `len` bytes; it may be NULL if there are none.
#[no_mangle]
pub unsafe extern "C" fn nacre_send(
    listener: *mut CListener,
    connection: u64,
    data: *const c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |CListener { listener, reconnector, loan, .. }| {
            let id = ConnectionId::from_number(connection);
            let message = loan.argument(data, len, || listener.max_message(id))?;
            reconnector.send(listener, id, message)
        })
    }
}

/// # Safety
/// `len` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_max_message(listener: *mut CListener, connection: u64, len: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let longest = this.listener.max_message(ConnectionId::from_number(connection))?;
            *len.as_mut().ok_or_else(|| invalid("the place for the length is NULL"))? = longest;
            Ok(())
        })
    }
}

/// # Safety
/// As `nacre_send`.
#[no_mangle]
pub unsafe extern "C" fn nacre_send_blocking(
    listener: *mut CListener,
    connection: u64,
    data: *const c_void,
    len: usize,
    timeout_ms: c_int,
) -> c_int {
    let id = ConnectionId::from_number(connection);
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |CListener { listener, reconnector, loan, .. }| {
            if let Some(reason) = reconnector.is_lost(id) {
                return Err(Error::Closed(reason));
            }
            let message = loan.argument(data, len, || listener.max_message(id))?;
            listener.send_blocking(id, message, time(timeout_ms))?;
            reconnector.note_sent(id);
            Ok(())
        })
    }
}

/// # Safety
/// As `nacre_send`; `arguments` is NULL or four numbers.
#[no_mangle]
pub unsafe extern "C" fn nacre_call(
    listener: *mut CListener,
    connection: u64,
    event: u16,
    arguments: *const u64,
    data: *const c_void,
    len: usize,
) -> c_int {
    let id = ConnectionId::from_number(connection);
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |CListener { listener, reconnector, loan, .. }| {
            let numbers = arguments.cast::<[u64; 4]>().as_ref().copied().unwrap_or_default();
            let to = NacreAddr::from(listener.peer(id)?);
            let message = loan.argument(data, len, || listener.max_message(id))?;
            listener.call(id, event, &numbers, Some(to), message)?;
            reconnector.note_call(id, event);
            Ok(())
        })
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_flush(listener: *mut CListener) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            this.listener.flush();
            Ok(())
        })
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_close(listener: *mut CListener, connection: u64) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |CListener { listener, reconnector, .. }| {
            reconnector.close(listener, ConnectionId::from_number(connection))
        })
    }
}

/// # Safety
/// `why` is NULL or a string that ends.
#[no_mangle]
pub unsafe extern "C" fn nacre_close_with(
    listener: *mut CListener,
    connection: u64,
    code: u32,
    why: *const c_char,
) -> c_int {
    let id = ConnectionId::from_number(connection);
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |CListener { listener, reconnector, .. }| {
            reconnector.close_with(listener, id, code, text(why)?.unwrap_or_default())
        })
    }
}

/// # Safety
/// As `nacre_close_with`.
#[no_mangle]
pub unsafe extern "C" fn nacre_refuse(
    listener: *mut CListener,
    connection: u64,
    code: u32,
    why: *const c_char,
) -> c_int {
    let id = ConnectionId::from_number(connection);
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let words = text(why)?.unwrap_or_default();
            match this.reconnector.is_lost(id) {
                None => this.listener.refuse(id, code, words)?,
                Some(_) => this.reconnector.discard(&mut this.listener, id),
            }
            this.reconnector.release(&mut this.listener, id);
            this.users.remove(&connection);
            Ok(())
        })
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_discard(listener: *mut CListener, connection: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            this.reconnector.discard(&mut this.listener, ConnectionId::from_number(connection));
            this.users.remove(&connection);
            Ok(())
        });
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_accepts(listener: *const CListener, connection: u64, len: usize) -> c_int {
    // SAFETY: the caller's promise.
    let this = unsafe { listener.as_ref() };
    this.is_some_and(|this| this.listener.accepts(ConnectionId::from_number(connection), len)).into()
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_grants_by_itself(listener: *mut CListener, connection: u64, by_itself: c_int) -> c_int {
    let id = ConnectionId::from_number(connection);
    // SAFETY: the caller's promise.
    unsafe { with(listener, |this| this.listener.set_grants_by_itself(id, by_itself != 0)) }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_receives(listener: *mut CListener, connection: u64, receives: c_int) -> c_int {
    let id = ConnectionId::from_number(connection);
    // SAFETY: the caller's promise.
    unsafe { with(listener, |this| this.listener.set_receives(id, receives != 0)) }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_grant(listener: *mut CListener, connection: u64, messages: u16) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { with(listener, |this| this.listener.grant(ConnectionId::from_number(connection), messages)) }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_linger(listener: *mut CListener, connection: u64) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { with(listener, |this| this.listener.linger(ConnectionId::from_number(connection))) }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_takes_by_itself(listener: *mut CListener, connection: u64, by_itself: c_int) -> c_int {
    let id = ConnectionId::from_number(connection);
    // SAFETY: the caller's promise.
    unsafe { with(listener, |this| this.listener.set_takes_by_itself(id, by_itself != 0)) }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_taken(listener: *mut CListener, connection: u64, messages: u16) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { with(listener, |this| this.listener.note_taken(ConnectionId::from_number(connection), messages)) }
}
