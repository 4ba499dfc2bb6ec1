//! The runtime's own part of the wire format: the preamble, identification and control frames
//! (docs/wire.md).

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
/// Bytes of a refusal that names no stack.
const REFUSED_HEAD: usize = 17;

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
    /// A random number that the sender drew for this connection.
    pub incarnation: u64,
}

impl Identification {
    /// Reads it from an identified frame; None if the frame is too short. The check behind it is the stack's to judge.
    pub fn read(frame: &[u8]) -> Option<Identification> {
        let long_shape = Preamble::read(frame)?.shape == LONG_SHAPE;
        let at = if long_shape { 14 } else { 12 };
        Some(Identification {
            fingerprint: fingerprint(frame)?,
            cookie: u32_at(frame, at)? & 0xff_ffff,
            sender: u64_at(frame, at + 4)?,
            receiver: u64_at(frame, at + 12)?,
            incarnation: u64_at(frame, at + 20)?,
        })
    }
}

/// The fingerprint in an identified frame; None if the frame is too short.
pub fn fingerprint(frame: &[u8]) -> Option<u64> {
    u64_at(frame, 4)
}

/// A control frame. `cookie` is the one that its receiver chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// The sender does not serve the stack with this fingerprint. `serves` counts those it serves (255: or more),
    /// `served` names those that fitted.
    Refused { cookie: u32, fingerprint: u64, serves: u8, served: Vec<u64> },
    /// The sender does not know the cookie that it found in a frame.
    Unknown { unknown: u32 },
    /// Asks for a pong with the same token.
    Ping { cookie: u32, token: u64 },
    /// The answer to a ping.
    Pong { cookie: u32, token: u64 },
}

impl Control {
    /// Reads a control frame; None if it is too short, of another version or of a kind that this version does not have.
    /// Bytes beyond those of its kind are ignored, so that later versions may add some.
    pub fn read(frame: &[u8]) -> Option<Control> {
        let preamble = Preamble::read(frame).filter(Preamble::is_control)?;
        if frame.get(4..HEAD)? != [VERSION, frame[5], 0, 0] {
            return None;
        }
        let cookie = preamble.cookie;
        match frame[5] {
            REFUSED => {
                let fingerprint = u64_at(frame, 8)?;
                let serves = *frame.get(16)?;
                let named = frame[REFUSED_HEAD..].chunks_exact(8).take(usize::from(serves));
                let served = named.map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes"))).collect();
                Some(Control::Refused { cookie, fingerprint, serves, served })
            }
            UNKNOWN => Some(Control::Unknown { unknown: u32_at(frame, 8)? & 0xff_ffff }),
            PING => Some(Control::Ping { cookie, token: u64_at(frame, 8)? }),
            PONG => Some(Control::Pong { cookie, token: u64_at(frame, 8)? }),
            _ => None,
        }
    }

    /// Writes the frame in at most `room` bytes, the length of its cause; None if it does not fit. A refusal names as
    /// many stacks as fit.
    pub fn write(&self, room: usize) -> Option<Vec<u8>> {
        let (kind, cookie) = match self {
            Control::Refused { cookie, .. } => (REFUSED, *cookie),
            Control::Unknown { .. } => (UNKNOWN, 0),
            Control::Ping { cookie, .. } => (PING, *cookie),
            Control::Pong { cookie, .. } => (PONG, *cookie),
        };
        let mut frame = Preamble { identified: false, shape: CONTROL, cookie }.to_bytes().to_vec();
        frame.extend([VERSION, kind, 0, 0]);
        match self {
            Control::Refused { fingerprint, serves, served, .. } => {
                frame.extend(fingerprint.to_le_bytes());
                frame.push(*serves);
                let fit = room.saturating_sub(REFUSED_HEAD) / 8;
                served.iter().take(fit).for_each(|one| frame.extend(one.to_le_bytes()));
            }
            Control::Unknown { unknown } => frame.extend(unknown.to_le_bytes()),
            Control::Ping { token, .. } | Control::Pong { token, .. } => frame.extend(token.to_le_bytes()),
        }
        (frame.len() <= room).then_some(frame)
    }
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

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn golden_control_frames() {
        let refused =
            Control::Refused { cookie: 0x030201, fingerprint: 0x0807060504030201, serves: 2, served: vec![1, 2] };
        let golden = "fe010203010000000102030405060708020100000000000000";
        assert_eq!(hex(&refused.write(32).unwrap()), golden, "one name fits 32 bytes");
        assert_eq!(hex(&Control::Unknown { unknown: 0xabcdef }.write(12).unwrap()), "fe00000001010000efcdab00");
        let ping = Control::Ping { cookie: 5, token: 9 };
        assert_eq!(hex(&ping.write(16).unwrap()), "fe050000010200000900000000000000");
        let pong = Control::Pong { cookie: 5, token: 9 };
        assert_eq!(hex(&pong.write(16).unwrap()), "fe050000010300000900000000000000");
    }

    #[test]
    fn control_frames_read_as_written() {
        let all = [
            Control::Refused { cookie: 7, fingerprint: 8, serves: 3, served: vec![9, 10, 11] },
            Control::Unknown { unknown: 0xffffff },
            Control::Ping { cookie: 1, token: u64::MAX },
            Control::Pong { cookie: 0xffffff, token: 3 },
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
        assert_eq!(Control::Unknown { unknown: 1 }.write(11), None);
        let refused = Control::Refused { cookie: 0, fingerprint: 1, serves: 200, served: vec![5; 200] };
        for room in 0..200 {
            assert!(refused.write(room).is_none_or(|frame| frame.len() <= room));
        }
    }

    #[test]
    fn other_versions_are_not_read() {
        let mut frame = Control::Unknown { unknown: 1 }.write(12).unwrap();
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
        assert_eq!(Identification::read(&short[..39]), None);
        assert_eq!(Identification::read(&long[..41]), None);
    }

    #[test]
    fn preamble_has_its_bits_in_place() {
        let preamble = Preamble::read(&[0b0000_0101, 0x11, 0x22, 0x33]).unwrap();
        assert_eq!(preamble, Preamble { identified: true, shape: 2, cookie: 0x332211 });
        assert_eq!(Preamble::read(&[0; 3]), None);
    }
}
