//! What protects the connections of a transfer: keys, a secret that both ends have, or nothing.

use std::hash::{BuildHasher, Hasher, RandomState};

use nacre_runtime::{Expect, GivenRole, Keys, Options, Psk, PublicKey, Secret, SigningKey, Stack};
use sha2::{Digest, Sha256};

use super::failure::{Cause, Failure};
use crate::args::secure;
use crate::keys::folder::Folder;
use crate::keys::{own, private};

/// How both ends prove who they are.
pub enum Protection {
    /// Not at all, and nothing is encrypted.
    Plain,
    Keys(Keys),
    Psk(Psk),
}

impl Protection {
    /// Chooses what the arguments and the stack allow; makes the user's keys on first use. Nothing is chosen because
    /// something else failed.
    pub fn choose(args: &secure::Protection, stack: &Stack) -> Result<Protection, Failure> {
        require_fitting(args, stack)?;
        if args.plain {
            return Ok(Protection::Plain);
        }
        let cannot = |words| Failure::new(Cause::Keys, words);
        let Some(path) = &args.psk_file else {
            return Folder::find().and_then(|folder| own(&folder)).map(Protection::Keys).map_err(cannot);
        };
        let secret = private::read(path).map_err(cannot)?;
        let secret = secret.ok_or_else(|| cannot(format!("there is no file `{}`", path.display())))?;
        Ok(Protection::Psk(Psk::from_bytes(&secret)))
    }

    /// Whether frames are encrypted and authenticated.
    pub fn is_encrypted(&self) -> bool {
        !matches!(self, Protection::Plain)
    }

    /// The public key of this end, if it has one.
    pub fn public(&self) -> Option<PublicKey> {
        match self {
            Protection::Keys(keys) => Some(keys.public()),
            Protection::Plain | Protection::Psk(_) => None,
        }
    }

    /// The options with the keys. `place`: where a listener always is; one that starts again there tells the peers that
    /// it had that their connections are over.
    pub fn give(&self, mut options: Options, place: Option<&str>) -> Options {
        match self {
            Protection::Plain => {}
            Protection::Keys(keys) => {
                options.secret = place.and_then(|place| lasting_secret(keys, place));
                options.keys = Some(keys.clone());
                options.signing = Some(SigningKey::of(keys));
                // Of two connections with the same key and identity the older one ends: a user may send twice at once.
                options.identity = if place.is_none() { random_identity() } else { 0 };
            }
            Protection::Psk(psk) => options.psk = Some(psk.clone()),
        }
        options
    }

    /// Whom a connection expects; none: it is not encrypted.
    pub fn expect(&self, pin: Option<PublicKey>) -> Option<Expect> {
        match (self, pin) {
            (Protection::Plain, _) => None,
            (Protection::Psk(_), _) => Some(Expect::Psk),
            (Protection::Keys(_), Some(key)) => Some(Expect::Key(key)),
            (Protection::Keys(_), None) => Some(Expect::Any),
        }
    }

    /// Describes what a peer has proven.
    pub fn describe(&self, peer_key: Option<PublicKey>) -> String {
        match (self, peer_key) {
            (Protection::Plain, _) => "not encrypted; the peer has proven nothing".into(),
            (_, Some(key)) => format!("key {key}; encrypted"),
            (_, None) => "has the same secret; encrypted".into(),
        }
    }
}

/// `--plain` is for stacks that have no layer with keys, and only for these. A layer that signs needs the keys of a
/// user.
fn require_fitting(args: &secure::Protection, stack: &Stack) -> Result<(), Failure> {
    let name = stack.name();
    let signs = stack.givens().iter().any(|given| given.role == Some(GivenRole::SigningKey));
    let words = match (args.plain, stack.is_secure()) {
        _ if signs && (args.plain || args.psk_file.is_some()) => {
            format!(
                "the stack `{name}` signs with the keys of its user: it needs a layer that encrypts, and neither \
                 `--plain` nor `--psk-file`"
            )
        }
        (true, true) => format!(
            "the stack `{name}` encrypts, so `--plain` is not true for it: omit `--plain`, or choose another stack"
        ),
        (false, false) => format!(
            "the stack `{name}` has no layer with keys: everyone on the way can read and change what it carries. \
             Choose a stack that encrypts, such as `secure` in examples/secure.nacre, or say `--plain` on both sides"
        ),
        _ => return Ok(()),
    };
    Err(Failure::new(Cause::Usage, words))
}

/// The identity of this process. It only has to differ from others.
fn random_identity() -> u64 {
    RandomState::new().build_hasher().finish().max(1)
}

/// A secret that only this user's listener at one place has. Others with the same keys must not have it: they would
/// end its connections for whoever asks them. So it depends on the network namespace and on the host since its start.
fn lasting_secret(keys: &Keys, place: &str) -> Option<Secret> {
    let boot = std::fs::read("/proc/sys/kernel/random/boot_id").ok()?;
    let network = std::fs::read_link("/proc/self/ns/net").ok()?;
    let mut sum = Sha256::new();
    for part in [b"nacre run 1".as_slice(), &*keys.to_bytes(), &boot, network.as_os_str().as_encoded_bytes()] {
        sum.update((part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    sum.update(place.as_bytes());
    let sum: [u8; 32] = sum.finalize().into();
    sum.first_chunk().copied().map(Secret)
}

/// The beginning of a key: enough for a person to recognize a known one.
pub fn short(key: PublicKey) -> String {
    format!("{}...", &key.to_string()[..12])
}
