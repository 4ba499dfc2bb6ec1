//! ChaCha20-Poly1305 (RFC 8439), for sealed control frames and, through C, for the layers of stacks.
//!
//! The three functions with names of C are those that a layer declares as functions of the host. Emitted C that is
//! linked into a program with this runtime finds them there; a shared object gets them when it is loaded
//! (`library`).

use crate::secure::derive::expand;
use crate::secure::keys::KEY_BYTES;
use crate::secure::pointers::{at, bytes, bytes_mut, NONE};
use aws_lc_rs::aead::{Aad, LessSafeKey, Nonce, UnboundKey, CHACHA20_POLY1305};
use zeroize::Zeroize;

/// Bytes of a tag.
pub(crate) const TAG: usize = 16;
/// Bytes of a nonce.
pub(crate) const NONCE: usize = 12;
/// Bytes of the associated data of a layer.
const ALSO: usize = 8;

fn expanded(key: &[u8; KEY_BYTES]) -> LessSafeKey {
    LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).expect("32 bytes are a key"))
}

/// Seals `plain` into `sealed`, which is longer by a tag.
pub(crate) fn seal(key: &[u8; KEY_BYTES], nonce: &[u8; NONCE], also: &[u8], plain: &[u8], sealed: &mut [u8]) {
    let (data, tag) = sealed.split_at_mut(plain.len());
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let done = expanded(key).seal_out_of_place_scatter(nonce, Aad::from(also), plain, data, &[], tag);
    done.expect("the lengths fit, and are less than 256 GiB");
}

/// Opens `sealed` into `plain`, which is shorter by a tag. Returns false if it is forged; `plain` is then zero.
pub(crate) fn open(key: &[u8; KEY_BYTES], nonce: &[u8; NONCE], also: &[u8], sealed: &[u8], plain: &mut [u8]) -> bool {
    let Some((data, tag)) = sealed.len().checked_sub(TAG).and_then(|at| sealed.split_at_checked(at)) else {
        return false;
    };
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let opened = expanded(key).open_separate_gather(nonce, Aad::from(also), data, tag, plain).is_ok();
    if !opened {
        plain.zeroize();
    }
    opened
}

/// Seals a message: `nacre_seal` of layers. Returns the length of the result.
///
/// # Safety
/// The pointers have 32, 12, 8, `m_len` and `result_max` bytes; `m` and `result` do not overlap.
#[no_mangle]
pub unsafe extern "C" fn nacre_seal(
    key: *const u8,
    nonce: *const u8,
    also: *const u8,
    m: *const u8,
    m_len: u32,
    result: *mut u8,
    result_max: u32,
) -> u32 {
    // SAFETY: the caller's promise.
    let (key, nonce, also) = unsafe { (at(key), at(nonce), at::<ALSO>(also)) };
    let Some(len) = m_len.checked_add(TAG as u32).filter(|len| *len <= result_max) else {
        return NONE;
    };
    // SAFETY: the caller's promise.
    let (plain, sealed) = unsafe { (bytes(m, m_len), bytes_mut(result, len)) };
    seal(key, nonce, also, plain, sealed);
    len
}

/// Opens a message: `nacre_unseal` of layers. Returns the length of the result, or `UINT32_MAX` if it is forged.
///
/// # Safety
/// As of `nacre_seal`.
#[no_mangle]
pub unsafe extern "C" fn nacre_unseal(
    key: *const u8,
    nonce: *const u8,
    also: *const u8,
    m: *const u8,
    m_len: u32,
    result: *mut u8,
    result_max: u32,
) -> u32 {
    // SAFETY: the caller's promise.
    let (key, nonce, also) = unsafe { (at(key), at(nonce), at::<ALSO>(also)) };
    let Some(len) = m_len.checked_sub(TAG as u32).filter(|len| *len <= result_max) else {
        return NONE;
    };
    // SAFETY: the caller's promise.
    let (sealed, plain) = unsafe { (bytes(m, m_len), bytes_mut(result, len)) };
    match open(key, nonce, also, sealed, plain) {
        true => len,
        false => NONE,
    }
}

