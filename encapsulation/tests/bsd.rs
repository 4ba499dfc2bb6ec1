//! The BSD environment: mbufs, services, and protocols in the style of 4.4BSD as STREAMS drivers.

mod c;

use std::path::{Path, PathBuf};

use nacre_encapsulation::compile::{room, SANITIZERS};
use nacre_encapsulation::import::{write_streams, Import};

fn flags() -> Vec<String> {
    SANITIZERS.iter().map(|flag| flag.to_string()).collect()
}

/// The library of STREAMS, which tests and capsules share, and the flag with which programs find it.
fn streams(folder: &Path) -> (PathBuf, String) {
    write_streams(folder, &flags()).expect("the library");
    (folder.join("libnacre_streams.so"), format!("-Wl,-rpath,{}", folder.display()))
}

/// Tests that are linked with the environment.
fn environment_with(test: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (library, rpath) = streams(folder.path());
    let include = format!("-I{}", room().join("bsd/include/bsd44").display());
    let mut files = c::sources("bsd");
    files.extend(c::sources("stacks/common"));
    files.push(library);
    files.push(room().join("tests").join(test));
    c::pass(&files, &["-std=gnu11", &include, "-DNACRE_CAPSULE_NAME=\"test\"", "-DNACRE_HIDE_FREE_MBUFS", &rpath]);
}

#[test]
fn mbufs() {
    environment_with("bsd_mbuf.c");
}

#[test]
fn chains_of_mbufs() {
    environment_with("bsd_chains.c");
}

#[test]
fn services() {
    environment_with("bsd_services.c");
}

#[test]
fn sockets() {
    environment_with("bsd_sockets.c");
}

#[test]
fn interfaces_and_routes() {
    environment_with("bsd_interfaces.c");
}

#[test]
fn protocols_of_4_4bsd_run_as_drivers() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = room().join("tests/bsd");
    let description = Some(tree.join("tp.toml"));
    let import =
        Import { tree, environment: "bsd44".into(), name: "tp".into(), description, flags: flags(), isolate: false };
    let imported = import.write(folder.path()).unwrap_or_else(|refused| panic!("{refused:?}"));
    assert_eq!(imported.sources, 3);
    let (library, rpath) = streams(folder.path());
    let capsule = format!("-DCAPSULE=\"{}\"", imported.capsule.display());
    for test in ["tests/bsd_datagrams.c", "tests/bsd_streams.c"] {
        c::pass(&[library.clone(), room().join(test)], &[&capsule, &rpath]);
    }
}

/// A protocol over Ethernets, in the shapes of NetBSD and of 4.4BSD.
fn ethernet(description: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = room().join("tests/bsd/netbsd");
    let description = Some(tree.join(description));
    let import =
        Import { tree, environment: "bsd44".into(), name: "tp".into(), description, flags: flags(), isolate: false };
    let imported = import.write(folder.path()).unwrap_or_else(|refused| panic!("{refused:?}"));
    assert_eq!(imported.sources, 3);
    let (library, rpath) = streams(folder.path());
    let capsule = format!("-DCAPSULE=\"{}\"", imported.capsule.display());
    c::pass(&[library, room().join("tests/bsd_ethernet.c")], &[&capsule, &rpath]);
}

#[test]
fn ethernets_of_netbsd() {
    ethernet("netbsd.toml");
}

#[test]
fn ethernets_of_4_4bsd() {
    ethernet("bsd44.toml");
}
