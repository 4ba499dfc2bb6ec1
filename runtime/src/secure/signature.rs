//! Ed25519 (RFC 8032), through C, for layers that sign.
//!
//! The functions with names of C are functions of the host, as those of `aead` are.

use crate::error::Error;
use crate::secure::derive::expand;
use crate::secure::keys::{drawn, Keys, KEY_BYTES};
use crate::secure::pointers::{at, bytes, bytes_mut, NONE};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair, UnparsedPublicKey, ED25519};
use std::fmt;
use zeroize::Zeroizing;

/// Bytes of a signature.
const SIGNATURE: usize = 64;

/// The key with which an endpoint signs: the seed of an Ed25519 pair. Erased when it is dropped.
#[derive(Clone)]
pub struct SigningKey(Zeroizing<[u8; 32]>);

impl SigningKey {
    /// Draws a new one from the system's generator.
    ///
    /// # Errors
    /// `Io` if the system has no randomness.
    pub fn generate() -> Result<SigningKey, Error> {
        drawn().map(SigningKey)
    }

    /// From its bytes: every 32 bytes are one.
    pub fn from_bytes(seed: &[u8; 32]) -> SigningKey {
        SigningKey(Zeroizing::new(*seed))
    }

    /// The signing key that goes with the keys of an endpoint, for hosts that keep one secret. Neither tells anything
    /// about the other.
    pub fn of(keys: &Keys) -> SigningKey {
        SigningKey(Zeroizing::new(expand(keys.secret(), b"nacre signing key").0))
    }

    /// The bytes, to be kept where others cannot read them.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        self.0.clone()
    }

    /// The key by which others check what was signed.
    pub fn verifying(&self) -> [u8; 32] {
        verifying(&self.0)
    }

    pub(crate) fn secret(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(..)")
    }
}

fn pair(seed: &[u8; KEY_BYTES]) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(seed).expect("every 32 bytes are a seed")
}

fn verifying(seed: &[u8; KEY_BYTES]) -> [u8; KEY_BYTES] {
    pair(seed).public_key().as_ref().try_into().expect("a key has 32 bytes")
}

/// The key by which others check what a key signs: `nacre_verifying_key` of layers.
///
/// # Safety
/// Both pointers have 32 bytes.
#[no_mangle]
pub unsafe extern "C" fn nacre_verifying_key(signing: *const u8, result: *mut u8) {
    // SAFETY: the caller's promise.
    let key = verifying(unsafe { at(signing) });
    // SAFETY: the caller's promise.
    unsafe { bytes_mut(result, KEY_BYTES as u32) }.copy_from_slice(&key);
}

/// A message and its signature behind it: `nacre_sign` of layers. Returns the length of the result.
///
/// # Safety
/// The pointers have 32, `m_len` and `result_max` bytes; `m` and `result` do not overlap.
#[no_mangle]
pub unsafe extern "C" fn nacre_sign(
    signing: *const u8,
    m: *const u8,
    m_len: u32,
    result: *mut u8,
    result_max: u32,
) -> u32 {
    let Some(len) = m_len.checked_add(SIGNATURE as u32).filter(|len| *len <= result_max) else {
        return NONE;
    };
    // SAFETY: the caller's promise.
    let (seed, message, signed) = unsafe { (at(signing), bytes(m, m_len), bytes_mut(result, len)) };
    let (text, signature) = signed.split_at_mut(message.len());
    text.copy_from_slice(message);
    signature.copy_from_slice(pair(seed).sign(message).as_ref());
    len
}

