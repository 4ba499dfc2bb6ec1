//! AppleTalk: the core of DDP and ATP, and both as a STREAMS driver and module.

mod c;

use std::path::PathBuf;

use nacre_encapsulation::compile::room;

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
}

#[test]
fn native_graph_runs_transactions() {
    native_with("appletalk_graphs.c");
}
