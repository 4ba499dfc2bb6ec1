//! The handshake of a secure connection: one end begins it, the other answers. Messages in, messages and keys out; no
//! frames, no addresses and no time.
//!
//! ```text
//! initiator                       responder
//!     message 1: who it is (IK, psk)  ->
//!     <-  message 2: who it is
//!     message 3: who it is (XX), or its reset token, which shows that it has the keys (IK, psk)  ->
//! ```
//!
//! A message that fails has no effect: the right one may come after it.

use crate::secure::aead::{open, seal, TAG};
use crate::secure::channel::Channel;
use crate::secure::derive::expand;
use crate::secure::keys::{Key, Keys, PublicKey};
use crate::secure::noise::{Credentials, Failure, Noise, Parameters, Pattern, Split};
use crate::secure::payload::Payload;
use crate::secure::primitives::nonce;
pub(crate) use crate::secure::primitives::Entropy;
use crate::secure::reset::TOKEN_BYTES;

/// The nonce of the message that shows that the initiator has the keys. Sealed control frames have greater ones.
const CONFIRMING: u64 = 0;

/// What both ends have agreed on.
#[derive(Debug)]
pub(crate) struct Agreed {
    /// The key of the stack's messages to the peer.
    pub sealing: Key,
    /// The key of the stack's messages from the peer.
    pub opening: Key,
    /// What no other connection has, and no secret.
    pub binding: Key,
    /// The sealed control frames of both directions.
    pub channel: Channel,
    /// What the peer says of itself.
    pub peer: Payload,
    /// The peer's identity; none: both have the same secret.
    pub peer_key: Option<PublicKey>,
}

impl Agreed {
    fn new(split: Split, is_initiator: bool, peer: Payload, peer_key: Option<PublicKey>) -> Agreed {
        let Split { by_initiator, by_responder, hash } = split;
        let (out, back) = if is_initiator { (by_initiator, by_responder) } else { (by_responder, by_initiator) };
        let [sealing, opening] = [&out, &back].map(|key| expand(&key.0, b"nacre data"));
        let [control_out, control_back] = [&out, &back].map(|key| expand(&key.0, b"nacre control"));
        let binding = expand(&hash, b"nacre binding");
        Agreed { sealing, opening, binding, channel: Channel::new(control_out, control_back), peer, peer_key }
    }
}

/// The end that begins.
#[derive(Debug)]
pub(crate) struct Initiator {
    noise: Noise,
    parameters: Parameters,
    own: Payload,
}

impl Initiator {
    /// Begins; returns message 1, which may be sent more than once.
    pub(crate) fn start(
        parameters: Parameters,
        credentials: &Credentials<'_>,
        own: Payload,
        entropy: Entropy,
    ) -> Result<(Initiator, Vec<u8>), Failure> {
        let mut noise = Noise::new(&parameters, credentials, entropy, true)?;
        let message = match parameters.pattern {
            Pattern::Xx => noise.write(&[]),
            // Who gets the responder's key later, or has the common secret, reads it: not the token.
            Pattern::Ik | Pattern::Psk => noise.write(&Payload { reset: Default::default(), ..own }.to_bytes()),
        }?;
        Ok((Initiator { noise, parameters, own }, message))
    }

    /// Reads message 2. Returns what the responder says of itself, and whose key it has.
    pub(crate) fn read(&mut self, message: &[u8]) -> Result<(Payload, Option<PublicKey>), Failure> {
        let payload = self.noise.read(message)?;
        let peer = Payload::read(&payload).ok_or(Failure)?;
        Ok((peer, self.noise.peer_key()))
    }

    /// Writes message 3, of a frame that begins with `head`. Nothing else may follow.
    pub(crate) fn finish(
        mut self,
        peer: Payload,
        peer_key: Option<PublicKey>,
        head: &[u8],
    ) -> Result<(Agreed, Vec<u8>), Failure> {
        let is_xx = self.parameters.pattern == Pattern::Xx;
        let last = if is_xx { self.noise.write(&self.own.to_bytes())? } else { Vec::new() };
        let split = self.noise.split();
        let confirming = expand(&split.by_initiator.0, b"nacre confirm");
        let agreed = Agreed::new(split, true, peer, peer_key);
        if is_xx {
            return Ok((agreed, last));
        }
        let mut sealed = vec![0; TOKEN_BYTES + TAG];
        seal(&confirming.0, &nonce(CONFIRMING), head, &self.own.reset, &mut sealed);
        Ok((agreed, sealed))
    }
}

/// The end that answers.
#[derive(Debug)]
pub(crate) enum Responder {
    /// XX: it waits for the initiator's identity.
    Unknown(Box<Noise>),
    /// IK, psk: it has the keys, and waits for the proof that the initiator has them.
    Unconfirmed(Box<(Agreed, Key)>),
    /// It was used up.
    Done,
}

impl Responder {
    /// Reads message 1 and writes message 2.
    pub(crate) fn start(
        parameters: &Parameters,
        credentials: &Credentials<'_>,
        own: Payload,
        entropy: Entropy,
        message: &[u8],
    ) -> Result<(Responder, Vec<u8>), Failure> {
        let mut noise = Noise::new(parameters, credentials, entropy, false)?;
        let payload = noise.read(message)?;
        if parameters.pattern == Pattern::Xx {
            let answer = payload.is_empty().then(|| noise.write(&own.to_bytes())).ok_or(Failure)??;
            return Ok((Responder::Unknown(Box::new(noise)), answer));
        }
        let peer = read_initiator(&payload, parameters)?;
        let answer = noise.write(&own.to_bytes())?;
        let peer_key = noise.peer_key();
        let split = noise.split();
        let confirming = expand(&split.by_initiator.0, b"nacre confirm");
        let agreed = Agreed::new(split, false, peer, peer_key);
        Ok((Responder::Unconfirmed(Box::new((agreed, confirming))), answer))
    }

    /// Reads message 3, of a frame that begins with `head`. It may fail, and then be read again.
    pub(crate) fn finish(&mut self, parameters: &Parameters, head: &[u8], message: &[u8]) -> Result<Agreed, Failure> {
        match self {
            Responder::Unknown(noise) => {
                let payload = noise.read(message)?;
                let peer = read_initiator(&payload, parameters)?;
                let Responder::Unknown(noise) = std::mem::replace(self, Responder::Done) else { return Err(Failure) };
                let peer_key = noise.peer_key();
                Ok(Agreed::new(noise.split(), false, peer, peer_key))
            }
            Responder::Unconfirmed(waiting) => {
                let mut reset = [0; TOKEN_BYTES];
                let is_whole = message.len() == TOKEN_BYTES + TAG;
                if !is_whole || !open(&waiting.1 .0, &nonce(CONFIRMING), head, message, &mut reset) {
                    return Err(Failure);
                }
                waiting.0.peer.reset = reset;
                let Responder::Unconfirmed(waiting) = std::mem::replace(self, Responder::Done) else {
                    return Err(Failure);
                };
                Ok(waiting.0)
            }
            Responder::Done => Err(Failure),
        }
    }
}

fn read_initiator(payload: &[u8], parameters: &Parameters) -> Result<Payload, Failure> {
    Payload::read(payload).filter(|peer| peer.label == parameters.initiator).ok_or(Failure)
}

impl<'a> Credentials<'a> {
    /// Those of an endpoint that waits for others.
    pub(crate) fn of(keys: Option<&'a Keys>, psk: Option<&'a crate::secure::keys::Psk>) -> Credentials<'a> {
        Credentials { keys, psk, expected: None }
    }
}
