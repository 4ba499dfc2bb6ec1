//! The public keys of peers, by the address that the user has typed. A line of the file is `ADDRESS KEY`; `#` begins a
//! comment. Concurrent runs see whole files, and lose no entry of each other.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nacre_driver::files::read_text;
use nacre_runtime::PublicKey;
use rustix::fs::{flock, FlockOperation};

use super::folder::Folder;

/// What is known of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquaintance {
    /// It has the key that it had before.
    Known,
    /// It is remembered from now on.
    First,
    /// It had this key before.
    Other(PublicKey),
}

/// The file with the known peers.
pub struct KnownPeers {
    folder: Folder,
    path: PathBuf,
}

impl KnownPeers {
    /// Those of a user.
    pub fn of(folder: &Folder) -> KnownPeers {
        KnownPeers { folder: folder.clone(), path: folder.known_peers() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The key that a peer has, as far as it is known.
    ///
    /// # Errors
    /// A message for the user.
    pub fn key(&self, name: &str) -> Result<Option<PublicKey>, String> {
        Ok(find(&self.lines()?, name))
    }

    /// Compares a key that a peer has proven to have with the one that it had before. That of a new peer is remembered.
    ///
    /// # Errors
    /// A message for the user.
    pub fn meet(&self, name: &str, key: PublicKey) -> Result<Acquaintance, String> {
        if let Some(known) = find(&self.lines()?, name) {
            return Ok(compare(known, key));
        }
        let _lock = self.lock()?;
        // Another run may have met it meanwhile.
        let text = self.text()?;
        if let Some(known) = find(&parse(&text, &self.path)?, name) {
            return Ok(compare(known, key));
        }
        let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        self.replace(&format!("{text}{newline}{name} {key}\n"))?;
        Ok(Acquaintance::First)
    }

    /// Forgets a peer; returns its key.
    ///
    /// # Errors
    /// A message for the user.
    pub fn forget(&self, name: &str) -> Result<Option<PublicKey>, String> {
        let found = find(&self.lines()?, name);
        if found.is_none() {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let (mut kept, text) = (String::new(), self.text()?);
        for line in text.lines().filter(|line| entry(line).is_none_or(|(known, _)| !is_same(known, name))) {
            let _ = writeln!(kept, "{line}");
        }
        self.replace(&kept)?;
        Ok(found)
    }

    fn lines(&self) -> Result<Vec<(String, PublicKey)>, String> {
        self.folder.require_private()?;
        parse(&self.text()?, &self.path)
    }

    /// The text of the file; empty if there is none.
    fn text(&self) -> Result<String, String> {
        let path = self.path.display();
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
            Ok(facts) if facts.mode() & 0o022 != 0 => {
                return Err(format!("other users can write to `{path}`: check it, and run `chmod 600 {path}`"))
            }
            _ => {}
        }
        read_text(&self.path).map_err(|why| format!("cannot read `{path}`: {why}"))
    }

    /// Waits for other runs that change the file.
    fn lock(&self) -> Result<File, String> {
        self.folder.create()?;
        let path = self.path.with_extension("lock");
        let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let locked = opened.and_then(|file| {
            flock(&file, FlockOperation::LockExclusive)?;
            Ok(file)
        });
        locked.map_err(|error| format!("cannot lock `{}`: {error}", path.display()))
    }

    fn replace(&self, text: &str) -> Result<(), String> {
        // A symbolic link is followed instead of replaced.
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let written = || -> io::Result<()> {
            let folder = path.parent().unwrap_or(Path::new("."));
            let mut file = tempfile::Builder::new().prefix(".nacre-").tempfile_in(folder)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            File::open(folder)?.sync_all()
        };
        written().map_err(|error| format!("cannot write `{}`: {error}", path.display()))
    }
}

fn compare(known: PublicKey, key: PublicKey) -> Acquaintance {
    match known == key {
        true => Acquaintance::Known,
        false => Acquaintance::Other(known),
    }
}

fn find(entries: &[(String, PublicKey)], name: &str) -> Option<PublicKey> {
    entries.iter().find(|(known, _)| is_same(known, name)).map(|(_, key)| *key)
}

/// Names of hosts have no case.
fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// The two words of a line that has any.
fn entry(line: &str) -> Option<(&str, &str)> {
    let line = line.split('#').next().unwrap_or_default().trim();
    line.split_once(char::is_whitespace)
        .map(|(name, key)| (name, key.trim()))
        .or((!line.is_empty()).then_some((line, "")))
}

/// A line that is not understood is an error: its peer must not become a new one.
fn parse(text: &str, path: &Path) -> Result<Vec<(String, PublicKey)>, String> {
    let lines = text.lines().enumerate().filter_map(|(at, line)| Some((at, entry(line)?)));
    let read = |(at, (name, key)): (usize, (&str, &str))| match key.parse() {
        Ok(key) => Ok((name.to_string(), key)),
        Err(_) => Err(format!("{}:{}: expected `ADDRESS KEY`", path.display(), at + 1)),
    };
    lines.map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> PublicKey {
        PublicKey([seed; 32])
    }

    /// The known peers in a new folder.
    fn peers() -> (tempfile::TempDir, KnownPeers) {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::at(home.path().join("nacre"));
        (home, KnownPeers::of(&folder))
    }

    #[test]
    fn first_key_of_a_peer_is_remembered() {
        let (_home, peers) = peers();
        assert_eq!(peers.key("example.org:7"), Ok(None));
        assert_eq!(peers.meet("Example.org:7", key(1)), Ok(Acquaintance::First));
        assert_eq!(peers.key("example.org:7"), Ok(Some(key(1))));
        assert_eq!(peers.meet("example.org:7", key(1)), Ok(Acquaintance::Known));
        assert_eq!(peers.meet("example.org:7", key(2)), Ok(Acquaintance::Other(key(1))));
        assert_eq!(peers.meet("example.org:8", key(2)), Ok(Acquaintance::First));
        assert_eq!(peers.meet("example.org:7", key(1)), Ok(Acquaintance::Known), "the other key changed nothing");
        assert_eq!(peers.path().metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(peers.forget("EXAMPLE.org:7"), Ok(Some(key(1))));
        assert_eq!(peers.forget("example.org:7"), Ok(None));
        assert_eq!(peers.meet("example.org:7", key(2)), Ok(Acquaintance::First));
        assert_eq!(peers.meet("example.org:8", key(1)), Ok(Acquaintance::Other(key(2))));
    }

    #[test]
    fn comments_stay_and_lines_that_are_not_understood_are_errors() {
        let (_home, peers) = peers();
        peers.folder.create().unwrap();
        let begin = format!("# mine\n\n  a:1\t{}  # the old one", key(1));
        fs::write(peers.path(), &begin).unwrap();
        assert_eq!(peers.meet("a:1", key(2)), Ok(Acquaintance::Other(key(1))));
        assert_eq!(peers.meet("b:1", key(2)), Ok(Acquaintance::First));
        assert_eq!(peers.forget("b:1"), Ok(Some(key(2))));
        assert_eq!(fs::read_to_string(peers.path()).unwrap(), begin + "\n");
        for wrong in ["c:1", "c:1 key", &format!("c:1 {} more", key(1)), &format!("c:1 {}", &key(1).to_string()[1..])] {
            fs::write(peers.path(), format!("# one\n{wrong}\n")).unwrap();
            let why = peers.meet("c:1", key(1)).unwrap_err();
            assert!(why.ends_with("known_peers:2: expected `ADDRESS KEY`"), "{why}");
        }
    }

    #[test]
    fn concurrent_runs_lose_no_entry() {
        let (_home, peers) = peers();
        let names: Vec<String> = (0..32).map(|n| format!("host-{n}:1")).collect();
        std::thread::scope(|scope| {
            for (at, name) in names.iter().enumerate() {
                scope.spawn({
                    let peers = &peers;
                    move || assert_eq!(peers.meet(name, key(at as u8)), Ok(Acquaintance::First))
                });
            }
        });
        for (at, name) in names.iter().enumerate() {
            assert_eq!(peers.meet(name, key(at as u8)), Ok(Acquaintance::Known), "{name}");
        }
        let met: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8u8)
                .map(|n| {
                    scope.spawn({
                        let peers = &peers;
                        move || peers.meet("one:1", key(n)).unwrap()
                    })
                })
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(met.iter().filter(|met| **met == Acquaintance::First).count(), 1, "{met:?}");
    }

    #[test]
    fn file_that_others_can_write_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let (_home, peers) = peers();
        peers.meet("a:1", key(1)).unwrap();
        fs::set_permissions(peers.path(), fs::Permissions::from_mode(0o660)).unwrap();
        assert!(peers.meet("a:1", key(1)).unwrap_err().contains("other users can write to"));
        fs::set_permissions(peers.path(), fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(peers.meet("a:1", key(1)), Ok(Acquaintance::Known));
        let folder = peers.path().parent().unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o770)).unwrap();
        assert!(peers.meet("a:1", key(1)).unwrap_err().contains("other users can write to"));
    }
}
