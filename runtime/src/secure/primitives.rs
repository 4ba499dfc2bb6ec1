//! The primitives of the handshake, of one suite: X25519, ML-KEM-768, ChaCha20-Poly1305 and SHA-256, for the library
//! that runs the patterns of Noise.
//!
//! What that library rolls back when a message is forged does not include its cipher (`noise`): so the state of the
//! cipher, key and nonce, is here, where it can be kept and put back.

use crate::secure::aead::{open, seal};
use aws_lc_rs::agreement::{agree, PrivateKey, UnparsedPublicKey, X25519};
use aws_lc_rs::digest::{Context, SHA256};
use aws_lc_rs::kem::{Ciphertext, DecapsulationKey, EncapsulationKey, ML_KEM_768};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;
use snow::params::{CipherChoice, DHChoice, HashChoice, KemChoice};
use snow::resolvers::CryptoResolver;
use snow::types::{Cipher, Dh, Hash, Kem, Random};
use snow::Error;
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

/// Where the randomness of a handshake comes from.
#[derive(Clone)]
pub(crate) enum Entropy {
    System,
    /// For simulations that repeat. The system's randomness is in the hybrid suite all the same.
    Seed([u8; 32]),
    /// The ephemeral key itself, for test vectors.
    #[cfg(test)]
    Ephemeral([u8; 32]),
}

/// The key of a cipher and its next nonce.
#[derive(Clone, Default)]
pub(crate) struct CipherState {
    key: Zeroizing<[u8; 32]>,
    next: u64,
}

/// The state of the handshake's cipher, which the library also holds.
#[derive(Clone, Default)]
pub(crate) struct CipherHandle(Arc<Mutex<CipherState>>);

impl CipherHandle {
    /// Its state now.
    pub(crate) fn keep(&self) -> CipherState {
        self.with(|state| state.clone())
    }

    /// Puts an earlier state back.
    pub(crate) fn put_back(&self, kept: CipherState) {
        self.with(|state| *state = kept);
    }

    fn with<R>(&self, run: impl FnOnce(&mut CipherState) -> R) -> R {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Gives the library its primitives. The first cipher that it asks for is the handshake's.
pub(crate) struct Primitives {
    pub(crate) entropy: Entropy,
    pub(crate) cipher: Mutex<Option<CipherHandle>>,
}

impl CryptoResolver for Primitives {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        Some(match &self.entropy {
            Entropy::System => Box::new(System),
            Entropy::Seed(seed) => Box::new(Seeded(ChaCha20Rng::from_seed(*seed))),
            #[cfg(test)]
            Entropy::Ephemeral(key) => Box::new(Given(*key)),
        })
    }

    fn resolve_dh(&self, _: &DHChoice) -> Option<Box<dyn Dh>> {
        Some(Box::<Curve>::default())
    }

    fn resolve_hash(&self, _: &HashChoice) -> Option<Box<dyn Hash>> {
        Some(Box::new(Sha256(Context::new(&SHA256))))
    }

    fn resolve_cipher(&self, _: &CipherChoice) -> Option<Box<dyn Cipher>> {
        let first = self.cipher.lock().unwrap_or_else(PoisonError::into_inner).take();
        Some(Box::new(ChaChaPoly(first.unwrap_or_default())))
    }

    fn resolve_kem(&self, _: &KemChoice) -> Option<Box<dyn Kem>> {
        Some(Box::<MlKem>::default())
    }
}

struct System;

impl Random for System {
    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Error> {
        getrandom::fill(to).map_err(|_| Error::Rng)
    }
}

struct Seeded(ChaCha20Rng);

impl Random for Seeded {
    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Error> {
        self.0.fill_bytes(to);
        Ok(())
    }
}

#[cfg(test)]
struct Given([u8; 32]);

#[cfg(test)]
impl Random for Given {
    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Error> {
        to.copy_from_slice(&self.0);
        Ok(())
    }
}

/// X25519 (RFC 7748).
#[derive(Default)]
struct Curve {
    secret: Zeroizing<[u8; 32]>,
    public: [u8; 32],
    key: Option<PrivateKey>,
}

impl Dh for Curve {
    fn name(&self) -> &'static str {
        "25519"
    }

    fn pub_len(&self) -> usize {
        32
    }

    fn priv_len(&self) -> usize {
        32
    }

    fn set(&mut self, secret: &[u8]) {
        self.secret.copy_from_slice(secret);
        self.key = PrivateKey::from_private_key(&X25519, secret).ok();
        let public = self.key.as_ref().and_then(|key| key.compute_public_key().ok());
        if let Some(public) = public {
            self.public.copy_from_slice(public.as_ref());
        }
    }

