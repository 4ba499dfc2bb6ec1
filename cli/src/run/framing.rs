//! A file as messages: a head, the bytes in order, their SHA-256; and the answer of the receiver.

use sha2::{Digest, Sha256};

/// The first bytes of a head, with the version of this framing.
const MAGIC: &[u8; 6] = b"nacre\x01";
/// The limit of a name, in bytes.
const NAME_MAX: usize = 255;

/// A SHA-256.
pub type Sum = [u8; 32];

/// The first message: announces the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub size: u64,
    pub name: String,
}

impl Head {
    /// Encodes the head; a name longer than `NAME_MAX` bytes is cut at a character boundary.
    pub fn write(&self) -> Vec<u8> {
        [MAGIC.as_slice(), &self.size.to_le_bytes(), cut(&self.name, NAME_MAX).as_bytes()].concat()
    }

    /// None: no head.
    pub fn read(message: &[u8]) -> Option<Head> {
        let rest = message.strip_prefix(MAGIC)?;
        let (size, name) = rest.split_first_chunk::<8>()?;
        let name = std::str::from_utf8(name).ok().filter(|name| name.len() <= NAME_MAX)?;
        Some(Head { size: u64::from_le_bytes(*size), name: name.to_string() })
    }

    /// Returns a name that is safe to create in a folder: no path, not hidden, no control characters. Spaces in front
    /// do not hide a dot.
    pub fn safe_name(&self) -> String {
        let last = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let clean: String = last.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
        let clean = clean.trim_start_matches(|c: char| c == '.' || c.is_whitespace()).trim_end();
        if clean.is_empty() {
            "file".into()
        } else {
            clean.to_string()
        }
    }
}

/// The longest beginning of a text that has at most `most` bytes.
pub fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The answer of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It has everything: the sum of what it has stored.
    Sum(Sum),
    /// It does not take the file, and why.
    Failed(String),
}

/// The limit of a reason, in bytes.
const REASON_MAX: usize = 500;

impl Answer {
    /// Encodes the answer; a long reason is cut.
    pub fn write(&self) -> Vec<u8> {
        match self {
            Answer::Sum(sum) => [b"sum".as_slice(), sum].concat(),
            Answer::Failed(why) => [b"not".as_slice(), cut(why, REASON_MAX).as_bytes()].concat(),
        }
    }

    /// None: no answer.
    pub fn read(message: &[u8]) -> Option<Answer> {
        let (kind, rest) = message.split_first_chunk::<3>()?;
        match kind {
            b"sum" => Some(Answer::Sum(rest.try_into().ok()?)),
            b"not" => {
                let why = std::str::from_utf8(rest).ok().filter(|why| why.len() <= REASON_MAX)?;
                Some(Answer::Failed(why.chars().map(|c| if c.is_control() { '_' } else { c }).collect()))
            }
            _ => None,
        }
    }
}

/// Computes a SHA-256.
#[derive(Clone, Default)]
pub struct Summing(Sha256);

impl Summing {
    /// Adds the next bytes of the file.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the SHA-256 of all added bytes.
    pub fn sum(self) -> Sum {
        self.0.finalize().into()
    }
}

/// Returns the checksum in hexadecimal digits.
pub fn hex(sum: &Sum) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = Head { size: 1 << 40, name: "ünïcode".repeat(60) };
        let read = Head::read(&head.write()).expect("a head");
        assert_eq!(read.size, head.size);
        assert!(head.name.starts_with(&read.name) && read.name.len() > 240);
        assert_eq!(Head::read(b"nacre\x02zzzzzzzzz"), None);
        assert_eq!(Head::read(b"nacre\x01zzz"), None);
    }

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let failed = |why: &str| Answer::Failed(why.into());
        for answer in [Answer::Sum([7; 32]), failed(""), failed("No space left on device")] {
            assert_eq!(Answer::read(&answer.write()), Some(answer));
        }
        let Some(Answer::Failed(cut)) = Answer::read(&failed(&"ü".repeat(400)).write()) else { panic!("an answer") };
        assert_eq!(cut.len(), REASON_MAX);
        assert_eq!(Answer::read(b"not a\x1b[2J"), Some(failed(" a_[2J")));
        for message in [&b"sum"[..], b"sumsum", b"yes", b"no", b"not\xff"] {
            assert_eq!(Answer::read(message), None);
        }
    }

    #[test]
    fn names_stay_in_their_folder() {
        let safe = |name: &str| Head { size: 0, name: name.into() }.safe_name();
        assert_eq!(safe("/etc/passwd"), "passwd");
        assert_eq!(safe("../.."), "file");
        assert_eq!(safe("..\\.profile"), "profile");
        assert_eq!(safe("a\u{1b}[2Jb"), "a_[2Jb");
        assert_eq!(safe(""), "file");
    }

    #[test]
    fn names_do_not_begin_with_a_dot() {
        let safe = |name: &str| Head { size: 0, name: name.into() }.safe_name();
        for hidden in [" .profile", ". .profile", "\u{a0}.profile", ".. ..profile ", "x/ .profile"] {
            assert_eq!(safe(hidden), "profile", "{hidden:?}");
        }
        // It would be taken for a leftover, and removed when the next receiver starts.
        assert_eq!(safe(" .nacre-0123.part"), "nacre-0123.part");
        assert_eq!([" ..", " . ", ". ."].map(safe), ["file"; 3]);
    }
}
