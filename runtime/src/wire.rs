//! The runtime's own part of the wire format: the preamble, identification and control frames
//! (docs/wire.md).

pub mod secure;

use crate::error::Words;
use crate::listener_c::{self, identification, RawControl, RawIdentification, RawLabel};

/// Bytes of the preamble.
pub const PREAMBLE: usize = 4;
/// The shape of control frames.
pub const CONTROL: u8 = 127;
/// The version of the control frames.
pub const VERSION: u8 = 1;
/// The shape that announces a shape of 16 bits, in identified frames behind the fingerprint.
pub const LONG_SHAPE: u8 = 126;
/// The bits of a cookie.
pub const COOKIE_BITS: u32 = 24;

const HEAD: usize = 8;
const REFUSED: u8 = 0;
const UNKNOWN: u8 = 1;
const PING: u8 = 2;
const PONG: u8 = 3;
const RETRY: u8 = 4;
const ENDED: u8 = 5;
/// The longest text of an application in a control frame, in bytes.
pub const WORDS_MAX: usize = 255;

/// The first four bytes of every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preamble {
    pub identified: bool,
    /// 126: a 16-bit shape follows; 127: control.
    pub shape: u8,
    /// The cookie that the receiver chose; 0: not known.
    pub cookie: u32,
}

impl Preamble {
    /// Reads it; None if the frame is too short.
    pub fn read(frame: &[u8]) -> Option<Preamble> {
        let word = u32_at(frame, 0)?;
        Some(Preamble { identified: word & 1 != 0, shape: (word >> 1 & 0x7f) as u8, cookie: word >> 8 })
    }

    /// Whether a control frame follows.
    pub fn is_control(&self) -> bool {
        !self.identified && self.shape == CONTROL
    }

    fn to_bytes(self) -> [u8; PREAMBLE] {
        (u32::from(self.identified) | u32::from(self.shape) << 1 | self.cookie << 8).to_le_bytes()
    }
}

/// The fixed fields of an identified frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identification {
    pub fingerprint: u64,
    /// The cookie chosen by the sender, for frames to it.
    pub cookie: u32,
    /// The sender's identity; 0: its transport address.
    pub sender: u64,
    /// The receiver's, as the sender believes.
    pub receiver: u64,
    /// A random number that the sender drew for this connection; its low half is the sender's key.
    pub incarnation: u64,
    /// The receiver's key, if its cookie is known.
    pub key: u32,
}

/// What frames to an endpoint carry to show that their sender has seen a frame of it: the cookie that it chose, and its
/// key, the low half of its incarnation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Label {
    /// 0: not known.
    pub cookie: u32,
    pub key: u32,
}

impl From<RawLabel> for Label {
    fn from(RawLabel { cookie, key }: RawLabel) -> Label {
        Label { cookie, key }
    }
}

impl Identification {
    /// Reads it from an identified frame; None if the frame is too short. The check behind it is the stack's to judge.
    pub fn read(frame: &[u8]) -> Option<Identification> {
        let RawIdentification { fingerprint, sender, receiver, incarnation, cookie, key } = identification(frame)?;
        Some(Identification { fingerprint, cookie, sender, receiver, incarnation, key })
    }

    /// What frames to the sender are to carry.
    pub fn label(&self) -> Label {
        Label { cookie: self.cookie, key: self.incarnation as u32 }
    }
}

/// The key in a short frame; 0 if there is none.
pub fn short_key(frame: &[u8]) -> u32 {
    listener_c::short_key(frame)
}

/// The fingerprint in an identified frame; None if the frame is too short.
pub fn fingerprint(frame: &[u8]) -> Option<u64> {
    u64_at(frame, 4)
}

/// A control frame. `to` is what its receiver chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// The sender does not serve the stack with this fingerprint. `serves` counts those it serves (255: or more),
    /// `served` names those that fitted.
    Refused { to: Label, fingerprint: u64, serves: u8, served: Vec<u64> },
    /// The sender does not know what it found in a frame.
    Unknown { unknown: Label },
    /// Asks for a pong with the same token.
    Ping { to: Label, token: u64 },
    /// The answer to a ping.
    Pong { cookie: u32, token: u64 },
    /// The sender keeps nothing before the receiver has shown that it is where it claims to be: by frames with `label`.
    Retry { to: Label, label: Label },
    /// The sender ends a connection, or has ended it; why.
    Ended { to: Label, why: Ending, words: Words },
}

