//! Compiles the stack `reliable` to C, and the C into this program.

use std::path::PathBuf;
use std::{env, fs};

use nacre_driver::{Level, Session};

fn main() {
    println!("cargo::rerun-if-changed=../reliable.nacre");
    println!("cargo::rerun-if-changed=../../layers");
    let mut session = Session::open(&[PathBuf::from("../reliable.nacre")]);
    let stack = session.stack("reliable").unwrap_or_else(|| panic!("{}", session.render(false)));
    let emitted = session.emit(&stack, Level::Call, None);
    let folder = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(folder.join("reliable.h"), emitted.header).expect("the output folder can be written to");
    fs::write(folder.join("reliable.c"), emitted.source).expect("the output folder can be written to");
    cc::Build::new().file(folder.join("reliable.c")).include(&folder).std("c11").compile("reliable");
}
