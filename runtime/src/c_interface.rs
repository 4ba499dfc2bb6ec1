//! The C interface of the runtime; `include/nacre_runtime.h` says what each function does.
//!
//! Every pointer is checked for NULL; what else is asked of the caller, the header states. A panic ends the program, it
//! does not unwind into C.

use crate::c_notice::{in_c, translate, CNotice};
use crate::c_options::{listen, COptions};
use crate::c_statistics::{in_numbers, of_connection, CStatistics};
use crate::c_text::{invalid, text};
use crate::error::Error;
use crate::event::ConnectionId;
use crate::ffi::{NacreAddr, NacreStack};
use crate::listener::Listener;
use crate::stack::Stack;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void, CString};
use std::net::{SocketAddr, ToSocketAddrs};
use std::ptr;
use std::time::Duration;

pub(crate) const OK: c_int = 0;
const REFUSED: c_int = 1;
const TIMEOUT: c_int = 2;
const CLOSED: c_int = 3;
pub(crate) const ERROR: c_int = 4;
const TOO_LONG: c_int = 5;

/// A listener with what is lent to C.
pub struct CListener {
    pub(crate) listener: Listener,
    stacks: HashMap<usize, Stack>,
    error: CString,
    text: CString,
    bytes: Vec<u8>,
}

thread_local! {
    static LISTEN_ERROR: RefCell<CString> = RefCell::default();
}

/// # Safety
/// As the header says; `address` is NULL or a string, `options` is NULL or has the size that it states,
/// and what it points to is NULL or lives during the call.
#[no_mangle]
pub unsafe extern "C" fn nacre_listen(address: *const c_char, port: u16, options: *const COptions) -> *mut CListener {
    let mut listener = ptr::null_mut();
    // SAFETY: the caller's promise; there is room for one.
    unsafe { nacre_listen_shards(address, port, options, 1, &raw mut listener) };
    listener
}

/// # Safety
/// As for `nacre_listen`; `listeners` has room for `count`.
#[no_mangle]
pub unsafe extern "C" fn nacre_listen_shards(
    address: *const c_char,
    port: u16,
    options: *const COptions,
    count: u32,
    listeners: *mut *mut CListener,
) -> c_int {
    let made = match listeners.is_null() {
        true => Err(invalid("the place for the listeners is NULL")),
        // SAFETY: the caller's promise.
        false => unsafe { text(address).and_then(|address| listen(address, port, options, count as usize)) },
    };
    match made {
        Ok(made) => {
            for (index, listener) in made.into_iter().enumerate() {
                let (stacks, error, text) = (HashMap::new(), CString::default(), CString::default());
                let one = Box::new(CListener { listener, stacks, error, text, bytes: Vec::new() });
                // SAFETY: the caller's promise: `index` is below `count`.
                unsafe { *listeners.add(index) = Box::into_raw(one) };
            }
            OK
        }
        Err(error) => {
            LISTEN_ERROR.with(|kept| *kept.borrow_mut() = in_c(&error.to_string()));
            ERROR
        }
    }
}

/// # Safety
/// `listener` is NULL or from `nacre_listen` and not yet freed; so for all functions.
#[no_mangle]
pub unsafe extern "C" fn nacre_listener_free(listener: *mut CListener) {
    if !listener.is_null() {
        // SAFETY: the caller's promise; it came from Box::into_raw.
        drop(unsafe { Box::from_raw(listener) });
    }
}

/// # Safety
/// `stack` is NULL or a descriptor that stays.
#[no_mangle]
pub unsafe extern "C" fn nacre_serve(listener: *mut CListener, stack: *const NacreStack) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let stack = this.stack(stack)?;
            this.listener.serve(&stack)
        })
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_local_port(listener: *const CListener) -> u16 {
    // SAFETY: the caller's promise.
    unsafe { listener.as_ref() }.map_or(0, |this| this.listener.local().port())
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_descriptor(listener: *const CListener) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { listener.as_ref() }.and_then(|this| this.listener.descriptor()).unwrap_or(-1)
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_next_ns(listener: *const CListener) -> u64 {
    // SAFETY: the caller's promise.
    let Some(this) = (unsafe { listener.as_ref() }) else {
        return u64::MAX;
    };
    match this.listener.next_deadline() {
        u64::MAX => u64::MAX,
        deadline => deadline.saturating_sub(this.listener.now()),
    }
}

/// # Safety
/// `host` is a string, `stack` a descriptor that stays, `connection` writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_connect(
    listener: *mut CListener,
    host: *const c_char,
    port: u16,
    stack: *const NacreStack,
    connection: *mut u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let host = text(host)?.ok_or_else(|| invalid("the host is NULL"))?;
            let place = connection.as_mut().ok_or_else(|| invalid("the place for the connection is NULL"))?;
            if port == 0 {
                return Err(invalid("the port is 0"));
            }
            let to = resolve(host, port)?;
            let stack = this.stack(stack)?;
            *place = this.listener.connect(to, &stack)?.to_number();
            Ok(())
        })
    }
}

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
    unsafe { with(listener, |this| this.listener.send(ConnectionId::from_number(connection), bytes(data, len)?)) }
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
    unsafe { with(listener, |this| this.listener.send_blocking(id, bytes(data, len)?, time(timeout_ms))) }
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
        with(listener, |this| {
            let numbers = arguments.cast::<[u64; 4]>().as_ref().copied().unwrap_or_default();
            let to = NacreAddr::from(this.listener.peer(id)?);
            this.listener.call(id, event, &numbers, Some(to), bytes(data, len)?)
        })
    }
}

