//! Texts that come through the C interface.

use std::ffi::{c_char, CStr};

use crate::error::Error;

/// An invalid argument.
pub(crate) fn invalid(why: &str) -> Error {
    Error::Invalid(why.into())
}

/// The text at a pointer; none: NULL.
///
/// # Safety
/// `at` is NULL or a string that lives as long as the result is used.
pub(crate) unsafe fn text<'a>(at: *const c_char) -> Result<Option<&'a str>, Error> {
    if at.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(at) }.to_str();
    text.map(Some).map_err(|_| invalid("a text that is not UTF-8"))
}
