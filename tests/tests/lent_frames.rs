//! How long the emitted listener reads the frame of a call: not after another call with a parameter `now`, also if that
//! fails.

use std::net::SocketAddr;
use std::rc::Rc;

use nacre_tests::c_listener::{seed_bytes, CListener, Library, Options, Seen};

/// No connection has it.
const NOBODY: u64 = 12345;

fn address(host: u8) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, host], 7000))
}

fn listener(library: &Rc<Library>, serves: bool) -> CListener {
    let prepare = |options: &mut Options| options.seed = seed_bytes(1 + u64::from(serves));
    CListener::new(library, 16, &[serves], prepare, 1).expect("a listener")
}

/// Takes the first event of a frame with a message, makes a call, overwrites the frame, and takes the others.
fn rest_after(library: &Rc<Library>, call: &dyn Fn(&mut CListener) -> i32) -> Vec<Seen> {
    let (mut client, mut server) = (listener(library, false), listener(library, true));
    let id = client.connect(address(2), 0).expect("a connection");
    assert_eq!(client.send(id, b"a message"), 0);
    let (_, mut frame) = client.take_datagrams().pop().expect("a frame with the message");
    assert_eq!(server.receive(address(1), &frame), 0);
    assert!(matches!(server.next_event(), Some(Seen::Arrived(..))));
    assert_ne!(call(&mut server), 0, "the call fails");
    frame.fill(b'!');
    server.events()
}

#[test]
fn calls_that_fail_end_the_loan_of_a_frame() {
    let library = Rc::new(Library::new(&["reliable"]));
    let long = "x".repeat(1 << 16);
    let calls: [(&str, &dyn Fn(&mut CListener) -> i32); 7] = [
        ("send", &|c| c.send(NOBODY, b"x")),
        ("close", &|c| c.close(NOBODY, None)),
        ("close, too long a text", &|c| c.close(NOBODY, Some((1, &long)))),
        ("refuse, too long a text", &|c| c.refuse(NOBODY, 1, &long)),
        ("discard", &|c| c.discard(NOBODY)),
        ("connect", &|c| c.connect(address(9), 99).expect_err("no such stack")),
        ("receive", &|c| c.receive_nothing(address(9))),
    ];
    for (name, call) in calls {
        let rest = rest_after(&library, call);
        let is_it = |event: &Seen| matches!(event, Seen::Delivered(_, data, _) if data == b"a message");
        assert!(rest.iter().any(is_it), "{name}: {rest:?}");
    }
}
