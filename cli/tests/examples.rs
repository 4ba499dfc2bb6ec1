//! The examples that embed stacks in other programs: built and run.

mod common;

use std::process::Command;

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
fn flows_with_congestion_control_share_a_simulated_link() {
    let build = tempfile::tempdir().expect("a folder");
    let mut make = Command::new("make");
    make.current_dir(root().join("examples/bottleneck")).arg(format!("BUILD={}", build.path().display()));
    let (status, out, err) = ran(make
        .arg(format!("NACRE={}", env!("CARGO_BIN_EXE_nacre")))
        .arg("CFLAGS=-std=c11 -O1 -Wall -Wextra -Werror"));
    assert!(status == 0 && out.contains("used 9") && out.contains("fairness 0.99"), "{out}{err}");
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
