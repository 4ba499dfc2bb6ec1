//! A host that asks for labels again: a client whose label has expired while nothing arrived still gets in.

use nacre_driver::Level;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::Options;
use nacre_tests::library::find;
use nacre_tests::machines::Machines;

const SERVER: ([u8; 4], u16) = ([10, 0, 0, 1], 7000);
const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 2], 7000);
/// In nanoseconds.
const MS: u64 = 1_000_000;
/// How long a label is valid at least, with some more, and how long a client tries, in milliseconds.
const OUTAGE: u64 = 21_000;
const LIMIT: u64 = 30_000;

/// When a first contact is confirmed, and how many of the client's frames had arrived, if what the client sends after
/// its first frame is lost until a time in milliseconds.
fn confirmed_after(outage: u64) -> Option<(u64, usize)> {
    let machines = Machines::new(&find("reliable_plain"));
    let stack = machines.load(&machines.text(Level::Call)).expect("the C compiles");
    let mut server = SansIo::new(Options { seed: Some(1), retry_above: 0, ..Options::default() }, 1);
    server.serve(&stack).expect("a server");
    let mut client = SansIo::new(Options { seed: Some(2), ..Options::default() }, 1);
    let id = client.connect(SERVER.into(), &stack).expect("a connection");
    let mut arrived = 0;
    for now in (0..LIMIT).step_by(10) {
        client.set_time(1 + now * MS);
        server.set_time(1 + now * MS);
        while client.next_event().is_some() {}
        for (_, frame) in client.take_datagrams() {
            if now == 0 || now >= outage {
                server.receive(CLIENT.into(), &frame);
                arrived += 1;
            }
        }
        while server.next_event().is_some() {}
        server.take_datagrams().iter().for_each(|(_, frame)| client.receive(SERVER.into(), frame));
        while client.next_event().is_some() {}
        if client.is_confirmed(id) == Some(true) {
            return Some((now, arrived));
        }
    }
    None
}

#[test]
fn client_whose_label_has_expired_connects() {
    assert!(confirmed_after(0).is_some_and(|(at, _)| at < 100));
    let (at, arrived) = confirmed_after(OUTAGE).expect("a connection after an outage");
    // Its first frame, one with the label that has expired, one without, one with the new label.
    assert!(at >= OUTAGE && arrived >= 4, "confirmed after {at} ms and {arrived} frames");
}
