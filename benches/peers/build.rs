//! Compiles the part that uses ENet; links the libraries of the peers.

fn main() {
    println!("cargo::rerun-if-changed=c/enet.c");
    cc::Build::new().file("c/enet.c").std("c11").opt_level(2).compile("peers_enet");
    println!("cargo::rustc-link-lib=enet");
}
