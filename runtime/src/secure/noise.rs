//! The patterns of the Noise protocol framework that connections use, with messages that fail without effect.

use crate::secure::erased::Erased;
use crate::secure::keys::{Key, Keys, Psk, PublicKey};
use crate::secure::primitives::{CipherHandle, Entropy, Primitives};
use crate::wire::Label;
use snow::params::{
    BaseChoice, CipherChoice, DHChoice, HandshakeChoice, HandshakeModifier, HandshakeModifierList, HandshakePattern,
    HashChoice, KemChoice, NoiseParams,
};
use snow::{Builder, HandshakeState};
use std::sync::Mutex;
use zeroize::{Zeroize, Zeroizing};

/// The longest message: that of a frame of 1,400 bytes.
const MESSAGE_MAX: usize = 1_400;

/// Which keys the endpoints know of each other beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// None.
    Xx = 0,
    /// The initiator knows the responder's.
    Ik = 1,
    /// A secret that both have.
    Psk = 2,
}

/// How keys are agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// X25519 and ML-KEM-768: the result is secret as long as one of them is secure.
    Hybrid = 0,
    /// X25519 alone.
    X25519 = 1,
}

impl Pattern {
    /// The pattern with a number of the wire.
    pub fn from_number(number: u8) -> Option<Pattern> {
        [Pattern::Xx, Pattern::Ik, Pattern::Psk].into_iter().find(|pattern| *pattern as u8 == number)
    }
}

impl Suite {
    /// The suite with a number of the wire.
    pub fn from_number(number: u8) -> Option<Suite> {
        [Suite::Hybrid, Suite::X25519].into_iter().find(|suite| *suite as u8 == number)
    }
}

/// What both ends must agree on before the first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameters {
    pub pattern: Pattern,
    pub suite: Suite,
    pub fingerprint: u64,
    /// What frames to the initiator carry.
    pub initiator: Label,
}

impl Parameters {
    fn prologue(&self) -> Vec<u8> {
        let mut bytes = b"nacre secure connection 1".to_vec();
        bytes.extend(self.fingerprint.to_le_bytes());
        bytes.extend(self.initiator.cookie.to_le_bytes());
        bytes.extend(self.initiator.key.to_le_bytes());
        bytes.extend([self.pattern as u8, self.suite as u8]);
        bytes
    }

    /// Its name in Noise.
    pub(crate) fn name(&self) -> String {
        let pattern = match (self.pattern, self.suite) {
            (Pattern::Xx, Suite::Hybrid) => "XXhfs",
            (Pattern::Xx, Suite::X25519) => "XX",
            (Pattern::Ik, Suite::Hybrid) => "IKhfs",
            (Pattern::Ik, Suite::X25519) => "IK",
            (Pattern::Psk, Suite::Hybrid) => "NNhfs+psk0",
            (Pattern::Psk, Suite::X25519) => "NNpsk0",
        };
        let kem = if self.suite == Suite::Hybrid { "+ML-KEM-768" } else { "" };
        format!("Noise_{pattern}_25519{kem}_ChaChaPoly_SHA256")
    }

    fn noise(&self) -> NoiseParams {
        let pattern = match self.pattern {
            Pattern::Xx => HandshakePattern::XX,
            Pattern::Ik => HandshakePattern::IK,
            Pattern::Psk => HandshakePattern::NN,
        };
        let hybrid = (self.suite == Suite::Hybrid).then_some(HandshakeModifier::Hfs);
        let psk = (self.pattern == Pattern::Psk).then_some(HandshakeModifier::Psk(0));
        let list = hybrid.into_iter().chain(psk).collect();
        let handshake = HandshakeChoice { pattern, modifiers: HandshakeModifierList { list } };
        // The library knows one KEM by name; which one it is, `Primitives` decides.
        let kem = (self.suite == Suite::Hybrid).then_some(KemChoice::Kyber1024);
        let (dh, cipher, hash) = (DHChoice::Curve25519, CipherChoice::ChaChaPoly, HashChoice::SHA256);
        NoiseParams::new(self.name(), BaseChoice::Noise, handshake, dh, kem, cipher, hash)
    }
}

