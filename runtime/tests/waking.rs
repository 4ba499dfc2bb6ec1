//! A listener that waits is woken by another thread, whatever its transport is.

mod support;

use nacre_runtime::capture::Captured;
use nacre_runtime::faults::{Direction, Faults, Faulty};
use nacre_runtime::transport::Transport;
use nacre_runtime::udp::Udp;
use nacre_runtime::{memory, Error, Event, Listener, Options};
use support::*;

/// Wakes a listener that waits without end, from another thread; no call is lost, whenever it comes.
fn is_woken(transport: impl Transport + 'static) {
    let mut listener = Listener::new(transport, Options::default());
    let waker = listener.waker().unwrap();
    waker.wake();
    assert!(listener.wait(None).unwrap().is_none());
    for _ in 0..20 {
        let waker = waker.clone();
        let thread = std::thread::spawn(move || waker.wake());
        assert!(listener.wait(None).unwrap().is_none());
        thread.join().unwrap();
    }
    // Each call counts once.
    let again = listener.wait(Some(std::time::Duration::from_millis(1))).unwrap();
    assert!(again.is_none());
}

fn udp() -> Udp {
    Udp::bind("127.0.0.1:0".parse().unwrap()).unwrap()
}

#[test]
fn waiting_listener_is_woken_over_each_transport() {
    is_woken(udp());
    is_woken(Faulty::new(Captured::new(udp(), Vec::new()).unwrap(), Faults::default(), Direction::Both));
    is_woken(memory::pair().0);
    #[cfg(target_os = "linux")]
    {
        let folder = scratch();
        let path = folder.path().join("door");
        is_woken(nacre_runtime::shared::listen(&path).unwrap());
        let _server = nacre_runtime::shared::listen(&path).unwrap();
        is_woken(nacre_runtime::shared::connect(&path).unwrap());
    }
}

/// Frames are handled by a listener with a waker as by any other, and a call that waits for something else keeps the
/// wake for `wait`.
#[test]
fn frames_come_through_beside_wakes() {
    let mut server = server(&window(), Options::default());
    let mut client = Listener::new(udp(), Options::default());
    let (waker, to) = (client.waker().unwrap(), server.local());
    let id = client.connect(to, &window()).unwrap();
    let echo = std::thread::spawn(move || {
        let id = server.accept(LONG).unwrap();
        for _ in 0..200 {
            let message = server.receive(id, LONG).unwrap();
            server.send_blocking(id, &message, LONG).unwrap();
        }
        server.linger(id).unwrap();
    });
    let mut woken = 0;
    for n in 0..200u32 {
        waker.wake();
        client.send_blocking(id, &n.to_le_bytes(), LONG).unwrap();
        loop {
            match client.wait(LONG).unwrap() {
                Some(Event::Delivered { message, .. }) => {
                    assert_eq!(message.to_vec(), n.to_le_bytes());
                    break;
                }
                Some(_) => {}
                None => woken += 1,
            }
        }
    }
    // A wake and an answer that are there together leave the wake for the next time.
    if woken < 200 {
        woken += usize::from(client.wait(Some(std::time::Duration::ZERO)).unwrap().is_none());
    }
    assert!((1..=200).contains(&woken), "{woken}");
    echo.join().unwrap();
}

/// The last event of a connection does not keep `linger` from answering the peer.
#[test]
fn lingering_begins_with_the_event_that_tells_of_the_end() {
    let mut server = server(&window(), Options::default());
    let mut client = Listener::new(udp(), Options::default());
    let id = client.connect(server.local(), &window()).unwrap();
    client.send_blocking(id, b"hello", LONG).unwrap();
    let at_server = server.accept(LONG).unwrap();
    server.receive(at_server, LONG).unwrap();
    client.close(id).unwrap();
    while client.connections().len() == 1 {
        server.drive();
        if matches!(client.wait(Some(std::time::Duration::from_millis(1))).unwrap(), Some(Event::Closed { .. })) {
            break;
        }
    }
    let other = std::thread::spawn(move || {
        while server.connections().len() == 1 {
            server.wait(Some(std::time::Duration::from_millis(1))).unwrap();
        }
    });
    client.linger(id).unwrap();
    assert!(client.connections().is_empty(), "it answered until the peer had ended, too");
    other.join().unwrap();
}

#[test]
fn what_cannot_be_reached_is_refused_at_once() {
    let mut v4 = Listener::bind("127.0.0.1:0".parse().unwrap(), Options::default()).unwrap();
    let mut all = Listener::bind("[::]:0".parse().unwrap(), Options::default()).unwrap();
    let is_invalid = |listener: &mut Listener, to: &str| {
        matches!(listener.connect(to.parse().unwrap(), &window()), Err(Error::Invalid(_)))
    };
    assert!(is_invalid(&mut v4, "[::1]:7") && is_invalid(&mut v4, "127.0.0.1:0") && is_invalid(&mut all, "[::1]:0"));
    assert!(!is_invalid(&mut v4, "127.0.0.1:7") && !is_invalid(&mut all, "127.0.0.1:7"));
    assert!(!is_invalid(&mut all, "[::1]:7") && !is_invalid(&mut v4, "[::ffff:127.0.0.1]:8"));
    if let Ok(mut v6) = Listener::bind("[::1]:0".parse().unwrap(), Options::default()) {
        assert!(is_invalid(&mut v6, "127.0.0.1:7") && !is_invalid(&mut v6, "[::1]:7"));
    }
}
