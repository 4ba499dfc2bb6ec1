//! The C interface of the runtime; `include/nacre_runtime.h` says what each function does.
//!
//! Every pointer is checked for NULL; what else is asked of the caller, the header states. A panic ends the program, it
//! does not unwind into C.

use crate::c_loan::Loan;
use crate::c_names::Lookups;
use crate::c_notice::{in_c, translate, CNotice};
use crate::c_options::{listen, COptions};
use crate::c_text::{invalid, text};
use crate::error::Error;
use crate::ffi::NacreStack;
use crate::listener::Listener;
use crate::reconnect::Reconnector;
use crate::stack::Stack;
use crate::waker::Waker;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void, CString};
use std::ptr;
use std::time::Duration;

pub(crate) const OK: c_int = 0;
const REFUSED: c_int = 1;
const TIMEOUT: c_int = 2;
pub(crate) const CLOSED: c_int = 3;
pub(crate) const ERROR: c_int = 4;
const TOO_LONG: c_int = 5;
const WOKEN: c_int = 6;
const INTERRUPTED: c_int = 7;

/// A listener with what is lent to C.
pub struct CListener {
    pub(crate) listener: Listener,
    pub(crate) reconnector: Reconnector,
    stacks: HashMap<usize, Stack>,
    pub(crate) error: CString,
    /// A text of a notice, or another that is lent.
    pub(crate) text: CString,
    pub(crate) loan: Loan,
    /// What the program has attached to connections, by their numbers.
    pub(crate) users: FxHashMap<u64, *mut c_void>,
    pub(crate) lookups: Lookups,
}

thread_local! {
    static THREAD_ERROR: RefCell<CString> = RefCell::default();
}

/// Keeps the words of a failed call that has no listener.
pub(crate) fn say_of_thread(error: &Error) {
    THREAD_ERROR.with(|kept| *kept.borrow_mut() = in_c(&error.to_string()));
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
                let one = Box::new(CListener::new(listener));
                // SAFETY: the caller's promise: `index` is below `count`.
                unsafe { *listeners.add(index) = Box::into_raw(one) };
            }
            OK
        }
        Err(error) => {
            say_of_thread(&error);
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
    let until = match this.listener.next_deadline().min(this.reconnector.next_deadline()) {
        u64::MAX => u64::MAX,
        deadline => deadline.saturating_sub(this.listener.now()),
    };
    // The descriptor does not tell that a name was found.
    until.min(this.lookups.look_after())
}

/// # Safety
/// `notice` is writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_poll(listener: *mut CListener, timeout_ms: c_int, notice: *mut CNotice) -> c_int {
    // SAFETY: the caller's promise.
    let (Some(this), notice) = (unsafe { (listener.as_mut(), notice.as_mut()) }) else {
        return ERROR;
    };
    let Some(notice) = notice else {
        this.error = in_c("the place for the notice is NULL");
        return ERROR;
    };
    this.loan.end();
    let CListener { listener, reconnector, error, text, loan, users, lookups, .. } = this;
    if let Some(found) = lookups.take(text, loan) {
        *notice = found;
        return OK;
    }
    let answer = match reconnector.wait(listener, time(timeout_ms)) {
        Ok(Some(happened)) => {
            *notice = translate(happened, text, loan);
            if let (CNotice::RECONNECTED, Some(user)) = (notice.kind, users.remove(&notice.arguments[0])) {
                users.insert(notice.connection, user);
            }
            notice.user = users.get(&notice.connection).copied().unwrap_or(ptr::null_mut());
            if notice.kind == CNotice::CLOSED {
                users.remove(&notice.connection);
            }
            return OK;
        }
        Ok(None) => None,
        Err(what) => Some(what),
    };
    match (answer, lookups.take(text, loan)) {
        (_, Some(found)) => {
            *notice = found;
            // The program may have used a waker, too.
            if listener.was_woken {
                let _ = listener.waker().map(|waker| waker.wake());
            }
            OK
        }
        (None, None) if listener.was_woken => WOKEN,
        (None, None) => TIMEOUT,
        (Some(what), None) => {
            *error = in_c(&what.to_string());
            code(&what)
        }
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_awaits_room(listener: *const CListener) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { listener.as_ref() }.is_some_and(|this| this.listener.awaits_room()).into()
}

/// # Safety
/// As for all; `waker` is writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_waker(listener: *mut CListener, waker: *mut *mut Waker) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let place = waker.as_mut().ok_or_else(|| invalid("the place for the waker is NULL"))?;
            *place = Box::into_raw(Box::new(this.listener.waker()?));
            Ok(())
        })
    }
}

/// # Safety
/// `waker` is NULL or from `nacre_waker` and not yet freed.
#[no_mangle]
pub unsafe extern "C" fn nacre_wake(waker: *const Waker) {
    // SAFETY: the caller's promise; a waker may be used by several threads.
    if let Some(waker) = unsafe { waker.as_ref() } {
        waker.wake();
    }
}

/// # Safety
/// As `nacre_wake`; no other thread uses it.
#[no_mangle]
pub unsafe extern "C" fn nacre_waker_free(waker: *mut Waker) {
    if !waker.is_null() {
        // SAFETY: the caller's promise; it came from Box::into_raw.
        drop(unsafe { Box::from_raw(waker) });
    }
}

/// # Safety
/// As for all.
#[no_mangle]
pub unsafe extern "C" fn nacre_error(listener: *const CListener) -> *const c_char {
    // SAFETY: the caller's promise.
    match unsafe { listener.as_ref() } {
        Some(this) => this.error.as_ptr(),
        None => THREAD_ERROR.with(|kept| kept.borrow().as_ptr()),
    }
}

impl CListener {
    fn new(listener: Listener) -> CListener {
        CListener {
            listener,
            reconnector: Reconnector::new(),
            stacks: HashMap::new(),
            error: CString::default(),
            text: CString::default(),
            loan: Loan::default(),
            users: FxHashMap::default(),
            lookups: Lookups::default(),
        }
    }

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

/// Runs what a function does, after which nothing is lent any more.
///
/// # Safety
/// As for all.
pub(crate) unsafe fn with(listener: *mut CListener, run: impl FnOnce(&mut CListener) -> Result<(), Error>) -> c_int {
    let ending = |this: &mut CListener| {
        let done = run(this);
        this.loan.end();
        done
    };
    // SAFETY: the caller's promise.
    unsafe { look(listener, ending) }
}

/// Runs what a function does, and keeps the words if it fails; what is lent stays.
///
/// # Safety
/// As for all.
pub(crate) unsafe fn look(listener: *mut CListener, run: impl FnOnce(&mut CListener) -> Result<(), Error>) -> c_int {
    // SAFETY: the caller's promise.
    let Some(this) = (unsafe { listener.as_mut() }) else {
        say_of_thread(&invalid("the listener is NULL"));
        return ERROR;
    };
    let Err(error) = run(this) else { return OK };
    this.error = in_c(&error.to_string());
    code(&error)
}

fn code(error: &Error) -> c_int {
    match error {
        Error::Refused => REFUSED,
        Error::TooLong { .. } => TOO_LONG,
        Error::TimedOut => TIMEOUT,
        Error::Interrupted => INTERRUPTED,
        Error::NoConnection | Error::Closed(_) | Error::Rejected(_) => CLOSED,
        _ => ERROR,
    }
}

pub(crate) fn time(ms: c_int) -> Option<Duration> {
    u64::try_from(ms).ok().map(Duration::from_millis)
}
