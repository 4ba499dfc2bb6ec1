//! lwIP, unmodified, in several instances: over a simulated network with faults.

mod world;

use std::sync::OnceLock;

use nacre_encapsulation::streams::Message;
use nacre_simulator::network::Conditions;
use world::{bad_network, bytes, connect, import, seeds, soaking, source, tpi, transfer, Capsule, End, World, SECOND};

fn lwip() -> &'static Capsule {
    static CAPSULE: OnceLock<Capsule> = OnceLock::new();
    import(&source("lwip", "lwip"), "lwip", &CAPSULE)
}

fn data(bytes: &[u8]) -> Message {
    Message { control: None, data: Some(bytes.to_vec()) }
}

const LISTENER: [u8; 4] = [10, 0, 0, 2];

/// Two hosts with an instance each: 10.0.0.1 and 10.0.0.2.
fn world(seed: u64, conditions: &Conditions) -> World {
    let capsule = lwip();
    let world = World::new(capsule.streams, seed, 1, conditions);
    for (at, side) in world.sides.iter().enumerate() {
        let address = format!("addresses=10.0.0.{}/24", at + 1);
        side.load(&capsule.imported.capsule, "ip", &[&address]);
        let control = side.host.stream("ip.udp").expect("a stream");
        control.link(side.host.stream("link0").expect("the link")).expect("it is linked");
        side.keep(control);
    }
    world
}

fn connected(world: &mut World) -> [End; 2] {
    connect(world, ["ip.tcp"; 2], &tpi::ipv4([0; 4], 7000), &tpi::ipv4(LISTENER, 7000))
}

#[test]
fn nothing_is_missing() {
    let imported = &lwip().imported;
    assert!(!imported.report.is_fatal());
    assert!(imported.sources > 30, "{} sources", imported.sources);
    let tried = "dd4f92213175c19f645955496d3152faffc7b2a548a5f874d109ec4ebfd73120";
    assert_eq!(imported.digest, tried, "the source is the one that was tried");
}

#[test]
fn two_instances_transfer_data_both_ways() {
    let mut world = world(1, &Conditions { delay: 1_000_000, ..Conditions::default() });
    let [mut a, mut b] = connected(&mut world);
    let (there, back) = (bytes(1 << 20, 1), bytes(1 << 20, 2));
    assert!(transfer(&mut world, [&mut a, &mut b], &there, 60 * SECOND, data));
    assert!(transfer(&mut world, [&mut b, &mut a], &back, 60 * SECOND, data));
    assert!(a.data == back && b.data == there);
    a.put(&tpi::control(&[tpi::ORDREL_REQ], &[]));
    b.answer(&mut world, tpi::ORDREL_IND).expect("the end of the data");
    b.put(&tpi::control(&[tpi::ORDREL_REQ], &[]));
    a.answer(&mut world, tpi::ORDREL_IND).expect("the end of the data");
    drop((a, b));
    world.end();
}

#[test]
fn a_large_transfer_survives_loss() {
    let conditions = Conditions { loss: 0.01, delay: 2_000_000, jitter: 500_000, ..Conditions::default() };
    let mut world = world(2, &conditions);
    let [mut a, mut b] = connected(&mut world);
    let there = bytes(if soaking() { 64 << 20 } else { 8 << 20 }, 1);
    assert!(transfer(&mut world, [&mut a, &mut b], &there, 36_000 * SECOND, data), "{} bytes", b.data.len());
    assert!(b.data == there);
    drop((a, b));
    world.end();
}

#[test]
fn data_comes_whole_and_in_order_over_bad_networks() {
    seeds(50, |seed| {
        let mut world = world(seed, &bad_network(seed));
        let [mut a, mut b] = connected(&mut world);
        let there = bytes(100_000, seed);
        assert!(
            transfer(&mut world, [&mut a, &mut b], &there, 3_600 * SECOND, data),
            "seed {seed}: {} bytes",
            b.data.len()
        );
        assert!(b.data == there, "seed {seed}: lost, repeated or out of order");
        a.put(&tpi::control(&[tpi::ORDREL_REQ], &[]));
        b.answer(&mut world, tpi::ORDREL_IND).expect("the end of the data");
        assert_eq!(b.data.len(), there.len(), "seed {seed}: more came");
        drop((a, b));
        world.end();
    });
}

#[test]
fn the_first_port_that_is_chosen_is_one() {
    // The second host of this seed draws the last port as the one before the first.
    let mut world = world(7945, &Conditions::default());
    let mut end = End::open(&world.sides[1].host, "ip.tcp");
    end.bind(&mut world, &[], 0).expect("a port is chosen");
    drop(end);
    world.end();
}

#[test]
fn a_receiver_that_does_not_read_stops_the_sender() {
    let mut world = world(4, &Conditions { delay: 1_000_000, ..Conditions::default() });
    let [a, mut b] = connected(&mut world);
    let (part, mut sent) = (bytes(8192, 1), 0);
    for _ in 0..600 {
        while a.stream.put(&data(&part)).is_ok() {
            sent += part.len();
        }
        world.until(SECOND / 10, |_| false);
    }
    assert!(sent > 100_000 && sent < 4_000_000, "{sent} bytes were taken");
    assert!(
        world.until(60 * SECOND, |_| {
            b.take();
            b.data.len() == sent
        }),
        "{} of {sent} bytes came",
        b.data.len()
    );
    drop((a, b));
    world.end();
}

