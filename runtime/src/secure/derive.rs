//! Keys derived from keys: HKDF-Expand with SHA-256 (RFC 5869 §2.3).

use crate::secure::keys::{Key, KEY_BYTES};
use aws_lc_rs::hkdf::{KeyType, Prk, HKDF_SHA256};

/// The length of what is derived, for the library.
struct Length;

impl KeyType for Length {
    fn len(&self) -> usize {
        KEY_BYTES
    }
}

/// Derives a key for one purpose.
pub(crate) fn expand(key: &[u8; KEY_BYTES], purpose: &[u8]) -> Key {
    let mut derived = Key([0; KEY_BYTES]);
    let prk = Prk::new_less_safe(HKDF_SHA256, key);
    let purpose = [purpose];
    let okm = prk.expand(&purpose, Length).expect("the length is allowed");
    okm.fill(&mut derived.0).expect("the length is that which was asked for");
    derived
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn expansion_is_that_of_rfc_5869() {
        let prk = bytes("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
        let derived = expand(&prk.try_into().unwrap(), &bytes("f0f1f2f3f4f5f6f7f8f9"));
        // Appendix A.1, the first 32 of 42 bytes.
        assert_eq!(derived.0[..], bytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")[..]);
        assert_ne!(derived.0, expand(&derived.0, b"").0);
    }
}
