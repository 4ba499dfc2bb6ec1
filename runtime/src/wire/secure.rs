//! The control frames of secure connections: the handshake, sealed frames, and stateless resets (docs/wire.md).

use super::{head, label, u32_at, u64_at, Label, Preamble, HEAD, VERSION};
use crate::error::Words;
use crate::secure::noise::{Pattern, Suite};
use crate::secure::reset::{Token, TOKEN_BYTES};

pub(crate) const INITIATE: u8 = 6;
pub(crate) const RESPOND: u8 = 7;
pub(crate) const FINISH: u8 = 8;
pub(crate) const SEALED: u8 = 9;
pub(crate) const RESET: u8 = 10;

/// The longest frame of a handshake: it crosses every path that is in use.
pub(crate) const HANDSHAKE_MAX: usize = 1_400;
/// Bytes of *respond* before its message.
pub(crate) const RESPOND_HEAD: usize = 22;
/// Bytes of a sealed frame before what is sealed. They are authenticated, too.
pub(crate) const SEALED_HEAD: usize = 20;

/// 6: a peer begins a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initiate {
    /// That of a *retry*; nothing: none.
    pub proof: Label,
    pub fingerprint: u64,
    /// What frames to the sender carry.
    pub from: Label,
    pub pattern: Pattern,
    pub suite: Suite,
    pub message: Vec<u8>,
}

/// 7: the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respond {
    pub to: Label,
    /// What frames to the sender carry.
    pub from: Label,
    pub message: Vec<u8>,
}

/// 8: the initiator has the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finish {
    pub to: Label,
    pub message: Vec<u8>,
}

/// 9: a frame that only the peer can have made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    pub to: Label,
    pub number: u64,
    pub sealed: Vec<u8>,
}

/// 10: the sender has forgotten the connection of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    /// What the frame carried.
    pub unknown: Label,
    pub token: Token,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecureControl {
    Initiate(Initiate),
    Respond(Respond),
    Finish(Finish),
    Sealed(Sealed),
    Reset(Reset),
}

impl SecureControl {
    /// Reads a control frame of these kinds; none if it is of another kind or version, or malformed.
    pub fn read(frame: &[u8]) -> Option<SecureControl> {
        let cookie = Preamble::read(frame).filter(Preamble::is_control)?.cookie;
        if frame.get(4..HEAD)? != [VERSION, frame[5], 0, 0] {
            return None;
        }
        let to = |at: usize| Some(Label { cookie, key: u32_at(frame, at)? });
        match frame[5] {
            INITIATE => read_initiate(frame, to(24)?).map(SecureControl::Initiate),
            RESPOND => {
                let message = message_at(frame, 20)?;
                Some(SecureControl::Respond(Respond { to: to(8)?, from: label(frame, 12)?, message }))
            }
            FINISH => Some(SecureControl::Finish(Finish { to: to(8)?, message: message_at(frame, 12)? })),
            SEALED => {
                let (number, sealed) = (u64_at(frame, 12)?, frame.get(SEALED_HEAD..)?.to_vec());
                Some(SecureControl::Sealed(Sealed { to: to(8)?, number, sealed }))
            }
            RESET => {
                let token = frame.get(12..12 + TOKEN_BYTES)?.try_into().ok()?;
                Some(SecureControl::Reset(Reset { unknown: to(8)?, token }))
            }
            _ => None,
        }
    }
}

fn read_initiate(frame: &[u8], proof: Label) -> Option<Initiate> {
    let (pattern, suite) = (Pattern::from_number(*frame.get(28)?)?, Suite::from_number(*frame.get(29)?)?);
    let (fingerprint, from) = (u64_at(frame, 8)?, label(frame, 16)?);
    (frame.len() <= HANDSHAKE_MAX && from.cookie != 0).then_some(())?;
    Some(Initiate { proof, fingerprint, from, pattern, suite, message: message_at(frame, 30)? })
}

/// A message with its length before it.
fn message_at(frame: &[u8], at: usize) -> Option<Vec<u8>> {
    let len = u16::from_le_bytes(frame.get(at..at + 2)?.try_into().ok()?);
    frame.get(at + 2..at + 2 + usize::from(len)).map(<[u8]>::to_vec)
}

