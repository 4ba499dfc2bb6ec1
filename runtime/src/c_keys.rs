//! Keys for C programs; `include/nacre_runtime.h` says what each function does.

use crate::c_interface::{ERROR, OK};
use crate::c_text::text;
use crate::secure::keys::{Keys, PublicKey};
use std::ffi::{c_char, c_int};

/// Digits of a public key and the zero byte.
const TEXT: usize = 53;

/// # Safety
/// `secret` is NULL or has 32 bytes.
#[no_mangle]
pub unsafe extern "C" fn nacre_keys_new(secret: *mut u8) -> c_int {
    // SAFETY: the caller's promise.
    let place = unsafe { secret.cast::<[u8; 32]>().as_mut() };
    match (place, Keys::generate()) {
        (Some(place), Ok(keys)) => {
            *place = *keys.to_bytes();
            OK
        }
        _ => ERROR,
    }
}

/// # Safety
/// Each pointer is NULL or has 32 bytes.
#[no_mangle]
pub unsafe extern "C" fn nacre_keys_public(secret: *const u8, key: *mut u8) -> c_int {
    // SAFETY: the caller's promise.
    let both = unsafe { (secret.cast::<[u8; 32]>().as_ref(), key.cast::<[u8; 32]>().as_mut()) };
    let (Some(secret), Some(key)) = both else { return ERROR };
    *key = Keys::from_bytes(secret).public().0;
    OK
}

/// # Safety
/// `key` is NULL or has 32 bytes, `to` is NULL or has 53.
#[no_mangle]
pub unsafe extern "C" fn nacre_key_text(key: *const u8, to: *mut c_char) -> c_int {
    // SAFETY: the caller's promise.
    let both = unsafe { (key.cast::<[u8; 32]>().as_ref(), to.cast::<[u8; TEXT]>().as_mut()) };
    let (Some(key), Some(to)) = both else { return ERROR };
    to[..TEXT - 1].copy_from_slice(PublicKey(*key).to_string().as_bytes());
    to[TEXT - 1] = 0;
    OK
}

/// # Safety
/// `from` is NULL or a string that ends, `key` is NULL or has 32 bytes.
#[no_mangle]
pub unsafe extern "C" fn nacre_key_read(from: *const c_char, key: *mut u8) -> c_int {
    // SAFETY: the caller's promise.
    let both = unsafe { (text(from), key.cast::<[u8; 32]>().as_mut()) };
    let (Ok(Some(text)), Some(place)) = both else { return ERROR };
    match text.parse::<PublicKey>() {
        Ok(key) => {
            *place = key.0;
            OK
        }
        Err(_) => ERROR,
    }
}
