//! Emitted stacks as STREAMS modules below and above foreign protocols. Below: each protocol's packets pass through a checksum, through
//! encryption, and through layers that lose, repeat and damage. Above: the stack's frames are messages of SCTP and datagrams of UDP.

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
use world::{bytes, connect, import, source, tpi, transfer, Capsule, End, World, SECOND};

/// Stacks that pass what they are given, some of them with faults.
const STACKS: [&str; 5] = ["crc32c_alone", "encrypt_alone", "lose_none", "duplicate_all", "reorder_half"];

/// Writes a stack, and imports it as a module.
fn module(name: &str, folder: &Path) {
    let text = Machines::new(&find(name)).text(Level::Inline);
    let tree = folder.join(name);
    fs::create_dir_all(&tree).expect("a folder");
    fs::write(tree.join(format!("{name}.h")), text.header).expect("a file");
    fs::write(tree.join(format!("{name}.c")), text.source).expect("a file");
    let import = Import {
        tree,
        environment: "nacre".into(),
        name: name.into(),
        description: None,
        flags: vec!["-O1".into()],
        isolate: false,
    };
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

fn lwip() -> &'static Capsule {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    import(&source("lwip", "lwip"), "lwip", &CAPSULE)
}

fn usrsctp() -> &'static Capsule {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    import(&source("usrsctp", "usrsctp-sys").join("usrsctp"), "usrsctp", &CAPSULE)
}

fn plain(bytes: &[u8]) -> Message {
    Message { control: None, data: Some(bytes.to_vec()) }
}

/// Two hosts with a foreign protocol over the link, and a stack that is not yet on a stream.
fn hosts(capsule: &Capsule, control: &str, stack: &Path, options: [&[&str]; 2], conditions: &Conditions) -> World {
    let world = World::new(capsule.streams, 1, 1, conditions);
    for (at, side) in world.sides.iter().enumerate() {
        side.load(stack, "stack", options[at]);
        side.load(&capsule.imported.capsule, "ip", &[&format!("addresses=10.0.0.{}/24", at + 1)]);
        let control = side.host.stream(control).expect("a stream");
        control.link(side.host.stream("link0").expect("the link")).expect("it is linked");
        side.keep(control);
    }
    world
}

/// Sends bytes in messages of one size: all must come, in order.
fn stream_of(world: &mut World, [from, to]: [&mut End; 2], bytes: &[u8], size: usize) {
    let sent: Vec<Message> = bytes.chunks(size).map(plain).collect();
    let mut next = 0;
    let came = world.until(600 * SECOND, |_| {
        while next < sent.len() && from.stream.put(&sent[next]).is_ok() {
            next += 1;
        }
        to.take();
        to.data.len() >= bytes.len()
    });
    assert!(came, "{} bytes came: {}", to.data.len(), world.log());
    assert!(to.data == bytes);
}

#[test]
fn a_stack_over_sctp() {
    let folder = tempfile::tempdir().expect("a folder");
    module("crc32c_alone", folder.path());
    let stack = folder.path().join("crc32c_alone.so");
    let conditions = Conditions { loss: 0.02, delay: 1_000_000, ..Conditions::default() };
    let mut world = hosts(usrsctp(), "ip.sctp", &stack, [&[], &[]], &conditions);
    let to = tpi::ipv4([10, 0, 0, 2], 7000);
    let [mut a, mut b] = connect(&mut world, ["ip.sctp"; 2], &to, &to);
    for end in [&a, &b] {
        end.stream.push("stack").expect("it is pushed");
    }
    let there = bytes(300_000, 1);
    stream_of(&mut world, [&mut a, &mut b], &there, 1000);
    stream_of(&mut world, [&mut b, &mut a], &there, 1000);
    drop((a, b));
    world.end();
}

#[test]
fn a_stack_over_udp() {
    let folder = tempfile::tempdir().expect("a folder");
    module("reliable_plain", folder.path());
    let stack = folder.path().join("reliable_plain.so");
    let addresses = [tpi::ipv4([10, 0, 0, 1], 5000), tpi::ipv4([10, 0, 0, 2], 6000)];
    let option = |of: &[u8]| format!("to=0x{}", of.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let options = [option(&addresses[1]), option(&addresses[0])];
    let conditions =
        Conditions { loss: 0.05, reorder: 0.05, duplicate: 0.05, delay: 1_000_000, ..Conditions::default() };
    let mut world = hosts(lwip(), "ip.udp", &stack, [&[&options[0]], &[&options[1]]], &conditions);
    let [mut a, mut b] = [0, 1].map(|at| End::open(&world.sides[at].host, "ip.udp"));
    a.bind(&mut world, &addresses[0], 0).expect("it is bound");
    b.bind(&mut world, &addresses[1], 0).expect("it is bound");
    for end in [&a, &b] {
        end.stream.push("stack").expect("it is pushed");
    }
    // A datagram of another sender reaches neither the stack nor the application.
    let mut other = End::open(&world.sides[0].host, "ip.udp");
    other.bind(&mut world, &tpi::ipv4([0; 4], 5001), 0).expect("it is bound");
    let mut stray = tpi::control(&[tpi::UNITDATA_REQ, 16, 20, 0, 0], &addresses[1]);
    stray.data = Some(vec![7; 100]);
    other.put(&stray);
    stream_of(&mut world, [&mut a, &mut b], &bytes(100_000, 1), 100);
    assert!(b.events.is_empty(), "{:?}", b.events);
    drop((a, b, other));
    world.end();
    let refused = |option: &str| {
        let world = World::new(lwip().streams, 1, 0, &Conditions::default());
        world.sides[0].host.load(&stack, "stack", &[option]).err().expect("it is refused");
        world.log()
    };
    for wrong in ["to=10.0.0.1", "to=0x", "to=0x0g", "to=0x123"] {
        assert!(refused(wrong).contains("no address"), "{wrong}");
    }
}

#[test]
fn tcp_of_lwip_over_emitted_stacks() {
    carry(lwip(), "ip.tcp", plain);
}

#[test]
fn sctp_of_usrsctp_over_emitted_stacks() {
    carry(usrsctp(), "ip.sctp", tpi::data);
}