/// How a connection ends whose peer says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// There is no room for it.
    Busy = 0,
    /// The application refuses it: it has ended.
    Refused = 1,
    /// The application closes it in order; the stack says when it has ended.
    Farewell = 2,
    /// The stack has said that it ended in order: its end answers, and needs nothing any more.
    Over = 3,
}

impl Control {
    /// Reads a control frame; None if it is too short, of another version or of a kind that this version does not have.
    /// Bytes beyond those of its kind are ignored, so that later versions may add some.
    pub fn read(frame: &[u8]) -> Option<Control> {
        let (raw, rest) = RawControl::read(frame)?;
        let (to, number) = (Label::from(raw.to), raw.number);
        Some(match raw.kind as u8 {
            REFUSED => {
                let named = rest.chunks_exact(8);
                let served = named.map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes"))).collect();
                Control::Refused { to, fingerprint: number, serves: raw.serves as u8, served }
            }
            UNKNOWN => Control::Unknown { unknown: to },
            PING => Control::Ping { to, token: number },
            PONG => Control::Pong { cookie: to.cookie, token: number },
            RETRY => Control::Retry { to, label: raw.label.into() },
            _ => {
                let all = [Ending::Busy, Ending::Refused, Ending::Farewell, Ending::Over];
                let words = Words { code: raw.code, text: String::from_utf8_lossy(rest).into_owned() };
                Control::Ended { to, why: *all.get(raw.why as usize)?, words }
            }
        })
    }

    /// Writes the frame in at most `room` bytes, the length of its cause; None if it does not fit. A refusal names as
    /// many stacks as fit, and of a text there is as much as fits.
    pub fn write(&self, room: usize) -> Option<Vec<u8>> {
        let raw = |kind: u8, to: &Label| RawControl::new(kind, RawLabel { cookie: to.cookie, key: to.key });
        match self {
            Control::Refused { to, fingerprint, serves, served } => {
                let named: Vec<u8> = served.iter().flat_map(|one| one.to_le_bytes()).collect();
                let (number, serves) = (*fingerprint, (*serves).into());
                RawControl { number, serves, ..raw(REFUSED, to) }.write(&named, room)
            }
            Control::Unknown { unknown } => raw(UNKNOWN, unknown).write(&[], room),
            Control::Ping { to, token } => RawControl { number: *token, ..raw(PING, to) }.write(&[], room),
            Control::Pong { cookie, token } => {
                RawControl { number: *token, ..raw(PONG, &Label { cookie: *cookie, key: 0 }) }.write(&[], room)
            }
            Control::Retry { to, label: Label { cookie, key } } => {
                RawControl { label: RawLabel { cookie: *cookie, key: *key }, ..raw(RETRY, to) }.write(&[], room)
            }
            Control::Ended { to, why, words: Words { code, text } } => {
                RawControl { why: *why as u32, code: *code, ..raw(ENDED, to) }.write(text.as_bytes(), room)
            }
        }
    }
}

/// The first eight bytes of a control frame.
fn head(kind: u8, cookie: u32) -> Vec<u8> {
    let preamble = Preamble { identified: false, shape: CONTROL, cookie }.to_bytes();
    [preamble, [VERSION, kind, 0, 0]].concat()
}

/// As much of a text as fits.
fn cut(text: &str, room: usize) -> &str {
    let longest = room.min(text.len());
    let at = (0..=longest).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..at]
}

