//! What functions of the host get from C and return to it.

/// The length that a function for C returns if there is no result.
pub(super) const NONE: u32 = u32::MAX;

/// # Safety
/// `from` has `N` bytes that live as long as the result is used.
pub(super) unsafe fn at<'a, const N: usize>(from: *const u8) -> &'a [u8; N] {
    // SAFETY: the caller's promise.
    unsafe { &*from.cast::<[u8; N]>() }
}

/// # Safety
/// `from` has `len` bytes that live as long as the result is used; it may be NULL if there are none.
pub(super) unsafe fn bytes<'a>(from: *const u8, len: u32) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(from, len as usize) }
}

/// # Safety
/// As of `bytes`, and nothing else uses them.
pub(super) unsafe fn bytes_mut<'a>(to: *mut u8, len: u32) -> &'a mut [u8] {
    if len == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(to, len as usize) }
}
