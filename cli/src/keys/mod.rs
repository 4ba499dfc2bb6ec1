//! `nacre keys`: the keys of this user, secrets for `--psk-file`, and the peers that are known.

pub mod folder;
pub mod known_peers;
pub mod private;

use nacre_runtime::{Keys, SigningKey};
use serde_json::json;

use crate::args::secure::{Forget, KeysVerb, NewKeys, NewPsk};
use crate::args::secure::{Keys as Args, ShowKeys};
use crate::console::{complain, print, print_json, say, Exit};
use folder::Folder;
use known_peers::KnownPeers;
use private::Existing;

/// Runs `nacre keys`.
pub fn keys(args: &Args) -> Exit {
    let done = match &args.what {
        KeysVerb::New(args) => new(args),
        KeysVerb::Show(args) => show(args),
        KeysVerb::Psk(args) => psk(args),
        KeysVerb::Forget(args) => forget(args),
    };
    match done {
        Ok(()) => Exit::Yes,
        Err(words) => {
            complain(&words);
            Exit::No
        }
    }
}

fn new(args: &NewKeys) -> Result<(), String> {
    let folder = Folder::find()?;
    folder.create()?;
    let keys = generate()?;
    let path = folder.secret_key();
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    if !private::write(&path, &keys.to_bytes(), existing)? {
        return Err(format!(
            "`{}` exists; --force replaces it, and peers that know its public key refuse the new one",
            path.display()
        ));
    }
    say(&format!("new keys in {}", path.display()));
    report(&folder, &keys, args.json);
    Ok(())
}

fn show(args: &ShowKeys) -> Result<(), String> {
    let folder = Folder::find()?;
    let keys = existing(&folder)?.ok_or_else(|| {
        format!("there are no keys yet (`{}`): `nacre keys new` makes them", folder.secret_key().display())
    })?;
    report(&folder, &keys, args.json);
    Ok(())
}

fn report(folder: &Folder, keys: &Keys, as_json: bool) {
    let key = keys.public().to_string();
    if !as_json {
        return print(&key);
    }
    let verifying: String = SigningKey::of(keys).verifying().iter().map(|byte| format!("{byte:02x}")).collect();
    let path = folder.secret_key();
    print_json(&json!({ "ok": true, "public_key": key, "verifying_key": verifying, "path": path }));
}

fn psk(args: &NewPsk) -> Result<(), String> {
    let path = &args.output;
    // 32 random bytes, as a secret key is.
    let secret = generate()?.to_bytes();
    if !private::write(path, &secret, Existing::Keep)? {
        return Err(format!("`{}` exists; nothing replaces a secret", path.display()));
    }
    match args.json {
        true => print_json(&json!({ "ok": true, "path": path })),
        false => {
            say(&format!("new secret in {}: copy it to the peer over a channel that nobody reads", path.display()))
        }
    }
    Ok(())
}

fn forget(args: &Forget) -> Result<(), String> {
    let folder = Folder::find()?;
    let forgotten = KnownPeers::of(&folder).forget(&args.peer.name)?;
    let Some(key) = forgotten else { return Err(format!("{} is not known", args.peer.name)) };
    match args.json {
        true => print_json(&json!({ "ok": true, "peer": args.peer.name, "public_key": key.to_string() })),
        false => say(&format!("{} is forgotten; its key was {key}", args.peer.name)),
    }
    Ok(())
}

/// Returns the keys of this user; makes them if there are none.
///
/// # Errors
/// A message for the user.
pub fn own(folder: &Folder) -> Result<Keys, String> {
    if let Some(keys) = existing(folder)? {
        return Ok(keys);
    }
    folder.create()?;
    let (path, keys) = (folder.secret_key(), generate()?);
    if private::write(&path, &keys.to_bytes(), Existing::Keep)? {
        say(&format!("made new keys in {}", path.display()));
        return Ok(keys);
    }
    // Another run has made them meanwhile.
    existing(folder)?.ok_or_else(|| format!("`{}` cannot be read, and exists", path.display()))
}

fn existing(folder: &Folder) -> Result<Option<Keys>, String> {
    folder.require_private()?;
    Ok(private::read(&folder.secret_key())?.map(|secret| Keys::from_bytes(&secret)))
}

fn generate() -> Result<Keys, String> {
    Keys::generate().map_err(|error| error.to_string())
}
