//! Stacks in shared objects, loaded while the program runs.

use crate::error::Error;
use crate::ffi::NacreStack;
use crate::secure::aead::{nacre_next_key, nacre_seal, nacre_unseal};
use crate::secure::signature::{nacre_sign, nacre_signed, nacre_verifying_key};
use crate::stack::Stack;
use std::ffi::{c_void, CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// C that a shared object with an emitted stack is compiled with, so that [`Stack::load`] can supply the functions of
/// the host to its layers: `include/nacre_host.c`.
pub const HOST_SOURCE: &str = include_str!("../include/nacre_host.c");

/// The header of the runtime for programs in C and C++: `include/nacre_runtime.h`.
pub const C_HEADER: &str = include_str!("../include/nacre_runtime.h");

/// `struct nacre_host` of that text.
#[repr(C)]
struct Host {
    size: u32,
    reserved: u32,
    seal: Seal,
    unseal: Seal,
    next_key: KeyOf,
    verifying_key: KeyOf,
    sign: Sign,
    signed: Sign,
}

type KeyOf = unsafe extern "C" fn(*const u8, *mut u8);
type Sign = unsafe extern "C" fn(*const u8, *const u8, u32, *mut u8, u32) -> u32;

type Seal = unsafe extern "C" fn(*const u8, *const u8, *const u8, *const u8, u32, *mut u8, u32) -> u32;

static HOST: Host = Host {
    size: std::mem::size_of::<Host>() as u32,
    reserved: 0,
    seal: nacre_seal,
    unseal: nacre_unseal,
    next_key: nacre_next_key,
    verifying_key: nacre_verifying_key,
    sign: nacre_sign,
    signed: nacre_signed,
};

/// Supplies the functions of the host to an object that asks for them.
///
/// # Safety
/// The handle is of an object whose `nacre_host_bind`, if it has one, is that of `HOST_SOURCE`.
unsafe fn bind(handle: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe {
        let function = libc::dlsym(handle, c"nacre_host_bind".as_ptr());
        if !function.is_null() {
            let function: unsafe extern "C" fn(*const Host) = std::mem::transmute(function);
            function(&raw const HOST);
        }
    }
}

impl Stack {
    /// Loads the descriptor that `symbol` names (`nacre_stack_reliable`) from the shared object at `path`. The object
    /// stays loaded until the program ends. If it was compiled with [`HOST_SOURCE`](crate::HOST_SOURCE), its layers can
    /// call the functions of the host.
    ///
    /// Errors: `Invalid`, with the loader's words.
    ///
    /// # Safety
    /// The object's initializers are run, and the symbol must be a descriptor as `from_raw` demands.
    pub unsafe fn load(path: &Path, symbol: &str) -> Result<Stack, Error> {
        let no_nul = |_| Error::Invalid(format!("a zero byte in `{}` or `{symbol}`", path.display()));
        let file = CString::new(path.as_os_str().as_bytes()).map_err(no_nul)?;
        let name = CString::new(symbol).map_err(no_nul)?;
        // SAFETY: the caller vouches for the object; the handle is never closed, so what it holds is 'static.
        let raw = unsafe {
            let handle = libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
            if handle.is_null() {
                return Err(loader_error("load", path));
            }
            bind(handle);
            libc::dlsym(handle, name.as_ptr())
        };
        if raw.is_null() {
            return Err(loader_error(&format!("find `{symbol}` in"), path));
        }
        // SAFETY: the caller's promise.
        unsafe { Stack::from_raw(raw.cast::<NacreStack>()) }
    }
}

fn loader_error(doing: &str, path: &Path) -> Error {
    // SAFETY: dlerror gives NULL or a string that stays until the next call of this thread.
    let words = unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            "no reason given".into()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    };
    Error::Invalid(format!("cannot {doing} {}: {}", path.display(), told(&words)))
}

/// The loader's words; where a function is missing, whose it is.
fn told(words: &str) -> String {
    match words.split_once("undefined symbol: ") {
        Some((_, name)) => {
            format!("its layers call `{}`, a function of the host that this program does not supply", name.trim())
        }
        None => words.into(),
    }
}
