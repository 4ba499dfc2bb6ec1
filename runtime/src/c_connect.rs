//! Beginning connections and letting peers begin them, for C programs; `include/nacre_runtime.h` says what each
//! function does.

use crate::c_address::CAddress;
use crate::c_interface::{say_of_thread, with, CListener, ERROR, OK};
use crate::c_names::{first_of, resolve};
use crate::c_text::{invalid, text};
use crate::error::Error;
use crate::ffi::NacreStack;
use crate::instance::Config;
use crate::secure::keys::{Expect, PublicKey};
use crate::stack::Stack;
use std::ffi::{c_char, c_int, c_void};
use std::net::SocketAddr;
use std::path::Path;
use std::ptr;

/// `nacre_prepare`.
type CPrepare = unsafe extern "C" fn(*mut c_void, *mut Config, *const CAddress) -> c_int;

/// A function of the program with what it is called with.
#[derive(Clone, Copy)]
pub(crate) struct Preparing {
    pub(crate) function: Option<CPrepare>,
    pub(crate) with: *mut c_void,
}

// SAFETY: the header demands that the function may be called where the listener is used.
unsafe impl Send for Preparing {}

impl Preparing {
    pub(crate) fn run(self, config: &mut Config, peer: SocketAddr) {
        if let Some(function) = self.function {
            let peer = CAddress::from(peer);
            // SAFETY: the header demands that the function may be called so; both live during the call.
            if unsafe { function(self.with, config, &raw const peer) } != OK {
                config.refuse();
            }
        }
    }
}

/// `struct nacre_connecting`.
#[repr(C)]
pub struct CConnecting {
    pub size: u32,
    pub expect: u32,
    pub key: *const [u8; 32],
    pub prepare: Option<CPrepare>,
    pub prepare_with: *mut c_void,
    pub user: *mut c_void,
    pub address: *const CAddress,
}

/// Whom a secure connection expects.
#[derive(Clone, Copy)]
pub(crate) enum Whom {
    /// What `Listener::connect` does.
    Usual,
    Stated(Expect),
}

impl Whom {
    /// # Safety
    /// `key` is NULL or readable.
    pub(crate) unsafe fn read(expect: u32, key: *const [u8; 32]) -> Result<Whom, Error> {
        // SAFETY: the caller's promise.
        let key = unsafe { key.as_ref() }.ok_or_else(|| invalid("the peer's key is NULL"));
        Ok(Whom::Stated(match expect {
            0 => Expect::Any,
            1 => Expect::Key(PublicKey(*key?)),
            2 => Expect::Psk,
            3 => return Ok(Whom::Usual),
            _ => return Err(invalid("the expectation is none of enum nacre_expect")),
        }))
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
    unsafe { nacre_connect_with(listener, host, port, stack, ptr::null(), connection) }
}

/// # Safety
/// As `nacre_connect`; `key` is NULL or has 32 bytes.
#[no_mangle]
pub unsafe extern "C" fn nacre_connect_secure(
    listener: *mut CListener,
    host: *const c_char,
    port: u16,
    stack: *const NacreStack,
    expect: u32,
    key: *const u8,
    connection: *mut u64,
) -> c_int {
    let how = CConnecting { expect, key: key.cast(), ..CConnecting::usual() };
    // SAFETY: the caller's promise.
    unsafe { nacre_connect_with(listener, host, port, stack, &raw const how, connection) }
}

/// # Safety
/// As `nacre_connect`; `how` is NULL or has the size that it states, and what it points to is NULL or as the header
/// says.
#[no_mangle]
pub unsafe extern "C" fn nacre_connect_with(
    listener: *mut CListener,
    host: *const c_char,
    port: u16,
    stack: *const NacreStack,
    how: *const CConnecting,
    connection: *mut u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let usual = CConnecting::usual();
            let how = CConnecting::read(how, &usual)?;
            let addresses = match (how.address.as_ref(), text(host)?) {
                (Some(address), _) => vec![address.to_socket_addr()?],
                (None, Some(_)) if port == 0 => return Err(invalid("the port is 0")),
                (None, Some(host)) => resolve(host, port)?,
                (None, None) => return Err(invalid("the host is NULL")),
            };
            let place = connection.as_mut().ok_or_else(|| invalid("the place for the connection is NULL"))?;
            let preparing = Preparing { function: how.prepare, with: how.prepare_with };
            let (whom, stack) = (Whom::read(how.expect, how.key)?, this.stack(stack)?);
            let id = first_of(addresses, |to| {
                let prepare = |config: &mut Config| preparing.run(config, to);
                match whom {
                    Whom::Usual => this.listener.connect_with(to, &stack, prepare),
                    Whom::Stated(expect) => this.listener.connect_secure(to, &stack, expect, prepare),
                }
            })?;
            *place = id.to_number();
            if !how.user.is_null() {
                this.users.insert(*place, how.user);
            }
            Ok(())
        })
    }
}

