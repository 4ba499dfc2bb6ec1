//! Compiles the part of the emitted listener that the runtime runs, too: `listener/exports.c`.

fn main() {
    for file in ["exports.c", "wire.c", "proof.c"] {
        println!("cargo:rerun-if-changed=listener/{file}");
    }
    cc::Build::new().std("c11").file("listener/exports.c").compile("nacre_listener_core");
}