/// # Safety
/// `notice` is writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_poll(listener: *mut CListener, timeout_ms: c_int, notice: *mut CNotice) -> c_int {
    // SAFETY: the caller's promise.
    let (Some(this), notice) = (unsafe { (listener.as_mut(), notice.as_mut()) }) else {
        return ERROR;
    };
    let CListener { listener, error, text, bytes, .. } = this;
    let Some(notice) = notice else {
        *error = in_c("the place for the notice is NULL");
        return ERROR;
    };
    match listener.wait(time(timeout_ms)) {
        Ok(Some(event)) => {
            *notice = translate(event, text, bytes);
            OK
        }
        Ok(None) => TIMEOUT,
        Err(what) => {
            *error = in_c(&what.to_string());
            ERROR
        }
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
    unsafe { with(listener, |this| this.listener.close(ConnectionId::from_number(connection))) }
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
    unsafe { with(listener, |this| this.listener.close_with(id, code, text(why)?.unwrap_or_default())) }
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
    unsafe { with(listener, |this| this.listener.refuse(id, code, text(why)?.unwrap_or_default())) }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_discard(listener: *mut CListener, connection: u64) {
    // SAFETY: the caller's promise.
    if let Some(this) = unsafe { listener.as_mut() } {
        this.listener.discard(ConnectionId::from_number(connection));
    }
}

/// # Safety
/// `statistics` is writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_statistics_of(
    listener: *const CListener,
    connection: u64,
    statistics: *mut CStatistics,
) -> c_int {
    // SAFETY: the caller's promise.
    let (Some(this), Some(to)) = (unsafe { (listener.as_ref(), statistics.as_mut()) }) else {
        return ERROR;
    };
    if connection == 0 {
        let all = this.listener.statistics();
        *to = CStatistics { connections: all.connections as u64, ..in_numbers(&all.traffic) };
        return OK;
    }
    match this.listener.statistics_of(ConnectionId::from_number(connection)) {
        Ok(one) => {
            *to = of_connection(&one);
            OK
        }
        Err(_) => CLOSED,
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_error(listener: *const CListener) -> *const c_char {
    // SAFETY: the caller's promise.
    match unsafe { listener.as_ref() } {
        Some(this) => this.error.as_ptr(),
        None => LISTEN_ERROR.with(|kept| kept.borrow().as_ptr()),
    }
}

impl CListener {
    /// # Safety
    /// `raw` is NULL or a descriptor that stays.
    pub(crate) unsafe fn stack(&mut self, raw: *const NacreStack) -> Result<Stack, Error> {
        if let Some(stack) = self.stacks.get(&(raw as usize)) {
            return Ok(stack.clone());
        }
        // SAFETY: the caller's promise.
        let stack = unsafe { Stack::from_raw(raw) }?;
        self.stacks.insert(raw as usize, stack.clone());
        Ok(stack)
    }
}

/// # Safety
/// As for all.
pub(crate) unsafe fn with(listener: *mut CListener, run: impl FnOnce(&mut CListener) -> Result<(), Error>) -> c_int {
    // SAFETY: the caller's promise.
    let Some(this) = (unsafe { listener.as_mut() }) else {
        return ERROR;
    };
    let Err(error) = run(this) else { return OK };
    this.error = in_c(&error.to_string());
    match error {
        Error::Refused => REFUSED,
        Error::TooLong { .. } => TOO_LONG,
        Error::TimedOut => TIMEOUT,
        Error::NoConnection | Error::Closed(_) | Error::Rejected(_) => CLOSED,
        _ => ERROR,
    }
}

pub(crate) fn resolve(host: &str, port: u16) -> Result<SocketAddr, Error> {
    let mut found = (host, port).to_socket_addrs().map_err(Error::io("cannot find the host's address"))?;
    found.next().ok_or_else(|| invalid(&format!("`{host}` has no address")))
}

fn time(ms: c_int) -> Option<Duration> {
    u64::try_from(ms).ok().map(Duration::from_millis)
}

/// # Safety
/// `data` has `len` bytes that live as long as the result is used.
unsafe fn bytes<'a>(data: *const c_void, len: usize) -> Result<&'a [u8], Error> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(invalid("the data is NULL")),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(data.cast(), len) }),
    }
}