/// A message without its signature: `nacre_signed` of layers. Returns the length of the result, or `UINT32_MAX` if
/// the signature is not one of this key.
///
/// # Safety
/// As of `nacre_sign`.
#[no_mangle]
pub unsafe extern "C" fn nacre_signed(
    verifying: *const u8,
    m: *const u8,
    m_len: u32,
    result: *mut u8,
    result_max: u32,
) -> u32 {
    let Some(len) = m_len.checked_sub(SIGNATURE as u32).filter(|len| *len <= result_max) else {
        return NONE;
    };
    // SAFETY: the caller's promise.
    let (key, signed) = unsafe { (at::<KEY_BYTES>(verifying), bytes(m, m_len)) };
    let (message, signature) = signed.split_at(len as usize);
    if UnparsedPublicKey::new(&ED25519, key).verify(message, signature).is_err() {
        return NONE;
    }
    // SAFETY: the caller's promise.
    unsafe { bytes_mut(result, len) }.copy_from_slice(message);
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
    }

    /// Section 7.1, tests 1 to 3: seed, public key, message, signature.
    const VECTORS: [[&str; 4]; 3] = [
        [
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25b\
             f5f0595bbe24655141438e7a100b",
        ],
        [
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b\
             2eaeb4302aeeb00d291612bb0c00",
        ],
        [
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c\
             15e9716ed28dc027beceea1ec40a",
        ],
    ];

    type Function = unsafe extern "C" fn(*const u8, *const u8, u32, *mut u8, u32) -> u32;

    /// As emitted C calls it.
    fn call(f: Function, key: &[u8], m: &[u8], max: usize) -> Option<Vec<u8>> {
        assert_eq!(key.len(), KEY_BYTES);
        let mut result = vec![0xaa; max];
        let from = if m.is_empty() { std::ptr::null() } else { m.as_ptr() };
        // SAFETY: all have the lengths that are stated.
        let n = unsafe { f(key.as_ptr(), from, m.len() as u32, result.as_mut_ptr(), max as u32) };
        (n != NONE).then(|| result[..n as usize].to_vec())
    }

    #[test]
    fn signatures_are_those_of_rfc_8032() {
        for [seed, public, message, signature] in VECTORS.map(|vector| vector.map(hex)) {
            let mut key = [0; 32];
            // SAFETY: both have 32 bytes.
            unsafe { nacre_verifying_key(seed.as_ptr(), key.as_mut_ptr()) };
            assert_eq!(key[..], public[..]);
            let signed = call(nacre_sign, &seed, &message, 100).unwrap();
            assert_eq!(signed, [&message[..], &signature[..]].concat());
            assert_eq!(call(nacre_signed, &public, &signed, 100), Some(message));
        }
    }

    #[test]
    fn nothing_else_is_signed() {
        let key = SigningKey::from_bytes(&[7; 32]);
        for len in [0, 1, 100, 1400] {
            let message = vec![9; len];
            let signed = call(nacre_sign, key.secret(), &message, 1500).unwrap();
            assert_eq!(call(nacre_sign, key.secret(), &message, len + SIGNATURE - 1), None, "no room");
            assert_eq!(call(nacre_signed, &key.verifying(), &signed, 1500), Some(message));
            assert_eq!(call(nacre_signed, &SigningKey::from_bytes(&[8; 32]).verifying(), &signed, 1500), None);
            for at in 0..signed.len().min(200) {
                let mut forged = signed.clone();
                forged[at] ^= 1 << (at % 8);
                assert_eq!(call(nacre_signed, &key.verifying(), &forged, 1500), None, "byte {at}");
                assert_eq!(call(nacre_signed, &key.verifying(), &signed[..at], 1500), None, "cut to {at}");
            }
        }
    }

    #[test]
    fn keys_of_an_endpoint_have_one_signing_key() {
        let keys = Keys::from_bytes(&[1; 32]);
        assert_eq!(SigningKey::of(&keys).verifying(), SigningKey::of(&keys).verifying());
        assert_ne!(SigningKey::of(&keys).verifying(), SigningKey::of(&Keys::from_bytes(&[2; 32])).verifying());
        assert_ne!(*SigningKey::of(&keys).to_bytes(), *keys.to_bytes());
        assert_ne!(SigningKey::generate().unwrap().verifying(), SigningKey::generate().unwrap().verifying());
    }
}
