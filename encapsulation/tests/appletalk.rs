//! AppleTalk: the core of DDP and ATP, both as a STREAMS driver and module, and the BSD code, imported.

mod c;

use std::path::PathBuf;

use nacre_encapsulation::compile::{room, SANITIZERS};
use nacre_encapsulation::import::{Import, STREAMS};

fn core_with(test: &str) {
    let mut files = c::sources("stacks/appletalk/core");
    files.push(room().join("tests").join(test));
    c::pass(&files, &[]);
}

/// The native graph, with the library of STREAMS.
fn native() -> Vec<PathBuf> {
    let mut files = c::sources("stacks/appletalk/core");
    files.extend(c::sources("stacks/appletalk/streams"));
    files.extend(c::sources("streams"));
    files.extend(["graph.c", "graph_native.c"].map(|file| room().join("measure").join(file)));
    files
}

fn native_with(test: &str) {
    let mut files = native();
    files.push(room().join("tests").join(test));
    c::pass(&files, &[]);
}

#[test]
fn headers_addresses_and_sockets() {
    core_with("appletalk_ddp.c");
}

#[test]
fn requests_and_transactions() {
    core_with("appletalk_atp.c");
}

#[test]
fn drivers_and_modules() {
    native_with("appletalk_streams.c");
    native_with("appletalk_endpoints.c");
}

#[test]
fn native_graph_runs_transactions() {
    native_with("appletalk_graphs.c");
}

/// A graph whose protocols, or one of them, are imported: each node has an instance of the capsule of its own.
fn imported(number: u32, description: &str, tests: &[&str]) {
    let tree = room().join("stacks/appletalk");
    let folder = tempfile::tempdir().expect("a folder");
    let import = Import {
        description: Some(tree.join("imports").join(description)),
        tree,
        environment: "bsd44".into(),
        name: "at".into(),
        flags: SANITIZERS.map(str::to_string).to_vec(),
        isolate: false,
    };
    let written = import.write(folder.path()).unwrap_or_else(|refused| panic!("{refused:?}"));
    let mut files = c::sources("stacks/appletalk/core");
    files.extend(c::sources("stacks/appletalk/streams"));
    files.extend(["graph.c", "graph_native.c", "graph_imported.c"].map(|file| room().join("measure").join(file)));
    files.push(folder.path().join(STREAMS));
    for test in tests {
        let files: Vec<PathBuf> = files.iter().cloned().chain([room().join("tests").join(test)]).collect();
        c::pass(
            &files,
            &[
                &format!("-DIMPORT={number}"),
                &format!("-DGRAPH=graph_import{number}"),
                &format!("-DCAPSULE=\"{}\"", written.capsule.display()),
                &format!("-Wl,-rpath,{}", folder.path().display()),
            ],
        );
    }
}

#[test]
fn both_protocols_are_imported() {
    imported(1, "both.toml", &["appletalk_graphs.c"]);
}

#[test]
fn native_atp_over_imported_ddp() {
    imported(2, "ddp.toml", &["appletalk_graphs.c"]);
}

#[test]
fn imported_atp_over_native_ddp() {
    imported(3, "atp.toml", &["appletalk_graphs.c"]);
}

/// ATP of STREAMS takes the place of BSD's ATP in the protocol switch, without a socket of DDP between.
#[test]
fn native_atp_within_the_imported_family() {
    imported(4, "above.toml", &["appletalk_graphs.c", "appletalk_above.c"]);
}
