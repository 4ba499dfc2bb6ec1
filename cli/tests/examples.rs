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

/// Built in a separate target folder: in that of this build, it would replace libraries that are in use.
#[test]
fn stack_is_embedded_in_a_rust_program() {
    let target = std::path::Path::new(env!("CARGO_BIN_EXE_nacre")).ancestors().nth(2).expect("target/debug/nacre");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet"]).current_dir(root().join("examples/rust-embed"));
    // Compiles faster; no debugging is needed.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false").env("CARGO_INCREMENTAL", "0");
    let (status, out, err) = ran(cargo.env("CARGO_TARGET_DIR", target.join("rust-embed")));
    assert_eq!((status, out.as_str()), (0, "hello -> hello, too\n"), "{err}");
}
