//! Messages that tell who sent them.

use nacre_simulator::random::{hash, Random};

/// Which message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The host that sent it.
    pub host: u8,
    /// The number of the connection on which it was sent.
    pub number: u16,
    /// Its place among the messages of that connection.
    pub position: u8,
}

/// Bytes of a message that tell which one it is. All others follow from them.
pub const HEAD: usize = 6;

/// A message of this length, of at least `HEAD` bytes.
pub fn message(tag: Tag, length: usize) -> Vec<u8> {
    let (length, [high, low]) = (length.max(HEAD), tag.number.to_be_bytes());
    let seed = hash(&[u64::from(tag.host), u64::from(tag.number), u64::from(tag.position), length as u64]);
    let mut bytes = vec![0; length];
    Random::new(seed).fill(&mut bytes[4..]);
    bytes[..4].copy_from_slice(&[tag.host, high, low, tag.position]);
    bytes
}

/// Which message it is; none: none that a host sent.
pub fn read(bytes: &[u8]) -> Option<Tag> {
    let [host, high, low, position, ..] = *bytes else { return None };
    let tag = Tag { host, number: u16::from_be_bytes([high, low]), position };
    (bytes.len() >= HEAD && message(tag, bytes.len()) == bytes).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_was_changed_is_none() {
        let tag = Tag { host: 1, number: 300, position: 7 };
        let bytes = message(tag, 20);
        assert_eq!(read(&bytes), Some(tag));
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&changed), None);
        }
        assert_eq!(read(&message(tag, 0)), Some(tag));
        assert_eq!(read(&bytes[..19]), None);
        assert_eq!(read(&[]), None);
    }
}
