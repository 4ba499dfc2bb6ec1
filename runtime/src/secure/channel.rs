//! Sealed control frames of a connection: numbered in each direction, and read once.

use crate::secure::aead::{open, seal, TAG};
use crate::secure::keys::Key;
use crate::secure::primitives::nonce;
use crate::secure::window::Window;
use zeroize::Zeroizing;

/// The keys and numbers of both directions. Numbers begin with 1, so that none is that of the handshake.
#[derive(Debug)]
pub(crate) struct Channel {
    sealing: Key,
    opening: Key,
    sent: u64,
    received: Window,
}

impl Channel {
    /// Nothing was sent yet.
    pub(crate) fn new(sealing: Key, opening: Key) -> Channel {
        Channel { sealing, opening, sent: 0, received: Window::default() }
    }

    /// The number of the next frame. It is never given again.
    pub(crate) fn next_number(&mut self) -> Option<u64> {
        self.sent = self.sent.checked_add(1)?;
        Some(self.sent)
    }

    /// Seals what a frame with this number says, which begins with `head`.
    pub(crate) fn seal(&self, number: u64, head: &[u8], inner: &[u8]) -> Vec<u8> {
        let mut sealed = vec![0; inner.len() + TAG];
        seal(&self.sealing.0, &nonce(number), head, inner, &mut sealed);
        sealed
    }

    /// Opens what a frame says; none if it is forged, or not new.
    pub(crate) fn open(&mut self, number: u64, head: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let len = sealed.len().checked_sub(TAG).filter(|_| self.received.is_new(number))?;
        let mut inner = Zeroizing::new(vec![0; len]);
        if !open(&self.opening.0, &nonce(number), head, sealed, &mut inner) {
            return None;
        }
        self.received.accept(number);
        Some(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> [Channel; 2] {
        [Channel::new(Key([1; 32]), Key([2; 32])), Channel::new(Key([2; 32]), Key([1; 32]))]
    }

    #[test]
    fn frame_is_read_once_by_the_other_end() {
        let [mut one, mut other] = pair();
        let number = one.next_number().unwrap();
        let sealed = one.seal(number, b"head", b"inner");
        assert!(one.open(number, b"head", &sealed).is_none(), "reflected");
        assert!(other.open(number, b"heaD", &sealed).is_none(), "another head");
        assert!(other.open(number + 1, b"head", &sealed).is_none(), "another number");
        for at in 0..sealed.len() {
            let mut forged = sealed.clone();
            forged[at] ^= 0x10;
            assert!(other.open(number, b"head", &forged).is_none());
        }
        assert_eq!(**other.open(number, b"head", &sealed).unwrap(), *b"inner");
        assert!(other.open(number, b"head", &sealed).is_none(), "replayed");
    }

    #[test]
    fn numbers_do_not_wrap() {
        let [mut one, _] = pair();
        assert_eq!((one.next_number(), one.next_number()), (Some(1), Some(2)));
        one.sent = u64::MAX;
        assert_eq!(one.next_number(), None);
    }
}
