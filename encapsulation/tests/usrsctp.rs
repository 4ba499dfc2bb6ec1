//! usrsctp, unmodified, in several instances: over a simulated network with faults, with one and two paths.

mod world;

use std::sync::OnceLock;

use nacre_simulator::network::Conditions;
use world::tpi::data;
use world::{bad_network, bytes, connect, import, seeds, soaking, source, tpi, transfer, Capsule, World, SECOND};

fn usrsctp() -> &'static Capsule {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    import(&source("usrsctp", "usrsctp-sys").join("usrsctp"), "usrsctp", &CAPSULE)
}

fn address(link: u8, host: u8, port: u16) -> Vec<u8> {
    tpi::ipv4([10, 0, link, host], port)
}

/// Two hosts with an instance each: 10.0.L.1 and 10.0.L.2 on link L.
fn world(seed: u64, links: usize, conditions: &Conditions) -> World {
    let capsule = usrsctp();
    let world = World::new(capsule.streams, seed, links, conditions);
    for (at, side) in world.sides.iter().enumerate() {
        let addresses: Vec<String> = (0..links).map(|link| format!("10.0.{link}.{}", at + 1)).collect();
        let option = format!("addresses={}", addresses.join(","));
        side.load(&capsule.imported.capsule, "ip", &[&option]);
        let control = side.host.stream("ip.sctp").expect("a stream");
        for link in 0..links {
            control.link(side.host.stream(&format!("link{link}")).expect("the link")).expect("it is linked");
        }
        side.keep(control);
    }
    world
}

#[test]
fn nothing_is_missing() {
    let imported = &usrsctp().imported;
    assert!(!imported.report.is_fatal());
    assert!(imported.sources > 20, "{} sources", imported.sources);
    assert_eq!(
        imported.digest, "b4ed690cf88b37b3485ac87a042dc038c1ac99dbec573676e9d9e2b36b05d449",
        "the source is the one that was tried"
    );
}

#[test]
fn two_instances_transfer_messages_both_ways() {
    let mut world = world(1, 1, &Conditions { delay: 1_000_000, ..Conditions::default() });
    let [mut a, mut b] = connect(&mut world, ["ip.sctp"; 2], &address(0, 2, 7000), &address(0, 2, 7000));
    let (there, back) = (bytes(1 << 20, 1), bytes(1 << 20, 2));
    assert!(transfer(&mut world, [&mut a, &mut b], &there, 60 * SECOND, data));
    assert!(transfer(&mut world, [&mut b, &mut a], &back, 60 * SECOND, data));
    assert!(a.data == back && b.data == there);
    assert_eq!([a.messages, b.messages], [128, 128], "messages keep their bounds");
    a.put(&tpi::control(&[tpi::ORDREL_REQ], &[]));
    b.answer(&mut world, tpi::ORDREL_IND).expect("the end of the data");
    drop((a, b));
    world.end();
}

#[test]
fn a_receiver_that_does_not_read_stops_the_sender() {
    let mut world = world(4, 1, &Conditions { delay: 1_000_000, ..Conditions::default() });
    let [a, mut b] = connect(&mut world, ["ip.sctp"; 2], &address(0, 2, 7000), &address(0, 2, 7000));
    let (part, mut sent) = (bytes(8192, 1), 0);
    // What fits the socket of the receiver waits there, and comes without another packet.
    for _ in 0..12 {
        a.stream.put(&data(&part)).expect("there is room");
        sent += part.len();
    }
    world.until(5 * SECOND, |_| false);
    for _ in 0..100 {
        b.take();
        world.until(SECOND / 100, |_| false);
    }
    assert_eq!(b.data.len(), sent);
    for _ in 0..100 {
        while a.stream.put(&data(&part)).is_ok() {
            sent += part.len();
        }
        world.until(SECOND, |_| false);
    }
    assert!(sent > 100_000 && sent < 4_000_000, "{sent} bytes were taken");
    let all = world.until(600 * SECOND, |_| {
        b.take();
        b.data.len() == sent
    });
    assert!(all, "{} of {sent} bytes came", b.data.len());
    drop((a, b));
    world.end();
}

#[test]
fn an_association_outlives_one_of_its_paths() {
    let mut world = world(3, 2, &Conditions { delay: 5_000_000, ..Conditions::default() });
    let both = [address(0, 2, 7000), address(1, 2, 7000)].concat();
    let [mut a, mut b] = connect(&mut world, ["ip.sctp"; 2], &both, &address(0, 2, 7000));
    a.put(&tpi::control(&[tpi::ADDR_REQ], &[]));
    let known = a.answer(&mut world, tpi::ADDR_ACK).expect("addresses");
    assert_eq!(tpi::word(&known, 3), 32, "the peer has two addresses");
    let there = bytes(4 << 20, 1);
    let mut sent = 0;
    for part in there.chunks(1 << 20) {
        assert!(transfer(&mut world, [&mut a, &mut b], part, 600 * SECOND, data), "{sent} bytes came");
        sent += part.len();
        world.cut[0] = true;
    }
    assert!(b.data == there);
    drop((a, b));
    world.end();
}

#[test]
fn a_large_transfer_survives_loss() {
    let conditions = Conditions { loss: 0.01, delay: 2_000_000, jitter: 500_000, ..Conditions::default() };
    let mut world = world(2, 1, &conditions);
    let [mut a, mut b] = connect(&mut world, ["ip.sctp"; 2], &address(0, 2, 7000), &address(0, 2, 7000));
    let there = bytes(if soaking() { 64 << 20 } else { 4 << 20 }, 1);
    assert!(transfer(&mut world, [&mut a, &mut b], &there, 36_000 * SECOND, data), "{} bytes", b.data.len());
    assert!(b.data == there);
    drop((a, b));
    world.end();
}

#[test]
fn data_comes_whole_and_in_order_over_bad_networks() {
    seeds(20, |seed| {
        let mut world = world(seed, 1, &bad_network(seed));
        let [mut a, mut b] = connect(&mut world, ["ip.sctp"; 2], &address(0, 2, 7000), &address(0, 2, 7000));
        let there = bytes(100_000, seed);
        if !transfer(&mut world, [&mut a, &mut b], &there, 3_600 * SECOND, data) {
            // A handshake whose cookie became stale meanwhile can end in ends that do not know each other (seed 3863).
            a.answer(&mut world, tpi::DISCON_IND).expect("the sender hears of the end");
            b.answer(&mut world, tpi::DISCON_IND).expect("the receiver hears of the end");
            assert!(b.data.is_empty(), "seed {seed}: {} bytes", b.data.len());
            eprintln!("seed {seed}: the association broke before any data, and both ends were told");
            drop((a, b));
            return world.end();
        }
        assert!(b.data == there, "seed {seed}: lost, repeated or out of order");
        assert_eq!(b.messages, there.len().div_ceil(8192), "seed {seed}: messages keep their bounds");
        a.put(&tpi::control(&[tpi::ORDREL_REQ], &[]));
        b.answer(&mut world, tpi::ORDREL_IND).expect("the end of the data");
        assert_eq!(b.data.len(), there.len(), "seed {seed}: more came");
        drop((a, b));
        world.end();
    });
}