impl Initiate {
    /// The frame, which is padded to `room` bytes: its answer must not be longer than it.
    pub fn write(&self, room: usize) -> Vec<u8> {
        let mut frame = head(INITIATE, self.proof.cookie);
        frame.extend(self.fingerprint.to_le_bytes());
        [self.from.cookie, self.from.key, self.proof.key].iter().for_each(|word| frame.extend(word.to_le_bytes()));
        frame.extend([self.pattern as u8, self.suite as u8]);
        put_message(&mut frame, &self.message);
        frame.resize(frame.len().max(room), 0);
        frame
    }

    /// Bytes of the answer to a message of this pattern and suite.
    pub fn answer_len(pattern: Pattern, suite: Suite) -> usize {
        let ephemeral = 32 + if suite == Suite::Hybrid { 1_088 + 16 } else { 0 };
        let identity = if pattern == Pattern::Xx { 32 + 16 } else { 0 };
        RESPOND_HEAD + ephemeral + identity + crate::secure::payload::PAYLOAD_BYTES + 16
    }
}

impl Respond {
    /// The frame.
    pub fn write(&self) -> Vec<u8> {
        let mut frame = head(RESPOND, self.to.cookie);
        [self.to.key, self.from.cookie, self.from.key].iter().for_each(|word| frame.extend(word.to_le_bytes()));
        put_message(&mut frame, &self.message);
        frame
    }
}

impl Finish {
    /// What the frame begins with: its message is sealed with this.
    pub fn head(to: Label) -> Vec<u8> {
        let mut frame = head(FINISH, to.cookie);
        frame.extend(to.key.to_le_bytes());
        frame
    }

    /// The frame.
    pub fn write(&self) -> Vec<u8> {
        let mut frame = Finish::head(self.to);
        put_message(&mut frame, &self.message);
        frame
    }
}

fn put_message(frame: &mut Vec<u8>, message: &[u8]) {
    frame.extend((message.len() as u16).to_le_bytes());
    frame.extend(message);
}

impl Sealed {
    /// What the frame begins with.
    pub fn head(to: Label, number: u64) -> Vec<u8> {
        let mut frame = head(SEALED, to.cookie);
        frame.extend(to.key.to_le_bytes());
        frame.extend(number.to_le_bytes());
        frame
    }

    /// The frame.
    pub fn write(&self) -> Vec<u8> {
        let mut frame = Sealed::head(self.to, self.number);
        frame.extend(&self.sealed);
        frame
    }
}

impl Reset {
    /// The frame, if it is no longer than `room`, the length of its cause.
    pub fn write(&self, room: usize) -> Option<Vec<u8>> {
        let mut frame = head(RESET, self.unknown.cookie);
        frame.extend(self.unknown.key.to_le_bytes());
        frame.extend(self.token);
        (frame.len() <= room).then_some(frame)
    }
}

/// What is sealed in a control frame. What follows is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inner {
    /// Asks for a pong with the same token.
    Ping(u64),
    Pong(u64),
    /// The application refuses the connection: it has ended.
    Refused(Words),
    /// The application closes it in order.
    Farewell(Words),
    /// The stack has said that it ended in order.
    Over,
    /// The sender has read *finish*.
    Confirmed,
}

impl Inner {
    /// Reads it.
    pub fn read(bytes: &[u8]) -> Option<Inner> {
        match *bytes.first()? {
            0 => Some(Inner::Ping(u64_at(bytes, 1)?)),
            1 => Some(Inner::Pong(u64_at(bytes, 1)?)),
            2 => words_at(bytes).map(Inner::Refused),
            3 => words_at(bytes).map(Inner::Farewell),
            4 => Some(Inner::Over),
            5 => Some(Inner::Confirmed),
            _ => None,
        }
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = |kind: u8, words: &Words| {
            let text = super::cut(&words.text, super::WORDS_MAX);
            [&[kind][..], &words.code.to_le_bytes(), &[text.len() as u8], text.as_bytes()].concat()
        };
        let token = |kind: u8, token: &u64| [&[kind][..], &token.to_le_bytes()].concat();
        match self {
            Inner::Ping(number) => token(0, number),
            Inner::Pong(number) => token(1, number),
            Inner::Refused(said) => words(2, said),
            Inner::Farewell(said) => words(3, said),
            Inner::Over => vec![4],
            Inner::Confirmed => vec![5],
        }
    }
}