#[test]
fn datagrams_keep_their_bounds_and_their_senders() {
    let mut world = world(5, &Conditions { delay: 1_000_000, ..Conditions::default() });
    let (mut a, mut b) = (End::open(&world.sides[0].host, "ip.udp"), End::open(&world.sides[1].host, "ip.udp"));
    a.bind(&mut world, &tpi::ipv4([0; 4], 5000), 0).expect("it is bound");
    b.bind(&mut world, &tpi::ipv4([0; 4], 6000), 0).expect("it is bound");
    // The longest is sent in fragments.
    for (number, length) in [0, 1, 1000, 1472, 1473, 9000, 60_000].into_iter().enumerate() {
        let to = tpi::ipv4(LISTENER, 6000);
        let mut message = tpi::control(&[tpi::UNITDATA_REQ, 16, 20, 0, 0], &to);
        message.data = Some(bytes(length, number as u64));
        a.put(&message);
        let came = b.answer(&mut world, tpi::UNITDATA_IND).expect("a datagram");
        assert_eq!(tpi::range(&came, tpi::word(&came, 1), tpi::word(&came, 2)), tpi::ipv4([10, 0, 0, 1], 5000));
        assert!(came.data.unwrap_or_default() == bytes(length, number as u64), "{length} bytes");
    }
    let mut nowhere = tpi::control(&[tpi::UNITDATA_REQ, 16, 20, 0, 0], &tpi::ipv4([0; 4], 0));
    nowhere.data = Some(vec![1]);
    a.put(&nowhere);
    a.answer(&mut world, tpi::UDERROR_IND).expect("a report");
    drop((a, b));
    world.end();
}

#[test]
fn refusals_and_ends_are_told() {
    let mut world = world(6, &Conditions { delay: 1_000_000, ..Conditions::default() });
    let mut caller = End::open(&world.sides[0].host, "ip.tcp");
    caller.bind(&mut world, &[], 0).expect("it is bound");
    let to = tpi::ipv4(LISTENER, 9);
    caller.put(&tpi::control(&[tpi::CONN_REQ, 16, 20, 0, 0], &to));
    let refused = caller.answer(&mut world, tpi::DISCON_IND).expect("nobody listens");
    assert_eq!(tpi::word(&refused, 1), libc::ECONNRESET);
    // The same endpoint again, to one that is refused by its listener.
    let mut listener = End::open(&world.sides[1].host, "ip.tcp");
    listener.bind(&mut world, &to, 1).expect("it is bound");
    caller.put(&tpi::control(&[tpi::CONN_REQ, 16, 20, 0, 0], &to));
    let asked = listener.answer(&mut world, tpi::CONN_IND).expect("it is asked");
    listener.put(&tpi::control(&[tpi::DISCON_REQ, tpi::word(&asked, 5)], &[]));
    listener.answer(&mut world, tpi::OK_ACK).expect("it is refused");
    caller.answer(&mut world, tpi::CONN_CON).expect("TCP connects before the listener decides");
    caller.answer(&mut world, tpi::DISCON_IND).expect("a report");
    // A second bind of the port, and requests that do not fit the state.
    let mut other = End::open(&world.sides[1].host, "ip.tcp");
    let busy = other.bind(&mut world, &to, 1).expect_err("the port is taken");
    assert_eq!(tpi::word(&busy, 2), 23, "TADDRBUSY");
    other.put(&tpi::control(&[tpi::CONN_REQ, 16, 20, 0, 0], &to));
    let early = other.answer(&mut world, tpi::OK_ACK).expect_err("it is not bound");
    assert_eq!(tpi::word(&early, 2), 6, "TOUTSTATE");
    drop((caller, listener, other));
    world.end();
}

#[test]
fn made_up_frames_do_no_harm() {
    let mut world = world(7, &Conditions { delay: 1_000_000, ..Conditions::default() });
    let [mut a, mut b] = connected(&mut world);
    let there = bytes(200_000, 1);
    assert!(transfer(&mut world, [&mut a, &mut b], &there[..100_000], 60 * SECOND, data));
    for seed in 0..2_000u64 {
        let mut frame = bytes((seed * 7 % 200) as usize, seed);
        // Most begin as packets do, for the protocols that are there.
        if seed % 4 > 0 && frame.len() >= 40 {
            let length = frame.len() as u16;
            frame[0] = if seed % 16 == 1 { 0x46 } else { 0x45 };
            frame[2..4].copy_from_slice(&length.to_be_bytes());
            frame[6..8].copy_from_slice(&[if seed % 8 == 2 { 0x20 } else { 0 }, 0]);
            frame[9] = [1, 2, 6, 17][seed as usize / 4 % 4];
            frame[12..20].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
            frame[10..12].copy_from_slice(&[0, 0]);
            let words = frame[..usize::from(frame[0] & 15) * 4].chunks(2);
            let mut sum: u32 = words.map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
            while sum > 0xffff {
                sum = (sum & 0xffff) + (sum >> 16);
            }
            frame[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
        }
        let _ = world.sides[1].devices[0].receive(&frame);
        world.sides[1].host.work();
    }
    assert!(transfer(&mut world, [&mut a, &mut b], &there[100_000..], 600 * SECOND, data));
    assert!(b.data == there);
    drop((a, b));
    world.end();
}

#[test]
fn many_instances_share_nothing() {
    let capsule = lwip();
    let worlds: Vec<World> = (0..20).map(|seed| world(seed, &Conditions::default())).collect();
    let mut ends = Vec::new();
    for (number, mut world) in worlds.into_iter().enumerate() {
        let [mut a, mut b] = connected(&mut world);
        let text = bytes(1000, number as u64);
        assert!(transfer(&mut world, [&mut a, &mut b], &text, 60 * SECOND, data) && b.data == text);
        ends.push((a, b, world));
    }
    for (a, b, world) in ends {
        drop((a, b));
        world.end();
    }
    assert!(capsule.imported.capsule.exists());
}