    fn generate(&mut self, random: &mut dyn Random) -> Result<(), Error> {
        let mut secret = Zeroizing::new([0; 32]);
        random.try_fill_bytes(&mut *secret)?;
        self.set(&*secret);
        Ok(())
    }

    fn pubkey(&self) -> &[u8] {
        &self.public
    }

    fn privkey(&self) -> &[u8] {
        &*self.secret
    }

    /// Fails for points of small order, whose result would be 0 (RFC 7748 §6.1).
    fn dh(&self, public: &[u8], out: &mut [u8]) -> Result<(), Error> {
        let public = UnparsedPublicKey::new(&X25519, public.get(..32).ok_or(Error::Dh)?);
        agree(self.key.as_ref().ok_or(Error::Dh)?, public, Error::Dh, |shared| {
            out[..32].copy_from_slice(shared);
            Ok(())
        })
    }
}

struct ChaChaPoly(CipherHandle);

impl ChaChaPoly {
    /// Key and nonce of the next operation. The nonce is the library's own, except after a state was put back.
    fn take(&self) -> (Zeroizing<[u8; 32]>, [u8; 12]) {
        self.0.with(|state| {
            state.next += 1;
            (state.key.clone(), nonce(state.next - 1))
        })
    }
}

/// As Noise has it: 32 bits of 0, then the number.
pub(crate) fn nonce(number: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&number.to_le_bytes());
    nonce
}

impl Cipher for ChaChaPoly {
    fn name(&self) -> &'static str {
        "ChaChaPoly"
    }

    fn set(&mut self, key: &[u8; 32]) {
        self.0.with(|state| *state = CipherState { key: Zeroizing::new(*key), next: 0 });
    }

    fn encrypt(&self, _: u64, also: &[u8], plain: &[u8], out: &mut [u8]) -> usize {
        let (key, nonce) = self.take();
        seal(&key, &nonce, also, plain, &mut out[..plain.len() + 16]);
        plain.len() + 16
    }

    fn decrypt(&self, _: u64, also: &[u8], sealed: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let (key, nonce) = self.take();
        let len = sealed.len().checked_sub(16).ok_or(Error::Decrypt)?;
        open(&key, &nonce, also, sealed, out.get_mut(..len).ok_or(Error::Decrypt)?).then_some(len).ok_or(Error::Decrypt)
    }
}

struct Sha256(Context);

impl Hash for Sha256 {
    fn name(&self) -> &'static str {
        "SHA256"
    }

    fn block_len(&self) -> usize {
        64
    }

    fn hash_len(&self) -> usize {
        32
    }

    fn reset(&mut self) {
        self.0 = Context::new(&SHA256);
    }

    fn input(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn result(&mut self, out: &mut [u8]) {
        out[..32].copy_from_slice(self.0.clone().finish().as_ref());
    }
}

/// ML-KEM-768 (FIPS 203). Its randomness is the system's.
#[derive(Default)]
struct MlKem {
    key: Option<DecapsulationKey>,
    public: Vec<u8>,
}

impl Kem for MlKem {
    fn name(&self) -> &'static str {
        "ML-KEM-768"
    }

    fn pub_len(&self) -> usize {
        1184
    }

    fn ciphertext_len(&self) -> usize {
        1088
    }

    fn shared_secret_len(&self) -> usize {
        32
    }

    /// Without a key, if there is no memory: what follows then fails.
    fn generate(&mut self, _: &mut dyn Random) {
        self.key = DecapsulationKey::generate(&ML_KEM_768).ok();
        let public = self.key.as_ref().and_then(|key| key.encapsulation_key().ok()?.key_bytes().ok());
        self.public = public.map_or(vec![0; 1184], |bytes| bytes.as_ref().to_vec());
    }

    fn pubkey(&self) -> &[u8] {
        &self.public
    }

    fn encapsulate(&self, public: &[u8], secret: &mut [u8], ciphertext: &mut [u8]) -> Result<(usize, usize), Error> {
        let key = EncapsulationKey::new(&ML_KEM_768, public).map_err(|_| Error::Kem)?;
        let (made, shared) = key.encapsulate().map_err(|_| Error::Kem)?;
        secret.copy_from_slice(shared.as_ref());
        ciphertext.copy_from_slice(made.as_ref());
        Ok((secret.len(), ciphertext.len()))
    }

    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<usize, Error> {
        let key = self.key.as_ref().ok_or(Error::Kem)?;
        let shared = key.decapsulate(Ciphertext::from(ciphertext)).map_err(|_| Error::Kem)?;
        secret.copy_from_slice(shared.as_ref());
        Ok(secret.len())
    }
}
