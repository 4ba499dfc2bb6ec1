//! Instances in processes of their own: they do what they do in the process, and end alone.

mod c;
mod world;

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use nacre_encapsulation::compile::{room, SANITIZERS};
use nacre_encapsulation::import::{write_streams, Import};
use nacre_encapsulation::streams::{Host, Message, Streams};
use tempfile::{tempdir, TempDir};

/// The tests of BSD protocols, of capsules whose instances are isolated.
#[test]
fn bsd_protocols_do_the_same() {
    let folder = tempdir().expect("a folder");
    let tree = room().join("tests/bsd");
    let flags: Vec<String> = SANITIZERS.iter().map(|flag| flag.to_string()).collect();
    let description = Some(tree.join("tp.toml"));
    let import =
        Import { tree, environment: "bsd44".into(), name: "tp".into(), description, flags: flags.clone(), isolate: true };
    let imported = import.write(folder.path()).unwrap_or_else(|refused| panic!("{refused:?}"));
    write_streams(folder.path(), &flags).expect("the library");
    let rpath = format!("-Wl,-rpath,{}", folder.path().display());
    let capsule = format!("-DCAPSULE=\"{}\"", imported.capsule.display());
    for test in ["tests/bsd_datagrams.c", "tests/bsd_streams.c"] {
        c::pass(&[folder.path().join("libnacre_streams.so"), room().join(test)], &[&capsule, &rpath]);
    }
}
