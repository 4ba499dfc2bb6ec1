//! The messages of a transfer, version 2.
//!
//! The sender greets, and the receiver welcomes it. Then the sender names entries, which both sides number from 0: a
//! file is named, followed by data and by its SHA-256, or is given up; a folder has nothing more. The receiver answers
//! each entry once, in any order, so that a sender has at most [`WINDOW`] entries without an answer. At the end the
//! sender says that it is done, once all entries are answered.
//!
//! A receiver that continues files (`Welcome::asks`) states, for each file of known length, how many bytes of it are
//! there. If there are some, the sender states their SHA-256, and the receiver from where it continues: from there, or
//! from 0 if its bytes are others. It does not reveal a sum of its own before.

use sha2::{Digest, Sha256};

use super::names::{cut, printable};

/// The beginning of a greeting; the version follows.
const MAGIC: &[u8; 5] = b"nacre";
const VERSION: u8 = 2;
/// The number of entries that wait for an answer.
pub const WINDOW: usize = 16;
/// The limit of a reason, in bytes.
const REASON_MAX: usize = 500;
/// The length of a file that is not known in advance.
const UNKNOWN: u64 = u64::MAX;
/// The first byte of a message with data.
pub const DATA: u8 = b'd';

/// A SHA-256.
pub type Sum = [u8; 32];

/// What a sender says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'m> {
    Hello,
    /// An entry. `size`: none if it is not known in advance. The path is checked by the store.
    File {
        size: Option<u64>,
        path: &'m str,
    },
    /// An entry. One with a single component begins a tree.
    Folder {
        path: &'m str,
    },
    /// The SHA-256 of the bytes that are there.
    Prefix(Sum),
    Data(&'m [u8]),
    /// The SHA-256 of the whole file.
    End(Sum),
    /// The file is not complete: it is given up.
    Abort(String),
    Done,
}

impl<'m> Message<'m> {
    /// Encodes the message; a long reason is cut.
    pub fn write(&self) -> Vec<u8> {
        match self {
            Message::Hello => [MAGIC.as_slice(), &[VERSION]].concat(),
            Message::File { size, path } => {
                [b"F".as_slice(), &size.unwrap_or(UNKNOWN).to_le_bytes(), path.as_bytes()].concat()
            }
            Message::Folder { path } => [b"D", path.as_bytes()].concat(),
            Message::Prefix(sum) => [b"P".as_slice(), sum].concat(),
            Message::Data(bytes) => [&[DATA], *bytes].concat(),
            Message::End(sum) => [b"E".as_slice(), sum].concat(),
            Message::Abort(why) => [b"X", cut(why, REASON_MAX).as_bytes()].concat(),
            Message::Done => b"Z".to_vec(),
        }
    }

    /// The error is why it is no message of this version.
    pub fn read(message: &'m [u8]) -> Result<Message<'m>, String> {
        if let Some(version) = message.strip_prefix(MAGIC) {
            return match version {
                [VERSION] => Ok(Message::Hello),
                [other @ 1..=31, ..] if *other != VERSION => {
                    Err(format!("the sender has version {other} of transfers, the receiver version {VERSION}"))
                }
                _ => Err(STRANGE.into()),
            };
        }
        Message::read_tagged(message).ok_or_else(|| STRANGE.into())
    }

    fn read_tagged(message: &'m [u8]) -> Option<Message<'m>> {
        let (kind, rest) = message.split_first()?;
        Some(match kind {
            b'F' => {
                let (size, path) = rest.split_first_chunk::<8>()?;
                let size = Some(u64::from_le_bytes(*size)).filter(|size| *size != UNKNOWN);
                Message::File { size, path: std::str::from_utf8(path).ok()? }
            }
            b'D' => Message::Folder { path: std::str::from_utf8(rest).ok()? },
            b'P' => Message::Prefix(rest.try_into().ok()?),
            &DATA => Message::Data(rest),
            b'E' => Message::End(rest.try_into().ok()?),
            b'X' => Message::Abort(reason(rest)?),
            b'Z' if rest.is_empty() => Message::Done,
            _ => return None,
        })
    }
}

/// Why a message is none.
const STRANGE: &str = "it does not begin as `nacre run send` does";

/// What a receiver says. `entry`: the number of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// `asks`: it states for each file of known length how much of it is there.
    Welcome { asks: bool },
    /// So many bytes of a file are there.
    There { entry: u64, length: u64 },
    /// The file goes on from here.
    From { entry: u64, offset: u64 },
    /// A file is stored: the sum of what is stored.
    Stored { entry: u64, sum: Sum },
    /// The folder is there.
    Made { entry: u64 },
    /// This entry is not taken, and why.
    Refused { entry: u64, why: String },
    /// An entry takes its time.
    Working,
    /// The sender is not accepted, and why. This answer is the same in all versions.
    Failed(String),
}

impl Answer {
    /// Encodes the answer; a long reason is cut.
    pub fn write(&self) -> Vec<u8> {
        let with = |kind: &[u8], entry: &u64, rest: &[u8]| [kind, &entry.to_le_bytes(), rest].concat();
        match self {
            Answer::Welcome { asks } => [MAGIC.as_slice(), &[VERSION, u8::from(*asks)]].concat(),
            Answer::There { entry, length } => with(b"H", entry, &length.to_le_bytes()),
            Answer::From { entry, offset } => with(b"C", entry, &offset.to_le_bytes()),
            Answer::Stored { entry, sum } => with(b"S", entry, sum),
            Answer::Made { entry } => with(b"M", entry, b""),
            Answer::Refused { entry, why } => with(b"N", entry, cut(why, REASON_MAX).as_bytes()),
            Answer::Working => b"K".to_vec(),
            Answer::Failed(why) => [b"not".as_slice(), cut(why, REASON_MAX).as_bytes()].concat(),
        }
    }

