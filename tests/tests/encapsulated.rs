//! Emitted stacks as STREAMS modules below foreign protocols: each protocol's packets pass through a checksum, through encryption, and
//! through layers that lose, repeat and damage.

#[path = "../../encapsulation/tests/world/mod.rs"]
mod world;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use nacre_driver::Level;
use nacre_encapsulation::import::Import;
use nacre_encapsulation::streams::Message;
use nacre_simulator::network::Conditions;
use nacre_tests::library::find;
use nacre_tests::machines::Machines;
use world::{bytes, connect, import, source, tpi, transfer, Capsule, World, SECOND};

/// Stacks that pass what they are given, some of them with faults.
const STACKS: [&str; 5] = ["crc32c_alone", "encrypt_alone", "lose_none", "duplicate_all", "reorder_half"];

/// Writes a stack, and imports it as a module.
fn module(name: &str, folder: &Path) {
    let text = Machines::new(&find(name)).text(Level::Inline);
    let tree = folder.join(name);
    fs::create_dir_all(&tree).expect("a folder");
    fs::write(tree.join(format!("{name}.h")), text.header).expect("a file");
    fs::write(tree.join(format!("{name}.c")), text.source).expect("a file");
    let import =
        Import { tree, environment: "nacre".into(), name: name.into(), description: None, flags: vec!["-O1".into()], isolate: false };
    import.write(folder).unwrap_or_else(|refused| panic!("{name}: {refused:?}"));
}

/// Two hosts with a foreign protocol over a stack over the link.
fn world(capsule: &Capsule, control: &str, stack: &str, folder: &Path, seed: u64) -> World {
    let world = World::new(capsule.streams, seed, 1, &Conditions { delay: 1_000_000, ..Conditions::default() });
    for (at, side) in world.sides.iter().enumerate() {
        // What one end seals with, the other opens with.
        let keys = ["11".repeat(32), "22".repeat(32)];
        let keys = [format!("encrypt.sealing=0x{}", keys[at]), format!("encrypt.opening=0x{}", keys[1 - at])];
        let options: &[&str] = if stack.starts_with("encrypt") { &[&keys[0], &keys[1]] } else { &[] };
        side.load(&folder.join(format!("{stack}.so")), stack, options);
        side.load(&capsule.imported.capsule, "ip", &[&format!("addresses=10.0.0.{}/24", at + 1), "mtu=1200"]);
        let link = side.host.stream("link0").expect("the link");
        link.push(stack).unwrap_or_else(|error| panic!("{stack}: {error}: {}", world.log()));
        let control = side.host.stream(control).expect("a stream");
        control.link(link).expect("it is linked");
        side.keep(control);
    }
    world
}

fn carry(capsule: &Capsule, device: &str, data: impl Fn(&[u8]) -> Message) {
    let folder = tempfile::tempdir().expect("a folder");
    for (seed, stack) in STACKS.into_iter().enumerate() {
        module(stack, folder.path());
        let mut world = world(capsule, device, stack, folder.path(), seed as u64);
        let to = tpi::ipv4([10, 0, 0, 2], 7000);
        let [mut a, mut b] = connect(&mut world, [device; 2], &to, &to);
        let there = bytes(200_000, seed as u64);
        let came = transfer(&mut world, [&mut a, &mut b], &there, 3_600 * SECOND, &data);
        assert!(came, "{stack}: {} bytes came: {}", b.data.len(), world.log());
        assert!(b.data == there, "{stack}");
        drop((a, b));
        world.end();
    }
}

#[test]
fn tcp_of_lwip_over_emitted_stacks() {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    let capsule = import(&source("lwip", "lwip"), "lwip", &CAPSULE);
    carry(capsule, "ip.tcp", |bytes| Message { control: None, data: Some(bytes.to_vec()) });
}

#[test]
fn sctp_of_usrsctp_over_emitted_stacks() {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    let capsule = import(&source("usrsctp", "usrsctp-sys").join("usrsctp"), "usrsctp", &CAPSULE);
    carry(capsule, "ip.sctp", tpi::data);
}
