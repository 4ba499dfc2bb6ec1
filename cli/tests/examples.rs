//! The examples that embed stacks in other programs: built and run.

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use common::*;

#[test]
fn stack_is_embedded_in_a_c_program() {
    let build = tempfile::tempdir().expect("a folder");
    let mut make = Command::new("make");
    make.current_dir(root().join("examples/c-embed")).arg(format!("BUILD={}", build.path().display()));
    let (status, out, err) = ran(make
        .arg(format!("NACRE={}", env!("CARGO_BIN_EXE_nacre")))
        .arg("CFLAGS=-std=c11 -O1 -Wall -Wextra -Werror"));
    assert!(status == 0 && out.contains("100 messages of 3000 bytes arrived"), "{out}{err}");
}

#[test]
fn server_and_client_in_c_need_no_runtime() {
    let build = tempfile::tempdir().expect("a folder");
    let mut make = Command::new("make");
    make.current_dir(root().join("examples/c-listener")).arg(format!("BUILD={}", build.path().display()));
    make.arg(format!("NACRE={}", env!("CARGO_BIN_EXE_nacre"))).arg("CFLAGS=-std=c11 -O1 -Wall -Wextra -Werror");
    let (status, out, err) = ran(&mut make);
    assert_eq!(status, 0, "{out}{err}");
    let mut server = Command::new(build.path().join("server"));
    let mut server = Running(server.arg("0").stdout(Stdio::piped()).spawn().expect("a server"));
    let mut lines = BufReader::new(server.0.stdout.take().expect("a pipe")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    let port = line().strip_prefix("port ").expect("a port").to_string();
    let client = || Command::new(build.path().join("client")).args([&port, "20"]).stdout(Stdio::piped()).spawn();
    let clients: Vec<Child> = (0..4).map(|_| client().expect("a client")).collect();
    for client in clients {
        let ran = client.wait_with_output().expect("it ends");
        let out = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{out}");
        assert!(out.ends_with("20 answers, the last of 5 bytes\nended, reason 0\n"), "{out}");
    }
    (0..4).for_each(|_| assert_eq!(line(), "a connection ended, reason 0"));
}

/// `nacre new --template cpp` begins with it, and cli/tests/new.rs runs that.
#[test]
fn example_in_cpp_is_that_of_new_projects() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("reliable_too");
    let (status, _, words) = ran(&mut nacre(&["new", path.to_str().expect("UTF-8"), "--template", "cpp"]));
    assert_eq!(status, 0, "{words}");
    let made = std::fs::read_to_string(path.join("main.cpp")).expect("a file");
    assert_eq!(made.replace("reliable_too", "reliable"), text("examples/cpp-runtime/main.cpp"));
}

#[test]
fn flows_with_congestion_control_share_a_simulated_link() {
    let build = tempfile::tempdir().expect("a folder");
    let mut make = Command::new("make");
    make.current_dir(root().join("examples/bottleneck")).arg(format!("BUILD={}", build.path().display()));
    let (status, out, err) = ran(make
        .arg(format!("NACRE={}", env!("CARGO_BIN_EXE_nacre")))
        .arg("CFLAGS=-std=c11 -O1 -Wall -Wextra -Werror"));
    assert!(
        status == 0
            && out.contains("used 9")
            && ["fairness 0.99", "fairness 1.0"].iter().any(|fair| out.contains(fair)),
        "{out}{err}"
    );
}

#[test]
fn stack_is_embedded_in_a_rust_program() {
    let (status, out, err) = ran(&mut cargo_run(&root().join("examples/rust-embed")));
    assert_eq!((status, out.as_str()), (0, "hello -> hello, too\n"), "{err}");
}

#[test]
fn stack_is_driven_by_tokio() {
    let (status, out, err) = ran(&mut cargo_run(&root().join("examples/rust-tokio")));
    assert_eq!((status, out.as_str()), (0, "hello -> hello, too\n"), "{err}");
}

#[test]
fn stack_is_driven_by_mio() {
    let (status, out, err) = ran(&mut cargo_run(&root().join("examples/rust-mio")));
    assert_eq!((status, out.as_str()), (0, "hello -> hello, too\n"), "{err}");
}