    /// None: no answer.
    pub fn read(message: &[u8]) -> Option<Answer> {
        if let Some(why) = message.strip_prefix(b"not") {
            return Some(Answer::Failed(reason(why)?));
        }
        if let Some(rest) = message.strip_prefix(MAGIC) {
            return matches!(rest, [VERSION, 0 | 1]).then(|| Answer::Welcome { asks: rest[1] == 1 });
        }
        let (kind, rest) = message.split_first()?;
        if kind == &b'K' {
            return rest.is_empty().then_some(Answer::Working);
        }
        let (entry, rest) = rest.split_first_chunk::<8>()?;
        let entry = u64::from_le_bytes(*entry);
        let number = || rest.try_into().ok().map(u64::from_le_bytes);
        Some(match kind {
            b'H' => Answer::There { entry, length: number()? },
            b'C' => Answer::From { entry, offset: number()? },
            b'S' => Answer::Stored { entry, sum: rest.try_into().ok()? },
            b'M' if rest.is_empty() => Answer::Made { entry },
            b'N' => Answer::Refused { entry, why: reason(rest)? },
            _ => return None,
        })
    }
}

/// A reason of the peer, safe to print.
fn reason(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).ok().filter(|why| why.len() <= REASON_MAX).map(printable)
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
pub fn hex(sum: &[u8]) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> Vec<Message<'static>> {
        vec![
            Message::Hello,
            Message::File { size: Some(1 << 40), path: "ünïcode/x" },
            Message::File { size: None, path: "" },
            Message::Folder { path: "a/b" },
            Message::Prefix([3; 32]),
            Message::Data(b"nacre\x01"),
            Message::End([7; 32]),
            Message::Abort("it has changed".into()),
            Message::Done,
        ]
    }

    fn answers() -> Vec<Answer> {
        vec![
            Answer::Welcome { asks: true },
            Answer::Welcome { asks: false },
            Answer::There { entry: 1, length: 1 << 40 },
            Answer::From { entry: 2, offset: 0 },
            Answer::Stored { entry: u64::MAX, sum: [9; 32] },
            Answer::Made { entry: 3 },
            Answer::Refused { entry: 4, why: "No space left on device".into() },
            Answer::Working,
            Answer::Failed(String::new()),
        ]
    }

    #[test]
    fn messages_and_answers_are_read_as_they_were_written() {
        for message in messages() {
            assert_eq!(Message::read(&message.write()), Ok(message));
        }
        for answer in answers() {
            assert_eq!(Answer::read(&answer.write()), Some(answer));
        }
    }

    #[test]
    fn reasons_are_cut_and_command_no_terminal() {
        let long = "ü".repeat(400);
        let Some(Answer::Failed(cut)) = Answer::read(&Answer::Failed(long.clone()).write()) else { panic!("none") };
        assert_eq!(cut.len(), REASON_MAX);
        assert_eq!(Answer::read(b"not a\x1b[2J\xe2\x80\xae"), Some(Answer::Failed(" a_[2J_".into())));
        let aborted = Message::Abort(long).write();
        assert!(matches!(Message::read(&aborted), Ok(Message::Abort(why)) if why.len() == REASON_MAX));
        assert_eq!(Message::read(b"Xa\nb"), Ok(Message::Abort("a_b".into())));
    }

    #[test]
    fn other_versions_are_named_and_everything_else_is_refused() {
        let old = Message::read(b"nacre\x01\0\0\0\0\0\0\0\0name").expect_err("old");
        assert!(old.contains("version 1") && old.contains("version 2"), "{old}");
        for wrong in [&b""[..], b"nacre", b"nacre\x02 ", b"F1234567", b"F12345678\xff", b"Psum", b"E", b"Z ", b"hello"]
        {
            assert!(Message::read(wrong).is_err(), "{wrong:?}");
        }
        for wrong in [&b""[..], b"nacre\x02", b"nacre\x02\x02", b"nacre\x01\x01", b"S12345678", b"K ", b"H", b"not\xff"]
        {
            assert_eq!(Answer::read(wrong), None, "{wrong:?}");
        }
    }

    /// Every message cut at every length, and with every byte changed, is read or refused.
    #[test]
    fn damaged_messages_are_read_or_refused() {
        let whole =
            messages().iter().map(Message::write).chain(answers().iter().map(Answer::write)).collect::<Vec<_>>();
        for message in &whole {
            for length in 0..=message.len() {
                let _ = (Message::read(&message[..length]), Answer::read(&message[..length]));
            }
            for at in 0..message.len() {
                for value in 0..=255 {
                    let mut damaged = message.clone();
                    damaged[at] = value;
                    let _ = (Message::read(&damaged), Answer::read(&damaged));
                }
            }
        }
    }
}