/// A cookie of 24 bits in 32, and a key; none if the other bits are not 0.
fn label(bytes: &[u8], at: usize) -> Option<Label> {
    let label = Label { cookie: u32_at(bytes, at)?, key: u32_at(bytes, at + 4)? };
    (label.cookie >> COOKIE_BITS == 0).then_some(label)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|four| u32::from_le_bytes(four.try_into().expect("4 bytes")))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8).map(|eight| u64::from_le_bytes(eight.try_into().expect("8 bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of the frame `ended` without its text.
    const ENDED_HEAD: usize = 18;
    const MINE: Label = Label { cookie: 0x030201, key: 0x12345678 };

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn golden_control_frames() {
        let refused = Control::Refused { to: MINE, fingerprint: 0x0807060504030201, serves: 2, served: vec![1, 2] };
        let golden = "fe0102030100000001020304050607087856341202";
        let one = "0100000000000000";
        assert_eq!(hex(&refused.write(36).unwrap()), format!("{golden}{one}"), "one name fits 36 bytes");
        assert_eq!(hex(&Control::Unknown { unknown: MINE }.write(12).unwrap()), "fe0102030101000078563412");
        let ping = Control::Ping { to: Label { cookie: 5, key: 0x12345678 }, token: 9 };
        assert_eq!(hex(&ping.write(20).unwrap()), "fe05000001020000090000000000000078563412");
        let retry = Control::Retry { to: MINE, label: Label { cookie: 0xabcdef, key: 1 } };
        assert_eq!(hex(&retry.write(20).unwrap()), "fe0102030104000078563412efcdab0001000000");
        let pong = Control::Pong { cookie: 5, token: 9 };
        assert_eq!(hex(&pong.write(16).unwrap()), "fe050000010300000900000000000000");
        let words = Words { code: 7, text: "no".into() };
        let ended = Control::Ended { to: MINE, why: Ending::Refused, words }.write(20).unwrap();
        assert_eq!(hex(&ended), "fe0102030105000078563412070000000102".to_string() + "6e6f");
    }

    #[test]
    fn control_frames_read_as_written() {
        let all = [
            Control::Refused { to: MINE, fingerprint: 8, serves: 3, served: vec![9, 10, 11] },
            Control::Unknown { unknown: Label { cookie: 0xffffff, key: u32::MAX } },
            Control::Ping { to: MINE, token: u64::MAX },
            Control::Pong { cookie: 0xffffff, token: 3 },
            Control::Retry { to: MINE, label: Label { cookie: 1, key: 2 } },
            Control::Ended { to: MINE, why: Ending::Busy, words: Words::default() },
            Control::Ended { to: MINE, why: Ending::Refused, words: Words { code: u32::MAX, text: "nö".into() } },
            Control::Ended { to: MINE, why: Ending::Farewell, words: Words { code: 1, text: "x".repeat(70) } },
        ];
        for control in all {
            let frame = control.write(100).unwrap();
            assert_eq!(Control::read(&frame), Some(control));
            for len in 0..frame.len().min(12) {
                assert_eq!(Control::read(&frame[..len]), None);
            }
        }
    }

    #[test]
    fn answer_is_never_larger_than_its_cause() {
        assert_eq!(Control::Unknown { unknown: MINE }.write(11), None);
        let refused = Control::Refused { to: MINE, fingerprint: 1, serves: 200, served: vec![5; 200] };
        for room in 0..200 {
            assert!(refused.write(room).is_none_or(|frame| frame.len() <= room));
            let words = Words { code: 1, text: "ö".repeat(127) };
            let ended = Control::Ended { to: MINE, why: Ending::Refused, words }.write(room);
            assert!(ended.as_ref().is_none_or(|frame| frame.len() <= room && Control::read(frame).is_some()));
            assert_eq!(ended.is_some(), room >= ENDED_HEAD);
        }
    }

    #[test]
    fn other_versions_are_not_read() {
        let mut frame = Control::Unknown { unknown: MINE }.write(12).unwrap();
        frame[4] = 2;
        assert_eq!(Control::read(&frame), None);
    }

    #[test]
    fn identification_follows_a_long_shape() {
        let short: Vec<u8> = [3].into_iter().chain(1..60).collect();
        let mut long = short.clone();
        long[0] = 1 | LONG_SHAPE << 1;
        long.splice(12..12, [0xaa, 0xbb]);
        assert_eq!(Identification::read(&short), Identification::read(&long));
        assert_eq!(Identification::read(&short).unwrap().cookie, 0x0e0d0c);
        assert_eq!(Identification::read(&short[..43]), None);
        assert_eq!(Identification::read(&long[..45]), None);
    }

    #[test]
    fn preamble_has_its_bits_in_place() {
        let preamble = Preamble::read(&[0b0000_0101, 0x11, 0x22, 0x33]).unwrap();
        assert_eq!(preamble, Preamble { identified: true, shape: 2, cookie: 0x332211 });
        assert_eq!(Preamble::read(&[0; 3]), None);
    }
}
