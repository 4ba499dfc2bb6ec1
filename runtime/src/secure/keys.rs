//! The keys that say who an endpoint is: an X25519 pair, and secrets that two endpoints share.

use crate::error::Error;
use aws_lc_rs::agreement::{PrivateKey, X25519};
use std::fmt;
use std::str::FromStr;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a key.
pub(crate) const KEY_BYTES: usize = 32;
/// The digits of a public key as text (RFC 4648 §6, lower case, no padding).
const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// How many of them a public key has.
const TEXT: usize = 52;

/// 32 bytes of the system's generator.
pub(super) fn drawn() -> Result<Zeroizing<[u8; KEY_BYTES]>, Error> {
    let mut secret = Zeroizing::new([0; KEY_BYTES]);
    let failed = |error: getrandom::Error| std::io::Error::other(error.to_string());
    getrandom::fill(&mut *secret).map_err(|error| Error::Io { doing: "cannot draw a key", cause: failed(error) })?;
    Ok(secret)
}

/// The identity of an endpoint: an X25519 public key. As text it has 52 digits (`a` to `z`, `2` to `7`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey(pub [u8; 32]);

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bit = |at: usize| self.0.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
        let digit = |at: usize| (0..5).fold(0, |digit, n| digit << 1 | usize::from(bit(5 * at + n)));
        let text: String = (0..TEXT).map(|at| char::from(DIGITS[digit(at)])).collect();
        f.write_str(&text)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl FromStr for PublicKey {
    type Err = Error;

    /// Reads the text of a key; capitals are read, too.
    fn from_str(text: &str) -> Result<PublicKey, Error> {
        let wrong =
            || Error::Invalid(format!("`{text}` is not a public key: one has {TEXT} digits, a to z and 2 to 7"));
        let digit = |c: u8| DIGITS.iter().position(|digit| *digit == c.to_ascii_lowercase());
        let digits: Vec<usize> = text.bytes().map(digit).collect::<Option<_>>().ok_or_else(wrong)?;
        let mut key = [0; KEY_BYTES];
        for at in 0..8 * KEY_BYTES {
            let bit = digits.get(at / 5).ok_or_else(wrong)? >> (4 - at % 5) & 1;
            key[at / 8] |= (bit as u8) << (7 - at % 8);
        }
        // The last digit has four bits that must be 0: a key has one text.
        (digits.len() == TEXT && digits[TEXT - 1] & 0xf == 0).then_some(PublicKey(key)).ok_or_else(wrong)
    }
}

/// The secret key of an endpoint and its public key. The secret is erased when it is dropped.
#[derive(Clone)]
pub struct Keys {
    secret: Zeroizing<[u8; 32]>,
    public: PublicKey,
}

impl Keys {
    /// Draws a new pair from the system's generator.
    ///
    /// # Errors
    /// `Io` if the system has no randomness.
    pub fn generate() -> Result<Keys, Error> {
        drawn().map(|secret| Keys::from_bytes(&secret))
    }

    /// The pair of a secret key. Every 32 bytes are one.
    ///
    /// # Panics
    /// If there is no memory.
    pub fn from_bytes(secret: &[u8; 32]) -> Keys {
        let key = PrivateKey::from_private_key(&X25519, secret).expect("every 32 bytes are a key");
        let public = key.compute_public_key().expect("every key has a public key");
        let public = PublicKey(public.as_ref().try_into().expect("32 bytes"));
        Keys { secret: Zeroizing::new(*secret), public }
    }

    /// The secret key, to be kept where others cannot read it.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        self.secret.clone()
    }

    /// The public key.
    pub fn public(&self) -> PublicKey {
        self.public
    }

    pub(crate) fn secret(&self) -> &[u8; 32] {
        &self.secret
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keys({}, ..)", self.public)
    }
}

/// A secret of 32 random bytes that both endpoints were given beforehand. Erased when it is dropped. A password is not
/// one: who records a handshake can try passwords.
#[derive(Clone)]
pub struct Psk(Zeroizing<[u8; 32]>);

impl Psk {
    /// From its bytes.
    pub fn from_bytes(secret: &[u8; 32]) -> Psk {
        Psk(Zeroizing::new(*secret))
    }

    pub(crate) fn secret(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Psk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Psk(..)")
    }
}

/// A derived symmetric key, erased when it is dropped.
pub(crate) struct Key(pub(crate) [u8; KEY_BYTES]);

impl Drop for Key {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Whom an endpoint that begins a connection expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The endpoint with this public key. One round trip.
    Key(PublicKey),
    /// An endpoint with the same `Options::psk`. One round trip.
    Psk,
    /// Any: the application decides by the key that `Event::Opened` names. One and a half round trips.
    Any,
}

impl Expect {
    /// Whether it is met by a peer that has proven to have this key; none: to have the common secret.
    pub(crate) fn is_met_by(&self, key: Option<PublicKey>) -> bool {
        match self {
            Expect::Key(expected) => key == Some(*expected),
            Expect::Psk => key.is_none(),
            Expect::Any => key.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_key_is_that_of_rfc_7748() {
        let mut secret = [0; 32];
        secret[0] = 9;
        let text: String = Keys::from_bytes(&secret).public().0.iter().map(|byte| format!("{byte:02x}")).collect();
        // §5.2: the first step of the iteration.
        assert_eq!(text, "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
    }

    #[test]
    fn text_of_a_key_reads_as_written_and_is_the_only_one() {
        for seed in 0..=255u8 {
            let key = PublicKey(std::array::from_fn(|at| seed.wrapping_mul(at as u8 + 1) ^ 0x5a));
            let text = key.to_string();
            assert_eq!((text.len(), text.parse::<PublicKey>().unwrap()), (TEXT, key));
            assert_eq!(text.to_uppercase().parse::<PublicKey>().unwrap(), key);
            assert!(text[1..].parse::<PublicKey>().is_err() && format!("{text}a").parse::<PublicKey>().is_err());
            let last = if text.ends_with('a') { "b" } else { "r" };
            assert!(format!("{}{last}", &text[..TEXT - 1]).parse::<PublicKey>().is_err(), "bits behind the key");
        }
        assert!("1".repeat(TEXT).parse::<PublicKey>().is_err());
        assert!("".parse::<PublicKey>().is_err());
    }

    #[test]
    fn secrets_are_not_printed() {
        let keys = Keys::from_bytes(&[7; 32]);
        assert_eq!(format!("{keys:?}"), format!("Keys({}, ..)", keys.public()));
        assert_eq!(format!("{:?}{:?}", Psk::from_bytes(&[7; 32]), Key([7; 32])), "Psk(..)Key(..)");
    }

    #[test]
    fn two_pairs_differ() {
        assert_ne!(Keys::generate().unwrap().public(), Keys::generate().unwrap().public());
    }
}
