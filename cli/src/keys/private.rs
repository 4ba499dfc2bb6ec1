//! Files with a secret: 32 bytes in hexadecimal digits, readable by their owner alone.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nacre_driver::files::open_regular;
use rustix::process::geteuid;
use zeroize::Zeroizing;

/// The bytes of a secret.
const BYTES: usize = 32;

/// What happens to a file that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    Keep,
    Replace,
}

/// Reads a secret; none: there is no such file.
///
/// # Errors
/// A message for the user: others can read the file, or it has no secret.
pub fn read(path: &Path) -> Result<Option<Zeroizing<[u8; BYTES]>>, String> {
    if matches!(path.metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let cannot = |why: String| format!("cannot read `{}`: {why}", path.display());
    let file = open_regular(path).map_err(cannot)?;
    require_private(&file, path)?;
    let mut text = Zeroizing::new(Vec::with_capacity(4 * BYTES));
    file.take(3 * BYTES as u64).read_to_end(&mut text).map_err(|error| cannot(error.to_string()))?;
    let secret = decode(text.trim_ascii());
    secret
        .map(Some)
        .ok_or_else(|| format!("`{}` has no secret: it has {} hexadecimal digits", path.display(), 2 * BYTES))
}

/// Writes a secret to a new file; false: there is one, and it is kept. Nobody sees a part of it.
///
/// # Errors
/// A message for the user.
pub fn write(path: &Path, secret: &[u8; BYTES], existing: Existing) -> Result<bool, String> {
    try_write(path, secret, existing).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}

fn try_write(path: &Path, secret: &[u8; BYTES], existing: Existing) -> io::Result<bool> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // With mode 600.
    let mut file = tempfile::Builder::new().prefix(".nacre-").tempfile_in(folder)?;
    file.write_all(&encode(secret))?;
    file.as_file().sync_all()?;
    match existing {
        Existing::Replace => drop(file.persist(path)?),
        Existing::Keep => match file.persist_noclobber(path) {
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            persisted => drop(persisted?),
        },
    }
    File::open(folder)?.sync_all()?;
    Ok(true)
}

/// Requires that only this user can read an open file.
fn require_private(file: &File, path: &Path) -> Result<(), String> {
    let facts = file.metadata().map_err(|error| format!("{}: {error}", path.display()))?;
    let path = path.display();
    if facts.uid() != geteuid().as_raw() {
        return Err(format!("`{path}` belongs to another user, so it is no secret"));
    }
    if facts.mode() & 0o077 != 0 {
        let mode = facts.mode() & 0o777;
        return Err(format!(
            "other users have access to `{path}` (mode {mode:o}), so it may be no secret any more: make a new one, \
             or run `chmod 600 {path}` if nobody has read it"
        ));
    }
    Ok(())
}

fn encode(secret: &[u8; BYTES]) -> Zeroizing<Vec<u8>> {
    let digits = b"0123456789abcdef";
    let mut text = Zeroizing::new(Vec::with_capacity(2 * BYTES + 1));
    text.extend(secret.iter().flat_map(|byte| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]));
    text.push(b'\n');
    text
}

fn decode(text: &[u8]) -> Option<Zeroizing<[u8; BYTES]>> {
    let mut secret = Zeroizing::new([0; BYTES]);
    if text.len() != 2 * BYTES {
        return None;
    }
    for (byte, digits) in secret.iter_mut().zip(text.chunks_exact(2)) {
        let digit = |at: usize| char::from(digits[at]).to_digit(16);
        *byte = (digit(0)? << 4 | digit(1)?) as u8;
    }
    Some(secret)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn secret_is_read_as_written_and_is_never_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        assert_eq!(read(&path), Ok(None));
        let [one, two] = [std::array::from_fn(|n| n as u8 * 8 + 7), [0xff; BYTES]];
        assert_eq!(write(&path, &one, Existing::Keep), Ok(true));
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(write(&path, &two, Existing::Keep), Ok(false));
        assert_eq!(*read(&path).unwrap().unwrap(), one);
        assert_eq!(write(&path, &two, Existing::Replace), Ok(true));
        assert_eq!(*read(&path).unwrap().unwrap(), two);
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn file_that_others_have_access_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        write(&path, &[7; BYTES], Existing::Keep).unwrap();
        for mode in [0o640, 0o604, 0o620, 0o602, 0o601, 0o777] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let why = read(&path).unwrap_err();
            assert!(why.contains(&format!("other users have access to `{}` (mode {mode:o})", path.display())), "{why}");
        }
        fs::set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
        assert!(read(&path).is_ok_and(|secret| secret.is_some()));
    }

    #[test]
    fn text_that_is_no_secret_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        write(&path, &[7; BYTES], Existing::Keep).unwrap();
        let good = "0aF".repeat(21) + "b";
        for (text, is_good) in [
            (format!(" {good}\r\n"), true),
            (good.clone(), true),
            (good[1..].to_string(), false),
            (good.clone() + "0", false),
            (good.clone() + "\n" + &good, false),
            (good.replace('b', "g"), false),
            (good.replace('b', "+"), false),
            ("\u{e4}".repeat(32), false),
            (String::new(), false),
        ] {
            fs::write(&path, &text).unwrap();
            assert_eq!(read(&path).is_ok(), is_good, "{text:?}");
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(read(&path).unwrap_err().contains("it is a directory"));
    }
}
