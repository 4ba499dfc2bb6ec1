//! The folder of a tree that is being received. It is new, or begun by an earlier transfer of the same sender: so
//! nothing of others is in it, no link leads out of it, and nothing is added to folders that were there before.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::fs::{mkdirat, openat, Mode, OFlags};
use rustix::io::Errno;

use super::names::{safe, safe_below, NAME_MAX};
use super::partial::{numbered, Place, Temporary, NUMBERS};
use super::store::Store;

/// The folder of a tree.
pub struct Tree {
    /// Its name, as the sender has it.
    sent: String,
    folder: Arc<OwnedFd>,
    /// Its path, as it is printed.
    shown: PathBuf,
    /// Where a later transfer finds its name.
    state: Option<Temporary>,
    /// Whether everything of it is stored so far.
    pub is_whole: bool,
}

impl Tree {
    /// Makes a folder, with a number if the name is taken; or finds the one that the same sender has begun.
    pub fn begin(store: &Store, sent: &str, owner: &str) -> io::Result<Tree> {
        let out = store.folder()?;
        let state = store.tree(sent, owner)?;
        let earlier = state.as_ref().and_then(|(file, _)| earlier(file));
        let found = earlier.and_then(|name| Some((open(&out, &name).ok()?, name)));
        let (folder, name) = match found {
            Some(found) => found,
            None => make(&out, &safe(sent), store.overwrite)?,
        };
        if let Some((file, _)) = &state {
            file.set_len(0)?;
            (&*file).write_all(name.as_bytes())?;
        }
        let (state, shown) = (state.map(|(_, state)| state), store.shown().join(name));
        Ok(Tree { sent: sent.to_string(), folder: Arc::new(folder), shown, state, is_whole: true })
    }

    /// Makes a folder in the tree, whose parents are there.
    pub fn make(&self, parts: &[&str]) -> io::Result<()> {
        let place = self.place(parts)?;
        match mkdirat(&place.folder, &place.name, Mode::from_raw_mode(0o777)) {
            // Also a name that has become the same as another one.
            Err(Errno::EXIST) => open(&place.folder, &place.name).map(drop),
            made => Ok(made?),
        }
    }

    /// The place of a file or a folder in the tree. Links are not followed.
    pub fn place(&self, parts: &[&str]) -> io::Result<Place> {
        let (name, parents) = match parts {
            [root, parents @ .., name] if *root == self.sent => (name, parents),
            _ => return Err(io::Error::new(io::ErrorKind::NotFound, "its folder was not announced")),
        };
        let (mut folder, mut shown) = (self.folder.clone(), self.shown.clone());
        for parent in parents {
            let parent = safe_below(parent);
            folder = Arc::new(open(&folder, &parent)?);
            shown.push(parent);
        }
        Ok(Place { folder, name: safe_below(name), shown })
    }

    /// Ends the tree. One of which something is missing can be continued.
    pub fn end(self) {
        match self.state {
            Some(state) if !self.is_whole => state.keep(),
            _ => {}
        }
    }
}

/// The name of the folder that an earlier transfer has made.
fn earlier(file: &File) -> Option<String> {
    let mut name = String::new();
    file.take(NAME_MAX as u64 + 1).read_to_string(&mut name).ok()?;
    rustix::fs::seek(file, rustix::fs::SeekFrom::Start(0)).ok()?;
    (!name.is_empty() && safe(&name) == name).then_some(name)
}

fn open(parent: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(parent, name, flags, Mode::empty())?)
}

fn make(out: &OwnedFd, name: &str, overwrite: bool) -> io::Result<(OwnedFd, String)> {
    for number in 0..NUMBERS {
        let name = numbered(name, number);
        match mkdirat(out, &name, Mode::from_raw_mode(0o777)) {
            Err(Errno::EXIST) if !overwrite => {}
            Err(Errno::EXIST) => return Ok((open(out, &name)?, name)),
            made => {
                made?;
                return Ok((open(out, &name)?, name));
            }
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{NUMBERS} folders of the name {name} exist")))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Also where the user lets existing files be replaced, and has such links.
    #[test]
    fn links_do_not_lead_out_of_a_tree() {
        let place = tempfile::tempdir().unwrap();
        let [out, outside] = ["out", "outside"].map(|name| place.path().join(name));
        fs::create_dir_all(out.join("tree")).unwrap();
        fs::create_dir(&outside).unwrap();
        for link in ["link", "tree/link"] {
            symlink(&outside, out.join(link)).unwrap();
        }
        let store = Store::open(&out, true, false).unwrap();
        assert!(Tree::begin(&store, "link", "owner").is_err());
        let tree = Tree::begin(&store, "tree", "owner").unwrap();
        assert!(tree.make(&["tree", "link", "folder"]).is_err() && tree.make(&["tree", "link"]).is_err());
        assert!(tree.place(&["tree", "link", "file"]).is_err() && tree.place(&["other", "file"]).is_err());
        tree.make(&["tree", "folder"]).unwrap();
        assert!(out.join("tree/folder").is_dir());
        assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
    }
}