/// The secrets with which an endpoint takes part.
#[derive(Clone, Copy)]
pub(crate) struct Credentials<'a> {
    pub keys: Option<&'a Keys>,
    pub psk: Option<&'a Psk>,
    /// The responder's key, which the initiator of IK knows.
    pub expected: Option<&'a PublicKey>,
}

/// A handshake did not go on: a key is missing, or a message is forged or not for this end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure;

impl From<snow::Error> for Failure {
    fn from(_: snow::Error) -> Failure {
        Failure
    }
}

/// One end of a handshake.
pub(crate) struct Noise {
    state: Erased<HandshakeState>,
    cipher: CipherHandle,
}

/// The keys at the end: of the messages of the initiator, and of the responder.
pub(crate) struct Split {
    pub by_initiator: Key,
    pub by_responder: Key,
    /// The hash of all that the ends have said.
    pub hash: [u8; 32],
}

impl Noise {
    /// Prepares one end.
    pub(crate) fn new(
        parameters: &Parameters,
        credentials: &Credentials<'_>,
        entropy: Entropy,
        is_initiator: bool,
    ) -> Result<Noise, Failure> {
        Noise::with_prologue(parameters, &parameters.prologue(), credentials, entropy, is_initiator)
    }

    /// The same, with another prologue, for test vectors.
    pub(crate) fn with_prologue(
        parameters: &Parameters,
        prologue: &[u8],
        credentials: &Credentials<'_>,
        entropy: Entropy,
        is_initiator: bool,
    ) -> Result<Noise, Failure> {
        let cipher = CipherHandle::default();
        let primitives = Primitives { entropy, cipher: Mutex::new(Some(cipher.clone())) };
        let mut builder = Builder::with_resolver(parameters.noise(), Box::new(primitives)).prologue(prologue)?;
        if parameters.pattern == Pattern::Psk {
            builder = builder.psk(0, credentials.psk.ok_or(Failure)?.secret())?;
        } else {
            builder = builder.local_private_key(credentials.keys.ok_or(Failure)?.secret())?;
        }
        if let (Pattern::Ik, true) = (parameters.pattern, is_initiator) {
            builder = builder.remote_public_key(&credentials.expected.ok_or(Failure)?.0)?;
        }
        let state = if is_initiator { builder.build_initiator() } else { builder.build_responder() }?;
        Ok(Noise { state: Erased::new(state), cipher })
    }

    /// Writes the next message with a payload.
    pub(crate) fn write(&mut self, payload: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut message = vec![0; MESSAGE_MAX];
        let len = self.state.write_message(payload, &mut message)?;
        message.truncate(len);
        Ok(message)
    }

    /// Reads the next message; returns its payload. If it fails, another message can be read in its place.
    pub(crate) fn read(&mut self, message: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let mut payload = Zeroizing::new(vec![0; message.len()]);
        let kept = self.cipher.keep();
        match self.state.read_message(message, &mut payload) {
            Ok(len) => {
                payload.truncate(len);
                Ok(payload)
            }
            Err(_) => {
                self.cipher.put_back(kept);
                Err(Failure)
            }
        }
    }

    /// The peer's public key, once it is known.
    pub(crate) fn peer_key(&self) -> Option<PublicKey> {
        self.state.get_remote_static().and_then(|key| Some(PublicKey(key.try_into().ok()?)))
    }

    /// The keys, after the last message.
    pub(crate) fn split(mut self) -> Split {
        debug_assert!(self.state.is_handshake_finished());
        let (mut by_initiator, mut by_responder) = self.state.dangerously_get_raw_split();
        let hash = self.state.get_handshake_hash().try_into().expect("a hash of SHA-256");
        let split = Split { by_initiator: Key(by_initiator), by_responder: Key(by_responder), hash };
        by_initiator.zeroize();
        by_responder.zeroize();
        split
    }
}

impl std::fmt::Debug for Noise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Noise(..)")
    }
}
