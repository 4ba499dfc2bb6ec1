//! lwIP, unmodified, in several instances: over a simulated network with faults.

mod world;

use std::sync::OnceLock;

use nacre_encapsulation::streams::Message;
use nacre_simulator::network::Conditions;
use world::{bytes, connect, import, source, tpi, transfer, Capsule, World, SECOND};

fn lwip() -> &'static Capsule {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    import(&source("lwip", "lwip"), "lwip", &CAPSULE)
}

fn data(bytes: &[u8]) -> Message {
    Message { control: None, data: Some(bytes.to_vec()) }
}

/// Two hosts with an instance each: 10.0.0.1 and 10.0.0.2.
fn world(seed: u64, conditions: &Conditions) -> World {
    let capsule = lwip();
    let world = World::new(capsule.streams, seed, 1, conditions);
    for (at, side) in world.sides.iter().enumerate() {
        let address = format!("addresses=10.0.0.{}/24", at + 1);
        side.host.load(&capsule.imported.capsule, "ip", &[&address]).expect("an instance");
        let control = side.host.stream("ip.udp").expect("a stream");
        control.link(side.host.stream("link0").expect("the link")).expect("it is linked");
        side.keep(control);
    }
    world
}

#[test]
fn nothing_is_missing() {
    let imported = &lwip().imported;
    assert!(!imported.report.is_fatal());
    assert!(imported.sources > 30, "{} sources", imported.sources);
}

#[test]
fn two_instances_transfer_data_both_ways() {
    let mut world = world(1, &Conditions { delay: 1_000_000, ..Conditions::default() });
    let [mut a, mut b] =
        connect(&mut world, ["ip.tcp", "ip.tcp"], &tpi::ipv4([0; 4], 7000), &tpi::ipv4([10, 0, 0, 2], 7000));
    let (there, back) = (bytes(1 << 20, 1), bytes(1 << 20, 2));
    assert!(transfer(&mut world, [&mut a, &mut b], &there, 60 * SECOND, data));
    assert!(transfer(&mut world, [&mut b, &mut a], &back, 60 * SECOND, data));
    assert!(a.data == back && b.data == there);
    a.put(&tpi::control(&[tpi::ORDREL_REQ], &[]));
    b.answer(&mut world, tpi::ORDREL_IND).expect("the end of the data");
    b.put(&tpi::control(&[tpi::ORDREL_REQ], &[]));
    a.answer(&mut world, tpi::ORDREL_IND).expect("the end of the data");
}
