//! Tokens by which an endpoint that has lost its state ends a connection (as RFC 9000 §10.3): a keyed hash of the label
//! that the frames of the peer carry, told to the peer under encryption.

use crate::random::Random;
use crate::secure::derive::expand;
use crate::secure::keys::Key;
use crate::wire::Label;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use zeroize::Zeroizing;

/// Bytes of a token.
pub(crate) const TOKEN_BYTES: usize = 16;

/// A token.
pub(crate) type Token = [u8; TOKEN_BYTES];

/// Makes the tokens of an endpoint.
pub(crate) struct Resets {
    key: Key,
}

impl Resets {
    /// From the secret that survives a restart.
    pub(crate) fn new(secret: &[u8; 16]) -> Resets {
        let mut padded = Zeroizing::new([0; 32]);
        padded[..16].copy_from_slice(secret);
        Resets { key: expand(&padded, b"nacre reset") }
    }

    /// From a secret of this process alone.
    pub(crate) fn drawn(random: &mut Random) -> Resets {
        let mut secret = Zeroizing::new([0; 16]);
        secret.chunks_exact_mut(8).for_each(|part| part.copy_from_slice(&random.draw().to_le_bytes()));
        Resets::new(&secret)
    }

    /// The token of a label of this endpoint.
    pub(crate) fn token(&self, label: Label) -> Token {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.key.0);
        let words = [label.cookie.to_le_bytes(), label.key.to_le_bytes()].concat();
        hmac::sign(&key, &words).as_ref()[..TOKEN_BYTES].try_into().expect("a prefix of 32 bytes")
    }
}

/// Whether two tokens are the same, in constant time.
pub(crate) fn are_equal(one: &Token, other: &Token) -> bool {
    verify_slices_are_equal(one, other).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_depends_on_secret_and_label_alone() {
        let label = Label { cookie: 5, key: 6 };
        let token = Resets::new(&[1; 16]).token(label);
        assert!(are_equal(&token, &Resets::new(&[1; 16]).token(label)));
        let others = [
            Resets::new(&[2; 16]).token(label),
            Resets::new(&[1; 16]).token(Label { cookie: 6, ..label }),
            Resets::new(&[1; 16]).token(Label { key: 7, ..label }),
        ];
        assert!(others.iter().all(|other| !are_equal(&token, other)));
    }
}