impl CConnecting {
    /// How a connection begins as C states it; `usual` if it is NULL.
    ///
    /// # Safety
    /// `how` is NULL or has the size that it states.
    pub(crate) unsafe fn read(how: *const CConnecting, usual: &CConnecting) -> Result<&CConnecting, Error> {
        // SAFETY: the caller's promise.
        let how = unsafe { how.as_ref() }.unwrap_or(usual);
        if (how.size as usize) < size_of::<CConnecting>() {
            return Err(invalid("nacre_connecting.size is not the struct's size"));
        }
        Ok(how)
    }

    pub(crate) fn usual() -> CConnecting {
        CConnecting {
            size: size_of::<CConnecting>() as u32,
            expect: 3,
            key: ptr::null(),
            prepare: None,
            prepare_with: ptr::null_mut(),
            user: ptr::null_mut(),
            address: ptr::null(),
        }
    }
}

/// # Safety
/// As for all; `host` is a string, `number` is writable.
#[no_mangle]
pub unsafe extern "C" fn nacre_resolve(
    listener: *mut CListener,
    host: *const c_char,
    port: u16,
    number: *mut u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let host = text(host)?.ok_or_else(|| invalid("the host is NULL"))?;
            let place = number.as_mut().ok_or_else(|| invalid("the place for the number is NULL"))?;
            let waker = this.listener.waker()?;
            *place = this.lookups.begin(host.to_string(), port, waker)?;
            Ok(())
        })
    }
}

/// # Safety
/// `stack` is NULL or a descriptor that stays.
#[no_mangle]
pub unsafe extern "C" fn nacre_serve(listener: *mut CListener, stack: *const NacreStack) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { nacre_serve_with(listener, stack, None, ptr::null_mut()) }
}

/// # Safety
/// As `nacre_serve`; the function may be called with `prepare_with` as long as the listener lives.
#[no_mangle]
pub unsafe extern "C" fn nacre_serve_with(
    listener: *mut CListener,
    stack: *const NacreStack,
    prepare: Option<CPrepare>,
    prepare_with: *mut c_void,
) -> c_int {
    let preparing = Preparing { function: prepare, with: prepare_with };
    // SAFETY: the caller's promise.
    unsafe {
        with(listener, |this| {
            let stack = this.stack(stack)?;
            let prepare = move |config: &mut Config, peer: SocketAddr| preparing.run(config, peer);
            this.listener.serve_with(&stack, preparing.function.map(|_| Box::new(prepare) as _))
        })
    }
}

/// # Safety
/// `config` is what a `nacre_prepare` was called with, during that call; `name` is a string.
#[no_mangle]
pub unsafe extern "C" fn nacre_set(config: *mut Config, name: *const c_char, value: u64) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { (config.as_mut(), text(name)) } {
        (Some(config), Ok(Some(name))) => done(config.set(name, value)),
        _ => ERROR,
    }
}

/// # Safety
/// As `nacre_set`; `bytes` has `len` bytes.
#[no_mangle]
pub unsafe extern "C" fn nacre_set_bytes(
    config: *mut Config,
    name: *const c_char,
    bytes: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = if bytes.is_null() { &[][..] } else { std::slice::from_raw_parts(bytes, len) };
        match (config.as_mut(), text(name)) {
            (Some(config), Ok(Some(name))) => done(config.set_bytes(name, bytes)),
            _ => ERROR,
        }
    }
}

fn done(is_set: bool) -> c_int {
    if is_set {
        OK
    } else {
        ERROR
    }
}

/// # Safety
/// Both are strings. The object's initializers are run, and the symbol is a descriptor.
#[no_mangle]
pub unsafe extern "C" fn nacre_stack_load(path: *const c_char, symbol: *const c_char) -> *const NacreStack {
    // SAFETY: the caller's promise.
    let loaded = unsafe {
        text(path).and_then(|path| {
            let path = path.ok_or_else(|| invalid("the path is NULL"))?;
            let symbol = text(symbol)?.ok_or_else(|| invalid("the symbol is NULL"))?;
            Stack::load(Path::new(path), symbol)
        })
    };
    match loaded {
        Ok(stack) => ptr::from_ref(stack.raw()),
        Err(error) => {
            say_of_thread(&error);
            ptr::null()
        }
    }
}
