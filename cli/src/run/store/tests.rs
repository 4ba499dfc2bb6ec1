//! Tests of the store.

use std::sync::atomic::AtomicBool;

use super::super::framing::Summing;
use super::*;

const OWNER: &str = "owner";

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

fn begin(store: &Store, name: &str, size: u64) -> Partial {
    store.begin(store.place(name).unwrap(), Some(size), OWNER).unwrap().0
}

fn place(partial: Partial) -> PathBuf {
    partial.stored(&AtomicBool::new(false)).unwrap().0.place().unwrap()
}

fn receive(store: &Store, name: &str, bytes: &[u8]) -> PathBuf {
    let mut partial = begin(store, name, bytes.len() as u64);
    partial.write(bytes).unwrap();
    let (stored, sum) = partial.stored(&AtomicBool::new(false)).unwrap();
    let mut expected = Summing::default();
    expected.add(bytes);
    assert_eq!(sum, expected.sum());
    stored.place().unwrap()
}

#[test]
fn nothing_that_exists_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), "before").unwrap();
    let store = Store::open(folder.path(), false, false).unwrap();
    let mut open = begin(&store, "g", 4);
    open.write(b"open").unwrap();
    let got = ["f", "f", "f-1", "f.part", ".nacre-x.part"].map(|name| receive(&store, name, name.as_bytes()));
    assert_eq!(
        got.each_ref().map(|path| path.file_name().unwrap().to_str().unwrap()),
        ["f-1", "f-2", "f-1-1", "f.part", "nacre-x.part"]
    );
    assert_eq!(fs::read(folder.path().join("f")).unwrap(), b"before");
    for (path, content) in got.iter().zip(["f", "f", "f-1", "f.part", ".nacre-x.part"]) {
        assert_eq!(fs::read(path).unwrap(), content.as_bytes());
    }
    assert_eq!(fs::read(place(open)).unwrap(), b"open");
}

#[test]
fn file_that_is_stopped_before_it_is_read_back_leaves_nothing_unless_files_are_kept() {
    for keeps in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), false, keeps).unwrap();
        let mut partial = begin(&store, "f", 7);
        partial.write(b"content").unwrap();
        assert_eq!(names(folder.path()).len(), 1);
        assert!(partial.stored(&AtomicBool::new(true)).is_err());
        assert_eq!(names(folder.path()).len(), usize::from(keeps));
    }
}

#[test]
fn two_receivers_share_a_folder_and_leftovers_go() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".nacre-0123.part"), "left by a receiver that was killed").unwrap();
    fs::write(folder.path().join("kept.part"), "not ours").unwrap();
    let one = Store::open(folder.path(), false, false).unwrap();
    assert_eq!(names(folder.path()), ["kept.part"]);
    let mut partial = begin(&one, "f", 3);
    partial.write(b"one").unwrap();
    let other = Store::open(folder.path(), false, false).unwrap();
    assert_eq!(names(folder.path()).len(), 2, "the other receiver still writes it");
    receive(&other, "f", b"other");
    place(partial);
    assert_eq!(names(folder.path()), ["f", "f-1", "kept.part"]);
    drop(begin(&one, "g", 1));
    assert_eq!(names(folder.path()).len(), 3, "a file that is given up goes");
}

#[test]
fn one_file_is_replaced_on_request_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let store = Store::open(&path, false, false).unwrap();
    assert_eq!(receive(&store, "chosen", b"one"), path);
    assert_eq!(receive(&store, "chosen", b"two"), folder.path().join("f-1"));
    let error = Store::open(&path, false, false).err().unwrap();
    assert!(error.contains("exists; --overwrite replaces it"), "{error}");
    assert_eq!(receive(&Store::open(&path, true, false).unwrap(), "chosen", b"three"), path);
    assert_eq!(fs::read(&path).unwrap(), b"three");
}

#[test]
fn names_of_any_length_fit() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), false, false).unwrap();
    for name in ["x".repeat(255), "ü".repeat(127) + "x", "y".repeat(300)] {
        for number in 0..3 {
            let path = receive(&store, &name, b"content");
            let len = path.file_name().unwrap().len();
            assert!((250..=255).contains(&len), "{number}: {len}");
        }
    }
    assert_eq!(names(folder.path()).len(), 9);
}

#[test]
fn kept_file_is_continued_by_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), false, true).unwrap();
    let mut partial = begin(&store, "f", 8);
    partial.write(b"half").unwrap();
    let second = begin(&store, "f", 8);
    assert_eq!(second.length(), 0, "the first one is still being written");
    drop(second);
    assert!(partial.keep());
    assert!(!begin(&store, "g", 8).keep(), "nothing has come of it");
    fs::write(folder.path().join(".nacre-00.resume"), "").unwrap();
    let again = Store::open(folder.path(), false, true).unwrap();
    assert_eq!(names(folder.path()).len(), 1, "an empty one is of no use");
    let others = again.begin(again.place("f").unwrap(), Some(8), "somebody else").unwrap().0;
    assert_eq!(others.length(), 0);
    assert_eq!(begin(&again, "f", 3).length(), 0, "a shorter file begins anew");
    let mut partial = begin(&again, "f", 8);
    assert_eq!(partial.length(), 0);
    partial.write(b"half").unwrap();
    assert!(partial.keep());
    let mut partial = begin(&again, "f", 8);
    assert_eq!(partial.length(), 4);
    partial.go_on_from(4).unwrap();
    partial.write(b"full").unwrap();
    drop(others);
    assert_eq!(fs::read(place(partial)).unwrap(), b"halffull");
    assert_eq!(names(folder.path()), ["f"]);
}

#[test]
fn file_that_is_there_is_offered_only_where_files_are_kept_and_never_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), "four").unwrap();
    std::os::unix::fs::symlink("f", folder.path().join("link")).unwrap();
    for (keeps, name, size, is_there) in
        [(false, "f", 4, false), (true, "f", 4, true), (true, "f", 5, false), (true, "link", 4, false)]
    {
        let store = Store::open(folder.path(), false, keeps).unwrap();
        let (partial, present) = store.begin(store.place(name).unwrap(), Some(size), OWNER).unwrap();
        assert_eq!((present.is_some(), partial.length()), (is_there, 0), "{keeps} {name} {size}");
    }
    assert_eq!(names(folder.path()), ["f", "link"]);
}

/// Names of kept files are found by those who know the owner's key and the path: a link there leads nowhere.
#[test]
fn link_in_place_of_a_kept_file_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().join("outside");
    fs::write(&outside, "outside").unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    std::os::unix::fs::symlink(&outside, out.join(kept_name(OWNER, "f", KEPT))).unwrap();
    let store = Store::open(&out, false, true).unwrap();
    assert_eq!(receive(&store, "f", b"new"), out.join("f"));
    assert_eq!(fs::read(outside).unwrap(), b"outside");
}
