//! Stacks in shared objects, loaded while the program runs.

use crate::error::Error;
use crate::ffi::NacreStack;
use crate::stack::Stack;
use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

impl Stack {
    /// Loads the descriptor that `symbol` names (`nacre_stack_reliable`) from the shared object at `path`. The object
    /// stays loaded until the program ends.
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
    Error::Invalid(format!("cannot {doing} {}: {words}", path.display()))
}