fn words_at(bytes: &[u8]) -> Option<Words> {
    let text = bytes.get(6..6 + usize::from(*bytes.get(5)?))?;
    Some(Words { code: u32_at(bytes, 1)?, text: String::from_utf8_lossy(text).into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: Label = Label { cookie: 0x030201, key: 0x12345678 };
    const THEIRS: Label = Label { cookie: 0x060504, key: 0x0a090807 };

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn initiate() -> Initiate {
        let (pattern, suite) = (Pattern::Ik, Suite::X25519);
        let message = vec![0xaa, 0xbb];
        Initiate { proof: THEIRS, fingerprint: 0x0807060504030201, from: MINE, pattern, suite, message }
    }

    #[test]
    fn golden_frames_of_the_handshake() {
        let golden = "fe040506010600000102030405060708010203007856341207080 90a0101".replace(' ', "");
        assert_eq!(hex(&initiate().write(36)), format!("{golden}0200aabb0000"));
        let respond = Respond { to: MINE, from: THEIRS, message: vec![0xaa] };
        assert_eq!(hex(&respond.write()), "fe0102030107000078563412040506000708090a0100aa");
        let finish = Finish { to: THEIRS, message: vec![0xaa] };
        assert_eq!(hex(&finish.write()), "fe040506010800000708090a0100aa");
        let sealed = Sealed { to: THEIRS, number: 0x0102, sealed: vec![0xaa] };
        assert_eq!(hex(&sealed.write()), "fe040506010900000708090a0201000000000000aa");
        let reset = Reset { unknown: THEIRS, token: [0xcc; 16] };
        let golden = format!("fe040506010a00000708090a{}", "cc".repeat(16));
        assert_eq!(hex(&reset.write(28).unwrap()), golden);
        assert_eq!(reset.write(27), None, "never longer than its cause");
    }

    #[test]
    fn golden_sealed_contents() {
        let words = Words { code: 7, text: "no".into() };
        let all = [
            (Inner::Ping(9), "000900000000000000"),
            (Inner::Pong(9), "010900000000000000"),
            (Inner::Refused(words.clone()), "0207000000026e6f"),
            (Inner::Farewell(words), "0307000000026e6f"),
            (Inner::Over, "04"),
            (Inner::Confirmed, "05"),
        ];
        for (inner, golden) in all {
            assert_eq!(hex(&inner.to_bytes()), golden);
            let padded = [&inner.to_bytes()[..], &[0; 9]].concat();
            assert_eq!(Inner::read(&padded), Some(inner));
        }
        assert_eq!((Inner::read(&[]), Inner::read(&[6]), Inner::read(&[0, 1])), (None, None, None));
        assert_eq!(Inner::read(&[2, 0, 0, 0, 0, 9, b'a']), None, "a text that is cut");
    }

    #[test]
    fn frames_read_as_written_and_cut_ones_do_not() {
        let respond = Respond { to: MINE, from: THEIRS, message: vec![1; 60] };
        let (finish, sealed) = (Finish { to: MINE, message: vec![2; 16] }, vec![3; 30]);
        let sealed = Sealed { to: MINE, number: 4, sealed };
        let reset = Reset { unknown: MINE, token: [5; 16] };
        let all = [
            (initiate().write(0), SecureControl::Initiate(initiate())),
            (respond.write(), SecureControl::Respond(respond)),
            (finish.write(), SecureControl::Finish(finish)),
            (reset.write(100).unwrap(), SecureControl::Reset(reset)),
        ];
        for (frame, control) in all {
            assert_eq!(SecureControl::read(&frame).as_ref(), Some(&control));
            (0..frame.len()).for_each(|len| assert_eq!(SecureControl::read(&frame[..len]), None, "{control:?} {len}"));
            for (at, value) in [(4, 2), (5, 11), (6, 1), (7, 1), (0, 0xfc)] {
                let mut other = frame.clone();
                other[at] = value;
                assert_eq!(SecureControl::read(&other), None);
            }
        }
        assert_eq!(SecureControl::read(&sealed.write()), Some(SecureControl::Sealed(sealed.clone())));
        assert_eq!(SecureControl::read(&sealed.write()[..SEALED_HEAD - 1]), None);
    }

    #[test]
    fn initiates_of_other_versions_are_not_read() {
        let read = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut frame = initiate().write(0);
            change(&mut frame);
            SecureControl::read(&frame)
        };
        assert!(read(&|_| {}).is_some());
        assert_eq!(read(&|frame| frame[28] = 3), None, "another pattern");
        assert_eq!(read(&|frame| frame[29] = 2), None, "another suite");
        assert_eq!(read(&|frame| frame[16..19].fill(0)), None, "no cookie");
        assert_eq!(read(&|frame| frame[19] = 1), None, "25 bits");
        assert_eq!(read(&|frame| frame.resize(HANDSHAKE_MAX + 1, 0)), None, "longer than any");
    }
}
