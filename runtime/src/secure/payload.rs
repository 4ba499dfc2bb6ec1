//! What each endpoint says of itself under encryption in the handshake.

use crate::secure::reset::{Token, TOKEN_BYTES};
use crate::wire::{Label, COOKIE_BITS};

/// Bytes of a payload.
pub(crate) const PAYLOAD_BYTES: usize = 8 + 3 * 8 + TOKEN_BYTES;

/// The payload of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Payload {
    /// What frames to it carry; equal to what the frame says in clear.
    pub label: Label,
    pub identity: u64,
    /// The identity of the other end that it means; 0: any.
    pub peer_identity: u64,
    /// A random number; its low half is the key of the label.
    pub incarnation: u64,
    /// What ends the connection once this endpoint has forgotten it.
    pub reset: Token,
}

impl Payload {
    /// Its bytes.
    pub(crate) fn to_bytes(self) -> [u8; PAYLOAD_BYTES] {
        let mut bytes = [0; PAYLOAD_BYTES];
        bytes[..4].copy_from_slice(&self.label.cookie.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.label.key.to_le_bytes());
        for (at, number) in [self.identity, self.peer_identity, self.incarnation].iter().enumerate() {
            bytes[8 + 8 * at..16 + 8 * at].copy_from_slice(&number.to_le_bytes());
        }
        bytes[32..].copy_from_slice(&self.reset);
        bytes
    }

    /// Reads it; none if it has another length or its cookie is none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Payload> {
        let bytes: &[u8; PAYLOAD_BYTES] = bytes.try_into().ok()?;
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let label = Label { cookie: word(0), key: word(4) };
        let payload = Payload {
            label,
            identity: number(8),
            peer_identity: number(16),
            incarnation: number(24),
            reset: bytes[32..].try_into().expect("16 bytes"),
        };
        (label.cookie != 0 && label.cookie >> COOKIE_BITS == 0).then_some(payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_reads_as_written() {
        let label = Label { cookie: 0x030201, key: 0x07060504 };
        let payload = Payload { label, identity: 8, peer_identity: 9, incarnation: 10, reset: [11; 16] };
        let bytes = payload.to_bytes();
        assert_eq!(Payload::read(&bytes), Some(payload));
        assert_eq!(bytes[..9], [1, 2, 3, 0, 4, 5, 6, 7, 8]);
        assert_eq!(Payload::read(&bytes[..47]), None);
        assert_eq!(Payload::read(&[&bytes[..], &[0]].concat()), None);
        let none = Payload { label: Label::default(), ..payload };
        assert_eq!(Payload::read(&none.to_bytes()), None);
    }
}