/// The key that follows a key: `nacre_next_key` of layers. Nothing about the earlier one follows from it.
///
/// # Safety
/// Both pointers have 32 bytes.
#[no_mangle]
pub unsafe extern "C" fn nacre_next_key(key: *const u8, result: *mut u8) {
    // SAFETY: the caller's promise.
    let key: &[u8; KEY_BYTES] = unsafe { at(key) };
    let next = expand(key, b"nacre next key");
    // SAFETY: the caller's promise.
    unsafe { bytes_mut(result, KEY_BYTES as u32) }.copy_from_slice(&next.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        let text: String = text.split_whitespace().collect();
        (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
    }

    fn key() -> [u8; 32] {
        std::array::from_fn(|at| 0x80 + at as u8)
    }

    const NONCE_OF_RFC: [u8; 12] = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47];
    const TEXT: &[u8] = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
                          sunscreen would be it.";

    #[test]
    fn sealing_is_that_of_rfc_8439() {
        // §2.8.2.
        let also = hex("50515253c0c1c2c3c4c5c6c7");
        let mut sealed = vec![0; TEXT.len() + TAG];
        seal(&key(), &NONCE_OF_RFC, &also, TEXT, &mut sealed);
        assert_eq!(sealed[..16], hex("d31a8d34648e60db7b86afbc53ef7ec2")[..]);
        assert_eq!(sealed[TEXT.len()..], hex("1ae10b594f09e26a7e902ecbd0600691")[..]);
        let mut plain = vec![0; TEXT.len()];
        assert!(open(&key(), &NONCE_OF_RFC, &also, &sealed, &mut plain) && plain == TEXT);
    }

    /// As emitted C calls it.
    fn call(
        f: unsafe extern "C" fn(*const u8, *const u8, *const u8, *const u8, u32, *mut u8, u32) -> u32,
        m: &[u8],
        max: usize,
    ) -> Option<Vec<u8>> {
        let mut result = vec![0xaa; max];
        let (m, len) = (if m.is_empty() { std::ptr::null() } else { m.as_ptr() }, m.len() as u32);
        // SAFETY: all have the lengths that are stated.
        let n = unsafe {
            f(key().as_ptr(), NONCE_OF_RFC.as_ptr(), [1; 8].as_ptr(), m, len, result.as_mut_ptr(), max as u32)
        };
        (n != NONE).then(|| result[..n as usize].to_vec())
    }

    #[test]
    fn functions_for_c_undo_each_other() {
        for len in [0, 1, 16, 17, 1400] {
            let plain = vec![7; len];
            let sealed = call(nacre_seal, &plain, 1500).unwrap();
            assert_eq!(sealed.len(), len + TAG);
            assert_eq!(call(nacre_unseal, &sealed, 1500), Some(plain.clone()));
            assert_eq!(call(nacre_seal, &plain, len + TAG - 1), None, "no room");
            for at in 0..sealed.len() {
                let mut forged = sealed.clone();
                forged[at] ^= 1 << (at % 8);
                assert_eq!(call(nacre_unseal, &forged, 1500), None, "byte {at}");
                assert_eq!(call(nacre_unseal, &sealed[..at], 1500), None, "cut to {at}");
            }
        }
    }

    #[test]
    fn next_key_is_another_one_and_always_the_same() {
        let next = |key: [u8; 32]| {
            let mut next = [0; 32];
            // SAFETY: both have 32 bytes.
            unsafe { nacre_next_key(key.as_ptr(), next.as_mut_ptr()) };
            next
        };
        assert_eq!(next(key()), next(key()));
        assert_eq!(next(key()), expand(&key(), b"nacre next key").0);
        assert!(next(next(key())) != next(key()) && next(key()) != key());
    }
}
