//! Stacks of small layers, composed.

mod layers;

use layers::*;
use nacre_compose::{compose_all, Composed, Options};
use nacre_typed::Fragment;

fn composed(layers: &[Fragment]) -> Composed {
    compose_all("test", layers, &Options::default()).unwrap_or_else(|e| panic!("{e:#?}"))
}

#[test]
fn show() {
    let c = composed(&[frag(1400), pt2pt(16), floor()]);
    println!("{}", nacre_compose::explain(&c.stack));
    let c = composed(&[local(true), checksum(), plain_floor()]);
    println!("{}", nacre_compose::explain(&c.stack));
}
